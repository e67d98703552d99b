//! Programs whose task graphs are made from a few parameters: the codes of paper 001 (section 3.1), Cholesky, Task Bench.

/// A program and its parameters. Sizes of tiles and matrices count elements of 8 B (FP64). What it makes, the crate `graph` says.
/// With `init` there are first tasks that write what the others find.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the parameters have the names that they have in files; `Parameter::ALL` says what they are"
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

/// A parameter of generators, by its key in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// What it is, as in "write ...".
    pub what: &'static str,
    /// A value, for examples.
    pub example: &'static str,
    /// The least that makes sense.
    pub least: u64,
}

impl Parameter {
    /// All, each once, also where several generators have it.
    pub const ALL: [Self; 17] = [
        Self::of("grid", "how many tiles there are in each direction", "16", 1),
        Self::of("tile", "how many elements a tile has in each direction", "512", 1),
        Self::of("iterations", "a number of iterations", "20", 0),
        Self::of("control", "how many tasks without data are created first", "1", 0),
        Self::of("blocks", "how many blocks of rows there are", "30", 1),
        Self::of("rows", "a number of rows", "9600", 1),
        Self::of("columns", "a number of columns", "8192", 1),
        Self::of("nnz_per_row", "how many entries of a row of the matrix are not zero", "27", 1),
        Self::of("bins", "how many bins the histogram has", "32", 1),
        Self::of("arrays", "how many triples of arrays there are", "64", 1),
        Self::of("mb", "the size of an array in MB (10^6 bytes)", "16", 1),
        Self::of("n", "how many tiles the matrix has in each direction", "16", 1),
        Self::of("width", "how many tasks a step has", "16", 1),
        Self::of("steps", "a number of steps", "100", 1),
        Self::of("radix", "on how many tasks of the step before one depends", "3", 0),
        Self::of("flop", "the FLOP of a task", "1000000", 0),
        Self::of("bytes", "how many bytes a task hands to each of the next step", "16", 0),
    ];

    const fn of(key: &'static str, what: &'static str, example: &'static str, least: u64) -> Self {
        Self { key, what, example, least }
    }
}

impl Generator {
    /// One of each kind, in the order in which they are listed to people, with the parameters that hold where nobody gives others.
    ///
    /// Paper 001 prints hardly any: 30 blocks of `cg` and 150 of `jacobi` are its, the others are assumed, so that the data is many times
    /// the caches. Those of Task Bench are assumed, but for `radix` and `bytes`, which are its own defaults.
    pub const fn defaults() -> [Self; 10] {
        [
            Self::GaussSeidel { grid: 16, tile: 512, iterations: 20, control: 1, init: true },
            Self::RedBlack { grid: 16, tile: 512, iterations: 20, control: 1, init: true },
            Self::Jacobi { blocks: 150, rows: 9600, columns: 8192, iterations: 20, init: true },
            Self::Cg { blocks: 30, rows: 3_000_000, nnz_per_row: 27, iterations: 30, init: true },
            Self::IntegralHistogram { grid: 16, tile: 256, bins: 32, init: true },
            Self::Nstream { arrays: 64, mb: 16, iterations: 20, init: true },
            Self::Qr { n: 16, tile: 512, init: true },
            Self::Cholesky { n: 16, tile: 512, init: true },
            Self::Smi { n: 16, tile: 512, init: true },
            Self::TaskBench(TaskBench {
                pattern: Pattern::Stencil,
                width: 16,
                steps: 100,
                radix: 3,
                flop: 1_000_000,
                bytes: 16,
            }),
        ]
    }

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

    /// Its parameters by key, in the order in which they are listed to people; the pattern of Task Bench is none of them.
    pub fn parameters(&self) -> Vec<(&'static str, u64)> {
        self.clone().parameters_mut().into_iter().map(|(key, value)| (key, *value)).collect()
    }

    /// The same, to be changed.
    pub fn parameters_mut(&mut self) -> Vec<(&'static str, &mut u64)> {
        match self {
            Self::GaussSeidel { grid, tile, iterations, control, .. }
            | Self::RedBlack { grid, tile, iterations, control, .. } => {
                vec![("grid", grid), ("tile", tile), ("iterations", iterations), ("control", control)]
            }
            Self::Jacobi { blocks, rows, columns, iterations, .. } => {
                vec![("blocks", blocks), ("rows", rows), ("columns", columns), ("iterations", iterations)]
            }
            Self::Cg { blocks, rows, nnz_per_row, iterations, .. } => {
                vec![
                    ("blocks", blocks),
                    ("rows", rows),
                    ("nnz_per_row", nnz_per_row),
                    ("iterations", iterations),
                ]
            }
            Self::IntegralHistogram { grid, tile, bins, .. } => {
                vec![("grid", grid), ("tile", tile), ("bins", bins)]
            }
            Self::Nstream { arrays, mb, iterations, .. } => {
                vec![("arrays", arrays), ("mb", mb), ("iterations", iterations)]
            }
            Self::Qr { n, tile, .. } | Self::Cholesky { n, tile, .. } | Self::Smi { n, tile, .. } => {
                vec![("n", n), ("tile", tile)]
            }
            Self::TaskBench(TaskBench { pattern: _, width, steps, radix, flop, bytes }) => {
                vec![("width", width), ("steps", steps), ("radix", radix), ("flop", flop), ("bytes", bytes)]
            }
        }
    }

    /// Keys of two parameters of which the second must divide the first and does not.
    pub const fn indivisible(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Jacobi { blocks, rows, .. } | Self::Cg { blocks, rows, .. } => {
                match rows.checked_rem(*blocks) {
                    Some(0) => None,
                    _ => Some(("rows", "blocks")),
                }
            }
            _ => None,
        }
    }

    /// Whether there are first tasks that write what the others find; `None` of a generator that has no choice.
    pub fn init(&self) -> Option<bool> {
        self.clone().init_mut().copied()
    }

    /// The same, to be changed.
    pub fn init_mut(&mut self) -> Option<&mut bool> {
        match self {
            Self::GaussSeidel { init, .. }
            | Self::RedBlack { init, .. }
            | Self::Jacobi { init, .. }
            | Self::Cg { init, .. }
            | Self::IntegralHistogram { init, .. }
            | Self::Nstream { init, .. }
            | Self::Qr { init, .. }
            | Self::Cholesky { init, .. }
            | Self::Smi { init, .. } => Some(init),
            Self::TaskBench(_) => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_explained_and_used() {
        let mut used: Vec<&str> =
            Generator::defaults().iter().flat_map(Generator::parameters).map(|(key, _)| key).collect();
        used.sort_unstable();
        used.dedup();
        let mut explained = Parameter::ALL.map(|parameter| parameter.key);
        explained.sort_unstable();
        assert_eq!(used, explained);
    }

    #[test]
    fn what_holds_where_nobody_says_anything_makes_sense() {
        for generator in Generator::defaults() {
            assert_eq!(generator.indivisible(), None, "{}", generator.as_str());
            for (key, value) in generator.parameters() {
                let least = Parameter::ALL.iter().find(|parameter| parameter.key == key).map(|p| p.least);
                assert!(least.is_some_and(|least| value >= least), "{key}");
            }
        }
    }

    #[test]
    fn blocks_that_do_not_divide_the_rows_are_found() {
        let cg = |blocks, rows| Generator::Cg { blocks, rows, nnz_per_row: 1, iterations: 1, init: true };
        assert_eq!([cg(3, 9), cg(1, 7)].map(|cg| cg.indivisible()), [None; 2]);
        assert_eq!([cg(4, 9), cg(0, 9)].map(|cg| cg.indivisible()), [Some(("rows", "blocks")); 2]);
    }
}
