//! How far a kernel is in the memory of a thread, and the factors that change from pass to pass.

use numasim_model::Access;

use super::body::Sums;

/// Where a thread is in its data, and what its kernel returned so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Length of the data it belongs to.
    pub(super) data_len: usize,
    /// Blocks of the data.
    pub(super) blocks: usize,
    /// The next block.
    pub(super) at: usize,
    /// How often the data were gone through.
    pub(super) passes: u64,
    /// Blocks of a chunk.
    pub(super) chunk: usize,
    /// Of all chunks together.
    pub(super) sums: Sums,
}

impl Cursor {
    /// How many blocks were done since the beginning.
    pub(super) fn blocks_done(&self) -> u64 {
        self.passes * self.blocks as u64 + self.at as u64
    }
}

/// The factor `s` of the first pass and of the second; then they alternate. So every pass writes other values, and those of
/// `update` neither grow nor vanish.
pub(super) const fn factors(access: Access) -> [f64; 2] {
    match access {
        Access::Update => [2.0, 0.5],
        Access::Read | Access::Copy | Access::Triad => [1.0, 2.0],
    }
}
