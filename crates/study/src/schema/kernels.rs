//! `[machine.kernels]`: how the benchmark's kernels go through memory.

use schemars::JsonSchema;
use serde::Serialize;

/// The fastest ways of the benchmark's kernels through the memory of this machine, by their use of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelsTable {
    /// The model of the processor on which they were tried, as its operating system calls it; `bench` doubts them on another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// Of `read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<VariantTable>,
    /// Of `copy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<VariantTable>,
    /// Of `triad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triad: Option<VariantTable>,
    /// Of `update`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<VariantTable>,
}

/// A way through memory.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct VariantTable {
    /// How wide vectors are.
    pub isa: IsaWord,
    /// Places of each array at which the kernel works at once.
    #[schemars(range(min = 1, max = 4))]
    pub streams: u32,
    /// How many bytes ahead each line is prefetched, far and near; 0: not at all.
    #[schemars(inner(range(min = 0, max = 65536)))]
    pub prefetch_bytes: [u32; 2],
    /// How lines are written that the kernel does not read. Default: "streaming".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stores: Option<StoresWord>,
}

/// An instruction set that kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IsaWord {
    /// Plain code, on every processor.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F.
    Avx512,
}

impl IsaWord {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoresWord {
    /// Past the caches, where the instruction set can.
    Streaming,
    /// Through the caches: the processor reads each line before.
    Cached,
}
