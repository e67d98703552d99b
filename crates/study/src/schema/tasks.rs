//! Tasks and the blocks of data that they read and write: `[[block]]`, `[[task]]`, `[graph]`, `[scheduler]`, `[runtime]`.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;

use super::range::{not_negative, positive};

/// A block of data. Its size is `bytes` or `mb`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = one_size)]
pub struct BlockTable {
    /// Name of the block, unique among blocks.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: String,
    /// Its size in bytes. Not beside `mb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub bytes: Option<f64>,
    /// Its size in MB (10^6 bytes). Not beside `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub mb: Option<f64>,
    /// Where it lies: a node, or "interleave" for the same part on every node. Default: where it is touched first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<BlockHomeValue>,
    /// Name of the task that creates it. Default: the first task that accesses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub created_by: Option<String>,
    /// The node where the programmer wants it; only "hint" and "plan", "numa" and "nadd" look at it. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub hint: Option<u32>,
}

/// Where a block lies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BlockHomeValue {
    /// On one node.
    Node(#[schemars(range(min = 0, max = 1023))] u32),
    /// The same part on every node.
    Word(InterleaveWord),
}

/// The same part on every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InterleaveWord {
    /// On every node.
    Interleave,
}

/// A task: one thread reads and writes blocks. Tasks are created in the order of the files; a task waits for earlier ones
/// through the blocks that both access.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TaskTable {
    /// Name of the task, unique among tasks. Default: its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: Option<String>,
    /// What kind of work it is. Default: "task".
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub kind: Option<String>,
    /// Its work in GFLOP (10^9 FLOP). Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub gflop: Option<f64>,
    /// Names of the blocks that it reads.
    #[serde(rename = "in", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reads: Vec<String>,
    /// Names of the blocks that it reads and writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub inout: Vec<String>,
    /// Names of the blocks that it writes.
    #[serde(rename = "out", skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub writes: Vec<String>,
    /// Bytes that count in decisions, by block. Default: the size of the block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0.0, max = 1e30)))]
    pub declared_bytes: Option<BTreeMap<String, f64>>,
    /// Bytes that are moved, by block; of a block that is read and written twice its size where all of it is. Default:
    /// what is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0.0, max = 1e30)))]
    pub moved_bytes: Option<BTreeMap<String, f64>>,
    /// The node with cores that the programmer wants it on, for the scheduler "sa". Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub socket: Option<u32>,
    /// Whether the master waits for all earlier tasks before it creates this one. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taskwait: Option<bool>,
    /// Name of an earlier task, which creates this one when it ends. Default: the master.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub created_by: Option<String>,
    /// Its place among the tasks of its creator: 0, 1, 2 ..., for all of them or none. Default: the order of the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10_000_000))]
    pub seq: Option<u32>,
    /// The node with cores where its data is, for the schedulers "tbb-numa", "hint" and "plan". Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1023))]
    pub affinity: Option<u32>,
    /// How it is handed over when it is ready. Default: "spawn".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit: Option<SubmitWord>,
    /// Whether the worker that ran it goes on with the last task that it hands over. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<bool>,
    /// The piece of work that it is: tasks of one key are the same piece again, for the affinity partitioner of "tbb". Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub replay: Option<String>,
}

/// How a task is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SubmitWord {
    /// To the worker's own deque.
    Spawn,
    /// To a shared queue.
    Enqueue,
    /// To a shared queue where its affinity is another node, else as "spawn".
    Detach,
}

/// The graph of tasks: its name, and what makes it where no file lists its tasks. Which parameters there are depends on the generator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = parameters_of_a_generator)]
pub struct GraphTable {
    /// Name of the graph. Default: the generator, or "tasks".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub name: Option<String>,
    /// What makes the graph. Not beside `[[block]]` and `[[task]]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<GeneratorWord>,
    /// Whether there are first tasks that write what the others find; not for task-bench and the codes that create tasks from tasks. Default:
    /// true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<bool>,
    /// gauss-seidel, red-black, integral-histogram: tiles in each direction. Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub grid: Option<u64>,
    /// Elements of a tile in each direction, of 8 bytes. Default: 512; integral-histogram: 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub tile: Option<u64>,
    /// gauss-seidel, red-black, jacobi, nstream, cg, stencil2d, seismic: iterations. Default: 20; cg: 30; stencil2d: 1000; seismic: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// gauss-seidel, red-black: tasks without data that are created first. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<u64>,
    /// jacobi, cg: blocks of rows, which must divide `rows`; seismic: blocks of strips. Default: 150; cg: 30; seismic: one for each node with
    /// cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub blocks: Option<u64>,
    /// jacobi, cg, npb-cg: rows; stencil2d: strands in a column, which must divide `n`. Default: 9600; cg: 3000000; npb-cg: 150000; stencil2d: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub rows: Option<u64>,
    /// jacobi: columns; stencil2d: strands in a row, which must divide `n`. Default: 8192; stencil2d: 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub columns: Option<u64>,
    /// cg: entries of each row of the matrix that are not zero. Default: 27.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub nnz_per_row: Option<u64>,
    /// integral-histogram: bins. Default: 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub bins: Option<u64>,
    /// nstream: triples of arrays. Default: 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub arrays: Option<u64>,
    /// nstream: size of an array in MB (10^6 bytes). Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = positive)]
    pub mb: Option<f64>,
    /// qr, cholesky, smi: tiles in each direction; stencil2d, seismic: points. Default: 16; stencil2d: 10240; seismic: 16000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub n: Option<u64>,
    /// task-bench: which tasks of the step before a task depends on. Default: "stencil_1d".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternWord>,
    /// task-bench: tasks of a step. Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub width: Option<u64>,
    /// task-bench: steps. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub steps: Option<u64>,
    /// task-bench: how many tasks of the step before, for the patterns that have a choice. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radix: Option<u64>,
    /// task-bench: FLOP of a task. Default: 1000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop: Option<u64>,
    /// task-bench: bytes that a task hands to each of the next step. Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// npb-cg: entries of the matrix that are not zero. Default: 36100000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub nnz: Option<u64>,
    /// npb-mg: binary logarithm of the points of the finest grid in each direction. Default: 9.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 4, max = 20))]
    pub log2: Option<u64>,
    /// streamcluster: points. Default: 10000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub points: Option<u64>,
    /// streamcluster: coordinates of a point. Default: 128.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub dims: Option<u64>,
    /// fluidanimate: particles. Default: 500000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub particles: Option<u64>,
    /// ferret: queries. Default: 3500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<u64>,
    /// ferret: size of the database in bytes. Default: 700000000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub database: Option<u64>,
    /// npb-cg, npb-mg, streamcluster, fluidanimate: into how many chunks arrays and loops are dealt. Default: 8 for each worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub chunks: Option<u64>,
    /// npb-cg, npb-mg, streamcluster, fluidanimate: how often the loops are run. Default: 25; npb-mg: 4; streamcluster, fluidanimate: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u64>,
    /// seismic: strips of rows of a block, of which all must divide `n`. Default: two for each core of the first node with cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub strips: Option<u64>,
}

/// What makes a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorWord {
    /// Gauss-Seidel on tiles, in the order of rows.
    GaussSeidel,
    /// The same, even tiles first, then odd ones.
    RedBlack,
    /// Jacobi on blocks of rows.
    Jacobi,
    /// Conjugate gradients.
    Cg,
    /// Integral histogram of an image.
    IntegralHistogram,
    /// Independent triads.
    Nstream,
    /// Tiled QR.
    Qr,
    /// Tiled Cholesky.
    Cholesky,
    /// Inverse of a symmetric matrix.
    Smi,
    /// A pattern of Task Bench.
    TaskBench,
    /// Conjugate gradients of NPB as parallel loops.
    NpbCg,
    /// Multigrid of NPB as parallel loops.
    NpbMg,
    /// Streamcluster of PARSEC: lists of chunks of points.
    Streamcluster,
    /// Fluidanimate of PARSEC: nine steps over the cells of each frame.
    Fluidanimate,
    /// Ferret of PARSEC: a pipeline of queries.
    Ferret,
    /// A stencil on strands that create themselves anew.
    Stencil2d,
    /// Waves in an elastic medium on strips of rows.
    Seismic,
}

/// A pattern of Task Bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternWord {
    /// Nothing.
    Trivial,
    /// The task of the same number.
    NoComm,
    /// That one and its neighbours.
    #[serde(rename = "stencil_1d")]
    Stencil,
    /// The same on a ring.
    #[serde(rename = "stencil_1d_periodic")]
    StencilPeriodic,
    /// That one and the one to its left.
    Dom,
    /// A binary tree.
    Tree,
    /// The butterfly of a fast Fourier transform.
    Fft,
    /// All.
    AllToAll,
    /// The nearest ones.
    Nearest,
    /// Ones spread over the step.
    Spread,
    /// Drawn ones among the nearest.
    RandomNearest,
}

/// Who decides which task runs on which node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SchedulerTable {
    /// Name of the scheduler. Default: "fifo"; `--scheduler` wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<SchedulerWord>,
    /// How many tasks without data in a row a round robin gives to one socket. Default: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub stride: Option<u32>,
    /// How many tasks are partitioned together. Default: 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub window: Option<u32>,
    /// How many more tasks the first window has. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_extra: Option<u32>,
    /// How many of the newest tasks of a window stay in the next one; below `window`. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersection: Option<u32>,
    /// Who partitions. Default: "recursive".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitioner: Option<PartitionerWord>,
    /// Time to partition in ns per task and edge of the window. Default: the figure of this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub partition_ns_per_vertex_edge: Option<f64>,
    /// Whether the two last writers of a block count as parents in what is partitioned. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_dependencies: Option<bool>,
    /// Whether "fifo" runs a task whose last parent has just ended on the same worker. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immediate_successor: Option<bool>,
    /// Whether "tbb" remembers which mailbox had a piece of work (`replay`). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity_partitioner: Option<bool>,
    /// Whether "tbb-numa" hands over what belongs to other nodes first. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflection: Option<bool>,
}

/// What cuts windows of the graph into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionerWord {
    /// Sockets and tasks in two halves, and so on.
    Recursive,
    /// METIS, where the program is built with it.
    Metis,
}

/// A scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchedulerWord {
    /// One queue.
    Fifo,
    /// The programmer says which socket.
    Sa,
    /// The socket where most of the data was written first.
    Dep,
    /// The first window by graph partitioning, later tasks as dep.
    RipDep,
    /// The first window by graph partitioning, later tasks where the parents ran.
    RipSp,
    /// Graph partitioning of every window.
    RipMw,
    /// A queue per worker; idle workers steal from random others.
    RandomSteal,
    /// List scheduling by upward rank.
    Heft,
    /// As dep, with the true homes of blocks.
    Tracked,
    /// Intel TBB.
    Tbb,
    /// TBB with mailboxes and queues per node.
    TbbNuma,
    /// Tasks go to the node that the programmer hints at.
    Hint,
    /// Tasks go where a plan says.
    Plan,
    /// oneTBB with one arena per node.
    ArenaPerNode,
    /// OpenMP tasks that go where their data is.
    TaskloopAffinity,
    /// Loops in equal contiguous parts for all workers.
    Static,
}

/// What creating, fetching and stealing tasks costs, and what is drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RuntimeTable {
    /// The master creates a task, in us. Default: 0.5, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub creation_us: Option<f64>,
    /// A worker fetches and retires a task, in us. Default: 1, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub task_us: Option<f64>,
    /// A worker steals a task, in us. Default: 1, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub steal_us: Option<f64>,
    /// Moving a page of 4096 B to another node, in us, beside its bytes over the link. Default: 1, assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub page_us: Option<f64>,
    /// Most tasks that are created and not finished. Default: no limit; ferret: two for each worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub throttle: Option<u64>,
    /// Seed of everything that is drawn. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What happens first of things that are equal. Default: "random".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<TiesWord>,
    /// Spread of the work of tasks: sigma of the logarithm of a factor with mean 1. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = not_negative)]
    pub task_spread: Option<f64>,
}

/// What happens first of things that are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TiesWord {
    /// Drawn from the seed.
    Random,
    /// The lowest number.
    Order,
}

/// `bytes` or `mb`.
pub(super) fn one_size(schema: &mut Schema) {
    let mut forms = json_schema!({ "oneOf": [{ "required": ["bytes"] }, { "required": ["mb"] }] });
    if let Some(one) = forms.remove("oneOf") {
        schema.insert("oneOf".to_owned(), one);
    }
}

/// All keys but the name belong to a generator.
fn parameters_of_a_generator(schema: &mut Schema) {
    let keys = schema.get("properties").and_then(|properties| properties.as_object());
    let keys = keys
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .filter(|key| !matches!(key.as_str(), "name" | "generator"));
    let needs: serde_json::Map<String, serde_json::Value> =
        keys.map(|key| (key.clone(), vec!["generator"].into())).collect();
    schema.insert("dependentRequired".to_owned(), needs.into());
}
