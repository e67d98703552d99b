//! Sockets and workers: a socket is a node with cores, a worker one of its cores.

use std::ops::Range;

use numasim_graph::values::{Block, BlockHome, BlockId, PagePlacement, TaskGraph};
use numasim_model::units::Seconds;
use numasim_model::{Machine, NodeId};

use crate::question::Question;

/// A node with cores: its index among them, in ascending order of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId(pub u32);

/// A core, numbered node by node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u32);

/// The sockets of a machine and the workers on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sockets {
    nodes: Vec<NodeId>,
    /// The first worker of each socket; one more at the end.
    first: Vec<u32>,
    /// Per node: its socket.
    of_node: Vec<Option<SocketId>>,
    /// Per worker: its socket.
    of_worker: Vec<SocketId>,
    /// Per socket: all others in the order in which its workers steal from them.
    nearest: Vec<Vec<SocketId>>,
}

impl Sockets {
    /// Errors of `machine`.
    pub fn new(machine: &Machine) -> Self {
        let nodes: Vec<NodeId> = machine.compute_nodes().collect();
        let mut first = vec![0];
        let mut of_node = vec![None; machine.node_count()];
        let mut of_worker = Vec::new();
        for (socket, &node) in (0..).map(SocketId).zip(&nodes) {
            of_node[node.0] = Some(socket);
            of_worker.extend((0..machine.node(node).cores).map(|_| socket));
            first.push(u32::try_from(of_worker.len()).unwrap_or(u32::MAX));
        }
        let sockets = (0..).map(SocketId).zip(&nodes);
        let nearest = sockets.clone().map(|(from, &from_node)| {
            let mut others: Vec<(f64, SocketId)> = sockets
                .clone()
                .filter(|&(to, _)| to != from)
                .map(|(to, &node)| (machine.distance(from_node, node).unwrap_or(0.0), to))
                .collect();
            // The sort is stable: equal distances stay in the order of the numbers.
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            others.into_iter().map(|(_, socket)| socket).collect()
        });
        let nearest = nearest.collect();
        Self { nodes, first, of_node, of_worker, nearest }
    }

    /// Number of sockets.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// All sockets, ascending.
    pub fn all(&self) -> impl ExactSizeIterator<Item = SocketId> + Clone + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(SocketId)
    }

    /// Number of workers.
    pub fn worker_count(&self) -> usize {
        self.of_worker.len()
    }

    /// The node of a socket; the first one if there is no such socket.
    pub fn node(&self, socket: SocketId) -> NodeId {
        self.nodes.get(socket.0 as usize).or(self.nodes.first()).copied().unwrap_or(NodeId(0))
    }

    /// The socket of a node; `None` if it has no cores or does not exist.
    pub fn of_node(&self, node: NodeId) -> Option<SocketId> {
        self.of_node.get(node.0).copied().flatten()
    }

    /// The socket of a worker; the first one if there is no such worker.
    pub fn of_worker(&self, worker: WorkerId) -> SocketId {
        self.of_worker.get(worker.0 as usize).copied().unwrap_or(SocketId(0))
    }

    /// The workers of a socket.
    pub fn workers(&self, socket: SocketId) -> Range<u32> {
        let socket = socket.0 as usize;
        match (self.first.get(socket), self.first.get(socket + 1)) {
            (Some(&first), Some(&end)) => first..end,
            _ => 0..0,
        }
    }

    /// All other sockets, the nearest first: by the distances that the firmware reports. Without these, and among equal distances, by
    /// number.
    pub fn nearest(&self, socket: SocketId) -> &[SocketId] {
        self.nearest.get(socket.0 as usize).map_or(&[], Vec::as_slice)
    }
}

// Homes of blocks while tasks run. Blocks that a thread on a node without memory touches first are placed on the nearest node with
// memory.

/// Four bytes instead of sixteen: graphs have millions of blocks.
const OPEN: u32 = u32::MAX;
const INTERLEAVED: u32 = u32::MAX - 1;

/// The present home of each block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Homes {
    of: Vec<u32>,
    /// Per node: the home of blocks that are put there; empty if each node has memory.
    local: Vec<u32>,
}

/// Adds an equal part of `bytes` to each memory of `machine`; returns that part.
pub(crate) fn interleave(machine: &Machine, bytes: f64, memories: &mut [f64]) -> f64 {
    let part = bytes / machine.memory_count() as f64;
    for memory in machine.memory_nodes() {
        memories.get_mut(memory.0).into_iter().for_each(|memory| *memory += part);
    }
    part
}

impl Homes {
    /// The homes before anything runs. `master`: the node of worker 0.
    pub(crate) fn new(
        graph: &TaskGraph,
        machine: &Machine,
        placement: PagePlacement,
        master: NodeId,
    ) -> Self {
        let master = machine.local_memory(master);
        let home = |(id, block): (BlockId, &Block)| match placement {
            PagePlacement::Interleave => INTERLEAVED,
            PagePlacement::Master => number(master),
            PagePlacement::FirstTouch | PagePlacement::Numa => match block.home {
                BlockHome::Open => OPEN,
                BlockHome::Node(node) => number(node),
                BlockHome::Interleaved => INTERLEAVED,
            },
            // They were moved before anything runs.
            PagePlacement::Nadd => number(machine.local_memory(graph.hint(id).unwrap_or(master))),
        };
        let of = (0..).map(BlockId).zip(graph.blocks()).map(home).collect();
        Self { of, local: local(machine) }
    }

    /// All blocks on one node.
    pub(crate) fn on(machine: &Machine, node: NodeId, blocks: usize) -> Self {
        Self { of: vec![number(machine.local_memory(node)); blocks], local: local(machine) }
    }

    /// Moves a block.
    pub(crate) fn put(&mut self, block: BlockId, node: NodeId) {
        let memory = self.memory_of(node);
        if let Some(home) = self.of.get_mut(block.0 as usize) {
            *home = memory;
        }
    }

    /// The home of a block.
    pub(crate) fn of(&self, block: BlockId) -> BlockHome {
        match self.of.get(block.0 as usize) {
            None | Some(&OPEN) => BlockHome::Open,
            Some(&INTERLEAVED) => BlockHome::Interleaved,
            Some(&node) => BlockHome::Node(NodeId(node as usize)),
        }
    }

    /// A task touches a block: if it was open, its home is the memory of `node` from now on. Returns its home.
    pub(crate) fn touch(&mut self, block: BlockId, node: NodeId) -> BlockHome {
        let memory = self.memory_of(node);
        if let Some(home @ &mut OPEN) = self.of.get_mut(block.0 as usize) {
            *home = memory;
        }
        self.of(block)
    }

    fn memory_of(&self, node: NodeId) -> u32 {
        self.local.get(node.0).copied().unwrap_or_else(|| number(node))
    }
}

fn local(machine: &Machine) -> Vec<u32> {
    if machine.all_have_memory() {
        return Vec::new();
    }
    machine.node_ids().map(|node| number(machine.local_memory(node))).collect()
}

fn number(node: NodeId) -> u32 {
    // There are at most MAX_NODES.
    u32::try_from(node.0).unwrap_or(0)
}

// Blocks that are moved before the first task is created (placement `nadd`; paper 003, section 4.4).

/// Size of a page in bytes.
const PAGE_BYTES: f64 = 4096.0;

/// The duration of these moves. Every block with a hint goes, one after the other, from `master`, the node of worker 0, whose memory
/// contains all blocks, to the node of its hint. Its bytes go over the link, and in addition each started page costs `[runtime] page_us`.
pub(crate) fn migration(question: &Question<'_>, master: NodeId) -> Seconds {
    if question.placement != PagePlacement::Nadd {
        return Seconds::default();
    }
    let home = question.machine.local_memory(master);
    let block_s = |(block, bytes): (BlockId, f64)| {
        let hint = question.graph.hint(block)?;
        let to = Some(question.machine.local_memory(hint)).filter(|&to| to != home)?;
        let link = question.machine.link(master, to)?;
        let pages = (bytes / PAGE_BYTES).ceil();
        Some(bytes / 1e9 / link.value() + pages * question.runtime.page.value())
    };
    let blocks = (0..).map(BlockId).zip(question.graph.blocks().iter().map(|block| block.bytes));
    Seconds::new(blocks.filter_map(block_s).sum())
}
