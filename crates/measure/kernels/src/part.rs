//! What a task gets of its blocks, and why it does not run.

use numasim_graph::values::{BlockId, TaskId};

use crate::cholesky::NotPositive;

/// A block as a task has it.
#[derive(Debug)]
pub enum Part<'a> {
    /// The task only reads it.
    Read(&'a [f64]),
    /// The task may change it.
    Write(&'a mut [f64]),
}

/// Why a task did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Another task has a block that this one should not meet there.
    #[error("task {} accesses block {}, which another task changes meanwhile", .task.0, .block.0)]
    Busy {
        /// The task.
        task: TaskId,
        /// The block.
        block: BlockId,
    },
    /// The accesses of a task are not those of its kernel.
    #[error("task {} accesses other blocks than its kernel needs", .0.0)]
    Accesses(TaskId),
    /// A matrix is not what its kernel needs.
    #[error(transparent)]
    NotPositive(#[from] NotPositive),
}
