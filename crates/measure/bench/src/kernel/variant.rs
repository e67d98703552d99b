//! How a kernel goes through memory: nothing of it changes what is computed, all of it how fast.
//!
//! Which variant is fastest differs from host to host, also between hosts with the same processor: `calibrate` tries
//! them and keeps the choice in the machine file.

use std::fmt;

use numasim_kernels::way::{Stores, Way};
use numasim_model::machine::{KernelVariant, MOST_PREFETCH_BYTES};
use numasim_model::{Access, Machine};
use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::{Isa, KernelError};

/// A way of a kernel through memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The instruction set: how wide vectors are.
    pub isa: Isa,
    /// At how many places of each array it works at once: 1, 2 or 4 with `read`, 1 or 2 with `copy` and `update`, 1 with `triad`.
    pub streams: u32,
    /// How many bytes ahead each line is asked for, far and near: twice, since a processor drops prefetches when it is short of
    /// buffers, and a load that then waits for memory also holds up the prefetches behind it. 0: not at all.
    pub prefetch_bytes: [u32; 2],
    /// How it writes.
    pub stores: Stores,
}

impl Variant {
    /// The one that is used where nobody has tried others.
    ///
    /// Measured on one machine (Intel, AVX-512, one thread), each way as GB/s at 1/32 FLOP/byte and as the least share of the
    /// roofline from 1/64 to 4 FLOP/byte: prefetches 6 and 3 KiB ahead 22.4 and 0.99, 5 and 2.5 KiB 21.8 and 1.00, 6 and 2 KiB 20.7
    /// and 0.99; first into the second-level cache at 3 KiB, then into the first at 1 KiB 24.0 and 0.86. It is the roofline that
    /// this kernel must follow, so the second-level cache is left out.
    pub const fn usual(access: Access, isa: Isa) -> Self {
        // At most 4.
        #[allow(clippy::cast_possible_truncation)]
        let streams = Shape::streams_per_array(access) as u32;
        Self { isa, streams, prefetch_bytes: [6144, 3072], stores: Stores::Streaming }
    }

    /// All that are worth a try for an access on this processor, the usual one first.
    pub fn candidates(access: Access) -> Vec<Self> {
        const PREFETCHES: [[u32; 2]; 5] = [[6144, 3072], [0, 0], [2048, 1024], [4096, 2048], [12_288, 6144]];
        let usual = Self::usual(access, Isa::best());
        let writes = Shape::of(access).written > 0;
        let mut all = Vec::new();
        // The portable code neither prefetches nor writes past the caches.
        for isa in Isa::available().into_iter().rev().filter(|&isa| isa != Isa::Portable || isa == usual.isa)
        {
            for streams in [4, 2, 1].into_iter().filter(|&streams| streams <= usual.streams) {
                for prefetch_bytes in PREFETCHES {
                    for stores in Stores::ALL {
                        let variant = Self { isa, streams, prefetch_bytes, stores };
                        let same = isa == Isa::Portable
                            && (prefetch_bytes != usual.prefetch_bytes || stores != usual.stores);
                        if !same && (writes || stores == usual.stores) {
                            all.push(variant);
                        }
                    }
                }
            }
        }
        all
    }

    /// What a machine file says.
    ///
    /// # Errors
    /// [`KernelError::Variant`] if this access has no such way.
    pub fn of_file(access: Access, said: &KernelVariant) -> Result<Self, KernelError> {
        let isa = said.isa.parse().map_err(|_| KernelError::Variant { access, what: said.isa.clone() })?;
        let stores = if said.streaming_stores { Stores::Streaming } else { Stores::Cached };
        let variant = Self { isa, streams: said.streams, prefetch_bytes: said.prefetch_bytes, stores };
        variant.fits(access)?;
        Ok(variant)
    }

    /// The one that the file of a machine has for an access, if it is of the instruction set that a person asked for, and this processor has that.
    ///
    /// # Errors
    /// [`KernelError::Variant`] if this access has no such way.
    pub fn of_machine(
        access: Access,
        machine: &Machine,
        asked: Option<Isa>,
    ) -> Result<Option<Self>, KernelError> {
        let Some(said) = machine.kernel_variants().of(access) else { return Ok(None) };
        let variant = Self::of_file(access, said)?;
        let wanted = asked.is_none_or(|isa| isa == variant.isa) && variant.isa.is_available();
        Ok(wanted.then_some(variant))
    }

    /// For a machine file.
    pub fn to_file(self) -> KernelVariant {
        KernelVariant {
            isa: self.isa.as_str().to_owned(),
            streams: self.streams,
            prefetch_bytes: self.prefetch_bytes,
            streaming_stores: self.stores == Stores::Streaming,
        }
    }

    /// Checks that an access has this variant.
    ///
    /// # Errors
    /// [`KernelError::Variant`].
    pub(super) fn fits(self, access: Access) -> Result<(), KernelError> {
        let most = Shape::streams_per_array(access);
        let streams = self.streams as usize;
        let far = self.prefetch_bytes.into_iter().max().unwrap_or(0);
        if streams == 0 || !most.is_multiple_of(streams) {
            let what = format!("{streams} streams of each array; there are 1 to {most}, a power of two");
            return Err(KernelError::Variant { access, what });
        }
        if far > MOST_PREFETCH_BYTES {
            let what = format!("prefetches {far} bytes ahead; at most {MOST_PREFETCH_BYTES}");
            return Err(KernelError::Variant { access, what });
        }
        Ok(())
    }
}

/// For kernels that threads run together, with the vectors that they are run with.
impl From<Variant> for Way {
    fn from(variant: Variant) -> Self {
        let Variant { isa: _, streams, prefetch_bytes, stores } = variant;
        Self { streams, prefetch_bytes, stores }
    }
}

/// In a few words: `avx512, 4 streams, prefetch 6144 and 3072 B, streaming stores`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.streams == 1 { "" } else { "s" };
        write!(f, "{}, {} stream{plural}, ", self.isa, self.streams)?;
        match self.prefetch_bytes {
            [0, 0] => f.write_str("no prefetch")?,
            [far, near] => write!(f, "prefetch {far} and {near} B")?,
        }
        write!(f, ", {} stores", self.stores.as_str())
    }
}
