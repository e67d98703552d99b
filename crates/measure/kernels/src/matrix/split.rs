//! Complex numbers as two arrays, and as two vectors.
// The lanes' functions; what they need is said.
#![allow(unsafe_code)]

use crate::simd::Vector;

/// Real and imaginary parts, as many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split<'a> {
    pub(super) re: &'a [f64],
    pub(super) im: &'a [f64],
}

impl Split<'_> {
    /// Complex numbers: pairs that are there.
    pub(super) fn len(self) -> usize {
        self.re.len().min(self.im.len())
    }
}

/// The same to write to.
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

    /// Adds a b, real and imaginary parts each; in an order that all code keeps to.
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

    /// All eight together.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn total(self) -> (f64, f64) {
        // SAFETY: the caller promises the same.
        unsafe { (self.re.total(), self.im.total()) }
    }
}
