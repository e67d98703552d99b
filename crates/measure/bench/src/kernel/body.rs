//! The one body of all kernels, for any instruction set: what is done with a block of cache lines.
//!
//! Every operation of the declared intensity is `sum = sum * 1 + x` or `sum = sum + x` with an element `x` that was read:
//! the data are small whole numbers, so all sums are exact, the same in any order, and known beforehand. The factor 1 and
//! the code that calls are opaque to the compiler; it can leave nothing out. With few operations per
//! block, the other lines are combined by exclusive or, which is no FLOP; a line that was not read shows in the result.
//!
//! Sixteen independent sums keep the multiply-add units busy (latency 4, two per cycle, and some to spare).
// The instruction sets are reached through raw pointers and unsafe functions only; what they need is said at each.
#![allow(unsafe_code)]

use numasim_model::Access;

use super::shape::{Extra, LINE, Shape};

/// A vector of doubles of an instruction set.
///
/// # Safety
/// All functions need a processor with that instruction set; the pointers of `load`, `store` and `stream` need
/// `LANES` elements that may be read or written, aligned to the size of the vector.
pub(super) unsafe trait Vector: Copy {
    /// Elements; divides [`LINE`].
    const LANES: usize;
    /// Sums that fit the registers; divides 16.
    const SUMS: usize;
    /// Operands of a block for which there are registers beside the sums. Repeated operations load the others again from the
    /// first-level cache: a sum that the compiler kept in memory instead would halve the speed.
    const OPERANDS_KEPT: usize;
    /// All elements `x`.
    unsafe fn splat(x: f64) -> Self;
    /// Reads.
    unsafe fn load(from: *const f64) -> Self;
    /// Reads what was read or written just before, and leaves the compiler no choice.
    unsafe fn load_again(from: *const f64) -> Self;
    /// Writes.
    unsafe fn store(self, to: *mut f64);
    /// Writes past the caches, where the instruction set can.
    unsafe fn stream(self, to: *mut f64);
    /// Asks for the line at an address; any address, also outside of the data.
    unsafe fn prefetch(line: *const f64);
    /// `self * factor + term`.
    unsafe fn multiply_add(self, factor: Self, term: Self) -> Self;
    /// `self + other`.
    unsafe fn add(self, other: Self) -> Self;
    /// `self * other`.
    unsafe fn multiply(self, other: Self) -> Self;
    /// The bits, combined by exclusive or.
    unsafe fn xor(self, other: Self) -> Self;
    /// Waits until what was streamed can be seen.
    unsafe fn fence();
}

/// A piece of work for a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// The first element of the first stream.
    pub(super) base: *mut f64,
    /// Elements from `base` to the first block of each stream; those that do not exist are 0.
    pub(super) offsets: [usize; 4],
    /// Elements from a block of a stream to the next.
    pub(super) advance: usize,
    /// How many bytes ahead a stream is prefetched, twice.
    pub(super) ahead: [usize; 2],
    /// What is written goes past the caches, where the instruction set can.
    pub(super) streaming: bool,
    /// Blocks in the data.
    pub(super) blocks: usize,
    /// The block to begin with.
    pub(super) from: usize,
    /// How many blocks to work on; after the last one comes the first.
    pub(super) count: usize,
    /// The operations on top of the natural ones.
    pub(super) extra: Extra,
    /// 1, from where the compiler cannot see it.
    pub(super) one: f64,
    /// The factor `s` of `triad` and `update` in this pass through the data, and in the next; they alternate.
    pub(super) factors: [f64; 2],
}

/// What a body returns: over all lines read, the sum with the number of operations on each, and the exclusive or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) sum: u64,
    pub(super) xor: u64,
}

/// The code for a job.
pub(super) type Body = unsafe fn(&Job) -> Sums;

/// Works on the blocks of `job`. `ACCESS` is the place in [`Access::ALL`], `CODE` is [`Extra::code`].
///
/// # Safety
/// The processor has the instruction set of `V`; `job.base` is aligned to a cache line, and all streams (`Shape`) of
/// `job.blocks` blocks at `job.offsets`, `job.advance` elements from one to the next, may be read and written, and
/// `job.from < job.blocks`.
#[inline(always)]
#[allow(clippy::inline_always)] // the callers enable the instruction set; a call would go through memory
pub(super) unsafe fn body<V: Vector, const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
    let access = const { Access::ALL[ACCESS] };
    let shape = const { Shape::of(Access::ALL[ACCESS]) };
    let (rest, sparse) = const { (CODE % 16, CODE < 16) };
    let operands = const { Shape::of(Access::ALL[ACCESS]).operands() };
    // SAFETY: as the function; lines and streams stay within what the caller promises.
    unsafe {
        let one = V::splat(job.one);
        let (mut factors, extra) = (job.factors, job.extra);
        let mut sums = [V::splat(0.0); 16];
        let mut xors = [V::splat(0.0); 2];
        let (mut from, mut left) = (job.from, job.count);
        while left > 0 {
            let here = left.min(job.blocks - from);
            let factor = V::splat(factors[0]);
            for block in from..from + here {
                let first = job.base.add(block * job.advance);
                for part in 0..LINE / V::LANES {
                    let mut x = [V::splat(0.0); 8];
                    let mut places = [first; 8];
                    for number in 0..shape.lines {
                        for stream in 0..shape.read {
                            let (operand, stream) = (number * shape.read + stream, shape.written + stream);
                            let line = first.add(job.offsets[stream] + number * LINE);
                            if part == 0 {
                                for bytes in job.ahead {
                                    V::prefetch(line.wrapping_byte_add(bytes));
                                }
                            }
                            places[operand] = line.add(part * V::LANES);
                            x[operand] = V::load(places[operand]);
                            if matches!(access, Access::Update) {
                                x[operand] = x[operand].multiply(factor);
                                x[operand].store(places[operand]);
                            }
                        }
                        for stream in 0..shape.written {
                            let line = first.add(job.offsets[stream] + number * LINE);
                            let operand = number * shape.read + stream;
                            let value = match access {
                                Access::Triad => x[operand + shape.read / 2].multiply_add(factor, x[operand]),
                                _ => x[operand],
                            };
                            let to = line.add(part * V::LANES);
                            if job.streaming { value.stream(to) } else { value.store(to) }
                        }
                    }
                    if !sparse {
                        for _ in 0..extra.sixteens {
                            sums = sixteen::<V, ACCESS>(sums, one, x, places);
                        }
                        if extra.eight {
                            for k in 0..8 {
                                sums[k % V::SUMS] = sums[k % V::SUMS].multiply_add(one, x[k % operands]);
                            }
                        }
                    }
                    for k in 0..rest / 2 {
                        sums[(8 + k) % V::SUMS] = sums[(8 + k) % V::SUMS].multiply_add(one, x[k % operands]);
                    }
                    if rest % 2 == 1 {
                        let k = rest / 2;
                        sums[(8 + k) % V::SUMS] = sums[(8 + k) % V::SUMS].add(x[k % operands]);
                    }
                    if sparse && matches!(access, Access::Read) {
                        for k in const { Extra::rest_operations(CODE % 16) }..operands {
                            xors[k % 2] = xors[k % 2].xor(x[k]);
                        }
                    }
                }
            }
            left -= here;
            from += here;
            if from == job.blocks {
                from = 0;
                factors.swap(0, 1);
            }
        }
        if shape.written > 0 && job.streaming {
            V::fence();
        }
        for k in 1..16 {
            sums[0] = sums[0].add(sums[k]);
        }
        total(sums[0], xors[0].xor(xors[1]))
    }
}

/// Sixteen operations.
///
/// # Safety
/// The processor has the instruction set of `V`, and `places` may be read.
#[inline(always)]
#[allow(clippy::inline_always)] // as `body`
unsafe fn sixteen<V: Vector, const ACCESS: usize>(
    mut sums: [V; 16],
    one: V,
    x: [V; 8],
    places: [*mut f64; 8],
) -> [V; 16] {
    // One after the other by name: loops are unrolled too late for a compiler to see that every sum is a register.
    macro_rules! operations {
        ($($k:literal)*) => {$(
            let operand = const { $k % Shape::of(Access::ALL[ACCESS]).operands() };
            // SAFETY: as the function.
            let term = if operand < V::OPERANDS_KEPT { x[operand] } else { unsafe { V::load_again(places[operand]) } };
            let sum = const { $k % V::SUMS };
            // SAFETY: as the function.
            sums[sum] = unsafe { sums[sum].multiply_add(one, term) };
        )*};
    }
    operations!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    sums
}

/// Reduces two vectors to numbers.
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
#[allow(clippy::inline_always)] // as `body`
unsafe fn total<V: Vector>(sum: V, xor: V) -> Sums {
    #[repr(align(64))]
    struct Aligned([f64; LINE]);
    let mut lanes = [const { Aligned([0.0; LINE]) }; 2];
    // SAFETY: a vector has no more elements than a line.
    unsafe {
        sum.store(lanes[0].0.as_mut_ptr());
        xor.store(lanes[1].0.as_mut_ptr());
    }
    // Sums of whole numbers from 1 to 16 over less than a millisecond: far below 2^53.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let sum = lanes[0].0.iter().map(|&lane| lane as u64).sum();
    Sums { sum, xor: lanes[1].0.iter().fold(0, |xor, lane| xor ^ lane.to_bits()) }
}

/// The bodies of one instruction set: `bodies!(run)[access][code]` for a function `run` with the parameters of [`body`].
macro_rules! bodies {
    ($run:ident) => {
        [
            $crate::kernel::body::bodies!($run 0),
            $crate::kernel::body::bodies!($run 1),
            $crate::kernel::body::bodies!($run 2),
            $crate::kernel::body::bodies!($run 3),
        ]
    };
    ($run:ident $access:literal) => {
        $crate::kernel::body::bodies!($run $access:
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($run:ident $access:literal: $($code:literal)*) => {
        [$($run::<$access, $code> as $crate::kernel::body::Body),*]
    };
}
pub(super) use bodies;
