//! x86-64 with AVX2: two vectors of four.
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]

use std::arch::x86_64::{
    __m256d, __m256i, _MM_HINT_T0, _MM_HINT_T1, _mm_add_pd, _mm_add_sd, _mm_cmpgt_epi32, _mm_cvtsd_f64,
    _mm_load_sd, _mm_loadh_pd, _mm_maskload_epi32, _mm_prefetch, _mm_set_epi32, _mm_set1_epi32, _mm_sfence,
    _mm_unpackhi_pd, _mm256_add_pd, _mm256_and_pd, _mm256_castpd128_pd256, _mm256_castpd256_pd128,
    _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi64, _mm256_extractf128_pd,
    _mm256_insertf128_pd, _mm256_loadu_pd, _mm256_loadu_si256, _mm256_mask_i32gather_pd, _mm256_maskload_pd,
    _mm256_movemask_ps, _mm256_mul_pd, _mm256_permutevar8x32_epi32, _mm256_set_epi32, _mm256_set_epi64x,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
    _mm256_stream_pd, _mm256_sub_epi32, _mm256_sub_pd,
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
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_set_epi64x(3, 2, 1, 0))
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
    let mask = _mm_cmpgt_epi32(_mm_set1_epi32(count as i32), _mm_set_epi32(3, 2, 1, 0));
    let at = _mm_maskload_epi32(at.cast(), mask);
    _mm256_mask_i32gather_pd::<8>(_mm256_setzero_pd(), from, at, _mm256_castsi256_pd(below(count)))
}

/// Bit i: the index i + 1 of eight follows index i.
///
/// # Safety
/// AVX2; eight indices.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none")]
pub(super) unsafe fn neighbours(at: *const u32) -> i32 {
    let here = _mm256_loadu_si256(at.cast());
    let next = _mm256_permutevar8x32_epi32(here, _mm256_set_epi32(7, 7, 6, 5, 4, 3, 2, 1));
    let follows = _mm256_cmpeq_epi32(_mm256_sub_epi32(next, here), _mm256_set1_epi32(1));
    _mm256_movemask_ps(_mm256_castsi256_ps(follows)) & 0x7F
}

/// Elements of two arrays at four indices: one by one, as instructions that gather are slower on many processors, or in one piece if these are neighbours.
///
/// # Safety
/// AVX2; four indices of elements that may be read, `together` only if each follows the one before.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
pub(super) unsafe fn four(from: [*const f64; 2], at: *const u32, together: bool) -> [__m256d; 2] {
    let place = |lane: usize| at.add(lane).read() as usize;
    if together {
        return from.map(|from| _mm256_loadu_pd(from.add(place(0))));
    }
    from.map(|from| {
        let two = |lane| _mm_loadh_pd(_mm_load_sd(from.add(place(lane))), from.add(place(lane + 1)));
        _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(two(0)), two(2))
    })
}

/// The sum of half sums, as [`super::total`] has it.
///
/// # Safety
/// AVX2.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a part of loops")]
pub(super) unsafe fn total(halves: __m256d) -> f64 {
    let two = _mm_add_pd(_mm256_castpd256_pd128(halves), _mm256_extractf128_pd::<1>(halves));
    _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
}

// SAFETY: each function is the instruction of its name, twice.
#[rustfmt::skip]
#[allow(clippy::inline_always, reason = "inlined into functions that enable the instruction set")]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none")]
unsafe impl Lanes for Pair {
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4))) }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self {
        Self(_mm256_maskload_pd(from, below(count)), _mm256_maskload_pd(from.wrapping_add(4), below(count.saturating_sub(4))))
    }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self {
        let of = |half, count| _mm256_and_pd(half, _mm256_castsi256_pd(below(count)));
        Self(of(self.0, count), of(self.1, count.saturating_sub(4)))
    }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        let neighbours = neighbours(at);
        let [low, other_low] = four(from, at, neighbours & 7 == 7);
        let [high, other_high] = four(from, at.add(4), neighbours >> 4 == 7);
        [Self(low, high), Self(other_low, other_high)]
    }
    #[inline(always)] unsafe fn total(self) -> f64 { total(_mm256_add_pd(self.0, self.1)) }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        Self(gather_first(from, at, count), gather_first(from, at.wrapping_add(4), count.saturating_sub(4)))
    }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { _mm256_storeu_pd(to, self.0); _mm256_storeu_pd(to.add(4), self.1) }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { _mm256_stream_pd(to, self.0); _mm256_stream_pd(to.add(4), self.1) }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    #[inline(always)] unsafe fn prefetch_second(line: *const f64) { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(_mm256_add_pd(self.0, other.0), _mm256_add_pd(self.1, other.1)) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { Self(_mm256_sub_pd(self.0, other.0), _mm256_sub_pd(self.1, other.1)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(_mm256_mul_pd(self.0, other.0), _mm256_mul_pd(self.1, other.1)) }
    #[inline(always)] unsafe fn fence() { _mm_sfence() }
}
