//! The shape of a kernel's block: which lines of which streams, and how a thread's memory is divided into streams.
//!
//! A *stream* is a contiguous part of the memory that is walked in order. Several of them at once reach more bandwidth than one,
//! because a core's prefetchers follow each on its own (measured: one stream 14 GB/s, four 20 GB/s). A *block* is
//! the next few cache lines of every stream, 4 to 12 in all.

use numasim_model::Access;

/// Bytes of a cache line.
pub(super) const LINE_BYTES: usize = 64;
/// Elements of a cache line.
pub(super) const LINE: usize = LINE_BYTES / size_of::<f64>();

/// What a block of each kind of access is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Streams that are written and not read; they come first in memory.
    pub(super) written: usize,
    /// Streams that are read.
    pub(super) read: usize,
    /// Cache lines of each stream in a block.
    pub(super) lines: usize,
    /// The streams that are read are written back in place.
    pub(super) in_place: bool,
    /// FLOP per block and element of a line that the access has by nature.
    pub(super) natural_steps: u32,
}

impl Shape {
    /// The shape of the blocks of `access`.
    pub(super) const fn of(access: Access) -> Self {
        match access {
            Access::Read => Self { written: 0, read: 4, lines: 2, in_place: false, natural_steps: 0 },
            // a in two halves, b in two halves
            Access::Copy => Self { written: 2, read: 2, lines: 2, in_place: false, natural_steps: 0 },
            // a, b, c; 4 lines of a, each with a multiplication and an addition. In two halves each, both cores of one machine together moved
            // 5 to 7 % less, and one core as much.
            Access::Triad => Self { written: 1, read: 2, lines: 4, in_place: false, natural_steps: 8 },
            // 4 lines, each with a multiplication
            Access::Update => Self { written: 0, read: 2, lines: 2, in_place: true, natural_steps: 4 },
        }
    }

    /// Streams of each array: places at which it is worked on at once, at most.
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

    /// Cache lines of a block that are computed with: those that are read.
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

    /// Blocks of `data_len` elements, where `together` streams lie side by side ([`Layout`]).
    ///
    /// The streams of large data must not begin at the same place of a page or of a huge page: lines at the same
    /// place share sets of the caches and banks of the memory, and a load waits for an earlier store at the same place of another page.
    /// So a few blocks are left out, such that each stream begins a golden section of a page and of a huge page after the one before.
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

/// Where the blocks of each stream are in the memory of a thread.
///
/// An array is worked on at as many places at once as it has streams. Where a variant wants fewer places, so many
/// streams lie side by side, block by block: `together` blocks of one place follow each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Streams that lie side by side.
    pub(super) together: usize,
    /// Elements of a block of a stream.
    block: usize,
    /// Blocks of each stream.
    blocks: usize,
}

impl Layout {
    /// For that many blocks.
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

    /// The stream and the block of an element, and its place in that block. What is left over is in a stream that does not exist.
    pub(super) const fn of(self, index: usize) -> (usize, usize, usize) {
        let group = self.together * self.blocks * self.block;
        let (first, within) = (index / group * self.together, index % group);
        (first + within / self.block % self.together, within / self.advance(), within % self.block)
    }
}

/// The operations of a block that come on top of the natural ones, in the order of the code: the operation number `k`
/// works on the operand `k` modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    /// How often 16 multiply-adds are repeated.
    pub(super) sixteens: usize,
    /// 8 multiply-adds more.
    pub(super) eight: bool,
    /// Steps that remain, 0 to 15: multiply-adds (2 each), and one addition if odd. Known when compiling.
    pub(super) rest: usize,
}

impl Extra {
    /// Divides `steps`.
    pub(super) const fn of(steps: u32) -> Self {
        let steps = steps as usize;
        Self { sixteens: steps / 32, eight: steps % 32 >= 16, rest: steps % 16 }
    }

    /// No operand of a block is sure to be computed with.
    pub(super) const fn is_sparse(self) -> bool {
        self.sixteens == 0 && !self.eight
    }

    /// The number of the code that does it: the rest, and 16 more if it is not sparse.
    pub(super) const fn code(self) -> usize {
        self.rest + if self.is_sparse() { 0 } else { 16 }
    }

    /// Multiply-adds and additions of the rest.
    pub(super) const fn rest_operations(rest: usize) -> usize {
        rest / 2 + rest % 2
    }

    /// How many operations work on operand `number` of `operands`.
    pub(super) const fn operations_on(self, number: usize, operands: usize) -> usize {
        // 16, 8 and the rest each begin at operand 0; 16 and 8 are multiples of the number of operands (4 or 8).
        let rest = Self::rest_operations(self.rest);
        let in_rest = rest / operands + (number < rest % operands) as usize;
        self.sixteens * (16 / operands) + if self.eight { 8 / operands } else { 0 } + in_rest
    }
}
