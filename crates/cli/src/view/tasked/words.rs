//! Words for what `numasim_tasks` says in types.

use numasim_graph::values::TaskId;
use numasim_tasks::IdleReason;
use numasim_tasks::bound::Limit;

/// What no schedule can be faster than.
pub(crate) fn bound_in_words(limit: Limit) -> String {
    match limit {
        Limit::Nothing => "there is no task".to_owned(),
        Limit::Compute => "the FLOP of all tasks at the peaks of all cores".to_owned(),
        Limit::Workers => "all workers busy with tasks that have the machine to themselves".to_owned(),
        Limit::Memories => "the bytes that all memories must deliver".to_owned(),
        Limit::Memory(node) => format!("the bytes that the memory of {node} must deliver"),
        Limit::Chain(TaskId(last)) => format!("the longest chain of tasks, which ends with task {last}"),
        Limit::Creation(TaskId(last)) => {
            format!("the creation of tasks by the master, and the chain that ends with task {last}")
        }
    }
}

/// Why workers are idle, in two or three words.
pub(crate) const fn idle_in_words(reason: IdleReason) -> &'static str {
    match reason {
        IdleReason::Elsewhere => "tasks elsewhere",
        IdleReason::Partition => "master partitions",
        IdleReason::Creation => "master creates",
        IdleReason::Throttle => "throttle",
        IdleReason::Taskwait => "taskwait",
        IdleReason::Parents => "parents run",
        IdleReason::End => "none left",
    }
}
