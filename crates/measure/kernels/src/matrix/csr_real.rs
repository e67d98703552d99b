//! Rows of a sparse matrix of real numbers times a vector.
// The lanes' functions; what they need is looked at before.
#![allow(unsafe_code)]

use super::csr::{Csr, ahead};
use crate::simd::{LINE, Vector, dispatch};
use crate::way::Loops;

/// y = A x of as many rows as both have.
///
/// # Safety
/// All columns of `matrix` are below `x.len()`, which is at most [`MOST_COLUMNS`](super::csr::MOST_COLUMNS).
pub(super) unsafe fn multiply(loops: Loops, matrix: Csr<'_>, x: &[f64], y: &mut [f64]) {
    let (isa, ahead) = (loops.isa, ahead(loops));
    // SAFETY: the processor has the instruction set (`dispatch`); elements are there (`Csr::real`), columns by the caller's promise.
    dispatch!(isa, all(matrix: Csr<'_>, x: &[f64], y: &mut [f64], ahead: usize));
}

/// # Safety
/// As [`multiply`]; the processor has the instruction set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
#[allow(clippy::cast_ptr_alignment, reason = "prefetches need none")]
unsafe fn all<L: Vector>(matrix: Csr<'_>, x: &[f64], y: &mut [f64], ahead: usize) {
    let (values, x) = (matrix.values.re.as_ptr(), x.as_ptr());
    for (bounds, y) in matrix.pointers.windows(2).zip(y) {
        let &[from, to] = bounds else { continue };
        let (mut at, to) = (from as usize, to as usize);
        // SAFETY: `to` is at most the number of elements, and columns may be read.
        unsafe {
            let mut sum = L::splat(0.0);
            while at + LINE <= to {
                let column = matrix.columns.as_ptr().add(at);
                L::prefetch(values.add(at).wrapping_byte_add(ahead));
                L::prefetch(column.wrapping_byte_add(ahead / 2).cast());
                // The other half is the same, and is not loaded.
                let [x, _] = L::gather([x; 2], column);
                sum = sum.add(L::load(values.add(at)).multiply(x));
                at += LINE;
            }
            if at < to {
                let (rest, column) = (to - at, matrix.columns.as_ptr().add(at));
                let value = L::load_first(values.add(at), rest);
                sum = sum.add(value.multiply(L::gather_first(x, column, rest)));
            }
            *y = sum.total();
        }
    }
}
