//! What the threads of an application compute: a synthetic kernel or a real one.

use numasim_kernels::blackscholes::BlackScholes;
use numasim_kernels::chase::Chase;
use numasim_kernels::kernel::Problem;
use numasim_kernels::matrix::{Dmv, Spmv};
use numasim_kernels::memcpy::Memcpy;
use numasim_model::units::FlopPerByte;

use super::{Kernel, Synthetic};

/// What the threads of an application compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Workload {
    /// A synthetic kernel, on as much data for each thread as the run has chosen.
    Synthetic(Kernel),
    /// A real one, with a size of its own.
    Real(Real),
}

/// A real kernel with its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// Options priced.
    BlackScholes(BlackScholes),
    /// Dense matrix times vector.
    Dmv(Dmv),
    /// Sparse matrix times vector.
    Spmv(Spmv),
    /// Memory copied.
    Memcpy(Memcpy),
    /// Chains of addresses followed.
    Chase(Chase),
}

impl Real {
    /// The problem.
    pub fn problem(self) -> Box<dyn Problem> {
        match self {
            Self::BlackScholes(problem) => Box::new(problem),
            Self::Dmv(problem) => Box::new(problem),
            Self::Spmv(problem) => Box::new(problem),
            Self::Memcpy(problem) => Box::new(problem),
            Self::Chase(problem) => Box::new(problem),
        }
    }
}

impl From<Kernel> for Workload {
    fn from(kernel: Kernel) -> Self {
        Self::Synthetic(kernel)
    }
}

impl From<Real> for Workload {
    fn from(real: Real) -> Self {
        Self::Real(real)
    }
}

impl Workload {
    /// The word that stands for it in files and results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Synthetic(kernel) => kernel.access().as_str(),
            Self::Real(real) => real.problem().name(),
        }
    }

    /// FLOP per byte, as it counts them itself; 0 of one that computes nothing.
    pub fn arithmetic_intensity(&self) -> FlopPerByte {
        match self {
            Self::Synthetic(kernel) => kernel.arithmetic_intensity(),
            Self::Real(real) => {
                let work = real.problem().work();
                FlopPerByte::new(if work.bytes == 0 { 0.0 } else { work.flop as f64 / work.bytes as f64 })
            }
        }
    }

    /// The synthetic kernel, if it is one.
    pub const fn synthetic(&self) -> Option<Kernel> {
        match self {
            Self::Synthetic(kernel) => Some(*kernel),
            Self::Real(_) => None,
        }
    }

    /// As a problem, with so much data for each thread of a synthetic kernel.
    pub fn problem(&self, bytes_per_thread: usize) -> Box<dyn Problem> {
        match *self {
            Self::Synthetic(kernel) => Box::new(Synthetic { kernel, bytes: bytes_per_thread }),
            Self::Real(real) => real.problem(),
        }
    }
}
