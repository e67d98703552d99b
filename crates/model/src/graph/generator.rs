//! Programs whose task graphs are made from a few parameters: the codes of paper 001 (section 3.1), Cholesky, Task Bench.

/// A program and its parameters. Sizes of tiles and matrices count elements of 8 B (FP64). What it makes, the crate `graph` says.
/// With `init` there are first tasks that write what the others find.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the parameters have the names that they have in files; `PARAMETERS` says what they are"
)]
pub enum Generator {
    /// Gauss-Seidel on a grid x grid of tiles, in the order of rows.
    GaussSeidel { grid: u64, tile: u64, iterations: u64, control: u64, init: bool },
    /// The same, tiles with even i + j first, then the odd ones.
    RedBlack { grid: u64, tile: u64, iterations: u64, control: u64, init: bool },
    /// Jacobi on blocks of rows, with a border at each end.
    Jacobi { blocks: u64, rows: u64, columns: u64, iterations: u64, init: bool },
    /// Conjugate gradients on blocks of rows of a sparse matrix.
    Cg { blocks: u64, rows: u64, nnz_per_row: u64, iterations: u64, init: bool },
    /// Integral histogram of an image of grid x grid tiles.
    IntegralHistogram { grid: u64, tile: u64, bins: u64, init: bool },
    /// Independent triads a += b + s c.
    Nstream { arrays: u64, mb: u64, iterations: u64, init: bool },
    /// Tiled QR (Buttari et al. 2009) of n x n tiles.
    Qr { n: u64, tile: u64, init: bool },
    /// Tiled Cholesky of n x n tiles.
    Cholesky { n: u64, tile: u64, init: bool },
    /// Inverse of a symmetric matrix: Cholesky, inverse of the triangle, product.
    Smi { n: u64, tile: u64, init: bool },
    /// A pattern of Task Bench (Slaughter et al. 2020).
    TaskBench(TaskBench),
}

/// A graph of Task Bench: `steps` rows of at most `width` tasks (Slaughter et al., SC 2020, section II and table I).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskBench {
    /// Which tasks of the row before a task depends on.
    pub pattern: Pattern,
    /// Tasks in a row.
    pub width: u64,
    /// Rows.
    pub steps: u64,
    /// How many tasks of the row before, for the patterns that have a choice.
    pub radix: u64,
    /// FLOP of a task.
    pub flop: u64,
    /// Bytes that a task hands to each of the next row.
    pub bytes: u64,
}

/// Which tasks of the row before a task depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// None.
    Trivial,
    /// Itself.
    NoComm,
    /// Itself and its neighbours.
    Stencil,
    /// The same on a ring.
    StencilPeriodic,
    /// Itself and the one to its left: a sweep.
    Dom,
    /// A binary tree that grows to the width.
    Tree,
    /// The butterfly of a fast Fourier transform.
    Fft,
    /// All.
    AllToAll,
    /// The nearest `radix` ones.
    Nearest,
    /// `radix` ones, spread over the row.
    Spread,
    /// Drawn ones among the nearest `radix`.
    RandomNearest,
}

impl Generator {
    /// The word for it in files.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::GaussSeidel { .. } => "gauss-seidel",
            Self::RedBlack { .. } => "red-black",
            Self::Jacobi { .. } => "jacobi",
            Self::Cg { .. } => "cg",
            Self::IntegralHistogram { .. } => "integral-histogram",
            Self::Nstream { .. } => "nstream",
            Self::Qr { .. } => "qr",
            Self::Cholesky { .. } => "cholesky",
            Self::Smi { .. } => "smi",
            Self::TaskBench(_) => "task-bench",
        }
    }
}

impl Pattern {
    /// All, in the order in which they are listed to people.
    pub const ALL: [Self; 11] = [
        Self::Trivial,
        Self::NoComm,
        Self::Stencil,
        Self::StencilPeriodic,
        Self::Dom,
        Self::Tree,
        Self::Fft,
        Self::AllToAll,
        Self::Nearest,
        Self::Spread,
        Self::RandomNearest,
    ];

    /// The word for it in files, that of Task Bench.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::NoComm => "no_comm",
            Self::Stencil => "stencil_1d",
            Self::StencilPeriodic => "stencil_1d_periodic",
            Self::Dom => "dom",
            Self::Tree => "tree",
            Self::Fft => "fft",
            Self::AllToAll => "all_to_all",
            Self::Nearest => "nearest",
            Self::Spread => "spread",
            Self::RandomNearest => "random_nearest",
        }
    }
}
