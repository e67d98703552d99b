//! A kernel with its code: fills, processes and checks the memory of one thread.

use std::hint::black_box;

use numasim_model::Access;

use crate::kernel::{Work, WrongResult};
use crate::loops::{Isa, Stores};
use crate::simd::LINE;
use crate::synthetic::body::{self, Body, Extra, Job, LINE_BYTES, Layout, Shape, Sums};
use crate::synthetic::{Kernel, KernelError, Variant};

/// Traffic of a chunk: at 40 GB/s, more than the bandwidth of one core, it takes 26 us, a thousand times as long as a clock read; at 1 GB/s
/// it takes a millisecond.
const CHUNK_BYTES: u64 = 1 << 20;
/// The same for data up to [`CACHED_BYTES`], which is read at hundreds of GB/s from a core's own caches.
const CACHED_CHUNK_BYTES: u64 = 8 << 20;
/// Data up to this size may be in a core's own caches.
const CACHED_BYTES: usize = 4 << 20;
/// Maximum number of operations of a chunk: at 150 GFLOPS they take 28 us, at 4 GFLOPS a millisecond.
const CHUNK_FLOP: u64 = 1 << 22;

/// A kernel for an instruction set that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct PreparedKernel {
    kernel: Kernel,
    variant: Variant,
    shape: Shape,
    /// Number of adjacent streams.
    together: usize,
    extra: Extra,
    body: Body,
}

impl PreparedKernel {
    /// See [`Kernel::prepare`].
    pub(super) fn new(kernel: Kernel, variant: Variant) -> Result<Self, KernelError> {
        variant.fits(kernel.access)?;
        let shape = Shape::of(kernel.access);
        let isa = variant.isa;
        let extra = Extra::of(kernel.steps.saturating_sub(shape.natural_steps));
        if !isa.is_available() {
            return Err(KernelError::Unavailable { isa });
        }
        let together = Shape::streams_per_array(kernel.access) / variant.streams as usize;
        Ok(Self {
            kernel,
            variant,
            shape,
            together,
            extra,
            body: body::of(isa)[kernel.access as usize][extra.code()],
        })
    }

    /// The kernel as data.
    pub const fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The instruction set of its code.
    pub const fn isa(&self) -> Isa {
        self.variant.isa
    }

    /// Its access variant.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Minimum number of elements for this kernel: one block.
    pub const fn least_len(&self) -> usize {
        self.shape.block_len()
    }

    /// The number of `data_len` elements that it processes: whole blocks of all streams, for large data at most 2 % less. The others are
    /// filled and then unused.
    pub const fn usable_len(&self, data_len: usize) -> usize {
        self.blocks(data_len) * self.shape.block_len()
    }

    const fn blocks(&self, data_len: usize) -> usize {
        self.shape.blocks(data_len, self.together)
    }

    /// Writes the initial values, small whole numbers. The first write decides on the placement of memory: call it in the thread that will
    /// work on it.
    pub fn fill(&self, data: &mut [f64]) {
        let written = self.written_len(self.blocks(data.len()));
        for (index, element) in data.iter_mut().enumerate() {
            *element = if index < written { 0.0 } else { initial(index) };
        }
    }

    /// Elements of the streams that are written and not read; they are the first of the data.
    pub(super) fn written_len(&self, blocks: usize) -> usize {
        self.shape.written * blocks * self.shape.block_stride()
    }

    /// The start of `data_len` elements.
    ///
    /// # Panics
    /// If `data_len` is less than [`Self::least_len`].
    pub fn cursor(&self, data_len: usize) -> Cursor {
        let blocks = self.blocks(data_len);
        assert!(blocks > 0, "{data_len} elements are no block of {}", self.shape.block_len());
        let cached = data_len * size_of::<f64>() <= CACHED_BYTES;
        let bytes = if cached { CACHED_CHUNK_BYTES } else { CHUNK_BYTES };
        let chunk = (bytes / self.kernel.bytes_per_block()).min(CHUNK_FLOP / self.kernel.flop_per_block());
        // At most 2^17 blocks, and at least one.
        let chunk = usize::try_from(chunk.max(1)).unwrap_or(1);
        Cursor { data_len, blocks, at: 0, passes: 0, chunk, sums: Sums::default() }
    }

    /// The work of one [`Self::run`] with this cursor, always the same.
    pub fn chunk(&self, cursor: &Cursor) -> Work {
        let blocks = cursor.chunk as u64;
        Work { bytes: blocks * self.kernel.bytes_per_block(), flop: blocks * self.kernel.flop_per_block() }
    }

    /// Does the next chunk of work: about 25 us to 1 ms, so that a clock read after each costs less than 0.1 %.
    ///
    /// It continues after the last chunk, and starts again at the end of the data.
    ///
    /// # Panics
    /// If `data` is not aligned to 64 bytes, or the cursor is for data of another length.
    pub fn run(&self, data: &mut [f64], cursor: &mut Cursor) -> Work {
        self.run_blocks(data, cursor, cursor.chunk)
    }

    /// The same for this number of blocks, at most those of the data: for work that is not a whole number of chunks.
    ///
    /// # Panics
    /// As [`Self::run`].
    pub fn run_blocks(&self, data: &mut [f64], cursor: &mut Cursor, blocks: usize) -> Work {
        assert_eq!(data.as_ptr().align_offset(LINE_BYTES), 0, "data are aligned to cache lines");
        assert_eq!((data.len(), self.blocks(data.len())), (cursor.data_len, cursor.blocks));
        let even = cursor.passes.is_multiple_of(2);
        let [first, second] = factors(self.kernel.access);
        let layout = Layout::new(self.shape, self.together, cursor.blocks);
        let offset = |stream| if stream < self.shape.streams() { layout.offset(stream) } else { 0 };
        let job = Job {
            base: data.as_mut_ptr(),
            offsets: std::array::from_fn(offset),
            advance: layout.advance(),
            ahead: self.variant.prefetch_bytes.map(|bytes| bytes as usize),
            streaming: self.variant.stores == Stores::Streaming,
            blocks: cursor.blocks,
            from: cursor.at,
            count: blocks,
            extra: self.extra,
            one: black_box(1.0),
            factors: if even { [first, second] } else { [second, first] },
        };
        // SAFETY: the processor has the instruction set (`new`), the data are aligned, and `blocks` blocks of all streams are not longer
        // than the data; `at` is less than `blocks`.
        #[allow(unsafe_code, reason = "the one way into the bodies")]
        let sums = unsafe { (self.body)(&job) };
        cursor.sums.sum = cursor.sums.sum.wrapping_add(sums.sum);
        cursor.sums.xor ^= sums.xor;
        let end = cursor.at + blocks;
        cursor.passes += (end / cursor.blocks) as u64;
        cursor.at = end % cursor.blocks;
        let blocks = blocks as u64;
        Work { bytes: blocks * self.kernel.bytes_per_block(), flop: blocks * self.kernel.flop_per_block() }
    }

    /// Compares all data, and the results of the kernel, with the correct values after the completed chunks. It reads the whole data once:
    /// do not call it in the measuring window.
    ///
    /// # Errors
    /// [`WrongResult`]: memory, processor or kernel did not do the counted work.
    ///
    /// # Panics
    /// If the cursor is for data of another length.
    pub fn check(&self, data: &[f64], cursor: &Cursor) -> Result<(), WrongResult> {
        assert_eq!(data.len(), cursor.data_len);
        check(self.kernel.access, self.shape, self.together, self.extra, data, cursor)
    }
}

/// The position of a thread in its data, and the results of its kernel so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Length of the data it belongs to.
    pub(super) data_len: usize,
    /// Blocks of the data.
    pub(super) blocks: usize,
    /// The next block.
    pub(super) at: usize,
    /// Number of completed passes through the data.
    pub(super) passes: u64,
    /// Blocks of a chunk.
    pub(super) chunk: usize,
    /// Sums over all chunks.
    pub(super) sums: Sums,
}

impl Cursor {
    /// Number of blocks done since the start.
    pub(super) fn blocks_done(&self) -> u64 {
        self.passes * self.blocks as u64 + self.at as u64
    }
}

/// The factor `s` of the first pass and of the second; then they alternate. So every pass writes other values, and those of
/// `update` neither grow nor vanish.
pub(super) const fn factors(access: Access) -> [f64; 2] {
    match access {
        Access::Update => [2.0, 0.5],
        Access::Read | Access::Copy | Access::Triad => [1.0, 2.0],
    }
}

/// The initial value of an element that is read: a whole number from 1 to 8, scattered.
pub(super) fn initial(index: usize) -> f64 {
    // Multiplicative hashing by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4); the lower half of the
    // index is enough.
    #[allow(clippy::cast_possible_truncation)]
    let scattered = (index as u32).wrapping_mul(0x9E37_79B1) >> 29;
    f64::from(scattered + 1)
}

/// See [`crate::synthetic::PreparedKernel::check`].
pub(super) fn check(
    access: Access,
    shape: Shape,
    together: usize,
    extra: Extra,
    data: &[f64],
    cursor: &Cursor,
) -> Result<(), WrongResult> {
    let stride = cursor.blocks * shape.block_stride();
    let layout = Layout::new(shape, together, cursor.blocks);
    let mut expected = Sums::default();
    for (index, &found) in data.iter().enumerate() {
        let (stream, block, within) = layout.of(index);
        let line = within / LINE;
        let visits = if stream < shape.streams() {
            cursor.passes + u64::from(block < cursor.at)
        } else {
            0 // an element outside all blocks
        };
        let value = element(access, index, stride, visits, shape);
        if found.to_bits() != value.to_bits() {
            return Err(WrongResult::Element { what: "data", index, found, expected: value });
        }
        if stream >= shape.written && visits > 0 {
            let operand = line * shape.read + stream - shape.written;
            let operations = extra.operations_on(operand, shape.operands()) as u64;
            let added = operations.wrapping_mul(operand_total(access, index, visits));
            expected.sum = expected.sum.wrapping_add(added);
            let combined = access == Access::Read && extra.is_sparse() && operations == 0;
            if combined && visits % 2 == 1 {
                expected.xor ^= found.to_bits();
            }
        }
    }
    if expected == cursor.sums {
        return Ok(());
    }
    let of = |sums: Sums| [sums.sum, sums.xor];
    Err(WrongResult::Sums { found: of(cursor.sums), expected: of(expected) })
}

/// The value of an element after its block was worked on `visits` times.
fn element(access: Access, index: usize, stride: usize, visits: u64, shape: Shape) -> f64 {
    let written = index < shape.written * stride;
    match access {
        Access::Update if visits % 2 == 1 => initial(index) * factors(access)[0],
        Access::Copy | Access::Triad if written && visits == 0 => 0.0,
        Access::Copy if written => initial(index + shape.written * stride),
        Access::Triad if written => {
            // The last visit was the first pass, the third, ...: an odd number of visits.
            let factor = factors(access)[usize::from(visits.is_multiple_of(2))];
            let (b, c) = (shape.written * stride, (shape.written + shape.read / 2) * stride);
            initial(index + b) + factor * initial(index + c)
        }
        _ => initial(index),
    }
}

/// The sum of the values of an element as an operand in `visits` visits.
fn operand_total(access: Access, index: usize, visits: u64) -> u64 {
    // A whole number from 1 to 8.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let initial = initial(index) as u64;
    if access == Access::Update {
        // The operand is the new value: twice the initial one in the first pass, the initial one again in the second.
        initial * (2 * visits.div_ceil(2) + visits / 2)
    } else {
        initial * visits
    }
}
