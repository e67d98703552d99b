//! Why something is no task graph.

use super::parts::{BlockId, MAX_ACCESSES, MAX_TASKS};

/// Why a block or a task cannot be added.
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
}
