//! The work of an application's threads: a synthetic kernel, or a real one on a problem of a certain size.

use crate::blackscholes::BlackScholes;
use crate::chase::Chase;
use crate::grid::{Seismic, Stencil2d};
use crate::kernel::{NotRunnable, Problem};
use crate::loops::{Isa, Loops, Way};
use crate::matrix::{Dmv, Lattice, Spmv};
use crate::memcpy::Memcpy;
use numasim_model::Access;
use numasim_model::problem::{self, Cells, KernelProblem, NEXT_TO_NOTHING};
use numasim_model::units::FlopPerByte;
use serde::{Deserialize, Serialize};

use crate::synthetic::{Kernel, Synthetic};

/// The work of an application's threads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Workload {
    /// A synthetic kernel, with the data size per thread of the run.
    Synthetic(Kernel),
    /// A real one, with its own size, and the access variant that was chosen on this host for kernels like it.
    Real(Real, Option<Way>),
}

/// A real kernel with its problem, as threads run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Real {
    /// Options priced.
    BlackScholes(BlackScholes),
    /// Dense matrix times vector.
    Dmv(Dmv),
    /// Sparse matrix times vector.
    Spmv(Spmv),
    /// Memory copied.
    Memcpy(Memcpy),
    /// A stencil of five points.
    Stencil2d(Stencil2d),
    /// Waves in an elastic medium.
    Seismic(Seismic),
    /// Chains of addresses followed.
    Chase(Chase),
}

/// A size; one that exceeds the memory of any machine is rejected when memory is requested.
fn size(of: u64) -> usize {
    usize::try_from(of).unwrap_or(usize::MAX)
}

impl Real {
    /// The kernel of a problem: its steps are repeated until the window is over.
    ///
    /// # Errors
    /// [`NotRunnable`].
    pub fn new(of: &KernelProblem) -> Result<Self, NotRunnable> {
        Ok(match *of {
            KernelProblem::BlackScholes(of) => Self::BlackScholes(BlackScholes { options: size(of.options) }),
            KernelProblem::Dmv(of) => Self::Dmv(Dmv { rows: size(of.rows) }),
            KernelProblem::Spmv(of) => Self::Spmv(spmv(&of)),
            KernelProblem::Memcpy(of) => Self::Memcpy(copy(&of)?),
            KernelProblem::Chase(of) => {
                Self::Chase(Chase { lines: size(of.lines()), chains: size(of.chains) })
            }
            KernelProblem::Stencil2d(of) => {
                Self::Stencil2d(Stencil2d { rows: size(of.rows), columns: size(of.columns) })
            }
            KernelProblem::Seismic(of) => {
                Self::Seismic(Seismic { rows: size(of.rows), columns: size(of.columns) })
            }
        })
    }

    /// The synthetic kernel with the same use of memory. Its width of vectors does not apply: it was chosen with hardly any computation.
    pub const fn access(self) -> Option<Access> {
        match self {
            Self::BlackScholes(_) | Self::Dmv(_) | Self::Spmv(_) => Some(Access::Read),
            Self::Memcpy(_) => Some(Access::Copy),
            // Stencils have separate loops, which do not prefetch.
            Self::Stencil2d(_) | Self::Seismic(_) | Self::Chase(_) => None,
        }
    }

    /// The problem.
    pub fn problem(self) -> Box<dyn Problem> {
        match self {
            Self::BlackScholes(problem) => Box::new(problem),
            Self::Dmv(problem) => Box::new(problem),
            Self::Spmv(problem) => Box::new(problem),
            Self::Memcpy(problem) => Box::new(problem),
            Self::Stencil2d(problem) => Box::new(problem),
            Self::Seismic(problem) => Box::new(problem),
            Self::Chase(problem) => Box::new(problem),
        }
    }
}

fn spmv(of: &problem::Spmv) -> Spmv {
    let Cells(cells) = of.cells;
    Spmv {
        lattice: Lattice { cells: cells.map(size) },
        elements: of.elements,
        partition: of.partition,
        storage: of.storage,
    }
}

fn copy(of: &problem::Memcpy) -> Result<Memcpy, NotRunnable> {
    let problem::Memcpy { copies, source, faults, how, .. } = *of;
    if faults == problem::Faults::Inside && copies > 1 {
        return Err(NotRunnable::Copies { copies });
    }
    Ok(Memcpy { words: size(of.words()), source, faults, how })
}

impl From<Kernel> for Workload {
    fn from(kernel: Kernel) -> Self {
        Self::Synthetic(kernel)
    }
}

impl From<Real> for Workload {
    fn from(real: Real) -> Self {
        Self::Real(real, None)
    }
}

impl Workload {
    /// Its name in files and results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Synthetic(kernel) => kernel.access().as_str(),
            Self::Real(real, _) => real.problem().name(),
        }
    }

    /// FLOP per byte, as it counts them itself. For one without computation it is the value that models use, [`NEXT_TO_NOTHING`].
    pub fn arithmetic_intensity(&self) -> FlopPerByte {
        match self {
            Self::Synthetic(kernel) => kernel.arithmetic_intensity(),
            Self::Real(real, _) => {
                let work = real.problem().work();
                if work.flop == 0 || work.bytes == 0 {
                    NEXT_TO_NOTHING
                } else {
                    FlopPerByte::new(work.flop as f64 / work.bytes as f64)
                }
            }
        }
    }

    /// The FLOP for `flop` counted ones and `bytes` moved. A kernel without computation has the number from its intensity, so that its
    /// measured GFLOPS have the same meaning as its predicted ones.
    pub fn flop(&self, flop: u64, bytes: u64) -> f64 {
        if flop == 0 { self.arithmetic_intensity().value() * bytes as f64 } else { flop as f64 }
    }

    /// The synthetic kernel, if it is one.
    pub const fn synthetic(&self) -> Option<Kernel> {
        match self {
            Self::Synthetic(kernel) => Some(*kernel),
            Self::Real(..) => None,
        }
    }

    /// The synthetic kernel with the same use of memory, if there is one.
    pub const fn access(&self) -> Option<Access> {
        match self {
            Self::Synthetic(kernel) => Some(kernel.access()),
            Self::Real(real, _) => real.access(),
        }
    }

    /// The settings for the loops of a real kernel; a synthetic one includes its variant.
    pub const fn loops(&self, isa: Isa) -> Loops {
        match self {
            Self::Synthetic(_) => Loops { isa, way: None },
            Self::Real(_, way) => Loops { isa, way: *way },
        }
    }

    /// As a problem, with this data size for each thread of a synthetic kernel.
    pub fn problem(&self, bytes_per_thread: usize) -> Box<dyn Problem> {
        match *self {
            Self::Synthetic(kernel) => Box::new(Synthetic { kernel, bytes: bytes_per_thread }),
            Self::Real(real, _) => real.problem(),
        }
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::problem::KernelName;

    use super::*;

    #[test]
    fn workloads_and_model_count_the_same() {
        let real = problem::Spmv { elements: problem::Elements::Real, ..problem::Spmv::default() };
        for of in KernelName::ALL.map(KernelProblem::of).into_iter().chain([KernelProblem::Spmv(real)]) {
            let workload = Workload::from(Real::new(&of).expect("runs"));
            let (name, intensity) = (of.kernel().as_str(), of.modelled_intensity());
            assert_eq!((workload.name(), workload.arithmetic_intensity()), (name, intensity));
        }
    }

    #[test]
    fn impossible_copies_are_rejected() {
        let copy = problem::Memcpy { faults: problem::Faults::Inside, ..problem::Memcpy::default() };
        assert!(Real::new(&KernelProblem::Memcpy(copy)).is_ok());
        let again = Real::new(&KernelProblem::Memcpy(problem::Memcpy { copies: 2, ..copy }));
        assert_eq!(again, Err(NotRunnable::Copies { copies: 2 }));
    }

    #[test]
    fn a_kernel_without_flop_has_gflops_from_its_bandwidth() {
        let copy = Workload::from(Real::new(&KernelProblem::of(KernelName::Memcpy)).expect("runs"));
        // 10^9 bytes count as 1000 FLOP.
        assert!((copy.flop(0, 1_000_000_000) - 1000.0).abs() < 1e-9);
        let reading = Workload::from(Kernel::lightest(numasim_model::Access::Read));
        assert_eq!(reading.flop(7, 100), 7.0);
    }
}
