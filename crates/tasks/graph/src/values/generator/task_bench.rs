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

numasim_model::words! {
    /// Which tasks of the row before a task depends on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Pattern {
        /// None.
        Trivial = "trivial",
        /// Itself.
        NoComm = "no_comm",
        /// Itself and its neighbours.
        Stencil = "stencil_1d",
        /// The same on a ring.
        StencilPeriodic = "stencil_1d_periodic",
        /// Itself and the one to its left: a sweep.
        Dom = "dom",
        /// A binary tree that grows to the width.
        Tree = "tree",
        /// The butterfly of a fast Fourier transform.
        Fft = "fft",
        /// All.
        AllToAll = "all_to_all",
        /// The nearest `radix` ones.
        Nearest = "nearest",
        /// `radix` ones, spread over the row.
        Spread = "spread",
        /// Drawn ones among the nearest `radix`.
        RandomNearest = "random_nearest",
    }
}
