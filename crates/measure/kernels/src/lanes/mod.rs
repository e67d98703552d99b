//! Eight doubles at once: what kernels that memory holds back are written with, for each instruction set.
//!
//! Multiplications and additions are never fused, and sums go lane by lane, so that results are equal in every bit whatever the instruction set.
// Raw pointers and instruction sets; what they need is said at each.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Pair;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Whole;
pub(crate) use portable::Plain;

/// Lanes.
pub(crate) const LANES: usize = 8;

/// Eight doubles.
///
/// # Safety
/// All functions need a processor with the instruction set. Pointers of `load` and `store` need eight elements, those of `load_first` and `gather_first`
/// `count` of them, at most eight; `at` has indices below 2^31 of elements that may be read.
pub(crate) unsafe trait Lanes: Copy {
    /// All elements `x`.
    unsafe fn splat(x: f64) -> Self;
    /// Reads.
    unsafe fn load(from: *const f64) -> Self;
    /// Reads the first elements; the others are 0.
    unsafe fn load_first(from: *const f64, count: usize) -> Self;
    /// The first elements of it; the others are 0.
    unsafe fn first(self, count: usize) -> Self;
    /// Reads elements of two arrays at the same indices; what lies side by side in one piece.
    unsafe fn gather(from: [*const f64; 2], at: *const u32) -> [Self; 2];
    /// Reads elements at the first indices; the others are 0.
    unsafe fn gather_first(from: *const f64, at: *const u32, count: usize) -> Self;
    /// Writes.
    unsafe fn store(self, to: *mut f64);
    /// Writes past the caches where the instruction set can. The pointer is that of a cache line.
    unsafe fn stream(self, to: *mut f64);
    /// Asks for the line at an address; any address, also outside of the data.
    unsafe fn prefetch(line: *const f64);
    /// The same into the second-level cache only.
    unsafe fn prefetch_second(line: *const f64);
    /// `self + other`.
    unsafe fn add(self, other: Self) -> Self;
    /// `self - other`.
    unsafe fn subtract(self, other: Self) -> Self;
    /// `self * other`.
    unsafe fn multiply(self, other: Self) -> Self;
    /// Waits until what was streamed can be seen.
    unsafe fn fence();

    /// The sum of all lanes, as [`total`] has it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of loops")]
    unsafe fn total(self) -> f64 {
        // SAFETY: the caller promises the instruction set.
        total(unsafe { self.array() })
    }

    /// The elements.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a part of loops")]
    unsafe fn array(self) -> [f64; LANES] {
        let mut elements = [0.0; LANES];
        // SAFETY: eight elements.
        unsafe { self.store(elements.as_mut_ptr()) };
        elements
    }
}

/// The sum of all lanes, in the one order that all code keeps to.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
pub(crate) fn total(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Calls a generic function with the lanes of an instruction set: `dispatch!(isa, function(arguments))`, where `function` is `unsafe` and has the trait as its
/// only type parameter.
macro_rules! dispatch {
    ($isa:expr, $function:ident($($name:ident: $type:ty),* $(,)?) $(-> $result:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        unsafe fn avx512($($name: $type),*) $(-> $result)? {
            // SAFETY: the caller promises the same.
            unsafe { $function::<$crate::lanes::Whole>($($name),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2($($name: $type),*) $(-> $result)? {
            // SAFETY: the caller promises the same.
            unsafe { $function::<$crate::lanes::Pair>($($name),*) }
        }
        let isa: $crate::isa::Isa = $isa;
        match isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set; everything else is what the caller promises.
            $crate::isa::Isa::Avx512 if isa.is_available() => unsafe { avx512($($name),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            $crate::isa::Isa::Avx2 if isa.is_available() => unsafe { avx2($($name),*) },
            // SAFETY: any processor will do; everything else is what the caller promises.
            _ => unsafe { $function::<$crate::lanes::Plain>($($name),*) },
        }
    }};
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;

    #[derive(Debug, PartialEq)]
    struct Everything {
        loaded: [f64; LANES],
        first: [f64; LANES],
        gathered: [[f64; LANES]; 2],
        kept: [f64; LANES],
        total: f64,
        some: [f64; LANES],
        computed: [f64; LANES],
        written: [f64; 2 * LANES],
    }

    /// # Safety
    /// As [`Lanes`]; 16 elements, 8 indices.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as in programs")]
    unsafe fn everything<L: Lanes>(x: &[f64], at: &[u32], count: usize) -> Everything {
        #[repr(align(64))]
        struct Line([f64; 2 * LANES]);
        let mut written = Line([0.0; 2 * LANES]);
        let from = x.as_ptr();
        // SAFETY: the caller promises the instruction set, elements and indices; `written` has a place for each.
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
        // Apart, all neighbours, the last or the first four, and what only looks like neighbours from its ends.
        let places = [
            [14, 0, 3, 3, 7, 2, 9, 1],
            [4, 5, 6, 7, 8, 9, 10, 11],
            [9, 7, 7, 2, 3, 4, 5, 6],
            [1, 2, 3, 4, 6, 7, 8, 10],
            [2, 4, 3, 5, 9, 11, 10, 12],
        ];
        for (isa, at) in Isa::available().into_iter().flat_map(|isa| places.map(|at| (isa, at))) {
            for count in 0..=LANES {
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
        // In this order 1e16 and -1e16 meet first: nothing of 1 is lost.
        assert_eq!(total([1e16, 1.0, 0.0, 0.0, -1e16, 0.0, 0.0, 0.0]), 1.0);
    }
}
