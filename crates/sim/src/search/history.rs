//! What a search knew when a quarter and half of its effort were spent.

use super::outcome::gap;
use crate::monitor::{Monitor, Progress};
use std::sync::{Mutex, PoisonError};

/// Parts of the effort after which it is noted what is known.
const PARTS: [f64; 2] = [0.25, 0.5];

/// What was known at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// The part of the effort that was spent, 0 to 1: the first report at or after a quarter, and half.
    pub effort: f64,
    /// Value of the best so far.
    pub value: f64,
    /// No allocation has a better value.
    pub bound: f64,
    /// Seconds since the start.
    pub elapsed_s: f64,
}

impl Mark {
    /// |bound - value| / |bound|.
    pub fn gap(&self) -> f64 {
        gap(self.value, self.bound)
    }
}

/// The effort of a search and what it brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// The part of the effort that was spent, 0 to 1.
    pub part: f64,
    /// What was known meanwhile, earliest first.
    pub marks: Vec<Mark>,
}

impl Spent {
    /// Notes a report that came so many seconds after the start.
    pub fn note(&mut self, progress: &Progress, elapsed_s: f64) {
        let next = PARTS.iter().find(|&&part| self.marks.last().is_none_or(|mark| mark.effort < part));
        self.part = self.part.max(progress.effort_spent);
        let known = progress.best.filter(|best| best.is_finite() && progress.bound.is_finite());
        if let (Some(value), Some(part)) = (known, next)
            && progress.effort_spent >= *part
        {
            let (effort, bound) = (progress.effort_spent, progress.bound);
            self.marks.push(Mark { effort, value, bound, elapsed_s });
        }
    }
}

/// Watches one search, and notes what it knows.
pub struct History<'w> {
    watch: &'w dyn Monitor,
    elapsed_s: &'w (dyn Fn() -> f64 + Sync),
    noted: Mutex<Option<Spent>>,
}

impl<'w> History<'w> {
    /// `elapsed_s`: the clock of whoever asks, in seconds since the start.
    pub fn new(watch: &'w dyn Monitor, elapsed_s: &'w (dyn Fn() -> f64 + Sync)) -> Self {
        Self { watch, elapsed_s, noted: Mutex::default() }
    }

    /// What was noted; `None` if the search told nothing.
    pub fn spent(&self) -> Option<Spent> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Monitor for History<'_> {
    fn stop(&self) -> bool {
        self.watch.stop()
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.get_or_insert_default().note(progress, (self.elapsed_s)());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reports_after_a_quarter_and_after_half_are_kept() {
        let mut spent = Spent::default();
        for (percent, bound) in [(10, 140.0), (30, 130.0), (40, 125.0), (70, 120.0), (90, 110.0)] {
            let effort_spent = f64::from(percent) / 100.0;
            spent.note(&Progress { found: None, best: Some(100.0), bound, effort_spent }, f64::from(percent));
        }
        let kept: Vec<(f64, f64)> = spent.marks.iter().map(|mark| (mark.effort, mark.bound)).collect();
        assert_eq!((spent.part, kept), (0.9, vec![(0.3, 130.0), (0.7, 120.0)]));
        // (120 - 100) / 120
        assert!((spent.marks[1].gap() - 1.0 / 6.0).abs() < 1e-12 && spent.marks[1].elapsed_s == 70.0);
    }

    #[test]
    fn one_report_after_both_is_kept_once_and_none_without_an_answer() {
        let mut spent = Spent::default();
        spent.note(&Progress { found: None, best: None, bound: 9.0, effort_spent: 0.5 }, 1.0);
        assert!(spent.marks.is_empty());
        spent.note(&Progress { found: None, best: Some(8.0), bound: 9.0, effort_spent: 0.6 }, 1.0);
        spent.note(&Progress { found: None, best: Some(8.0), bound: 8.5, effort_spent: 0.8 }, 1.0);
        assert_eq!(spent.marks.len(), 1);
    }
}
