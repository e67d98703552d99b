//! A time before which no schedule of a graph is over, and what takes so long.
//!
//! # What holds of every schedule
//! Sharing models give no thread more than it wants, nor more than memories, links and cores have. Whoever decides, and whatever it
//! decides:
//!
//! 1. **Compute, memories.** No work begins before the first task is created and taken. From then on all FLOP pass through the peaks of all
//!    cores, and all bytes that no cache can serve through the controllers of all memories.
//! 2. **Memory.** Bytes of blocks whose home is fixed come from the controller of that node, wherever their readers run.
//! 3. **Alone.** With the machine to itself, on the best of all nodes, a task is no faster than its FLOP and its bytes let it be (`alone`).
//!    The sum over all tasks fits into workers x time.
//! 4. **Path.** The master creates one task after the other, when all blocks are where the placement `nadd` moves them; other tasks are
//!    created when their creator ends; a task begins when it is created and its parents have ended (`path`).
//!
//! The bound is the largest of these. Where a node has a last-level cache, an access counts as bytes from a memory only if it surely is one:
//! the block is larger than every cache, or nobody accessed it before.
//!
//! Rounding: events that come at most 1e-9 (relative) later belong to an instant, so that each end may come that much earlier than
//! this bound reckons with ([`rounding`]).

use numasim_graph::Dependencies;
use numasim_graph::values::TaskId;
use numasim_model::NodeId;
use numasim_model::units::Seconds;

use crate::migration::migration;
use crate::question::Question;
use crate::spread::Spread;
use alone::Alone;

mod alone;
mod path;

/// A time before which no schedule is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// Since the beginning.
    pub makespan: Seconds,
    /// What takes so long.
    pub because_of: Limit,
}

/// What cannot be faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// There are no tasks.
    Nothing,
    /// All cores together have that much to compute.
    Compute,
    /// All workers together are busy for that long with tasks that are as fast as they can be.
    Workers,
    /// All memories together have that much to deliver.
    Memories,
    /// The memory of this node has that much to deliver.
    Memory(NodeId),
    /// A chain of tasks that ends with this one, from the beginning.
    Chain(TaskId),
    /// The master creates so many tasks before a chain that ends with this one can go on.
    Creation(TaskId),
}

impl Limit {
    /// The word for it in JSON and CSV.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Compute => "compute",
            Self::Workers => "workers",
            Self::Memories => "memories",
            Self::Memory(_) => "memory",
            Self::Chain(_) => "chain",
            Self::Creation(_) => "creation",
        }
    }
}

/// By which part of itself a makespan may be below its bound: 1e-9 for each creation, begin and end of `tasks` tasks.
pub fn rounding(tasks: usize) -> f64 {
    1e-9 * (3 * tasks + 1) as f64
}

/// A lower bound on the makespan of every schedule of `question`, whoever decides. Work that is spread (`task_spread`) is that of the
/// question's seed.
pub fn lower_bound(question: &Question, dependencies: &Dependencies) -> LowerBound {
    let graph = question.graph;
    let machine = question.machine;
    if graph.task_count() == 0 {
        return LowerBound { makespan: Seconds::default(), because_of: Limit::Nothing };
    }
    let mut alone = Alone::new(question);
    let mut spread = Spread::new(question.runtime);
    let mut sums = Sums { on_node_bytes: vec![0.0; machine.node_count()], ..Sums::default() };
    let mut least_s = Vec::with_capacity(graph.task_count());
    for task in graph.tasks() {
        let factor = spread.factor(task);
        alone.look_at(task);
        let seconds = alone.least_s() * factor + question.runtime.task.value();
        sums.add(&alone, graph.gflop(task), factor);
        sums.worker_s += seconds;
        least_s.push(seconds);
    }
    let master = machine.compute_nodes().next().unwrap_or(NodeId(0));
    let moved_s = migration(question, master).value();
    let begin_s = moved_s + question.runtime.creation.value();
    let work_begins_s = begin_s + question.runtime.task.value();
    let nodes = machine.nodes();
    let peak: f64 = nodes.iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum();
    let delivered_gbs: f64 = nodes.iter().map(|node| node.bandwidth.value()).sum();
    let (chain, creation) = path::longest(question, dependencies, moved_s, &least_s);
    let whole = [
        (work_begins_s + sums.gflop / peak, Limit::Compute),
        (work_begins_s + sums.bytes / 1e9 / delivered_gbs, Limit::Memories),
        (begin_s + sums.worker_s / machine.total_cores() as f64, Limit::Workers),
        (chain.0, Limit::Chain(chain.1)),
        (creation.0, Limit::Creation(creation.1)),
    ];
    let memory = |(node, bytes): (NodeId, &f64)| {
        let gbs = machine.node(node).bandwidth.value();
        (work_begins_s + bytes / 1e9 / gbs, Limit::Memory(node))
    };
    let single = machine.memory_nodes().map(|node| memory((node, &sums.on_node_bytes[node.0])));
    let mut bound = LowerBound { makespan: Seconds::default(), because_of: Limit::Compute };
    for (seconds, because_of) in whole.into_iter().chain(single) {
        // A later one is named only if it says more, not for what adding up in another order makes of equal numbers.
        if seconds > bound.makespan.value() * (1.0 + 1e-12) {
            bound = LowerBound { makespan: Seconds::new(seconds), because_of };
        }
    }
    bound
}

/// What all tasks need together.
#[derive(Default)]
struct Sums {
    gflop: f64,
    worker_s: f64,
    /// Bytes that surely come from some memory.
    bytes: f64,
    /// Of these, per node, what surely comes from its memory.
    on_node_bytes: Vec<f64>,
}

impl Sums {
    fn add(&mut self, alone: &Alone, gflop: f64, factor: f64) {
        self.gflop += gflop * factor;
        self.bytes += alone.bytes() * factor;
        let fixed = alone.fixed_bytes();
        self.on_node_bytes.iter_mut().zip(fixed).for_each(|(sum, bytes)| *sum += bytes * factor);
    }
}
