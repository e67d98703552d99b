//! What a search hands out, or why it hands out nothing.

use crate::answer::Forbidden;
use crate::problem::{Candidate, Problem};
use crate::restrictions::Infeasible;

/// What is known about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is better, to a relative 1e-9.
    Optimal,
    /// The monitor ended the search before the proof.
    Stopped,
    /// The effort was spent before the proof, or the space is too large to be covered.
    Unproven,
}

impl Status {
    /// A stable word for documents: `optimal`, or `feasible` for whatever is not proven.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Stopped | Self::Unproven => "feasible",
        }
    }
}

/// |bound - value| / |bound|: the part of the bound that a value does not reach; 0 where they meet, also at 0.
pub fn gap(value: f64, bound: f64) -> f64 {
    if value == bound { 0.0 } else { ((bound - value) / bound).abs() }
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best allocation found.
    pub best: Candidate,
    /// Its value of the objective.
    pub value: f64,
    /// No allocation has a better value than this.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// Whether it is proven.
    pub status: Status,
    /// The next best, different allocations, best first; not merely renamed equal nodes or instances.
    pub alternatives: Vec<Candidate>,
    /// Whether no better alternative is missing.
    pub alternatives_complete: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExploreError {
    /// There is none.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
    /// The search ended before it found one.
    #[error("no allocation that keeps to the restrictions was found before the search was stopped")]
    NothingFound,
    /// What was found is forbidden: the program is wrong, and the question must be reported.
    #[error(transparent)]
    Fault(#[from] Forbidden),
}

impl Outcome {
    /// Itself, once every allocation in it keeps to the question.
    ///
    /// # Errors
    /// [`ExploreError::Fault`] if one does not.
    pub(super) fn checked(self, problem: &Problem) -> Result<Self, ExploreError> {
        for candidate in std::iter::once(&self.best).chain(&self.alternatives) {
            problem.check_answer(&candidate.allocation, &candidate.placements)?;
        }
        Ok(self)
    }
}
