//! The patterns of Task Bench (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance", SC 2020).

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
