//! Why a generator makes no graph.

use crate::values::{GraphError, MAX_ACCESSES, MAX_TASKS};

/// Why a generator makes no graph. Parameters have the names that they have in files.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A parameter that must be at least 1.
    #[error("`{parameter}` is 0, but must be at least 1")]
    Zero {
        /// Its name.
        parameter: &'static str,
    },
    /// Something is to be dealt into equal parts, and cannot be.
    #[error(
        "`{whole}` = {value} cannot be dealt into `{parts}` = {count} equal parts: write a multiple of {count}"
    )]
    DoesNotDivide {
        /// The parameter that is dealt.
        whole: &'static str,
        /// Its value.
        value: u64,
        /// The parameter that says into how many parts.
        parts: &'static str,
        /// Its value.
        count: u64,
    },
    /// A parameter that must not be larger than another one.
    #[error("`{parameter}` = {value} is more than `{most}` = {limit}")]
    TooLarge {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// The other one.
        most: &'static str,
        /// Its value.
        limit: u64,
    },
    /// A parameter that is too small or too large.
    #[error("`{parameter}` = {value} is not from {least} to {most}")]
    OutOfRange {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A parameter that follows from a machine, and nobody did that.
    #[error("`{parameter}` is not given, and no machine says what it is then")]
    Open {
        /// Its name.
        parameter: &'static str,
    },
    /// More tasks than are dealt with; none was made.
    #[error("this makes {tasks:.0} tasks; at most {MAX_TASKS} are dealt with")]
    TooManyTasks {
        /// How many it would be.
        tasks: f64,
    },
    /// More blocks than are dealt with; none was made.
    #[error("this makes {blocks:.0} blocks; at most {MAX_TASKS} are dealt with")]
    TooManyBlocks {
        /// How many it would be.
        blocks: f64,
    },
    /// More accesses than are dealt with; no task was made.
    #[error("its tasks access blocks up to {accesses:.0} times; at most {MAX_ACCESSES} are dealt with")]
    TooManyAccesses {
        /// How many it would be, at most.
        accesses: f64,
    },
    /// What was made is no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// `value`, if it is at least 1.
pub(super) fn at_least_one(parameter: &'static str, value: u64) -> Result<f64, GenerateError> {
    if value == 0 { Err(GenerateError::Zero { parameter }) } else { Ok(value as f64) }
}

/// `value`, if a machine or somebody gave it, and at least 1.
pub(super) fn settled(parameter: &'static str, value: Option<u64>) -> Result<f64, GenerateError> {
    at_least_one(parameter, value.ok_or(GenerateError::Open { parameter })?)
}

/// A part of `whole` dealt into `parts` (not 0) equal ones.
pub(super) fn dealt(
    (whole, value): (&'static str, u64),
    (parts, count): (&'static str, u64),
) -> Result<f64, GenerateError> {
    match value.checked_rem(count) {
        Some(0) => Ok((value / count) as f64),
        _ => Err(GenerateError::DoesNotDivide { whole, value, parts, count }),
    }
}
