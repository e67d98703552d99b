//! Why something is no task graph.

use super::parts::{BlockId, MAX_ACCESSES, MAX_TASKS, TaskId};

/// Why a block or a task cannot be added, or a graph is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// More tasks or blocks than are dealt with.
    #[error("more than {MAX_TASKS} tasks or blocks")]
    TooManyTasks,
    /// More accesses than are dealt with.
    #[error("more than {MAX_ACCESSES} accesses of tasks to blocks")]
    TooManyAccesses,
    /// A size or an amount of work that is below 0 or no finite number.
    #[error("{what} is {value}, which is no finite number of at least 0")]
    NotANumber {
        /// What it is of: `the size of a block`.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A task accesses a block that there is not.
    #[error("there is no block {}", .0.0)]
    UnknownBlock(BlockId),
    /// A task accesses a block twice; `inout` says that it reads and writes it.
    #[error("block {} is accessed twice; `inout` reads and writes it", .0.0)]
    BlockTwice(BlockId),
    /// Who creates a task, or a block, is no task so far.
    #[error("it is created by task {}, which is no earlier task", .0.0)]
    CreatorNotEarlier(TaskId),
    /// Only the master waits.
    #[error("`taskwait` is for tasks that the master creates; this one is created by task {}", .0.0)]
    TaskwaitOfChild(TaskId),
    /// Tasks of the master come in the order of their numbers.
    #[error("`seq` is for tasks that a task creates; this one is created by the master")]
    SeqOfMaster,
    /// Either all tasks of a creator say their place, or none does.
    #[error("some of the tasks that task {} creates have a `seq`, and some have none", .0.0)]
    SeqMixed(TaskId),
    /// Two tasks have the same place.
    #[error("two tasks that task {} creates have the `seq` {seq}", .creator.0)]
    SeqRepeated {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
    /// No task has a place below that of another one.
    #[error("no task that task {} creates has the `seq` {seq}, though one has a larger one", .creator.0)]
    SeqMissing {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
}
