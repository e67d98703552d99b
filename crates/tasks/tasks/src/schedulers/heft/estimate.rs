//! How long a task takes that has the machine to itself, without caches.

use numasim_graph::values::{BlockHome, TaskGraph, TaskId};
use numasim_model::NodeId;
use numasim_model::sharing::Network;

use crate::homes::{Homes, interleave};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets};

const BYTES_PER_GB: f64 = 1e9;

/// Estimates, and where blocks lie by plan.
pub(crate) struct Estimate<'a> {
    graph: &'a TaskGraph,
    network: Network,
    /// Of each socket: its node, and its part of all cores.
    sockets: Vec<(NodeId, f64)>,
    homes: Homes,
    overhead_s: f64,
    /// Per memory: bytes of the task at hand, then the part of all.
    memories: Vec<f64>,
}

impl<'a> Estimate<'a> {
    pub(crate) fn new(question: &Question<'a>, sockets: &Sockets) -> Self {
        let workers = sockets.worker_count().max(1) as f64;
        let share = |socket| sockets.workers(socket).len() as f64 / workers;
        Self {
            graph: question.graph,
            network: Network::new(question.machine),
            sockets: sockets.all().map(|socket| (sockets.node(socket), share(socket))).collect(),
            homes: Homes::new(
                question.graph,
                question.machine,
                question.placement,
                sockets.node(SocketId(0)),
            ),
            overhead_s: question.runtime.task.value(),
            memories: vec![0.0; question.machine.node_count()],
        }
    }

    /// Seconds of `task` on a core of `node` with blocks where they are by plan; open ones are touched here.
    pub(crate) fn seconds(&mut self, task: TaskId, node: NodeId) -> f64 {
        self.memories.fill(0.0);
        for access in self.graph.accesses(task) {
            let home = match self.homes.of(access.block) {
                BlockHome::Open => self.network.machine().local_memory(node),
                BlockHome::Node(home) => home,
                BlockHome::Interleaved => {
                    interleave(self.network.machine(), access.moved_bytes, &mut self.memories);
                    continue;
                }
            };
            if let Some(memory) = self.memories.get_mut(home.0) {
                *memory += access.moved_bytes;
            }
        }
        self.overhead_s + self.working(self.graph.gflop(task), node)
    }

    /// The mean over all cores of the seconds of `task` where all it accesses is local.
    pub(crate) fn mean_seconds(&mut self, task: TaskId) -> f64 {
        let bytes: f64 = self.graph.accesses(task).map(|access| access.moved_bytes).sum();
        let gflop = self.graph.gflop(task);
        let mut sum = 0.0;
        for place in 0..self.sockets.len() {
            let (node, share) = self.sockets[place];
            self.memories.fill(0.0);
            self.memories[self.network.machine().local_memory(node).0] = bytes;
            sum += share * self.working(gflop, node);
        }
        self.overhead_s + sum
    }

    /// The mean over all pairs of cores of the seconds that a byte takes longer from the memory of the other one.
    pub(crate) fn mean_seconds_per_byte(&mut self) -> f64 {
        let mut sum = 0.0;
        for reader in self.sockets.clone() {
            let own = self.per_byte(reader.0, reader.0);
            for &(memory, share) in &self.sockets.clone() {
                sum += reader.1 * share * (self.per_byte(reader.0, memory) - own).max(0.0);
            }
        }
        sum
    }

    /// The blocks of `task` lie on `node` by plan, if they lie nowhere yet.
    pub(crate) fn touch(&mut self, task: TaskId, node: NodeId) {
        for access in self.graph.accesses(task) {
            self.homes.touch(access.block, node);
        }
    }

    fn per_byte(&mut self, node: NodeId, memory: NodeId) -> f64 {
        self.memories.fill(0.0);
        self.memories[self.network.machine().local_memory(memory).0] = BYTES_PER_GB;
        self.working(0.0, node) / BYTES_PER_GB
    }

    /// Seconds of `gflop` on `node` with the bytes in `memories`.
    fn working(&mut self, gflop: f64, node: NodeId) -> f64 {
        let bytes: f64 = self.memories.iter().sum();
        let gb = bytes / BYTES_PER_GB;
        let flop_per_byte = gflop / gb;
        if gb > 0.0 && flop_per_byte.is_finite() {
            for part in &mut self.memories {
                *part /= bytes;
            }
            let fraction = |memory: NodeId| self.memories.get(memory.0).copied().unwrap_or(0.0);
            let alone = self.network.alone_gbs(node, fraction);
            let want = self.network.want_gbs(node, flop_per_byte, fraction);
            return gb / want.map_or(alone, |want| want.min(alone));
        }
        if gflop > 0.0 { gflop / self.network.machine().node(node).gflops_per_core.value() } else { 0.0 }
    }
}
