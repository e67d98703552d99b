//! Search budget in steps, so that it does not depend on the clock.

use crate::monitor::{Monitor, Progress};
use crate::objective::Objective;
use crate::problem::{Candidate, Problem};

/// Options that are priced or judged in the time of one step.
pub(super) const OPTIONS_PER_STEP: u64 = 4;

/// The budget of a search and its spent part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    total: u64,
    spent: u64,
    /// The spent total at which this share of the budget ends.
    end: u64,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { total: steps, spent: 0, end: steps }
    }
    pub(super) fn left(self) -> u64 {
        self.end.saturating_sub(self.spent)
    }
    pub(super) fn is_spent(self) -> bool {
        self.left() == 0
    }
    pub(super) fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps).min(self.end.max(self.spent));
    }
    /// Spends steps even beyond the share; the excess reduces the whole budget.
    pub(super) fn overspend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps);
    }
    /// A share of at most `steps` of the remaining budget, to be used before the rest.
    pub(super) fn at_most(self, steps: u64) -> Self {
        Self { end: self.spent + steps.min(self.left()), ..self }
    }
    /// Records the steps that a share of this budget has spent.
    pub(super) fn settle(&mut self, share: Self) {
        self.spent = share.spent;
    }
    pub(super) fn part_spent(self) -> f64 {
        (self.spent as f64 / self.total.max(1) as f64).min(1.0)
    }

    /// The progress of a search with this budget.
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

// Search settings.

/// The search budget, and the number of results in addition to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of other allocations to return.
    pub top: usize,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Maximum number of steps of the exact search; more steps prove more.
    pub effort: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top: 3, seed: 0, effort: 150_000_000 }
    }
}

/// Factor between the budgets of consecutive rounds of a search to the end.
pub(super) const RISE: u64 = 4;

// Interval at which long work checks whether it should stop.

/// Elementary operations (about a nanosecond each) between two calls of the monitor.
pub(super) const BETWEEN_QUESTIONS: u64 = 200_000;

/// Counts the operations of one thread, and asks the monitor from time to time.
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

    /// Whether the monitor asked to stop.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }
}

// A search for a part of a question reports progress for the whole: bounds of the other parts, and its share of the budget.

/// The answer that is reported as the best.
#[derive(Clone, Copy)]
enum Best {
    /// The best answer of the part.
    OfThePart,
    /// The value of the question's best answer, if the answers of the part may be invalid for the question; `None`: there is none yet.
    OfAll(Option<f64>),
}

/// The monitor of a part.
pub(super) struct Beside<'a> {
    monitor: &'a dyn Monitor,
    problem: &'a Problem,
    /// No open part outside has a better score; -infinity if there are none.
    elsewhere: f64,
    /// Nothing in the part has a better score; its own bound may be weaker.
    here: f64,
    /// The fraction of the budget that is spent before the part, and after it, 0 to 1.
    shares: (f64, f64),
    best: Best,
}

impl<'a> Beside<'a> {
    /// The monitor of a part in which nothing is better than `here`, in addition to others in which nothing is better than `elsewhere`.
    pub(super) fn new(monitor: &'a dyn Monitor, problem: &'a Problem, here: f64, elsewhere: f64) -> Self {
        Self { monitor, problem, elsewhere, here, shares: (0.0, 1.0), best: Best::OfThePart }
    }

    /// For a part that counts its budget as if it were alone, with the score of the best answer so far.
    pub(super) fn with_shares(self, before: f64, after: f64, best: Option<f64>) -> Self {
        Self {
            shares: (before, after),
            best: Best::OfAll(best.map(|score| self.problem.goal.value(score))),
            ..self
        }
    }

    /// The bound of the whole, as a value, if the part reports `bound`.
    fn of_all(&self, bound: f64) -> f64 {
        let value = |score: f64| self.problem.goal.value(score);
        let least = self.problem.goal.objective() == Objective::Makespan;
        let weaker = |a: f64, b: f64| if least { a.min(b) } else { a.max(b) };
        let stronger = |a: f64, b: f64| if least { a.max(b) } else { a.min(b) };
        let here = if self.here.is_finite() { stronger(bound, value(self.here)) } else { bound };
        if self.elsewhere == f64::NEG_INFINITY { here } else { weaker(here, value(self.elsewhere)) }
    }
}

impl Monitor for Beside<'_> {
    fn stop(&self) -> bool {
        self.monitor.stop()
    }

    fn progress(&self, progress: &Progress) {
        let (before, after) = self.shares;
        let (found, best) = match self.best {
            Best::OfThePart => (progress.found, progress.best),
            Best::OfAll(best) => (None, best), // not available here
        };
        self.monitor.progress(&Progress {
            found,
            best,
            bound: self.of_all(progress.bound),
            effort_spent: before + (after - before) * progress.effort_spent,
        });
    }
}

/// Forwards stops but no progress: the monitor of auxiliary searches.
pub(super) struct Quiet<'a>(pub(super) &'a dyn Monitor);

impl Monitor for Quiet<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
    fn progress(&self, _: &Progress) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_a_share_reduces_the_whole_budget() {
        let mut budget = Budget::new(100);
        let mut share = budget.at_most(30);
        share.spend(50); // the share has no more
        assert!(share.is_spent());
        budget.settle(share);
        assert_eq!(budget.left(), 70);
        assert!((budget.part_spent() - 0.3).abs() < 1e-12);
        let mut share = budget.at_most(30);
        share.overspend(50);
        share.spend(1);
        assert_eq!(share.left(), 0);
        budget.settle(share);
        assert_eq!(budget.left(), 20);
    }
}

#[cfg(test)]
mod beside_tests {
    use std::sync::Mutex;

    use super::*;
    use crate::search::testing::question;

    /// Stores its progress reports.
    #[derive(Default)]
    struct Told(Mutex<Vec<Progress<'static>>>);

    impl Monitor for Told {
        fn stop(&self) -> bool {
            false
        }
        fn progress(&self, progress: &Progress) {
            self.0.lock().expect("one thread").push(Progress { found: None, ..*progress });
        }
    }

    #[test]
    fn progress_includes_other_parts_and_the_share_of_the_budget() {
        let problem = question(2, Objective::TotalGflops);
        let told = Told::default();
        let part = Progress { found: None, best: Some(20.0), bound: 30.0, effort_spent: 0.5 };
        Beside::new(&told, &problem, f64::INFINITY, f64::NEG_INFINITY).progress(&part);
        // Elsewhere up to 35 is possible; here no more than 25.
        Beside::new(&told, &problem, f64::INFINITY, 35.0).progress(&part);
        Beside::new(&told, &problem, 25.0, 10.0).progress(&part);
        // Half of the last fifth; 20 was no answer.
        Beside::new(&told, &problem, f64::INFINITY, 10.0).with_shares(0.8, 1.0, Some(15.0)).progress(&part);
        let told = told.0.into_inner().expect("one thread");
        let bounds: Vec<f64> = told.iter().map(|one| one.bound).collect();
        assert_eq!(bounds, [30.0, 35.0, 25.0, 30.0]);
        assert!((told[3].effort_spent - 0.9).abs() < 1e-12 && told[3].best == Some(15.0), "{:?}", told[3]);
    }

    #[test]
    fn a_shorter_time_elsewhere_lowers_the_bound_of_a_makespan() {
        let problem = question(2, Objective::Makespan);
        let told = Told::default();
        let elsewhere = problem.goal.score(&[1.0, 1.0]);
        let possible = problem.goal.value(elsewhere);
        let part = Progress { found: None, best: None, bound: possible * 2.0, effort_spent: 0.0 };
        Beside::new(&told, &problem, f64::INFINITY, elsewhere).progress(&part);
        assert_eq!(told.0.into_inner().expect("one thread")[0].bound, possible);
    }
}

#[cfg(test)]
mod tests_of_pace {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::monitor::Progress;

    /// Stops at the second call.
    #[derive(Default)]
    struct Twice(AtomicU64);

    impl Monitor for Twice {
        fn stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 1
        }
        fn progress(&self, _: &Progress) {}
    }

    #[test]
    fn the_monitor_is_called_at_fixed_intervals() {
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
