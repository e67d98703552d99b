//! Real kernels and the sizes of their problems: what `kernel = "dmv"` and the table `[app.problem]` of an application say.
//!
//! Values without any behaviour but arithmetic: how many floating-point operations a problem takes, and how many bytes it moves. The crate `kernels` runs
//! them, and its counts are the same (a test there).
//!
//! Bytes are counted by the rule of [`Access`]: a line that is written counts once, whether or not a processor reads it before (write-allocate). Additions,
//! multiplications, divisions, square roots, exponentials and logarithms are one FLOP each, whatever they cost a processor.

pub use matrix::{CALLS, Cells, Dmv, Elements, Partition, Spmv, Storage};

use crate::app::Access;
use crate::units::FlopPerByte;

mod matrix;

/// What models take for the intensity of a kernel that computes nothing ([`Memcpy`], [`Chase`]), FLOP/byte.
///
/// Models know how much memory traffic a core wants by what it computes: gflops / intensity. A kernel that only moves data wants all that there is, and with
/// this little a core of 1 GFLOPS wants 10^6 GB/s. Its GFLOPS then are its GB/s / 10^6 and mean nothing else.
pub const NEXT_TO_NOTHING: FlopPerByte = FlopPerByte::new(1e-6);

/// The most that a given intensity may differ from what a kernel counts, as a share of that.
pub const TOLERANCE: f64 = 0.05;

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes moved to or from memory.
    pub bytes: u64,
    /// Floating-point operations.
    pub flop: u64,
}

/// Whose work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// All threads have it together: each does its part.
    AllThreads,
    /// Each thread does as much.
    EachThread,
}

/// A real kernel with a problem of a certain size, in a certain variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelProblem {
    /// Prices of options.
    BlackScholes(BlackScholes),
    /// Dense matrix times vector.
    Dmv(Dmv),
    /// Sparse matrix times vector.
    Spmv(Spmv),
    /// Copying memory.
    Memcpy(Memcpy),
    /// A stencil of five points.
    Stencil2d(Stencil2d),
    /// Waves in an elastic medium.
    Seismic(Seismic),
    /// Chains of addresses.
    Chase(Chase),
}

impl KernelProblem {
    /// The problem of a kernel in the size of the paper, and in its first variant.
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

    /// How it uses memory, as far as machines have figures of that. Kernels that read far more than they write count as reading: of 28 bytes of an option 24
    /// are read, of a matrix times a vector nearly all. `memcpy` and `stencil2d` read as much as they write, elsewhere: [`Access::Copy`]. `seismic` changes most
    /// of what it reads in place: [`Access::Update`].
    pub const fn access(&self) -> Access {
        match self {
            Self::BlackScholes(_) | Self::Dmv(_) | Self::Spmv(_) | Self::Chase(_) => Access::Read,
            Self::Memcpy(_) | Self::Stencil2d(_) => Access::Copy,
            Self::Seismic(_) => Access::Update,
        }
    }

    /// Whose work [`Self::step`] is.
    pub const fn whose(&self) -> Whose {
        match self {
            Self::Memcpy(_) | Self::Chase(_) => Whose::EachThread,
            _ => Whose::AllThreads,
        }
    }

    /// The work of one step: a run over all options, a product of matrix and vector, a copy, an iteration, [`Chase::HOPS`] hops of each chain.
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

    /// How many steps the whole problem takes.
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

    /// Floating-point operations of the whole problem, of all threads or of each ([`Self::whose`]).
    pub fn flop(&self) -> u128 {
        u128::from(self.step().flop) * u128::from(self.steps())
    }

    /// Bytes that the whole problem moves to or from memory, of all threads or of each ([`Self::whose`]): where they do not fit the caches.
    pub fn bytes(&self) -> u128 {
        u128::from(self.step().bytes) * u128::from(self.steps())
    }

    /// Floating-point operations for each byte that is moved; 0 of kernels that compute nothing.
    pub fn arithmetic_intensity(&self) -> FlopPerByte {
        let Work { bytes, flop } = self.step();
        // What moves nothing has no intensity.
        FlopPerByte::new(if bytes == 0 { 0.0 } else { flop as f64 / bytes as f64 })
    }

    /// What models take for it: [`Self::arithmetic_intensity`], or [`NEXT_TO_NOTHING`].
    pub fn modelled_intensity(&self) -> FlopPerByte {
        let own = self.arithmetic_intensity();
        if own.value() > 0.0 { own } else { NEXT_TO_NOTHING }
    }

    /// Whether `given` is what the kernel counts, but for [`TOLERANCE`] of it.
    pub fn has_intensity(&self, given: FlopPerByte) -> bool {
        let own = self.modelled_intensity().value();
        (given.value() - own).abs() <= TOLERANCE * own
    }

    /// Bytes of memory that the problem takes for so many threads on so many nodes.
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

/// The product, or the largest number where it is larger.
fn times(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, &factor| product.saturating_mul(factor))
}

/// The sum, or the largest number where it is larger.
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
    /// Each key of its table with its value as in a file, words without quotes.
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

/// Each thread follows `chains` chains at once through memory of its own, in random order: one line of 64 bytes for each hop, nothing computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// MiB of each thread.
    pub size_mib: u64,
    /// Chains that each thread follows at once.
    pub chains: u64,
    /// Hops of each chain.
    pub hops: u64,
}

impl Chase {
    /// Hops of each chain in a step.
    pub const HOPS: u64 = 4096;
    /// Bytes of a line.
    pub const LINE: u64 = 64;
    /// Chains at most: above what cores of today wait for.
    pub const MOST_CHAINS: u64 = 32;
    /// MiB at most: lines are numbered with 32 bits.
    pub const MOST_MIB: u64 = (1 << 18) - 1;

    /// Lines of each thread.
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

/// One chain through 256 MiB, which no cache holds; every line about once.
impl Default for Chase {
    fn default() -> Self {
        Self { size_mib: 256, chains: 1, hops: 1 << 22 }
    }
}

/// European options without dividends, priced by Black and Scholes, again and again: `options` times `runs` prices.
///
/// An option is 28 bytes: price of the share, strike, interest, volatility, time and type are read (6 x 4 B), the price is written (4 B). Its price is 69 FLOP, ln,
/// square root and three exponentials counted as one each: 9 for d1 and d2, 22 for each of two N() by the polynomial 26.2.17 of Abramowitz and Stegun, 3 for
/// K e^(-rT), 8 for call and put, and those five. 69 / 28 = 2.46 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlackScholes {
    /// How many options.
    pub options: u64,
    /// How often all of them are priced.
    pub runs: u64,
}

impl BlackScholes {
    /// FLOP of a price.
    pub const FLOP: u64 = 69;
    /// Bytes that pricing an option moves.
    pub const BYTES: u64 = 28;
    /// Options at most.
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
    /// Whose the source is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Source {
        /// All threads copy from one.
        /// The first of them filled it.
        Shared = "shared",
        /// The threads of a node copy from one of its own.
        PerNode = "per-node",
        /// Each thread has its own.
        Own = "own",
    }
}

crate::words! {
    /// When pages of the destination are touched for the first time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    pub enum Faults {
        /// Before what is measured.
        Before = "before",
        /// By the copy.
        /// Page faults are a part of what is measured.
        Inside = "inside",
    }
}

crate::words! {
    /// What copies.
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

/// Each thread copies all of a source of `size_mib` into a destination of its own.
///
/// A byte that is copied is two that are moved, one read and one written; nothing is computed. With [`How::Cached`] a third is read that is not counted.
/// A source on one node and destinations where the threads run are `data = { home = 0, share = 0.5 }` of an application, and a third instead of a half where lines are read
/// before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memcpy {
    /// MiB of each source and of each destination.
    pub size_mib: u64,
    /// How often each thread copies.
    pub copies: u64,
    /// Whose the source is.
    pub source: Source,
    /// When pages are touched.
    pub faults: Faults,
    /// What copies.
    pub how: How,
}

impl Memcpy {
    /// MiB at most.
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

/// 4 GiB once, from one source, with pages that are there before, stored past the caches.
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

/// Each point of a grid becomes a fifth of itself and its four neighbours, in another grid; then the two change places. Numbers of 8 bytes.
///
/// 5 FLOP (4 additions, a multiplication), 8 bytes read and 8 written: 0.3125 FLOP/byte. Neighbours come from the caches. In memory there are three grids: what the first
/// iteration reads, and two that are written in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil2d {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// How often.
    pub iterations: u64,
}

/// Waves in an elastic medium on springs on a staggered grid: stress and displacement from velocity, then velocity from them. Numbers of 4 bytes for each point: three
/// of stress, two of displacement, two of velocity.
///
/// 10 FLOP of the first sweep: 4 differences of velocities and a sum of two of them, 5 additions. 12 of the second: 4 differences of stresses and 2 sums of them, 2
/// differences with what springs do, 2 multiplications, 2 additions. The first reads 8 bytes of velocity and changes 20 (48 moved), the second reads 20 and changes 8 (36 moved): 22 / 84 = 0.262 FLOP/byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seismic {
    /// Rows of the grid.
    pub rows: u64,
    /// Columns of the grid.
    pub columns: u64,
    /// How often.
    pub iterations: u64,
}

/// Rows or columns at most.
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

/// 8192 x 8192 points, 1.5 GiB in three grids: the papers print no size.
impl Default for Stencil2d {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

/// 8192 x 8192 points, 1.75 GiB: the papers print no size.
impl Default for Seismic {
    fn default() -> Self {
        Self { rows: 8192, columns: 8192, iterations: 100 }
    }
}

#[cfg(test)]
mod tests;
