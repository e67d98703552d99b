//! Integral histogram of an image (paper 001, section 3.1): a histogram for each tile, then sums along rows and along columns, for
//! which the last column, or row, of the tile before is read. A pixel has 1 B, a bin of a pixel 4 B.

use super::error::{GenerateError, at_least_one};
use super::size::{Size, index, once};
use super::weaver::Weaver;

/// Sums along a direction: the kind of their tasks, how far back the tile before is, and which tiles have one.
type Sum = (&'static str, usize, fn(usize, usize) -> bool);

pub(super) fn weave(
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
    // Each of the two sums reads one neighbour, but for the first column or row.
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
