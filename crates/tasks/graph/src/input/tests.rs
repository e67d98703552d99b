//! Reading tables about tasks.

mod trees;

use std::collections::{BTreeSet, HashMap};

use numasim_model::access::Access as Memory;
use numasim_model::ids::NodeId;
use numasim_model::machine::INSTRUCTION_SETS;
use numasim_model::problem::{Elements, Faults, How, KernelName, Partition, Source, Storage};
use numasim_model::sharing::ModelKind;
use numasim_model::units::Seconds;
use numasim_study::keys::{Shape, Table};
use numasim_study::testing::{self, MACHINE, files};
use numasim_study::{MAX_TEXT_BYTES, Problem, ProblemKind, TableKind};

use super::{Reading, read_study};
use crate::keys::{self, FILE};
use crate::values::{
    Access, AccessMode, BlockHome, BlockId, Generator, GraphSource, LoopShape, Parameter, Partitioner,
    Pattern, RuntimeSettings, SchedulerKind, SchedulerSettings, Submit, TaskBench, TaskGraph, TaskId, Ties,
    VertexWeight,
};

fn read(text: &str) -> Reading {
    read_study(&files(&[text])).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Kind and marked text of each problem.
fn problems(texts: &[&str]) -> Vec<(ProblemKind, String)> {
    testing::problems(texts, read_study)
}

fn problem(text: &str) -> (ProblemKind, String) {
    testing::problem(text, read_study)
}

/// Two nodes of 4 cores and these tables.
fn with(tables: &str) -> String {
    format!("{MACHINE}{tables}\n")
}

fn graph(reading: &Reading) -> &TaskGraph {
    match &reading.further.source {
        GraphSource::Given(graph) => graph,
        other => panic!("no listed tasks: {other:?}"),
    }
}

fn generator(tables: &str) -> Generator {
    match read(&with(tables)).further.source {
        GraphSource::Generated { generator, .. } => generator,
        other => panic!("no generator: {other:?}"),
    }
}

fn found(tables: &str) -> Vec<Problem> {
    read_study(&files(&[&with(tables)])).err().unwrap_or_default()
}

fn message(tables: &str) -> String {
    let mut found = found(tables);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0).message
}

const XY: &str = "[[block]]\nname = \"X\"\nmb = 3.0\nhome = 1\n[[block]]\nname = \"Y\"\nbytes = 1e6\n";

#[test]
fn files_that_say_nothing_of_tasks_have_none_and_no_defaults_of_them() {
    let reading = read(MACHINE);
    assert_eq!(reading.further, crate::values::TaskStudy::default());
    let of_tasks = [TableKind::Task, TableKind::Graph, TableKind::Scheduler, TableKind::Runtime];
    assert!(
        reading.defaults.iter().all(|default| !of_tasks.contains(&default.table) && default.key != "llc_mb")
    );
}

#[test]
fn accesses_count_in_the_order_in_inout_out_whatever_the_order_of_the_file() {
    let text = with(&format!(
        "{XY}[[block]]\nname = \"Z\"\nmb = 0.5\nhome = \"interleave\"\n[[task]]\nname = \"t\"\ntype = \"work\"\ngflop = 1.5\nout = [\"Z\"]\n\
         inout = [\"Y\"]\nin = [\"X\"]\ndeclared_bytes = {{ X = 2e6, Y = 7 }}\nmoved_bytes = {{ X = 1e6 }}\nsocket = 1\ntaskwait = true\n[[task]]\n"
    ));
    let reading = read(&text);
    let graph = graph(&reading);
    let access = |block, mode, declared_bytes, moved_bytes| Access {
        block: BlockId(block),
        mode,
        declared_bytes,
        moved_bytes,
    };
    // Moved bytes are the declared ones by default.
    let expected = [
        access(0, AccessMode::In, 2e6, 1e6),
        access(1, AccessMode::Inout, 7.0, 7.0),
        access(2, AccessMode::Out, 5e5, 5e5),
    ];
    assert_eq!(graph.accesses(TaskId(0)).collect::<Vec<_>>(), expected);
    let homes: Vec<BlockHome> = graph.blocks().iter().map(|block| block.home).collect();
    assert_eq!(homes, [BlockHome::Node(NodeId(1)), BlockHome::Open, BlockHome::Interleaved]);
    let first = TaskId(0);
    assert_eq!((graph.task_name(first), graph.type_name(first)), (Some("t"), "work"));
    assert_eq!(
        (graph.gflop(first), graph.socket(first), graph.taskwait(first)),
        (1.5, Some(NodeId(1)), true)
    );
    let second = TaskId(1);
    assert_eq!((graph.task_name(second), graph.type_name(second), graph.gflop(second)), (None, "task", 0.0));
    assert_eq!(
        (graph.socket(second), graph.taskwait(second), graph.accesses(second).len()),
        (None, false, 0)
    );
    assert_eq!((graph.name(), reading.further.name.as_deref()), ("tasks", None));
}

#[test]
fn tasks_of_several_files_are_created_in_the_order_of_the_files() {
    let machine = with("[graph]\nname = \"two files\"");
    let texts =
        ["[[task]]\nname = \"a\"\nin = [\"X\"]\n", XY, "[[task]]\nname = \"b\"\nout = [\"Y\"]\n", &machine];
    let reading = read_study(&files(&texts)).expect("in order");
    let graph = graph(&reading);
    let names: Vec<Option<&str>> = graph.tasks().map(|task| graph.task_name(task)).collect();
    assert_eq!((names, graph.name()), (vec![Some("a"), Some("b")], "two files"));
}

#[test]
fn what_blocks_and_tasks_leave_out_is_listed_once_with_how_many_do() {
    let reading = read(&with(&format!(
        "{XY}[[task]]\ngflop = 1\nin = [\"X\"]\n[[task]]\ntype = \"a\"\n[[task]]\ntype = \"a\"\n"
    )));
    let listed: Vec<String> = reading
        .defaults
        .iter()
        .filter(|default| matches!(default.table, TableKind::Block | TableKind::Task | TableKind::Graph))
        .map(|default| format!("{} {} = {}", default.table.as_str(), default.key, default.value))
        .collect();
    assert_eq!(
        listed,
        [
            "graph name = tasks",
            "block home = where it is touched first, of 1 of 2 blocks",
            "block created_by = the first task that accesses it",
            "block hint = none",
            "task name = its number",
            "task type = task, of 1 of 3 tasks",
            "task gflop = 0, of 2 of 3 tasks",
            "task declared_bytes = the size of each block, of 1 of 3 tasks",
            "task moved_bytes = declared_bytes, of 1 of 3 tasks",
            "task socket = none",
            "task priority = 0",
            "task taskwait = false",
            "task created_by = the master",
            "task affinity = none",
            "task submit = spawn",
            "task returns = false",
            "task replay = none",
        ]
    );
    assert!(reading.is_default(TableKind::Task, "", "gflop"));
}

#[test]
fn settings_that_no_file_gives_are_listed_with_what_holds() {
    let reading = read(&with("[graph]\ngenerator = \"qr\"\n[scheduler]\nname = \"dep\"\n"));
    let listed: Vec<String> = reading
        .defaults
        .iter()
        .filter(|default| {
            matches!(default.table, TableKind::Graph | TableKind::Scheduler | TableKind::Runtime)
                || ["llc_mb", "distance_matrix"].contains(&default.key.as_str())
        })
        .map(|default| format!("{} {} = {}", default.table.as_str(), default.key, default.value))
        .collect();
    assert_eq!(
        listed,
        [
            "graph n = 16",
            "graph tile = 512",
            "graph init = true",
            "graph name = qr",
            "scheduler window_units = not given",
            "scheduler stride = 2",
            "scheduler window = 1000",
            "scheduler initial_extra = 0",
            "scheduler intersection = 0",
            "scheduler partitioner = recursive",
            "scheduler vertex_weight = one",
            "scheduler partition_ns_per_vertex_edge = the figure of this program",
            "scheduler old_dependencies = false",
            "scheduler immediate_successor = false",
            "scheduler affinity_partitioner = false",
            "scheduler reflection = true",
            "runtime creation_us = 0.5",
            "runtime task_us = 1",
            "runtime steal_us = 1",
            "runtime page_us = 1",
            "runtime throttle = no limit",
            "runtime seed = 1",
            "runtime ties = random",
            "runtime task_spread = 0",
            "machine llc_mb = none",
            "machine distance_matrix = not given",
        ]
    );
}

#[test]
fn every_setting_is_read() {
    let reading = read(&with(
        "[scheduler]\nname = \"rip-mw\"\nstride = 3\nwindow = 50\ninitial_extra = 7\nintersection = 49\npartitioner = \"metis\"\nvertex_weight = \"time\"\n\
         partition_ns_per_vertex_edge = 120.5\nold_dependencies = true\nimmediate_successor = true\naffinity_partitioner = true\nreflection = false\n\
         [runtime]\ncreation_us = 0\nthrottle = 9\ntask_us = 2.5\nsteal_us = 4\npage_us = 0.5\nseed = 0\nties = \"order\"\ntask_spread = 0.25\n",
    ));
    let scheduler = SchedulerSettings {
        kind: SchedulerKind::RipMw,
        stride: 3,
        window: 50,
        initial_extra: 7,
        intersection: 49,
        partitioner: Partitioner::Metis,
        vertex_weight: VertexWeight::Time,
        window_units: None,
        partition_ns_per_vertex_edge: Some(120.5),
        old_dependencies: true,
        immediate_successor: true,
        affinity_partitioner: true,
        reflection: false,
    };
    let runtime = RuntimeSettings {
        creation: Seconds::new(0.0),
        throttle: Some(9),
        task: Seconds::new(2.5e-6),
        steal: Seconds::new(4e-6),
        page: Seconds::new(0.5e-6),
        seed: 0,
        ties: Ties::Order,
        task_spread: 0.25,
    };
    let tasks = &reading.further;
    assert_eq!((&tasks.scheduler, &tasks.runtime, &tasks.source), (&scheduler, &runtime, &GraphSource::None));
}

#[test]
fn every_generator_is_read_with_its_own_parameters_and_the_defaults_of_the_others() {
    for mut default in Generator::defaults() {
        // The machine has two nodes of 4 cores.
        default.settle(&[4, 4]);
        assert_eq!(generator(&format!("[graph]\ngenerator = \"{}\"", default.as_str())), default);
        let mut changed = default.clone();
        let mut text = format!("[graph]\ngenerator = \"{}\"\n", default.as_str());
        for (number, (key, value)) in (2_u64..).zip(changed.parameters_mut()) {
            // Blocks divide rows, and rows and columns points; 5 is a grid between the coarsest and the finest.
            let written = match key {
                "rows" | "n" => 24 * 25,
                "log2" => 5,
                _ => number,
            };
            *value = written * Parameter::find(key).expect("a parameter").unit;
            text.extend([format!("{key} = {written}\n")]);
        }
        for (number, of) in (4_u64..).zip(changed.of_machine_mut()) {
            *of.value = Some(number);
            text.extend([format!("{} = {number}\n", of.key)]);
        }
        if let Some(init) = changed.init_mut() {
            *init = false;
            text.push_str("init = false\n");
        }
        assert_eq!(generator(&text), changed, "{text}");
    }
    let bench = |pattern| TaskBench { pattern, width: 16, steps: 100, radix: 3, flop: 1_000_000, bytes: 16 };
    for pattern in Pattern::ALL {
        let text = format!("[graph]\ngenerator = \"task-bench\"\npattern = \"{}\"", pattern.as_str());
        assert_eq!(generator(&text), Generator::TaskBench(bench(pattern)));
    }
}

#[test]
fn parameters_that_do_not_divide_are_marked_where_they_stand() {
    let rows = problem(&with("[graph]\ngenerator = \"jacobi\"\nrows = 9601"));
    assert_eq!(rows, (ProblemKind::BadValue, "9601".to_owned()));
    let blocks = problem(&with("[graph]\ngenerator = \"cg\"\nblocks = 7"));
    assert_eq!(blocks, (ProblemKind::BadValue, "7".to_owned()));
    assert_eq!(
        message("[graph]\ngenerator = \"jacobi\"\nrows = 9601\nblocks = 7"),
        "`jacobi` cannot divide 9601 `rows` into 7 `blocks`"
    );
}

#[test]
fn mistakes_of_a_task_are_reported_all_at_once() {
    let text = with(&format!(
        "{XY}[[block]]\nname = \"Y\"\nmb = 1\n[[task]]\nname = \"t\"\ngflop = -1\nin = [\"X\", \"Q\"]\nout = [\"X\"]\nsocket = 2\n\
         moved_bytes = {{ Y = 1, X = -2 }}\ntaskwait = 1\n[[task]]\nname = \"t\"\nreads = [\"X\"]\n"
    ));
    let found = problems(&[&text]);
    let expected = [
        (ProblemKind::DuplicateName, "\"Y\""),
        (ProblemKind::BadValue, "-1"),
        (ProblemKind::UnknownName, "\"Q\""),
        (ProblemKind::DuplicateName, "\"X\""),
        (ProblemKind::BadValue, "2"),
        (ProblemKind::BadValue, "Y"),
        (ProblemKind::BadValue, "-2"),
        (ProblemKind::WrongType, "1"),
        (ProblemKind::DuplicateName, "\"t\""),
        (ProblemKind::UnknownKey, "reads"),
    ];
    assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn a_block_without_a_size_is_no_unknown_block() {
    assert_eq!(message("[[block]]\nname = \"X\"\n[[task]]\nin = [\"X\"]"), "the size of a block is missing");
}

#[test]
fn sockets_have_cores_and_homes_exist() {
    let nodes = "[machine]\nname = \"m\"\nbandwidth_matrix_gbs = [[32, 8], [0, 16]]\n[[machine.node]]\ncores = 4\n\
                 gflops_per_core = 10\n[[machine.node]]\ncores = 0\n";
    let tables = |home: u32, socket: u32| {
        format!("{nodes}[[block]]\nname = \"X\"\nmb = 1\nhome = {home}\n[[task]]\nsocket = {socket}\n")
    };
    assert_eq!(
        graph(&read(&tables(1, 0))).blocks().first().map(|block| block.home),
        Some(BlockHome::Node(NodeId(1)))
    );
    assert_eq!(problem(&tables(1, 1)), (ProblemKind::BadValue, "1".to_owned()));
    assert_eq!(problem(&tables(2, 0)), (ProblemKind::BadValue, "2".to_owned()));
}

#[test]
fn blocks_are_on_nodes_with_memory() {
    let nodes = "[machine]\nname = \"m\"\nbandwidth_gbs = 9\nlink_gbs = 8\n[[machine.node]]\ncores = 4\ngflops_per_core = 10\n\
                 [[machine.node]]\ncores = 4\ngflops_per_core = 10\nmemory_gib = 0\n";
    for key in ["home", "hint"] {
        let text = format!("{nodes}[[block]]\nname = \"b\"\nmb = 1\n{key} = 1");
        assert_eq!(problem(&text), (ProblemKind::BadValue, "1".to_owned()));
    }
}

/// The reader queries every declared key, in every table, so that none is accepted and ignored: the hint for an unknown key lists the
/// queried ones.
#[test]
fn every_key_that_is_declared_is_asked_for() {
    let tables: [(&Table, &str); 9] = [
        (&keys::block::TABLE, "[[block]]"),
        (&keys::task::TABLE, "[[task]]"),
        (&keys::graph::TABLE, "[graph]\ngrid = 1"),
        (&keys::scheduler::TABLE, "[scheduler]"),
        (&keys::runtime::TABLE, "[runtime]"),
        (&keys::program::TABLE, "[program]"),
        (&keys::array::TABLE, "[[program.array]]"),
        (&keys::program_loop::TABLE, "[[program.loop]]"),
        (&keys::contender::TABLE, "[contender]"),
    ];
    for (table, header) in tables {
        let found = found(&format!("{header}\nunheard_of = 1"));
        let hint = found.iter().find(|problem| problem.kind == ProblemKind::UnknownKey);
        let hint = hint.and_then(|problem| problem.hint.as_deref()).unwrap_or_else(|| panic!("{found:#?}"));
        let asked: BTreeSet<&str> = hint.split('`').skip(1).step_by(2).collect();
        let declared: BTreeSet<&str> = table.keys.iter().map(|key| key.name).collect();
        assert_eq!(asked, declared, "{header}: {hint}");
    }
}

/// 16 x 16 tiles: 256 tasks an iteration, 257 before the first one. QR of 4 x 4 tiles: 16 blocks, two rows of 4 stay.
#[test]
fn windows_in_units_follow_from_the_generator() {
    for (generator, expected) in [
        ("gauss-seidel", (512, 257, 256)),
        ("gauss-seidel\"\ninit = false\ncontrol = 3\nname = \"g", (512, 3, 256)),
        ("qr\"\nn = 4\nname = \"q", (32, 0, 8)),
        ("jacobi", (300, 152, 150)),
    ] {
        let text = format!("[graph]\ngenerator = \"{generator}\"\n[scheduler]\nwindow_units = 2\n");
        let scheduler = read(&with(&text)).further.scheduler;
        assert_eq!(
            (scheduler.window, scheduler.initial_extra, scheduler.intersection),
            expected,
            "{generator}"
        );
        assert_eq!(scheduler.window_units, Some(2));
    }
    let units = "[scheduler]\nwindow_units = 2\n";
    let none = "`window_units` counts iterations, which only generators have";
    assert_eq!(message(units), none);
    assert_eq!(message(&format!("{units}[graph]\ngenerator = \"ferret\"")), none);
    let twice = format!("{units}window = 5\n[graph]\ngenerator = \"qr\"");
    assert_eq!(message(&twice), "the window is given in two ways");
}

#[test]
fn windows_and_strides_that_lead_nowhere_are_refused() {
    assert_eq!(message("[scheduler]\nstride = 0"), "`stride` must be at least 1, not 0");
    assert_eq!(message("[scheduler]\nwindow = 0"), "`window` must be at least 1, not 0");
    let all = "`intersection` is 1000, but a window has 1000 tasks";
    assert_eq!(message("[scheduler]\nintersection = 1000"), all);
    assert_eq!(
        message("[scheduler]\nwindow = 5\nintersection = 9"),
        "`intersection` is 9, but a window has 5 tasks"
    );
    assert_eq!(message("[runtime]\nthrottle = 0"), "`throttle` must be at least 1, not 0");
    assert_eq!(message("[scheduler]\nname = \"deb\""), {
        let words = "`fifo`, `sa`, `dep`, `rip-dep`, `rip-sp`, `rip-mw`, `random-steal`, `heft`, `tracked`, `tbb`, `tbb-numa`, `hint`, or 4 more";
        format!("`name` must be one of {words}, not \"deb\"")
    });
}

#[test]
fn tasks_are_given_in_one_way() {
    let text = format!("{XY}[graph]\ngenerator = \"qr\"\n");
    assert_eq!(problem(&with(&text)), (ProblemKind::Conflict, "\"qr\"".to_owned()));
    assert_eq!(problem(&with("[graph]\nn = 4\ntile = 2")), (ProblemKind::MissingKey, "n".to_owned()));
    // Without a known generator there are no messages about its parameters.
    assert_eq!(
        problem(&with("[graph]\ngenerator = \"qrr\"\nn = 4")),
        (ProblemKind::BadValue, "\"qrr\"".to_owned())
    );
}

#[test]
fn a_hundred_thousand_tasks_are_read_from_one_file() {
    let mut text = with("[[block]]\nname = \"b0\"\nmb = 1");
    for task in 1..=100_000 {
        text.extend([format!(
            "[[block]]\nname=\"b{task}\"\nmb=1\n[[task]]\nin=[\"b{}\"]\nout=[\"b{task}\"]\n",
            task - 1
        )]);
    }
    assert!(text.len() < MAX_TEXT_BYTES);
    assert_eq!(graph(&read(&text)).access_count(), 200_000);
}

#[test]
fn unknown_blocks_of_a_large_graph_cost_no_time_that_anybody_notices() {
    let name = |number: usize| format!("{}{number}", "b".repeat(150));
    let mut text = with("");
    for number in 0..5_000 {
        text.extend([format!(
            "[[block]]\nname = \"{}\"\nmb = 1\n[[task]]\nin = [\"{}\"]\n",
            name(number),
            name(number + 7_000)
        )]);
    }
    assert_eq!(problems(&[&text]).len(), 201);
}

/// The words of the declarations are those of the values, and the reader accepts all of them.
#[test]
fn the_words_of_declarations_are_those_that_the_reader_knows() {
    fn add(table: &Table, into: &mut HashMap<&'static str, Vec<&'static str>>) {
        table.keys.iter().for_each(|key| add_of(&key.shape, into));
    }
    fn add_of(shape: &Shape, into: &mut HashMap<&'static str, Vec<&'static str>>) {
        match shape {
            Shape::Words(words) => {
                into.insert(words.type_name, words.each().map(|(word, _)| word).collect());
            }
            Shape::Table(table) | Shape::Tables(table, ..) => add(table, into),
            Shape::Map(each) | Shape::List(each, ..) => add_of(each, into),
            Shape::Forms(forms) => forms.forms.iter().for_each(|(form, _)| add_of(form, into)),
            _ => {}
        }
    }
    let mut declared = HashMap::new();
    add(&FILE, &mut declared);
    let words = |name: &str| declared[name].clone();
    assert_eq!(words("PartitionerWord"), Partitioner::ALL.map(Partitioner::as_str));
    assert_eq!(words("ModelKind"), ModelKind::ALL.map(ModelKind::as_str));
    assert_eq!(words("IsaWord"), INSTRUCTION_SETS);
    let kernels = Memory::ALL.map(Memory::as_str).into_iter().chain(KernelName::ALL.map(KernelName::as_str));
    assert_eq!(words("KernelWord"), kernels.collect::<Vec<_>>());
    assert_eq!(words("ElementsWord"), Elements::ALL.map(Elements::as_str));
    assert_eq!(words("PartitionWord"), Partition::ALL.map(Partition::as_str));
    assert_eq!(words("StorageWord"), Storage::ALL.map(Storage::as_str));
    assert_eq!(words("SourceWord"), Source::ALL.map(Source::as_str));
    assert_eq!(words("FaultsWord"), Faults::ALL.map(Faults::as_str));
    assert_eq!(words("HowWord"), How::ALL.map(How::as_str));
    assert_eq!(words("SchedulerWord"), SchedulerKind::ALL.map(SchedulerKind::as_str));
    assert_eq!(words("PatternWord"), Pattern::ALL.map(Pattern::as_str));
    assert_eq!(words("TiesWord"), Ties::ALL.map(Ties::as_str));
    assert_eq!(words("SubmitWord"), Submit::ALL.map(Submit::as_str));
    assert_eq!(words("LoopShapeWord"), LoopShape::ALL.map(LoopShape::as_str));
    assert_eq!(
        words("GeneratorWord"),
        Generator::defaults().iter().map(Generator::as_str).collect::<Vec<_>>()
    );
}

/// The forms of sizes in section 12 of the specification: `nnz 36.1e6`, `points 1e7`, `database 700e6`.
#[test]
fn whole_numbers_of_generators_may_be_written_as_decimal_ones() {
    let read = |text: &str| generator(&format!("[graph]\ngenerator = {text}")).parameters();
    let value =
        |text: &str, key: &str| read(text).iter().find(|(own, _)| *own == key).map(|(_, value)| *value);
    assert_eq!(value("\"npb-cg\"\nnnz = 36.1e6", "nnz"), Some(36_100_000));
    assert_eq!(value("\"streamcluster\"\npoints = 1e7", "points"), Some(10_000_000));
    assert_eq!(value("\"ferret\"\ndatabase = 700e6", "database"), Some(700_000_000));
    assert_eq!(value("\"npb-cg\"\nchunks = 6.4e1", "chunks"), Some(64));
    assert_eq!(value("\"stencil2d\"\nn = 10240.0", "n"), Some(10_240));
    // A size may have a fraction: 2.5 MB are 2,500,000 B, and 0.1 MB 100,000, although 0.1 is no binary number.
    assert_eq!(value("\"nstream\"\nmb = 2.5", "mb"), Some(2_500_000));
    assert_eq!(value("\"nstream\"\nmb = 0.1", "mb"), Some(100_000));
    assert_eq!(value("\"nstream\"\nmb = 3", "mb"), Some(3_000_000));
    for (text, said) in [
        ("\"npb-cg\"\nnnz = 36.15", "`nnz` must be a whole number, but this is a decimal number"),
        ("\"npb-cg\"\nnnz = 1e300", "`nnz` must be at most 9007199254740992, not 1e300"),
        ("\"npb-cg\"\nnnz = -1e7", "`nnz` must be at least 1, not -1e7"),
        ("\"npb-cg\"\nnnz = nan", "`nnz` must be a whole number, but this is a decimal number"),
        ("\"nstream\"\nmb = 1e-7", "`mb` must be a whole number of bytes, not 1e-7"),
        ("\"nstream\"\nmb = 2.0000005", "`mb` must be a whole number of bytes, not 2.0000005"),
        ("\"nstream\"\nmb = 1e20", "`mb` must be at most 9007199254, not 1e20"),
        ("\"nstream\"\nmb = 0", "`mb` must be a finite number above 0, not 0"),
    ] {
        assert_eq!(message(&format!("[graph]\ngenerator = {text}")), said);
    }
}
