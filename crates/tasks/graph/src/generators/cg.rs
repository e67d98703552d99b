//! Conjugate gradients on blocks of rows of a sparse matrix (paper 001, section 3.1).
//!
//! A non-zero takes 12 B: 8 for the value, 4 for the column. Each product with a block of the matrix reads all of p.

use crate::values::Access;

use super::error::{GenerateError, at_least_one, dealt};
use super::size::{Size, index, once};
use super::weaver::{Datum, Weaver};

/// What there is once for each block of rows.
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

pub(super) fn weave(
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

/// A task that makes one number of a number of each block; its few operations do not count.
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
