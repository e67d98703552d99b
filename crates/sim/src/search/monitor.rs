//! The outside world of a search: time, Ctrl-C and the progress line.

use super::budget::Budget;
use crate::problem::{Candidate, Problem};

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Value of the best answer so far.
    pub best: Option<f64>,
    /// No answer has a better value than this.
    pub bound: f64,
    /// The part of the effort that is spent, 0 to 1; the search often ends long before 1.
    pub effort_spent: f64,
}

impl Progress {
    pub(super) fn new(problem: &Problem, best: Option<&Candidate>, bound: f64, budget: Budget) -> Self {
        let score = best.map_or(f64::NEG_INFINITY, |best| best.score);
        Self {
            best: best.map(|best| problem.goal.value(best.score)),
            bound: problem.goal.value(bound.max(score)),
            effort_spent: budget.part_spent(),
        }
    }
}

/// The outside world of a search: time, Ctrl-C and the progress line.
pub trait Monitor: Sync {
    /// True when the search should return what it has.
    fn stop(&self) -> bool;
    /// Called now and then.
    fn progress(&self, progress: &Progress);
}

/// Never stops, shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended;

impl Monitor for Unattended {
    fn stop(&self) -> bool {
        false
    }
    fn progress(&self, _: &Progress) {}
}
