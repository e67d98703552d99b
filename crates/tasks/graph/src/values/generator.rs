//! Programs whose task graphs are made from a few parameters: the codes of paper 001 (section 3.1), of paper 003 (section 5) and of paper
//! 000 (section IV), Cholesky, Task Bench.

mod equal_parts;
mod of_machine;
mod parameter;
mod task_bench;
#[cfg(test)]
mod tests;

pub use equal_parts::Indivisible;
pub use of_machine::OfMachine;
pub use parameter::Parameter;
pub use task_bench::{Pattern, TaskBench};

/// A program and its parameters. Sizes of tiles and matrices count elements of 8 B (FP64). What it makes, the crate `graph` says.
/// With `init` there are first tasks that write what the others find. A parameter that is `None` follows from the machine
/// ([`Generator::settle`]).
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
    Nstream { arrays: u64, array_bytes: u64, iterations: u64, init: bool },
    /// Tiled QR (Buttari et al. 2009) of n x n tiles.
    Qr { n: u64, tile: u64, init: bool },
    /// Tiled Cholesky of n x n tiles.
    Cholesky { n: u64, tile: u64, init: bool },
    /// Inverse of a symmetric matrix: Cholesky, inverse of the triangle, product.
    Smi { n: u64, tile: u64, init: bool },
    /// A pattern of Task Bench (Slaughter et al. 2020).
    TaskBench(TaskBench),
    /// Conjugate gradients of NPB as parallel loops over rows (paper 003).
    NpbCg { rows: u64, nnz: u64, chunks: Option<u64>, repeat: u64 },
    /// Multigrid of NPB as parallel loops, a V-cycle over grids of 8^l points (paper 003).
    NpbMg { log2: u64, chunks: Option<u64>, repeat: u64 },
    /// Streamcluster of PARSEC: distances of points in lists of chunks (paper 003).
    Streamcluster { points: u64, dims: u64, chunks: Option<u64>, repeat: u64 },
    /// Fluidanimate of PARSEC: nine steps over the cells of each frame (paper 003).
    Fluidanimate { particles: u64, chunks: Option<u64>, repeat: u64 },
    /// Ferret of PARSEC: a pipeline of queries to a database that is spread over the nodes (paper 003).
    Ferret { queries: u64, database: u64 },
    /// A stencil on rows x columns strands that create themselves anew (paper 000).
    Stencil2d { n: u64, rows: u64, columns: u64, iterations: u64 },
    /// Waves in an elastic medium, strips of rows with stress and velocity (paper 000).
    Seismic { n: u64, blocks: Option<u64>, strips: Option<u64>, iterations: u64 },
}

impl Generator {
    /// One of each kind, in the order in which they are listed to people, with the parameters that hold where nobody gives others.
    ///
    /// Paper 001 prints hardly any: 30 blocks of `cg` and 150 of `jacobi` are its, the others are assumed, so that the data is many times
    /// the caches. Those of Task Bench are assumed, but for `radix` and `bytes`, which are its own defaults. Papers 003 and 000 print class C of
    /// NPB, points, particles, queries and database (section 5 of 003), grids and iterations (section IV of 000); `dims` and `repeat`, fewer than
    /// theirs, are assumed.
    pub const fn defaults() -> [Self; 17] {
        [
            Self::GaussSeidel { grid: 16, tile: 512, iterations: 20, control: 1, init: true },
            Self::RedBlack { grid: 16, tile: 512, iterations: 20, control: 1, init: true },
            Self::Jacobi { blocks: 150, rows: 9600, columns: 8192, iterations: 20, init: true },
            Self::Cg { blocks: 30, rows: 3_000_000, nnz_per_row: 27, iterations: 30, init: true },
            Self::IntegralHistogram { grid: 16, tile: 256, bins: 32, init: true },
            Self::Nstream { arrays: 64, array_bytes: 16_000_000, iterations: 20, init: true },
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
            Self::NpbCg { rows: 150_000, nnz: 36_100_000, chunks: None, repeat: 25 },
            Self::NpbMg { log2: 9, chunks: None, repeat: 4 },
            Self::Streamcluster { points: 10_000_000, dims: 128, chunks: None, repeat: 20 },
            Self::Fluidanimate { particles: 500_000, chunks: None, repeat: 20 },
            Self::Ferret { queries: 3500, database: 700_000_000 },
            Self::Stencil2d { n: 10_240, rows: 8, columns: 10, iterations: 1000 },
            Self::Seismic { n: 16_000, blocks: None, strips: None, iterations: 100 },
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
            Self::NpbCg { .. } => "npb-cg",
            Self::NpbMg { .. } => "npb-mg",
            Self::Streamcluster { .. } => "streamcluster",
            Self::Fluidanimate { .. } => "fluidanimate",
            Self::Ferret { .. } => "ferret",
            Self::Stencil2d { .. } => "stencil2d",
            Self::Seismic { .. } => "seismic",
        }
    }

    /// Its parameters by key, in the order in which they are listed to people, sizes in bytes ([`Parameter::in_its_unit`]); the pattern of Task
    /// Bench is none of them, nor are those that the machine has yet to say.
    pub fn parameters(&self) -> Vec<(&'static str, u64)> {
        let mut own = self.clone();
        let mut all: Vec<_> = own.parameters_mut().into_iter().map(|(key, value)| (key, *value)).collect();
        all.extend(own.of_machine_mut().into_iter().filter_map(|of| Some((of.key, (*of.value)?))));
        all
    }

    /// Its parameters that do not follow from the machine, to be changed.
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
            Self::Nstream { arrays, array_bytes, iterations, .. } => {
                vec![("arrays", arrays), ("mb", array_bytes), ("iterations", iterations)]
            }
            Self::Qr { n, tile, .. } | Self::Cholesky { n, tile, .. } | Self::Smi { n, tile, .. } => {
                vec![("n", n), ("tile", tile)]
            }
            Self::TaskBench(TaskBench { pattern: _, width, steps, radix, flop, bytes }) => {
                vec![("width", width), ("steps", steps), ("radix", radix), ("flop", flop), ("bytes", bytes)]
            }
            Self::NpbCg { rows, nnz, chunks: _, repeat } => {
                vec![("rows", rows), ("nnz", nnz), ("repeat", repeat)]
            }
            Self::NpbMg { log2, chunks: _, repeat } => vec![("log2", log2), ("repeat", repeat)],
            Self::Streamcluster { points, dims, chunks: _, repeat } => {
                vec![("points", points), ("dims", dims), ("repeat", repeat)]
            }
            Self::Fluidanimate { particles, chunks: _, repeat } => {
                vec![("particles", particles), ("repeat", repeat)]
            }
            Self::Ferret { queries, database } => vec![("queries", queries), ("database", database)],
            Self::Stencil2d { n, rows, columns, iterations } => {
                vec![("n", n), ("rows", rows), ("columns", columns), ("iterations", iterations)]
            }
            Self::Seismic { n, blocks: _, strips: _, iterations } => {
                vec![("n", n), ("iterations", iterations)]
            }
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
            Self::TaskBench(_)
            | Self::NpbCg { .. }
            | Self::NpbMg { .. }
            | Self::Streamcluster { .. }
            | Self::Fluidanimate { .. }
            | Self::Ferret { .. }
            | Self::Stencil2d { .. }
            | Self::Seismic { .. } => None,
        }
    }
}
