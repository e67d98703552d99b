//! A kernel with its code: fills, works on and checks the memory of one thread.

use std::hint::black_box;

use super::body::{Body, Job, Sums};
use super::check::{self, WrongResult};
use super::cursor::{Cursor, factors};
use super::shape::{Extra, LINE_BYTES, Layout, Shape};
use super::variant::Variant;
use super::{Isa, Kernel, KernelError, Stores, Work};

/// Traffic of a chunk: at 40 GB/s, more than one core gets from memory, it takes 26 us, a thousand times as long as a look at
/// the clock; at 1 GB/s it takes a millisecond.
const CHUNK_BYTES: u64 = 1 << 20;
/// The same for data up to [`CACHED_BYTES`], which come at hundreds of GB/s from a core's own caches.
const CACHED_CHUNK_BYTES: u64 = 8 << 20;
/// Data up to this size may lie in a core's own caches.
const CACHED_BYTES: usize = 4 << 20;
/// Operations of a chunk at most: at 150 GFLOPS they take 28 us, at 4 GFLOPS a millisecond.
const CHUNK_FLOP: u64 = 1 << 22;

/// A kernel for an instruction set that this processor has.
#[derive(Clone, Copy, Debug)]
pub struct PreparedKernel {
    kernel: Kernel,
    variant: Variant,
    shape: Shape,
    /// Streams that lie side by side.
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
        let extra = Extra::of(kernel.steps - shape.natural_steps);
        let bodies = match isa {
            _ if !isa.is_available() => return Err(KernelError::Unavailable { isa }),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => &super::avx512::BODIES,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => &super::avx2::BODIES,
            _ => &super::portable::BODIES,
        };
        let together = Shape::streams_per_array(kernel.access) / variant.streams as usize;
        Ok(Self {
            kernel,
            variant,
            shape,
            together,
            extra,
            body: bodies[kernel.access as usize][extra.code()],
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

    /// How it goes through memory.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Whether the processor also reads each line that `copy` and `triad` write, which the rule of [`numasim_model::Access`] does not
    /// count: the portable code cannot avoid it, nor do stores through the caches, and its bandwidth then looks a quarter to a third too low.
    pub fn write_allocates(&self) -> bool {
        let streaming = self.variant.stores == Stores::Streaming && self.variant.isa != Isa::Portable;
        self.shape.written > 0 && !streaming
    }

    /// Fewest elements that it can work on: one block.
    pub const fn least_len(&self) -> usize {
        self.shape.block_len()
    }

    /// How many of `data_len` elements it works on: whole blocks of all streams, of large data at most 2 % less. The others are
    /// filled and left alone.
    pub const fn usable_len(&self, data_len: usize) -> usize {
        self.blocks(data_len) * self.shape.block_len()
    }

    const fn blocks(&self, data_len: usize) -> usize {
        self.shape.blocks(data_len, self.together)
    }

    /// Writes the initial values, small whole numbers. The first to write decides where memory lies: this is for the thread that
    /// will work on it.
    pub fn fill(&self, data: &mut [f64]) {
        let written = self.written_len(self.blocks(data.len()));
        for (index, element) in data.iter_mut().enumerate() {
            *element = if index < written { 0.0 } else { check::initial(index) };
        }
    }

    /// Elements of the streams that are written and not read; they are the first of the data.
    pub(super) fn written_len(&self, blocks: usize) -> usize {
        self.shape.written * blocks * self.shape.block_stride()
    }

    /// The beginning of `data_len` elements.
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

    /// What one [`Self::run`] with this cursor does, always the same.
    pub fn chunk(&self, cursor: &Cursor) -> Work {
        let blocks = cursor.chunk as u64;
        Work { bytes: blocks * self.kernel.bytes_per_block(), flop: blocks * self.kernel.flop_per_block() }
    }

    /// Does the next chunk of work: about 25 us to 1 ms, so that a look at the clock after each costs less than 0.1 %.
    ///
    /// It goes on where the last chunk ended, and begins again at the end of the data.
    ///
    /// # Panics
    /// If `data` is not aligned to 64 bytes, or the cursor is of data of another length.
    pub fn run(&self, data: &mut [f64], cursor: &mut Cursor) -> Work {
        self.run_blocks(data, cursor, cursor.chunk)
    }

    /// The same for so many blocks, at most those of the data: for work that is no whole number of chunks.
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
        // SAFETY: the processor has the instruction set (`new`), the data are aligned, and `blocks` blocks of all streams
        // are not longer than the data; `at` is less than `blocks`.
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

    /// Compares all data, and what the kernel computed, with what must be there after the chunks that were done.
    /// It reads the whole data once: not for the measuring window.
    ///
    /// # Errors
    /// [`WrongResult`]: memory, processor or kernel did not do what was counted.
    ///
    /// # Panics
    /// If the cursor is of data of another length.
    pub fn check(&self, data: &[f64], cursor: &Cursor) -> Result<(), WrongResult> {
        assert_eq!(data.len(), cursor.data_len);
        check::check(self.kernel.access, self.shape, self.together, self.extra, data, cursor)
    }
}
