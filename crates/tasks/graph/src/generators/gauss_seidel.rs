//! Gauss-Seidel and Red-Black on a grid of tiles (paper 001, section 3.1): each tile from its neighbours.
//!
//! `control` tasks without accesses come first: with one of them a round robin of stride 2 sees each row of 8 tiles as sockets
//! 0 1 1 0 0 1 1 0 (paper 001, figure 2.4).

use super::error::{GenerateError, at_least_one};
use super::size::{Size, index, once};
use super::weaver::{Datum, Weaver};

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stencil {
    pub(super) grid: u64,
    pub(super) tile: u64,
    pub(super) iterations: u64,
    pub(super) control: u64,
    pub(super) init: bool,
}

/// Part of an iteration: the kind of its tasks, and to which tiles they belong, by i + j.
type Pass = (&'static str, fn(usize) -> bool);

/// In which order an iteration goes over the tiles.
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

pub(super) fn weave(weave: &mut Weaver<'_>, stencil: Stencil, order: Order) -> Result<(), GenerateError> {
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

/// The tiles above, below, left and right of one of an n x n grid, as far as there are any.
fn neighbours(tiles: &[Datum], n: usize, number: usize) -> impl Iterator<Item = Datum> + '_ {
    let column = number % n;
    let up = number.checked_sub(n);
    let left = number.checked_sub(1).filter(|_| column > 0);
    let right = Some(number + 1).filter(|_| column + 1 < n);
    [up, Some(number + n), left, right].into_iter().flatten().filter_map(|place| tiles.get(place).copied())
}
