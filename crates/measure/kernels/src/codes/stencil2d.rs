//! The stencil on strands: each has a tile, and hands its edges to its neighbours through blocks of their own, for even and for odd iterations. The
//! border of the grid is 0.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use super::plain::{self, Plain};
use super::{Code, Verdict, index};
use crate::part::{Fault, Part};
use crate::stencil::{self, Beside};
use crate::store::Store;
use crate::work::Workspace;
use crate::{count, fill};

/// Up, down, left, right.
type Sides<T> = [T; 4];

/// Tiles by strand; behind them by strand and side the edges for even and odd iterations.
pub(super) struct Stencil2d {
    rows: usize,
    columns: usize,
    height: usize,
    width: usize,
    iterations: u64,
    /// Of each block behind the tiles: its strand, the side and whether it is for odd iterations.
    edges: Vec<(usize, usize, bool)>,
}

impl Stencil2d {
    pub(super) fn new(n: u64, (rows, columns): (u64, u64), iterations: u64) -> Self {
        let (n, rows, columns) = (index(n), index(rows), index(columns));
        let (height, width) = (n / rows.max(1), n / columns.max(1));
        let mut own = Self { rows, columns, height, width, iterations, edges: Vec::new() };
        for strand in 0..rows * columns {
            for (side, is_there) in own.neighbours(strand).into_iter().enumerate() {
                if is_there {
                    own.edges.extend([(strand, side, false), (strand, side, true)]);
                }
            }
        }
        own
    }

    /// On which sides a strand has neighbours.
    fn neighbours(&self, strand: usize) -> Sides<bool> {
        let (row, column) = (strand / self.columns, strand % self.columns);
        [row > 0, row + 1 < self.rows, column > 0, column + 1 < self.columns]
    }

    fn corner(&self, strand: usize) -> (usize, usize) {
        (strand / self.columns * self.height, strand % self.columns * self.width)
    }
}

/// Copies an edge of a tile.
fn edge(width: usize, tile: &[f64], side: usize, to: &mut [f64]) {
    let from = match side {
        1 => tile.len().saturating_sub(width),
        3 => width.saturating_sub(1),
        _ => 0,
    };
    let step = if side < 2 { 1 } else { width.max(1) };
    for (to, from) in to.iter_mut().zip(tile.iter().skip(from).step_by(step)) {
        *to = *from;
    }
}

impl Code for Stencil2d {
    fn fresh(&self, block: BlockId) -> Vec<f64> {
        let (block, tiles) = (block.0 as usize, self.rows * self.columns);
        let tile = |strand: usize| {
            let mut tile = vec![0.0; self.height * self.width];
            fill::rows(&mut tile, self.width, self.corner(strand), fill::number);
            tile
        };
        if block < tiles {
            return tile(block);
        }
        let Some(&(strand, side, is_odd)) = self.edges.get(block - tiles) else { return Vec::new() };
        let mut data = vec![0.0; if side < 2 { self.width } else { self.height }];
        if !is_odd {
            let (row, column) = self.corner(strand);
            let (last_row, last_column) = (row + self.height - 1, column + self.width - 1);
            for (place, element) in data.iter_mut().enumerate() {
                *element = match side {
                    0 => fill::number(row, column + place),
                    1 => fill::number(last_row, column + place),
                    2 => fill::number(row + place, column),
                    _ => fill::number(row + place, last_column),
                };
            }
        }
        data
    }

    fn run(
        &self,
        graph: &TaskGraph,
        task: TaskId,
        parts: &mut [Part<'_>],
        work: &mut Workspace,
    ) -> Result<(), Fault> {
        match graph.type_name(task) {
            "main" => return Ok(()),
            "strand" => {}
            _ => return Err(Fault::Accesses(task)),
        }
        let tile = parts.iter().position(|part| matches!(part, Part::Write(_)));
        let place = tile.ok_or(Fault::Accesses(task))?;
        let strand = graph.accesses(task).nth(place).ok_or(Fault::Accesses(task))?.block.0 as usize;
        let sides = self.neighbours(strand);
        let (read, written) = parts.split_at_mut(place);
        let [Part::Write(tile), own @ ..] = written else { return Err(Fault::Accesses(task)) };
        let count = sides.iter().filter(|&&is_there| is_there).count();
        if read.len() != count || own.len() != count {
            return Err(Fault::Accesses(task));
        }
        let mut read = read.iter();
        let [up, down, left, right] = sides.map(|is_there| match is_there.then(|| read.next()) {
            Some(Some(Part::Read(edge))) => *edge,
            _ => &[],
        });
        stencil::average_in_place(self.width, tile, Beside { up, down, left, right }, &mut work.rows);
        let there = (0..4).filter(|&side| sides.get(side) == Some(&true));
        for (side, part) in there.zip(own) {
            let Part::Write(to) = part else { return Err(Fault::Accesses(task)) };
            edge(self.width, tile, side, to);
        }
        Ok(())
    }

    fn flop(&self, graph: &TaskGraph, task: TaskId) -> f64 {
        let computes = graph.type_name(task) == "strand";
        if computes { count::AVERAGE * (self.height * self.width) as f64 } else { 0.0 }
    }

    fn check(&self, store: &Store) -> Verdict {
        let side = (self.rows * self.height, self.columns * self.width);
        let mut plain = Plain::new(side, fill::number, |_, _| 0.0);
        (0..self.iterations).for_each(|_| plain.jacobi());
        let differing = (0..self.rows * self.columns).map(|strand| {
            let (row, column) = self.corner(strand);
            let block = BlockId(u32::try_from(strand).unwrap_or(u32::MAX));
            let rows = plain.rows((row, self.height), (column, self.width));
            store.read(block, |tile| plain::differing(self.width, tile, rows))
        });
        Verdict { what: plain::WHAT, value: differing.sum(), limit: 0.0 }
    }
}
