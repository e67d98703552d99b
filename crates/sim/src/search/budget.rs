//! Effort in steps, so that it does not depend on the clock.

use crate::monitor::{Monitor, Progress};
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

// How hard to search.

/// How hard to search, and for what besides the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many other allocations to return.
    pub top: usize,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Most steps of the exact search; more steps prove more.
    pub effort: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top: 3, seed: 0, effort: 150_000_000 }
    }
}

/// How much more effort each round of a search to the end has than the one before.
pub(super) const RISE: u64 = 4;

// How often long work asks whether it should stop.

/// Elementary operations (about a nanosecond each) between two questions to the monitor.
pub(super) const BETWEEN_QUESTIONS: u64 = 200_000;

/// Counts the operations of one thread, and asks the monitor once in a while.
#[derive(Clone)]
pub(crate) struct Pace<'m> {
    monitor: &'m dyn Monitor,
    since: u64,
    stopped: bool,
}

impl<'m> Pace<'m> {
    pub(crate) fn new(monitor: &'m dyn Monitor) -> Self {
        Self { monitor, since: 0, stopped: false }
    }

    /// Whether to stop, `operations` after the last call. Once true, it stays true.
    #[inline]
    pub(crate) fn stops_after(&mut self, operations: u64) -> bool {
        self.since = self.since.saturating_add(operations);
        if self.since >= BETWEEN_QUESTIONS && !self.stopped {
            self.since = 0;
            self.stopped = self.monitor.stop();
        }
        self.stopped
    }

    /// Whether it said so.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
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

#[cfg(test)]
mod tests_of_pace {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::monitor::Progress;

    /// Stops at the second question.
    #[derive(Default)]
    struct Twice(AtomicU64);

    impl Monitor for Twice {
        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 1
        }
        fn progress(&self, _: &Progress) {}
    }

    #[test]
    fn the_monitor_is_asked_once_in_so_many_operations() {
        let monitor = Twice::default();
        let mut pace = Pace::new(&monitor);
        let half = BETWEEN_QUESTIONS / 2;
        assert!(!pace.stops_after(half) && !pace.stops_after(half) && !pace.stops_after(half));
        assert_eq!(monitor.0.load(Ordering::Relaxed), 1);
        assert!(pace.stops_after(half));
        assert!(pace.stops_after(0) && pace.stopped(), "a stop is for good");
        assert_eq!(monitor.0.load(Ordering::Relaxed), 2);
    }
}
