//! Jacobi on blocks of rows in two grids. A row above and one below the grid are blocks of their own; left and right of it is 0.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use super::plain::{self, Plain};
use super::{Code, Verdict, index};
use crate::part::{Fault, Part};
use crate::stencil::{self, Beside};
use crate::store::Store;
use crate::work::Workspace;
use crate::{count, fill};

/// Blocks: the row above, the row below, the old grid, the new grid.
pub(super) struct Jacobi {
    blocks: usize,
    /// Rows of a block.
    rows: usize,
    columns: usize,
    iterations: u64,
}

impl Jacobi {
    pub(super) fn new(blocks: u64, (rows, columns): (u64, u64), iterations: u64) -> Self {
        let blocks = index(blocks);
        Self { blocks, rows: index(rows) / blocks.max(1), columns: index(columns), iterations }
    }

    /// What is at a row, counted from the one above the grid.
    fn number(row: usize, column: usize) -> f64 {
        fill::number(row, column)
    }

    fn plain(&self) -> Plain {
        let (height, width) = (self.blocks * self.rows, self.columns);
        let border = |row: usize, column: usize| {
            let is_beside = column == 0 || column == width + 1;
            if is_beside { 0.0 } else { Self::number(row, column - 1) }
        };
        let mut plain = Plain::new((height, width), |row, column| Self::number(row + 1, column), border);
        (0..self.iterations).for_each(|_| plain.jacobi());
        plain
    }
}

impl Code for Jacobi {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        let (block, last) = (block.0 as usize, self.blocks * self.rows + 1);
        let (rows, first) = match block {
            0 => (1, 0),
            1 => (1, last),
            _ if block < 2 + self.blocks => (self.rows, (block - 2) * self.rows + 1),
            // Written before it is read: its pages are not touched here.
            _ => return vec![0.0; self.rows * self.columns],
        };
        let mut data = vec![0.0; rows * self.columns];
        fill::rows(&mut data, self.columns, (first, 0), Self::number);
        data
    }

    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        _: &mut Workspace,
    ) -> Result<(), Fault> {
        match (graph.type_name(task), parts) {
            ("init", _) => {}
            ("jacobi", [Part::Read(above), Part::Read(below), Part::Read(old), Part::Write(new)]) => {
                let up = above.get(above.len().saturating_sub(self.columns)..).unwrap_or_default();
                let down = below.get(..self.columns).unwrap_or_default();
                stencil::average_tile(self.columns, old, Beside { up, down, ..Beside::default() }, new);
            }
            _ => return Err(Fault::Accesses(task)),
        }
        Ok(())
    }

    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        let computes = graph.type_name(task) == "jacobi";
        if computes { count::AVERAGE * (self.rows * self.columns) as f64 } else { 0.0 }
    }

    fn check(&self, store: &Store) -> Verdict {
        let plain = self.plain();
        // Old and new are exchanged after each iteration.
        let first = 2 + if self.iterations.is_multiple_of(2) { 0 } else { self.blocks };
        let differing = (0..self.blocks).map(|b| {
            let block = BlockId(u32::try_from(first + b).unwrap_or(u32::MAX));
            let rows = plain.rows((b * self.rows, self.rows), (0, self.columns));
            store.read(block, |tile| plain::differing(self.columns, tile, rows))
        });
        Verdict { what: plain::WHAT, value: differing.sum(), limit: 0.0 }
    }
}
