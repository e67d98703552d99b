//! Tiled QR (Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35, 2009; paper 001, section 3.1) of n x n tiles.
//!
//! Step k: `geqrt` of the tile on the diagonal, `unmqr` of those to its right; then for each row i below it `tsqrt` of the tile of
//! column k together with the one on the diagonal, and `tsmqr` of the rest of the row together with row k.

use super::error::{GenerateError, at_least_one};
use super::size::{Size, index, once};
use super::weaver::{Datum, Weaver};

pub(super) fn weave(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
    let count = at_least_one("n", n)?;
    let t = at_least_one("tile", tile)?;
    let blocks = count * count;
    let pairs = count * (count - 1.0) / 2.0;
    let squares = (count - 1.0) * count * (2.0 * count - 1.0) / 6.0;
    let tasks = once(init) * blocks + count + 2.0 * pairs + squares;
    let accesses = once(init) * blocks + count + 4.0 * pairs + 3.0 * squares;
    weave.begin(Size { blocks, tasks, accesses })?;

    let n = index(n);
    let cube = t * t * t;
    let tiles = weave.blocks(n * n, 8.0 * t * t)?;
    if init {
        weave.init(&tiles, |number| number / n)?;
    }
    let kinds = ["geqrt", "unmqr", "tsqrt", "tsmqr"].map(|name| weave.kind(name));
    let [geqrt, unmqr, tsqrt, tsmqr] = kinds;
    let rows: Vec<&[Datum]> = tiles.chunks(n).collect();
    for (k, row_k) in rows.iter().enumerate() {
        let Some((&kk, right)) = row_k.get(k..).and_then(<[_]>::split_first) else { continue };
        weave.task(geqrt, 2.0 * cube, k, &[kk.update()])?;
        for kj in right {
            weave.task(unmqr, 3.0 * cube, k, &[kk.read(), kj.update()])?;
        }
        for (i, row_i) in rows.iter().enumerate().skip(k + 1) {
            let Some((&ik, rest)) = row_i.get(k..).and_then(<[_]>::split_first) else { continue };
            weave.task(tsqrt, 10.0 * cube / 3.0, i, &[kk.update(), ik.update()])?;
            for (kj, ij) in right.iter().zip(rest) {
                weave.task(tsmqr, 5.0 * cube, i, &[ik.read(), kj.update(), ij.update()])?;
            }
        }
    }
    Ok(())
}
