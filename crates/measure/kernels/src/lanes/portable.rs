//! Plain Rust for any processor: no prefetch, and stores go through the caches.
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]

use super::{LANES, Lanes};

#[derive(Clone, Copy)]
pub(crate) struct Plain([f64; LANES]);

impl Plain {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of loops")]
    fn zip(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        let mut result = self.0;
        for (a, b) in result.iter_mut().zip(other.0) {
            *a = operation(*a, b);
        }
        Self(result)
    }
}

// SAFETY: nothing but reads and writes of doubles.
#[rustfmt::skip]
#[allow(clippy::inline_always, reason = "a part of loops")]
unsafe impl Lanes for Plain {
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self([x; LANES]) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(from.cast::<[f64; LANES]>().read()) }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { from.add(lane).read() } else { 0.0 }))
    }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self {
        Self(std::array::from_fn(|lane| if lane < count { self.0[lane] } else { 0.0 }))
    }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        from.map(|from| Self(std::array::from_fn(|lane| from.add(at.add(lane).read() as usize).read())))
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        let element = |lane| from.add(at.add(lane).read() as usize).read();
        Self(std::array::from_fn(|lane| if lane < count { element(lane) } else { 0.0 }))
    }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { to.cast::<[f64; LANES]>().write(self.0) }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { self.store(to) }
    #[inline(always)] unsafe fn prefetch(_line: *const f64) {}
    #[inline(always)] unsafe fn prefetch_second(_line: *const f64) {}
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { self.zip(other, |a, b| a + b) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { self.zip(other, |a, b| a - b) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { self.zip(other, |a, b| a * b) }
    #[inline(always)] unsafe fn fence() {}
}
