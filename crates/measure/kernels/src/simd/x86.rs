//! x86-64: AVX2 with FMA, half a cache line, and AVX-512 F, a whole one.

use std::arch::x86_64::{
    __m256d, __m256i, __m512d, __mmask8, _MM_HINT_T0, _MM_HINT_T1, _mm_add_pd, _mm_add_sd, _mm_castsi128_ps,
    _mm_cmpeq_epi32, _mm_cmpgt_epi32, _mm_cvtsd_f64, _mm_load_sd, _mm_loadh_pd, _mm_loadu_si128,
    _mm_maskload_epi32, _mm_movemask_ps, _mm_prefetch, _mm_set_epi32, _mm_set1_epi32, _mm_sfence,
    _mm_shuffle_epi32, _mm_sub_epi32, _mm_unpackhi_pd, _mm256_add_pd, _mm256_and_pd, _mm256_castpd128_pd256,
    _mm256_castpd256_pd128, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi64,
    _mm256_extractf128_pd, _mm256_fmadd_pd, _mm256_insertf128_pd, _mm256_loadu_pd, _mm256_loadu_si256,
    _mm256_mask_i32gather_pd, _mm256_maskload_pd, _mm256_movemask_ps, _mm256_mul_pd,
    _mm256_permutevar8x32_epi32, _mm256_set_epi32, _mm256_set_epi64x, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd, _mm256_stream_pd, _mm256_sub_epi32, _mm256_sub_pd,
    _mm256_xor_pd, _mm512_add_pd, _mm512_castpd_si512, _mm512_castpd256_pd512, _mm512_castpd512_pd256,
    _mm512_castsi512_pd, _mm512_castsi512_si256, _mm512_extractf64x4_pd, _mm512_fmadd_pd, _mm512_insertf64x4,
    _mm512_loadu_pd, _mm512_mask_i32gather_pd, _mm512_maskz_loadu_epi32, _mm512_maskz_loadu_pd,
    _mm512_maskz_mov_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_setzero_pd, _mm512_storeu_pd,
    _mm512_stream_pd, _mm512_sub_pd, _mm512_xor_epi64,
};

use super::Vector;

#[derive(Clone, Copy)]
pub(crate) struct Ymm(__m256d);

#[derive(Clone, Copy)]
pub(crate) struct Zmm(__m512d);

/// The lanes below `count`.
///
/// # Safety
/// AVX2.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "at most 8")]
unsafe fn below_of_four(count: usize) -> __m256i {
    _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_set_epi64x(3, 2, 1, 0))
}

/// The lanes below `count`, which is at most 8.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "eight bits")]
fn below_of_eight(count: usize) -> __mmask8 {
    ((1_u32 << count) - 1) as __mmask8
}

/// Elements of two arrays at four indices: one by one, because gather instructions are slower on many processors, or in one piece if they
/// are adjacent.
///
/// # Safety
/// AVX2; four indices of elements that may be read, `together` only if each follows the previous one.
#[inline(always)]
unsafe fn four(from: [*const f64; 2], at: *const u32, together: bool) -> [__m256d; 2] {
    let place = |lane: usize| at.add(lane).read() as usize;
    if together {
        return from.map(|from| _mm256_loadu_pd(from.add(place(0))));
    }
    from.map(|from| {
        let two = |lane| _mm_loadh_pd(_mm_load_sd(from.add(place(lane))), from.add(place(lane + 1)));
        _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(two(0)), two(2))
    })
}

// SAFETY: each function is the instruction of its name.
#[rustfmt::skip]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none, and whoever streams aligns")]
unsafe impl Vector for Ymm {
    const LANES: usize = 4;
    const REGISTERS: usize = 16;
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(_mm256_set1_pd(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(_mm256_loadu_pd(from)) }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { _mm256_storeu_pd(to, self.0) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(_mm256_add_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { Self(_mm256_sub_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(_mm256_mul_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self { Self(_mm256_fmadd_pd(self.0, factor.0, term.0)) }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self { Self(_mm256_xor_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self { Self(_mm256_maskload_pd(from, below_of_four(count))) }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self { Self(_mm256_and_pd(self.0, _mm256_castsi256_pd(below_of_four(count)))) }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        let here = _mm_loadu_si128(at.cast());
        // For the first three, the index behind it.
        let follows = _mm_cmpeq_epi32(_mm_sub_epi32(_mm_shuffle_epi32::<0b11_11_10_01>(here), here), _mm_set1_epi32(1));
        four(from, at, _mm_movemask_ps(_mm_castsi128_ps(follows)) & 7 == 7).map(Self)
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        #[allow(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "at most 8")]
        let mask = _mm_cmpgt_epi32(_mm_set1_epi32(count as i32), _mm_set_epi32(3, 2, 1, 0));
        let at = _mm_maskload_epi32(at.cast(), mask);
        Self(_mm256_mask_i32gather_pd::<8>(_mm256_setzero_pd(), from, at, _mm256_castsi256_pd(below_of_four(count))))
    }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { _mm256_stream_pd(to, self.0) }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    #[inline(always)] unsafe fn prefetch_second(line: *const f64) { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    #[inline(always)] unsafe fn fence() { _mm_sfence() }
    #[inline(always)] unsafe fn total(self) -> f64 {
        let two = _mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }
}

// SAFETY: each function is the instruction of its name.
#[rustfmt::skip]
#[allow(clippy::cast_ptr_alignment, reason = "`loadu` needs none")]
unsafe impl Vector for Zmm {
    const LANES: usize = 8;
    const REGISTERS: usize = 32;
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(_mm512_set1_pd(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(_mm512_loadu_pd(from)) }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { _mm512_storeu_pd(to, self.0) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(_mm512_add_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { Self(_mm512_sub_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(_mm512_mul_pd(self.0, other.0)) }
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self { Self(_mm512_fmadd_pd(self.0, factor.0, term.0)) }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self {
        Self(_mm512_castsi512_pd(_mm512_xor_epi64(_mm512_castpd_si512(self.0), _mm512_castpd_si512(other.0))))
    }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self { Self(_mm512_maskz_loadu_pd(below_of_eight(count), from)) }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self { Self(_mm512_maskz_mov_pd(below_of_eight(count), self.0)) }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        let here = _mm256_loadu_si256(at.cast());
        let next = _mm256_permutevar8x32_epi32(here, _mm256_set_epi32(7, 7, 6, 5, 4, 3, 2, 1));
        // Bit i: the index i + 1 follows index i.
        let follows = _mm256_cmpeq_epi32(_mm256_sub_epi32(next, here), _mm256_set1_epi32(1));
        let neighbours = _mm256_movemask_ps(_mm256_castsi256_ps(follows)) & 0x7F;
        if neighbours == 0x7F {
            return from.map(|from| Self(_mm512_loadu_pd(from.add(at.read() as usize))));
        }
        let [low, other_low] = four(from, at, neighbours & 7 == 7);
        let [high, other_high] = four(from, at.add(4), neighbours >> 4 == 7);
        let both = |low, high| Self(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high));
        [both(low, high), both(other_low, other_high)]
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        let at = _mm512_castsi512_si256(_mm512_maskz_loadu_epi32(below_of_eight(count).into(), at.cast()));
        Self(_mm512_mask_i32gather_pd::<8>(_mm512_setzero_pd(), below_of_eight(count), at, from))
    }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { _mm512_stream_pd(to, self.0) }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    #[inline(always)] unsafe fn prefetch_second(line: *const f64) { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    #[inline(always)] unsafe fn fence() { _mm_sfence() }
    #[inline(always)] unsafe fn total(self) -> f64 {
        Ymm(_mm256_add_pd(_mm512_castpd512_pd256(self.0), _mm512_extractf64x4_pd::<1>(self.0))).total()
    }
}
