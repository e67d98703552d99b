//! x86-64 with AVX-512 F: a vector is a cache line.
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]

use std::arch::x86_64::{
    __m512d, __mmask8, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _mm_sfence, _mm256_add_pd, _mm512_add_pd,
    _mm512_castpd256_pd512, _mm512_castpd512_pd256, _mm512_castsi512_si256, _mm512_extractf64x4_pd,
    _mm512_insertf64x4, _mm512_loadu_pd, _mm512_mask_i32gather_pd, _mm512_maskz_loadu_epi32,
    _mm512_maskz_loadu_pd, _mm512_maskz_mov_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_setzero_pd,
    _mm512_storeu_pd, _mm512_stream_pd, _mm512_sub_pd,
};

use super::Lanes;
use super::avx2::{four, neighbours, total};

#[derive(Clone, Copy)]
pub(crate) struct Whole(__m512d);

/// The lanes below `count`, which is at most 8.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
#[allow(clippy::cast_possible_truncation, reason = "eight bits")]
fn below(count: usize) -> __mmask8 {
    ((1_u32 << count) - 1) as __mmask8
}

// SAFETY: each function is the instruction of its name.
#[rustfmt::skip]
#[allow(clippy::inline_always, reason = "inlined into functions that enable the instruction set")]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none")]
unsafe impl Lanes for Whole {
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(_mm512_set1_pd(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(_mm512_loadu_pd(from)) }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self { Self(_mm512_maskz_loadu_pd(below(count), from)) }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self { Self(_mm512_maskz_mov_pd(below(count), self.0)) }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        let neighbours = neighbours(at);
        if neighbours == 0x7F {
            return from.map(|from| Self(_mm512_loadu_pd(from.add(at.read() as usize))));
        }
        let [low, other_low] = four(from, at, neighbours & 7 == 7);
        let [high, other_high] = four(from, at.add(4), neighbours >> 4 == 7);
        let both = |low, high| Self(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high));
        [both(low, high), both(other_low, other_high)]
    }
    #[inline(always)] unsafe fn total(self) -> f64 {
        total(_mm256_add_pd(_mm512_castpd512_pd256(self.0), _mm512_extractf64x4_pd::<1>(self.0)))
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        let at = _mm512_castsi512_si256(_mm512_maskz_loadu_epi32(below(count).into(), at.cast()));
        Self(_mm512_mask_i32gather_pd::<8>(_mm512_setzero_pd(), below(count), at, from))
    }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { _mm512_storeu_pd(to, self.0) }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { _mm512_stream_pd(to, self.0) }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    #[inline(always)] unsafe fn prefetch_second(line: *const f64) { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(_mm512_add_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { Self(_mm512_sub_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(_mm512_mul_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn fence() { _mm_sfence() }
}
