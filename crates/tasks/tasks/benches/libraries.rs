//! Speed of the libraries with deques and mailboxes, compared with one queue. The aim: at least 60 % of the tasks/s of `fifo`.
//!
//! Run with `cargo bench -p numasim-tasks --bench libraries`; words after `--` select programs and schedulers, `fifo` always runs. Each
//! line is a program of 100,000 tasks on 4 nodes x 16 cores under each scheduler in turn, repeatedly, so that other load on this host
//! affects all of them alike. Values: 10^3 tasks/s, the median of the rounds; the median of the ratios to `fifo` in the same round;
//! different times at which tasks end, per task. An instant has a cost, regardless of the number of ends in it: a scheduler under which
//! many tasks end together looks faster.
//!
//! **Loops that read miss the aim.** On a virtual machine with 2 cores (Intel Xeon), CPU time, five pairs (95 % intervals): `tbb` 0.37
//! [0.31, 0.44] of `fifo`, `tbb-numa` 0.47 [0.38, 0.56]. Under `fifo` 32 pieces end in one instant: it solves rates 1552 times for 99,231
//! tasks. Under `tbb` ranges unfold on the way and pieces begin when they are stolen, each at a different time: 92,924 times. Of 0.57 us
//! for a task under `tbb`, 0.25 us are those of the same loops without bytes. The rest is 0.34 us for each time that rates are solved:
//! one flow comes or goes, and the readers of the same memory, 16 of 64 flows, are examined; 1.6 rates change. `fifo` takes 0.22 us for a
//! task in total, so the aim would leave 0.12 us. If both solve equally often (chains, pipelines), `tbb` has 0.89 and 0.97 of the tasks/s
//! of `fifo`.

use std::time::Instant;

use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, RuntimeSettings, SchedulerKind,
    SchedulerSettings, Submit, TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
};
use numasim_model::NodeId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_tasks::{Observer, Question, Silent, TaskRecord, simulate};

const ROUNDS: usize = 15;
const TASKS: u32 = 100_000;
/// Pieces of a loop: 8 for each worker.
const CHUNKS: u32 = 512;
const MB: f64 = 1e6;

fn machine() -> Machine {
    let node = Node {
        cores: 16,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(60.0),
        core_bandwidth: Some(GigabytesPerSecond::new(12.0)),
        ..Node::default()
    };
    Machine::uniform("4 x 16", 4, node, GigabytesPerSecond::new(15.0)).expect("a machine")
}

/// A tree program during construction.
struct Making {
    graph: TaskGraphBuilder,
    blocks: Vec<BlockId>,
    /// Work of a piece, 10^9 FLOP, and bytes that it moves.
    gflop: f64,
    bytes: f64,
    /// Whether tasks of the master wait for all before them.
    waits: bool,
}

impl Making {
    fn new(gflop: f64, bytes: f64, waits: bool) -> Self {
        let mut graph = TaskGraphBuilder::new("bench");
        let home = |chunk: u32| BlockHome::Node(NodeId((4 * chunk / CHUNKS) as usize));
        let blocks = (0..CHUNKS)
            .map(|chunk| graph.block(Block { bytes, home: home(chunk) }, None).expect("a block"))
            .collect();
        Self { graph, blocks, gflop, bytes, waits }
    }

    fn task(&mut self, creator: Option<TaskId>, lo: u32, hi: u32, submit: Submit) -> TaskId {
        let kind = self.graph.kind("work");
        let is_piece = hi - lo == 1;
        let bytes = self.bytes;
        let accesses: &[Access] = &[Access {
            block: self.blocks[lo as usize],
            mode: AccessMode::Inout,
            declared_bytes: bytes,
            moved_bytes: bytes,
        }];
        let node = |chunk: u32| 4 * chunk / CHUNKS;
        let key = format!("{lo}-{hi}");
        let tree = TreeTask {
            created_by: creator,
            affinity: (node(lo) == node(hi - 1)).then_some(NodeId(node(lo) as usize)),
            returns: !is_piece,
            replay: Some(&key),
            submit,
            ..TreeTask::default()
        };
        let task = NewTask {
            kind,
            // Different lengths, so that each end is a separate event.
            gflop: if is_piece { self.gflop * f64::from(1 + lo * 7919 % 101) } else { 0.0 },
            accesses: if is_piece { accesses } else { &[] },
            socket: None,
            taskwait: self.waits && creator.is_none(),
            name: None,
        };
        self.graph.tree_task(task, tree).expect("a task")
    }

    fn range(&mut self, creator: Option<TaskId>, lo: u32, hi: u32) {
        let task = self.task(creator, lo, hi, Submit::Spawn);
        if hi - lo > 1 {
            let mid = u32::midpoint(lo, hi);
            self.range(Some(task), lo, mid);
            self.range(Some(task), mid, hi);
        }
    }
}

/// Parallel loops, as `parallel_for` unfolds them.
fn loops(gflop: f64, bytes: f64) -> TaskGraph {
    let mut making = Making::new(gflop, bytes, true);
    for _ in 0..TASKS / (2 * CHUNKS - 1) {
        making.range(None, 0, CHUNKS);
    }
    making.graph.finish()
}

/// Chains of ten tasks each, every second of them detached to the next node.
fn pipelines(gflop: f64, bytes: f64) -> TaskGraph {
    let mut making = Making::new(gflop, bytes, false);
    for item in 0..TASKS / 10 {
        let mut last = None;
        for stage in 0..10 {
            let chunk = (item + stage / 2 * CHUNKS / 4) % CHUNKS;
            last = Some(making.task(last, chunk, chunk + 1, Submit::Detach));
        }
    }
    making.graph.finish()
}

/// 256 chains of tasks that the master creates.
fn chains(gflop: f64, bytes: f64) -> TaskGraph {
    let mut making = Making::new(gflop, bytes, false);
    let kind = making.graph.kind("work");
    for number in 0..TASKS {
        let block = making.blocks[number as usize % 256];
        let accesses = [Access { block, mode: AccessMode::Inout, declared_bytes: bytes, moved_bytes: bytes }];
        let gflop = gflop * f64::from(1 + number * 7919 % 101);
        let task = NewTask { kind, gflop, accesses: &accesses, socket: None, taskwait: false, name: None };
        making.graph.task(task).expect("a task");
    }
    making.graph.finish()
}

/// Counts times at which tasks end.
#[derive(Default)]
struct Ends {
    last_s: f64,
    count: u64,
}

impl Observer for Ends {
    fn ended(&mut self, record: &TaskRecord) {
        self.count += u64::from(record.end_s > self.last_s);
        self.last_s = record.end_s;
    }
}

/// Seconds of a simulation.
fn seconds(
    machine: &Machine,
    graph: &TaskGraph,
    (name, kind, is_partitioned): Contestant,
    observer: &mut dyn Observer,
) -> f64 {
    let scheduler =
        SchedulerSettings { kind, affinity_partitioner: is_partitioned, ..SchedulerSettings::default() };
    // The number of items in progress equals the tokens of the paper's pipelines.
    let runtime = RuntimeSettings { throttle: Some(128), ..RuntimeSettings::default() };
    let question = Question::new(machine, graph, &scheduler, &runtime);
    let begin = Instant::now();
    let run = simulate(&question, observer).expect(name);
    let seconds = begin.elapsed().as_secs_f64();
    assert!(run.makespan.value() > 0.0);
    seconds
}

type Contestant = (&'static str, SchedulerKind, bool);

const CONTESTANTS: [Contestant; 8] = [
    ("fifo", SchedulerKind::Fifo, false),
    ("tbb", SchedulerKind::Tbb, false),
    ("tbb ap", SchedulerKind::Tbb, true),
    ("tbb-numa", SchedulerKind::TbbNuma, false),
    ("hint", SchedulerKind::Hint, false),
    ("arena", SchedulerKind::ArenaPerNode, false),
    ("taskloop", SchedulerKind::TaskloopAffinity, false),
    ("static", SchedulerKind::Static, false),
];

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_chosen = |all: &[&str], name: &str| {
        let mut chosen =
            words.iter().filter(|word| all.iter().any(|name| name.contains(word.as_str()))).peekable();
        chosen.peek().is_none() || chosen.any(|word| name.contains(word.as_str()))
    };
    let machine = machine();
    let programs = [
        ("chains that compute", chains(1e-4, 0.0)),
        ("chains that read", chains(1e-4, MB)),
        ("loops that compute", loops(1e-4, 0.0)),
        ("loops that read", loops(1e-4, MB)),
        ("pipelines that compute", pipelines(1e-4, 0.0)),
        ("pipelines that read", pipelines(1e-4, MB)),
    ];
    let names = programs.each_ref().map(|(name, _)| *name);
    let schedulers = CONTESTANTS.map(|(name, ..)| name);
    let contestants: Vec<Contestant> = CONTESTANTS
        .into_iter()
        .filter(|(name, ..)| *name == "fifo" || is_chosen(&schedulers, name))
        .collect();
    for (name, graph) in programs.iter().filter(|(name, _)| is_chosen(&names, name)) {
        let mut times = vec![Vec::new(); contestants.len()];
        for _ in 0..ROUNDS {
            for (times, &contestant) in times.iter_mut().zip(&contestants) {
                times.push(seconds(&machine, graph, contestant, &mut Silent));
            }
        }
        println!("{name}, {} tasks", graph.task_count());
        for (own, &settings) in times.iter().zip(&contestants) {
            let contestant = settings.0;
            let thousand = graph.task_count() as f64 / median(own.clone()) / 1e3;
            let ratios = own.iter().zip(&times[0]).map(|(own, fifo)| fifo / own).collect();
            let mut ends = Ends::default();
            seconds(&machine, graph, settings, &mut ends);
            let ends = ends.count as f64 / graph.task_count() as f64;
            println!("  {contestant:9} {thousand:8.0}  {:5.2} of fifo  {ends:5.2}", median(ratios));
        }
    }
}
