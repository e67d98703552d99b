//! What a thread of the benchmark computes: a [`Kernel`] with a chosen arithmetic intensity and way of using memory.
//!
//! A kernel is data first: how many floating-point operations go with how many bytes. [`Kernel::prepare`] chooses its code
//! for an instruction set, and the [`PreparedKernel`] works on the memory of one thread:
//!
//! ```
//! use numasim_bench::kernel::{Isa, Kernel};
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
//! The work is done in *blocks* of a few cache lines from several sequential streams; see `shape` for what a block is,
//! and `body` for what is done with it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod body;
mod check;
mod cursor;
mod portable;
mod prepared;
mod shape;
mod synthetic;
#[cfg(test)]
mod tests;
mod variant;
mod workload;

pub use check::WrongResult;
pub use cursor::Cursor;
pub use numasim_kernels::isa::{Isa, UnknownIsa};
pub use numasim_kernels::kernel::Work;
pub use numasim_kernels::way::Stores;
pub use prepared::PreparedKernel;
pub use synthetic::Synthetic;
pub use variant::Variant;
pub use workload::{NotRunnable, Real, Workload};

use numasim_kernels::isa;
use numasim_model::Access;
use numasim_model::units::FlopPerByte;

use shape::Shape;

/// Least arithmetic intensity of a kernel, in FLOP/byte; `triad` and `update` begin higher.
pub const LEAST_INTENSITY: FlopPerByte = FlopPerByte::new(1.0 / 64.0);
/// Greatest arithmetic intensity of a kernel, in FLOP/byte.
pub const GREATEST_INTENSITY: FlopPerByte = FlopPerByte::new(64.0);
/// A kernel whose intensity differs by more than this share from what was asked is worth a warning.
pub const TOLERANCE: f64 = 0.01;

/// A kernel as data: what it does with each block of cache lines, before an instruction set is chosen.
///
/// A block of `read`, `copy` and `update` moves 8 cache lines (512 bytes), one of `triad` 12 (768 bytes). The operations of
/// a block are whole vector operations, one addition or one fused multiply-add for each element of a line, so the
/// intensity is a multiple of 1/64 FLOP/byte (`triad`: 1/96), the same in every block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    access: Access,
    /// FLOP per block and element of a line: an addition is 1, a multiply-add 2.
    steps: u32,
    /// Its way through memory, if one was chosen for it.
    variant: Option<Variant>,
}

/// Why there is no such kernel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KernelError {
    /// The arithmetic intensity is out of range.
    #[error(
        "no kernel with {} FLOP/byte for access \"{}\": from {} to {} FLOP/byte are possible{}",
        .asked.value(), .access.as_str(), ratio(*.least), ratio(GREATEST_INTENSITY), natural(*.access)
    )]
    Intensity {
        /// What was asked for.
        asked: FlopPerByte,
        /// The use of memory it was asked with.
        access: Access,
        /// The least that is possible with it.
        least: FlopPerByte,
    },
    /// No kernel of this access goes through memory in this way.
    #[error("no kernel for access \"{}\" has {what}", .access.as_str())]
    Variant {
        /// How it uses memory.
        access: Access,
        /// What it lacks.
        what: String,
    },
    /// A real kernel that threads cannot run.
    #[error(transparent)]
    NotRunnable(#[from] NotRunnable),
    /// The processor lacks the instruction set.
    #[error("this processor does not support {isa}; it has {}", isa::names(&Isa::available()))]
    Unavailable {
        /// What was asked for.
        isa: Isa,
    },
}

/// A small intensity as people write it: `1/64`.
fn ratio(intensity: FlopPerByte) -> String {
    let value = intensity.value();
    if value < 1.0 { format!("1/{:.0}", 1.0 / value) } else { format!("{value}") }
}

/// Why a kernel begins where it does.
fn natural(access: Access) -> &'static str {
    match access {
        Access::Read | Access::Copy => "",
        Access::Triad => " (a[i] = b[i] + s * c[i] alone is 2 FLOP per 24 bytes)",
        Access::Update => " (a[i] = s * a[i] alone is 1 FLOP per 16 bytes)",
    }
}

impl Kernel {
    /// The kernel with the nearest intensity that is possible; [`Self::deviation`] says how near.
    ///
    /// `triad` and `update` compute something by nature, 1/12 and 1/16 FLOP/byte; more intensity is more operations on the
    /// same lines. `copy` computes nothing by nature, and does as many operations on the lines that it reads as asked: at
    /// least 1/64 FLOP/byte, as applications without any floating-point operation do not exist in the model.
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

    /// The kernel that shows the peak of floating-point operations: with data that fits the first-level cache, nothing
    /// but its multiply-adds takes time.
    pub const fn peak() -> Self {
        // 64 FLOP/byte x 512 bytes / 8 elements of a line.
        Self { access: Access::Read, steps: 4096, variant: None }
    }

    /// The kernel of this use of memory that computes least: what shows the bandwidth of a memory under it.
    pub fn lightest(access: Access) -> Self {
        Self { access, steps: Shape::of(access).natural_steps.max(1), variant: None }
    }

    /// How it uses memory.
    pub const fn access(self) -> Access {
        self.access
    }

    /// The arithmetic intensity it really has.
    pub fn arithmetic_intensity(self) -> FlopPerByte {
        FlopPerByte::new(self.flop_per_block() as f64 / self.bytes_per_block() as f64)
    }

    /// How much its intensity is above (below: negative) the `asked` one, as a share of that: 0.02 is 2 %.
    ///
    /// More than [`TOLERANCE`] is worth a warning: such a kernel stands for a different application.
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

    /// Fewest elements that it can work on: one block.
    pub const fn least_len(self) -> usize {
        Shape::of(self.access).block_len()
    }

    /// The same kernel with a way through memory of its own, whatever [`Self::prepare`] is asked for.
    #[must_use]
    pub const fn with(self, variant: Variant) -> Self {
        Self { variant: Some(variant), ..self }
    }

    /// The way through memory that was chosen for it.
    pub const fn variant(self) -> Option<Variant> {
        self.variant
    }

    /// Chooses the code: for an instruction set, the usual way through memory, unless it has one of its own.
    ///
    /// # Errors
    /// [`KernelError::Unavailable`] if this processor lacks the instruction set; [`KernelError::Variant`] if this access has no such way.
    pub fn prepare(self, isa: Isa) -> Result<PreparedKernel, KernelError> {
        PreparedKernel::new(self, self.variant.unwrap_or_else(|| Variant::usual(self.access, isa)))
    }
}
