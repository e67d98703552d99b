//! Rows of a sparse complex matrix (CSR: compressed sparse rows) times a vector.

// The functions of the lanes need this; their requirements are checked before.
#![allow(unsafe_code)]

use crate::loops::Loops;
use crate::matrix::NEAR;
use crate::matrix::dense::{Split, SplitMut, Sums};
use crate::simd::{LINE, Vector, dispatch};

/// Default prefetch distance of values in bytes; columns use half of it.
const AHEAD: [usize; 2] = [2048, 2048];
/// Indices of gathers are signed.
pub(super) const MOST_COLUMNS: usize = i32::MAX as usize;

/// Rows with checked positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Csr<'a> {
    /// The start of each row, and the end of the last one.
    pub(super) pointers: &'a [u32],
    /// The column of each element.
    pub(super) columns: &'a [u32],
    /// The elements; real ones have no imaginary parts.
    pub(super) values: Split<'a>,
}

impl<'a> Csr<'a> {
    /// `pointers` has one entry more than there are rows, and columns and values start with element 0.
    ///
    /// `None` if pointers do not ascend or elements are missing. Columns are not checked.
    pub(super) fn new(pointers: &'a [u32], columns: &'a [u32], values: Split<'a>) -> Option<Self> {
        Self::of(pointers, columns, values, values.len())
    }

    /// The same for real numbers.
    pub(super) fn real(pointers: &'a [u32], columns: &'a [u32], values: &'a [f64]) -> Option<Self> {
        Self::of(pointers, columns, Split { re: values, im: &[] }, values.len())
    }

    fn of(pointers: &'a [u32], columns: &'a [u32], values: Split<'a>, count: usize) -> Option<Self> {
        let elements = columns.len().min(count);
        let last = usize::try_from(*pointers.last()?).ok()?;
        (pointers.is_sorted() && last <= elements).then_some(Self { pointers, columns, values })
    }
}

/// Prefetch distance of values in bytes: one prefetch is enough for rows that are read in sequence.
pub(super) fn ahead(loops: Loops) -> usize {
    match loops.ahead(AHEAD) {
        [0, 0] => NEAR,
        [far, 0] => far,
        [_, near] => near,
    }
}

/// y = A x for the number of rows that both have.
///
/// # Safety
/// All columns of `matrix` are below `x.len()`, which is at most [`MOST_COLUMNS`].
pub(super) unsafe fn multiply(loops: Loops, matrix: Csr<'_>, x: Split<'_>, y: SplitMut<'_>) {
    let rows = y.re.len().min(y.im.len()).min(matrix.pointers.len().saturating_sub(1));
    let SplitMut { re, im } = y;
    let (re, im) = (&mut re[..rows], &mut im[..rows]);
    let (isa, ahead) = (loops.isa, ahead(loops));
    // SAFETY: the processor has the instruction set (`dispatch`); elements exist (`Csr::new`), and columns are valid by the caller's
    // promise.
    dispatch!(isa, all(matrix: Csr<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64], ahead: usize));
}

/// # Safety
/// As [`multiply`]; the processor has the instruction set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
#[allow(clippy::cast_ptr_alignment, reason = "prefetches need none")]
unsafe fn all<L: Vector>(matrix: Csr<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64], ahead: usize) {
    let (a_re, a_im) = (matrix.values.re.as_ptr(), matrix.values.im.as_ptr());
    let (x_re, x_im) = (x.re.as_ptr(), x.im.as_ptr());
    let end = matrix.pointers.last().map_or(0, |&end| end as usize);
    for ((bounds, re), im) in matrix.pointers.windows(2).zip(re).zip(im) {
        let &[from, to] = bounds else { continue };
        let (from, to) = (from as usize, to as usize);
        // SAFETY: `to` is at most the number of elements, and columns may be read up to `end`.
        unsafe {
            let mut sums = Sums::<L>::zero();
            let mut at = from;
            while at + LINE <= to {
                let column = matrix.columns.as_ptr().add(at);
                L::prefetch(a_re.add(at).wrapping_byte_add(ahead));
                L::prefetch(a_im.add(at).wrapping_byte_add(ahead));
                L::prefetch(column.wrapping_byte_add(ahead / 2).cast());
                let a = (L::load(a_re.add(at)), L::load(a_im.add(at)));
                let [re, im] = L::gather([x_re, x_im], column);
                sums.add(a, (re, im));
                at += LINE;
            }
            if at < to {
                let (rest, column) = (to - at, matrix.columns.as_ptr().add(at));
                let a = (L::load_first(a_re.add(at), rest), L::load_first(a_im.add(at), rest));
                // The columns behind it are those of the next rows, and reading them is allowed: that is faster than checking which exist.
                let b = if at + LINE <= end {
                    let [re, im] = L::gather([x_re, x_im], column);
                    (re.first(rest), im.first(rest))
                } else {
                    (L::gather_first(x_re, column, rest), L::gather_first(x_im, column, rest))
                };
                sums.add(a, b);
            }
            (*re, *im) = sums.total();
        }
    }
}

/// y = A x for the number of rows that both have.
///
/// # Safety
/// All columns of `matrix` are below `x.len()`, which is at most [`MOST_COLUMNS`](MOST_COLUMNS).
pub(super) unsafe fn multiply_real(loops: Loops, matrix: Csr<'_>, x: &[f64], y: &mut [f64]) {
    let (isa, ahead) = (loops.isa, ahead(loops));
    // SAFETY: the processor has the instruction set (`dispatch`); elements exist (`Csr::real`), and columns are valid by the caller's
    // promise.
    dispatch!(isa, all_real(matrix: Csr<'_>, x: &[f64], y: &mut [f64], ahead: usize));
}

/// # Safety
/// As [`multiply_real`]; the processor has the instruction set.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
#[allow(clippy::cast_ptr_alignment, reason = "prefetches need none")]
unsafe fn all_real<L: Vector>(matrix: Csr<'_>, x: &[f64], y: &mut [f64], ahead: usize) {
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
