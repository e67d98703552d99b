//! Rows of the stencil, eight points at once, stored past the caches: nobody reads them before the next iteration.
// The lanes' functions; what they need is looked at before.
#![allow(unsafe_code)]

use crate::isa::Isa;
use crate::simd::{LINE, Vector, dispatch};
use crate::stencil::average;

/// The rows that a row of new values comes from, all of one length.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) up: &'a [f64],
    pub(super) row: &'a [f64],
    pub(super) down: &'a [f64],
}

/// New values of the rows of a part: `old` has those rows, the one above and the one below them, `new` the rows alone.
///
/// What is left and right of a row is 0. Rows that are not there are not computed; then the check says so.
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
    // From the first line of the result that begins after the first point, as many as end before the last one.
    let to_line = new.as_ptr().addr().wrapping_neg() % (LINE * size_of::<f64>()) / size_of::<f64>();
    let first = if to_line == 0 { LINE } else { to_line };
    let lines = width.saturating_sub(first + 1) / LINE;
    for place in 0..first.min(width) {
        new[place] = one(place);
    }
    // SAFETY: places are from 1 on, and their last lane is before the last point.
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
    fn rows_of_any_length_and_place_are_those_of_the_kernel_of_tasks() {
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
                    // Nothing beyond.
                    assert!(new[..from].iter().chain(&new[from + width..]).all(|&x| x == 7.0));
                }
            }
        }
    }
}
