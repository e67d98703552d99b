//! Programs: the kernel of each task and its blocks, for programs on grids and those that factorise matrices.

mod factors;
mod grids;

use numasim_graph::values::{BlockId, Generator, TaskGraph, TaskId};

use crate::product::Workspace;
use crate::stencil::{average, mean};
use crate::store::{Fault, Part, Store};

/// The correctness of a result, checked by a method independent of the kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The quantity that was computed from the result.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// Its limit.
    pub limit: f64,
}

impl Verdict {
    /// Whether the value is within the limit.
    pub fn is_right(&self) -> bool {
        // NaN is never right.
        self.value <= self.limit
    }
}

/// A program.
pub trait Code: Send + Sync {
    /// The initial contents of a block. Written by the calling thread, page by page.
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

    /// Checks the result when all tasks have run. Takes about as long as a serial run.
    fn check(&self, store: &Store) -> Verdict;
}

impl Store {
    /// Runs a task.
    ///
    /// # Errors
    /// [`Fault`]: another task uses the blocks that it accesses, or the kernel cannot continue.
    pub fn run(
        &self,
        graph: &TaskGraph,
        code: &dyn Code,
        task: TaskId,
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        self.with(graph, task, |block| code.fresh(block), |parts| code.run(graph, task, parts, work))
    }
}

/// There is no code for the tasks of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tasks of generator {0} have no kernels: those of {names} have", names = NAMES.join(", "))]
pub struct NoKernels(pub &'static str);

/// The generators whose tasks have kernels.
const NAMES: [&str; 6] = ["cholesky", "qr", "gauss-seidel", "red-black", "jacobi", "stencil2d"];

/// The code for the tasks of the graph from `generator`.
///
/// # Errors
/// [`NoKernels`].
pub fn code(generator: &Generator) -> Result<Box<dyn Code>, NoKernels> {
    Ok(match *generator {
        Generator::Cholesky { n, tile, .. } => Box::new(factors::Cholesky::new(n, tile)),
        Generator::Qr { n, tile, .. } => Box::new(factors::Qr::new(n, tile)),
        Generator::GaussSeidel { grid, tile, iterations, .. } => {
            Box::new(grids::GaussSeidel::new((grid, tile, iterations), grids::Order::Rows))
        }
        Generator::RedBlack { grid, tile, iterations, .. } => {
            Box::new(grids::GaussSeidel::new((grid, tile, iterations), grids::Order::RedFirst))
        }
        Generator::Jacobi { blocks, rows, columns, iterations, .. } => {
            Box::new(grids::Jacobi::new(blocks, (rows, columns), iterations))
        }
        Generator::Stencil2d { n, rows, columns, iterations } => {
            Box::new(grids::Stencil2d::new(n, (rows, columns), iterations))
        }
        ref other => return Err(NoKernels(other.as_str())),
    })
}

/// Sizes of data that fits into memory.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The square root of a sum of squares over another one.
fn relative(difference: f64, whole: f64) -> f64 {
    if whole > 0.0 { (difference / whole).sqrt() } else { difference.sqrt() }
}

/// Allowed error of the factorisation of an n x n matrix, relative to the matrix: n times the spacing of numbers near 1, the practical
/// maximum of accumulated rounding (LAPACK's own tests allow thirty times as much).
fn rounding(n: usize) -> f64 {
    n as f64 * f64::EPSILON
}

/// A grid with a border around it.
#[derive(Clone, Debug)]
struct Plain {
    width: usize,
    height: usize,
    points: Vec<f64>,
}

impl Plain {
    /// `number` returns the value at a row and column; the border, at -1 and behind the end, is 0 unless `border` overrides it.
    fn new(
        (height, width): (usize, usize),
        number: impl Fn(usize, usize) -> f64,
        border: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let mut points = Vec::with_capacity((height + 2) * (width + 2));
        for row in 0..height + 2 {
            for column in 0..width + 2 {
                let is_inside = (1..=height).contains(&row) && (1..=width).contains(&column);
                points.push(if is_inside { number(row - 1, column - 1) } else { border(row, column) });
            }
        }
        Self { width, height, points }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.points.get(row * (self.width + 2) + column).copied().unwrap_or(f64::NAN)
    }

    /// The rows of a part of the grid.
    fn rows(
        &self,
        (row, height): (usize, usize),
        (column, width): (usize, usize),
    ) -> impl Iterator<Item = &[f64]> {
        (row + 1..=row + height).map(move |row| {
            let from = row * (self.width + 2) + column + 1;
            self.points.get(from..from + width).unwrap_or_default()
        })
    }

    /// Computes everything once more from the old values.
    fn jacobi(&mut self) {
        let old = self.clone();
        for row in 1..=self.height {
            for column in 1..=self.width {
                let around = [
                    old.at(row - 1, column),
                    old.at(row + 1, column),
                    old.at(row, column - 1),
                    old.at(row, column + 1),
                ];
                self.points[row * (self.width + 2) + column] = average(old.at(row, column), around);
            }
        }
    }

    /// A part of the grid, row by row, from the current values.
    fn gauss_seidel(&mut self, (row, height): (usize, usize), (column, width): (usize, usize)) {
        for row in row + 1..=row + height {
            for column in column + 1..=column + width {
                let around = [
                    self.at(row - 1, column),
                    self.at(row, column - 1),
                    self.at(row + 1, column),
                    self.at(row, column + 1),
                ];
                self.points[row * (self.width + 2) + column] = mean(around);
            }
        }
    }
}

/// The number of points of a tile that differ in any bit from the correct rows.
fn differing<'r>(width: usize, tile: &[f64], rows: impl Iterator<Item = &'r [f64]>) -> f64 {
    let mut tile = tile.chunks(width.max(1));
    let differing = |row: &[f64]| -> usize {
        let own = tile.next().unwrap_or_default();
        let equal = row.iter().zip(own).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        row.len() - equal
    };
    rows.map(differing).sum::<usize>() as f64
}

/// The text that people read next to that number.
const WHAT: &str = "points that differ from a plain serial code";
