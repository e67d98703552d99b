//! A lower bound on the makespan of every schedule of a graph, and the bottleneck that determines it.
//!
//! # Properties of every schedule
//! Sharing models give no thread more than it requests, nor more than memories, links and cores have. For every scheduler and every
//! decision:
//!
//! 1. **Compute, memories.** No work begins before the first task is created and taken. From then on all FLOP pass through the peaks of
//!    all cores, and all bytes that no cache can serve through the controllers of all memories.
//! 2. **Memory.** Bytes of blocks whose home is fixed come from the controller of that node, wherever their readers run.
//! 3. **Alone.** With the machine to itself, on the best of all nodes, a task is no faster than its FLOP and its bytes permit (`alone`).
//!    The sum over all tasks fits into workers x time.
//! 4. **Path.** The master creates one task after the other, when all blocks are at the nodes to which the placement `nadd` moves them.
//!    Other tasks are created when their creator ends. A task begins when it is created and its parents have ended (`path`).
//!
//! The bound is the largest of these. If a node has a last-level cache, the bytes of a block come from memory at least once, however
//! large the cache is: two readers at a time share it. An access counts as bytes from a memory only if it is certainly the first. Bytes
//! that no such access touches count once for all memories together, and for the node of the block.
//!
//! Rounding: events that come at most 1e-9 (relative) later belong to an instant, so each end may come earlier than in this bound by that
//! fraction ([`rounding`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_graph::Dependencies;
use numasim_graph::values::{Access, BlockHome, BlockId, PagePlacement, TaskId};
use numasim_model::units::{GigabytesPerSecond, Seconds};
use numasim_model::{Machine, NodeId};

use crate::question::Question;
use crate::random::Spread;
use crate::sockets::{interleave, migration};

/// A time before which no schedule can end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// Time since the beginning.
    pub makespan: Seconds,
    /// The bottleneck that determines it.
    pub because_of: Limit,
}

/// A bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// There are no tasks.
    Nothing,
    /// The computation on all cores together takes this time.
    Compute,
    /// The tasks at their highest speed keep all workers together busy for this time.
    Workers,
    /// Reading from all memories together takes this time.
    Memories,
    /// Reading from the memory of this node takes this time.
    Memory(NodeId),
    /// A chain of tasks that ends with this one, from the beginning.
    Chain(TaskId),
    /// The number of tasks that the master must create before a chain that ends with this one can continue.
    Creation(TaskId),
}

impl Limit {
    /// Its word in JSON and CSV.
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

/// The relative amount by which a makespan may be below its bound: 1e-9 for each creation, begin and end of `tasks` tasks.
pub fn rounding(tasks: usize) -> f64 {
    1e-9 * (3 * tasks + 1) as f64
}

/// A lower bound on the makespan of every schedule of `question`, for every scheduler. Varied work (`task_spread`) is that of the
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
    let mut once = Once::new(&alone);
    let mut least_s = Vec::with_capacity(graph.task_count());
    for task in graph.tasks() {
        let factor = spread.factor(task);
        alone.look_at(task, &mut once, factor);
        let seconds = alone.least_s() * factor + question.runtime.task.value();
        sums.add(&alone, graph.gflop(task), factor);
        sums.worker_s += seconds;
        least_s.push(seconds);
    }
    once.add_to(&mut sums, &alone);
    let master = machine.compute_nodes().next().unwrap_or(NodeId(0));
    let moved_s = migration(question, master).value();
    let begin_s = moved_s + question.runtime.creation.value();
    let work_begins_s = begin_s + question.runtime.task.value();
    let nodes = machine.nodes();
    let peak: f64 = nodes.iter().map(|node| node.gflops_per_core.value() * f64::from(node.cores)).sum();
    let delivered_gbs: f64 = nodes.iter().map(|node| node.bandwidth.value()).sum();
    let (chain, creation) = longest(question, dependencies, moved_s, &least_s);
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
        // A later bottleneck is named only if its bound is really higher: summation in another order can make equal numbers differ.
        if seconds > bound.makespan.value() * (1.0 + 1e-12) {
            bound = LowerBound { makespan: Seconds::new(seconds), because_of };
        }
    }
    bound
}

/// The requirements of all tasks together.
#[derive(Default)]
struct Sums {
    gflop: f64,
    worker_s: f64,
    /// Bytes that certainly come from some memory.
    bytes: f64,
    /// Part of these per node: bytes that certainly come from its memory.
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

/// With caches: the part of each block that has to come from memory once, regardless of the task.
struct Once {
    /// Per block: the most bytes that a task touches, those that the first task certainly touches, and the least factor of a task's work.
    /// Without caches, no entries.
    blocks: Vec<(f64, f64, f64)>,
}

impl Once {
    fn new(alone: &Alone) -> Self {
        let count = if alone.has_caches { alone.seen.len() } else { 0 };
        Self { blocks: vec![(0.0, 0.0, f64::INFINITY); count] }
    }

    /// A task accesses a block; `is_first`: certainly before all others.
    fn add(&mut self, question: &Question, access: &Access, is_first: bool, factor: f64) {
        let number = access.block.0 as usize;
        let size = question.graph.blocks().get(number).map_or(0.0, |block| block.bytes);
        if let Some((most, first, least)) = self.blocks.get_mut(number) {
            let touched = access.moved_bytes.min(size);
            *most = most.max(touched);
            *least = least.min(factor);
            if is_first {
                *first = touched;
            }
        }
    }

    /// Another task is the first to touch the bytes after those that the first task touches. It moves each of them at least once.
    fn add_to(&self, sums: &mut Sums, alone: &Alone) {
        for (block, &(most, first, factor)) in (0..).map(BlockId).zip(&self.blocks) {
            let bytes = (most - first) * factor;
            if !(bytes > 0.0 && bytes.is_finite()) {
                continue;
            }
            sums.bytes += bytes;
            match alone.home(block) {
                BlockHome::Open => {}
                BlockHome::Node(NodeId(node)) => {
                    sums.on_node_bytes.get_mut(node).into_iter().for_each(|sum| *sum += bytes);
                }
                BlockHome::Interleaved => {
                    interleave(alone.question.machine, bytes, &mut sums.on_node_bytes);
                }
            }
        }
    }
}

// The highest speed of a task, with the machine to itself and on its best node.

/// The certain requirements of a task; computed for one task after the other, in creation order.
struct Alone<'a> {
    question: &'a Question<'a>,
    nodes: Vec<OnNode>,
    /// Whether any node with cores has a cache.
    has_caches: bool,
    /// Blocks that an earlier task has accessed.
    seen: Vec<bool>,
    /// The current task's FLOP / 10^9, and its bytes that certainly come from the memory of each node.
    gflop: f64,
    fixed: Vec<f64>,
    /// Bytes that certainly come from some memory whose node is not known; the largest access of these; all such accesses are on one node
    /// each.
    open: f64,
    largest_open: f64,
}

/// A node with cores, and the bandwidth that one of its threads gets from each memory.
struct OnNode {
    peak_gflops: f64,
    /// The most from all memories together, GB/s.
    most_gbs: f64,
    /// Per memory: the maximum that memory and link permit, GB/s; and the ceiling of a thread.
    path_gbs: Vec<f64>,
    ceiling_gbs: Vec<f64>,
}

impl<'a> Alone<'a> {
    fn new(question: &'a Question<'a>) -> Self {
        let machine = question.machine;
        let mut caches = machine.compute_nodes().filter_map(|node| machine.cache(node));
        Self {
            question,
            nodes: machine.compute_nodes().map(|node| OnNode::new(machine, node)).collect(),
            has_caches: caches.any(|cache| cache.size.value() > 0.0),
            seen: vec![false; question.graph.blocks().len()],
            gflop: 0.0,
            fixed: vec![0.0; machine.node_count()],
            open: 0.0,
            largest_open: 0.0,
        }
    }

    /// Bytes that certainly come from some memory.
    fn bytes(&self) -> f64 {
        self.open + self.fixed.iter().sum::<f64>()
    }

    /// The same by node, if the node is known.
    fn fixed_bytes(&self) -> &[f64] {
        &self.fixed
    }

    /// Advances to a task, which has `factor` times its work.
    fn look_at(&mut self, task: TaskId, once: &mut Once, factor: f64) {
        let graph = self.question.graph;
        self.gflop = graph.gflop(task);
        self.fixed.fill(0.0);
        (self.open, self.largest_open) = (0.0, 0.0);
        for access in graph.accesses(task) {
            let is_surely = self.is_surely_from_memory(&access);
            if is_surely {
                self.add(&access);
            }
            once.add(self.question, &access, is_surely, factor);
        }
    }

    /// No cache can contain the block, because this task is before all others that access it. That is the case if no task before it in
    /// creation order accesses the block and it writes: then all later ones wait for it.
    fn is_surely_from_memory(&mut self, access: &Access) -> bool {
        let seen = self.seen.get_mut(access.block.0 as usize);
        let is_first = seen.is_some_and(|seen| !std::mem::replace(seen, true));
        !self.has_caches || (is_first && access.mode.writes())
    }

    /// All pages are on the node of the first worker.
    fn first_home(&self) -> BlockHome {
        let machine = self.question.machine;
        let first = machine.compute_nodes().next();
        first.map_or(BlockHome::Open, |node| BlockHome::Node(machine.local_memory(node)))
    }

    /// The home of a block, if that is known before anything runs.
    fn home(&self, block: BlockId) -> BlockHome {
        let question = self.question;
        let own = question.graph.blocks().get(block.0 as usize).map_or(BlockHome::Open, |block| block.home);
        match question.placement {
            PagePlacement::Interleave => BlockHome::Interleaved,
            PagePlacement::Master => self.first_home(),
            PagePlacement::FirstTouch | PagePlacement::Numa => own,
            PagePlacement::Nadd => question.graph.hint(block).map_or_else(
                || self.first_home(),
                |node| BlockHome::Node(question.machine.local_memory(node)),
            ),
        }
    }

    fn add(&mut self, access: &Access) {
        let question = self.question;
        let bytes = access.moved_bytes;
        match self.home(access.block) {
            BlockHome::Open => {
                self.open += bytes;
                self.largest_open = self.largest_open.max(bytes);
            }
            BlockHome::Node(NodeId(node)) => {
                if let Some(fixed) = self.fixed.get_mut(node) {
                    *fixed += bytes;
                }
            }
            BlockHome::Interleaved => {
                interleave(question.machine, bytes, &mut self.fixed);
            }
        }
    }

    /// Lower bound in seconds on the work of the task, on the node that is best for it.
    fn least_s(&self) -> f64 {
        let least = self.nodes.iter().map(|node| node.least_s(self)).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }
}

impl OnNode {
    fn new(machine: &Machine, from: NodeId) -> Self {
        let node = machine.node(from);
        let parameters = machine.sharing().parameters;
        let most = [node.core_bandwidth, node.read_bandwidth].into_iter().flatten();
        let path_gbs = |memory: NodeId| {
            let bandwidth = machine.node(memory).bandwidth.value();
            let link = machine.link(from, memory).map(|link| link.value() * parameters.link_efficiency);
            link.map_or(bandwidth, |link| link.min(bandwidth))
        };
        Self {
            peak_gflops: node.gflops_per_core.value(),
            most_gbs: most.map(GigabytesPerSecond::value).fold(f64::INFINITY, f64::min),
            path_gbs: machine.node_ids().map(path_gbs).collect(),
            ceiling_gbs: machine
                .node_ids()
                .map(|memory| parameters.ceiling_gbs(machine, from, memory))
                .collect(),
        }
    }

    /// A task waits for its FLOP, for the slowest of the memories that it reads, and for one byte after the other if one thread cannot
    /// request more at a time. Blocks whose node is not known count as placed where this node reads best, each on one.
    fn least_s(&self, task: &Alone) -> f64 {
        let best = |gbs: &[f64]| gbs.iter().copied().fold(0.0, f64::max);
        let compute = task.gflop / self.peak_gflops;
        let together = task.bytes() / self.most_gbs;
        // Bytes cannot come from a memory that does not exist.
        let paths = task.fixed.iter().zip(&self.path_gbs).filter(|(_, gbs)| **gbs > 0.0);
        let slowest = paths.map(|(bytes, gbs)| bytes / gbs);
        let slowest = slowest.fold(task.largest_open / best(&self.path_gbs), f64::max);
        let known: f64 = task.fixed.iter().zip(&self.ceiling_gbs).map(|(bytes, gbs)| bytes / gbs).sum();
        let in_turn = known + task.open / best(&self.ceiling_gbs);
        compute.max(together.max(slowest).max(in_turn) / 1e9)
    }
}

// The longest chain of tasks, with the master that creates them one after the other.

/// The end of a chain: its time and its last task.
type End = (f64, TaskId);

/// Ends of tasks that may hold the master up.
struct Ends {
    /// The latest ends of the tasks so far, the earliest of these first: as many as the limit of tasks alive. Stored as bits, which have
    /// the order of times from 0 on.
    latest: BinaryHeap<Reverse<u64>>,
    most: usize,
    /// The last of all.
    last_s: f64,
}

impl Ends {
    /// With `throttle` tasks alive the master continues at the end that leaves one less: the earliest of the latest `throttle` ends.
    fn add(&mut self, end_s: f64) {
        self.last_s = self.last_s.max(end_s);
        if self.most == usize::MAX {
            return;
        }
        self.latest.push(Reverse(end_s.to_bits()));
        if self.latest.len() > self.most {
            self.latest.pop();
        }
    }

    fn master_waits_until_s(&self, is_taskwait: bool) -> f64 {
        if is_taskwait {
            return self.last_s;
        }
        match self.latest.peek() {
            Some(Reverse(bits)) if self.latest.len() >= self.most => f64::from_bits(*bits),
            _ => 0.0,
        }
    }
}

/// The longest chain if all tasks of the master exist from the creation of the first one on, and the longest if each must be created
/// first, after `throttle` and `taskwait` let the master continue. In both, the children of a task exist when it has ended. `begin_s`:
/// when the master begins; `least_s[task]`: the shortest time for which a worker is busy with the task.
fn longest(question: &Question, dependencies: &Dependencies, begin_s: f64, least_s: &[f64]) -> (End, End) {
    let graph = question.graph;
    let creation_s = question.runtime.creation.value();
    // In tree programs the master may create one more task in spite of the limit.
    let throttle = question.runtime.throttle.filter(|_| !graph.is_tree());
    let throttle = throttle.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let mut ends = Ends { latest: BinaryHeap::new(), most: throttle.max(1), last_s: 0.0 };
    let mut created_s = begin_s;
    // Per task: the last end of a parent or of its creator, in chains without and with creation.
    let mut parents_s = vec![(0.0_f64, 0.0_f64); least_s.len()];
    let (mut chain, mut creation) = ((0.0, TaskId(0)), (0.0, TaskId(0)));
    for (task, least_s) in graph.tasks().zip(least_s) {
        let (mut alone_s, mut with_creation_s) = parents_s.get(task.0 as usize).copied().unwrap_or_default();
        if graph.created_by(task).is_none() {
            created_s = created_s.max(ends.master_waits_until_s(graph.taskwait(task))) + creation_s;
            alone_s = alone_s.max(begin_s + creation_s);
            with_creation_s = with_creation_s.max(created_s);
        }
        alone_s += least_s;
        with_creation_s += least_s;
        ends.add(with_creation_s);
        if alone_s > chain.0 {
            chain = (alone_s, task);
        }
        if with_creation_s > creation.0 {
            creation = (with_creation_s, task);
        }
        for child in dependencies.children(task).iter().chain(graph.children(task)) {
            if let Some(parents) = parents_s.get_mut(child.0 as usize) {
                parents.0 = parents.0.max(alone_s);
                parents.1 = parents.1.max(with_creation_s);
            }
        }
    }
    (chain, creation)
}
