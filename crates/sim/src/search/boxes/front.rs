//! What is open of a set of placements while it is split.

use std::collections::BinaryHeap;

use super::part::Part;

/// What is open of a set of placements: its parts so far.
pub(in crate::search) struct Front<'a> {
    pub(super) all: Part<'a>,
    pub(super) queue: BinaryHeap<Part<'a>>,
    /// Parts that cannot be split.
    pub(super) stubborn: Vec<Part<'a>>,
    pub(super) created: usize,
    pub(super) tried_halves: bool,
    /// Steps spent on splitting, and those after which halves are tried at the latest.
    pub(super) spent: u64,
    pub(super) halfway: u64,
    /// Most options that parts have lists of their own for.
    pub(super) listed: usize,
}

impl Front<'_> {
    /// Nothing that is open has a better score.
    pub(in crate::search) fn bound(&self) -> f64 {
        let stubborn = self.stubborn.iter().map(|part| part.improved.bound);
        stubborn.fold(self.splits_below(), f64::max)
    }

    /// The same of what can still be split; -infinity where nothing can.
    pub(in crate::search) fn splits_below(&self) -> f64 {
        self.queue.peek().map_or(f64::NEG_INFINITY, |part| part.improved.bound)
    }

    /// Whether there are more than a few allocations for each part: else it is quicker to go through them node by node.
    pub(in crate::search) fn is_worth_splitting(&self) -> bool {
        const FEW: f64 = 16.0;
        !self.queue.is_empty() && FEW * (self.created as f64) < self.all.relaxation.allocations()
    }

    /// Steps spent on splitting so far.
    pub(in crate::search) const fn spent(&self) -> u64 {
        self.spent
    }
}
