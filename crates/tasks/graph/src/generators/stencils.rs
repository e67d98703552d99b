//! Stencils and waves on grids of tiles, and integral histograms.

use numasim_model::ids::NodeId;

use crate::generators::{
    Datum, GenerateError, Size, Weaver, at_least_one, dealt, index, once, settled, work,
};
use crate::values::{Access, TaskId, TreeTask, TypeId};

// Gauss-Seidel and Red-Black on a grid of tiles (paper 001, section 3.1): each tile from its neighbours.
//
// `control` tasks without accesses come first: with one of them a round robin of stride 2 assigns each row of 8 tiles to sockets 0 1 1 0
// 0 1 1 0 (paper 001, figure 2.4).

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stencil {
    pub(super) grid: u64,
    pub(super) tile: u64,
    pub(super) iterations: u64,
    pub(super) control: u64,
    pub(super) init: bool,
}

/// Part of an iteration: the kind of its tasks, and a condition on i + j that selects their tiles.
type Pass = (&'static str, fn(usize) -> bool);

/// The order in which an iteration visits the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Row by row.
    Rows,
    /// Tiles with even i + j first, then the odd ones.
    RedFirst,
}

impl Order {
    /// The parts of an iteration.
    fn passes(self) -> &'static [Pass] {
        match self {
            Self::Rows => &[("gauss-seidel", |_| true)],
            Self::RedFirst => &[("red", |sum| sum % 2 == 0), ("black", |sum| sum % 2 == 1)],
        }
    }
}

pub(super) fn gauss_seidel(
    weave: &mut Weaver<'_>,
    stencil: Stencil,
    order: Order,
) -> Result<(), GenerateError> {
    let tile = at_least_one("tile", stencil.tile)?;
    let g = at_least_one("grid", stencil.grid)?;
    let (blocks, iterations, init) = (g * g, stencil.iterations as f64, once(stencil.init));
    let tasks = stencil.control as f64 + (init + iterations) * blocks;
    // Each pair of neighbours reads each other: 4 g (g - 1).
    let accesses = init * blocks + iterations * (blocks + 4.0 * g * (g - 1.0));
    weave.begin(Size { blocks, tasks, accesses })?;

    let n = index(stencil.grid);
    let (halo, flop) = (8.0 * tile, 4.0 * tile * tile);
    let tiles = weave.blocks(n * n, 8.0 * tile * tile)?;
    // Paper 001 divides along the diagonal, for two sockets; with four it still uses two.
    let place = |number: usize| usize::from(number % n > number / n);
    let control = weave.kind("control");
    for _ in 0..stencil.control {
        weave.task(control, 0.0, 0, &[])?;
    }
    if stencil.init {
        weave.init(&tiles, place)?;
    }
    for _ in 0..stencil.iterations {
        for &(name, belongs) in order.passes() {
            let kind = weave.kind(name);
            for (number, tile) in tiles.iter().enumerate() {
                if belongs(number / n + number % n) {
                    let mut accesses = vec![tile.update()];
                    accesses.extend(neighbours(&tiles, n, number).map(|other| other.read_part(halo)));
                    weave.task(kind, flop, place(number), &accesses)?;
                }
            }
        }
    }
    Ok(())
}

/// The existing tiles above, below, left and right of a tile of an n x n grid.
fn neighbours(tiles: &[Datum], n: usize, number: usize) -> impl Iterator<Item = Datum> + '_ {
    let column = number % n;
    let up = number.checked_sub(n);
    let left = number.checked_sub(1).filter(|_| column > 0);
    let right = Some(number + 1).filter(|_| column + 1 < n);
    [up, Some(number + n), left, right].into_iter().flatten().filter_map(|place| tiles.get(place).copied())
}

// Jacobi on blocks of rows (paper 001, section 3.1): each new block from the old one and a row of each of its neighbours, with a
// border of one row at each end. Old and new are swapped after each iteration.

pub(super) fn jacobi(
    weave: &mut Weaver<'_>,
    blocks: u64,
    (rows, columns): (u64, u64),
    iterations: u64,
    init: bool,
) -> Result<(), GenerateError> {
    let count = at_least_one("blocks", blocks)?;
    at_least_one("rows", rows)?;
    let row = 8.0 * at_least_one("columns", columns)?;
    let rows_of_block = dealt(("rows", rows), ("blocks", blocks))?;
    let tasks = once(init) * (count + 2.0) + iterations as f64 * count;
    let accesses = once(init) * (count + 2.0) + iterations as f64 * 4.0 * count;
    weave.begin(Size { blocks: 2.0 + 2.0 * count, tasks, accesses })?;

    let n = index(blocks);
    let bytes = rows_of_block * row;
    // 5 for each point, which has 8 B.
    let flop = 5.0 * bytes / 8.0;
    let (top, bottom) = (weave.block(row)?, weave.block(row)?);
    let (mut old, mut new) = (weave.blocks(n, bytes)?, weave.blocks(n, bytes)?);
    if init {
        weave.init(&[top, bottom], |number| if number == 0 { 0 } else { n - 1 })?;
        weave.init(&old, |b| b)?;
    }
    let kind = weave.kind("jacobi");
    for _ in 0..iterations {
        for (b, (&own, result)) in old.iter().zip(&new).enumerate() {
            let above = b.checked_sub(1).and_then(|above| old.get(above)).copied().unwrap_or(top);
            let below = old.get(b + 1).copied().unwrap_or(bottom);
            let accesses = [above.read_part(row), below.read_part(row), own.read(), result.write()];
            weave.task(kind, flop, b, &accesses)?;
        }
        std::mem::swap(&mut old, &mut new);
    }
    Ok(())
}

// Integral histogram of an image (paper 001, section 3.1): a histogram for each tile, then sums along rows and along columns, for which
// the last column, or row, of the previous tile is read. A pixel has 1 B, a bin of a pixel 4 B.

/// Sums along a direction: the kind of their tasks, the distance to the previous tile, and a condition that selects the tiles with a
/// previous one.
type Sum = (&'static str, usize, fn(usize, usize) -> bool);

pub(super) fn integral_histogram(
    weave: &mut Weaver<'_>,
    grid: u64,
    tile: u64,
    bins: u64,
    init: bool,
) -> Result<(), GenerateError> {
    let g = at_least_one("grid", grid)?;
    let tile = at_least_one("tile", tile)?;
    let bins = at_least_one("bins", bins)?;
    let tiles = g * g;
    let tasks = (once(init) + 3.0) * tiles;
    // Each of the two sums reads one neighbour, except in the first column or row.
    let accesses = (once(init) + 2.0) * tiles + 2.0 * (tiles + g * (g - 1.0));
    weave.begin(Size { blocks: 2.0 * tiles, tasks, accesses })?;

    let n = index(grid);
    let (pixels, border) = (tile * tile, 4.0 * bins * tile);
    let images = weave.blocks(n * n, pixels)?;
    let histograms = weave.blocks(n * n, 4.0 * bins * pixels)?;
    let column = |number: usize| number % n;
    if init {
        weave.init(&images, column)?;
    }
    let kind = weave.kind("histogram");
    for (number, (image, histogram)) in images.iter().zip(&histograms).enumerate() {
        weave.task(kind, pixels, column(number), &[image.read(), histogram.write()])?;
    }
    let sums: [Sum; 2] =
        [("horizontal", 1, |number, n| number % n > 0), ("vertical", n, |number, n| number >= n)];
    for (name, back, has_before) in sums {
        let kind = weave.kind(name);
        for (number, histogram) in histograms.iter().enumerate() {
            let before = number.checked_sub(back).filter(|_| has_before(number, n));
            let before = before.and_then(|before| histograms.get(before));
            let mut accesses = vec![histogram.update()];
            accesses.extend(before.map(|before| before.read_part(border)));
            weave.task(kind, bins * pixels, column(number), &accesses)?;
        }
    }
    Ok(())
}

// A stencil on rows x columns strands (paper 000, section IV): a strand is a chain of tasks, each of which
// creates the next one for the next iteration.
//
// `main` creates all blocks and the first strands. Two neighbours exchange the common edge through separate blocks, one for even and one
// for odd iterations, so that no strand overwrites data that another one has yet to read.

/// FLOP per point.
const STENCIL_FLOP: f64 = 5.0;
/// The opposite of each direction: up, down, left, right.
const OPPOSITE: [usize; 4] = [1, 0, 3, 2];

/// Data of a strand.
struct Strand {
    tile: Datum,
    /// By direction, if there is a neighbour: its number, and the halos towards it by the parity of the iteration that reads them.
    sides: [Option<(usize, [Datum; 2])>; 4],
}

pub(super) fn stencil2d(
    weave: &mut Weaver<'_>,
    n: u64,
    (rows, columns): (u64, u64),
    iterations: u64,
) -> Result<(), GenerateError> {
    at_least_one("n", n)?;
    let (down, across) = (at_least_one("rows", rows)?, at_least_one("columns", columns)?);
    let (height, width) = (dealt(("n", n), ("rows", rows))?, dealt(("n", n), ("columns", columns))?);
    let (strands, repeated) = (down * across, iterations as f64);
    // Directed pairs of neighbours.
    let pairs = 2.0 * (down * (across - 1.0) + across * (down - 1.0));
    weave.begin(Size {
        blocks: strands + 2.0 * pairs,
        tasks: 1.0 + strands * repeated,
        accesses: repeated * (strands + 2.0 * pairs),
    })?;
    let (rows, columns) = (index(rows), index(columns));
    let strands = strands_of(weave, (rows, columns), (height, width))?;
    let (main, kind) = (weave.kind("main"), weave.kind("strand"));
    let main = weave.tree_task(work(main, 0.0, &[]), TreeTask::default())?;
    for strand in &strands {
        let halos = strand.sides.iter().flatten().flat_map(|(_, halos)| halos);
        for &block in std::iter::once(&strand.tile).chain(halos) {
            weave.creates(main, block)?;
        }
    }
    let mut before: Vec<TaskId> = vec![main; strands.len()];
    let mut accesses: Vec<Access> = Vec::new();
    for iteration in 0..iterations {
        let (read, written) = if iteration % 2 == 0 { (0, 1) } else { (1, 0) };
        for ((number, strand), before) in (0..).zip(&strands).zip(&mut before) {
            accesses.clear();
            let neighbours = strand.sides.iter().zip(OPPOSITE).filter_map(|(side, opposite)| {
                let (neighbour, _) = (*side)?;
                let (_, halos) = (*strands.get(neighbour)?.sides.get(opposite)?)?;
                halos.get(read).copied()
            });
            accesses.extend(neighbours.map(Datum::read));
            accesses.push(strand.tile.update());
            let own = strand.sides.iter().flatten().filter_map(|(_, halos)| halos.get(written).copied());
            accesses.extend(own.map(Datum::write));
            let affinity = weave.node_of(number, strands.len() as u64);
            let tree = TreeTask { created_by: Some(*before), affinity, ..TreeTask::default() };
            *before = weave.tree_task(work(kind, STENCIL_FLOP * height * width / 1e9, &accesses), tree)?;
        }
    }
    Ok(())
}

/// The tiles, then by strand the halos; hints apply to all blocks of a strand.
fn strands_of(
    weave: &mut Weaver<'_>,
    (rows, columns): (usize, usize),
    (height, width): (f64, f64),
) -> Result<Vec<Strand>, GenerateError> {
    let count = rows * columns;
    let node = |weave: &Weaver<'_>, strand: usize| weave.node_of(strand as u64, count as u64);
    let mut strands = Vec::with_capacity(count);
    for strand in 0..count {
        let tile = weave.hinted(8.0 * height * width, None, node(weave, strand))?;
        strands.push(Strand { tile, sides: [None; 4] });
    }
    for (number, strand) in strands.iter_mut().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let neighbours = [
            (row > 0).then(|| (number - columns, width)),
            (row + 1 < rows).then_some((number + columns, width)),
            (column > 0).then(|| (number - 1, height)),
            (column + 1 < columns).then_some((number + 1, height)),
        ];
        for (side, neighbour) in strand.sides.iter_mut().zip(neighbours) {
            let Some((neighbour, edge)) = neighbour else { continue };
            let node = node(weave, number);
            let even = weave.hinted(8.0 * edge, None, node)?;
            *side = Some((neighbour, [even, weave.hinted(8.0 * edge, None, node)?]));
        }
    }
    Ok(strands)
}

// Waves in an elastic medium on strips of rows (paper 000, section IV): stress from velocity, velocity from stress.
//
// `main` creates all blocks and the first `strip` of each strip of rows; a `strip` creates the next one, and the two sweeps of its
// iteration. Sweeps read a row of the adjacent strips.

/// FLOP per point of each of the two sweeps.
const SEISMIC_FLOP: f64 = 10.0;
/// Bytes per point: five numbers of 4 B, and two.
const STRESS: f64 = 20.0;
const VELOCITY: f64 = 8.0;

/// The data of a strip, and its intended node.
struct Strip {
    stress: Datum,
    velocity: Datum,
    node: Option<NodeId>,
}

pub(super) fn seismic(
    weave: &mut Weaver<'_>,
    n: u64,
    (blocks, strips): (Option<u64>, Option<u64>),
    iterations: u64,
) -> Result<(), GenerateError> {
    let columns = at_least_one("n", n)?;
    let count = settled("blocks", blocks)? * settled("strips", strips)?;
    let (blocks, strips) = (blocks.unwrap_or(1), strips.unwrap_or(1));
    let rows = dealt(("n", n), ("strips", blocks.saturating_mul(strips)))?;
    let repeated = iterations as f64;
    // Each sweep reads up to three blocks and changes one; the first strip and the last one have no neighbour on one side.
    weave.begin(Size {
        blocks: 2.0 * count,
        tasks: 1.0 + 3.0 * count * repeated,
        accesses: repeated * 2.0 * (4.0 * count - 2.0),
    })?;
    let points = rows * columns;
    let mut all = Vec::with_capacity(index(blocks * strips));
    for block in 0..blocks {
        let node = weave.node_of(block, blocks);
        for _ in 0..strips {
            let stress = weave.hinted(STRESS * points, None, node)?;
            all.push(Strip { stress, velocity: weave.hinted(VELOCITY * points, None, node)?, node });
        }
    }
    let kinds = ["main", "strip", "stress", "velocity"].map(|name| weave.kind(name));
    let [main, kind, stress, velocity] = kinds;
    let main = weave.tree_task(work(main, 0.0, &[]), TreeTask::default())?;
    for strip in &all {
        weave.creates(main, strip.stress)?;
        weave.creates(main, strip.velocity)?;
    }
    let sweeps = Sweeps { strips: &all, gflop: SEISMIC_FLOP * points / 1e9, row: columns };
    let mut creators = vec![main; all.len()];
    for iteration in 0..iterations {
        // The index of the first sweeps of a creator: 1 if it also creates the next strip.
        let first = u32::from(iteration + 1 < iterations);
        for (creator, strip) in creators.iter_mut().zip(&all) {
            let seq = (iteration > 0).then_some(0);
            let tree =
                TreeTask { created_by: Some(*creator), seq, affinity: strip.node, ..TreeTask::default() };
            *creator = weave.tree_task(work(kind, 0.0, &[]), tree)?;
        }
        sweeps.one(weave, stress, (&creators, first), true)?;
        sweeps.one(weave, velocity, (&creators, first + 1), false)?;
    }
    Ok(())
}

/// Data that all sweeps share.
struct Sweeps<'a> {
    strips: &'a [Strip],
    gflop: f64,
    /// Points of a row.
    row: f64,
}

impl Sweeps<'_> {
    /// One sweep over all strips: stress from velocity or the other way round.
    fn one(
        &self,
        weave: &mut Weaver<'_>,
        kind: TypeId,
        (creators, seq): (&[TaskId], u32),
        changes_stress: bool,
    ) -> Result<(), GenerateError> {
        let of = |strip: &Strip| {
            if changes_stress { (strip.velocity, strip.stress) } else { (strip.stress, strip.velocity) }
        };
        let per_point = if changes_stress { VELOCITY } else { STRESS };
        let mut accesses: Vec<Access> = Vec::new();
        for (number, (strip, &creator)) in self.strips.iter().zip(creators).enumerate() {
            let (read, changed) = of(strip);
            let beside = |number: Option<usize>| {
                let strip = self.strips.get(number?)?;
                Some(of(strip).0.read_part(per_point * self.row))
            };
            accesses.clear();
            accesses.extend(beside(number.checked_sub(1)));
            accesses.push(read.read());
            accesses.extend(beside(number.checked_add(1)));
            accesses.push(changed.update());
            let tree = TreeTask {
                created_by: Some(creator),
                seq: Some(seq),
                affinity: strip.node,
                ..TreeTask::default()
            };
            weave.tree_task(work(kind, self.gflop, &accesses), tree)?;
        }
        Ok(())
    }
}
