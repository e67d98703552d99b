//! NStream (paper 001, section 3.1): independent arrays, on each of which a += b + s c is repeated.

use super::error::{GenerateError, at_least_one};
use super::size::{Size, index, once};
use super::weaver::{Datum, Weaver};

pub(super) fn weave(
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
