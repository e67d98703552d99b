//! The keys of task graphs: blocks, tasks, generators and loops that make them, schedulers, and costs.

use crate::values::{
    Contender, LoopShape, MAX_TASKS, MOST_URGENT, Parameter, Partitioner, Pattern, RuntimeSettings,
    SchedulerKind, SchedulerSettings, Submit, Ties, VertexWeight,
};

use numasim_model::units::Seconds;
use numasim_study::keys::{
    Echo, Forms, Key, NODE_NUMBER, NOT_NEGATIVE, POSITIVE, Shape, Table, Words, key, large, root as of_study,
    time, whole,
};
use numasim_study::{TableKind, forms, table, value_in, words};

/// A file with all its tables.
pub static FILE: Table = Table {
    keys: &[
        &of_study::MACHINE,
        &of_study::APP,
        &of_study::SCENARIO,
        &root::BLOCK,
        &root::TASK,
        &root::GRAPH,
        &root::SCHEDULER,
        &root::RUNTIME,
        &root::CONTENDER,
        &root::PROGRAM,
    ],
    ..of_study::TABLE
};

table! {
    /// What files say of tasks.
    root "the file" "" None;
    /// Blocks of data that tasks read and write.
    BLOCK = key("block", Shape::Tables(&block::TABLE, 0, 0))
        .also(&["data", "datum", "array", "arrays", "buffer"]);
    /// Tasks, in the order in which they are created.
    TASK = key("task", Shape::Tables(&task::TABLE, 0, 0));
    /// The graph of tasks: its name, and what makes it.
    GRAPH = key("graph", Shape::Table(&graph::TABLE)).also(&["task_graph", "dag", "generator"]);
    /// Who decides which task runs on which node.
    SCHEDULER = key("scheduler", Shape::Table(&scheduler::TABLE)).also(&["scheduling", "schedule"]);
    /// What creating, fetching and stealing tasks costs.
    RUNTIME = key("runtime", Shape::Table(&runtime::TABLE)).also(&["overheads"]);
    /// Other programs that want the workers, too.
    CONTENDER = key("contender", Shape::Table(&contender::TABLE))
        .also(&["contenders", "competitor", "background"]);
    /// Loops over chunks of arrays, in place of tasks.
    PROGRAM = key("program", Shape::Table(&program::TABLE));
}

/// Start and end of each period in which a contender wants workers.
fn periods(contender: &Contender) -> Echo {
    let pair = |(from, to): &(Seconds, Seconds)| Echo::from(vec![from.value(), to.value()]);
    contender.phases.as_ref().map(|phases| Echo::List(phases.iter().map(pair).collect())).into()
}

/// The key of a parameter of generators. Its range and its words are those of [`Parameter::ALL`], which generators use; a name that is
/// not there does not compile.
const fn parameter(name: &'static str) -> Key {
    let mut at = 0;
    while !same(Parameter::ALL[at].key.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    let Parameter { what, example, least, most, unit, .. } = Parameter::ALL[at];
    let shape = if unit == 1 { large(least, most) } else { POSITIVE };
    key(name, shape).means(what, example)
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// More than the workers of any machine.
const MOST_CONTENDERS: u64 = 1_000_000;

table! {
    /// A block of data. Its size is `bytes` or `mb`.
    block "[[block]]" "BlockTable" Some(TableKind::Block);
    /// Name of the block, unique among blocks.
    NAME = key("name", Shape::Name).example("\"X\"").required().also(&["id", "label"]);
    /// Its size in bytes. Not beside `mb`.
    BYTES = key("bytes", NOT_NEGATIVE).means("a size in bytes", "3e6").also(&["size_bytes", "b", "byte"]);
    /// Its size in MB (10^6 bytes). Not beside `bytes`.
    MB = key("mb", NOT_NEGATIVE).means("a size in MB (10^6 bytes)", "3.0").also(&["size_mb", "megabytes"]);
    /// Where it lies: a node, or "interleave" for the same part on every node.
    HOME = key("home", Shape::Forms(&BLOCK_HOME_FORMS))
        .default("where it is touched first")
        .also(&["node", "socket", "numa_node", "placement"]);
    /// Name of the task that creates it.
    CREATED_BY = key("created_by", Shape::Name)
        .default("the first task that accesses it")
        .also(&["creator", "creates", "owner"]);
    /// The node where the programmer wants it; only "hint" and "plan", "numa" and "nadd" look at it.
    HINT = key("hint", NODE_NUMBER).default("none").also(&["affinity", "wanted"]);
    ["size", "kb", "gb", "kib", "mib", "gib", "memory_gib"] =>
        "write its size as `mb = 3.0` (10^6 bytes) or `bytes = 3e6`";
    ["interleave", "interleaved"] => "write `home = \"interleave\"`";
}

forms! {
    /// Where a block lies.
    BLOCK_HOME_FORMS "BlockHomeValue" {
        NODE_NUMBER => "On one node.",
        Shape::Words(&INTERLEAVE_WORDS) => "The same part on every node.",
    }
}

words! {
    /// The same part on every node.
    INTERLEAVE_WORDS "InterleaveWord" {
        "interleave" => "On every node.",
    }
}

table! {
    /// A task: one thread reads and writes blocks. Tasks are created in the order of the files; a task waits for
    /// earlier ones through the blocks that both access.
    task "[[task]]" "TaskTable" Some(TableKind::Task);
    /// Name of the task, unique among tasks.
    NAME = key("name", Shape::Name).default("its number").also(&["id", "label"]);
    /// What kind of work it is. Default: "task".
    TYPE = key("type", Shape::Name).default("task").also(&["kind", "function", "code", "codelet"]);
    /// Its work in GFLOP (10^9 FLOP).
    GFLOP = key("gflop", NOT_NEGATIVE)
        .means("the work of the task in GFLOP (10^9 FLOP)", "1.0")
        .default("0")
        .also(&["gflops", "work", "work_gflop", "task_gflop"]);
    /// Names of the blocks that it reads.
    IN = key("in", Shape::List(&Shape::Text, 0, 0)).also(&["read", "reads", "input", "inputs"]);
    /// Names of the blocks that it reads and writes.
    INOUT = key("inout", Shape::List(&Shape::Text, 0, 0))
        .also(&["in_out", "readwrite", "read_write", "rw", "updates"]);
    /// Names of the blocks that it writes.
    OUT = key("out", Shape::List(&Shape::Text, 0, 0)).also(&["write", "writes", "output", "outputs"]);
    /// Bytes that count in decisions, by block. Default: the size of the block.
    DECLARED_BYTES = key("declared_bytes", Shape::Map(&NOT_NEGATIVE))
        .means("how many bytes count in decisions", "3e6")
        .default("the size of each block")
        .also(&["declared", "declares"]);
    /// Bytes that are moved, by block; of a block that is read and written twice its size where all of it is.
    /// Default: what is declared.
    MOVED_BYTES = key("moved_bytes", Shape::Map(&NOT_NEGATIVE))
        .means("how many bytes are moved", "3e6")
        .default("declared_bytes")
        .also(&["moved", "moves"]);
    /// The node with cores that the programmer wants it on, for the scheduler "sa".
    SOCKET = key("socket", NODE_NUMBER).default("none").also(&["node", "numa_node", "home", "place"]);
    /// How urgent it is: of ready tasks those of higher priority are taken first. Looked at by the schedulers "fifo", "sa",
    /// "dep", "tracked" and "rip-*". Default: 0.
    PRIORITY = key("priority", Shape::Number(-MOST_URGENT, MOST_URGENT))
        .means("a priority, higher ones first", "2")
        .default("0")
        .also(&["prio", "urgency"]);
    /// Whether the master waits for all earlier tasks before it creates this one.
    TASKWAIT = key("taskwait", Shape::Flag).default("false").also(&["wait", "barrier"]);
    /// Name of an earlier task, which creates this one when it ends.
    CREATED_BY = key("created_by", Shape::Name)
        .default("the master")
        .also(&["creator", "spawned_by", "parent"]);
    /// Its place among the tasks of its creator: 0, 1, 2 ..., for all of them or none.
    SEQ = key("seq", whole(0, MAX_TASKS as u64))
        .means("the place among the tasks of its creator", "0")
        .default("the order of the files")
        .also(&["sequence", "slot", "index"]);
    /// The node with cores where its data is, for the schedulers "tbb-numa", "hint" and "plan".
    AFFINITY = key("affinity", NODE_NUMBER).default("none").also(&["hint"]);
    /// How it is handed over when it is ready. Default: "spawn".
    SUBMIT = key("submit", Shape::Words(&SUBMIT_WORDS)).default("spawn");
    /// Whether the worker that ran it goes on with the last task that it hands over.
    RETURNS = key("returns", Shape::Flag).default("false").also(&["returned", "return"]);
    /// The piece of work that it is: tasks of one key are the same piece again, for the affinity partitioner of
    /// "tbb".
    REPLAY = key("replay", Shape::Name).default("none").also(&["replays", "replay_key"]);
    ["flop", "flops", "mflop"] => "write the work in GFLOP: `gflop = 1.0` is 10^9 FLOP";
    ["bytes", "mb", "size", "traffic"] =>
        "by default an access declares and moves the whole block; else write e.g. `moved_bytes = { X = 1e6 }`, and `declared_bytes` for what counts in decisions";
    ["spawn", "enqueue", "detach"] => "write `submit = \"spawn\"`, `\"enqueue\"` or `\"detach\"`";
    ["after", "before", "depends", "depends_on", "deps", "parents", "children"] =>
        "tasks wait for each other through the blocks that they access: write `in`, `inout` and `out`";
    ["time", "time_s", "duration", "duration_s", "runtime", "runtime_s"] =>
        "a task takes as long as its work and its bytes do on the machine: write `gflop`, and blocks in `in`, `inout` and `out`";
    ["cores", "threads", "cpus"] => "a task runs on one core: write several tasks";
}

words! {
    /// How a task is handed over.
    SUBMIT_WORDS "SubmitWord" = Submit;
}

table! {
    /// The graph of tasks: its name, and what makes it where no file lists its tasks. Which parameters there are
    /// depends on the generator.
    graph "[graph]" "GraphTable" Some(TableKind::Graph);
    /// Name of the graph. Default: the generator, or "tasks".
    NAME = key("name", Shape::Name);
    /// What makes the graph. Not beside `[[block]]` and `[[task]]`.
    GENERATOR = key("generator", Shape::Words(&GENERATOR_WORDS))
        .also(&["type", "kind", "program", "workload"]);
    /// Whether there are first tasks that write what the others find; not for task-bench and the codes that create
    /// tasks from tasks. Default: true.
    INIT = key("init", Shape::Flag);
    /// gauss-seidel, red-black, integral-histogram: tiles in each direction. Default: 16.
    GRID = parameter("grid");
    /// Elements of a tile in each direction, of 8 bytes. Default: 512; integral-histogram: 256.
    TILE = parameter("tile").also(&["tile_size", "block_size", "bs"]);
    /// gauss-seidel, red-black, jacobi, nstream, cg, stencil2d, seismic: iterations. Default: 20; cg: 30;
    /// stencil2d: 1000; seismic: 100.
    ITERATIONS = parameter("iterations").also(&["iters", "steps", "repetitions", "timesteps"]);
    /// gauss-seidel, red-black: tasks without data that are created first. Default: 1.
    CONTROL = parameter("control");
    /// jacobi, cg: blocks of rows, which must divide `rows`; seismic: blocks of strips. Default: 150; cg: 30;
    /// seismic: one for each node with cores.
    BLOCKS = parameter("blocks");
    /// jacobi, cg, npb-cg: rows; stencil2d: strands in a column, which must divide `n`. Default: 9600; cg: 3000000;
    /// npb-cg: 150000; stencil2d: 8.
    ROWS = parameter("rows");
    /// jacobi: columns; stencil2d: strands in a row, which must divide `n`. Default: 8192; stencil2d: 10.
    COLUMNS = parameter("columns").also(&["cols"]);
    /// cg: entries of each row of the matrix that are not zero. Default: 27.
    NNZ_PER_ROW = parameter("nnz_per_row").also(&["nnz_row"]);
    /// integral-histogram: bins. Default: 32.
    BINS = parameter("bins");
    /// nstream: triples of arrays. Default: 64.
    ARRAYS = parameter("arrays");
    /// nstream: size of an array in MB (10^6 bytes). Default: 16.
    MB = parameter("mb");
    /// qr, cholesky, smi: tiles in each direction; stencil2d, seismic: points. Default: 16; stencil2d: 10240;
    /// seismic: 16000.
    N = parameter("n").also(&["size", "tiles", "order"]);
    /// task-bench: which tasks of the step before a task depends on. Default: "stencil_1d".
    PATTERN = key("pattern", Shape::Words(&PATTERN_WORDS)).also(&["dependence", "dependency"]);
    /// task-bench: tasks of a step. Default: 16.
    WIDTH = parameter("width");
    /// task-bench: steps. Default: 100.
    STEPS = parameter("steps");
    /// task-bench: how many tasks of the step before, for the patterns that have a choice. Default: 3.
    RADIX = parameter("radix");
    /// task-bench: FLOP of a task. Default: 1000000.
    FLOP = parameter("flop");
    /// task-bench: bytes that a task hands to each of the next step. Default: 16.
    BYTES = parameter("bytes");
    /// npb-cg: entries of the matrix that are not zero. Default: 36100000.
    NNZ = parameter("nnz");
    /// npb-mg: binary logarithm of the points of the finest grid in each direction. Default: 9.
    LOG2 = parameter("log2");
    /// streamcluster: points. Default: 10000000.
    POINTS = parameter("points");
    /// streamcluster: coordinates of a point. Default: 128.
    DIMS = parameter("dims").also(&["dimensions"]);
    /// fluidanimate: particles. Default: 500000.
    PARTICLES = parameter("particles");
    /// ferret: queries. Default: 3500.
    QUERIES = parameter("queries");
    /// ferret: size of the database in bytes. Default: 700000000.
    DATABASE = parameter("database");
    /// ferret: FLOP of loading a query; one is loaded after the other. Default: 2000000.
    LOAD_FLOP = parameter("load_flop");
    /// npb-cg, npb-mg, streamcluster, fluidanimate: into how many chunks arrays and loops are dealt. Default: 8 for
    /// each worker.
    CHUNKS = parameter("chunks").also(&["pieces"]);
    /// npb-cg, npb-mg, streamcluster, fluidanimate: how often the loops are run. Default: 25; npb-mg: 4;
    /// streamcluster, fluidanimate: 20.
    REPEAT = parameter("repeat");
    /// seismic: strips of rows of a block, of which all must divide `n`. Default: two for each core of the first
    /// node with cores.
    STRIPS = parameter("strips");
}

words! {
    /// What makes a graph.
    GENERATOR_WORDS "GeneratorWord" {
        "gauss-seidel" => "Gauss-Seidel on tiles, in the order of rows.",
        "red-black" => "The same, even tiles first, then odd ones.",
        "jacobi" => "Jacobi on blocks of rows.",
        "cg" => "Conjugate gradients.",
        "integral-histogram" => "Integral histogram of an image.",
        "nstream" => "Independent triads.",
        "qr" => "Tiled QR.",
        "cholesky" => "Tiled Cholesky.",
        "smi" => "Inverse of a symmetric matrix.",
        "task-bench" => "A pattern of Task Bench.",
        "npb-cg" => "Conjugate gradients of NPB as parallel loops.",
        "npb-mg" => "Multigrid of NPB as parallel loops.",
        "streamcluster" => "Streamcluster of PARSEC: lists of chunks of points.",
        "fluidanimate" => "Fluidanimate of PARSEC: nine steps over the cells of each frame.",
        "ferret" => "Ferret of PARSEC: a pipeline of queries.",
        "stencil2d" => "A stencil on strands that create themselves anew.",
        "seismic" => "Waves in an elastic medium on strips of rows.",
    }
}

words! {
    /// A pattern of Task Bench.
    PATTERN_WORDS "PatternWord" = Pattern;
}

table! {
    /// Loops over arrays, one behind the other, in place of tasks that are listed one by one.
    program "[program]" "ProgramTable" Some(TableKind::Program);
    /// Into how many blocks each array is dealt, and into how many pieces each loop.
    CHUNKS = key("chunks", whole(1, u32::MAX as u64))
        .means("into how many chunks arrays and loops are dealt", "256")
        .default("8 for each worker")
        .also(&["pieces"]);
    /// How often all loops are run.
    REPEAT = key("repeat", whole(0, u32::MAX as u64))
        .means("how often all loops are run", "25")
        .default("1")
        .also(&["iterations", "repetitions", "repeats", "times"]);
    /// The data.
    ARRAY = key("array", Shape::Tables(&array::TABLE, 0, 0)).also(&["arrays", "data"]);
    /// The loops, in the order in which they are run.
    LOOP = key("loop", Shape::Tables(&program_loop::TABLE, 0, 0)).also(&["loops", "kernel", "kernels"]);
}

table! {
    /// An array. Its size is `bytes` or `mb`.
    array "[[program.array]]" "ProgramArrayTable" None;
    /// Name of the array, unique among arrays.
    NAME = key("name", Shape::Name).example("\"p\"").required();
    /// Size of all of it in bytes. Not beside `mb`.
    BYTES = key("bytes", NOT_NEGATIVE).means("a size in bytes", "3e6");
    /// Size of all of it in MB (10^6 bytes). Not beside `bytes`.
    MB = key("mb", NOT_NEGATIVE).means("a size in MB (10^6 bytes)", "3.0").also(&["size", "size_mb"]);
}

table! {
    /// A loop: a piece of work for each chunk.
    program_loop "[[program.loop]]" "ProgramLoopTable" Some(TableKind::Loop);
    /// Name of the loop, unique among loops.
    NAME = key("name", Shape::Name).example("\"spmv\"").required();
    /// Work of all pieces together in GFLOP (10^9 FLOP).
    GFLOP = key("gflop", NOT_NEGATIVE)
        .means("the work of all pieces of the loop in GFLOP (10^9 FLOP)", "1.0")
        .default("0")
        .also(&["work", "work_gflop", "gflops"]);
    /// Names of arrays of which each piece reads its own chunk.
    IN = key("in", Shape::List(&Shape::Text, 0, 0)).also(&["reads", "read", "input", "inputs"]);
    /// Names of arrays that each piece reads as a whole.
    WHOLE = key("whole", Shape::List(&Shape::Text, 0, 0));
    /// Names of arrays of which each piece reads and writes its own chunk.
    INOUT = key("inout", Shape::List(&Shape::Text, 0, 0));
    /// Names of arrays of which each piece writes its own chunk.
    OUT = key("out", Shape::List(&Shape::Text, 0, 0)).also(&["writes", "write", "output", "outputs"]);
    /// How its tasks create each other. Default: "range".
    SHAPE = key("shape", Shape::Words(&LOOP_SHAPE_WORDS));
}

words! {
    /// How the tasks of a loop create each other.
    LOOP_SHAPE_WORDS "LoopShapeWord" = LoopShape;
}

table! {
    /// Who decides which task runs on which node.
    scheduler "[scheduler]" "SchedulerTable" Some(TableKind::Scheduler);
    /// Name of the scheduler. Default: "fifo"; `--scheduler` wins.
    NAME = key("name", Shape::Words(&SCHEDULER_WORDS)).also(&["scheduler", "kind", "type", "policy"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.kind.as_str().into()));
    /// How many tasks without data in a row a round robin gives to one socket. Default: 2.
    STRIDE = key("stride", whole(1, u32::MAX as u64))
        .means("how many tasks without data in a row go to one socket", "2")
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.stride.into()));
    /// How many tasks are partitioned together. Default: 1000.
    WINDOW = key("window", whole(1, u32::MAX as u64))
        .means("how many tasks are partitioned together", "1000")
        .also(&["window_size", "size"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.window.into()));
    /// How many more tasks the first window has. Default: 0.
    INITIAL_EXTRA = key("initial_extra", whole(0, u32::MAX as u64))
        .means("how many more tasks the first window has", "100")
        .also(&["extra"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.initial_extra.into()));
    /// How many of the newest tasks of a window stay in the next one; below `window`. Default: 0.
    INTERSECTION = key("intersection", whole(0, u32::MAX as u64))
        .means("how many tasks of a window stay in the next one", "100")
        .also(&["overlap"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.intersection.into()));
    /// How many units of its generator a window has: iterations, or, of dense linear algebra, times the blocks of
    /// the matrix. It then also sets `initial_extra`, the tasks before the first iteration, and `intersection`, an
    /// iteration or two rows. Not beside `window`, `initial_extra` and `intersection`.
    WINDOW_UNITS = key("window_units", whole(1, 1_000_000))
        .means("how many iterations of the generator are partitioned together", "2")
        .default("not given")
        .also(&["units", "window_iterations"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.window_units.into()));
    /// Who partitions. Default: "recursive".
    PARTITIONER = key("partitioner", Shape::Words(&PARTITIONER_WORDS))
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.partitioner.as_str().into()));
    /// Weight of a task in a window that is partitioned. Default: "one".
    VERTEX_WEIGHT = key("vertex_weight", Shape::Words(&VERTEX_WEIGHT_WORDS))
        .also(&["weight", "vertex_weights", "task_weight"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.vertex_weight.as_str().into()));
    /// Time to partition in ns per task and edge of the window.
    PARTITION_NS_PER_VERTEX_EDGE = key("partition_ns_per_vertex_edge", NOT_NEGATIVE)
        .means("the time to partition in ns per task and edge", "100.0")
        .default("the figure of this program")
        .also(&["partition_ns", "partition_cost"])
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.partition_ns_per_vertex_edge.into()));
    /// Whether the two last writers of a block count as parents in what is partitioned. Default: false.
    OLD_DEPENDENCIES = key("old_dependencies", Shape::Flag)
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.old_dependencies.into()));
    /// Whether "fifo" runs a task whose last parent has just ended on the same worker. Default: false.
    IMMEDIATE_SUCCESSOR = key("immediate_successor", Shape::Flag)
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.immediate_successor.into()));
    /// Whether "tbb" remembers which mailbox had a piece of work (`replay`). Default: false.
    AFFINITY_PARTITIONER = key("affinity_partitioner", Shape::Flag)
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.affinity_partitioner.into()));
    /// Whether "tbb-numa" hands over what belongs to other nodes first. Default: true.
    REFLECTION = key("reflection", Shape::Flag)
        .value_in(value_in!(SchedulerSettings, |scheduler| scheduler.reflection.into()));
    ["steal", "stealing"] =>
        "`tasks --steal` switches stealing on; what it costs is `steal_us` in `[runtime]`";
    ["placement"] => "`tasks --placement` says where blocks lie that no file gives a home";
}

words! {
    /// A scheduler.
    SCHEDULER_WORDS "SchedulerWord" = SchedulerKind;
}

words! {
    /// What cuts windows of the graph into parts.
    PARTITIONER_WORDS "PartitionerWord" = Partitioner;
}

words! {
    /// Weight of a task in a window that is partitioned.
    VERTEX_WEIGHT_WORDS "VertexWeightWord" = VertexWeight;
}

table! {
    /// What creating, fetching and stealing tasks costs, and what is drawn.
    runtime "[runtime]" "RuntimeTable" Some(TableKind::Runtime);
    /// The master creates a task, in us. Default: 0.5, assumed.
    CREATION_US = key("creation_us", NOT_NEGATIVE)
        .means("the time to create a task in us", "0.5")
        .also(&["creation", "create_us", "creation_time_us"])
        .value_in(value_in!(RuntimeSettings, |runtime| time(runtime.creation, 1e6)));
    /// A worker fetches and retires a task, in us. Default: 1, assumed.
    TASK_US = key("task_us", NOT_NEGATIVE)
        .means("the time to fetch and retire a task in us", "1.0")
        .also(&["overhead_us", "fetch_us", "task_overhead_us"])
        .value_in(value_in!(RuntimeSettings, |runtime| time(runtime.task, 1e6)));
    /// A worker steals a task, in us. Default: 1, assumed.
    STEAL_US = key("steal_us", NOT_NEGATIVE).means("the time to steal a task in us", "1.0")
        .value_in(value_in!(RuntimeSettings, |runtime| time(runtime.steal, 1e6)));
    /// Moving a page of 4096 B to another node, in us, beside its bytes over the link. Default: 1, assumed.
    PAGE_US = key("page_us", NOT_NEGATIVE)
        .means("the time to move a page of 4096 B in us, beside its bytes over the link", "1.0")
        .also(&["migration_us", "move_us", "page_move_us"])
        .value_in(value_in!(RuntimeSettings, |runtime| time(runtime.page, 1e6)));
    /// Most tasks that are created and not finished. Default: no limit; ferret: two for each worker.
    THROTTLE = key("throttle", large(1, u64::MAX))
        .means("how many tasks may be created and not finished", "1000")
        .also(&["max_tasks", "most_tasks"])
        .value_in(value_in!(RuntimeSettings, |runtime| runtime.throttle.into()));
    /// Seed of everything that is drawn. Default: 1.
    SEED = key("seed", large(0, u64::MAX)).means("a seed", "1").also(&["random_seed"])
        .value_in(value_in!(RuntimeSettings, |runtime| runtime.seed.into()));
    /// What happens first of things that are equal. Default: "random".
    TIES = key("ties", Shape::Words(&TIES_WORDS)).also(&["tie", "tie_break"])
        .value_in(value_in!(RuntimeSettings, |runtime| runtime.ties.as_str().into()));
    /// Spread of the work of tasks: sigma of the logarithm of a factor with mean 1. Default: 0.
    TASK_SPREAD = key("task_spread", NOT_NEGATIVE)
        .means("the spread of the work of tasks: sigma of the logarithm of a factor", "0.1")
        .also(&["spread", "noise"])
        .value_in(value_in!(RuntimeSettings, |runtime| runtime.task_spread.into()));
    ["steal", "stealing"] =>
        "`tasks --steal` switches stealing on; what it costs is `steal_us` in `[runtime]`";
}

words! {
    /// What happens first of things that are equal.
    TIES_WORDS "TiesWord" = Ties;
}

table! {
    /// Other programs that want the workers, too, under "tbb" and "tbb-numa": they compute in their caches, and
    /// have work as long as the run lasts.
    contender "[contender]" "ContenderTable" Some(TableKind::Contender);
    /// Work of one of their tasks in GFLOP (10^9 FLOP).
    GFLOP = key("gflop", POSITIVE)
        .means("the work of a task of the contender in GFLOP (10^9 FLOP)", "0.1")
        .required()
        .also(&["work", "work_gflop", "task_gflop", "gflops"])
        .value_in(value_in!(Contender, |contender| contender.gflop.into()));
    /// How many such programs there are.
    COUNT = key("count", whole(1, MOST_CONTENDERS))
        .means("how many such programs there are", "1")
        .default("1")
        .also(&["programs", "instances", "contenders"])
        .value_in(value_in!(Contender, |contender| contender.count.into()));
    /// When they want workers: from and to in seconds, in the order of time.
    PHASES_S = key("phases_s", Shape::List(&Shape::List(&NOT_NEGATIVE, 2, 2), 1, 0))
        .means("a time in seconds", "0.5")
        .default("as long as the run lasts")
        .also(&["phases", "phase_s", "times_s", "when_s"])
        .value_in(value_in!(Contender, periods));
}
