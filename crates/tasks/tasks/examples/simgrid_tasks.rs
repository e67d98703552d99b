//! A task graph that SimGrid can also simulate, and our answer: see `results/simgrid-tasks/`.
//!
//! `cargo run --release -p numasim-tasks --features examples --example simgrid_tasks -- NAME SEED graph` writes the graph as text, `...
//! NAME SEED ours` simulates it and prints seconds of the wall clock, tasks, the sum of their ends, and the makespan. The text, one line
//! each:
//!
//! - `node CORES GFLOPS GBS`: per core, of the controller; nodes are numbered from 0;
//! - `link FROM TO GBS`: cores of one node read memory of another;
//! - `comm BYTES HOME LIMIT` or `exec FLOP`: the next task, which reads memory of the node HOME at LIMIT GB/s at most, or computes;
//! - `edge FROM TO`: a task waits for another one.
//!
//! Tasks take tenths of a second: SimGrid treats ends within a nanosecond as one.

use std::time::Instant;

use numasim_graph::Dependencies;
use numasim_graph::values::AccessMode::{In, Inout};
use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, RuntimeSettings, SchedulerSettings, TaskGraph,
    TaskGraphBuilder, Ties,
};
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};
use numasim_model::{Model, ModelKind, NodeId};
use numasim_tasks::{Observer, Question, Run, TaskRecord, simulate};

const NODES: usize = 4;
const CORES: u32 = 16;
const GFLOPS: f64 = 8.0;
const CONTROLLER_GBS: f64 = 100.0;
const LINK_GBS: f64 = 10.0;

struct Random(u64);

impl Random {
    /// The generator SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u32) -> u32 {
        u32::try_from(self.next() % u64::from(count)).expect("below a u32")
    }
}

/// A graph during construction. A block is on the node of its number; a task moves only bytes of its first block, the others determine
/// the order.
struct Tasks(TaskGraphBuilder);

impl Tasks {
    fn new(name: &str, blocks: u32) -> Self {
        let mut graph = TaskGraphBuilder::new(name);
        for number in 0..blocks {
            let home = BlockHome::Node(NodeId(number as usize % NODES));
            graph.block(Block { bytes: 1e9, home }, None).expect("a block");
        }
        Self(graph)
    }

    fn task(&mut self, gflop: f64, bytes: u64, blocks: &[(u32, AccessMode)]) {
        let access = |(place, &(block, mode)): (usize, &(u32, AccessMode))| Access {
            block: BlockId(block),
            mode,
            declared_bytes: 1e9,
            moved_bytes: if place == 0 { bytes as f64 } else { 0.0 },
        };
        let accesses: Vec<Access> = blocks.iter().enumerate().map(access).collect();
        let kind = self.0.kind("work");
        let task = NewTask { kind, gflop, accesses: &accesses, socket: None, taskwait: false, name: None };
        self.0.task(task).expect("a task");
    }
}

/// Gauss-Seidel on 32 x 32 tiles, twice: a wave of up to 32 tasks and another one after it; each moves about 1 GB, at 4 GB/s at most.
fn wavefront(seed: u64) -> TaskGraph {
    let (grid, iterations) = (32, 2);
    let mut tasks = Tasks::new("wavefront", grid * grid);
    let mut random = Random(seed);
    for _ in 0..iterations {
        for tile in 0..grid * grid {
            let (i, j) = (tile / grid, tile % grid);
            let mut blocks = vec![(tile, Inout)];
            blocks.extend((i > 0).then(|| (tile - grid, In)));
            blocks.extend((i + 1 < grid).then(|| (tile + grid, In)));
            blocks.extend((j > 0).then(|| (tile - 1, In)));
            blocks.extend((j + 1 < grid).then(|| (tile + 1, In)));
            let bytes = 500_000_000 + random.next() % 1_000_000_000;
            tasks.task(2e-9 * bytes as f64, bytes, &blocks);
        }
    }
    tasks.0.finish()
}

/// 2000 tasks that write one of 300 blocks and read two others; every fourth only computes, the others demand 2 to 16 GB/s.
fn drawn(seed: u64) -> TaskGraph {
    let blocks = 300;
    let mut tasks = Tasks::new("drawn", blocks);
    let mut random = Random(seed);
    for number in 0..2000 {
        let first = random.below(blocks);
        let mut accesses = vec![(first, Inout)];
        for _ in 0..2 {
            let other = random.below(blocks);
            if accesses.iter().all(|&(block, _)| block != other) {
                accesses.push((other, In));
            }
        }
        let bytes = 500_000_000 + random.next() % 1_000_000_000;
        let intensity = [0.0, 4.0, 1.0, 0.5][number % 4];
        if intensity > 0.0 {
            tasks.task(intensity * 1e-9 * bytes as f64, bytes, &accesses);
        } else {
            tasks.task(1e-9 * bytes as f64, 0, &accesses);
        }
    }
    tasks.0.finish()
}

/// 20,000 tasks that only compute, in 200 chains with links between them: no rate ever changes.
fn compute(seed: u64) -> TaskGraph {
    let blocks = 200;
    let mut tasks = Tasks::new("compute", blocks);
    let mut random = Random(seed);
    for number in 0..20_000 {
        let own = number % blocks;
        let other = (own + 1 + random.below(blocks - 1)) % blocks;
        tasks.task(
            1e-9 * (500_000_000 + random.next() % 1_000_000_000) as f64,
            0,
            &[(own, Inout), (other, In)],
        );
    }
    tasks.0.finish()
}

fn machine() -> Machine {
    let node = Node {
        cores: CORES,
        gflops_per_core: Gflops::new(GFLOPS),
        bandwidth: GigabytesPerSecond::new(CONTROLLER_GBS),
        ..Node::default()
    };
    let machine =
        Machine::uniform("4 x 16", NODES, node, GigabytesPerSecond::new(LINK_GBS)).expect("a machine");
    machine.with_sharing(Model::from(ModelKind::MaxMin))
}

/// Sums up the ends of tasks.
struct Ends(f64);

impl Observer for Ends {
    fn ended(&mut self, record: &TaskRecord) {
        self.0 += record.end_s;
    }
}

fn run(machine: &Machine, graph: &TaskGraph, ends: &mut Ends) -> Run {
    let free = Seconds::new(0.0);
    let runtime = RuntimeSettings {
        creation: free,
        task: free,
        steal: free,
        ties: Ties::Order,
        ..RuntimeSettings::default()
    };
    let scheduler = SchedulerSettings::default();
    let question = Question::new(machine, graph, &scheduler, &runtime);
    simulate(&question, ends).expect("an answer")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seed, what] = arguments.as_slice() else { panic!("NAME SEED graph|ours") };
    let seed = seed.parse().expect("a seed");
    let graph = match name.as_str() {
        "wavefront" => wavefront(seed),
        "drawn" => drawn(seed),
        "compute" => compute(seed),
        _ => panic!("wavefront, drawn or compute"),
    };
    let machine = machine();
    if what == "ours" {
        let begin = Instant::now();
        let mut ends = Ends(0.0);
        let run = run(&machine, &graph, &mut ends);
        println!("seconds {:.9}", begin.elapsed().as_secs_f64());
        println!("tasks {}", graph.task_count());
        println!("ends {:.12}", ends.0);
        println!("makespan {:.15}", run.makespan.value());
        return;
    }
    for from in 0..NODES {
        println!("node {CORES} {GFLOPS} {CONTROLLER_GBS}");
        for to in (0..NODES).filter(|&to| to != from) {
            println!("link {from} {to} {LINK_GBS}");
        }
    }
    let dependencies = Dependencies::of(&graph).expect("few edges");
    for task in graph.tasks() {
        let gflop = graph.gflop(task);
        match graph.accesses(task).next().filter(|access| access.moved_bytes > 0.0) {
            Some(access) => {
                let (bytes, home) = (access.moved_bytes, access.block.0 as usize % NODES);
                println!("comm {bytes} {home} {}", GFLOPS * bytes / gflop / 1e9);
            }
            None => println!("exec {}", gflop * 1e9),
        }
    }
    for task in graph.tasks() {
        dependencies.children(task).iter().for_each(|child| println!("edge {} {}", task.0, child.0));
    }
}
