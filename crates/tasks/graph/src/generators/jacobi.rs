//! Jacobi on blocks of rows (paper 001, section 3.1): each new block from the old one and a row of each of its neighbours, with a
//! border of one row at each end. Old and new are swapped after each iteration.

use super::error::{GenerateError, at_least_one, dealt};
use super::size::{Size, index, once};
use super::weaver::Weaver;

pub(super) fn weave(
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
