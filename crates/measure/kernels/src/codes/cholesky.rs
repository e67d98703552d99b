//! Tiled Cholesky. The matrix has numbers in [-1, 1) and its order on the diagonal, so that it is positive definite (Gershgorin).

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use super::{Code, Verdict, index, relative, rounding};
use crate::part::{Fault, Part};
use crate::product::{Matrix, Panels, Size};
use crate::store::Store;
use crate::work::Workspace;
use crate::{cholesky, count, fill};

/// The lower tiles, numbered 00, 10, 11, 20 ...
pub(super) struct Cholesky {
    n: usize,
    tile: usize,
}

impl Cholesky {
    pub(super) fn new(n: u64, tile: u64) -> Self {
        Self { n: index(n), tile: index(tile) }
    }

    fn element(&self, row: usize, column: usize) -> f64 {
        let order = if row == column { (self.n * self.tile) as f64 } else { 0.0 };
        order + fill::number(row.max(column), row.min(column))
    }

    fn tile(&self, row: usize, column: usize) -> Vec<f64> {
        let mut tile = vec![0.0; self.tile * self.tile];
        let corner = (row * self.tile, column * self.tile);
        fill::rows(&mut tile, self.tile, corner, |row, column| self.element(row, column));
        tile
    }

    /// Sums of squares of A - L L^T and of A, in one tile of the lower triangle.
    fn difference(&self, (i, j): (usize, usize), store: &Store, panels: &mut Panels) -> (f64, f64) {
        let t = self.tile;
        let mut rest = self.tile(i, j);
        let squares = |tile: &[f64]| -> f64 {
            let elements = tile.iter().enumerate();
            let counted = elements.filter(|(place, _)| i > j || place % t <= place / t);
            // What is below the diagonal is above it, too.
            counted.map(|(place, x)| if i > j || place % t < place / t { 2.0 * x * x } else { x * x }).sum()
        };
        let whole = squares(&rest);
        for k in 0..=j {
            let (mut left, mut right) = (factor(store, (i, k)), factor(store, (j, k)));
            for (own, place) in [(&mut left, i), (&mut right, j)] {
                if place == k {
                    own.iter_mut().enumerate().filter(|(at, _)| at % t > at / t).for_each(|(_, x)| *x = 0.0);
                }
            }
            let factors = (-1.0, Matrix::rows(&left, t), Matrix::rows(&right, t).transposed());
            panels.multiply_add(Size { rows: t, columns: t, steps: t }, factors, (&mut rest, t));
        }
        (squares(&rest), whole)
    }
}

fn number((i, j): (usize, usize)) -> BlockId {
    BlockId(u32::try_from(i * (i + 1) / 2 + j).unwrap_or(u32::MAX))
}

fn factor(store: &Store, place: (usize, usize)) -> Vec<f64> {
    store.read(number(place), <[f64]>::to_vec)
}

impl Code for Cholesky {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        let block = block.0 as usize;
        let row = (0..self.n).rfind(|row| row * (row + 1) / 2 <= block).unwrap_or(0);
        self.tile(row, block - row * (row + 1) / 2)
    }

    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        let t = self.tile;
        match (graph.type_name(task), parts) {
            ("init", _) => {}
            ("potrf", [Part::Write(a)]) => cholesky::potrf(t, a, work)?,
            ("trsm", [Part::Read(l), Part::Write(a)]) => cholesky::trsm(t, l, a, work),
            ("gemm", [Part::Read(a), Part::Read(b), Part::Write(c)]) => cholesky::gemm(t, a, b, c, work),
            ("syrk", [Part::Read(a), Part::Write(c)]) => cholesky::syrk(t, a, c, work),
            _ => return Err(Fault::Accesses(task)),
        }
        Ok(())
    }

    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        let kernel = match graph.type_name(task) {
            "potrf" => count::potrf,
            "trsm" => count::trsm,
            "gemm" => count::gemm,
            "syrk" => count::syrk,
            _ => return 0.0,
        };
        kernel(self.tile)
    }

    fn check(&self, store: &Store) -> Verdict {
        let (mut difference, mut whole) = (0.0, 0.0);
        let mut panels = Panels::new();
        for i in 0..self.n {
            for j in 0..=i {
                let (off, all) = self.difference((i, j), store, &mut panels);
                difference += off;
                whole += all;
            }
        }
        Verdict {
            what: "||A - L L^T|| / ||A||",
            value: relative(difference, whole),
            limit: rounding(self.n * self.tile),
        }
    }
}
