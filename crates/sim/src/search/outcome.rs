//! What a search hands out, or why it hands out nothing.

use super::budget::Settings;
use super::homes::HomeSets;
use super::pool::Canonical;
use crate::answer::Forbidden;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Problem, margin};
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

// What every stage of a search works with, and what a stage has shown.

/// What the exact search has shown.
pub(super) struct Proof {
    /// No allocation that was not met scores more than this.
    pub(super) open_bound: f64,
    /// Everything was searched.
    pub(super) complete: bool,
}

impl Proof {
    /// Whether nothing is better than `best`.
    pub(super) fn closes(&self, best: &Candidate) -> bool {
        self.complete || self.open_bound <= best.score + margin(best.score)
    }
}

pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) settings: &'a Settings,
    pub(super) monitor: &'a dyn Monitor,
    pub(super) canonical: Canonical,
    /// Where open homes can be, bounded before the search.
    pub(super) homes: HomeSets,
}

impl<'a> Search<'a> {
    /// A search that knows first bounds and has met no answer.
    pub(super) fn new(problem: &'a Problem, settings: &'a Settings, monitor: &'a dyn Monitor) -> Self {
        let homes = HomeSets::new(problem, settings.effort, monitor);
        Self { problem, settings, monitor, canonical: Canonical::new(problem), homes }
    }
}
