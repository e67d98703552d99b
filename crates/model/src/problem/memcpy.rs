//! Copying memory.

use super::{Work, times};

crate::words! {
    /// Whose the source is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Source {
        /// All threads copy from one, which the first of them filled.
        Shared = "shared",
        /// The threads of a node copy from one of its own.
        PerNode = "per-node",
        /// Each thread has its own.
        Own = "own",
    }
}

crate::words! {
    /// When pages of the destination are touched for the first time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Faults {
        /// Before what is measured.
        Before = "before",
        /// By the copy: page faults are a part of what is measured.
        Inside = "inside",
    }
}

crate::words! {
    /// What copies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum How {
        /// Stores past the caches.
        Streaming = "streaming",
        /// Stores through the caches: a line is read before it is written, which is not counted.
        Cached = "cached",
        /// `memcpy` of the C library.
        Library = "library",
    }
}

/// Each thread copies all of a source of `size_mib` into a destination of its own.
///
/// A byte that is copied is two that are moved, one read and one written; nothing is computed. With [`How::Cached`] a third is read that is not counted.
/// A source on one node and destinations where the threads run are `data = { home = 0, share = 0.5 }` of an application, and a third instead of a half where lines are read
/// before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memcpy {
    /// MiB of each source and of each destination.
    pub size_mib: u64,
    /// How often each thread copies.
    pub copies: u64,
    /// Whose the source is.
    pub source: Source,
    /// When pages are touched.
    pub faults: Faults,
    /// What copies.
    pub how: How,
}

impl Memcpy {
    /// MiB at most.
    pub const MOST_MIB: u64 = 1 << 26;

    /// Words of 8 bytes of each source and of each destination.
    pub fn words(&self) -> u64 {
        times(&[self.size_mib, 1 << 17])
    }

    pub(super) fn step(&self) -> Work {
        Work { bytes: times(&[16, self.words()]), flop: 0 }
    }

    pub(super) fn data_bytes(&self, threads: u64, nodes: u64) -> u64 {
        let sources = match self.source {
            Source::Shared => 1,
            Source::PerNode => nodes,
            Source::Own => threads,
        };
        times(&[8, self.words(), threads.saturating_add(sources)])
    }
}

/// 4 GiB once, from one source, with pages that are there before, stored past the caches.
impl Default for Memcpy {
    fn default() -> Self {
        Self {
            size_mib: 4096,
            copies: 1,
            source: Source::Shared,
            faults: Faults::Before,
            how: How::Streaming,
        }
    }
}
