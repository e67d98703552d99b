//! What a climb asks about an allocation.

use numasim_model::Allocation;

use crate::problem::{Candidate, Evaluator};

/// Rates allocations with fixed placements: for one model, or for several at once.
pub(in crate::search) trait Rates {
    /// GiB of data that do not fit.
    fn excess(&self, threads: &[u32]) -> f64;
    /// Score and tie-break; larger is better.
    fn rate(&mut self, threads: &[u32]) -> (f64, f64);
    /// The allocation with all of these.
    fn candidate(&mut self, allocation: Allocation) -> Candidate;
}

impl Rates for Evaluator<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        Evaluator::excess(self, threads)
    }

    #[inline]
    fn rate(&mut self, threads: &[u32]) -> (f64, f64) {
        Evaluator::rate(self, threads)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        Evaluator::candidate(self, allocation)
    }
}
