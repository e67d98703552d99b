//! What must hold of the times without a task.

use numasim_graph::values::SchedulerKind;

use super::Violation;
use crate::bound::rounding;
use crate::idle::IdleReason;
use crate::question::Question;
use crate::result::Run;

/// Reasons share what busy workers leave, on every node; and none is what cannot be.
pub(super) fn reasons(question: &Question, run: &Run, all: &mut Vec<Violation>) {
    let makespan_s = run.makespan.value();
    let slack = rounding(question.graph.task_count());
    for ((node, of_node), id) in
        question.machine.nodes().iter().zip(&run.nodes).zip(question.machine.node_ids())
    {
        let there_s = makespan_s * f64::from(node.cores);
        let sum_s = of_node.busy.value() + of_node.contender.value() + of_node.idle.total().value();
        if (sum_s - there_s).abs() > slack * there_s {
            all.push(Violation::Reasons(id));
        }
    }
    let workers = question.machine.total_cores() as f64;
    let (slack_s, idle) = (slack * makespan_s * workers, run.idle_times());
    for reason in IdleReason::ALL {
        // At most for so long, in worker-seconds.
        let most_s = match reason {
            IdleReason::Elsewhere if takes_everything(question) => 0.0,
            IdleReason::Partition => run.partition.value() * workers,
            IdleReason::Creation => {
                let each_s = question.runtime.creation.value();
                (run.migration.value() + each_s * question.graph.task_count() as f64) * workers
            }
            IdleReason::Throttle if question.runtime.throttle.is_none() => 0.0,
            IdleReason::Taskwait if !question.graph.tasks().any(|task| question.graph.taskwait(task)) => 0.0,
            _ => makespan_s * workers,
        };
        if !(-slack_s..=most_s + slack_s).contains(&idle[reason]) {
            all.push(Violation::Reason(reason));
        }
    }
}

/// Whether no worker is idle while a task lies in a queue.
fn takes_everything(question: &Question) -> bool {
    match question.scheduler.kind {
        SchedulerKind::Fifo | SchedulerKind::RandomSteal | SchedulerKind::TaskloopAffinity => true,
        SchedulerKind::Sa
        | SchedulerKind::Dep
        | SchedulerKind::RipDep
        | SchedulerKind::RipSp
        | SchedulerKind::RipMw
        | SchedulerKind::Heft
        | SchedulerKind::Tracked => question.steal,
        // Libraries leave tasks to those whose mailbox, node or loop they are for.
        _ => false,
    }
}
