//! The body of all synthetic kernels, for any instruction set: the definition of a block of cache lines, and its operations.
//!
//! Every operation of the declared intensity is `sum = sum * 1 + x` or `sum = sum + x` with an element `x` that was read. The data are
//! small whole numbers, so all sums are exact, the same in any order, and known beforehand. The factor 1 and the calling code are opaque to
//! the compiler; it can leave nothing out. With few operations per block, the other lines are combined by exclusive or, which is not FLOP;
//! a line that was not read shows in the result.
//!
//! Sixteen independent sums keep the multiply-add units busy (latency 4, two per cycle, and some to spare).

// The instruction sets are reached only through raw pointers and unsafe functions; the requirements are documented at each use.
#![allow(unsafe_code)]

use numasim_model::Access;

use crate::loops::Isa;
use crate::simd::{LINE, Plain, Vector};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Ymm, Zmm};

/// A piece of work for a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// The first element of the first stream.
    pub(super) base: *mut f64,
    /// Elements from `base` to the first block of each stream; those that do not exist are 0.
    pub(super) offsets: [usize; 4],
    /// Elements from a block of a stream to the next.
    pub(super) advance: usize,
    /// Prefetch distances of a stream in bytes, twice.
    pub(super) ahead: [usize; 2],
    /// Whether stores go past the caches, if the instruction set supports it.
    pub(super) streaming: bool,
    /// Blocks in the data.
    pub(super) blocks: usize,
    /// The first block.
    pub(super) from: usize,
    /// Number of blocks to process; the last one is followed by the first.
    pub(super) count: usize,
    /// The operations in addition to the natural ones.
    pub(super) extra: Extra,
    /// 1, hidden from the compiler.
    pub(super) one: f64,
    /// The factor `s` of `triad` and `update` in this pass through the data, and in the next; they alternate.
    pub(super) factors: [f64; 2],
}

/// The result of a body over all lines read: the sum with the number of operations on each, and the exclusive or.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) sum: u64,
    pub(super) xor: u64,
}

/// The code for a job.
pub(super) type Body = unsafe fn(&Job) -> Sums;

/// Sums that fit the registers.
const fn sums_of<V: Vector>() -> usize {
    if V::REGISTERS < 32 { V::REGISTERS / 2 } else { 16 }
}

/// Operands of a block that fit in registers in addition to the sums. Repeated operations load the others again from the first-level cache:
/// if the compiler kept a sum in memory instead, the speed would halve.
const fn operands_kept<V: Vector>() -> usize {
    // One for the factor, and one to spare.
    let left = V::REGISTERS - sums_of::<V>() - 2;
    if left < 8 { left } else { 8 }
}

/// Processes the blocks of `job`. `ACCESS` is the index in [`Access::ALL`], `CODE` is [`Extra::code`].
///
/// # Safety
/// The processor has the instruction set of `V`; `job.base` is aligned to a cache line, and all streams (`Shape`) of `job.blocks` blocks at
/// `job.offsets`, `job.advance` elements from one to the next, may be read and written, and `job.from < job.blocks`.
#[inline(always)]
#[allow(clippy::inline_always)] // the callers enable the instruction set; a call would go through memory
pub(super) unsafe fn body<V: Vector, const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
    let access = const { Access::ALL[ACCESS] };
    let shape = const { Shape::of(Access::ALL[ACCESS]) };
    let (rest, sparse) = const { (CODE % 16, CODE < 16) };
    let operands = const { Shape::of(Access::ALL[ACCESS]).operands() };
    // SAFETY: as the function; lines and streams stay within the range that the caller promises.
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
                                sums[k % sums_of::<V>()] =
                                    sums[k % sums_of::<V>()].multiply_add(one, x[k % operands]);
                            }
                        }
                    }
                    for k in 0..rest / 2 {
                        sums[(8 + k) % sums_of::<V>()] =
                            sums[(8 + k) % sums_of::<V>()].multiply_add(one, x[k % operands]);
                    }
                    if rest % 2 == 1 {
                        let k = rest / 2;
                        sums[(8 + k) % sums_of::<V>()] = sums[(8 + k) % sums_of::<V>()].add(x[k % operands]);
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
    // In sequence and by name: loops are unrolled too late for a compiler to keep every sum in a register.
    macro_rules! operations {
        ($($k:literal)*) => {$(
            let operand = const { $k % Shape::of(Access::ALL[ACCESS]).operands() };
            // SAFETY: as the function.
            let term = if operand < operands_kept::<V>() { x[operand] } else { unsafe { V::load_again(places[operand]) } };
            let sum = const { $k % sums_of::<V>() };
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
    // SAFETY: as the function.
    let (sums, xors) = unsafe { (sum.array(), xor.array()) };
    // Sums of whole numbers from 1 to 16 over less than a millisecond: far below 2^53.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let sum = sums.iter().map(|&lane| lane as u64).sum();
    Sums { sum, xor: xors.iter().fold(0, |xor, lane| xor ^ lane.to_bits()) }
}

/// The code of one instruction set: by access and [`Extra::code`].
pub(super) type Bodies = [[Body; 32]; 4];

/// The bodies of an instruction set: `bodies!(run)` for a function `run` with the constants of [`body`].
macro_rules! bodies {
    ($run:ident) => {
        [bodies!($run 0), bodies!($run 1), bodies!($run 2), bodies!($run 3)]
    };
    ($run:ident $access:literal) => {
        bodies!($run $access: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($run:ident $access:literal: $($code:literal)*) => {
        [$($run::<$access, $code> as Body),*]
    };
}
#[cfg(test)]
pub(super) use bodies;

/// The code for an instruction set that this processor has.
pub(super) fn of(isa: Isa) -> &'static Bodies {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn avx512<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
        // SAFETY: the caller promises the same.
        unsafe { body::<Zmm, ACCESS, CODE>(job) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
        // SAFETY: the caller promises the same.
        unsafe { body::<Ymm, ACCESS, CODE>(job) }
    }
    unsafe fn portable<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
        // SAFETY: the caller promises the same; any processor is suitable.
        unsafe { body::<Plain<2>, ACCESS, CODE>(job) }
    }
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => const { &bodies!(avx512) },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => const { &bodies!(avx2) },
        _ => const { &bodies!(portable) },
    }
}

// A *stream* is a contiguous part of the memory that is traversed in order. Several of them at once reach more bandwidth than one, because
// a core's prefetchers follow each separately (measured: one stream 14 GB/s, four 20 GB/s). A *block* is the next few cache lines of every
// stream, 4 to 12 in all.

/// Bytes of a cache line.
pub(super) const LINE_BYTES: usize = LINE * size_of::<f64>();

/// The structure of a block for each kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Streams that are written and not read; they come first in memory.
    pub(super) written: usize,
    /// Streams that are read.
    pub(super) read: usize,
    /// Cache lines of each stream in a block.
    pub(super) lines: usize,
    /// Whether the streams that are read are written back in place.
    pub(super) in_place: bool,
    /// FLOP per block and element of a line that the access itself requires.
    pub(super) natural_steps: u32,
}

impl Shape {
    /// The shape of the blocks of `access`.
    pub(super) const fn of(access: Access) -> Self {
        match access {
            Access::Read => Self { written: 0, read: 4, lines: 2, in_place: false, natural_steps: 0 },
            // a in two halves, b in two halves
            Access::Copy => Self { written: 2, read: 2, lines: 2, in_place: false, natural_steps: 0 },
            // a, b, c; 4 lines of a, each with a multiplication and an addition. In two halves each, both cores of one machine together
            // moved 5 to 7 % less, and one core the same.
            Access::Triad => Self { written: 1, read: 2, lines: 4, in_place: false, natural_steps: 8 },
            // 4 lines, each with a multiplication
            Access::Update => Self { written: 0, read: 2, lines: 2, in_place: true, natural_steps: 4 },
        }
    }

    /// Streams of each array: the maximum number of places at which it is processed at once.
    pub(super) const fn streams_per_array(access: Access) -> usize {
        match access {
            Access::Read => 4,
            Access::Copy | Access::Update => 2,
            Access::Triad => 1,
        }
    }

    /// Streams, written and read.
    pub(super) const fn streams(self) -> usize {
        self.written + self.read
    }

    /// Elements of a block of a stream.
    pub(super) const fn block_stride(self) -> usize {
        self.lines * LINE
    }

    /// Cache lines of a block that are used in computations: those that are read.
    pub(super) const fn operands(self) -> usize {
        self.read * self.lines
    }

    /// Cache lines that a block moves, by the rule of [`Access`]: a line that is read and written back counts twice.
    pub(super) const fn traffic_lines(self) -> usize {
        let back = if self.in_place { self.read } else { 0 };
        (self.written + self.read + back) * self.lines
    }

    /// Elements of memory that a block touches.
    pub(super) const fn block_len(self) -> usize {
        self.streams() * self.block_stride()
    }

    /// Blocks of `data_len` elements with `together` adjacent streams ([`Layout`]).
    ///
    /// The streams of large data must not start at the same offset in a page or a huge page. Lines at the same offset share sets of the
    /// caches and banks of the memory, and a load waits for an earlier store at the same offset in another page. So a few blocks are left
    /// out, such that each stream starts a golden section of a page and of a huge page after the previous one.
    pub(super) const fn blocks(self, data_len: usize, together: usize) -> usize {
        const PAGE: usize = 4096;
        const HUGE_PAGE: usize = 2 << 20;
        /// 0.38 of a huge page, and 0.4 of a page beyond whole ones.
        const SHIFT: usize = 6253 * 128;
        let (blocks, block) = (data_len / self.block_len(), together * self.lines * LINE_BYTES);
        let unit = match blocks * block {
            bytes if bytes >= 64 * HUGE_PAGE => HUGE_PAGE / block,
            bytes if bytes >= 64 * PAGE => PAGE / block,
            _ => return blocks,
        };
        blocks - (blocks + unit - SHIFT / block % unit) % unit
    }
}

/// The positions of the blocks of each stream in the memory of a thread.
///
/// By default, the number of places at which an array is processed at once is its number of streams. If a variant wants fewer places, some
/// streams are adjacent, block by block: `together` blocks of one place follow each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Number of adjacent streams.
    pub(super) together: usize,
    /// Elements of a block of a stream.
    block: usize,
    /// Blocks of each stream.
    blocks: usize,
}

impl Layout {
    /// For this number of blocks.
    pub(super) const fn new(shape: Shape, together: usize, blocks: usize) -> Self {
        Self { together, block: shape.block_stride(), blocks }
    }

    /// The first element of a stream.
    pub(super) const fn offset(self, stream: usize) -> usize {
        (stream / self.together * self.together * self.blocks + stream % self.together) * self.block
    }

    /// Elements from a block of a stream to the next.
    pub(super) const fn advance(self) -> usize {
        self.together * self.block
    }

    /// The stream and the block of an element, and its index in that block. Remaining elements belong to a stream that does not exist.
    pub(super) const fn of(self, index: usize) -> (usize, usize, usize) {
        let group = self.together * self.blocks * self.block;
        let (first, within) = (index / group * self.together, index % group);
        (first + within / self.block % self.together, within / self.advance(), within % self.block)
    }
}

/// The operations of a block in addition to the natural ones, in the order of the code: the operation number `k` uses the operand `k`
/// modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    /// Number of repetitions of 16 multiply-adds.
    pub(super) sixteens: usize,
    /// Whether there are 8 more multiply-adds.
    pub(super) eight: bool,
    /// Remaining steps, 0 to 15: multiply-adds (2 each), and one addition if odd. Known at compile time.
    pub(super) rest: usize,
}

impl Extra {
    /// Divides `steps`.
    pub(super) const fn of(steps: u32) -> Self {
        let steps = steps as usize;
        Self { sixteens: steps / 32, eight: steps % 32 >= 16, rest: steps % 16 }
    }

    /// Whether some operands of a block may be unused.
    pub(super) const fn is_sparse(self) -> bool {
        self.sixteens == 0 && !self.eight
    }

    /// The number of the code for it: the rest, and 16 more if it is not sparse.
    pub(super) const fn code(self) -> usize {
        self.rest + if self.is_sparse() { 0 } else { 16 }
    }

    /// Multiply-adds and additions of the rest.
    pub(super) const fn rest_operations(rest: usize) -> usize {
        rest / 2 + rest % 2
    }

    /// Number of operations on operand `number` of `operands`.
    pub(super) const fn operations_on(self, number: usize, operands: usize) -> usize {
        // 16, 8 and the rest each start at operand 0; 16 and 8 are multiples of the number of operands (4 or 8).
        let rest = Self::rest_operations(self.rest);
        let in_rest = rest / operands + (number < rest % operands) as usize;
        self.sixteens * (16 / operands) + if self.eight { 8 / operands } else { 0 } + in_rest
    }
}
