//! How fast a task is at best, with the machine to itself and on the best node for it.

use numasim_graph::values::{Access, BlockHome, PagePlacement, TaskId};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use crate::homes::interleave;
use crate::question::Question;

/// What a task surely needs; asked for one task after the other, in creation order.
pub(super) struct Alone<'a> {
    question: &'a Question<'a>,
    nodes: Vec<OnNode>,
    /// The largest cache of all nodes with cores, bytes; 0 without any.
    largest_cache: f64,
    /// Blocks that a task before has accessed.
    seen: Vec<bool>,
    /// Of the task at hand: FLOP / 10^9, and bytes that surely come from the memory of each node.
    gflop: f64,
    fixed: Vec<f64>,
    /// Bytes that surely come from some memory whose node is not known; the largest access of these; all such accesses lie on one node each.
    open: f64,
    largest_open: f64,
}

/// A node with cores, and what one of its threads gets from each memory.
struct OnNode {
    peak_gflops: f64,
    /// The most from all memories together, GB/s.
    most_gbs: f64,
    /// Per memory: the most that memory and link let through, GB/s; and the ceiling of a thread.
    path_gbs: Vec<f64>,
    ceiling_gbs: Vec<f64>,
}

impl<'a> Alone<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let machine = question.machine;
        let caches = machine.compute_nodes().filter_map(|node| machine.cache(node));
        Self {
            question,
            nodes: machine.compute_nodes().map(|node| OnNode::new(machine, node)).collect(),
            largest_cache: caches.map(|cache| cache.size.value() * 1e6).fold(0.0, f64::max),
            seen: vec![false; question.graph.blocks().len()],
            gflop: 0.0,
            fixed: vec![0.0; machine.node_count()],
            open: 0.0,
            largest_open: 0.0,
        }
    }

    /// Bytes that surely come from some memory.
    pub(super) fn bytes(&self) -> f64 {
        self.open + self.fixed.iter().sum::<f64>()
    }

    /// The same by the node that has them, where that is known.
    pub(super) fn fixed_bytes(&self) -> &[f64] {
        &self.fixed
    }

    /// Goes on to a task.
    pub(super) fn look_at(&mut self, task: TaskId) {
        let graph = self.question.graph;
        self.gflop = graph.gflop(task);
        self.fixed.fill(0.0);
        (self.open, self.largest_open) = (0.0, 0.0);
        for access in graph.accesses(task) {
            if self.is_surely_from_memory(&access) {
                self.add(&access);
            }
        }
    }

    /// No cache can have the block: it is too large for all of them, or this task is before all others that access it. That is
    /// so if nobody before it in creation order does and it writes, as then all that come later wait for it.
    fn is_surely_from_memory(&mut self, access: &Access) -> bool {
        let block = access.block.0 as usize;
        let is_first = self.seen.get_mut(block).is_some_and(|seen| !std::mem::replace(seen, true));
        let size = self.question.graph.blocks().get(block).map_or(0.0, |block| block.bytes);
        self.largest_cache <= 0.0 || size > self.largest_cache || (is_first && access.mode.writes())
    }

    /// Everything lies where the first worker is.
    fn first_home(&self) -> BlockHome {
        let machine = self.question.machine;
        let first = machine.compute_nodes().next();
        first.map_or(BlockHome::Open, |node| BlockHome::Node(machine.local_memory(node)))
    }

    fn add(&mut self, access: &Access) {
        let question = self.question;
        let bytes = access.moved_bytes;
        let own =
            question.graph.blocks().get(access.block.0 as usize).map_or(BlockHome::Open, |block| block.home);
        let home = match question.placement {
            PagePlacement::Interleave => BlockHome::Interleaved,
            PagePlacement::Master => self.first_home(),
            PagePlacement::FirstTouch | PagePlacement::Numa => own,
            PagePlacement::Nadd => question.graph.hint(access.block).map_or_else(
                || self.first_home(),
                |node| BlockHome::Node(question.machine.local_memory(node)),
            ),
        };
        match home {
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

    /// Seconds that the work of the task takes at least, on the node that is best for it.
    pub(super) fn least_s(&self) -> f64 {
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

    /// A task waits for its FLOP, for the slowest of the memories that it reads, and for one byte after the other where one thread
    /// cannot ask for more at a time. Blocks whose node is not known lie where this node reads best, each on one.
    fn least_s(&self, task: &Alone) -> f64 {
        let best = |gbs: &[f64]| gbs.iter().copied().fold(0.0, f64::max);
        let compute = task.gflop / self.peak_gflops;
        let together = task.bytes() / self.most_gbs;
        // Nothing comes from a memory that is not there.
        let paths = task.fixed.iter().zip(&self.path_gbs).filter(|(_, gbs)| **gbs > 0.0);
        let slowest = paths.map(|(bytes, gbs)| bytes / gbs);
        let slowest = slowest.fold(task.largest_open / best(&self.path_gbs), f64::max);
        let known: f64 = task.fixed.iter().zip(&self.ceiling_gbs).map(|(bytes, gbs)| bytes / gbs).sum();
        let in_turn = known + task.open / best(&self.ceiling_gbs);
        compute.max(together.max(slowest).max(in_turn) / 1e9)
    }
}
