//! Synthetic kernels: a [`Kernel`] with a chosen arithmetic intensity and use of memory.
//!
//! A kernel is data first: a ratio of floating-point operations to bytes. [`Kernel::prepare`] chooses its code for an instruction set, and
//! the [`PreparedKernel`] works on the memory of one thread:
//!
//! ```
//! use numasim_kernels::loops::Isa;
//! use numasim_kernels::synthetic::Kernel;
//! use numasim_model::{Access, units::FlopPerByte};
//!
//! let kernel = Kernel::new(Access::Read, FlopPerByte::new(0.5))?.prepare(Isa::best())?;
//! let mut memory = vec![0.0; 4096 + 8];
//! let aligned = memory.as_ptr().align_offset(64); // a real user asks the operating system for pages
//! let data = &mut memory[aligned..aligned + 4096];
//! kernel.fill(data);
//! let mut cursor = kernel.cursor(data.len());
//! let work = kernel.run(data, &mut cursor); // again and again, with a look at the clock after each
//! assert_eq!(work.flop * 2, work.bytes);
//! kernel.check(data, &cursor)?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The work is done in *blocks* of a few cache lines from several sequential streams; `body` defines a block and its operations.

mod body;
mod prepared;
mod problem;
#[cfg(test)]
mod tests;

use std::fmt;

use numasim_model::machine::{KernelVariant, MOST_PREFETCH_BYTES};
use numasim_model::units::FlopPerByte;
use numasim_model::{Access, Machine};
use serde::{Deserialize, Serialize};

pub use prepared::{Cursor, PreparedKernel};
pub use problem::Synthetic;

use crate::kernel::NotRunnable;
use crate::loops::{self, Isa, Stores, Way};
use body::Shape;

/// Minimum arithmetic intensity of a kernel, in FLOP/byte; that of `triad` and `update` is higher.
pub const LEAST_INTENSITY: FlopPerByte = FlopPerByte::new(1.0 / 64.0);
/// Maximum arithmetic intensity of a kernel, in FLOP/byte.
pub const GREATEST_INTENSITY: FlopPerByte = FlopPerByte::new(64.0);
/// If the intensity of a kernel differs from the request by more than this fraction, a warning is appropriate.
pub const TOLERANCE: f64 = 0.01;

/// A kernel as data: its operations on each block of cache lines, before an instruction set is chosen.
///
/// A block of `read`, `copy` and `update` moves 8 cache lines (512 bytes), one of `triad` 12 (768 bytes). The operations of a block are
/// whole vector operations, one addition or one fused multiply-add for each element of a line, so the intensity is a multiple of 1/64
/// FLOP/byte (`triad`: 1/96), the same in every block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    access: Access,
    /// FLOP per block and element of a line: an addition is 1, a multiply-add 2.
    steps: u32,
    /// Its access variant, if one was chosen for it.
    variant: Option<Variant>,
}

/// The reason why there is no such kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// The arithmetic intensity is out of range.
    #[error(
        "no kernel with {} FLOP/byte for access \"{}\": from {} to {} FLOP/byte are possible{}",
        .asked.value(), .access.as_str(), ratio(*.least), ratio(GREATEST_INTENSITY), natural(*.access)
    )]
    Intensity {
        /// The requested intensity.
        asked: FlopPerByte,
        /// The requested use of memory.
        access: Access,
        /// The minimum with that use of memory.
        least: FlopPerByte,
    },
    /// No kernel of this access has this variant.
    #[error("no kernel for access \"{}\" has {what}", .access.as_str())]
    Variant {
        /// Its use of memory.
        access: Access,
        /// The missing property.
        what: String,
    },
    /// A real kernel that threads cannot run.
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    /// The processor lacks the instruction set.
    #[error("this processor does not support {isa}; it has {}", loops::names(&Isa::available()))]
    Unavailable {
        /// The requested instruction set.
        isa: Isa,
    },
}

/// A small intensity as people write it: `1/64`.
fn ratio(intensity: FlopPerByte) -> String {
    let value = intensity.value();
    if value < 1.0 { format!("1/{:.0}", 1.0 / value) } else { format!("{value}") }
}

/// The reason for the minimum of a kernel.
fn natural(access: Access) -> &'static str {
    match access {
        Access::Read | Access::Copy => "",
        Access::Triad => " (a[i] = b[i] + s * c[i] alone is 2 FLOP per 24 bytes)",
        Access::Update => " (a[i] = s * a[i] alone is 1 FLOP per 16 bytes)",
    }
}

impl Kernel {
    /// The kernel with the nearest possible intensity; [`Self::deviation`] returns the difference.
    ///
    /// `triad` and `update` require some computation, 1/12 and 1/16 FLOP/byte; a higher intensity means more operations on the same lines.
    /// `copy` requires no computation. It does the requested number of operations on the lines that it reads: at least 1/64 FLOP/byte,
    /// because applications without any floating-point operation do not exist in the model.
    ///
    /// # Errors
    /// [`KernelError::Intensity`] outside [`LEAST_INTENSITY`] (or the natural one) to [`GREATEST_INTENSITY`].
    pub fn new(access: Access, intensity: FlopPerByte) -> Result<Self, KernelError> {
        let shape = Shape::of(access);
        let per_step = 1.0 / (8.0 * shape.traffic_lines() as f64);
        let least = LEAST_INTENSITY.value().max(f64::from(shape.natural_steps) * per_step);
        let asked = intensity.value();
        let possible = least * (1.0 - TOLERANCE)..=GREATEST_INTENSITY.value() * (1.0 + TOLERANCE);
        if !possible.contains(&asked) {
            return Err(KernelError::Intensity { asked: intensity, access, least: FlopPerByte::new(least) });
        }
        let nearest = asked.min(GREATEST_INTENSITY.value()) / per_step;
        // 1 to 6144: the range was checked, and the conversion of a float saturates.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let steps = nearest.round() as u32;
        Ok(Self { access, steps: steps.max(shape.natural_steps).max(1), variant: None })
    }

    /// The kernel that shows the peak of floating-point operations: with data that fits the first-level cache, only its multiply-adds take
    /// time.
    pub const fn peak() -> Self {
        // 64 FLOP/byte x 512 bytes / 8 elements of a line.
        Self { access: Access::Read, steps: 4096, variant: None }
    }

    /// The kernel of this use of memory with the lowest intensity: it shows the bandwidth of a memory.
    pub fn lightest(access: Access) -> Self {
        Self { access, steps: Shape::of(access).natural_steps.max(1), variant: None }
    }

    /// Its use of memory.
    pub const fn access(self) -> Access {
        self.access
    }

    /// The arithmetic intensity it really has.
    pub fn arithmetic_intensity(self) -> FlopPerByte {
        FlopPerByte::new(self.flop_per_block() as f64 / self.bytes_per_block() as f64)
    }

    /// The relative deviation of its intensity from the `asked` one (negative: below): 0.02 is 2 %.
    ///
    /// More than [`TOLERANCE`] should cause a warning: such a kernel represents a different application.
    pub fn deviation(self, asked: FlopPerByte) -> f64 {
        self.arithmetic_intensity().value() / asked.value() - 1.0
    }

    /// Traffic of one block in bytes, by the rule of [`Access`].
    pub fn bytes_per_block(self) -> u64 {
        64 * Shape::of(self.access).traffic_lines() as u64
    }

    /// Floating-point operations of one block.
    pub fn flop_per_block(self) -> u64 {
        8 * u64::from(self.steps)
    }

    /// Minimum number of elements for this kernel: one block.
    pub const fn least_len(self) -> usize {
        Shape::of(self.access).block_len()
    }

    /// The same kernel with a fixed access variant, whatever the argument of [`Self::prepare`].
    #[must_use]
    pub const fn with(self, variant: Variant) -> Self {
        Self { variant: Some(variant), ..self }
    }

    /// The access variant that was chosen for it.
    pub const fn variant(self) -> Option<Variant> {
        self.variant
    }

    /// Chooses the code: for an instruction set, the default access variant, unless it has a fixed one.
    ///
    /// # Errors
    /// [`KernelError::Unavailable`] if this processor lacks the instruction set; [`KernelError::Variant`] if this access has no such
    /// variant.
    pub fn prepare(self, isa: Isa) -> Result<PreparedKernel, KernelError> {
        PreparedKernel::new(self, self.variant.unwrap_or_else(|| Variant::usual(self.access, isa)))
    }
}

/// An access variant of a kernel: it changes only the speed, not the computation.
///
/// The fastest one differs from host to host, even between hosts with the same processor: `calibrate` tries them and stores the choice in
/// the machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The instruction set, which defines the width of vectors.
    pub isa: Isa,
    /// Number of places of each array at which it works at once: 1, 2 or 4 with `read`, 1 or 2 with `copy` and `update`, 1 with `triad`.
    pub streams: u32,
    /// Prefetch distances of each line in bytes, far and near. There are two prefetches because a processor drops them when it is short of
    /// buffers, and a load that then waits for memory also delays the prefetches after it. 0: no prefetch.
    pub prefetch_bytes: [u32; 2],
    /// How it writes.
    pub stores: Stores,
}

impl Variant {
    /// The default variant, used without tuning.
    ///
    /// Measured on one machine (Intel, AVX-512, one thread), each variant as GB/s at 1/32 FLOP/byte and as the smallest fraction of the
    /// roofline from 1/64 to 4 FLOP/byte: prefetches 6 and 3 KiB ahead 22.4 and 0.99, 5 and 2.5 KiB 21.8 and 1.00, 6 and 2 KiB 20.7 and
    /// 0.99; first into the second-level cache at 3 KiB, then into the first at 1 KiB 24.0 and 0.86. This kernel must follow the roofline,
    /// so the second-level cache is not used.
    pub const fn usual(access: Access, isa: Isa) -> Self {
        // At most 4.
        #[allow(clippy::cast_possible_truncation)]
        let streams = Shape::streams_per_array(access) as u32;
        Self { isa, streams, prefetch_bytes: [6144, 3072], stores: Stores::Streaming }
    }

    /// All variants that are worth trying for an access on this processor, the default one first.
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

    /// The variant from a machine file.
    ///
    /// # Errors
    /// [`KernelError::Variant`] if this access has no such variant.
    pub fn of_file(access: Access, said: &KernelVariant) -> Result<Self, KernelError> {
        let isa = said.isa.parse().map_err(|_| KernelError::Variant { access, what: said.isa.clone() })?;
        let stores = if said.streaming_stores { Stores::Streaming } else { Stores::Cached };
        let variant = Self { isa, streams: said.streams, prefetch_bytes: said.prefetch_bytes, stores };
        variant.fits(access)?;
        Ok(variant)
    }

    /// The variant from a machine file for an access, if it has the requested instruction set, and this processor supports that.
    ///
    /// # Errors
    /// [`KernelError::Variant`] if this access has no such variant.
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

    /// The form for a machine file.
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
    fn fits(self, access: Access) -> Result<(), KernelError> {
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

/// For kernels that threads run together, with the vectors of the variant.
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
