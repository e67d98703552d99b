//! One array from one or two others, element by element: the loops that reach the full bandwidth of the memory.
//!
//! One input is read as two streams, its halves, because a core's prefetchers follow each separately; with two inputs there are two
//! already. Lines are prefetched twice, as in the benchmark's own kernels, for which that was measured. If another variant was the fastest
//! for these, it is also used here.
// The functions of the lanes need this; their requirements are checked before.
#![allow(unsafe_code)]

use crate::loops::{Loops, Stores};
use crate::simd::{LINE, Vector, dispatch};

/// Default prefetch distances of each line in bytes, twice.
const AHEAD: [usize; 2] = [6144, 3072];

/// The formula for an element of the result.
pub(crate) trait Elementwise: Copy {
    /// Arrays that are read: one or two.
    const INPUTS: usize;

    /// Eight elements; `b` is ignored if there is only one input.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn apply<L: Vector>(self, a: L, b: L) -> L;
}

/// Writes the number of elements that all have; `b` is not read if there is only one input.
pub(crate) fn sweep<E: Elementwise>(
    loops: Loops,
    stores: Stores,
    element: E,
    a: &[f64],
    b: &[f64],
    to: &mut [f64],
) {
    let read = if E::INPUTS == 1 { a.len() } else { a.len().min(b.len()) };
    let len = read.min(to.len());
    let (a, to) = (&a[..len], &mut to[..len]);
    let b = if E::INPUTS == 1 { a } else { &b[..len] };
    let how = How {
        streaming: stores == Stores::Streaming,
        ahead: loops.ahead(AHEAD),
        whole: loops.way.is_some_and(|way| way.streams == 1),
    };
    // SAFETY: all have one length; the processor has the instruction set (`dispatch`).
    dispatch!(loops.isa, all<E: Elementwise>(element: E, how: How, a: &[f64], b: &[f64], to: &mut [f64]));
}

/// The settings in which loops differ.
#[derive(Clone, Copy)]
struct How {
    /// Whether stores go past the caches.
    streaming: bool,
    /// Prefetch distances in bytes; 0: none.
    ahead: [usize; 2],
    /// Whether one input is also one stream.
    whole: bool,
}

/// # Safety
/// The processor has the instruction set; `a`, `b` and `to` have one length.
#[inline(always)]
#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
unsafe fn all<L: Vector, E: Elementwise>(element: E, how: How, a: &[f64], b: &[f64], to: &mut [f64]) {
    // SAFETY: the caller promises the same.
    unsafe {
        match how.ahead {
            [0, 0] => pieces::<L, E, 0>(element, how, [], a, b, to),
            ahead => pieces::<L, E, 2>(element, how, ahead, a, b, to),
        }
    }
}

/// With `P` prefetches of each line.
///
/// # Safety
/// As [`all`].
#[inline(always)]
#[allow(clippy::inline_always, reason = "as `all`")]
unsafe fn pieces<L: Vector, E: Elementwise, const P: usize>(
    element: E,
    how: How,
    ahead: [usize; P],
    a: &[f64],
    b: &[f64],
    to: &mut [f64],
) {
    let arrays = Arrays { a: a.as_ptr(), b: b.as_ptr(), to: to.as_mut_ptr(), len: to.len(), ahead };
    // Known when compiling, one loop each.
    // SAFETY: the caller promises the instruction set, and that the arrays are equally long.
    unsafe {
        match (E::INPUTS == 1 && !how.whole, how.streaming) {
            (true, true) => arrays.lines::<L, E, true, 2, 2>(element),
            (true, false) => arrays.lines::<L, E, false, 2, 2>(element),
            (false, true) => arrays.lines::<L, E, true, 1, 4>(element),
            (false, false) => arrays.lines::<L, E, false, 1, 4>(element),
        }
    }
}

/// Lines from the first half to the second: half of `lines`, and for large arrays a few less, so that the halves do not start at the same
/// offset in a page or a huge page: such lines share sets of the caches and banks of the memory.
fn half(lines: usize) -> usize {
    const PAGE: usize = 64;
    const HUGE_PAGE: usize = 32_768;
    /// 0.38 of a huge page, and 0.4 of a page beyond whole ones.
    const SHIFT: usize = 12_506;
    let half = lines / 2;
    let unit = match half {
        half if half >= 64 * HUGE_PAGE => HUGE_PAGE,
        half if half >= 64 * PAGE => PAGE,
        _ => return half,
    };
    half - (half + unit - SHIFT % unit) % unit
}

/// The arrays of a loop.
#[derive(Clone, Copy)]
struct Arrays<const P: usize> {
    a: *const f64,
    b: *const f64,
    to: *mut f64,
    /// Elements of each.
    len: usize,
    /// Prefetch distances of the inputs in bytes.
    ahead: [usize; P],
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the features of its caller")]
impl<const P: usize> Arrays<P> {
    /// The next eight elements.
    ///
    /// # Safety
    /// The processor has the instruction set; eight elements exist from `from` on, and with `STREAMING` `to` is at the start of a line
    /// there.
    #[inline(always)]
    unsafe fn line<L: Vector, E: Elementwise, const STREAMING: bool>(self, element: E, from: usize) {
        // SAFETY: the caller promises that; prefetches may use any address.
        unsafe {
            let a = self.a.add(from);
            for bytes in self.ahead {
                L::prefetch(a.wrapping_byte_add(bytes));
            }
            let mut second = L::splat(0.0);
            if E::INPUTS == 2 {
                let b = self.b.add(from);
                for bytes in self.ahead {
                    L::prefetch(b.wrapping_byte_add(bytes));
                }
                second = L::load(b);
            }
            let (value, to) = (element.apply(L::load(a), second), self.to.add(from));
            if STREAMING { value.stream(to) } else { value.store(to) }
        }
    }

    /// Less than eight.
    ///
    /// # Safety
    /// As [`Self::line`], for `count` elements.
    #[inline(always)]
    unsafe fn some<L: Vector, E: Elementwise>(self, element: E, from: usize, count: usize) {
        // A load without lanes at the end of a mapping: processors do not access it, emulators may.
        if count == 0 {
            return;
        }
        // SAFETY: the caller promises that.
        unsafe {
            let second = if E::INPUTS == 2 { L::load_first(self.b.add(from), count) } else { L::splat(0.0) };
            let value = element.apply(L::load_first(self.a.add(from), count), second).array();
            std::ptr::copy_nonoverlapping(value.as_ptr(), self.to.add(from), count);
        }
    }

    /// `STREAMS` pieces of each array at once, `LINES` lines of each.
    ///
    /// # Safety
    /// The processor has the instruction set; each array has `len` elements.
    #[inline(always)]
    unsafe fn lines<
        L: Vector,
        E: Elementwise,
        const STREAMING: bool,
        const STREAMS: usize,
        const LINES: usize,
    >(
        self,
        element: E,
    ) {
        // To the start of a line of the result; the whole array if it is short.
        let to_line = self.to.addr().wrapping_neg() % (LINE * size_of::<f64>()) / size_of::<f64>();
        let (len, head) = (self.len, to_line.min(self.len));
        let whole = (len - head) / LINE;
        let piece = if STREAMS == 2 { half(whole) } else { whole } / LINES * LINES;
        // SAFETY: indices are below the common length; each line of the result starts one, after the head.
        unsafe {
            self.some::<L, E>(element, 0, head);
            let mut line = 0;
            while line < piece {
                for stream in 0..STREAMS {
                    for next in 0..LINES {
                        self.line::<L, E, STREAMING>(element, head + (stream * piece + line + next) * LINE);
                    }
                }
                line += LINES;
            }
            for line in STREAMS * piece..whole {
                self.line::<L, E, STREAMING>(element, head + line * LINE);
            }
            let done = head + whole * LINE;
            self.some::<L, E>(element, done, len - done);
            if STREAMING {
                L::fence();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Isa;
    use crate::loops::Way;

    /// a + 3 b.
    #[derive(Clone, Copy)]
    struct Triad;

    impl Elementwise for Triad {
        const INPUTS: usize = 2;

        unsafe fn apply<L: Vector>(self, a: L, b: L) -> L {
            // SAFETY: the caller promises the instruction set.
            unsafe { a.add(L::splat(3.0).multiply(b)) }
        }
    }

    /// -a.
    #[derive(Clone, Copy)]
    struct Negative;

    impl Elementwise for Negative {
        const INPUTS: usize = 1;

        unsafe fn apply<L: Vector>(self, a: L, _: L) -> L {
            // SAFETY: the caller promises the instruction set.
            unsafe { L::splat(0.0).subtract(a) }
        }
    }

    #[test]
    fn every_element_is_written_once_for_any_alignment() {
        let a: Vec<f64> = (1..40_000).map(f64::from).collect();
        let b: Vec<f64> = a.iter().map(|x| x * 0.5).collect();
        let ways = [None, Some(([0, 0], 1)), Some(([512, 256], 2)), Some(([4096, 0], 4))];
        for (isa, way) in Isa::available().into_iter().flat_map(|isa| ways.map(|way| (isa, way))) {
            for stores in Stores::ALL {
                let way = way.map(|(prefetch_bytes, streams)| Way { streams, prefetch_bytes, stores });
                let loops = Loops { isa, way };
                for (from, len) in [(0, 0), (1, 1), (3, 7), (0, 8), (5, 100), (2, 39_000), (7, 16_389)] {
                    let mut to = vec![0.5; len + from + 9];
                    let own = &mut to[from..from + len];
                    sweep(loops, stores, Triad, &a[3..], &b, own);
                    assert!(
                        (0..len).all(|i| own[i] == a[i + 3] + 3.0 * b[i]),
                        "{loops:?} {stores:?} {from} {len}"
                    );
                    sweep(loops, stores, Negative, &a[1..], &[], own);
                    assert!((0..len).all(|i| own[i] == -a[i + 1]), "{loops:?} {stores:?} {from} {len}");
                    // Nothing beyond was written.
                    assert!(to[..from].iter().chain(&to[from + len..]).all(|&x| x == 0.5));
                }
            }
        }
    }

    #[test]
    fn halves_of_large_arrays_start_at_different_offsets() {
        assert_eq!((half(0), half(9)), (0, 4));
        // 4 pages x 64 lines are short; 64 pages are not: 4096 lines become 4058 = 63 x 64 + 26.
        assert_eq!((half(2 * 256), half(2 * 4096)), (256, 4058));
        assert_eq!(half(1 << 24) % 32_768, 12_506);
    }
}
