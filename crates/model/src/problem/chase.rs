//! Chains of addresses.

use super::{Work, times};

/// Each thread follows `chains` chains at once through memory of its own, in random order: one line of 64 bytes for each hop, nothing computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// MiB of each thread.
    pub size_mib: u64,
    /// Chains that each thread follows at once.
    pub chains: u64,
    /// Hops of each chain.
    pub hops: u64,
}

impl Chase {
    /// Hops of each chain in a step.
    pub const HOPS: u64 = 4096;
    /// Bytes of a line.
    pub const LINE: u64 = 64;
    /// Chains at most: above what cores of today wait for.
    pub const MOST_CHAINS: u64 = 32;
    /// MiB at most: lines are numbered with 32 bits.
    pub const MOST_MIB: u64 = (1 << 18) - 1;

    /// Lines of each thread.
    pub fn lines(&self) -> u64 {
        times(&[self.size_mib, 1 << 20]) / Self::LINE
    }

    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[Self::LINE, Self::HOPS, self.chains]), flop: 0 }
    }

    pub(super) fn data_bytes(&self, threads: u64) -> u64 {
        times(&[self.lines(), Self::LINE, threads])
    }
}

/// One chain through 256 MiB, which no cache holds; every line about once.
impl Default for Chase {
    fn default() -> Self {
        Self { size_mib: 256, chains: 1, hops: 1 << 22 }
    }
}
