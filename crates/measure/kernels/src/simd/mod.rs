//! Vectors of doubles: the one trait on which memory-bound kernels are built, for each instruction set.
//!
//! A [`Vector`] represents one register, or several next to each other ([`Twice`]). Kernels whose results must be equal in every bit for
//! any instruction set work on cache lines ([`dispatch`]). They use everything except [`Vector::multiply_add`], which alone may be fused;
//! sums go lane by lane. The synthetic kernels must keep the units of a processor busy. They choose registers themselves, and may fuse,
//! because their sums are exact.
// Raw pointers and instruction sets; the requirements are documented at each use.
#![allow(unsafe_code)]
#![allow(unsafe_op_in_unsafe_fn, reason = "no function needs more than its caller promises")]
#![allow(clippy::inline_always, reason = "inlined into functions that enable the instruction set")]

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Ymm, Zmm};

/// Doubles of a cache line: lanes of the vectors from [`dispatch`].
pub(crate) const LINE: usize = 8;

/// A fixed number of doubles at once.
///
/// # Safety
/// All functions need a processor with the instruction set. Pointers of `load` and `store` need [`LANES`](Self::LANES) elements. Those of
/// `load_first` and `gather_first` need `count` elements, at most this number. Those of `load_again` and `stream` are aligned to the
/// vector. `at` has indices below 2^31 of elements that may be read.
pub(crate) unsafe trait Vector: Copy {
    /// Elements; divides [`LINE`].
    const LANES: usize;
    /// Registers of its kind that a processor has.
    const REGISTERS: usize;
    /// All elements `x`.
    unsafe fn splat(x: f64) -> Self;
    /// Reads.
    unsafe fn load(from: *const f64) -> Self;
    /// Writes.
    unsafe fn store(self, to: *mut f64);
    /// `self + other`.
    unsafe fn add(self, other: Self) -> Self;
    /// `self - other`.
    unsafe fn subtract(self, other: Self) -> Self;
    /// `self * other`.
    unsafe fn multiply(self, other: Self) -> Self;
    /// `self * factor + term`, rounded once if the instruction set supports it, else twice.
    unsafe fn multiply_add(self, factor: Self, term: Self) -> Self;
    /// The bits, combined by exclusive or.
    unsafe fn xor(self, other: Self) -> Self;

    /// Reads data that was read or written just before, and leaves the compiler no choice.
    #[inline(always)]
    unsafe fn load_again(from: *const f64) -> Self {
        from.cast::<Self>().read_volatile()
    }

    /// Reads the first elements; the others are 0.
    #[inline(always)]
    unsafe fn load_first(from: *const f64, count: usize) -> Self {
        Self::made(|lane| if lane < count { from.add(lane).read() } else { 0.0 })
    }

    /// Its first elements; the others are 0.
    #[inline(always)]
    unsafe fn first(self, count: usize) -> Self {
        let own = self.array();
        Self::made(|lane| if lane < count { own[lane] } else { 0.0 })
    }

    /// Reads elements of two arrays at the same indices; adjacent ones in one piece.
    #[inline(always)]
    unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        from.map(|from| Self::made(|lane| from.add(at.add(lane).read() as usize).read()))
    }

    /// Reads elements at the first indices; the others are 0.
    #[inline(always)]
    unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        Self::made(|lane| if lane < count { from.add(at.add(lane).read() as usize).read() } else { 0.0 })
    }

    /// Writes past the caches if the instruction set supports it.
    #[inline(always)]
    unsafe fn stream(self, to: *mut f64) {
        self.store(to);
    }

    /// Prefetches the line at an address; any address is allowed, even outside the data.
    #[inline(always)]
    unsafe fn prefetch(_line: *const f64) {}

    /// The same into the second-level cache only.
    #[inline(always)]
    unsafe fn prefetch_second(_line: *const f64) {}

    /// Waits until streamed data is visible.
    #[inline(always)]
    unsafe fn fence() {}

    /// The sum of all lanes, in the order of [`total`].
    #[inline(always)]
    unsafe fn total(self) -> f64 {
        total(self.array())
    }

    /// The elements, followed by 0.
    #[inline(always)]
    unsafe fn array(self) -> [f64; LINE] {
        let mut elements = [0.0; LINE];
        self.store(elements.as_mut_ptr());
        elements
    }

    /// Created from the value of each lane.
    #[inline(always)]
    unsafe fn made(element: impl Fn(usize) -> f64) -> Self {
        let elements: [f64; LINE] =
            std::array::from_fn(|lane| if lane < Self::LANES { element(lane) } else { 0.0 });
        Self::load(elements.as_ptr())
    }
}

/// The sum of all lanes, in the same order in all code: each of the lower half plus one of the upper half, and so on.
#[inline(always)]
pub(crate) fn total(lanes: [f64; LINE]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Plain Rust for any processor; compilers turn pairs of them into the vectors that every x86-64 and aarch64 has. Stores go through the caches, and nothing
/// is prefetched.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Plain<const LANES: usize>([f64; LANES]);

impl<const LANES: usize> Plain<LANES> {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        let mut result = self.0;
        for (a, b) in result.iter_mut().zip(other.0) {
            *a = operation(*a, b);
        }
        Self(result)
    }
}

// SAFETY: only reads and writes of doubles.
#[rustfmt::skip]
unsafe impl<const LANES: usize> Vector for Plain<LANES> {
    const LANES: usize = LANES;
    const REGISTERS: usize = if cfg!(target_arch = "aarch64") { 32 } else { 16 };
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self([x; LANES]) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(from.cast::<[f64; LANES]>().read()) }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { to.cast::<[f64; LANES]>().write(self.0) }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { self.zip(other, |a, b| a + b) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { self.zip(other, |a, b| a - b) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { self.zip(other, |a, b| a * b) }
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self {
        // Without the instruction, `mul_add` is a slow call of the C library; every aarch64 has it.
        if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
            Self(std::array::from_fn(|lane| self.0[lane].mul_add(factor.0[lane], term.0[lane])))
        } else {
            self.multiply(factor).add(term)
        }
    }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| f64::from_bits(a.to_bits() ^ b.to_bits()))
    }
}

/// Two vectors as one.
#[derive(Clone, Copy)]
pub(crate) struct Twice<V>(V, V);

// SAFETY: each function is that of the two halves.
#[rustfmt::skip]
unsafe impl<V: Vector> Vector for Twice<V> {
    const LANES: usize = 2 * V::LANES;
    const REGISTERS: usize = V::REGISTERS / 2;
    #[inline(always)] unsafe fn splat(x: f64) -> Self { Self(V::splat(x), V::splat(x)) }
    #[inline(always)] unsafe fn load(from: *const f64) -> Self { Self(V::load(from), V::load(from.add(V::LANES))) }
    #[inline(always)] unsafe fn store(self, to: *mut f64) { self.0.store(to); self.1.store(to.add(V::LANES)); }
    #[inline(always)] unsafe fn add(self, other: Self) -> Self { Self(self.0.add(other.0), self.1.add(other.1)) }
    #[inline(always)] unsafe fn subtract(self, other: Self) -> Self { Self(self.0.subtract(other.0), self.1.subtract(other.1)) }
    #[inline(always)] unsafe fn multiply(self, other: Self) -> Self { Self(self.0.multiply(other.0), self.1.multiply(other.1)) }
    #[inline(always)] unsafe fn multiply_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.multiply_add(factor.0, term.0), self.1.multiply_add(factor.1, term.1))
    }
    #[inline(always)] unsafe fn xor(self, other: Self) -> Self { Self(self.0.xor(other.0), self.1.xor(other.1)) }
    #[inline(always)] unsafe fn load_first(from: *const f64, count: usize) -> Self {
        Self(V::load_first(from, count), V::load_first(from.wrapping_add(V::LANES), count.saturating_sub(V::LANES)))
    }
    #[inline(always)] unsafe fn first(self, count: usize) -> Self {
        Self(self.0.first(count), self.1.first(count.saturating_sub(V::LANES)))
    }
    #[inline(always)] unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2] {
        let ([a, b], [c, d]) = (V::gather(from, at), V::gather(from, at.add(V::LANES)));
        [Self(a, c), Self(b, d)]
    }
    #[inline(always)] unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self {
        let behind = count.saturating_sub(V::LANES);
        Self(V::gather_first(from, at, count), V::gather_first(from, at.wrapping_add(V::LANES), behind))
    }
    #[inline(always)] unsafe fn stream(self, to: *mut f64) { self.0.stream(to); self.1.stream(to.add(V::LANES)); }
    #[inline(always)] unsafe fn prefetch(line: *const f64) { V::prefetch(line) }
    #[inline(always)] unsafe fn prefetch_second(line: *const f64) { V::prefetch_second(line) }
    #[inline(always)] unsafe fn fence() { V::fence() }
    #[inline(always)] unsafe fn total(self) -> f64 { self.0.add(self.1).total() }
}

/// Calls a generic function with the cache lines of an instruction set: `dispatch!(isa, function(arguments))`, for an `unsafe` `function`
/// with [`Vector`] as its first type parameter, `dispatch!(isa, function<T: Trait>(arguments))` if it has a second one.
macro_rules! dispatch {
    ($isa:expr, $function:ident $(<$more:ident: $bound:ident>)? ($($name:ident: $type:ty),* $(,)?) $(-> $result:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        unsafe fn avx512 $(<$more: $bound>)? ($($name: $type),*) $(-> $result)? {
            // SAFETY: the caller promises the same.
            unsafe { $function::<$crate::simd::Zmm $(, $more)?>($($name),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2 $(<$more: $bound>)? ($($name: $type),*) $(-> $result)? {
            // SAFETY: the caller promises the same.
            unsafe { $function::<$crate::simd::Twice<$crate::simd::Ymm> $(, $more)?>($($name),*) }
        }
        let isa: $crate::loops::Isa = $isa;
        match isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set; the caller promises all other requirements.
            $crate::loops::Isa::Avx512 if isa.is_available() => unsafe { avx512($($name),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            $crate::loops::Isa::Avx2 if isa.is_available() => unsafe { avx2($($name),*) },
            // SAFETY: any processor is suitable; the caller promises all other requirements.
            _ => unsafe { $function::<$crate::simd::Plain<{ $crate::simd::LINE }> $(, $more)?>($($name),*) },
        }
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Isa;

    #[derive(Debug, PartialEq)]
    struct Everything {
        loaded: [f64; LINE],
        first: [f64; LINE],
        gathered: [[f64; LINE]; 2],
        kept: [f64; LINE],
        total: f64,
        some: [f64; LINE],
        computed: [f64; LINE],
        written: [f64; 2 * LINE],
    }

    /// # Safety
    /// As [`Vector`]; 16 elements, 8 indices.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as in programs")]
    unsafe fn everything<L: Vector>(x: &[f64], at: &[u32], count: usize) -> Everything {
        #[repr(align(64))]
        struct Line([f64; 2 * LINE]);
        let mut written = Line([0.0; 2 * LINE]);
        let from = x.as_ptr();
        // SAFETY: the caller promises the instruction set, elements and indices; `written` has room for each.
        unsafe {
            let (a, b) = (L::load(from), L::load(from.add(3)));
            L::prefetch(from.wrapping_byte_add(4096));
            L::prefetch_second(from.wrapping_byte_add(4096));
            a.stream(written.0.as_mut_ptr());
            b.store(written.0.as_mut_ptr().add(8));
            L::fence();
            Everything {
                loaded: b.array(),
                first: L::load_first(from.add(1), count).array(),
                gathered: L::gather([from, from.add(1)], at.as_ptr()).map(|lanes| lanes.array()),
                kept: b.first(count).array(),
                total: b.multiply(b).total(),
                some: L::gather_first(from, at.as_ptr(), count).array(),
                computed: a.multiply(b).add(L::splat(0.1)).subtract(a).array(),
                written: written.0,
            }
        }
    }

    #[test]
    fn instruction_sets_do_the_same() {
        let x: Vec<f64> = (0..16).map(|i| f64::from(i) * 0.3 + 1.0).collect();
        // Separate, all adjacent, the last or the first four, and indices that only look adjacent at their ends.
        let places = [
            [14, 0, 3, 3, 7, 2, 9, 1],
            [4, 5, 6, 7, 8, 9, 10, 11],
            [9, 7, 7, 2, 3, 4, 5, 6],
            [1, 2, 3, 4, 6, 7, 8, 10],
            [2, 4, 3, 5, 9, 11, 10, 12],
        ];
        for (isa, at) in Isa::available().into_iter().flat_map(|isa| places.map(|at| (isa, at))) {
            for count in 0..=LINE {
                let (x, at) = (&x[..], &at[..]);
                let found = dispatch!(isa, everything(x: &[f64], at: &[u32], count: usize) -> Everything);
                let lane = |value: &dyn Fn(usize) -> f64| std::array::from_fn(value);
                let expected = Everything {
                    loaded: lane(&|i| x[3 + i]),
                    first: lane(&|i| if i < count { x[1 + i] } else { 0.0 }),
                    gathered: [lane(&|i| x[at[i] as usize]), lane(&|i| x[at[i] as usize + 1])],
                    kept: lane(&|i| if i < count { x[3 + i] } else { 0.0 }),
                    total: total(lane(&|i| x[3 + i] * x[3 + i])),
                    some: lane(&|i| if i < count { x[at[i] as usize] } else { 0.0 }),
                    computed: lane(&|i| x[i] * x[3 + i] + 0.1 - x[i]),
                    written: std::array::from_fn(|i| if i < 8 { x[i] } else { x[i - 5] }),
                };
                assert_eq!(found, expected, "{isa}, {count}");
            }
        }
    }

    #[test]
    fn lanes_are_added_by_halves() {
        // (1 + 16) + (4 + 64) + ((2 + 32) + (8 + 128)).
        assert_eq!(total([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]), 255.0);
        // In this order 1e16 and -1e16 meet first: the 1 is not lost.
        assert_eq!(total([1e16, 1.0, 0.0, 0.0, -1e16, 0.0, 0.0, 0.0]), 1.0);
    }
}
