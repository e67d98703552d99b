//! Dense and sparse linear algebra on tiles, and NStream.

use crate::generators::{Datum, GenerateError, Size, Weaver, at_least_one, dealt, index, once};
use crate::values::{Access, TypeId};

// Conjugate gradients on blocks of rows of a sparse matrix (paper 001, section 3.1).
//
// A non-zero takes 12 B: 8 for the value, 4 for the column. Each product with a block of the matrix reads all of p.

/// The blocks that exist once for each block of rows.
#[derive(Clone, Copy)]
struct Part {
    matrix: Datum,
    x: Datum,
    g: Datum,
    p: Datum,
    q: Datum,
    pq: Datum,
    gg: Datum,
}

pub(super) fn cg(
    weave: &mut Weaver<'_>,
    blocks: u64,
    (rows, nnz_per_row): (u64, u64),
    iterations: u64,
    init: bool,
) -> Result<(), GenerateError> {
    let count = at_least_one("blocks", blocks)?;
    at_least_one("rows", rows)?;
    let nnz_per_row = at_least_one("nnz_per_row", nnz_per_row)?;
    let rows_of_block = dealt(("rows", rows), ("blocks", blocks))?;
    let repeated = iterations as f64;
    let tasks = once(init) * count + repeated * (6.0 * count + 2.0);
    // Product 2 + blocks; the others 3, 3, 3, 2 and 3; alpha and beta blocks + 1.
    let accesses = once(init) * 4.0 * count + repeated * (count * (count + 16.0) + 2.0 * (count + 1.0));
    weave.begin(Size { blocks: 7.0 * count + 2.0, tasks, accesses })?;

    let mut parts = Vec::new();
    let vector = 8.0 * rows_of_block;
    for _ in 0..index(blocks) {
        parts.push(Part {
            matrix: weave.block(12.0 * nnz_per_row * rows_of_block)?,
            x: weave.block(vector)?,
            g: weave.block(vector)?,
            p: weave.block(vector)?,
            q: weave.block(vector)?,
            pq: weave.block(8.0)?,
            gg: weave.block(8.0)?,
        });
    }
    let scalars = (weave.block(8.0)?, weave.block(8.0)?);
    if init {
        let kind = weave.kind("init");
        for (b, part) in parts.iter().enumerate() {
            let writes = [part.matrix, part.x, part.g, part.p].map(Datum::write);
            weave.task(kind, 0.0, b, &writes)?;
        }
    }
    for _ in 0..iterations {
        iteration(weave, &parts, scalars, (2.0 * nnz_per_row * rows_of_block, 2.0 * rows_of_block))?;
    }
    Ok(())
}

/// One iteration; FLOP of a product with a block of the matrix, and of everything else on a block of rows.
fn iteration(
    weave: &mut Weaver<'_>,
    parts: &[Part],
    (alpha, beta): (Datum, Datum),
    (product, other): (f64, f64),
) -> Result<(), GenerateError> {
    let all_of_p: Vec<Access> = parts.iter().map(|part| part.p.read()).collect();
    each(weave, parts, ("spmv", product), |part| {
        let mut accesses = Vec::with_capacity(all_of_p.len() + 2);
        accesses.push(part.matrix.read());
        accesses.extend(&all_of_p);
        accesses.push(part.q.write());
        accesses
    })?;
    each(weave, parts, ("dot-pq", other), |part| [part.p.read(), part.q.read(), part.pq.write()])?;
    scalar(weave, "alpha", parts.iter().map(|part| part.pq), alpha)?;
    each(weave, parts, ("axpy-x", other), |part| [alpha.read(), part.p.read(), part.x.update()])?;
    each(weave, parts, ("axpy-g", other), |part| [alpha.read(), part.q.read(), part.g.update()])?;
    each(weave, parts, ("dot-gg", other), |part| [part.g.read(), part.gg.write()])?;
    scalar(weave, "beta", parts.iter().map(|part| part.gg), beta)?;
    each(weave, parts, ("update-p", other), |part| [beta.read(), part.g.read(), part.p.update()])
}

/// A task of some kind and FLOP for each block of rows.
fn each<A: AsRef<[Access]>>(
    weave: &mut Weaver<'_>,
    parts: &[Part],
    (name, flop): (&str, f64),
    accesses: impl Fn(&Part) -> A,
) -> Result<(), GenerateError> {
    let kind = weave.kind(name);
    parts.iter().enumerate().try_for_each(|(b, part)| weave.task(kind, flop, b, accesses(part).as_ref()))
}

/// A task that reduces a number of each block to one number; its few operations do not count.
fn scalar(
    weave: &mut Weaver<'_>,
    name: &str,
    from: impl Iterator<Item = Datum>,
    into: Datum,
) -> Result<(), GenerateError> {
    let mut accesses: Vec<Access> = from.map(Datum::read).collect();
    accesses.push(into.write());
    let kind = weave.kind(name);
    weave.task(kind, 0.0, 0, &accesses)
}

// NStream (paper 001, section 3.1): independent arrays, on each of which a += b + s c is repeated.

pub(super) fn nstream(
    weave: &mut Weaver<'_>,
    arrays: u64,
    array_bytes: u64,
    iterations: u64,
    init: bool,
) -> Result<(), GenerateError> {
    let count = at_least_one("arrays", arrays)?;
    let bytes = at_least_one("mb", array_bytes)?;
    let tasks = (once(init) + iterations as f64) * count;
    weave.begin(Size { blocks: 3.0 * count, tasks, accesses: 3.0 * tasks })?;

    let mut all = Vec::new();
    for _ in 0..index(arrays) {
        all.push([weave.block(bytes)?, weave.block(bytes)?, weave.block(bytes)?]);
    }
    if init {
        let kind = weave.kind("init");
        for (number, blocks) in all.iter().enumerate() {
            weave.task(kind, 0.0, number, &blocks.map(Datum::write))?;
        }
    }
    let kind = weave.kind("triad");
    // 2 for each element of 8 B.
    let flop = 2.0 * bytes / 8.0;
    for _ in 0..iterations {
        for (number, [a, b, c]) in all.iter().enumerate() {
            weave.task(kind, flop, number, &[a.update(), b.read(), c.read()])?;
        }
    }
    Ok(())
}

// Tiled Cholesky of the lower n x n tiles of a symmetric matrix (right-looking).
//
// Tiles are numbered 00, 10, 11, 20 ...; a task is on the socket of the last tile that it accesses.

/// The tiles of the lower triangle, and the cube of their width.
pub(super) struct Triangle {
    tiles: Vec<Datum>,
    /// Rows of tiles.
    pub(super) n: usize,
    cube: f64,
}

/// Index of a tile: row and column, which is not larger.
pub(super) type Place = (usize, usize);

impl Triangle {
    /// The tiles for `stages` operations of this shape, and the initial tasks.
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

pub(super) fn cholesky(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
    let triangle = Triangle::new(weave, (n, tile, init), 1.0)?;
    factorise(weave, &triangle)
}

/// Replaces A by L of A = L L^T.
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

// Inverse of a symmetric matrix (paper 001, section 3.1): Cholesky, inverse of the triangle L, and L^-T L^-1, each in place.

pub(super) fn smi(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
    let triangle = Triangle::new(weave, (n, tile, init), 3.0)?;
    factorise(weave, &triangle)?;
    invert(weave, &triangle)?;
    multiply(weave, &triangle)
}

/// Replaces L by L^-1.
fn invert(weave: &mut Weaver<'_>, tiles: &Triangle) -> Result<(), GenerateError> {
    let (trsm, gemm) = ((weave.kind("trsm"), 1.0), (weave.kind("gemm"), 2.0));
    let trtri = (weave.kind("trtri"), 1.0 / 3.0);
    for k in 0..tiles.n {
        for i in k + 1..tiles.n {
            tiles.task(weave, trsm, &[(k, k)], (i, k))?;
        }
        for i in k + 1..tiles.n {
            for j in 0..k {
                tiles.task(weave, gemm, &[(i, k), (k, j)], (i, j))?;
            }
        }
        for j in 0..k {
            tiles.task(weave, trsm, &[(k, k)], (k, j))?;
        }
        tiles.task(weave, trtri, &[], (k, k))?;
    }
    Ok(())
}

/// Replaces L by L^T L.
fn multiply(weave: &mut Weaver<'_>, tiles: &Triangle) -> Result<(), GenerateError> {
    let (gemm, syrk) = ((weave.kind("gemm"), 2.0), (weave.kind("syrk"), 1.0));
    let (trmm, lauum) = ((weave.kind("trmm"), 1.0), (weave.kind("lauum"), 1.0 / 3.0));
    for k in 0..tiles.n {
        for i in 0..k {
            for j in 0..i {
                tiles.task(weave, gemm, &[(k, i), (k, j)], (i, j))?;
            }
            tiles.task(weave, syrk, &[(k, i)], (i, i))?;
        }
        for j in 0..k {
            tiles.task(weave, trmm, &[(k, k)], (k, j))?;
        }
        tiles.task(weave, lauum, &[], (k, k))?;
    }
    Ok(())
}

// Tiled QR (Buttari, Langou, Kurzak, Dongarra, Parallel Computing 35, 2009; paper 001, section 3.1) of n x n tiles.
//
// Step k: `geqrt` of the tile on the diagonal, `unmqr` of those to its right; then for each row i below it `tsqrt` of the tile of
// column k together with the one on the diagonal, and `tsmqr` of the rest of the row together with row k.

pub(super) fn qr(weave: &mut Weaver<'_>, n: u64, tile: u64, init: bool) -> Result<(), GenerateError> {
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
