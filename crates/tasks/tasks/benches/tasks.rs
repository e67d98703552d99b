//! Number of simulated tasks per second.
//!
//! Run with `cargo bench -p numasim-tasks`; items are tasks. The aims, on one core and for 4 nodes x 16 cores: 200,000 tasks/s if tasks
//! contend for controllers and links, 1,000,000 if they only compute; and that a task costs the same in small and large graphs.

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, RuntimeSettings, SchedulerKind,
    SchedulerSettings, TaskGraph, TaskGraphBuilder,
};
use numasim_model::NodeId;
use numasim_model::machine::{LastLevelCache, Machine, Node, SharedLink};
use numasim_model::sharing_model::{Model, ModelKind, Parameters};
use numasim_model::units::{Gflops, GigabytesPerSecond, Megabytes};
use numasim_tasks::{Question, Silent, simulate};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const MB: f64 = 1e6;
const TASKS: u32 = 100_000;

fn main() {
    divan::main();
}

/// Each core can process 10 GB/s at 1 FLOP per byte; all cores of a node together have 60.
fn machine(llc_mb: f64) -> Machine {
    let node = Node {
        cores: 16,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(60.0),
        core_bandwidth: Some(GigabytesPerSecond::new(12.0)),
        ..Node::default()
    };
    let cache = LastLevelCache { size: Megabytes::new(llc_mb), core_bandwidth: None };
    Machine::uniform("4 x 16", 4, node, GigabytesPerSecond::new(15.0))
        .expect("a machine")
        .with_caches(vec![Some(cache).filter(|_| llc_mb > 0.0); 4])
        .expect("four caches")
}

/// The same with 4 outstanding lines per thread, at 80 ns or 134 ns: tasks wait for memory and hardly for each other.
fn latency_bound() -> Machine {
    let latencies = (0..16).map(|pair| if pair / 4 == pair % 4 { 80.0 } else { 134.0 }).collect();
    let parameters = Parameters { outstanding_lines: Some(4.0), ..Parameters::default() };
    let machine = machine(0.0).with_latencies_ns(latencies).expect("latencies");
    machine.with_sharing(Model { parameters, ..Model::default() })
}

/// Two packages of four nodes with 8 cores and a cache of 16.78 MB each, like an EPYC 7501: all links between the packages share one, and
/// bytes wait in queues that depend on each other.
fn two_packages() -> Machine {
    let node = Node {
        cores: 8,
        gflops_per_core: Gflops::new(16.0),
        bandwidth: GigabytesPerSecond::new(42.7),
        core_bandwidth: Some(GigabytesPerSecond::new(21.58)),
        ..Node::default()
    };
    let cache = LastLevelCache { size: Megabytes::new(16.78), core_bandwidth: None };
    let [one, other] = [0..4, 4..8].map(|nodes| nodes.map(NodeId).collect());
    let shared = SharedLink {
        name: "between".to_owned(),
        bandwidth: GigabytesPerSecond::new(76.0),
        from: one,
        to: other,
        both_ways: true,
    };
    Machine::uniform("8 x 8", 8, node, GigabytesPerSecond::new(19.0))
        .expect("a machine")
        .with_shared_links(vec![shared])
        .expect("two groups")
        .with_caches(vec![Some(cache); 8])
        .expect("eight caches")
        .with_sharing(ModelKind::Ecm.into())
}

fn access(block: BlockId, mode: AccessMode, bytes: f64) -> Access {
    Access { block, mode, declared_bytes: bytes, moved_bytes: bytes }
}

struct Making(TaskGraphBuilder);

impl Making {
    fn new() -> Self {
        Self(TaskGraphBuilder::new("bench"))
    }

    fn blocks(&mut self, count: u32, bytes: f64) -> Vec<BlockId> {
        let block = Block { bytes, home: BlockHome::Open };
        (0..count).map(|_| self.0.block(block, None).expect("a block")).collect()
    }

    fn task(&mut self, gflop: f64, accesses: &[Access]) {
        let kind = self.0.kind("work");
        let task = NewTask { kind, gflop, accesses, socket: None, taskwait: false, name: None };
        self.0.task(task).expect("a task");
    }
}

/// 256 chains of tasks that each read and write one block.
fn chains(tasks: u32) -> TaskGraph {
    let mut graph = Making::new();
    let blocks = graph.blocks(256, MB);
    for task in 0..tasks {
        let bytes = 2.0 * MB;
        graph.task(1e-3, &[access(blocks[task as usize % 256], AccessMode::Inout, bytes)]);
    }
    graph.0.finish()
}

/// 64 triads: a += b + s c, as the generator `nstream`.
fn triads(tasks: u32) -> TaskGraph {
    let mut graph = Making::new();
    let [a, b, c] = [(); 3].map(|()| graph.blocks(64, 16.0 * MB));
    for arrays in a.iter().zip(&b).zip(&c) {
        for block in [arrays.0.0, arrays.0.1, arrays.1] {
            graph.task(0.0, &[access(*block, AccessMode::Out, 16.0 * MB)]);
        }
    }
    for task in 0..tasks as usize {
        let k = task % 64;
        let reads = [b[k], c[k]].map(|block| access(block, AccessMode::In, 16.0 * MB));
        graph.task(4e-3, &[access(a[k], AccessMode::Inout, 32.0 * MB), reads[0], reads[1]]);
    }
    graph.0.finish()
}

/// Sweeps over 16 x 16 tiles, as the generator `gauss-seidel`.
fn stencil(tasks: u32) -> TaskGraph {
    sweeps(tasks, 1.0)
}

/// The same, moving this fraction of the bytes.
fn sweeps(tasks: u32, part: f64) -> TaskGraph {
    const SIDE: usize = 16;
    let mut graph = Making::new();
    let (tile, border) = (2.0 * MB, 4096.0);
    let tiles = graph.blocks(256, tile);
    for &block in &tiles {
        graph.task(0.0, &[access(block, AccessMode::Out, tile)]);
    }
    for task in 0..tasks as usize {
        let (i, j) = (task % 256 / SIDE, task % SIDE);
        let mut accesses = vec![access(tiles[SIDE * i + j], AccessMode::Inout, 2.0 * part * tile)];
        let neighbours = [(i.wrapping_sub(1), j), (i + 1, j), (i, j.wrapping_sub(1)), (i, j + 1)];
        for (i, j) in neighbours.into_iter().filter(|&(i, j)| i < SIDE && j < SIDE) {
            let halo =
                Access { moved_bytes: part * border, ..access(tiles[SIDE * i + j], AccessMode::In, tile) };
            accesses.push(halo);
        }
        graph.task(1e-3, &accesses);
    }
    graph.0.finish()
}

/// 256 chains of tasks that only compute, of different lengths.
fn computing(tasks: u32) -> TaskGraph {
    let mut graph = Making::new();
    let blocks = graph.blocks(256, 0.0);
    for task in 0..tasks {
        let gflop = 1e-3 * f64::from(1 + task * 7919 % 101);
        graph.task(gflop, &[access(blocks[task as usize % 256], AccessMode::Inout, 0.0)]);
    }
    graph.0.finish()
}

fn bench(bencher: Bencher<'_, '_>, kind: SchedulerKind, machine: &Machine, graph: &TaskGraph) {
    let scheduler = SchedulerSettings { kind, ..SchedulerSettings::default() };
    let runtime = RuntimeSettings::default();
    let question = Question::new(machine, graph, &scheduler, &runtime);
    bencher.counter(ItemsCount::new(graph.task_count())).bench(|| simulate(&question, &mut Silent));
}

const KINDS: [&str; 3] = ["fifo", "dep", "random-steal"];

fn kind(name: &str) -> SchedulerKind {
    SchedulerKind::from_word(name).expect("a scheduler")
}

/// One memory each.
#[divan::bench(args = KINDS, sample_count = 5)]
fn contended_chains(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &machine(0.0), &chains(TASKS));
}

/// Up to three memories each.
#[divan::bench(args = KINDS, sample_count = 5)]
fn contended_triads(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &machine(0.0), &triads(TASKS));
}

/// Up to five blocks each.
#[divan::bench(args = KINDS, sample_count = 5)]
fn contended_stencil(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &machine(0.0), &stencil(TASKS));
}

/// The same with max-min rates.
#[divan::bench(args = KINDS, sample_count = 5)]
fn max_min_stencil(bencher: Bencher<'_, '_>, name: &str) {
    let machine = machine(0.0).with_sharing(ModelKind::MaxMin.into());
    bench(bencher, kind(name), &machine, &stencil(TASKS));
}

/// The same with tasks that wait for memory.
#[divan::bench(args = KINDS, sample_count = 5)]
fn latency_bound_stencil(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &latency_bound(), &stencil(TASKS));
}

/// The same with caches of 20 MB.
#[divan::bench(args = KINDS, sample_count = 5)]
fn contended_stencil_with_caches(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &machine(20.0), &stencil(TASKS));
}

/// The same with hardly any two tasks alike, all of which wait in queues that depend on each other.
#[divan::bench(args = KINDS, sample_count = 3)]
fn waiting_stencil_with_caches(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &two_packages(), &stencil(TASKS / 10));
}

#[divan::bench(args = KINDS, sample_count = 5)]
fn compute_bound(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, kind(name), &machine(0.0), &computing(TASKS));
}

#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 3)]
fn compute_bound_by_size(bencher: Bencher<'_, '_>, tasks: u32) {
    bench(bencher, SchedulerKind::Fifo, &machine(0.0), &computing(tasks));
}

#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 3)]
fn contended_by_size(bencher: Bencher<'_, '_>, tasks: u32) {
    bench(bencher, SchedulerKind::Fifo, &machine(0.0), &chains(tasks));
}

/// Whole graphs up to the largest, from their construction to the last task: with 10^7 the peak of the allocations listed must stay below
/// 4 GiB, with 48 million accesses and all tasks created long before most of them run.
///
/// On a virtual machine with 2 cores (Intel Xeon), 8 other programs running on it, one run of `cargo bench -p numasim-tasks --
/// whole_by_size`:
///
/// | tasks | us per task | peak of allocations |
/// |---|---|---|
/// | 10^4 | 1.85 | 1.6 MB |
/// | 10^5 | 2.05 | 12.7 MB |
/// | 10^6 | 1.95 | 136 MB |
/// | 10^7 | 1.97 | 1.32 GB |
#[divan::bench(args = [10_000, 100_000, 1_000_000, 10_000_000], sample_count = 1, sample_size = 1)]
fn whole_by_size(bencher: Bencher<'_, '_>, tasks: u32) {
    let machine = machine(0.0);
    let scheduler = SchedulerSettings { kind: SchedulerKind::Dep, ..SchedulerSettings::default() };
    let runtime = RuntimeSettings::default();
    bencher.counter(ItemsCount::new(tasks)).bench(|| {
        let graph = sweeps(tasks - 256, 0.0);
        let question = Question::new(&machine, &graph, &scheduler, &runtime);
        simulate(&question, &mut Silent)
    });
}
