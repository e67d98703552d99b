//! Programs as task graphs: the codes of paper 001 (section 3.1), of papers 003 (section 5) and 000 (section IV), Cholesky, Task Bench;
//! and programs of loops that files describe.
//!
//! Grids are numbered row by row; a tile of T x T elements has 8 T^2 B. An `inout` moves twice its block, because it reads and writes it;
//! an `in` or an `out` moves the block, unless only a border of it is read. Initial tasks (`init`) compute nothing, move the block that
//! they write, and are on the socket of that block. The programmer's annotation of a task with a socket (for the scheduler `sa`) is a
//! number s: the s-th socket in ascending order. The codes of papers 003 and 000 are tree programs: tasks create tasks, and the
//! programmer's annotations are affinities and hints.

use numasim_model::ids::NodeId;
use stencils::{Order, Stencil};

use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, Generator, GraphError, MAX_ACCESSES, MAX_TASKS, NewTask,
    Program, TaskGraph, TaskGraphBuilder, TaskId, TreeTask, TypeId,
};

mod linear_algebra;
mod programs;
mod stencils;
mod task_bench;
#[cfg(test)]
mod tests;

/// The graph that `generator` makes, for the nodes with cores `sockets` in ascending order; without sockets, no task has an annotation.
///
/// # Errors
/// A parameter is 0, does not divide another one, or follows from a machine and is not given; or there would be more tasks, blocks or
/// accesses than the limits, which is checked before they are made.
pub fn generate(generator: &Generator, name: &str, sockets: &[NodeId]) -> Result<TaskGraph, GenerateError> {
    let mut weaver = Weaver::new(name, sockets);
    let weave = &mut weaver;
    match *generator {
        Generator::GaussSeidel { grid, tile, iterations, control, init } => {
            let stencil = Stencil { grid, tile, iterations, control, init };
            stencils::gauss_seidel(weave, stencil, Order::Rows)?;
        }
        Generator::RedBlack { grid, tile, iterations, control, init } => {
            let stencil = Stencil { grid, tile, iterations, control, init };
            stencils::gauss_seidel(weave, stencil, Order::RedFirst)?;
        }
        Generator::Jacobi { blocks, rows, columns, iterations, init } => {
            stencils::jacobi(weave, blocks, (rows, columns), iterations, init)?;
        }
        Generator::Cg { blocks, rows, nnz_per_row, iterations, init } => {
            linear_algebra::cg(weave, blocks, (rows, nnz_per_row), iterations, init)?;
        }
        Generator::IntegralHistogram { grid, tile, bins, init } => {
            stencils::integral_histogram(weave, grid, tile, bins, init)?;
        }
        Generator::Nstream { arrays, array_bytes, iterations, init } => {
            linear_algebra::nstream(weave, arrays, array_bytes, iterations, init)?;
        }
        Generator::Qr { n, tile, init } => linear_algebra::qr(weave, n, tile, init)?,
        Generator::Cholesky { n, tile, init } => linear_algebra::cholesky(weave, n, tile, init)?,
        Generator::Smi { n, tile, init } => linear_algebra::smi(weave, n, tile, init)?,
        Generator::TaskBench(ref bench) => task_bench::task_bench(weave, bench)?,
        Generator::NpbCg { rows, nnz, chunks, repeat } => {
            programs::loops(weave, &programs::npb_cg((rows, nnz), chunks, repeat)?)?;
        }
        Generator::NpbMg { log2, chunks, repeat } => {
            programs::loops(weave, &programs::npb_mg(log2, chunks, repeat)?)?;
        }
        Generator::Streamcluster { points, dims, chunks, repeat } => {
            programs::loops(weave, &programs::streamcluster((points, dims), chunks, repeat)?)?;
        }
        Generator::Fluidanimate { particles, chunks, repeat } => {
            programs::loops(weave, &programs::fluidanimate(particles, chunks, repeat)?)?;
        }
        Generator::Ferret { queries, database, load_flop } => {
            programs::ferret(weave, queries, database, load_flop)?;
        }
        Generator::Stencil2d { n, rows, columns, iterations } => {
            stencils::stencil2d(weave, n, (rows, columns), iterations)?;
        }
        Generator::Seismic { n, blocks, strips, iterations } => {
            stencils::seismic(weave, n, (blocks, strips), iterations)?;
        }
    }
    Ok(weaver.finish())
}

/// The graph of a program of loops, for the nodes with cores `sockets` in ascending order; without sockets, there are no hints or
/// affinities.
///
/// # Errors
/// `chunks` is 0 or not given; or there would be more tasks, blocks or accesses than the limits, which is checked before they are made.
pub fn generate_program(
    program: &Program,
    name: &str,
    sockets: &[NodeId],
) -> Result<TaskGraph, GenerateError> {
    let mut weaver = Weaver::new(name, sockets);
    programs::loops(&mut weaver, program)?;
    Ok(weaver.finish())
}

// Why a generator makes no graph.

/// Why a generator makes no graph. Parameters have their names from files.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GenerateError {
    /// A parameter that must be at least 1.
    #[error("`{0}` is 0, but must be at least 1")]
    Zero(&'static str),
    /// A value must be divisible into equal parts, and is not.
    #[error(
        "`{whole}` = {value} cannot be dealt into `{parts}` = {count} equal parts: write a multiple of {count}"
    )]
    DoesNotDivide {
        /// The parameter that is divided.
        whole: &'static str,
        /// Its value.
        value: u64,
        /// The parameter with the number of parts.
        parts: &'static str,
        /// Its value.
        count: u64,
    },
    /// A parameter that must not be larger than another one.
    #[error("`{parameter}` = {value} is more than `{most}` = {limit}")]
    TooLarge {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// The other one.
        most: &'static str,
        /// Its value.
        limit: u64,
    },
    /// A parameter that is too small or too large.
    #[error("`{parameter}` = {value} is not from {least} to {most}")]
    OutOfRange {
        /// Its name.
        parameter: &'static str,
        /// Its value.
        value: u64,
        /// The minimum.
        least: u64,
        /// The maximum.
        most: u64,
    },
    /// A parameter that follows from a machine was not derived from one.
    #[error("`{0}` is not given, and no machine says what it is then")]
    Open(&'static str),
    /// More tasks than the limit; none was made.
    #[error("this makes {0:.0} tasks; at most {MAX_TASKS} are dealt with")]
    TooManyTasks(f64),
    /// More blocks than the limit; none was made.
    #[error("this makes {0:.0} blocks; at most {MAX_TASKS} are dealt with")]
    TooManyBlocks(f64),
    /// More accesses than the limit; no task was made.
    #[error("its tasks access blocks up to {0:.0} times; at most {MAX_ACCESSES} are dealt with")]
    TooManyAccesses(f64),
    /// The result is no valid graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// `value`, if it is at least 1.
fn at_least_one(parameter: &'static str, value: u64) -> Result<f64, GenerateError> {
    if value == 0 { Err(GenerateError::Zero(parameter)) } else { Ok(value as f64) }
}

/// `value`, if it is given or derived from a machine, and at least 1.
fn settled(parameter: &'static str, value: Option<u64>) -> Result<f64, GenerateError> {
    at_least_one(parameter, value.ok_or(GenerateError::Open(parameter))?)
}

/// The size of a part of `whole` divided into `parts` (not 0) equal ones.
fn dealt(
    (whole, value): (&'static str, u64),
    (parts, count): (&'static str, u64),
) -> Result<f64, GenerateError> {
    match value.checked_rem(count) {
        Some(0) => Ok((value / count) as f64),
        _ => Err(GenerateError::DoesNotDivide { whole, value, parts, count }),
    }
}

// The size of a graph, before it is made.

/// The size of the graph that a generator will make. The values are floating point numbers: exact below 2^53, and parameters of any size
/// do not overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Size {
    blocks: f64,
    tasks: f64,
    /// At most this number; exact except for Task Bench.
    accesses: f64,
}

impl Size {
    /// Rejects sizes beyond the limits.
    fn check(self) -> Result<(), GenerateError> {
        let Self { blocks, tasks, accesses } = self;
        if tasks > MAX_TASKS as f64 {
            return Err(GenerateError::TooManyTasks(tasks));
        }
        if blocks > MAX_TASKS as f64 {
            return Err(GenerateError::TooManyBlocks(blocks));
        }
        if accesses > MAX_ACCESSES as f64 {
            return Err(GenerateError::TooManyAccesses(accesses));
        }
        Ok(())
    }
}

/// 1 for `true`, to count with.
fn once(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}

/// A count that has passed [`Size::check`].
fn index(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

// Helpers of all generators: blocks of the same size, accesses that move bytes according to the mode, annotations as numbers of sockets.

/// A block during the construction of a graph.
#[derive(Clone, Copy, Debug)]
struct Datum {
    id: BlockId,
    bytes: f64,
}

impl Datum {
    /// Its size.
    fn bytes(self) -> f64 {
        self.bytes
    }

    /// The whole block is read.
    fn read(self) -> Access {
        self.access(AccessMode::In, self.bytes)
    }

    /// `moved` bytes of it are read; the whole block is declared.
    fn read_part(self, moved: f64) -> Access {
        self.access(AccessMode::In, moved)
    }

    /// The whole block is written.
    fn write(self) -> Access {
        self.access(AccessMode::Out, self.bytes)
    }

    /// The whole block is read and written.
    fn update(self) -> Access {
        self.access(AccessMode::Inout, 2.0 * self.bytes)
    }

    fn access(self, mode: AccessMode, moved_bytes: f64) -> Access {
        Access { block: self.id, mode, declared_bytes: self.bytes, moved_bytes }
    }
}

/// A task of 10^9 FLOP without an annotation or a name, for which the master does not wait.
fn work(kind: TypeId, gflop: f64, accesses: &[Access]) -> NewTask<'_> {
    NewTask { kind, gflop, accesses, socket: None, taskwait: false, name: None }
}

/// Makes a graph for some sockets.
struct Weaver<'s> {
    graph: TaskGraphBuilder,
    sockets: &'s [NodeId],
    announced: Size,
}

impl<'s> Weaver<'s> {
    /// An empty graph.
    fn new(name: &str, sockets: &'s [NodeId]) -> Self {
        Self { graph: TaskGraphBuilder::new(name), sockets, announced: Size::default() }
    }

    /// Announces the size of the graph to be made.
    ///
    /// # Errors
    /// It exceeds the limits.
    fn begin(&mut self, size: Size) -> Result<(), GenerateError> {
        self.announced = size;
        size.check()
    }

    /// Number of sockets, at least 1.
    fn sockets(&self) -> usize {
        self.sockets.len().max(1)
    }

    /// The number of a kind of task.
    fn kind(&mut self, name: &str) -> TypeId {
        self.graph.kind(name)
    }

    /// A block without a home.
    fn block(&mut self, bytes: f64) -> Result<Datum, GenerateError> {
        let id = self.graph.block(Block { bytes, home: BlockHome::Open }, None)?;
        Ok(Datum { id, bytes })
    }

    /// Some blocks of the same size.
    fn blocks(&mut self, count: usize, bytes: f64) -> Result<Vec<Datum>, GenerateError> {
        (0..count).map(|_| self.block(bytes)).collect()
    }

    /// A task of `flop` FLOP for the socket with number `place` modulo the number of sockets.
    fn task(
        &mut self,
        kind: TypeId,
        flop: f64,
        place: usize,
        accesses: &[Access],
    ) -> Result<(), GenerateError> {
        let socket = self.sockets.get(place % self.sockets()).copied();
        let task = NewTask { kind, gflop: flop / 1e9, accesses, socket, taskwait: false, name: None };
        self.graph.task(task)?;
        Ok(())
    }

    /// The node of part `part` out of `parts` equal ones: the same number of parts on each node with cores, in order. `None` without such
    /// nodes.
    fn node_of(&self, part: u64, parts: u64) -> Option<NodeId> {
        let number = u128::from(part) * self.sockets.len() as u128 / u128::from(parts.max(1));
        self.sockets.get(usize::try_from(number).ok()?).copied()
    }

    /// The node with this number among those with cores.
    fn node(&self, number: usize) -> Option<NodeId> {
        self.sockets.get(number).copied()
    }

    /// A block without a home that its programmer wants on a node.
    fn hinted(
        &mut self,
        bytes: f64,
        name: Option<&str>,
        hint: Option<NodeId>,
    ) -> Result<Datum, GenerateError> {
        let id = self.graph.block(Block { bytes, home: BlockHome::Open }, name)?;
        if let Some(node) = hint {
            self.graph.block_hint(id, node)?;
        }
        Ok(Datum { id, bytes })
    }

    /// Sets the task that creates a block.
    fn creates(&mut self, creator: TaskId, block: Datum) -> Result<(), GenerateError> {
        Ok(self.graph.block_created_by(block.id, creator)?)
    }

    /// A task of a tree program.
    fn tree_task(&mut self, task: NewTask<'_>, tree: TreeTask<'_>) -> Result<TaskId, GenerateError> {
        Ok(self.graph.tree_task(task, tree)?)
    }

    /// Initial tasks, if there are any: each writes one of `blocks`; `place` returns its socket by the block's number among them.
    fn init(&mut self, blocks: &[Datum], place: impl Fn(usize) -> usize) -> Result<(), GenerateError> {
        let kind = self.kind("init");
        for (number, block) in blocks.iter().enumerate() {
            self.task(kind, 0.0, place(number), &[block.write()])?;
        }
        Ok(())
    }

    /// The graph.
    fn finish(self) -> TaskGraph {
        let graph = self.graph.finish();
        let Size { blocks, tasks, accesses } = self.announced;
        debug_assert_eq!((graph.blocks().len() as f64, graph.task_count() as f64), (blocks, tasks));
        debug_assert!(graph.access_count() as f64 <= accesses);
        graph
    }
}
