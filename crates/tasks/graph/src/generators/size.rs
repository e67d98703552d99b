//! How large a graph will be, before it is made.

use crate::values::{MAX_ACCESSES, MAX_TASKS};

use super::error::GenerateError;

/// What a generator will make. As floating point numbers: exact below 2^53, and parameters of any size do not overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) blocks: f64,
    pub(super) tasks: f64,
    /// At most; exact but for Task Bench.
    pub(super) accesses: f64,
}

impl Size {
    /// Refuses what is too much.
    pub(super) fn check(self) -> Result<(), GenerateError> {
        let Self { blocks, tasks, accesses } = self;
        if tasks > MAX_TASKS as f64 {
            return Err(GenerateError::TooManyTasks { tasks });
        }
        if blocks > MAX_TASKS as f64 {
            return Err(GenerateError::TooManyBlocks { blocks });
        }
        if accesses > MAX_ACCESSES as f64 {
            return Err(GenerateError::TooManyAccesses { accesses });
        }
        Ok(())
    }
}

/// 1 for `true`, to count with.
pub(super) fn once(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}

/// A count that [`Size::check`] let pass.
pub(super) fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
