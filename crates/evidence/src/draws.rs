//! Random numbers for resampling: always the same ones, so that a page says the same each time it is made.

/// `SplitMix64` (Steele, Lea and Flood 2014) from a fixed seed: nothing here is worth better numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draws {
    state: u64,
}

impl Draws {
    /// A number below `count`; 0 where `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // Below the count, which is a length.
        usize::try_from((z ^ (z >> 31)) % (count as u64).max(1)).unwrap_or(0)
    }
}
