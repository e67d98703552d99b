//! Real kernels and the sizes of their problems: what `kernel = "dmv"` and the table `[app.problem]` of an application say.
//!
//! Values without any behaviour but arithmetic: how many floating-point operations a problem takes, and how many bytes it moves. The crate `kernels` runs
//! them, and its counts are the same (a test there).
//!
//! Bytes are counted by the rule of [`Access`]: a line that is written counts once, whether or not a processor reads it before (write-allocate). Additions,
//! multiplications, divisions, square roots, exponentials and logarithms are one FLOP each, whatever they cost a processor.

mod blackscholes;
mod chase;
mod grid;
mod matrix;
mod memcpy;
mod sizes;
mod word;

pub use blackscholes::BlackScholes;
pub use chase::Chase;
pub use grid::MOST_SIDE;
pub use grid::{Seismic, Stencil2d};
pub use matrix::{CALLS, Cells, Dmv, Elements, Partition, Spmv, Storage};
pub use memcpy::{Faults, How, Memcpy, Source};
pub use word::KernelName;

use crate::access::Access;
use crate::units::FlopPerByte;

/// What models take for the intensity of a kernel that computes nothing ([`Memcpy`], [`Chase`]), FLOP/byte.
///
/// Models know how much memory traffic a core wants by what it computes: gflops / intensity. A kernel that only moves data wants all that there is, and with
/// this little a core of 1 GFLOPS wants 10^6 GB/s. Its GFLOPS then are its GB/s / 10^6 and mean nothing else.
pub const NEXT_TO_NOTHING: FlopPerByte = FlopPerByte::new(1e-6);

/// The most that a given intensity may differ from what a kernel counts, as a share of that.
pub const TOLERANCE: f64 = 0.05;

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes moved to or from memory.
    pub bytes: u64,
    /// Floating-point operations.
    pub flop: u64,
}

/// Whose work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All threads have it together: each does its part.
    AllThreads,
    /// Each thread does as much.
    EachThread,
}

/// A real kernel with a problem of a certain size, in a certain variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelProblem {
    /// Prices of options.
    BlackScholes(BlackScholes),
    /// Dense matrix times vector.
    Dmv(Dmv),
    /// Sparse matrix times vector.
    Spmv(Spmv),
    /// Copying memory.
    Memcpy(Memcpy),
    /// A stencil of five points.
    Stencil2d(Stencil2d),
    /// Waves in an elastic medium.
    Seismic(Seismic),
    /// Chains of addresses.
    Chase(Chase),
}

impl KernelProblem {
    /// The problem of a kernel in the size of the paper, and in its first variant.
    pub fn of(kernel: KernelName) -> Self {
        match kernel {
            KernelName::BlackScholes => Self::BlackScholes(BlackScholes::default()),
            KernelName::Dmv => Self::Dmv(Dmv::default()),
            KernelName::Spmv => Self::Spmv(Spmv::default()),
            KernelName::Memcpy => Self::Memcpy(Memcpy::default()),
            KernelName::Stencil2d => Self::Stencil2d(Stencil2d::default()),
            KernelName::Seismic => Self::Seismic(Seismic::default()),
            KernelName::Chase => Self::Chase(Chase::default()),
        }
    }

    /// Its kernel.
    pub const fn kernel(&self) -> KernelName {
        match self {
            Self::BlackScholes(_) => KernelName::BlackScholes,
            Self::Dmv(_) => KernelName::Dmv,
            Self::Spmv(_) => KernelName::Spmv,
            Self::Memcpy(_) => KernelName::Memcpy,
            Self::Stencil2d(_) => KernelName::Stencil2d,
            Self::Seismic(_) => KernelName::Seismic,
            Self::Chase(_) => KernelName::Chase,
        }
    }

    /// How it uses memory, as far as machines have figures of that. Kernels that read far more than they write count as reading: of 28 bytes of an option 24
    /// are read, of a matrix times a vector nearly all. `memcpy` and `stencil2d` read as much as they write, elsewhere: [`Access::Copy`]. `seismic` changes most
    /// of what it reads in place: [`Access::Update`].
    pub const fn access(&self) -> Access {
        match self {
            Self::BlackScholes(_) | Self::Dmv(_) | Self::Spmv(_) | Self::Chase(_) => Access::Read,
            Self::Memcpy(_) | Self::Stencil2d(_) => Access::Copy,
            Self::Seismic(_) => Access::Update,
        }
    }

    /// Whose work [`Self::step`] is.
    pub const fn whose(&self) -> Whose {
        match self {
            Self::Memcpy(_) | Self::Chase(_) => Whose::EachThread,
            _ => Whose::AllThreads,
        }
    }

    /// The work of one step: a run over all options, a product of matrix and vector, a copy, an iteration, [`Chase::HOPS`] hops of each chain.
    pub fn step(&self) -> Work {
        match self {
            Self::BlackScholes(problem) => problem.step(),
            Self::Dmv(problem) => problem.step(),
            Self::Spmv(problem) => problem.step(),
            Self::Memcpy(problem) => problem.step(),
            Self::Stencil2d(problem) => problem.step(),
            Self::Seismic(problem) => problem.step(),
            Self::Chase(problem) => problem.step(),
        }
    }

    /// How many steps the whole problem takes.
    pub fn steps(&self) -> u64 {
        match self {
            Self::BlackScholes(problem) => problem.runs,
            Self::Dmv(problem) => problem.iterations.saturating_mul(CALLS),
            Self::Spmv(problem) => problem.iterations.saturating_mul(CALLS),
            Self::Memcpy(problem) => problem.copies,
            Self::Stencil2d(problem) => problem.iterations,
            Self::Seismic(problem) => problem.iterations,
            Self::Chase(problem) => problem.hops.div_ceil(Chase::HOPS),
        }
    }

    /// Floating-point operations of the whole problem, of all threads or of each ([`Self::whose`]).
    pub fn flop(&self) -> u128 {
        u128::from(self.step().flop) * u128::from(self.steps())
    }

    /// Bytes that the whole problem moves to or from memory, of all threads or of each ([`Self::whose`]): where they do not fit the caches.
    pub fn bytes(&self) -> u128 {
        u128::from(self.step().bytes) * u128::from(self.steps())
    }

    /// Floating-point operations for each byte that is moved; 0 of kernels that compute nothing.
    pub fn arithmetic_intensity(&self) -> FlopPerByte {
        let Work { bytes, flop } = self.step();
        // What moves nothing has no intensity.
        FlopPerByte::new(if bytes == 0 { 0.0 } else { flop as f64 / bytes as f64 })
    }

    /// What models take for it: [`Self::arithmetic_intensity`], or [`NEXT_TO_NOTHING`].
    pub fn modelled_intensity(&self) -> FlopPerByte {
        let own = self.arithmetic_intensity();
        if own.value() > 0.0 { own } else { NEXT_TO_NOTHING }
    }

    /// Whether `given` is what the kernel counts, but for [`TOLERANCE`] of it.
    pub fn has_intensity(&self, given: FlopPerByte) -> bool {
        let own = self.modelled_intensity().value();
        (given.value() - own).abs() <= TOLERANCE * own
    }

    /// Bytes of memory that the problem takes for so many threads on so many nodes.
    pub fn data_bytes(&self, threads: u64, nodes: u64) -> u64 {
        match self {
            Self::BlackScholes(problem) => problem.data_bytes(),
            Self::Dmv(problem) => problem.data_bytes(),
            Self::Spmv(problem) => problem.data_bytes(),
            Self::Memcpy(problem) => problem.data_bytes(threads, nodes),
            Self::Stencil2d(problem) => problem.data_bytes(),
            Self::Seismic(problem) => problem.data_bytes(),
            Self::Chase(problem) => problem.data_bytes(threads),
        }
    }
}

/// The product, or the largest number where it is larger.
fn times(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

/// The sum, or the largest number where it is larger.
fn sum(terms: &[u64]) -> u64 {
    terms.iter().fold(0, |sum: u64, &term| sum.saturating_add(term))
}

#[cfg(test)]
mod tests;
