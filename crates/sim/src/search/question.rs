//! What every stage of a search works with, and what a stage has shown.

use super::budget::Settings;
use super::homes::HomeSets;
use super::pool::Canonical;
use crate::monitor::Monitor;
use crate::problem::{Candidate, Problem, margin};

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
