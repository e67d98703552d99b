//! The keys of `[[app]]`, of the tables below it, and of `[[scenario]]`.

use numasim_model::access::Access;
use numasim_model::app::{App, DataWord, IntensityFrom, MAX_INSTANCES, MAX_RANKS, Smt};
use numasim_model::bounds::MOST_REPEATED;
use numasim_model::problem::{
    BlackScholes, Cells, Chase, Elements, Faults, How, KernelName, KernelProblem, MOST_SIDE, Memcpy,
    Partition, Source, Storage,
};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, Gibibytes, GigabytesPerSecond};

use super::{
    Echo, FRACTION, Forms, Key, NODE_NUMBER, NOT_NEGATIVE, POSITIVE, Shape, Table, TableKind, ValueIn, Words,
    count, data_echo, forms, key, large, table, whole, words,
};

/// The sizes of a real kernel, as words.
fn sizes(app: &App) -> Echo {
    let sizes = |problem: KernelProblem| {
        Echo::table(problem.sizes().into_iter().map(|(key, value)| (key, Echo::Text(value))))
    };
    app.problem.map(sizes).into()
}

table! {
    /// An application: how much it computes per byte, and where its data is placed.
    app "[[app]]" "AppTable" Some(TableKind::App);
    /// Name of the application, unique over all files.
    NAME = key("name", Shape::Name).example("\"mem\"").required();
    /// Number of equal instances; `mem` with 3 makes mem-1, mem-2 and mem-3. Default: 1. At most 10000 over
    /// all files.
    INSTANCES = key("instances", whole(1, MAX_INSTANCES as u64))
        .means("a number of instances", "3")
        .default("1")
        .also(&["count", "copies", "processes"]);
    /// Arithmetic intensity in FLOP per byte moved to or from memory. A real kernel (`kernel`) counts its
    /// own: the key is then optional, or at most 5 % off. With `thread_gflops` and `thread_gbs` it is also
    /// optional, and is their quotient. An external program (`command`) that is only started
    /// needs none.
    ARITHMETIC_INTENSITY = key("arithmetic_intensity", POSITIVE)
        .of_app(
            |app| {
                let counts = app.rate_unit.is_none() && app.intensity_from != IntensityFrom::Unknown;
                counts.then(|| app.arithmetic_intensity.value())
            },
            |app, value| {
                app.arithmetic_intensity = FlopPerByte::new(value);
                app.intensity_from = IntensityFrom::Given;
            },
        )
        .changed_in("FLOP/byte")
        .means("an arithmetic intensity in FLOP per byte", "0.5")
        .also(&["ai", "oi", "intensity", "operational_intensity", "flop_per_byte"]);
    /// GFLOPS of one thread if memory does not limit it. Its peak is this value, at most `gflops_per_core`.
    /// Default: all that a core can.
    THREAD_GFLOPS = key("thread_gflops", POSITIVE)
        .of_app(|app| app.thread_gflops.map(Gflops::value), |app, value| app.set_thread_gflops(Gflops::new(value)))
        .changed_in("GFLOPS")
        .means("what one thread computes where memory is no limit in GFLOPS", "0.5")
        .default("all that a core can")
        .noted_when_used()
        .also(&["gflops_per_thread", "thread_peak", "thread_peak_gflops"]);
    /// Bandwidth of one thread alone in GB/s. Default: all that it can process.
    THREAD_GBS = key("thread_gbs", POSITIVE)
        .of_app(
            |app| app.thread_gbs.map(GigabytesPerSecond::value),
            |app, value| app.set_thread_gbs(GigabytesPerSecond::new(value)),
        )
        .changed_in("GB/s")
        .means("what one thread draws alone in GB/s", "3.0")
        .default("all that it can digest")
        .noted_when_used()
        .also(&["gbs_per_thread", "thread_bandwidth", "thread_bandwidth_gbs", "thread_gb_s"]);
    /// Units of work per GB (10^9 bytes), in a custom unit instead of FLOP; needs `thread_gbs`.
    RATE = key("rate", Shape::Table(&rate::TABLE))
        .default("GFLOPS")
        .noted_when_used()
        .value_in(ValueIn::App(rate_echo));
    /// The share of its bytes that is written, 0 to 1; the rest is read. Not with `kernel`.
    WRITE_SHARE = key("write_share", FRACTION)
        .of_app(|app| given(app.write_share), |app, share| app.write_share = share)
        .changed_in("")
        .means("the share of its bytes that are written, from 0 to 1", "0.3")
        .default("0")
        .noted_when_used()
        .also(&["writes", "write_fraction", "write_ratio"]);
    /// Loss on several NUMA nodes: with threads on k of them it achieves 1 / (1 + this x log2 k) of its
    /// GFLOPS.
    NODE_OVERHEAD = key("node_overhead", NOT_NEGATIVE)
        .of_app(|app| given(app.node_overhead), |app, overhead| app.node_overhead = overhead)
        .changed_in("")
        .means("what each doubling of its NUMA nodes costs", "0.12")
        .default("0")
        .noted_when_used()
        .also(&["numa_overhead", "domain_overhead"]);
    /// Data placement. Default: "local".
    DATA = key("data", DATA_VALUE).default("local")
        .value_in(ValueIn::App(|app| data_echo(&app.data)));
    /// Numbers of the only nodes that may hold its threads.
    NODES = key("nodes", Shape::List(&NODE_NUMBER, 1, 1024))
        .default("all")
        .also(&["allowed_nodes", "numa_nodes", "cpunodebind", "node"])
        .value_in(ValueIn::App(|app| app.nodes.clone().into()));
    /// Size of its data in GiB (2^30 bytes). `data` defines its placement: local data in proportion to the
    /// threads, replicated data complete on each node with threads. Default: not given, fits everywhere.
    MEMORY_GIB = key("memory_gib", POSITIVE)
        .of_app(|app| app.memory.map(Gibibytes::value), |app, gib| app.memory = Some(Gibibytes::new(gib)))
        .means("a size of memory in GiB (2^30 bytes)", "64.0")
        .default("not given")
        .also(&["memory", "memory_gb", "mem_gib", "mem_gb", "ram", "ram_gib", "ram_gb", "size_gib", "size"]);
    /// The kernel of its threads: a synthetic kernel of the benchmark (numasim bench) of any intensity, or a
    /// real one with sizes in `[app.problem]`. Default: "read". The models consider its use of memory if the
    /// machine has `copy_gbs`, `triad_gbs` or `update_gbs`.
    KERNEL = key("kernel", Shape::Words(&KERNEL_WORDS)).default("read")
        .value_in(ValueIn::App(|app| app.kernel_word().into()));
    /// Cache lines of 64 byte that one of its threads has outstanding at a time: 1 for a pointer chaser, 10
    /// to 20 for a loop over arrays. With a latency its bandwidth is at most lines x 64 byte / latency, and
    /// under `ecm` it waits longer than threads with more lines. Needs `latency_matrix_ns`. Default: as the
    /// benchmark that measured the machine.
    OUTSTANDING_LINES = key("outstanding_lines", Shape::Number(1e-3, 1e6))
        .of_app(|app| app.outstanding_lines, |app, lines| app.outstanding_lines = Some(lines))
        .changed_in("")
        .means("a number of cache lines", "1.0")
        .noted_when_used();
    /// Number of hardware threads that it uses on each of its cores, on a machine with `threads_per_core =
    /// 2`. Numbers of threads are then hardware threads: with "both", 8 threads are on 4 cores. Applications
    /// never share a core.
    SMT = key("smt", Shape::Words(&SMT_WORDS)).default("one").noted_when_used()
        .also(&["hyperthreading", "hyper_threading", "ht", "smt_mode"])
        .value_in(ValueIn::App(|app| (app.smt != Smt::One).then_some(app.smt.as_str()).into()));
    /// FLOP rate of a core with both hardware threads of the application over the rate with one, 1 to 2.
    /// Required unless `smt` is "one".
    SMT_SPEEDUP = key("smt_speedup", Shape::Number(1.0, 2.0))
        .of_app(|app| app.smt_speedup, |app, speedup| app.smt_speedup = Some(speedup.clamp(1.0, 2.0)))
        .changed_in("")
        .means("how fast a core with both threads is, from 1.0 to 2.0", "1.25")
        .default("not given")
        .noted_when_used()
        .also(&["smt_gain", "ht_speedup", "hyperthreading_speedup"]);
    /// Number of its processes, such as MPI ranks. Its threads are dealt to them in the order of the nodes;
    /// the numbers differ by at most 1. The targets `slurm` and `openmpi` of `--emit` bind each rank.
    RANKS = key("ranks", whole(1, MAX_RANKS as u64))
        .means("a number of processes", "8")
        .default("1")
        .noted_when_used()
        .also(&["mpi_ranks", "tasks_per_node", "ntasks", "nprocs", "np"])
        .value_in(ValueIn::App(|app| (app.ranks > 1).then_some(app.ranks).into()));
    /// Size and variant of the problem of a real kernel. Default: the size of the paper.
    PROBLEM = key("problem", Shape::Table(&problem::TABLE))
        .value_in(ValueIn::App(sizes));
    /// Minimum number of threads over the whole machine in explore.
    MIN_THREADS = key("min_threads", whole(0, u32::MAX as u64))
        .of_app(|app| Some(f64::from(app.min_threads)), |app, threads| app.min_threads = count(threads))
        .changed_in("")
        .means("a number of threads", "8")
        .default("1")
        .also(&["min"]);
    /// Maximum number of threads over the whole machine in explore.
    MAX_THREADS = key("max_threads", whole(0, u32::MAX as u64))
        .of_app(|app| app.max_threads.map(f64::from), |app, threads| app.max_threads = Some(count(threads)))
        .changed_in("")
        .means("a number of threads", "8")
        .default("no limit")
        .also(&["max"]);
    /// Weight in the objectives; applications with weight 0 do not count.
    WEIGHT = key("weight", NOT_NEGATIVE)
        .of_app(|app| Some(app.weight), |app, weight| app.weight = weight)
        .changed_in("")
        .means("a weight; 0 does not count", "1.0")
        .default("1")
        .also(&["priority"]);
    /// Work in GFLOP, of all iterations together; the makespan objective and simulations need it, or
    /// `task_gflop`. With `tasks`, 0 is also valid.
    WORK_GFLOP = key("work_gflop", POSITIVE)
        .of_app(|app| app.work.filter(|_| app.rate_unit.is_none()).map(Gflop::value), |app, work| app.work = Some(Gflop::new(work)))
        .changed_in("GFLOP")
        .means("an amount of work in GFLOP", "1000.0")
        .default("not given")
        .also(&["work", "gflop", "flops"]);
    ["cores", "nthreads"] =>
        "the threads of a placement belong in a `[[scenario]]`; to bound what explore may choose, write `min_threads` and `max_threads`; `threads` is how many an app has over time";
    ["home", "placement", "share", "interleave"] =>
        "write where the data lies as `data`, e.g. `data = { home = 0, share = 0.5 }`";
    ["triad_gbs", "copy_gbs", "update_gbs"] =>
        "the bandwidths of kernels belong in `[machine]`; an application names its kernel, e.g. `kernel = \"triad\"`";
}

/// A data placement.
pub const DATA_VALUE: Shape = Shape::Forms(&DATA_VALUE_FORMS);
/// Threads of one application.
pub const THREADS_VALUE: Shape = Shape::Forms(&THREADS_FORMS);

table! {
    /// Units of work of an application per GB that it moves.
    rate "rate" "RateTable" None;
    /// The unit.
    UNIT = key("unit", Shape::Name).example("\"queries/s\"").required();
    /// Number of units per GB (10^9 bytes).
    PER_GB = key("per_gb", POSITIVE).means("a number for each GB", "125.0").required();
    /// Total number of units, of all iterations together: for `queries/s` the number of queries. Simulations
    /// need it.
    WORK = key("work", POSITIVE).means("how many there are to do", "1e6").default("not given");
}

fn rate_echo(app: &App) -> Echo {
    let per_gb = app.arithmetic_intensity.value();
    let rate = |unit: &String| {
        let work = app.work.map(|work| ("work", work.value().into()));
        Echo::table([("unit", unit.as_str().into()), ("per_gb", per_gb.into())].into_iter().chain(work))
    };
    app.rate_unit.as_ref().map(rate).into()
}

/// A share or an overhead, if there is one.
fn given(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

forms! {
    /// A data placement.
    DATA_VALUE_FORMS "DataValue" {
        Shape::Words(&DATA_WORD_WORDS) => "A word.",
        Shape::Table(&home::TABLE) => "All data, or a share of it, on one node.",
        Shape::Table(&interleave::TABLE) => "A share of the data on all nodes.",
        Shape::Table(&fractions::TABLE) => "A fraction on each node, or \"any\".",
    }
}

words! {
    /// Data placements that a single word describes.
    DATA_WORD_WORDS "DataWord" = DataWord;
}

table! {
    /// All data on one node, or a share of it.
    home "data" "HomeTable" None;
    /// The home node, or "any": explore chooses it.
    HOME = key("home", Shape::Forms(&HOME_FORMS)).required();
    /// The share of the data on that node, the rest is local to each thread. Default: 1, all data.
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
    /// A share of the data spread evenly over all nodes, the rest local to each thread.
    interleave "data" "InterleaveTable" None;
    /// The share that is spread.
    INTERLEAVE = key("interleave", FRACTION).means("a share of the data from 0 to 1", "0.5").required();
}

table! {
    /// A fraction of the data on each node.
    fractions "data" "FractionsTable" None;
    /// One fraction for each node, with a sum of 1; or "any": explore chooses them, in steps of 1/16.
    FRACTIONS = key("fractions", Shape::Forms(&FRACTIONS_FORMS))
        .means("a fraction between 0 and 1", "0.5")
        .required();
}

forms! {
    /// Fractions, or "any".
    FRACTIONS_FORMS "FractionsValue" {
        Shape::List(&NOT_NEGATIVE, 1, 1024) => "One fraction for each node.",
        Shape::Words(&ANY_WORDS) => "Explore chooses the fractions.",
    }
}

/// All forms of `data` as a table.
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
    /// The kernel of a thread.
    KERNEL_WORDS "KernelWord" = Access, KernelName;
}

table! {
    /// Sizes of the problem of a real kernel; each kernel has its own keys, and defaults for all of them.
    problem "[app.problem]" "ProblemTable" Some(TableKind::App);
    /// blackscholes: options. Default: 10000000.
    OPTIONS = key("options", large(1, BlackScholes::MOST_OPTIONS)).means("a number of options", "10_000_000");
    /// blackscholes: number of times that all options are priced. Default: 100.
    RUNS = key("runs", large(1, MOST_REPEATED)).means("how often", "10");
    /// dmv: rows of the square matrix, default 5120; stencil2d and seismic: rows of points, default 8192.
    ROWS = key("rows", large(1, MOST_SIDE)).means("a number of rows or columns of points", "8192");
    /// stencil2d and seismic: columns of points. Default: 8192.
    COLUMNS = key("columns", large(1, MOST_SIDE)).means("a number of rows or columns of points", "8192");
    /// spmv: cells of the crystal along x, y and z, or one number for all; 80 rows for each cell. Default: 4.
    CELLS = key("cells", Shape::Forms(&CELLS_FORMS)).means("a number of cells", "4");
    /// dmv and spmv: pairs of products, default 10; stencil2d and seismic: default 100.
    ITERATIONS = key("iterations", large(1, MOST_REPEATED)).means("how often", "10");
    /// spmv: type of the elements. Default: "complex".
    ELEMENTS = key("elements", Shape::Words(&ELEMENTS_WORDS));
    /// spmv: division of the rows among threads. Default: "equal".
    PARTITION = key("partition", Shape::Words(&PARTITION_WORDS));
    /// spmv: layout of the matrix in memory. Default: "whole".
    STORAGE = key("storage", Shape::Words(&STORAGE_WORDS));
    /// memcpy: MiB of each source and destination, default 4096; chase: MiB per thread, default 256.
    SIZE_MIB = key("size_mib", large(1, Memcpy::MOST_MIB)).means("a size in MiB (2^20 bytes)", "4096");
    /// memcpy: number of copies per thread. Default: 1.
    COPIES = key("copies", large(1, MOST_REPEATED)).means("how often", "10");
    /// memcpy: owner of the source. Default: "shared".
    SOURCE = key("source", Shape::Words(&SOURCE_WORDS));
    /// memcpy: time at which the pages of the destination are first touched. Default: "before".
    FAULTS = key("faults", Shape::Words(&FAULTS_WORDS));
    /// memcpy: method of copying. Default: "streaming".
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
    /// Type of the elements of a sparse matrix.
    ELEMENTS_WORDS "ElementsWord" = Elements;
}

words! {
    /// Number of hardware threads per core of an application.
    SMT_WORDS "SmtWord" = Smt;
}

words! {
    /// Division of the rows among threads.
    PARTITION_WORDS "PartitionWord" = Partition;
}

words! {
    /// Layout of a sparse matrix in memory.
    STORAGE_WORDS "StorageWord" = Storage;
}

words! {
    /// Owner of a source.
    SOURCE_WORDS "SourceWord" = Source;
}

words! {
    /// Time at which pages are first touched.
    FAULTS_WORDS "FaultsWord" = Faults;
}

words! {
    /// Method of copying.
    HOW_WORDS "HowWord" = How;
}

/// Speed of several threads together.
pub const SCALING: Key = key("scaling", Shape::Forms(&SCALING_FORMS))
    .default("linear")
    .documented(" How fast several threads are together.");

forms! {
    /// Speed of several threads together.
    SCALING_FORMS "ScalingValue" {
        Shape::Table(&serial::TABLE) => "By Amdahl's law.",
        Shape::Table(&speedup::TABLE) => "By the speedup of some numbers of threads.",
    }
}

table! {
    /// Amdahl's law: the speedup of n threads is 1 / (s + (1 - s) / n).
    serial "scaling" "SerialTable" None;
    /// s, the share of the work that only one thread can do.
    SERIAL_FRACTION = key("serial_fraction", FRACTION)
        .means("a fraction from 0 to 1", "0.1")
        .required()
        .also(&["serial", "fraction", "amdahl"]);
}

table! {
    /// Speedups of some numbers of threads; linear between them, constant beyond the last one.
    speedup "scaling" "SpeedupTable" None;
    /// Pairs of threads and speedup, from [1, 1.0] up; the speedup never falls and is at most the number of
    /// threads.
    TABLE_OF_SPEEDUPS = key("table", Shape::List(&Shape::List(&POSITIVE, 2, 2), 1, 0))
        .required()
        .also(&["speedup", "points"]);
}

/// All forms of `scaling`.
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

forms! {
    /// Threads on one node.
    ON_NODE_FORMS "ThreadsOnNode" {
        whole(0, u32::MAX as u64) => "As many, dealt over its L3 domains.",
        Shape::List(&whole(0, u32::MAX as u64), 0, 0) => "One entry for each of its L3 domains.",
    }
}

forms! {
    /// Threads of one application in a scenario.
    SCENARIO_THREADS_FORMS "ScenarioThreadsValue" {
        whole(0, u32::MAX as u64) => "This many on every node that has cores.",
        Shape::List(&Shape::Forms(&ON_NODE_FORMS), 0, 0) => "One entry for each node.",
    }
}

/// Threads fill one L3 domain after the other.
pub const PACK: &str = "pack";

words! {
    /// Distribution of threads over L3 domains.
    L3_WORDS "L3Word" {
        PACK => "Domain after domain, each application from where the one before ended.",
    }
}

table! {
    /// One thread placement.
    scenario "[[scenario]]" "ScenarioTable" Some(TableKind::Scenario);
    /// Name of the scenario, unique over all files.
    NAME = key("name", Shape::Name).example("\"even\"").required();
    /// Threads by the name of an application or of one instance; an application without an entry has none.
    /// The entry for a node may be a list with an entry for each of its L3 domains.
    THREADS = key("threads", Shape::Map(&Shape::Forms(&SCENARIO_THREADS_FORMS)))
        .example("{ mem = 1, compute = 5 }")
        .required()
        .also(&["app", "apps", "allocation", "placement", "cores"]);
    /// Data placements that differ in this scenario, by the name of an application or of one instance.
    DATA = key("data", Shape::Map(&Shape::Forms(&DATA_VALUE_FORMS)));
    /// Other hardware threads per core in this scenario, by the name of an application or of one instance: `{
    /// vm = "both" }`.
    SMT = key("smt", Shape::Map(&Shape::Words(&SMT_WORDS)));
    /// Static scheduling: the work of each application is divided equally among its threads in advance, so
    /// its slowest thread decides. Default: false.
    STATIC = key("static", Shape::Flag);
    /// Distribution of threads over L3 domains: "pack" fills one after the other. Default: thread by thread,
    /// each to the domain with the fewest used cores.
    L3 = key("l3", Shape::Words(&L3_WORDS));
}
