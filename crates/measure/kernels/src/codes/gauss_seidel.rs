//! Gauss-Seidel and Red-Black on a grid of tiles; the border of the grid is 0.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use super::plain::{self, Plain};
use super::{Code, Verdict, index};
use crate::part::{Fault, Part};
use crate::stencil::{self, Beside};
use crate::store::Store;
use crate::work::Workspace;
use crate::{count, fill};

/// In which order an iteration goes over the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Row by row.
    Rows,
    /// Tiles with even i + j first, then the odd ones.
    RedFirst,
}

/// The grid of tiles, row by row.
pub(super) struct GaussSeidel {
    grid: usize,
    tile: usize,
    iterations: u64,
    order: Order,
}

impl GaussSeidel {
    pub(super) fn new((grid, tile, iterations): (u64, u64, u64), order: Order) -> Self {
        Self { grid: index(grid), tile: index(tile), iterations, order }
    }

    /// All points after all iterations, without tiles.
    fn plain(&self) -> Plain {
        let (side, t) = (self.grid * self.tile, self.tile);
        let mut plain = Plain::new((side, side), fill::number, |_, _| 0.0);
        for _ in 0..self.iterations {
            match self.order {
                // Tile by tile, row by row, is the same as point by point over the whole grid.
                Order::Rows => plain.gauss_seidel((0, side), (0, side)),
                Order::RedFirst => {
                    let tiles = (0..self.grid).flat_map(|i| (0..self.grid).map(move |j| (i, j)));
                    let (red, black): (Vec<_>, Vec<_>) = tiles.partition(|(i, j)| (i + j) % 2 == 0);
                    for (i, j) in red.into_iter().chain(black) {
                        plain.gauss_seidel((i * t, t), (j * t, t));
                    }
                }
            }
        }
        plain
    }
}

impl Code for GaussSeidel {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        let (block, t) = (block.0 as usize, self.tile);
        let mut tile = vec![0.0; t * t];
        fill::rows(&mut tile, t, (block / self.grid * t, block % self.grid * t), fill::number);
        tile
    }

    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        if matches!(graph.type_name(task), "control" | "init") {
            return Ok(());
        }
        let (t, grid) = (self.tile, self.grid);
        let number = graph.accesses(task).next().ok_or(Fault::Accesses(task))?.block.0 as usize;
        let [Part::Write(tile), others @ ..] = parts else { return Err(Fault::Accesses(task)) };
        // Those above, below, left and right, as far as there are any.
        let (row, column) = (number / grid, number % grid);
        let mut others = others.iter();
        let mut next = |is_there: bool| match is_there.then(|| others.next()) {
            None => Ok(&[][..]),
            Some(Some(Part::Read(other))) => Ok(*other),
            Some(_) => Err(Fault::Accesses(task)),
        };
        let (above, below) = (next(row > 0)?, next(row + 1 < grid)?);
        let (left, right) = (next(column > 0)?, next(column + 1 < grid)?);
        // Columns lie apart.
        work.rows.clear();
        work.rows.extend(left.iter().skip(t - 1).step_by(t));
        let border = work.rows.len();
        work.rows.extend(right.iter().step_by(t));
        let (left, right) = work.rows.split_at(border);
        let up = above.get(above.len().saturating_sub(t)..).unwrap_or_default();
        stencil::gauss_seidel(t, tile, Beside { up, down: below.get(..t).unwrap_or_default(), left, right });
        Ok(())
    }

    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        let computes = !matches!(graph.type_name(task), "control" | "init");
        if computes { count::MEAN * (self.tile * self.tile) as f64 } else { 0.0 }
    }

    fn check(&self, store: &Store) -> Verdict {
        let (plain, t) = (self.plain(), self.tile);
        let tiles = (0..u32::try_from(self.grid * self.grid).unwrap_or(u32::MAX)).map(BlockId);
        let differing = tiles.map(|block| {
            let (row, column) = (block.0 as usize / self.grid * t, block.0 as usize % self.grid * t);
            store.read(block, |tile| plain::differing(t, tile, plain.rows((row, t), (column, t))))
        });
        Verdict { what: plain::WHAT, value: differing.sum(), limit: 0.0 }
    }
}
