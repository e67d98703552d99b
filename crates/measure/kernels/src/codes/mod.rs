//! Programs: which kernel each task runs on which of its blocks, a file each.

mod cholesky;
mod gauss_seidel;
mod jacobi;
mod plain;
mod qr;
mod stencil2d;

use numasim_graph::values::{BlockId, Generator, TaskGraph, TaskId};

use crate::part::{Fault, Part};
use crate::store::Store;
use crate::work::Workspace;

/// Whether a result is right, looked at without the kernels' own way of making it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What was computed of the result.
    pub what: &'static str,
    /// How much it is.
    pub value: f64,
    /// How much it may be.
    pub limit: f64,
}

impl Verdict {
    /// Whether it is as little as it should be.
    pub fn is_right(&self) -> bool {
        // Of no number nothing is right.
        self.value <= self.limit
    }
}

/// A program.
pub trait Code: Send + Sync {
    /// What a block holds at the beginning. Made by the thread that calls this, page by page.
    fn fresh(&self, block: BlockId) -> Vec<f64>;

    /// Runs a task on its blocks, in the order of its accesses.
    ///
    /// # Errors
    /// [`Fault::Accesses`], [`Fault::NotPositive`].
    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        work: &mut Workspace,
    ) -> Result<(), Fault>;

    /// Floating-point operations that a task really executes (`count`).
    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64;

    /// Whether the result is right when all tasks have run. Takes about as long as a serial run.
    fn check(&self, store: &Store) -> Verdict;
}

/// There is no code for the tasks of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tasks of generator {0} have no kernels: those of {names} have", names = NAMES.join(", "))]
pub struct NoKernels(pub &'static str);

/// The generators whose tasks have kernels.
const NAMES: [&str; 6] = ["cholesky", "qr", "gauss-seidel", "red-black", "jacobi", "stencil2d"];

/// The code for the tasks of the graph that `generator` makes.
///
/// # Errors
/// [`NoKernels`].
pub fn code(generator: &Generator) -> Result<Box<dyn Code>, NoKernels> {
    Ok(match *generator {
        Generator::Cholesky { n, tile, .. } => Box::new(cholesky::Cholesky::new(n, tile)),
        Generator::Qr { n, tile, .. } => Box::new(qr::Qr::new(n, tile)),
        Generator::GaussSeidel { grid, tile, iterations, .. } => {
            Box::new(gauss_seidel::GaussSeidel::new((grid, tile, iterations), gauss_seidel::Order::Rows))
        }
        Generator::RedBlack { grid, tile, iterations, .. } => {
            Box::new(gauss_seidel::GaussSeidel::new((grid, tile, iterations), gauss_seidel::Order::RedFirst))
        }
        Generator::Jacobi { blocks, rows, columns, iterations, .. } => {
            Box::new(jacobi::Jacobi::new(blocks, (rows, columns), iterations))
        }
        Generator::Stencil2d { n, rows, columns, iterations } => {
            Box::new(stencil2d::Stencil2d::new(n, (rows, columns), iterations))
        }
        ref other => return Err(NoKernels(other.as_str())),
    })
}

/// Sizes of what fits into memory.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The square root of a sum of squares over another one.
fn relative(difference: f64, whole: f64) -> f64 {
    if whole > 0.0 { (difference / whole).sqrt() } else { difference.sqrt() }
}

/// What a factorisation of an n x n matrix may be off by, relative to the matrix: n times the spacing of numbers near 1, which is what
/// rounding adds up to at most in practice (LAPACK's own tests allow thirty times as much).
fn rounding(n: usize) -> f64 {
    n as f64 * f64::EPSILON
}
