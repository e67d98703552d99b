//! Instruction sets: which there are, and which this processor has.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
        let found = Self::ALL.into_iter().find(|isa| isa.as_str() == word);
        found.ok_or_else(|| UnknownIsa { word: word.to_owned() })
    }
}
