//! Tiled Cholesky. The matrix has numbers in [-1, 1) and its order on the diagonal, so that it is positive definite (Gershgorin).

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use crate::codes::{Code, Verdict, index, relative, rounding};
use crate::product::{Matrix, Panels, Size, Workspace};
use crate::qr::{self, Side};
use crate::store::{Fault, Part, Store};
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
            // Entries below the diagonal also count for those above it.
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

/// n x n tiles, row by row.
pub(super) struct Qr {
    n: usize,
    tile: usize,
}

impl Qr {
    pub(super) fn new(n: u64, tile: u64) -> Self {
        Self { n: index(n), tile: index(tile) }
    }

    fn number(&self, row: usize, column: usize) -> BlockId {
        BlockId(u32::try_from(row * self.n + column).unwrap_or(u32::MAX))
    }

    fn block(&self, store: &Store, row: usize, column: usize) -> Vec<f64> {
        store.read(self.number(row, column), <[f64]>::to_vec)
    }

    /// Replaces R by Q R, with the columns of tiles `columns`: the transformations in reverse order.
    fn undo(&self, store: &Store, columns: &mut [Vec<Vec<f64>>]) {
        let (t, mut work) = (self.tile, Workspace::new());
        for k in (0..self.n).rev() {
            for i in (k + 1..self.n).rev() {
                let block = self.block(store, i, k);
                let reflections = split(&block, t);
                for column in columns.iter_mut().skip(k) {
                    let (above, below) = column.split_at_mut(i);
                    if let (Some(top), Some(bottom)) = (above.get_mut(k), below.first_mut()) {
                        qr::tsmqr(t, reflections, (top, bottom), Side::Plain, &mut work);
                    }
                }
            }
            let block = self.block(store, k, k);
            for column in columns.iter_mut().skip(k) {
                if let Some(tile) = column.get_mut(k) {
                    qr::unmqr(t, split(&block, t), tile, Side::Plain, &mut work);
                }
            }
        }
    }
}

/// A tile and the factors of its reflections.
fn split(block: &[f64], tile: usize) -> (&[f64], &[f64]) {
    block.split_at((tile * tile).min(block.len()))
}

fn split_mut(block: &mut [f64], tile: usize) -> (&mut [f64], &mut [f64]) {
    let end = (tile * tile).min(block.len());
    block.split_at_mut(end)
}

impl Code for Qr {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        let (block, t) = (block.0 as usize, self.tile);
        let mut data = vec![0.0; qr::elements(t)];
        let corner = (block / self.n * t, block % self.n * t);
        fill::rows(split_mut(&mut data, t).0, t, corner, fill::number);
        data
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
            ("geqrt", [Part::Write(a)]) => {
                let (a, factors) = split_mut(a, t);
                qr::geqrt(t, a, factors, work);
            }
            ("unmqr", [Part::Read(v), Part::Write(c)]) => {
                qr::unmqr(t, split(v, t), split_mut(c, t).0, Side::Transposed, work);
            }
            ("tsqrt", [Part::Write(r), Part::Write(a)]) => {
                let (a, factors) = split_mut(a, t);
                qr::tsqrt(t, split_mut(r, t).0, a, factors, work);
            }
            ("tsmqr", [Part::Read(v), Part::Write(top), Part::Write(bottom)]) => {
                let pair = (split_mut(top, t).0, split_mut(bottom, t).0);
                qr::tsmqr(t, split(v, t), pair, Side::Transposed, work);
            }
            _ => return Err(Fault::Accesses(task)),
        }
        Ok(())
    }

    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        let kernel = match graph.type_name(task) {
            "geqrt" => count::geqrt,
            "unmqr" => count::unmqr,
            "tsqrt" => count::tsqrt,
            "tsmqr" => count::tsmqr,
            _ => return 0.0,
        };
        kernel(self.tile, qr::WIDTH.min(self.tile))
    }

    fn check(&self, store: &Store) -> Verdict {
        let (n, t) = (self.n, self.tile);
        let tile = |i: usize, j: usize| {
            let mut tile =
                if i > j { vec![0.0; t * t] } else { split(&self.block(store, i, j), t).0.to_vec() };
            if i == j {
                tile.iter_mut().enumerate().filter(|(at, _)| at % t < at / t).for_each(|(_, x)| *x = 0.0);
            }
            tile
        };
        let mut columns: Vec<Vec<Vec<f64>>> = (0..n).map(|j| (0..n).map(|i| tile(i, j)).collect()).collect();
        self.undo(store, &mut columns);
        let (mut difference, mut whole) = (0.0, 0.0);
        for (j, column) in columns.iter().enumerate() {
            for (i, tile) in column.iter().enumerate() {
                let fresh = self.fresh(self.number(i, j));
                let original = split(&fresh, t).0;
                difference += original.iter().zip(tile).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                whole += original.iter().map(|a| a * a).sum::<f64>();
                // Blocks that no task has written have no tile.
                difference += if tile.len() == original.len() { 0.0 } else { f64::INFINITY };
            }
        }
        Verdict { what: "||A - Q R|| / ||A||", value: relative(difference, whole), limit: rounding(n * t) }
    }
}
