//! Tasks that may be moved, in the order in which they are tried.

use std::cmp::Ordering;

/// A task that may be moved; the largest gain comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) gain: f64,
    /// The place of the task in the order in which equal ones are tried.
    pub(super) turn: u32,
    /// Its number, or its place among those that may be moved: who makes moves says which.
    pub(super) task: u32,
}

impl Eq for Move {}

impl PartialOrd for Move {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Move {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then_with(|| other.turn.cmp(&self.turn))
    }
}
