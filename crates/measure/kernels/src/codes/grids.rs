//! Jacobi on blocks of rows in two grids. The rows above and below the grid are separate blocks; left and right of it is 0.

use numasim_graph::values::{BlockId, TaskGraph, TaskId};

use crate::codes::{Code, Plain, Verdict, WHAT, differing, index};
use crate::product::Workspace;
use crate::stencil::{self, Beside};
use crate::store::{Fault, Part, Store};
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

    /// The value at a row, counted from the one above the grid.
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
            store.read(block, |tile| differing(self.columns, tile, rows))
        });
        Verdict { what: WHAT, value: differing.sum(), limit: 0.0 }
    }
}

/// The order in which an iteration visits the tiles.
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
        // Those above, below, left and right, if they exist.
        let (row, column) = (number / grid, number % grid);
        let mut others = others.iter();
        let mut next = |is_there: bool| match is_there.then(|| others.next()) {
            None => Ok(&[][..]),
            Some(Some(Part::Read(other))) => Ok(*other),
            Some(_) => Err(Fault::Accesses(task)),
        };
        let (above, below) = (next(row > 0)?, next(row + 1 < grid)?);
        let (left, right) = (next(column > 0)?, next(column + 1 < grid)?);
        // Columns are not contiguous.
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
            store.read(block, |tile| differing(t, tile, plain.rows((row, t), (column, t))))
        });
        Verdict { what: WHAT, value: differing.sum(), limit: 0.0 }
    }
}

// The stencil on strands: each has a tile, and passes its edges to its neighbours in separate blocks, for even and for odd iterations. The
// border of the grid is 0.

/// Up, down, left, right.
type Sides<T> = [T; 4];

/// Tiles by strand; after them, by strand and side, the edges for even and odd iterations.
pub(super) struct Stencil2d {
    rows: usize,
    columns: usize,
    height: usize,
    width: usize,
    iterations: u64,
    /// For each block after the tiles: its strand, the side and whether it is for odd iterations.
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

    /// The sides on which a strand has neighbours.
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
            store.read(block, |tile| differing(self.width, tile, rows))
        });
        Verdict { what: WHAT, value: differing.sum(), limit: 0.0 }
    }
}
