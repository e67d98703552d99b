//! The keys of `[[app]]`, of the tables below it, and of `[[scenario]]`.

use numasim_model::access::Access;
use numasim_model::app::{App, MAX_INSTANCES};
use numasim_model::bounds::MOST_REPEATED;
use numasim_model::dynamics::{Binding, Phase, Pick, Scaling};
use numasim_model::order::Control;
use numasim_model::problem::{
    BlackScholes, Cells, Chase, Elements, Faults, How, KernelName, KernelProblem, MOST_SIDE, Memcpy,
    Partition, Source, Storage,
};
use numasim_model::units::{FlopPerByte, Gflop, Gibibytes, Seconds};

use super::values::{counted, put_intensity, put_task_work, put_tasks, put_threads, put_total_work, time_in};
use super::{
    Echo, FRACTION, Forms, Key, NODE_NUMBER, NOT_NEGATIVE, POSITIVE, Put, Shape, Table, TableKind, ValueIn,
    Words, count, data_echo, forms, key, large, table, time, whole, words,
};

/// The sizes of a real kernel, as words.
fn sizes(app: &App) -> Echo {
    let sizes = |problem: KernelProblem| {
        Echo::table(problem.sizes().into_iter().map(|(key, value)| (key, Echo::Text(value))))
    };
    app.problem.map(sizes).into()
}

fn scaling_echo(phase: &Phase) -> Echo {
    match &phase.scaling {
        Scaling::Linear => "linear".into(),
        Scaling::Serial { fraction } => Echo::table([("serial_fraction", (*fraction).into())]),
        Scaling::Table(points) => {
            let pair = |&(threads, speedup): &(u32, f64)| Echo::List(vec![threads.into(), speedup.into()]);
            Echo::table([("table", Echo::List(points.iter().map(pair).collect()))])
        }
    }
}

table! {
    /// An application: how much it computes per byte, and where its data lies.
    app "[[app]]" "AppTable" Some(TableKind::App);
    /// Name of the application, unique over all files.
    NAME = key("name", Shape::Name).example("\"mem\"").required();
    /// How many equal ones; `mem` with 3 makes mem-1, mem-2 and mem-3. Default: 1. At most 10000 over all files.
    INSTANCES = key("instances", whole(1, MAX_INSTANCES as u64))
        .means("a number of instances", "3")
        .default("1")
        .also(&["count", "copies", "processes"]);
    /// Arithmetic intensity in FLOP per byte moved to or from memory. A real kernel (`kernel`) counts its own: then
    /// it may be left out, or is at most 5 % off.
    ARITHMETIC_INTENSITY = key("arithmetic_intensity", POSITIVE)
        .of_app(
            |app| Some(app.arithmetic_intensity.value()),
            |app, value| app.arithmetic_intensity = FlopPerByte::new(value),
        )
        .over_time(Put::Study(put_intensity))
        .changed_in("FLOP/byte")
        .means("an arithmetic intensity in FLOP per byte", "0.5")
        .also(&["ai", "oi", "intensity", "operational_intensity", "flop_per_byte"]);
    /// Where the data lies. Default: "local".
    DATA = key("data", Shape::Forms(&DATA_VALUE_FORMS)).default("local")
        .value_in(ValueIn::App(|app| data_echo(&app.data)));
    /// Numbers of the only nodes that may hold its threads.
    NODES = key("nodes", Shape::List(&NODE_NUMBER, 1, 1024))
        .default("all")
        .also(&["allowed_nodes", "numa_nodes", "cpunodebind", "node"])
        .value_in(ValueIn::App(|app| app.nodes.clone().into()));
    /// How much data it has in GiB (2^30 bytes), which lies as `data` says, local data in proportion to the
    /// threads. Default: not given, fits everywhere.
    MEMORY_GIB = key("memory_gib", POSITIVE)
        .of_app(|app| app.memory.map(Gibibytes::value), |app, gib| app.memory = Some(Gibibytes::new(gib)))
        .means("a size of memory in GiB (2^30 bytes)", "64.0")
        .default("not given")
        .also(&["memory", "memory_gb", "mem_gib", "mem_gb", "ram", "ram_gib", "ram_gb", "size_gib", "size"]);
    /// What its threads compute: a synthetic kernel of the benchmark (numasim bench) of any intensity, or a real
    /// one with sizes in `[app.problem]`. Default: "read". The models use how it uses memory where the machine has
    /// `copy_gbs`, `triad_gbs` or `update_gbs`.
    KERNEL = key("kernel", Shape::Words(&KERNEL_WORDS)).default("read")
        .value_in(ValueIn::App(|app| app.kernel_word().into()));
    /// Cache lines of 64 byte that one of its threads has under way at a time: 1 of a pointer chaser, 10 to 20 of a loop over arrays. With a
    /// latency it draws at most lines x 64 byte / latency, and under `ecm` it waits longer than threads with more of them. Needs
    /// `latency_matrix_ns`. Default: as the benchmark that measured the machine.
    OUTSTANDING_LINES = key("outstanding_lines", Shape::Number(1e-3, 1e6))
        .of_app(|app| app.outstanding_lines, |app, lines| app.outstanding_lines = Some(lines))
        .changed_in("")
        .means("a number of cache lines", "1.0")
        .default("as the benchmark");
    /// How large the problem of a real kernel is, and in which variant. Default: the size of the paper.
    PROBLEM = key("problem", Shape::Table(&problem::TABLE))
        .value_in(ValueIn::App(sizes));
    /// Fewest threads over the whole machine that explore may give it.
    MIN_THREADS = key("min_threads", whole(0, u32::MAX as u64))
        .of_app(|app| Some(f64::from(app.min_threads)), |app, threads| app.min_threads = count(threads))
        .changed_in("")
        .means("a number of threads", "8")
        .default("1")
        .also(&["min"]);
    /// Most threads over the whole machine that explore may give it.
    MAX_THREADS = key("max_threads", whole(0, u32::MAX as u64))
        .of_app(|app| app.max_threads.map(f64::from), |app, threads| app.max_threads = Some(count(threads)))
        .changed_in("")
        .means("a number of threads", "8")
        .default("no limit")
        .also(&["max"]);
    /// Weight in the objectives; 0 does not count.
    WEIGHT = key("weight", NOT_NEGATIVE)
        .of_app(|app| Some(app.weight), |app, weight| app.weight = weight)
        .changed_in("")
        .means("a weight; 0 does not count", "1.0")
        .default("1")
        .also(&["priority"]);
    /// Work in GFLOP, of all iterations together; the makespan objective and simulations need it, or `task_gflop`.
    /// With `tasks` 0 is read, too.
    WORK_GFLOP = key("work_gflop", POSITIVE)
        .of_app(|app| app.work.map(Gflop::value), |app, work| app.work = Some(Gflop::new(work)))
        .over_time(Put::Study(put_total_work))
        .changed_in("GFLOP")
        .means("an amount of work in GFLOP", "1000.0")
        .default("not given")
        .also(&["work", "gflop", "flops"]);
    /// Work of each task in GFLOP; a list repeats. Not beside `work_gflop`.
    TASK_GFLOP = key("task_gflop", Shape::Forms(&TASK_WORK_FORMS))
        .over_time(Put::Phase(put_task_work))
        .changed_in("GFLOP")
        .means("the work of each task in GFLOP, or a list", "0.5");
    /// Tasks in each iteration. Default: the length of `task_gflop`; without that the work is divisible.
    TASKS = key("tasks", large(1, MOST_REPEATED))
        .over_time(Put::Phase(put_tasks))
        .changed_in("")
        .means("a number of tasks in each iteration", "64")
        .default("none: divisible work");
    /// Coefficient of variation of the work of tasks (lognormal, mean 1).
    TASK_SPREAD = key("task_spread", NOT_NEGATIVE)
        .over_time(Put::Course(|course, spread| course.task_spread = spread))
        .changed_in("")
        .means("the coefficient of variation of the work of tasks; 0 is none", "0.2")
        .default("0")
        .value_in(ValueIn::Course(|course| course.task_spread.into()));
    /// Iterations, one after the other.
    ITERATIONS = key("iterations", large(1, MOST_REPEATED))
        .over_time(Put::Course(|course, iterations| course.set_iterations(counted(iterations))))
        .changed_in("")
        .means("a number of iterations", "100")
        .default("1")
        .also(&["iters", "steps", "repetitions", "loops"])
        .value_in(ValueIn::Course(|course| course.iterations.into()));
    /// How long a thread sleeps after each task, in ms.
    IO_MS = time_in!(Phase, io, "io_ms", NOT_NEGATIVE, 1e3, "ms")
        .means("how long a thread sleeps after a task, in ms", "10.0")
        .default("0")
        .also(&["io", "sleep_ms", "wait_ms"]);
    /// How fast several threads are together.
    SCALING = key("scaling", Shape::Forms(&SCALING_FORMS)).default("linear")
        .value_in(ValueIn::Phase(scaling_echo));
    /// When it arrives, in seconds.
    ARRIVES_S = key("arrives_s", NOT_NEGATIVE)
        .over_time(Put::Course(|course, s| course.arrives = Seconds::new(s)))
        .changed_in("s")
        .means("when it arrives, in seconds", "2.5")
        .default("0")
        .also(&["arrival", "arrival_s", "arrives", "start_s", "begins_s"])
        .value_in(ValueIn::Course(|course| course.arrives.value().into()));
    /// Threads that it has over time, on each node at most 65536, also more than cores.
    THREADS = key("threads", Shape::Forms(&THREADS_FORMS))
        .over_time(Put::Study(put_threads))
        .changed_in("")
        .default("one per core")
        .value_in(ValueIn::Course(|course| course.threads.clone().into()));
    /// What its threads are bound to. Default: "node", or "core" where `control` is "cores".
    BIND = key("bind", Shape::Words(&BIND_WORDS)).also(&["pin", "pinning", "binding"])
        .value_in(ValueIn::Course(|course| course.binding.as_str().into()));
    /// Which commands it can follow. Default: "per-node", or "cores" where there is a `command`.
    CONTROL = key("control", Shape::Words(&CONTROL_WORDS))
        .value_in(ValueIn::Course(|course| course.control.as_str().into()));
    /// A program of its own, which `numasim run` starts: its file and its arguments. Work and phases then say what
    /// `simulate` takes it for, and `control` is "cores" by default.
    COMMAND = key("command", Shape::List(&Shape::Text, 1, 0))
        .default("none")
        .also(&["program", "exec", "executable", "cmd", "args"])
        .value_in(ValueIn::Course(|course| course.command.clone().into()));
    /// In which order its threads are numbered. Default: "spread".
    PICK = key("pick", Shape::Words(&PICK_WORDS))
        .value_in(ValueIn::Course(|course| course.pick.as_str().into()));
    /// The phases of an iteration, one after the other; then the work stands in them.
    PHASE = key("phase", Shape::Tables(&phase::TABLE, 0, 0)).also(&["phases"]);
    ["cores", "nthreads"] =>
        "the threads of a placement stand in a `[[scenario]]`; to bound what explore may choose, write `min_threads` and `max_threads`; `threads` is how many an app has over time";
    ["serial_fraction", "speedup"] => "write `scaling = { serial_fraction = 0.1 }`";
    ["other_threads"] =>
        "write another `[[app]]` with `control = \"none\"` and its own `threads` for what cannot be controlled";
    ["static_loop"] => "a static loop has as many `tasks` as threads: write `tasks`";
    ["home", "placement", "share", "interleave"] =>
        "write where the data lies as `data`, e.g. `data = { home = 0, share = 0.5 }`";
    ["triad_gbs", "copy_gbs", "update_gbs"] =>
        "what memories deliver to a kernel stands in `[machine]`; an application names its kernel, e.g. `kernel = \"triad\"`";
}

forms! {
    /// Where data lies.
    DATA_VALUE_FORMS "DataValue" {
        Shape::Words(&DATA_WORD_WORDS) => "A word.",
        Shape::Table(&home::TABLE) => "All data, or a share of it, on one node.",
        Shape::Table(&interleave::TABLE) => "A share of the data on all nodes.",
        Shape::Table(&fractions::TABLE) => "A fraction on each node.",
    }
}

words! {
    /// Data that needs no further figure.
    DATA_WORD_WORDS "DataWord" {
        "local" => "Every thread reads the memory of its own node.",
        "interleave" => "Spread evenly over all nodes.",
    }
}

table! {
    /// All data on one node, or a share of it.
    home "data" "HomeTable" None;
    /// The node, or "any": explore chooses it.
    HOME = key("home", Shape::Forms(&HOME_FORMS)).required();
    /// The share of the data that lies there, the rest where each thread runs. Default: 1, all of it.
    SHARE = key("share", FRACTION)
        .means("a share of the data from 0 to 1", "0.5")
        .also(&["fraction", "part", "portion"]);
}

forms! {
    /// A node, or "any".
    HOME_FORMS "HomeValue" {
        NODE_NUMBER => "Number of the node, from 0.",
        Shape::Words(&ANY_WORDS) => "Explore chooses the node.",
    }
}

words! {
    /// The word "any".
    ANY_WORDS "AnyWord" {
        "any" => "Explore chooses.",
    }
}

table! {
    /// A share of the data spread evenly over all nodes, the rest where each thread runs.
    interleave "data" "InterleaveTable" None;
    /// That share.
    INTERLEAVE = key("interleave", FRACTION).means("a share of the data from 0 to 1", "0.5").required();
}

table! {
    /// A fraction of the data on each node.
    fractions "data" "FractionsTable" None;
    /// One fraction for each node; they sum to 1.
    FRACTIONS = key("fractions", Shape::List(&NOT_NEGATIVE, 1, 1024))
        .means("a fraction between 0 and 1", "0.5")
        .required();
}

/// What `data` may be as a table, of whichever form.
pub mod data {
    use super::{Table, fractions, home, interleave};

    /// The table `data`.
    pub static TABLE: Table = Table {
        title: "data",
        type_name: "",
        doc: "",
        kind: None,
        keys: &[&home::HOME, &home::SHARE, &interleave::INTERLEAVE, &fractions::FRACTIONS],
        elsewhere: &[],
    };
}

words! {
    /// What a thread computes.
    KERNEL_WORDS "KernelWord" {
        Access::Read.as_str() => "Reads only.",
        Access::Copy.as_str() => "One line read, one written: `a[i] = b[i]`.",
        Access::Triad.as_str() => "Two lines read, one written: `a[i] = b[i] + s * c[i]`.",
        Access::Update.as_str() => "Each line read and written back in place: `a[i] = s * a[i]`.",
        KernelName::BlackScholes.as_str() => "Prices of `options`, `runs` times.",
        KernelName::Dmv.as_str() => "A dense complex matrix of `rows` rows times vectors, twice in each of `iterations`.",
        KernelName::Spmv.as_str() => "The sparse matrix of a crystal of `cells` times vectors, twice in each of `iterations`.",
        KernelName::Memcpy.as_str() => "Each thread copies `size_mib`, `copies` times.",
        KernelName::Stencil2d.as_str() => "A stencil of five points on `rows` x `columns`, `iterations` times.",
        KernelName::Seismic.as_str() => "Waves on `rows` x `columns` points, `iterations` times.",
        KernelName::Chase.as_str() => "Each thread follows `chains` of addresses in `size_mib` for `hops`.",
    }
}

table! {
    /// Sizes of the problem of a real kernel; each kernel has its own keys, and defaults for all of them.
    problem "[app.problem]" "ProblemTable" Some(TableKind::App);
    /// blackscholes: options. Default: 10000000.
    OPTIONS = key("options", large(1, BlackScholes::MOST_OPTIONS)).means("a number of options", "10_000_000");
    /// blackscholes: how often all options are priced. Default: 100.
    RUNS = key("runs", large(1, MOST_REPEATED)).means("how often", "10");
    /// dmv: rows of the square matrix, default 5120; stencil2d and seismic: rows of points, default 8192.
    ROWS = key("rows", large(1, MOST_SIDE)).means("a number of rows or columns of points", "8192");
    /// stencil2d and seismic: columns of points. Default: 8192.
    COLUMNS = key("columns", large(1, MOST_SIDE)).means("a number of rows or columns of points", "8192");
    /// spmv: cells of the crystal along x, y and z, or one number for all; 80 rows for each cell. Default: 4.
    CELLS = key("cells", Shape::Forms(&CELLS_FORMS)).means("a number of cells", "4");
    /// dmv and spmv: pairs of products, default 10; stencil2d and seismic: default 100.
    ITERATIONS = key("iterations", large(1, MOST_REPEATED)).means("how often", "10");
    /// spmv: what elements are. Default: "complex".
    ELEMENTS = key("elements", Shape::Words(&ELEMENTS_WORDS));
    /// spmv: how rows are divided among threads. Default: "equal".
    PARTITION = key("partition", Shape::Words(&PARTITION_WORDS));
    /// spmv: how the matrix lies in memory. Default: "whole".
    STORAGE = key("storage", Shape::Words(&STORAGE_WORDS));
    /// memcpy: MiB of each source and destination, default 4096; chase: MiB of each thread, default 256.
    SIZE_MIB = key("size_mib", large(1, Memcpy::MOST_MIB)).means("a size in MiB (2^20 bytes)", "4096");
    /// memcpy: how often each thread copies. Default: 1.
    COPIES = key("copies", large(1, MOST_REPEATED)).means("how often", "10");
    /// memcpy: whose the source is. Default: "shared".
    SOURCE = key("source", Shape::Words(&SOURCE_WORDS));
    /// memcpy: when pages of the destination are touched for the first time. Default: "before".
    FAULTS = key("faults", Shape::Words(&FAULTS_WORDS));
    /// memcpy: what copies. Default: "streaming".
    HOW = key("how", Shape::Words(&HOW_WORDS));
    /// chase: chains that each thread follows at once. Default: 1.
    CHAINS = key("chains", large(1, Chase::MOST_CHAINS)).means("a number of chains", "1");
    /// chase: hops of each chain. Default: 4194304.
    HOPS = key("hops", large(1, 1_000_000_000_000)).means("a number of hops of each chain", "4_194_304");
}

forms! {
    /// Cells along all axes, or along each.
    CELLS_FORMS "CellsValue" {
        large(1, Cells::MOST_ROWS) => "Along each of the three.",
        Shape::List(&large(0, u64::MAX), 3, 3) => "Along x, y and z.",
    }
}

words! {
    /// What elements of a sparse matrix are.
    ELEMENTS_WORDS "ElementsWord" {
        Elements::Complex.as_str() => "Two numbers of 8 bytes.",
        Elements::Real.as_str() => "One.",
    }
}

words! {
    /// How rows are divided among threads.
    PARTITION_WORDS "PartitionWord" {
        Partition::Equal.as_str() => "As many rows each.",
        Partition::Nonzeros.as_str() => "About as many elements that are not zero each.",
    }
}

words! {
    /// How a sparse matrix lies in memory.
    STORAGE_WORDS "StorageWord" {
        Storage::Whole.as_str() => "Arrays with all rows.",
        Storage::PerNode.as_str() => "For the rows of each node arrays of their own.",
    }
}

words! {
    /// Whose a source is.
    SOURCE_WORDS "SourceWord" {
        Source::Shared.as_str() => "All threads copy from one.",
        Source::PerNode.as_str() => "The threads of a node copy from one of its own.",
        Source::Own.as_str() => "Each thread has its own.",
    }
}

words! {
    /// When pages are touched for the first time.
    FAULTS_WORDS "FaultsWord" {
        Faults::Before.as_str() => "Before what is measured.",
        Faults::Inside.as_str() => "By the copy.",
    }
}

words! {
    /// What copies.
    HOW_WORDS "HowWord" {
        How::Streaming.as_str() => "Stores past the caches.",
        How::Cached.as_str() => "Stores through the caches.",
        How::Library.as_str() => "`memcpy` of the C library.",
    }
}

forms! {
    /// The work of each task in GFLOP.
    TASK_WORK_FORMS "TaskWorkValue" {
        NOT_NEGATIVE => "The same for every task.",
        Shape::List(&NOT_NEGATIVE, 1, 0) => "Of one task after the other; the list repeats.",
    }
}

forms! {
    /// How fast several threads are together.
    SCALING_FORMS "ScalingValue" {
        Shape::Table(&serial::TABLE) => "By Amdahl's law.",
        Shape::Table(&speedup::TABLE) => "By the speedup of some numbers of threads.",
    }
}

table! {
    /// Amdahl's law: the speedup of n threads is 1 / (s + (1 - s) / n).
    serial "scaling" "SerialTable" None;
    /// s, the part of the work that only one thread can do.
    SERIAL_FRACTION = key("serial_fraction", FRACTION)
        .means("a fraction from 0 to 1", "0.1")
        .required()
        .also(&["serial", "fraction", "amdahl"]);
}

table! {
    /// Speedups of some numbers of threads; between them lines, beyond the last one its speedup.
    speedup "scaling" "SpeedupTable" None;
    /// Pairs of threads and speedup, from [1, 1.0] up; the speedup never falls and is at most the number of
    /// threads.
    TABLE_OF_SPEEDUPS = key("table", Shape::List(&Shape::List(&POSITIVE, 2, 2), 1, 0))
        .required()
        .also(&["speedup", "points"]);
}

/// What `scaling` may be, of whichever form.
pub mod scaling {
    use super::{Table, serial, speedup};

    /// The table `scaling`.
    pub static TABLE: Table = Table {
        title: "scaling",
        type_name: "",
        doc: "",
        kind: None,
        keys: &[&serial::SERIAL_FRACTION, &speedup::TABLE_OF_SPEEDUPS],
        elsewhere: &[],
    };
}

forms! {
    /// Threads of one application.
    THREADS_FORMS "ThreadsValue" {
        whole(0, u32::MAX as u64) => "This many on every node that has cores.",
        Shape::List(&whole(0, u32::MAX as u64), 0, 0) => "One entry for each node.",
    }
}

words! {
    /// What its threads are bound to.
    BIND_WORDS "BindWord" {
        Binding::Node.as_str() => "Any core of a node.",
        Binding::Core.as_str() => "One core.",
    }
}

words! {
    /// Which commands it can follow.
    CONTROL_WORDS "ControlWord" {
        Control::Total.as_str() => "How many threads in all.",
        Control::Cores.as_str() => "The threads of which cores.",
        Control::PerNode.as_str() => "How many threads on each node.",
        Control::None.as_str() => "None.",
    }
}

words! {
    /// In which order its threads are numbered.
    PICK_WORDS "PickWord" {
        Pick::Spread.as_str() => "Round the nodes: the first of each, then the second of each.",
        Pick::Pack.as_str() => "Node after node.",
    }
}

table! {
    /// A part of an iteration; what it does not say is as in its application.
    phase "[[app.phase]]" "PhaseTable" None;
    /// Arithmetic intensity in FLOP per byte moved to or from memory.
    ARITHMETIC_INTENSITY = app::ARITHMETIC_INTENSITY.own("that of the application")
        .value_in(ValueIn::Phase(|phase| phase.arithmetic_intensity.value().into()));
    /// Where the data lies; no home is open. Default: as in the application.
    DATA = key("data", Shape::Forms(&DATA_VALUE_FORMS))
        .value_in(ValueIn::Phase(|phase| data_echo(&phase.data)));
    SCALING = app::SCALING.own("as in the application");
    IO_MS = app::IO_MS.own("as in the application");
    /// Work of this phase in GFLOP, of all iterations together. Not beside `task_gflop`.
    WORK_GFLOP = key("work_gflop", NOT_NEGATIVE)
        .means("an amount of work in GFLOP", "1000.0")
        .also(&["work", "gflop", "flops"]);
    TASK_GFLOP = app::TASK_GFLOP;
    TASKS = app::TASKS;
    ["iterations", "threads", "task_spread", "control", "bind"] =>
        "it holds for all phases: write it in the `[[app]]`, above its phases";
}

table! {
    /// One way of placing the threads.
    scenario "[[scenario]]" "ScenarioTable" Some(TableKind::Scenario);
    /// Name of the scenario, unique over all files.
    NAME = key("name", Shape::Name).example("\"even\"").required();
    /// Threads by the name of an application or of one instance; an application that is not named has none.
    THREADS = key("threads", Shape::Map(&Shape::Forms(&THREADS_FORMS)))
        .example("{ mem = 1, compute = 5 }")
        .required()
        .also(&["app", "apps", "allocation", "placement", "cores"]);
    /// Data that lies elsewhere in this scenario, by the name of an application or of one instance.
    DATA = key("data", Shape::Map(&Shape::Forms(&DATA_VALUE_FORMS)));
    /// Whether the work of each application is divided equally among its threads beforehand, so that its slowest
    /// thread decides. Default: false.
    STATIC = key("static", Shape::Flag);
}
