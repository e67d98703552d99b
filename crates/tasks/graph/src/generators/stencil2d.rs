//! A stencil on rows x columns strands (paper 000, section IV): a strand is a task that creates itself anew for each iteration.
//!
//! `main` creates all blocks and the first strands. Two neighbours hand each other the common edge through blocks of their own, one for even and one
//! for odd iterations, so that nobody writes what another one has yet to read.

use crate::values::{Access, TaskId, TreeTask};

use super::error::{GenerateError, at_least_one, dealt};
use super::size::{Size, index};
use super::weaver::{Datum, Weaver, work};

/// FLOP per point.
const FLOP: f64 = 5.0;
/// Up, down, left, right: the opposite of each is beside it.
const OPPOSITE: [usize; 4] = [1, 0, 3, 2];

/// A strand's own data.
struct Strand {
    tile: Datum,
    /// By direction, where there is a neighbour: its number, and the halos towards it by the parity of the iteration that reads them.
    sides: [Option<(usize, [Datum; 2])>; 4],
}

pub(super) fn weave(
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
    let strands = blocks(weave, (rows, columns), (height, width))?;
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
            *before = weave.tree_task(work(kind, FLOP * height * width / 1e9, &accesses), tree)?;
        }
    }
    Ok(())
}

/// The tiles, then by strand the halos; hints of what is a strand's go with it.
fn blocks(
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
