//! Kernels: declared work against counted instructions, results against a slow computation, on each instruction set that the processor has.
#![allow(unsafe_code)] // the counting instruction set below

use std::cell::Cell;

use numasim_model::Access;
use numasim_model::machine::INSTRUCTION_SETS;
use numasim_model::units::FlopPerByte;
use proptest::prelude::*;

use super::body::{Bodies, Body, Extra, Job, Layout, Shape, Sums, bodies, body};
use super::prepared::factors;
use super::{Cursor, GREATEST_INTENSITY, Kernel, KernelError, PreparedKernel, Variant};
use crate::kernel::{Work, WrongResult};
use crate::loops::{Isa, Stores};
use crate::simd::{LINE, Vector};

fn kernel(access: Access, intensity: f64) -> Kernel {
    Kernel::new(access, FlopPerByte::new(intensity)).unwrap()
}

/// Memory in which a stretch aligned to cache lines can be found.
struct Memory(Vec<f64>);

impl Memory {
    fn new(len: usize) -> Self {
        Self(vec![f64::NAN; len + LINE])
    }

    fn data(&mut self, len: usize) -> &mut [f64] {
        let aligned = self.0.as_ptr().align_offset(64);
        &mut self.0[aligned..aligned + len]
    }
}

thread_local! {
    /// Bytes read and written, and floating-point operations.
    static COUNTED: Cell<Work> = const { Cell::new(Work { bytes: 0, flop: 0 }) };
}

fn count(bytes: u64, flop: u64) {
    let mut all = COUNTED.get();
    all += Work { bytes, flop };
    COUNTED.set(all);
}

/// An instruction set of single numbers that counts its operations.
#[derive(Clone, Copy)]
struct Counting(f64);

// SAFETY: reads and writes of one double.
unsafe impl Vector for Counting {
    const LANES: usize = 1;
    const REGISTERS: usize = 10; // five sums and three operands
    unsafe fn splat(x: f64) -> Self {
        Self(x)
    }
    unsafe fn load(from: *const f64) -> Self {
        count(8, 0);
        // SAFETY: the caller promises the address.
        Self(unsafe { from.read() })
    }
    unsafe fn subtract(self, other: Self) -> Self {
        count(0, 1);
        Self(self.0 - other.0)
    }
    unsafe fn load_again(from: *const f64) -> Self {
        // SAFETY: the caller promises the address.
        Self(unsafe { from.read() })
    }
    unsafe fn store(self, to: *mut f64) {
        count(8, 0);
        // SAFETY: the caller promises the address.
        unsafe { to.write(self.0) }
    }
    unsafe fn multiply_add(self, factor: Self, term: Self) -> Self {
        count(0, 2);
        Self(self.0 * factor.0 + term.0)
    }
    unsafe fn add(self, other: Self) -> Self {
        count(0, 1);
        Self(self.0 + other.0)
    }
    unsafe fn multiply(self, other: Self) -> Self {
        count(0, 1);
        Self(self.0 * other.0)
    }
    unsafe fn xor(self, other: Self) -> Self {
        Self(f64::from_bits(self.0.to_bits() ^ other.0.to_bits()))
    }
}

unsafe fn run<const ACCESS: usize, const CODE: usize>(job: &Job) -> Sums {
    // SAFETY: the caller promises the same.
    unsafe { body::<Counting, ACCESS, CODE>(job) }
}

const COUNTING: Bodies = bodies!(run);

/// The counted work of `blocks` blocks of a kernel.
fn counted(kernel: Kernel, blocks: usize) -> Work {
    let shape = Shape::of(kernel.access);
    let extra = Extra::of(kernel.steps - shape.natural_steps);
    let len = blocks * shape.block_len();
    let mut memory = Memory::new(len);
    let data = memory.data(len);
    data.fill(1.0);
    let layout = Layout::new(shape, 1, blocks);
    let job = Job {
        base: data.as_mut_ptr(),
        offsets: std::array::from_fn(
            |stream| if stream < shape.streams() { layout.offset(stream) } else { 0 },
        ),
        advance: layout.advance(),
        ahead: [0, 0],
        streaming: true,
        blocks,
        from: 0,
        count: blocks,
        extra,
        one: 1.0,
        factors: factors(kernel.access),
    };
    COUNTED.set(Work::default());
    // SAFETY: the memory has `blocks` blocks.
    unsafe { COUNTING[kernel.access as usize][extra.code()](&job) };
    COUNTED.get()
}

#[test]
fn the_declared_work_is_done() {
    for access in Access::ALL {
        let natural = Shape::of(access).natural_steps;
        for steps in (natural.max(1)..100).chain([128, 255, 256, 1024, 4096]) {
            let kernel = Kernel { access, steps, variant: None };
            // The difference leaves out the sums at the end.
            let (two, one) = (counted(kernel, 2), counted(kernel, 1));
            assert_eq!(two.bytes - one.bytes, kernel.bytes_per_block(), "{kernel:?}");
            assert_eq!(two.flop - one.flop, kernel.flop_per_block(), "{kernel:?}");
        }
    }
}

#[test]
fn powers_of_two_are_exact() {
    for exponent in -6..=6 {
        let asked = 2.0_f64.powi(exponent);
        for access in [Access::Read, Access::Copy] {
            assert_eq!(kernel(access, asked).arithmetic_intensity().value(), asked);
        }
        if exponent >= -4 {
            assert_eq!(kernel(Access::Update, asked).arithmetic_intensity().value(), asked);
        }
    }
}

#[test]
fn work_of_a_block_by_hand() {
    // 1/32 FLOP/byte x 512 bytes = 16 FLOP; triad: 2 FLOP x 4 lines of 8 elements = 64 FLOP per 12 lines of 64 bytes
    let sparse = kernel(Access::Read, 1.0 / 32.0);
    assert_eq!((sparse.bytes_per_block(), sparse.flop_per_block()), (512, 16));
    let triad = kernel(Access::Triad, 1.0 / 12.0);
    assert_eq!((triad.bytes_per_block(), triad.flop_per_block()), (768, 64));
    let update = kernel(Access::Update, 1.0 / 16.0);
    assert_eq!((update.bytes_per_block(), update.flop_per_block()), (512, 32));
}

#[test]
fn an_intermediate_intensity_reports_its_deviation() {
    // 0.1 x 64 = 6.4 -> 6/64 = 0.09375, 6.25 % less
    let asked = FlopPerByte::new(0.1);
    let near = kernel(Access::Read, 0.1);
    assert_eq!(near.arithmetic_intensity().value(), 6.0 / 64.0);
    assert!((near.deviation(asked) + 0.0625).abs() < 1e-12);
}

#[test]
fn an_impossible_intensity_reports_the_possible_range() {
    let message = |access, asked| Kernel::new(access, FlopPerByte::new(asked)).unwrap_err().to_string();
    assert_eq!(
        message(Access::Read, 100.0),
        "no kernel with 100 FLOP/byte for access \"read\": from 1/64 to 64 FLOP/byte are possible"
    );
    assert_eq!(
        message(Access::Triad, 0.05),
        "no kernel with 0.05 FLOP/byte for access \"triad\": from 1/12 to 64 FLOP/byte are possible \
         (a[i] = b[i] + s * c[i] alone is 2 FLOP per 24 bytes)"
    );
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.015, 65.0] {
        assert!(Kernel::new(Access::Copy, FlopPerByte::new(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn words_for_instruction_sets() {
    for isa in Isa::ALL {
        assert_eq!(isa.as_str().parse(), Ok(isa));
    }
    // The names that a machine file may use.
    assert_eq!(Isa::ALL.map(Isa::as_str), INSTRUCTION_SETS);
    let message = "sse".parse::<Isa>().unwrap_err().to_string();
    assert!(message.starts_with("no instruction set \"sse\"; this processor has portable"), "{message}");
    assert!(Isa::available().contains(&Isa::best()));
}

#[test]
fn an_instruction_set_that_the_processor_lacks_is_an_error() {
    for isa in Isa::ALL {
        let prepared = Kernel::peak().prepare(isa);
        assert_eq!(prepared.is_ok(), Isa::available().contains(&isa));
        if let Err(why) = prepared {
            assert_eq!(why, KernelError::Unavailable { isa });
        }
    }
}

#[test]
fn too_little_memory_has_no_cursor() {
    let prepared = kernel(Access::Triad, 1.0).prepare(Isa::Portable).unwrap();
    // 6 streams x 2 lines x 8 elements
    assert_eq!((prepared.least_len(), prepared.usable_len(95), prepared.usable_len(300)), (96, 0, 288));
    assert!(std::panic::catch_unwind(|| prepared.cursor(95)).is_err());
}

#[test]
fn streams_of_large_data_start_at_different_page_offsets() {
    for access in Access::ALL {
        let shape = Shape::of(access);
        for together in [1, 2, 4].into_iter().filter(|&all| all <= Shape::streams_per_array(access)) {
            for mib in [16, 96, 960] {
                let len = (mib << 20) / 8;
                let blocks = shape.blocks(len, together);
                assert!(blocks * shape.block_len() * 100 >= len * 98, "{access:?} {mib}");
                let layout = Layout::new(shape, together, blocks);
                let first = (0..shape.streams()).step_by(together);
                let mut places: Vec<_> = first.map(|stream| layout.offset(stream) * 8 % 4096).collect();
                let count = places.len();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), count, "{access:?} {together} {mib}");
            }
        }
    }
}

#[test]
fn elements_map_to_their_stream_and_block() {
    // update: 2 streams with blocks of 2 lines of 8 elements, 3 blocks; adjacent: stream 0, stream 1, stream 0, ...
    let shape = Shape::of(Access::Update);
    let (apart, together) = (Layout::new(shape, 1, 3), Layout::new(shape, 2, 3));
    assert_eq!((apart.offset(1), apart.advance()), (48, 16));
    assert_eq!((together.offset(1), together.advance()), (16, 32));
    // Element 37: the third block of stream 0 (32 to 47), or the second of stream 0 (32 to 47).
    assert_eq!((apart.of(37), together.of(37)), ((0, 2, 5), (0, 1, 5)));
    // Element 50: the first block of stream 1 (48 to 63), or the second of stream 1 (48 to 63).
    assert_eq!((apart.of(50), together.of(50)), ((1, 0, 2), (1, 1, 2)));
    // Element 96 belongs to no block.
    assert_eq!((apart.of(96).0, together.of(96).0), (2, 2));
}

#[test]
fn a_variant_that_an_access_lacks_is_named() {
    let message = |access, change: fn(&mut Variant)| {
        let mut variant = Variant::usual(access, Isa::Portable);
        change(&mut variant);
        Kernel::lightest(access).with(variant).prepare(Isa::Portable).unwrap_err().to_string()
    };
    assert_eq!(
        message(Access::Copy, |variant| variant.streams = 4),
        "no kernel for access \"copy\" has 4 streams of each array; there are 1 to 2, a power of two"
    );
    assert_eq!(
        message(Access::Read, |variant| variant.prefetch_bytes = [0, 1 << 20]),
        "no kernel for access \"read\" has prefetches 1048576 bytes ahead; at most 65536"
    );
    let read = Variant { stores: Stores::Cached, streams: 1, prefetch_bytes: [0, 0], isa: Isa::Portable };
    assert_eq!(read.to_string(), "portable, 1 stream, no prefetch, cached stores");
}

#[test]
fn chunks_are_long_enough_for_the_clock_and_short_enough_for_the_window() {
    for access in Access::ALL {
        for intensity in [0.1, 1.0, 8.0, 64.0] {
            let prepared = kernel(access, intensity).prepare(Isa::Portable).unwrap();
            let Work { bytes, flop } = prepared.chunk(&prepared.cursor(1 << 24));
            // A clock read takes 25 ns: 25 us are needed at 40 GB/s or 150 GFLOPS, a millisecond at 1 GB/s and 4 GFLOPS.
            assert!(bytes as f64 / 40.0 >= 25_000.0 || flop as f64 / 150.0 >= 25_000.0, "{bytes} {flop}");
            assert!(bytes as f64 / 1.0 <= 1.05e6 && flop as f64 / 4.0 <= 1.05e6, "{bytes} {flop}");
        }
    }
}

/// A kernel after some chunks on small memory.
fn after(
    access: Access,
    intensity: f64,
    isa: Isa,
    len: usize,
    chunks: usize,
) -> (PreparedKernel, Memory, Cursor) {
    after_as(Variant::usual(access, isa), access, intensity, len, chunks)
}

/// The same for a variant.
fn after_as(
    variant: Variant,
    access: Access,
    intensity: f64,
    len: usize,
    chunks: usize,
) -> (PreparedKernel, Memory, Cursor) {
    let prepared = kernel(access, intensity).with(variant).prepare(Isa::Portable).unwrap();
    let mut memory = Memory::new(len);
    prepared.fill(memory.data(len));
    let mut cursor = prepared.cursor(len);
    // Whole chunks would take long in unoptimised tests.
    cursor.chunk = cursor.blocks * 2 / 3 + 1;
    for _ in 0..chunks {
        let work = prepared.run(memory.data(len), &mut cursor);
        assert_eq!(work, prepared.chunk(&cursor));
    }
    (prepared, memory, cursor)
}

fn accesses() -> impl Strategy<Value = Access> {
    proptest::sample::select(Access::ALL.to_vec())
}

proptest! {
    #![proptest_config(crate::random::questions(64))]

    #[test]
    fn every_instruction_set_computes_the_same(
        access in accesses(), exponent in -3.5..4.0_f64, len in 96_usize..3000, chunks in 0_usize..12,
    ) {
        let results: Vec<_> = Isa::available()
            .into_iter()
            .map(|isa| {
                let (prepared, mut memory, cursor) = after(access, exponent.exp2(), isa, len, chunks);
                prepared.check(memory.data(len), &cursor).unwrap();
                (memory.data(len).to_vec(), cursor)
            })
            .collect();
        for other in &results {
            prop_assert_eq!(other, &results[0]);
        }
    }

    #[test]
    fn every_variant_computes_the_correct_result(
        access in accesses(), exponent in -3.5..4.0_f64, len in 96_usize..3000, chunks in 0_usize..12,
    ) {
        for variant in Variant::candidates(access) {
            let (prepared, mut memory, cursor) = after_as(variant, access, exponent.exp2(), len, chunks);
            prop_assert_eq!(prepared.variant(), variant);
            prepared.check(memory.data(len), &cursor).unwrap();
        }
    }

    #[test]
    fn a_changed_value_is_detected(
        access in accesses(), len in 96_usize..1000, chunks in 1_usize..5, at in 0.0..1.0_f64,
    ) {
        let (prepared, mut memory, mut cursor) = after(access, 0.25, Isa::best(), len, chunks);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let index = (at * prepared.usable_len(len) as f64) as usize;
        let data = memory.data(len);
        let right = data[index];
        data[index] += 1.0;
        let found = prepared.check(data, &cursor).unwrap_err();
        prop_assert!(matches!(found, WrongResult::Element { index: there, .. } if there == index), "{found}");
        data[index] = right;
        prepared.check(data, &cursor).unwrap();
        // Read while it was wrong, and right again afterwards: the sums show it, if the kernel computes sums.
        if access == Access::Read {
            data[index] += 1.0;
            for _ in 0..2 {
                prepared.run(data, &mut cursor); // 2 x 2/3: all blocks at least once, some twice
            }
            data[index] = right;
            let wrong = prepared.check(data, &cursor).unwrap_err();
            prop_assert!(matches!(wrong, WrongResult::Sums { .. }), "{wrong}");
        }
    }

    #[test]
    fn missing_work_is_detected(access in accesses(), len in 96_usize..1000, chunks in 1_usize..5) {
        let (prepared, mut memory, mut cursor) = after(access, 0.25, Isa::best(), len, chunks);
        cursor.at += 1;
        if cursor.at == cursor.blocks {
            (cursor.at, cursor.passes) = (0, cursor.passes + 1);
        }
        prop_assert!(prepared.check(memory.data(len), &cursor).is_err());
    }

    #[test]
    fn the_nearest_intensity_is_chosen(access in accesses(), exponent in -3.5..6.0_f64) {
        let asked = exponent.exp2();
        let kernel = kernel(access, asked);
        let off = (kernel.arithmetic_intensity().value() - asked).abs();
        let step = 8.0 / kernel.bytes_per_block() as f64;
        prop_assert!(off <= step / 2.0 * (1.0 + 1e-12));
    }
}

#[test]
fn sparse_kernels_read_every_line() {
    // 1/64: one addition per block, the other seven lines only reach the exclusive or.
    for isa in Isa::available() {
        for index in 0..256 {
            let (prepared, mut memory, mut cursor) = after(Access::Read, 1.0 / 64.0, isa, 256, 0);
            let data = memory.data(256);
            let right = data[index];
            data[index] = 9.0;
            cursor.chunk = cursor.blocks;
            prepared.run(data, &mut cursor);
            data[index] = right;
            assert!(prepared.check(data, &cursor).is_err(), "{isa} does not read element {index}");
        }
    }
}

#[test]
fn a_whole_chunk_of_the_peak_kernel_in_the_first_level_cache() {
    let prepared = Kernel::peak().prepare(Isa::best()).unwrap();
    assert_eq!(prepared.kernel().arithmetic_intensity(), GREATEST_INTENSITY);
    let mut memory = Memory::new(2048);
    let data = memory.data(2048);
    prepared.fill(data);
    let mut cursor = prepared.cursor(2048);
    prepared.run(data, &mut cursor);
    prepared.check(data, &cursor).unwrap();
}
