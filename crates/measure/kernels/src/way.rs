//! How loops go through memory: nothing of it changes a result in any bit, all of it how fast it is there.
//!
//! Which way is the fastest differs from host to host, also between hosts with the same processor: whoever has tried some says so, and without that each kernel
//! goes as it did where it was written.

use serde::{Deserialize, Serialize};

use crate::isa::Isa;

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
