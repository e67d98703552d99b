//! How hard to search.

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
