//! Plain Rust for any processor: pairs of doubles, which compilers turn into the vectors that every x86-64 and aarch64 has.
//!
//! There is no portable prefetch and no store past the caches: `copy` and `triad` also read the lines that they write
//! (write-allocate), which [`Access`](numasim_model::Access) does not count.
// The trait works on raw pointers.
#![allow(unsafe_code)]
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]

use super::body::{Body, Job, Sums, Vector, bodies, body};

#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Pair([f64; 2]);

impl Pair {
    #[inline(always)]
    #[allow(clippy::inline_always)] // as below
    fn zip(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self([operation(self.0[0], other.0[0]), operation(self.0[1], other.0[1])])
    }
}

// SAFETY: nothing but reads and writes of two aligned doubles.
#[rustfmt::skip]
#[allow(clippy::inline_always, clippy::cast_ptr_alignment, reason = "part of the loops of `body`, which aligns")]
unsafe impl Vector for Pair {
    const LANES: usize = 2;
    const SUMS: usize = 8;
    const OPERANDS_KEPT: usize = 8;
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self([x; 2]) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { from.cast::<Self>().read() }
    #[inline(always)] unsafe fn load_again(from: *const f64) -> Self { from.cast::<Self>().read_volatile() }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { to.cast::<Self>().write(self) }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { self.store(to) }
    #[inline(always)] unsafe fn prefetch(_line: *const f64) {}
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self {
        // Without the instruction, `mul_add` is a slow call of the C library; every aarch64 has it.
        if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
            Self([self.0[0].mul_add(factor.0[0], term.0[0]), self.0[1].mul_add(factor.0[1], term.0[1])])
        } else {
            Self([self.0[0] * factor.0[0] + term.0[0], self.0[1] * factor.0[1] + term.0[1]])
        }
    }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { self.zip(other, |a, b| a + b) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { self.zip(other, |a, b| a * b) }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| f64::from_bits(a.to_bits() ^ b.to_bits()))
    }
    #[inline(always)] unsafe fn fence() {}
}

/// # Safety
/// As [`body`]; any processor will do.
unsafe fn run<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
    body::<Pair, ACCESS, CODE>(job)
}

pub(super) const BODIES: [[Body; 32]; 4] = bodies!(run);
