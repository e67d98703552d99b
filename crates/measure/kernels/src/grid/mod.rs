//! Iterations over grids whose rows are divided among threads: a stencil of five points ([`Stencil2d`]) and waves on a staggered grid
//! ([`Seismic`]).
//!
//! Beyond its border a grid is 0. All threads have done an iteration, or each half of one, before the next starts. Nothing is fused, and
//! each point is computed in one order: every instruction set, every division of the rows and the serial run agree in every bit.

mod seismic;
mod stencil2d;
mod sweeps;

pub use seismic::Seismic;
pub use stencil2d::Stencil2d;

use std::ops::Range;

use crate::kernel::SetupError;

/// Maximum number of rows or columns: a grid exceeds any memory long before.
const MOST: usize = 1 << 24;
/// Rows that a check recomputes at a time, with the surrounding rows that they depend on.
const BAND: usize = 48;

/// Checks the size of a grid.
fn checked(rows: usize, columns: usize) -> Result<(), SetupError> {
    SetupError::unless("rows", rows, 1..=MOST)?;
    SetupError::unless("columns", columns, 1..=MOST)
}

/// Points of a grid.
fn points(rows: usize, columns: usize) -> u64 {
    rows as u64 * columns as u64
}

/// Rows that are recomputed separately, and those that they depend on.
struct Band {
    /// The rows.
    own: Range<usize>,
    /// Extended above and below by the number of iterations, within the grid: rows beyond that have no effect.
    with_halo: Range<usize>,
}

/// The rows of a part in bands, for this number of iterations on a grid of `all` rows.
fn bands(part: Range<usize>, iterations: usize, all: usize) -> impl Iterator<Item = Band> {
    let end = part.end;
    part.step_by(BAND).map(move |from| {
        let own = from..end.min(from + BAND);
        let with_halo = from.saturating_sub(iterations)..all.min(own.end + iterations);
        Band { own, with_halo }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_include_the_rows_that_they_depend_on() {
        let all: Vec<_> = bands(3..100, 5, 103).map(|band| (band.own, band.with_halo)).collect();
        assert_eq!(all, [(3..51, 0..56), (51..99, 46..103), (99..100, 94..103)]);
    }
}
