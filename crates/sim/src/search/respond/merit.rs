//! What an allocation is judged by while it is being improved.

use crate::search::options::OptionTable;

/// What an allocation is judged by while it is being improved: first how many threads its applications lack or have
/// too many, then the guide (larger is better).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Merit {
    pub(super) wrong_threads: u64,
    pub(super) guide: f64,
}

impl Merit {
    pub(super) fn beats(self, other: Self) -> bool {
        self.wrong_threads < other.wrong_threads
            || (self.wrong_threads == other.wrong_threads
                && self.guide > other.guide + 1e-12 * other.guide.abs())
    }
}

/// What some nodes give and take together.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) gflops: Vec<f64>,
    pub(super) threads: Vec<u32>,
    pub(super) reads: Vec<f64>,
}

impl Sums {
    /// `others` plus some options.
    pub(super) fn set(&mut self, others: &Self, options: &[(&OptionTable, usize)]) {
        for a in 0..others.gflops.len() {
            let with = |sum: f64, (table, option): &(&OptionTable, usize)| sum + table.potential(*option)[a];
            self.gflops[a] = options.iter().fold(others.gflops[a], with);
            let with = |sum: u32, (table, option): &(&OptionTable, usize)| sum + table.counts(*option)[a];
            self.threads[a] = options.iter().fold(others.threads[a], with);
        }
        for w in 0..others.reads.len() {
            let with = |sum: f64, (table, option): &(&OptionTable, usize)| sum + table.reads(*option)[w];
            self.reads[w] = options.iter().fold(others.reads[w], with);
        }
    }
}

/// The tangent of the geomean at an allocation: nothing else scores more than it says, because the score is concave.
pub(super) struct Rise {
    /// The tangent where the changed nodes are empty.
    pub(super) base: f64,
    pub(super) per_gflops: Vec<f64>,
}

impl Rise {
    /// What an option adds to the base at most.
    pub(super) fn gain(&self, table: &OptionTable, option: usize) -> f64 {
        table.potential(option).iter().zip(&self.per_gflops).map(|(g, slope)| g * slope).sum()
    }
}
