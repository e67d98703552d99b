//! Real kernels and their problem sizes: the values of `kernel = "dmv"` and the table `[app.problem]` of an
//! application.
//!
//! The types only do arithmetic: the number of floating-point operations of a problem, and the number of
//! bytes that it moves. The crate `kernels` runs the kernels, and a test there checks that its counts are the
//! same.
//!
//! Bytes are counted by the rule of [`Access`]: a written line counts once, whether or not a processor reads
//! it first (write-allocate). Each addition, multiplication, division, square root, exponential and logarithm
//! is one FLOP, whatever it costs a processor.

pub use matrix::{CALLS, Cells, Dmv, Elements, Partition, Spmv, Storage};

use crate::app::Access;
use crate::units::FlopPerByte;

mod matrix;

/// Intensity that models use for a kernel that computes nothing ([`Memcpy`], [`Chase`]), FLOP/byte.
///
/// Models derive the memory traffic of a core from its rate: gflops / intensity. A kernel that only moves
/// data requests all available bandwidth, and with this small intensity a core of 1 GFLOPS requests 10^6
/// GB/s. The GFLOPS of such a kernel are its GB/s / 10^6 and have no other meaning.
pub const NEXT_TO_NOTHING: FlopPerByte = FlopPerByte::new(1e-6);

/// Largest deviation of a given intensity from the kernel's count, relative to that count.
pub const TOLERANCE: f64 = 0.05;

/// An amount of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes moved to or from memory.
    pub bytes: u64,
    /// Floating-point operations.
    pub flop: u64,
}

/// Scope of a count of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All threads together: each does a share of it.
    AllThreads,
    /// Each thread does this amount.
    EachThread,
}

/// A real kernel with a certain problem size and variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelProblem {
    /// Option pricing.
    BlackScholes(BlackScholes),
    /// Dense matrix times vector.
    Dmv(Dmv),
    /// Sparse matrix times vector.
    Spmv(Spmv),
    /// Copying memory.
    Memcpy(Memcpy),
    /// A five-point stencil.
    Stencil2d(Stencil2d),
    /// Waves in an elastic medium.
    Seismic(Seismic),
    /// Pointer chasing.
    Chase(Chase),
}

impl KernelProblem {
    /// The problem of a kernel at the size of the paper, in its first variant.
    pub fn of(kernel: KernelName) -> Self {
        match kernel {
            KernelName::BlackScholes => Self::BlackScholes(BlackScholes::default()),
            KernelName::Dmv => Self::Dmv(Dmv::default()),
            KernelName::Spmv => Self::Spmv(Spmv::default()),
            KernelName::Memcpy => Self::Memcpy(Memcpy::default()),
            KernelName::Stencil2d => Self::Stencil2d(Stencil2d::default()),
            KernelName::Seismic => Self::Seismic(Seismic::default()),
            KernelName::Chase => Self::Chase(Chase::default()),
        }
    }

    /// Its kernel.
    pub const fn kernel(&self) -> KernelName {
        match self {
            Self::BlackScholes(_) => KernelName::BlackScholes,
            Self::Dmv(_) => KernelName::Dmv,
            Self::Spmv(_) => KernelName::Spmv,
            Self::Memcpy(_) => KernelName::Memcpy,
            Self::Stencil2d(_) => KernelName::Stencil2d,
            Self::Seismic(_) => KernelName::Seismic,
            Self::Chase(_) => KernelName::Chase,
        }
    }

    /// Its use of memory, for the values that machines define. Kernels that read far more than they write
    /// count as reads: of 28 bytes of an option 24 are read, and a matrix-vector product reads almost all its
    /// bytes. `memcpy` and `stencil2d` read as much as they write, at different addresses: [`Access::Copy`].
    /// `seismic` changes most of the data that it reads in place: [`Access::Update`].
    pub const fn access(&self) -> Access {
        match self {
            Self::BlackScholes(_) | Self::Dmv(_) | Self::Spmv(_) | Self::Chase(_) => Access::Read,
            Self::Memcpy(_) | Self::Stencil2d(_) => Access::Copy,
            Self::Seismic(_) => Access::Update,
        }
    }

    /// The scope of [`Self::step`].
    pub const fn whose(&self) -> Whose {
        match self {
            Self::Memcpy(_) | Self::Chase(_) => Whose::EachThread,
            _ => Whose::AllThreads,
        }
    }

    /// The work of one step: one run over all options, one matrix-vector product, one copy, one iteration, or
    /// [`Chase::HOPS`] hops of each chain.
    pub fn step(&self) -> Work {
        match self {
            Self::BlackScholes(problem) => problem.step(),
            Self::Dmv(problem) => problem.step(),
            Self::Spmv(problem) => problem.step(),
            Self::Memcpy(problem) => problem.step(),
            Self::Stencil2d(problem) => problem.step(),
            Self::Seismic(problem) => problem.step(),
            Self::Chase(problem) => problem.step(),
        }
    }

    /// Number of steps of the whole problem.
    pub fn steps(&self) -> u64 {
        match self {
            Self::BlackScholes(problem) => problem.runs,
            Self::Dmv(problem) => problem.iterations.saturating_mul(CALLS),
            Self::Spmv(problem) => problem.iterations.saturating_mul(CALLS),
            Self::Memcpy(problem) => problem.copies,
            Self::Stencil2d(problem) => problem.iterations,
            Self::Seismic(problem) => problem.iterations,
            Self::Chase(problem) => problem.hops.div_ceil(Chase::HOPS),
        }
    }

    /// Floating-point operations of the whole problem, of all threads or of each thread ([`Self::whose`]).
    pub fn flop(&self) -> u128 {
        u128::from(self.step().flop) * u128::from(self.steps())
    }

    /// Bytes that the whole problem moves to or from memory if they do not fit in the caches, of all threads
    /// or of each thread ([`Self::whose`]).
    pub fn bytes(&self) -> u128 {
        u128::from(self.step().bytes) * u128::from(self.steps())
    }

    /// Floating-point operations per moved byte; 0 for kernels that compute nothing.
    pub fn arithmetic_intensity(&self) -> FlopPerByte {
        let Work { bytes, flop } = self.step();
        // A problem without traffic has no intensity.
        FlopPerByte::new(if bytes == 0 { 0.0 } else { flop as f64 / bytes as f64 })
    }

    /// Its intensity in models: [`Self::arithmetic_intensity`], or [`NEXT_TO_NOTHING`].
    pub fn modelled_intensity(&self) -> FlopPerByte {
        let own = self.arithmetic_intensity();
        if own.value() > 0.0 { own } else { NEXT_TO_NOTHING }
    }

    /// Whether `given` equals the kernel's count within [`TOLERANCE`].
    pub fn has_intensity(&self, given: FlopPerByte) -> bool {
        let own = self.modelled_intensity().value();
        (given.value() - own).abs() <= TOLERANCE * own
    }

    /// Memory size of the problem for these numbers of threads and nodes, in bytes.
    pub fn data_bytes(&self, threads: u64, nodes: u64) -> u64 {
        match self {
            Self::BlackScholes(problem) => problem.data_bytes(),
            Self::Dmv(problem) => problem.data_bytes(),
            Self::Spmv(problem) => problem.data_bytes(),
            Self::Memcpy(problem) => problem.data_bytes(threads, nodes),
            Self::Stencil2d(problem) => problem.data_bytes(),
            Self::Seismic(problem) => problem.data_bytes(),
            Self::Chase(problem) => problem.data_bytes(threads),
        }
    }
}

/// The product, saturating at the largest number.
fn times(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

/// The sum, saturating at the largest number.
fn sum(terms: &[u64]) -> u64 {
    terms.iter().fold(0, |sum: u64, &term| sum.saturating_add(term))
}

crate::words! {
    /// A real kernel.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum KernelName {
        /// Prices of `options`, `runs` times.
        BlackScholes = "blackscholes",
        /// A dense complex matrix of `rows` rows times vectors, twice in each of `iterations`.
        Dmv = "dmv",
        /// The sparse matrix of a crystal of `cells` times vectors, twice in each of `iterations`.
        Spmv = "spmv",
        /// Each thread copies `size_mib`, `copies` times.
        Memcpy = "memcpy",
        /// A stencil of five points on `rows` x `columns`, `iterations` times.
        Stencil2d = "stencil2d",
        /// Waves on `rows` x `columns` points, `iterations` times.
        Seismic = "seismic",
        /// Each thread follows `chains` of addresses in `size_mib` for `hops`.
        Chase = "chase",
    }
}

impl KernelProblem {
    /// Each key of its table with its value as written in a file, words without quotes.
    pub fn sizes(&self) -> Vec<(&'static str, String)> {
        let word = ToString::to_string;
        match self {
            Self::BlackScholes(own) => {
                vec![("options", own.options.to_string()), ("runs", own.runs.to_string())]
            }
            Self::Dmv(own) => {
                vec![("rows", own.rows.to_string()), ("iterations", own.iterations.to_string())]
            }
            Self::Spmv(own) => {
                let Cells(cells) = own.cells;
                vec![
                    ("cells", format!("{cells:?}")),
                    ("iterations", own.iterations.to_string()),
                    ("elements", word(own.elements.as_str())),
                    ("partition", word(own.partition.as_str())),
                    ("storage", word(own.storage.as_str())),
                ]
            }
            Self::Memcpy(own) => vec![
                ("size_mib", own.size_mib.to_string()),
                ("copies", own.copies.to_string()),
                ("source", word(own.source.as_str())),
                ("faults", word(own.faults.as_str())),
                ("how", word(own.how.as_str())),
            ],
            Self::Stencil2d(own) => grid([own.rows, own.columns, own.iterations]),
            Self::Seismic(own) => grid([own.rows, own.columns, own.iterations]),
            Self::Chase(own) => vec![
                ("size_mib", own.size_mib.to_string()),
                ("chains", own.chains.to_string()),
                ("hops", own.hops.to_string()),
            ],
        }
    }
}

fn grid([rows, columns, iterations]: [u64; 3]) -> Vec<(&'static str, String)> {
    vec![("rows", rows.to_string()), ("columns", columns.to_string()), ("iterations", iterations.to_string())]
}

/// Each thread follows `chains` chains at once through private memory, in random order: one line of 64 bytes
/// per hop, without computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// MiB per thread.
    pub size_mib: u64,
    /// Chains that each thread follows at once.
    pub chains: u64,
    /// Hops of each chain.
    pub hops: u64,
}

impl Chase {
    /// Hops of each chain in a step.
    pub const HOPS: u64 = 4096;
    /// Bytes of a cache line.
    pub const LINE: u64 = 64;
    /// Maximum number of chains: more than the outstanding loads of current cores.
    pub const MOST_CHAINS: u64 = 32;
    /// Maximum size in MiB: line numbers have 32 bits.
    pub const MOST_MIB: u64 = (1 << 18) - 1;

    /// Number of lines of each thread.
    pub fn lines(&self) -> u64 {
        times(&[self.size_mib, 1 << 20]) / Self::LINE
    }

    fn step(&self) -> Work {
        Work { bytes: times(&[Self::LINE, Self::HOPS, self.chains]), flop: 0 }
    }

    fn data_bytes(&self, threads: u64) -> u64 {
        times(&[self.lines(), Self::LINE, threads])
    }
}

/// One chain through 256 MiB, more than any cache holds; it visits every line about once.
impl Default for Chase {
    fn default() -> Self {
        Self { size_mib: 256, chains: 1, hops: 1 << 22 }
    }
}

/// European options without dividends, priced repeatedly by the Black-Scholes formula: `options` times `runs`
/// prices.
///
/// An option takes 28 bytes: share price, strike, interest, volatility, time and type are read (6 x 4 B), the
/// price is written (4 B). Its price takes 69 FLOP, with ln, square root and three exponentials as one FLOP
/// each: 9 for d1 and d2, 22 for each of two N() by the polynomial 26.2.17 of Abramowitz and Stegun, 3 for K
/// e^(-rT), 8 for call and put, and those five. 69 / 28 = 2.46 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlackScholes {
    /// Number of options.
    pub options: u64,
    /// Number of times that all of them are priced.
    pub runs: u64,
}

impl BlackScholes {
    /// FLOP of one price.
    pub const FLOP: u64 = 69;
    /// Bytes that one price moves.
    pub const BYTES: u64 = 28;
    /// Maximum number of options.
    pub const MOST_OPTIONS: u64 = 1 << 40;

    fn step(&self) -> Work {
        Work { bytes: times(&[Self::BYTES, self.options]), flop: times(&[Self::FLOP, self.options]) }
    }

    fn data_bytes(&self) -> u64 {
        times(&[Self::BYTES, self.options])
    }
}

/// The input `native` of PARSEC: 10,000,000 options, 100 runs.
impl Default for BlackScholes {
    fn default() -> Self {
        Self { options: 10_000_000, runs: 100 }
    }
}

crate::words! {
    /// Owner of the source.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Source {
        /// All threads copy from one source.
        /// The first thread fills it.
        Shared = "shared",
        /// The threads of each node copy from a separate source.
        PerNode = "per-node",
        /// Each thread has its own source.
        Own = "own",
    }
}

crate::words! {
    /// Time at which the pages of the destination are first touched.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Faults {
        /// Before the measurement.
        Before = "before",
        /// By the copy itself.
        /// The measurement includes the page faults.
        Inside = "inside",
    }
}

crate::words! {
    /// Method of copying.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum How {
        /// Stores past the caches.
        Streaming = "streaming",
        /// Stores through the caches.
        /// A line is read before it is written, which is not counted.
        Cached = "cached",
        /// `memcpy` of the C library.
        Library = "library",
    }
}

/// Each thread copies the whole source of `size_mib` into a separate destination.
///
/// Each copied byte moves two bytes, one read and one written, without computation. [`How::Cached`] reads a
/// third byte, which is not counted. A source on one node and destinations local to the threads are `data = {
/// home = 0, share = 0.5 }` of an application, with a third instead of a half if lines are read before they
/// are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memcpy {
    /// MiB of each source and of each destination.
    pub size_mib: u64,
    /// Number of copies per thread.
    pub copies: u64,
    /// Owner of the source.
    pub source: Source,
    /// Time at which pages are first touched.
    pub faults: Faults,
    /// Method of copying.
    pub how: How,
}

impl Memcpy {
    /// Maximum size in MiB.
    pub const MOST_MIB: u64 = 1 << 26;

    /// Words of 8 bytes of each source and of each destination.
    pub fn words(&self) -> u64 {
        times(&[self.size_mib, 1 << 17])
    }

    fn step(&self) -> Work {
        Work { bytes: times(&[16, self.words()]), flop: 0 }
    }

    fn data_bytes(&self, threads: u64, nodes: u64) -> u64 {
        let sources = match self.source {
            Source::Shared => 1,
            Source::PerNode => nodes,
            Source::Own => threads,
        };
        times(&[8, self.words(), threads.saturating_add(sources)])
    }
}

/// 4 GiB, copied once from one source with non-temporal stores, into pages that exist beforehand.
impl Default for Memcpy {
    fn default() -> Self {
        Self {
            size_mib: 4096,
            copies: 1,
            source: Source::Shared,
            faults: Faults::Before,
            how: How::Streaming,
        }
    }
}

/// Each point of a grid becomes a fifth of the sum of itself and its four neighbours, in another grid; then
/// the two grids change places. Numbers of 8 bytes.
///
/// 5 FLOP (4 additions, a multiplication), 8 bytes read and 8 written: 0.3125 FLOP/byte. Neighbours come from
/// the caches. Memory holds three grids: the input of the first iteration, and two that are written
/// alternately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil2d {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// Waves in an elastic medium on springs on a staggered grid: stress and displacement from velocity, then
/// velocity from both. Numbers of 4 bytes, seven per point: three of stress, two of displacement, two of
/// velocity.
///
/// The first sweep takes 10 FLOP: 4 differences of velocities, a sum of two of them, and 5 additions. The
/// second takes 12: 4 differences of stresses, 2 sums of them, 2 differences with the forces of the springs,
/// 2 multiplications and 2 additions. The first reads 8 bytes of velocity and changes 20 (48 moved), the
/// second reads 20 and changes 8 (36 moved): 22 / 84 = 0.262 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seismic {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// Number of iterations.
    pub iterations: u64,
}

/// Maximum number of rows or columns.
pub const MOST_SIDE: u64 = 1 << 24;

impl Stencil2d {
    fn step(&self) -> Work {
        Work { bytes: times(&[16, self.rows, self.columns]), flop: times(&[5, self.rows, self.columns]) }
    }

    fn data_bytes(&self) -> u64 {
        times(&[24, self.rows, self.columns])
    }
}

impl Seismic {
    fn step(&self) -> Work {
        Work { bytes: times(&[84, self.rows, self.columns]), flop: times(&[22, self.rows, self.columns]) }
    }

    fn data_bytes(&self) -> u64 {
        times(&[28, self.rows, self.columns])
    }
}

/// 8192 x 8192 points, 1.5 GiB in three grids: the papers report no size.
impl Default for Stencil2d {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

/// 8192 x 8192 points, 1.75 GiB: the papers report no size.
impl Default for Seismic {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

#[cfg(test)]
mod tests;
