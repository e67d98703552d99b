//! How the benchmark's kernels go through the memory of a machine.

use crate::access::Access;

/// Instruction sets that kernels are written for, as files call them.
pub const INSTRUCTION_SETS: [&str; 3] = ["portable", "avx2", "avx512"];

/// Farthest prefetch, in bytes.
pub const MOST_PREFETCH_BYTES: u32 = 65_536;

/// The way through memory that was the fastest of those that `calibrate` tried for a kernel on this machine.
///
/// Nothing in the model depends on it; the benchmark measures with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelVariant {
    /// One of [`INSTRUCTION_SETS`]: how wide vectors are.
    pub isa: String,
    /// Places of each array at which it works at once.
    pub streams: u32,
    /// How many bytes ahead each line is prefetched, far and near; 0: not at all.
    pub prefetch_bytes: [u32; 2],
    /// What is written and not read goes past the caches.
    pub streaming_stores: bool,
}

/// Variants by the kernel's use of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelVariants {
    of: [Option<KernelVariant>; 4],
    processor: Option<String>,
}

impl KernelVariants {
    /// Those that there are.
    pub fn new(of: impl Fn(Access) -> Option<KernelVariant>) -> Self {
        Self { of: Access::ALL.map(of), processor: None }
    }

    /// The same, tried on a processor of this model.
    #[must_use]
    pub fn tried_on(self, processor: Option<String>) -> Self {
        Self { processor, ..self }
    }

    /// The model of the processor on which they were tried, as its operating system calls it.
    pub fn processor(&self) -> Option<&str> {
        self.processor.as_deref()
    }

    /// The one for a use of memory.
    pub fn of(&self, access: Access) -> Option<&KernelVariant> {
        self.of[access as usize].as_ref()
    }

    /// All that there are.
    pub fn iter(&self) -> impl Iterator<Item = (Access, &KernelVariant)> {
        Access::ALL.into_iter().filter_map(|access| Some((access, self.of(access)?)))
    }
}
