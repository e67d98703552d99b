//! Effort in steps, so that it does not depend on the clock.

use crate::monitor::Progress;
use crate::problem::{Candidate, Problem};

/// Options that are priced or judged in the time of one step.
pub(super) const OPTIONS_PER_STEP: u64 = 4;

/// The effort of a search and how much of it is spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    total: u64,
    spent: u64,
    /// What may have been spent when this share of the budget ends.
    end: u64,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { total: steps, spent: 0, end: steps }
    }
    pub(super) fn left(self) -> u64 {
        self.end - self.spent
    }
    pub(super) fn is_spent(self) -> bool {
        self.left() == 0
    }
    pub(super) fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps).min(self.end);
    }
    /// At most `steps` of what is left, to be worked off before going on with the rest.
    pub(super) fn at_most(self, steps: u64) -> Self {
        Self { end: self.spent + steps.min(self.left()), ..self }
    }
    /// Takes over what a share of this budget has spent.
    pub(super) fn settle(&mut self, share: Self) {
        self.spent = share.spent;
    }
    pub(super) fn part_spent(self) -> f64 {
        self.spent as f64 / self.total.max(1) as f64
    }

    /// How far a search with this budget has come.
    pub(super) fn progress<'a>(
        self,
        problem: &Problem,
        best: Option<&'a Candidate>,
        bound: f64,
    ) -> Progress<'a> {
        let score = best.map_or(f64::NEG_INFINITY, |best| best.score);
        Progress {
            found: best,
            best: best.map(|best| problem.goal.value(best.score)),
            bound: problem.goal.value(bound.max(score)),
            effort_spent: self.part_spent(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_spends_from_the_whole() {
        let mut budget = Budget::new(100);
        let mut share = budget.at_most(30);
        share.spend(50); // no more than the share has
        assert!(share.is_spent());
        budget.settle(share);
        assert_eq!(budget.left(), 70);
        assert!((budget.part_spent() - 0.3).abs() < 1e-12);
    }
}
