//! x86-64 with AVX2: two vectors of four.

use std::arch::x86_64::{
    __m256d, __m256i, _MM_HINT_T0, _mm_cmpgt_epi32, _mm_loadu_si128, _mm_maskload_epi32, _mm_prefetch,
    _mm_set_epi32, _mm_set1_epi32, _mm_sfence, _mm256_add_pd, _mm256_castsi256_pd, _mm256_cmpgt_epi64,
    _mm256_i32gather_pd, _mm256_loadu_pd, _mm256_mask_i32gather_pd, _mm256_maskload_pd, _mm256_mul_pd,
    _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
    _mm256_stream_pd, _mm256_sub_pd,
};

use super::Lanes;

#[derive(Clone, Copy)]
pub(crate) struct Pair(__m256d, __m256d);

/// The lanes below `count`.
///
/// # Safety
/// AVX2.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
unsafe fn below(count: usize) -> __m256i {
    // At most 8.
    #[allow(clippy::cast_possible_wrap)]
    unsafe {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_set_epi64x(3, 2, 1, 0))
    }
}

/// Elements at the first of four indices; the others are 0.
///
/// # Safety
/// AVX2; `count` indices of elements that may be read.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> __m256d {
    // At most 8.
    #[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation)]
    unsafe {
        let mask = _mm_cmpgt_epi32(_mm_set1_epi32(count as i32), _mm_set_epi32(3, 2, 1, 0));
        let at = _mm_maskload_epi32(at.cast(), mask);
        _mm256_mask_i32gather_pd::<8>(_mm256_setzero_pd(), from, at, _mm256_castsi256_pd(below(count)))
    }
}

// SAFETY: each function is the instruction of its name, twice.
#[rustfmt::skip]
#[allow(clippy::inline_always, reason = "inlined into functions that enable the instruction set")]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none")]
unsafe impl Lanes for Pair {
    #[inline(always)] unsafe fn splat(x: f64) -> Self { unsafe { Self(_mm256_set1_pd(x), _mm256_set1_pd(x)) } }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { unsafe { Self(_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4))) } }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self {
        unsafe { Self(_mm256_maskload_pd(from, below(count)), _mm256_maskload_pd(from.wrapping_add(4), below(count.saturating_sub(4)))) }
    }
    #[inline(always)] unsafe fn gather(from: *const f64, at: *const u32) -> Self {
        unsafe {
            let (low, high) = (_mm_loadu_si128(at.cast()), _mm_loadu_si128(at.add(4).cast()));
            Self(_mm256_i32gather_pd::<8>(from, low), _mm256_i32gather_pd::<8>(from, high))
        }
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        unsafe { Self(gather_first(from, at, count), gather_first(from, at.wrapping_add(4), count.saturating_sub(4))) }
    }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { unsafe { _mm256_storeu_pd(to, self.0); _mm256_storeu_pd(to.add(4), self.1) } }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { unsafe { _mm256_stream_pd(to, self.0); _mm256_stream_pd(to.add(4), self.1) } }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) } }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { unsafe { Self(_mm256_add_pd(self.0, other.0), _mm256_add_pd(self.1, other.1)) } }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { unsafe { Self(_mm256_sub_pd(self.0, other.0), _mm256_sub_pd(self.1, other.1)) } }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { unsafe { Self(_mm256_mul_pd(self.0, other.0), _mm256_mul_pd(self.1, other.1)) } }
    #[inline(always)] unsafe fn fence() { unsafe { _mm_sfence() } }
}
