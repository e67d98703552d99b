//! Programs whose task graphs are made from a few parameters: the codes of paper 001 (section 3.1), of paper 003 (section 5) and of paper
//! 000 (section IV), Cholesky, Task Bench.

#[cfg(test)]
mod tests;

/// A program and its parameters. Sizes of tiles and matrices count elements of 8 B (FP64). The crate `graph` defines the graphs of the
/// programs. With `init`, initial tasks write the data that the others read. A parameter that is `None` follows from the machine
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
    Ferret { queries: u64, database: u64, load_flop: u64 },
    /// A stencil on rows x columns strands, each task of which creates the next one (paper 000).
    Stencil2d { n: u64, rows: u64, columns: u64, iterations: u64 },
    /// Waves in an elastic medium, strips of rows with stress and velocity (paper 000).
    Seismic { n: u64, blocks: Option<u64>, strips: Option<u64>, iterations: u64 },
}

impl Generator {
    /// One of each kind with its default parameters, in the order of lists for people.
    ///
    /// Paper 001 reports few parameters: 30 blocks of `cg` and 150 of `jacobi` are from it. The others are assumed, so that the data is
    /// many times the size of the caches. The parameters of Task Bench are assumed, except `radix` and `bytes`, which are Task Bench's
    /// defaults. Papers 003 and 000 report class C of NPB, points, particles, queries and database (section 5 of 003), grids and
    /// iterations (section IV of 000). `dims` and `repeat`, smaller than theirs, and `load_flop` are assumed.
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
            Self::Ferret { queries: 3500, database: 700_000_000, load_flop: 2_000_000 },
            Self::Stencil2d { n: 10_240, rows: 8, columns: 10, iterations: 1000 },
            Self::Seismic { n: 16_000, blocks: None, strips: None, iterations: 100 },
        ]
    }

    /// Its word in files.
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

    /// Its parameters by key, in the order of lists for people, sizes in bytes ([`Parameter::in_its_unit`]). The list excludes the
    /// pattern of Task Bench, and parameters that still have to be derived from the machine.
    pub fn parameters(&self) -> Vec<(&'static str, u64)> {
        let mut own = self.clone();
        let mut all: Vec<_> = own.parameters_mut().into_iter().map(|(key, value)| (key, *value)).collect();
        all.extend(own.of_machine_mut().into_iter().filter_map(|of| Some((of.key, (*of.value)?))));
        all
    }

    /// Mutable access to its parameters that do not follow from the machine.
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
            Self::Ferret { queries, database, load_flop } => {
                vec![("queries", queries), ("database", database), ("load_flop", load_flop)]
            }
            Self::Stencil2d { n, rows, columns, iterations } => {
                vec![("n", n), ("rows", rows), ("columns", columns), ("iterations", iterations)]
            }
            Self::Seismic { n, blocks: _, strips: _, iterations } => {
                vec![("n", n), ("iterations", iterations)]
            }
        }
    }

    /// Whether initial tasks write the data that the others read; `None` for a generator without this choice.
    pub fn init(&self) -> Option<bool> {
        self.clone().init_mut().copied()
    }

    /// Mutable access to `init`.
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

/// An array of a program, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

/// `[program]`: arrays and the loops over them, repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Pieces of each array and each loop; `None`: 8 for each worker of the machine.
    pub chunks: Option<u64>,
    /// Number of repetitions of all loops.
    pub repeat: u64,
    /// `[[program.array]]`.
    pub arrays: Vec<ProgramArray>,
    /// `[[program.loop]]`, in the order in which they run.
    pub loops: Vec<ProgramLoop>,
}

/// An array, which becomes a block for each chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramArray {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: f64,
}

/// A parallel loop over the chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramLoop {
    /// Its name, the kind of its pieces of work.
    pub name: String,
    /// Work of all pieces together, 10^9 FLOP.
    pub gflop: f64,
    /// Arrays of which each piece reads its own chunk.
    pub inputs: Vec<ArrayId>,
    /// Arrays that each piece reads as a whole.
    pub whole: Vec<ArrayId>,
    /// Arrays of which each piece reads and writes its own chunk.
    pub inout: Vec<ArrayId>,
    /// Arrays of which each piece writes its own chunk.
    pub out: Vec<ArrayId>,
    /// How its pieces are created.
    pub shape: LoopShape,
}

numasim_model::words! {
    /// How the pieces of a loop are created.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum LoopShape {
        /// A range is halved until one chunk is left.
        #[default]
        Range = "range",
        /// One task creates all pieces.
        List = "list",
    }
}

/// A parameter of generators, by its key in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// Its meaning, as in "write ...".
    pub what: &'static str,
    /// A value, for examples.
    pub example: &'static str,
    /// The smallest useful value.
    pub least: u64,
    /// The largest value that can be computed with.
    pub most: u64,
    /// Bytes per unit, for sizes that files give in MB and that may have a fraction; otherwise 1.
    pub unit: u64,
}

/// Whole numbers up to this one are exact in every number of a file.
const EXACT: u64 = 1 << 53;

impl Parameter {
    /// All parameters. Each occurs once, even if several generators have it.
    pub const ALL: [Self; 28] = [
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
        Self::of("mb", "the size of an array in MB (10^6 bytes)", "2.5", 1).in_units_of(1_000_000),
        Self::of("n", "how many tiles or points there are in each direction", "16", 1),
        Self::of("width", "how many tasks a step has", "16", 1),
        Self::of("steps", "a number of steps", "100", 1),
        Self::of("radix", "on how many tasks of the step before one depends", "3", 0),
        Self::of("flop", "the FLOP of a task", "1000000", 0),
        Self::of("bytes", "how many bytes a task hands to each of the next step", "16", 0),
        Self::of("nnz", "how many entries of the matrix are not zero", "36100000", 1),
        Self::of("log2", "the binary logarithm of the points of the finest grid in each direction", "9", 4)
            .up_to(20),
        Self::of("points", "a number of points", "10000000", 1),
        Self::of("dims", "how many coordinates a point has", "128", 1),
        Self::of("particles", "a number of particles", "500000", 1),
        Self::of("queries", "a number of queries", "3500", 0),
        Self::of("database", "the size of the database in bytes", "700000000", 1),
        Self::of("load_flop", "the FLOP of loading a query, one after the other", "2000000", 0),
        Self::of("chunks", "into how many chunks each array is dealt", "256", 1),
        Self::of("repeat", "how often the loops are run", "25", 0),
        Self::of("strips", "how many strips of rows a block has", "40", 1),
    ];

    const fn of(key: &'static str, what: &'static str, example: &'static str, least: u64) -> Self {
        Self { key, what, example, least, most: EXACT, unit: 1 }
    }

    const fn up_to(self, most: u64) -> Self {
        Self { most, ..self }
    }

    const fn in_units_of(self, unit: u64) -> Self {
        Self { unit, ..self }
    }

    /// The parameter with this key.
    pub fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|parameter| parameter.key == key)
    }

    /// A value in the unit of files: 2,500,000 bytes are 2.5 of `mb`.
    pub fn in_its_unit(&self, value: u64) -> f64 {
        value as f64 / self.unit as f64
    }
}

/// Default of `chunks`.
const CHUNKS: &str = "8 for each worker";

/// Chunks of a program of loops on a machine: 8 for each worker under every scheduler, so that all schedulers run one graph.
fn chunks_of(cores: &[u32]) -> u64 {
    8 * cores.iter().copied().map(u64::from).sum::<u64>().max(1)
}

/// A parameter whose default follows from the machine.
#[derive(Debug)]
pub struct OfMachine<'a> {
    /// Its key.
    pub key: &'static str,
    /// The default, in words.
    pub otherwise: &'static str,
    /// Its value.
    pub value: &'a mut Option<u64>,
}

impl Generator {
    /// Its parameters whose defaults follow from the machine.
    pub fn of_machine_mut(&mut self) -> Vec<OfMachine<'_>> {
        match self {
            Self::NpbCg { chunks, .. }
            | Self::NpbMg { chunks, .. }
            | Self::Streamcluster { chunks, .. }
            | Self::Fluidanimate { chunks, .. } => {
                vec![OfMachine { key: "chunks", otherwise: CHUNKS, value: chunks }]
            }
            Self::Seismic { blocks, strips, .. } => vec![
                OfMachine { key: "blocks", otherwise: "one for each node with cores", value: blocks },
                OfMachine {
                    key: "strips",
                    otherwise: "two for each core of the first node with cores",
                    value: strips,
                },
            ],
            _ => Vec::new(),
        }
    }

    /// Sets the parameters that are not given to the values that follow from a machine: `cores` are those of each node that has any, in
    /// order.
    pub fn settle(&mut self, cores: &[u32]) {
        match self {
            Self::NpbCg { chunks, .. }
            | Self::NpbMg { chunks, .. }
            | Self::Streamcluster { chunks, .. }
            | Self::Fluidanimate { chunks, .. } => {
                chunks.get_or_insert(chunks_of(cores));
            }
            Self::Seismic { blocks, strips, .. } => {
                blocks.get_or_insert(cores.len().max(1) as u64);
                strips.get_or_insert(2 * u64::from(cores.first().copied().unwrap_or(1)));
            }
            _ => {}
        }
    }

    /// Default of `throttle` for its programs, given the number of workers: a pipeline has twice as many tokens as workers (paper 003,
    /// section 5).
    pub const fn throttle(&self, workers: u64) -> Option<u64> {
        match self {
            Self::Ferret { .. } => Some(2 * workers),
            _ => None,
        }
    }
}

impl Program {
    /// Sets `chunks`, unless it is given, to the value that follows from a machine: `cores` are those of each node that has any.
    pub fn settle(&mut self, cores: &[u32]) {
        self.chunks.get_or_insert(chunks_of(cores));
    }
}

/// A value that must be divisible into equal parts and is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indivisible {
    /// The key of the value.
    pub whole: &'static str,
    /// Its value.
    pub value: u64,
    /// The key of the number of parts.
    pub parts: &'static str,
    /// The number of parts: for `strips` those of all blocks.
    pub count: u64,
}

impl Generator {
    /// The value that must be divisible into equal parts and is not; ignores parameters that still have to be derived from the machine.
    pub fn indivisible(&self) -> Option<Indivisible> {
        let dealt = |whole, value: u64, parts, count: u64| {
            let left = value.checked_rem(count) != Some(0);
            left.then_some(Indivisible { whole, value, parts, count })
        };
        match *self {
            Self::Jacobi { blocks, rows, .. } | Self::Cg { blocks, rows, .. } => {
                dealt("rows", rows, "blocks", blocks)
            }
            Self::Stencil2d { n, rows, columns, .. } => {
                dealt("n", n, "rows", rows).or_else(|| dealt("n", n, "columns", columns))
            }
            Self::Seismic { n, blocks: Some(blocks), strips: Some(strips), .. } => {
                dealt("n", n, "strips", blocks.saturating_mul(strips))
            }
            _ => None,
        }
    }
}

/// A graph of Task Bench: `steps` rows of at most `width` tasks (Slaughter et al., SC 2020, section II and table I).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskBench {
    /// The tasks of the previous row on which a task depends.
    pub pattern: Pattern,
    /// Tasks in a row.
    pub width: u64,
    /// Rows.
    pub steps: u64,
    /// Number of tasks of the previous row, for the patterns that have a choice.
    pub radix: u64,
    /// FLOP of a task.
    pub flop: u64,
    /// Bytes that a task hands to each of the next row.
    pub bytes: u64,
}

numasim_model::words! {
    /// The tasks of the previous row on which a task depends.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Pattern {
        /// Nothing.
        Trivial = "trivial",
        /// The task of the same number.
        NoComm = "no_comm",
        /// That one and its neighbours.
        Stencil = "stencil_1d",
        /// The same on a ring.
        StencilPeriodic = "stencil_1d_periodic",
        /// That one and the one to its left.
        /// A sweep.
        Dom = "dom",
        /// A binary tree.
        Tree = "tree",
        /// The butterfly of a fast Fourier transform.
        Fft = "fft",
        /// All.
        AllToAll = "all_to_all",
        /// The nearest ones.
        Nearest = "nearest",
        /// Ones spread over the step.
        Spread = "spread",
        /// Drawn ones among the nearest.
        RandomNearest = "random_nearest",
    }
}

/// The unit of windows of a program that is partitioned, by the rule of thumb of paper 001 (section 3.2.4). Iterative codes: 2 or 3
/// iterations in addition to the tasks before them, and one of them stays. Dense linear algebra: 2 or 3 times the blocks of the matrix,
/// and a couple of rows stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowUnit {
    /// Tasks of a unit: an iteration, or the blocks of the matrix.
    pub tasks: u64,
    /// Tasks before the first iteration.
    pub before: u64,
    /// Tasks that stay from one window to the next.
    pub stays: u64,
}

/// Rows of tiles that stay: "a couple".
const ROWS: u64 = 2;

impl Generator {
    /// Its unit; `None` for programs whose tasks create tasks, which are not partitioned.
    pub fn window_unit(&self) -> Option<WindowUnit> {
        let init = |tasks: u64| if self.init() == Some(true) { tasks } else { 0 };
        let of = |tasks, before| WindowUnit { tasks, before, stays: tasks };
        Some(match *self {
            Self::GaussSeidel { grid, control, .. } | Self::RedBlack { grid, control, .. } => {
                let tiles = grid.saturating_mul(grid);
                of(tiles, control.saturating_add(init(tiles)))
            }
            // Two borders.
            Self::Jacobi { blocks, .. } => of(blocks, init(blocks.saturating_add(2))),
            Self::Cg { blocks, .. } => of(blocks.saturating_mul(6).saturating_add(2), init(blocks)),
            // Three passes over the image instead of iterations.
            Self::IntegralHistogram { grid, .. } => {
                let tiles = grid.saturating_mul(grid);
                of(tiles, init(tiles))
            }
            Self::Nstream { arrays, .. } => of(arrays, init(arrays.saturating_mul(3))),
            // Initial tasks write the blocks of the matrix once.
            Self::Qr { n, .. } => {
                WindowUnit { tasks: n.saturating_mul(n), before: 0, stays: n.saturating_mul(ROWS) }
            }
            Self::Smi { n, .. } | Self::Cholesky { n, .. } => WindowUnit {
                tasks: n.saturating_mul(n.saturating_add(1)) / 2,
                before: 0,
                stays: n.saturating_mul(ROWS),
            },
            // A row is an iteration.
            Self::TaskBench(TaskBench { width, .. }) => of(width, 0),
            _ => return None,
        })
    }
}
