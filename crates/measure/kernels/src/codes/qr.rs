//! Tiled QR of a matrix of numbers in [-1, 1). A block has the factors T of its tile's reflections behind the tile.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use super::{Code, Verdict, index, relative, rounding};
use crate::part::{Fault, Part};
use crate::qr::{self, Side};
use crate::store::Store;
use crate::work::Workspace;
use crate::{count, fill};

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

    /// Q R in place of R, whose columns of tiles are `columns`: the transformations in the opposite order.
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
                // Blocks that no task has made have no tile.
                difference += if tile.len() == original.len() { 0.0 } else { f64::INFINITY };
            }
        }
        Verdict { what: "||A - Q R|| / ||A||", value: relative(difference, whole), limit: rounding(n * t) }
    }
}
