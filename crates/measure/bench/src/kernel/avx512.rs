//! x86-64 with AVX-512 F: a vector is a cache line.
// Intrinsics and the calls of functions that need a processor feature are unsafe.
#![allow(unsafe_code)]
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]

use std::arch::x86_64::{
    __m512d, _MM_HINT_T0, _mm_prefetch, _mm_sfence, _mm512_add_pd, _mm512_castpd_si512, _mm512_castsi512_pd,
    _mm512_fmadd_pd, _mm512_load_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_store_pd, _mm512_stream_pd,
    _mm512_xor_epi64,
};

use super::body::{Body, Job, Sums, Vector, bodies, body};

#[derive(Clone, Copy)]
struct Zmm(__m512d);

// SAFETY: each function is the instruction of its name.
#[rustfmt::skip]
#[allow(clippy::inline_always, reason = "inlined into `run`, which enables the instruction set")]
unsafe impl Vector for Zmm {
    const LANES: usize = 8;
    const SUMS: usize = 16;
    const OPERANDS_KEPT: usize = 8;
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(_mm512_set1_pd(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(_mm512_load_pd(from)) }
    #[inline(always)] unsafe fn load_again(from: *const f64) -> Self { Self::load(from) }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { _mm512_store_pd(to, self.0) }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { _mm512_stream_pd(to, self.0) }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self { Self(_mm512_fmadd_pd(self.0, factor.0, term.0)) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(_mm512_add_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(_mm512_mul_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self {
        Self(_mm512_castsi512_pd(_mm512_xor_epi64(_mm512_castpd_si512(self.0), _mm512_castpd_si512(other.0))))
    }
    #[inline(always)] unsafe fn fence() { _mm_sfence() }
}

/// # Safety
/// As [`body`].
#[target_feature(enable = "avx512f")]
unsafe fn run<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
    body::<Zmm, ACCESS, CODE>(job)
}

pub(super) const BODIES: [[Body; 32]; 4] = bodies!(run);
