//! Rows of a dense complex matrix times a vector.

// The functions of the lanes need this; their requirements are checked before.
#![allow(unsafe_code)]

use crate::loops::Loops;
use crate::matrix::NEAR;
use crate::simd::{LINE, Vector, dispatch};

/// Number of places at which rows are processed at once, each a fifth of all rows: with two arrays these are ten streams without a gap, and
/// all sums stay in registers.
///
/// Several rows are processed at once because a vector x of some thousand numbers comes from the second-level cache again and again. The
/// alternatives were tried on one machine (AMD, AVX-512, one thread, 2500 to 5100 columns, in pairs with other load). As fractions of the
/// read bandwidth of four streams they reached: one row 0.64, four adjacent rows 0.86, four places 0.92, five 0.93, with [`NEAR`] 0.96,
/// with [`FURTHER`] 0.98. Rows in pieces for which x stays in the first-level cache reached 0.65, because the processor can no longer
/// predict the next reads. These are CPU times of the thread. In wall-clock time, in pairs without other load, it is 0.91 of the
/// benchmark's read on one thread and 0.86 on two (`results/2026-11-24-2-core-vm-real-kernels`).
const PLACES: usize = 5;
/// Distance in bytes at which lines are prefetched into the second-level cache, if only [`NEAR`] is requested (0.02 more).
const FURTHER: usize = 1024;
/// Default prefetch distances of a row in bytes, each line twice (as in the benchmark's own kernels).
const AHEAD: [usize; 2] = [6144, 3072];

/// y = A x; `matrix` has rows of `x.len()` elements, at least the number of rows of y.
pub(super) fn multiply(loops: Loops, matrix: Split<'_>, x: Split<'_>, y: SplitMut<'_>) {
    let columns = x.len();
    if columns == 0 {
        y.re.fill(0.0);
        y.im.fill(0.0);
        return;
    }
    // Missing rows are not computed; the check then detects it.
    let rows = y.re.len().min(y.im.len()).min(matrix.len() / columns);
    let SplitMut { re, im } = y;
    let (re, im) = (&mut re[..rows], &mut im[..rows]);
    let (isa, ahead) = (loops.isa, loops.ahead(AHEAD));
    // SAFETY: the processor has the instruction set (`dispatch`); `matrix` has `rows` rows of `x.len()` elements.
    dispatch!(isa, all(matrix: Split<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64], ahead: [usize; 2]));
}

/// # Safety
/// The processor has the instruction set; `re` and `im` have one length, and `matrix` has this number of rows of `x.len()` elements.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn all<L: Vector>(matrix: Split<'_>, x: Split<'_>, re: &mut [f64], im: &mut [f64], ahead: [usize; 2]) {
    // SAFETY: the caller promises the same.
    unsafe {
        match ahead {
            [0, 0] => rows::<L, 1, true>(matrix, x, re, im, [NEAR]),
            [far, near] if far == near || near == 0 => rows::<L, 1, false>(matrix, x, re, im, [far]),
            both => rows::<L, 2, false>(matrix, x, re, im, both),
        }
    }
}

/// With `P` prefetches of each line, and with `SECOND` one more into the second-level cache.
///
/// # Safety
/// As [`all`].
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `all`")]
unsafe fn rows<L: Vector, const P: usize, const SECOND: bool>(
    matrix: Split<'_>,
    x: Split<'_>,
    re: &mut [f64],
    im: &mut [f64],
    ahead: [usize; P],
) {
    let rows = re.len();
    let each = rows / PLACES;
    // SAFETY: the last row is below `rows`.
    unsafe {
        for row in 0..each {
            let products = some::<L, PLACES, P, SECOND>(matrix, row, each, x, ahead);
            for (place, product) in products.into_iter().enumerate() {
                (re[place * each + row], im[place * each + row]) = product;
            }
        }
        for row in PLACES * each..rows {
            let [product] = some::<L, 1, P, SECOND>(matrix, row, 0, x, ahead);
            (re[row], im[row]) = product;
        }
    }
}

/// The products of `R` rows, starting at `first`, each at a fixed distance from the previous one.
///
/// # Safety
/// The processor has the instruction set; `matrix` has these rows.
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `all`")]
unsafe fn some<L: Vector, const R: usize, const P: usize, const SECOND: bool>(
    matrix: Split<'_>,
    first: usize,
    next: usize,
    x: Split<'_>,
    ahead: [usize; P],
) -> [(f64, f64); R] {
    let columns = x.len();
    let (whole, rest) = (columns - columns % LINE, columns % LINE);
    let (begin, next) = (first * columns, next * columns);
    // SAFETY: indices are below the end of a row and `columns`; prefetches may use any address.
    unsafe {
        let (a_re, a_im) = (matrix.re.as_ptr().add(begin), matrix.im.as_ptr().add(begin));
        let (x_re, x_im) = (x.re.as_ptr(), x.im.as_ptr());
        let mut sums = [Sums::<L>::zero(); R];
        let mut column = 0;
        while column < whole {
            let b = (L::load(x_re.add(column)), L::load(x_im.add(column)));
            for (row, sums) in sums.iter_mut().enumerate() {
                let (at_re, at_im) = (a_re.add(row * next + column), a_im.add(row * next + column));
                for bytes in ahead {
                    L::prefetch(at_re.wrapping_byte_add(bytes));
                    L::prefetch(at_im.wrapping_byte_add(bytes));
                }
                if SECOND {
                    L::prefetch_second(at_re.wrapping_byte_add(FURTHER));
                    L::prefetch_second(at_im.wrapping_byte_add(FURTHER));
                }
                sums.add((L::load(at_re), L::load(at_im)), b);
            }
            column += LINE;
        }
        if rest > 0 {
            let b = (L::load_first(x_re.add(whole), rest), L::load_first(x_im.add(whole), rest));
            for (row, sums) in sums.iter_mut().enumerate() {
                let (at_re, at_im) = (a_re.add(row * next + whole), a_im.add(row * next + whole));
                sums.add((L::load_first(at_re, rest), L::load_first(at_im, rest)), b);
            }
        }
        let mut products = [(0.0, 0.0); R];
        for (product, sums) in products.iter_mut().zip(sums) {
            *product = sums.total();
        }
        products
    }
}

/// Real and imaginary parts, of equal number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split<'a> {
    pub(super) re: &'a [f64],
    pub(super) im: &'a [f64],
}

impl Split<'_> {
    /// Number of complete complex numbers.
    pub(super) fn len(self) -> usize {
        self.re.len().min(self.im.len())
    }
}

/// The same for writing.
#[derive(Debug)]
pub(super) struct SplitMut<'a> {
    pub(super) re: &'a mut [f64],
    pub(super) im: &'a mut [f64],
}

/// Eight sums of products.
#[derive(Clone, Copy)]
pub(super) struct Sums<L> {
    re: L,
    im: L,
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
impl<L: Vector> Sums<L> {
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn zero() -> Self {
        // SAFETY: the caller promises the same.
        unsafe { Self { re: L::splat(0.0), im: L::splat(0.0) } }
    }

    /// Adds a b, real and imaginary parts each, in an order that is the same in all code.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, (a_re, a_im): (L, L), (b_re, b_im): (L, L)) {
        // SAFETY: the caller promises the same.
        unsafe {
            self.re = self.re.add(a_re.multiply(b_re)).subtract(a_im.multiply(b_im));
            self.im = self.im.add(a_re.multiply(b_im)).add(a_im.multiply(b_re));
        }
    }

    /// The sum of all eight.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn total(self) -> (f64, f64) {
        // SAFETY: the caller promises the same.
        unsafe { (self.re.total(), self.im.total()) }
    }
}
