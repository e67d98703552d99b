//! Five points: 5 FLOP and 16 bytes for each point, 0.3125 FLOP/byte.

// The functions of the lanes need this; their requirements are checked before.
#![allow(unsafe_code)]

use serde::{Deserialize, Serialize};

use crate::array::{AccessError, Array};
use crate::fill::{self, Turn, number};
use crate::grid::{bands, checked, points};
use crate::kernel::{
    Kernel, Lies, Need, Problem, SetupError, Work, WrongResult, common_steps, compare, exactly,
};
use crate::loops::{Isa, Loops};
use crate::simd::{LINE, Vector, dispatch};
use crate::stencil::{Beside, average, average_tile};
use crate::team::{Division, Team};

/// Iterations until the problem starts again with its first grid: a serial run takes that number, and rows depend on that number of rows
/// around them.
const ITERATIONS: u64 = 10;
/// The contents of a grid.
const WHAT: &str = "points of a grid";

/// Each point becomes a fifth of itself and its four neighbours, in another grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stencil2d {
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid.
    pub columns: usize,
}

impl Problem for Stencil2d {
    fn name(&self) -> &'static str {
        "stencil2d"
    }

    /// The first grid, and two that are written in turn.
    fn arrays(&self, team: &Team) -> Result<Vec<Need>, SetupError> {
        checked(self.rows, self.columns)?;
        let rows = Division::even(self.rows, team.parts());
        let lies = Lies::Divided(rows.times(8 * self.columns));
        Ok([(); 3].map(|()| Need::new(WHAT, 8 * self.rows * self.columns, lies.clone())).into())
    }

    fn work(&self) -> Work {
        let points = points(self.rows, self.columns);
        Work { bytes: 16 * points, flop: 5 * points }
    }

    fn place<'m>(
        &self,
        team: &Team,
        loops: Loops,
        memory: Vec<&'m mut [f64]>,
    ) -> Result<Box<dyn Kernel + 'm>, SetupError> {
        let [first, even, odd] = exactly(memory)?;
        let rows = Division::even(self.rows, team.parts());
        let grid = |memory| Array::new(WHAT, memory, rows.times(self.columns));
        let grids = [grid(first)?, grid(even)?, grid(odd)?];
        Ok(Box::new(Placed { isa: loops.isa, size: *self, rows, beyond: vec![0.0; self.columns], grids }))
    }
}

/// Three grids in memory.
struct Placed<'m> {
    isa: Isa,
    size: Stencil2d,
    rows: Division,
    /// The values above the first row and below the last one.
    beyond: Vec<f64>,
    grids: [Array<'m, f64>; 3],
}

impl Kernel for Placed<'_> {
    fn parts(&self) -> usize {
        self.rows.parts()
    }

    fn prepare(&self, part: usize) -> Result<(), AccessError> {
        let [first, others @ ..] = &self.grids;
        let corner = (self.rows.range(part).start, 0);
        fill::rows(&mut first.write(part)?, self.size.columns, corner, number);
        for grid in others {
            grid.write(part)?.fill(0.0);
        }
        Ok(())
    }

    fn in_lockstep(&self) -> bool {
        true
    }

    fn run(&self, part: usize, step: u64) -> Result<(), AccessError> {
        let Turn { read, written, .. } = Turn::of(step, ITERATIONS);
        // One of three.
        let (old, mut new) = (self.grids[read].read()?, self.grids[written].write(part)?);
        let columns = self.size.columns;
        let row = |number: usize| old.get(number * columns..(number + 1) * columns);
        let first = self.rows.range(part).start;
        let around = |number: usize| {
            let number = first + number;
            let up = if number == 0 { Some(&self.beyond[..]) } else { row(number - 1) };
            let down = if number + 1 == self.size.rows { Some(&self.beyond[..]) } else { row(number + 1) };
            Some(Around { up: up?, row: row(number)?, down: down? })
        };
        rows(self.isa, columns, around, &mut new);
        Ok(())
    }

    fn work(&self, part: usize) -> Work {
        Stencil2d { rows: self.rows.range(part).len(), ..self.size }.work()
    }

    /// Band by band, with the kernel of tasks: a band and the rows that it depends on fit the caches.
    fn check_part(&self, part: usize, steps: &[u64]) -> Result<(), WrongResult> {
        let steps = common_steps(steps)?;
        // The output of the last two iterations still exists.
        let made = steps.checked_sub(1).map_or(0, |last| Turn::of(last, ITERATIONS).number + 1);
        let Stencil2d { rows, columns } = self.size;
        // At most `ITERATIONS`.
        let halo = usize::try_from(made).unwrap_or(rows);
        for band in bands(self.rows.range(part), halo, rows) {
            let mut old = vec![0.0; band.with_halo.len() * columns];
            let mut new = old.clone();
            fill::rows(&mut old, columns, (band.with_halo.start, 0), number);
            let from = (band.own.start - band.with_halo.start) * columns;
            let own = band.own.start * columns..band.own.end * columns;
            let same = |grid: usize, serial: &[f64]| {
                let found = self.grids[grid].read()?;
                let found = found.get(own.clone()).unwrap_or_default().iter().copied();
                compare(WHAT, found, serial.get(from..from + own.len()).unwrap_or_default().iter().copied())
                    .map_err(|wrong| wrong.moved(own.start))
            };
            same(0, &old)?;
            for number in 0..made {
                average_tile(columns, &old, Beside::default(), &mut new);
                if number + 2 >= made {
                    same(Turn::of(number, ITERATIONS).written, &new)?;
                }
                std::mem::swap(&mut old, &mut new);
            }
        }
        Ok(())
    }
}

/// The rows from which a row of new values is computed, all of one length.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) up: &'a [f64],
    pub(super) row: &'a [f64],
    pub(super) down: &'a [f64],
}

/// New values of the rows of a part: `old` has those rows, the one above and the one below them, `new` only the rows themselves.
///
/// Left and right of a row is 0. Missing rows are not computed; the check then detects it.
pub(super) fn rows<'a>(
    isa: Isa,
    columns: usize,
    around: impl Fn(usize) -> Option<Around<'a>>,
    new: &mut [f64],
) {
    for (number, new) in new.chunks_exact_mut(columns.max(1)).enumerate() {
        let Some(around) = around(number) else { continue };
        let lens = [around.up.len(), around.row.len(), around.down.len()];
        if lens != [columns; 3] {
            continue;
        }
        // SAFETY: the processor has the instruction set (`dispatch`); all rows have one length.
        dispatch!(isa, row(around: Around<'_>, new: &mut [f64]));
    }
}

/// # Safety
/// The processor has the instruction set; all rows have one length.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn row<L: Vector>(around: Around<'_>, new: &mut [f64]) {
    let Around { up, row, down } = around;
    let width = new.len();
    let one = |place: usize| {
        let left = if place == 0 { 0.0 } else { row[place - 1] };
        let right = row.get(place + 1).copied().unwrap_or(0.0);
        average(row[place], [up[place], down[place], left, right])
    };
    // From the first line of the result that starts after the first point, all lines that end before the last one.
    let to_line = new.as_ptr().addr().wrapping_neg() % (LINE * size_of::<f64>()) / size_of::<f64>();
    let first = if to_line == 0 { LINE } else { to_line };
    let lines = width.saturating_sub(first + 1) / LINE;
    for place in 0..first.min(width) {
        new[place] = one(place);
    }
    // SAFETY: indices start at 1, and their last lane is before the last point.
    unsafe {
        let (a, b, c) = (up.as_ptr(), row.as_ptr(), down.as_ptr());
        let fifth = L::splat(0.2);
        for line in 0..lines {
            let place = first + line * LINE;
            let sum = L::load(b.add(place)).add(L::load(a.add(place))).add(L::load(c.add(place)));
            let sum = sum.add(L::load(b.add(place - 1))).add(L::load(b.add(place + 1)));
            sum.multiply(fifth).stream(new.as_mut_ptr().add(place));
        }
        L::fence();
    }
    for place in first + lines * LINE..width {
        new[place] = one(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::number;
    use crate::stencil::average_row;

    #[test]
    fn rows_of_any_length_and_place_match_the_task_kernel() {
        for isa in Isa::available() {
            for width in (1..40).chain([1000, 1003]) {
                for from in 0..8 {
                    let old = |row| (0..width).map(|column| number(row, column)).collect::<Vec<f64>>();
                    let (up, row, down) = (old(1), old(2), old(3));
                    let (mut new, mut expected) = (vec![7.0; width + from + 3], vec![7.0; width]);
                    let around = Around { up: &up, row: &row, down: &down };
                    rows(isa, width, |_| Some(around), &mut new[from..from + width]);
                    average_row(&row, (&up, &down), (0.0, 0.0), &mut expected);
                    assert_eq!(new[from..from + width], expected, "{isa} {width} {from}");
                    // Nothing beyond was written.
                    assert!(new[..from].iter().chain(&new[from + width..]).all(|&x| x == 7.0));
                }
            }
        }
    }
}
