//! Rows of a dense complex matrix times a vector.
// The lanes' functions; what they need is looked at before.
#![allow(unsafe_code)]

use super::split::{Split, SplitMut, Sums};
use crate::isa::Isa;
use crate::lanes::{LANES, Lanes, dispatch};

/// Rows at a time: with two arrays eight streams, and all sums stay in registers.
const ROWS: usize = 4;
/// How many elements ahead a row is prefetched, each line twice (as the benchmark's own kernels do: 6 and 3 KiB).
const AHEAD: [usize; 2] = [768, 384];

/// y = A x; `matrix` has rows of `x.len()` elements, at least as many as y has.
pub(super) fn multiply(isa: Isa, matrix: Split<'_>, x: Split<'_>, y: SplitMut<'_>) {
    let columns = x.len();
    if columns == 0 {
        y.re.fill(0.0);
        y.im.fill(0.0);
        return;
    }
    // Rows that are not there are not computed; then the check says so.
    let rows = y.re.len().min(y.im.len()).min(matrix.len() / columns);
    let SplitMut { re, im } = y;
    let (re, im) = (&mut re[..rows], &mut im[..rows]);
    // SAFETY: the processor has the instruction set (`dispatch`); `matrix` has `rows` rows of `x.len()` elements.
    dispatch!(isa, all(matrix: Split<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64]));
}

/// # Safety
/// The processor has the instruction set; `re` and `im` have one length, so many rows of `x.len()` elements has `matrix`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn all<L: Lanes>(matrix: Split<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64]) {
    let (rows, columns) = (re.len(), x.len());
    let fours = rows - rows % ROWS;
    // SAFETY: the last row is below `rows`.
    unsafe {
        for row in (0..fours).step_by(ROWS) {
            let products = some::<L, ROWS>(matrix, row * columns, x);
            for next in 0..ROWS {
                (re[row + next], im[row + next]) = products[next];
            }
        }
        for row in fours..rows {
            let [product] = some::<L, 1>(matrix, row * columns, x);
            (re[row], im[row]) = product;
        }
    }
}

/// The products of `R` rows from the element `first` on.
///
/// # Safety
/// The processor has the instruction set; `matrix` has so many elements.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `all`")]
unsafe fn some<L: Lanes, const R: usize>(matrix: Split<'_>, first: usize, x: Split<'_>) -> [(f64, f64); R] {
    let columns = x.len();
    let (whole, rest) = (columns - columns % LANES, columns % LANES);
    // SAFETY: places are below `first + R * columns` and `columns`; prefetches may go anywhere.
    unsafe {
        let (a_re, a_im) = (matrix.re.as_ptr().add(first), matrix.im.as_ptr().add(first));
        let (x_re, x_im) = (x.re.as_ptr(), x.im.as_ptr());
        let mut sums = [Sums::<L>::zero(); R];
        let mut column = 0;
        while column < whole {
            // Behind the end of these rows are those after all of them.
            let over = if column + AHEAD[0] < columns { 0 } else { (R - 1) * columns };
            let b = (L::load(x_re.add(column)), L::load(x_im.add(column)));
            for row in 0..R {
                let (at_re, at_im) = (a_re.add(row * columns + column), a_im.add(row * columns + column));
                for ahead in AHEAD {
                    L::prefetch(at_re.wrapping_add(ahead + over));
                    L::prefetch(at_im.wrapping_add(ahead + over));
                }
                sums[row].add((L::load(at_re), L::load(at_im)), b);
            }
            column += LANES;
        }
        if rest > 0 {
            let b = (L::load_first(x_re.add(whole), rest), L::load_first(x_im.add(whole), rest));
            for row in 0..R {
                let (at_re, at_im) = (a_re.add(row * columns + whole), a_im.add(row * columns + whole));
                sums[row].add((L::load_first(at_re, rest), L::load_first(at_im, rest)), b);
            }
        }
        let mut products = [(0.0, 0.0); R];
        for row in 0..R {
            products[row] = sums[row].total();
        }
        products
    }
}
