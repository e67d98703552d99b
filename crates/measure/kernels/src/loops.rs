//! How loops access memory: these settings change only the speed of a loop, never a result in any bit.
//!
//! The fastest variant differs from host to host, even between hosts with the same processor. A caller that has tuned them passes the
//! choice. Without it, each kernel uses its own default.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

numasim_model::words! {
    /// How lines that a kernel does not read are written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Stores {
        /// Past the caches, if the instruction set supports it.
        Streaming = "streaming",
        /// Through the caches: the processor reads each line before, which kernels do not count.
        Cached = "cached",
    }
}

/// The access variant that was the fastest of those tried on this host.
///
/// Kernels follow it as far as they have a choice: `streams` if one array is read and one written, `stores` if the problem does not define
/// how it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// Number of places of each array at which a loop works at once.
    pub streams: u32,
    /// Prefetch distances of each line in bytes, far and near; 0: no prefetch.
    pub prefetch_bytes: [u32; 2],
    /// How it writes.
    pub stores: Stores,
}

/// The settings for the loops of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops {
    /// The instruction set, which defines the width of vectors.
    pub isa: Isa,
    /// The variant that was chosen on this host; `None`: each kernel's default.
    pub way: Option<Way>,
}

impl From<Isa> for Loops {
    /// Each kernel's default variant.
    fn from(isa: Isa) -> Self {
        Self { isa, way: None }
    }
}

impl Loops {
    /// Prefetch distances in bytes, far and near: as chosen, else the kernel's default.
    pub(crate) fn ahead(self, own: [usize; 2]) -> [usize; 2] {
        self.way.map_or(own, |way| way.prefetch_bytes.map(|bytes| bytes as usize))
    }
}

numasim_model::words! {
    /// An instruction set that the kernels support, the most capable last.
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

    /// The instruction sets of this processor, the most capable last.
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

/// A word that is not an instruction set.
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
    fn a_kernel_uses_its_default_variant_unless_one_was_chosen() {
        let own = Loops::from(Isa::Portable);
        assert_eq!(own.ahead([6144, 3072]), [6144, 3072]);
        let way = Way { streams: 1, prefetch_bytes: [512, 0], stores: Stores::Cached };
        assert_eq!(Loops { way: Some(way), ..own }.ahead([6144, 3072]), [512, 0]);
    }
}
