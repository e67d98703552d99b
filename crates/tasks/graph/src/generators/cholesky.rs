//! Tiled Cholesky of the lower n x n tiles of a symmetric matrix (right-looking).
//!
//! Tiles are numbered 00, 10, 11, 20 ...; a task belongs to the socket of the last tile that it accesses.

use crate::values::{Access, TypeId};

use super::error::{GenerateError, at_least_one};
use super::size::{Size, index, once};
use super::weaver::{Datum, Weaver};

/// The tiles of the lower triangle, and the cube of their width.
pub(super) struct Triangle {
    tiles: Vec<Datum>,
    /// Rows of tiles.
    pub(super) n: usize,
    cube: f64,
}

/// Which tile: row and column, which is not larger.
pub(super) type Place = (usize, usize);

impl Triangle {
    /// The tiles for `stages` operations of this shape, and the first tasks.
    pub(super) fn new(
        weave: &mut Weaver<'_>,
        (n, tile, init): (u64, u64, bool),
        stages: f64,
    ) -> Result<Self, GenerateError> {
        let count = at_least_one("n", n)?;
        let t = at_least_one("tile", tile)?;
        let blocks = count * (count + 1.0) / 2.0;
        let pairs = count * (count - 1.0) / 2.0;
        let triples = pairs * (count - 2.0) / 3.0;
        let tasks = once(init) * blocks + stages * (count + 2.0 * pairs + triples);
        let accesses = once(init) * blocks + stages * (count + 4.0 * pairs + 3.0 * triples);
        weave.begin(Size { blocks, tasks, accesses })?;
        let n = index(n);
        let tiles = weave.blocks(n * (n + 1) / 2, 8.0 * t * t)?;
        if init {
            weave.init(&tiles, |number| number)?;
        }
        Ok(Self { tiles, n, cube: t * t * t })
    }

    /// A task of `flop` FLOP per cube of the width that reads some tiles and changes another one.
    pub(super) fn task(
        &self,
        weave: &mut Weaver<'_>,
        (kind, flop): (TypeId, f64),
        reads: &[Place],
        changed: Place,
    ) -> Result<(), GenerateError> {
        let number = |(i, j): Place| i * (i + 1) / 2 + j;
        let read = reads.iter().filter_map(|&place| self.tiles.get(number(place))).map(|tile| tile.read());
        let last = number(changed);
        let accesses: Vec<Access> = read.chain(self.tiles.get(last).map(|tile| tile.update())).collect();
        weave.task(kind, flop * self.cube, last, &accesses)
    }
}

pub(super) fn weave(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
    let triangle = Triangle::new(weave, (n, tile, init), 1.0)?;
    factorise(weave, &triangle)
}

/// L of A = L L^T in place of A.
pub(super) fn factorise(weave: &mut Weaver<'_>, tiles: &Triangle) -> Result<(), GenerateError> {
    let potrf = (weave.kind("potrf"), 1.0 / 3.0);
    let (trsm, gemm, syrk) =
        ((weave.kind("trsm"), 1.0), (weave.kind("gemm"), 2.0), (weave.kind("syrk"), 1.0));
    for k in 0..tiles.n {
        tiles.task(weave, potrf, &[], (k, k))?;
        for i in k + 1..tiles.n {
            tiles.task(weave, trsm, &[(k, k)], (i, k))?;
        }
        for i in k + 1..tiles.n {
            for j in k + 1..i {
                tiles.task(weave, gemm, &[(i, k), (j, k)], (i, j))?;
            }
            tiles.task(weave, syrk, &[(i, k)], (i, i))?;
        }
    }
    Ok(())
}
