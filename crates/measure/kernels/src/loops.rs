//! How loops go through memory: nothing of it changes a result in any bit, all of it how fast it is there.
//!
//! Which way is the fastest differs from host to host, also between hosts with the same processor: whoever has tried some says so, and without that each kernel
//! goes as it did where it was written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

numasim_model::words! {
    /// How lines are written that a kernel does not read.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Stores {
        /// Past the caches, where the instruction set can.
        Streaming = "streaming",
        /// Through the caches: the processor reads each line before, which kernels do not count.
        Cached = "cached",
    }
}

/// A way through memory that was the fastest of those that somebody tried on this host.
///
/// Kernels follow it as far as they have a choice: `streams` where one array is read and one written, `stores` where the problem does not say how it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// At how many places of each array a loop works at once.
    pub streams: u32,
    /// How many bytes ahead each line is asked for, far and near; 0: not at all.
    pub prefetch_bytes: [u32; 2],
    /// How it writes.
    pub stores: Stores,
}

/// What the loops of a kernel are run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// The instruction set: how wide vectors are.
    pub isa: Isa,
    /// The way that was chosen on this host; `None`: each kernel's own.
    pub way: Option<Way>,
}

impl From<Isa> for Loops {
    /// Each kernel's own way.
    fn from(isa: Isa) -> Self {
        Self { isa, way: None }
    }
}

impl Loops {
    /// How many bytes ahead lines are asked for, far and near: as chosen, else as the kernel does on its own.
    pub(crate) fn ahead(self, own: [usize; 2]) -> [usize; 2] {
        self.way.map_or(own, |way| way.prefetch_bytes.map(|bytes| bytes as usize))
    }
}

numasim_model::words! {
    /// An instruction set that the kernels are written for, the most capable last.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Isa {
        /// Plain Rust, on every processor.
        Portable = "portable",
        /// x86-64 with AVX2 and FMA.
        Avx2 = "avx2",
        /// x86-64 with AVX-512 F.
        Avx512 = "avx512",
    }
}

impl Isa {
    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Those that this processor has, the most capable last.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// The most capable one that this processor has.
    pub fn best() -> Self {
        Self::available().into_iter().max().unwrap_or(Self::Portable)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The names of some instruction sets, for messages.
pub fn names(some: &[Isa]) -> String {
    some.iter().map(|isa| isa.as_str()).collect::<Vec<_>>().join(", ")
}

/// A word that is no instruction set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no instruction set \"{word}\"; this processor has {}", names(&Isa::available()))]
pub struct UnknownIsa {
    /// The word.
    pub word: String,
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(word: &str) -> Result<Self, UnknownIsa> {
        Self::from_word(word).ok_or_else(|| UnknownIsa { word: word.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_goes_its_own_way_unless_one_was_chosen() {
        let own = Loops::from(Isa::Portable);
        assert_eq!(own.ahead([6144, 3072]), [6144, 3072]);
        let way = Way { streams: 1, prefetch_bytes: [512, 0], stores: Stores::Cached };
        assert_eq!(Loops { way: Some(way), ..own }.ahead([6144, 3072]), [512, 0]);
    }
}
