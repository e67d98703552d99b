//! What the walks of a batch cost together.
//!
//! They run on several threads, and none knows what the others will cost. So all count in one place, and each ends when their
//! sum is more than it may be. Whether it is does not depend on the threads; who came how far by then does.

use std::sync::atomic::{AtomicU64, Ordering};

/// Parts of a step: what the cheapest operation costs, one lookup in a grid.
const PARTS_OF_STEP: u64 = 64;
/// Parts after which a walk tells the others what it has cost: about 50 microseconds.
const BETWEEN_REPORTS: u64 = 1024 * PARTS_OF_STEP;

/// A lookup in a cell of the grid.
pub(super) const LOOKUP: u64 = 1;
/// An option that is tried for a place, or a pair of sums that is compared.
pub(super) const COMPARISON: u64 = PARTS_OF_STEP / 4;
/// A complete sum of a half.
pub(super) const SUM: u64 = PARTS_OF_STEP;

/// Parts of a step for so many elementary operations (about a nanosecond each, as in [`crate::search::pace`]).
pub(super) fn operations(operations: u64) -> u64 {
    operations + operations / 4 // a step takes about 50 nanoseconds
}

/// What all walks of a batch have cost.
pub(super) struct Common {
    most: u64,
    parts: AtomicU64,
}

impl Common {
    /// Nothing yet, of at most `steps`.
    pub(super) fn new(steps: u64) -> Self {
        Self { most: steps.saturating_mul(PARTS_OF_STEP), parts: AtomicU64::new(0) }
    }

    /// Whether it was more than it may be.
    pub(super) fn is_exceeded(&self) -> bool {
        self.parts.load(Ordering::Relaxed) > self.most
    }

    /// What was spent, in steps, but no more than there was.
    pub(super) fn spent(&self) -> u64 {
        self.parts.load(Ordering::Relaxed).min(self.most).div_ceil(PARTS_OF_STEP)
    }
}

/// What one walk costs.
pub(super) struct Meter<'c> {
    common: &'c Common,
    /// Parts that the others do not know of.
    unreported: u64,
    exceeded: bool,
}

impl<'c> Meter<'c> {
    pub(super) fn new(common: &'c Common) -> Self {
        Self { common, unreported: 0, exceeded: false }
    }

    /// Whether the batch has cost too much, `parts` of a step after the last call. Once true, it stays true.
    #[inline]
    pub(super) fn exceeded_after(&mut self, parts: u64) -> bool {
        self.unreported = self.unreported.saturating_add(parts);
        if self.unreported >= BETWEEN_REPORTS {
            self.report();
            self.exceeded |= self.common.is_exceeded();
        }
        self.exceeded
    }

    /// Tells the others all that it has cost.
    pub(super) fn finish(mut self) {
        self.report();
    }

    fn report(&mut self) {
        self.common.parts.fetch_add(self.unreported, Ordering::Relaxed);
        self.unreported = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_cost_together_ends_each() {
        let common = Common::new(2000);
        let mut walks = [Meter::new(&common), Meter::new(&common)];
        assert!(!walks[0].exceeded_after(1024 * SUM) && !walks[1].exceeded_after(500 * SUM));
        assert!(walks[1].exceeded_after(524 * SUM), "2048 of 2000 steps");
        assert!(!walks[0].exceeded_after(SUM), "it looks once in a while");
        assert!(walks[0].exceeded_after(1024 * SUM) && walks[0].exceeded_after(0));
        assert!(common.is_exceeded());
        assert_eq!(common.spent(), 2000);
    }

    #[test]
    fn little_work_is_counted_at_the_end() {
        let common = Common::new(2000);
        let mut walk = Meter::new(&common);
        assert!(!walk.exceeded_after(3 * SUM + LOOKUP));
        assert_eq!(common.spent(), 0);
        walk.finish();
        assert_eq!(common.spent(), 4, "parts of a step are a step");
        assert!(!common.is_exceeded());
    }
}
