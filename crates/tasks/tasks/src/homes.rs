//! Where blocks lie while tasks run. What a thread on a node without memory touches first lies on the nearest node with memory.

use numasim_graph::values::{Block, BlockHome, BlockId, PagePlacement, TaskGraph};
use numasim_model::{Machine, NodeId};

/// Four bytes instead of sixteen: graphs have millions of blocks.
const OPEN: u32 = u32::MAX;
const INTERLEAVED: u32 = u32::MAX - 1;

/// Where each block lies now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Homes {
    of: Vec<u32>,
    /// Per node: where blocks lie that are put there; empty where each node has memory.
    local: Vec<u32>,
}

/// Adds the same part of `bytes` to each memory of `machine`; that part.
pub(crate) fn interleave(machine: &Machine, bytes: f64, memories: &mut [f64]) -> f64 {
    let part = bytes / machine.memory_count() as f64;
    for memory in machine.memory_nodes() {
        memories.get_mut(memory.0).into_iter().for_each(|memory| *memory += part);
    }
    part
}

impl Homes {
    /// Before anything runs. `master`: the node of worker 0.
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

    /// Where a block lies.
    pub(crate) fn of(&self, block: BlockId) -> BlockHome {
        match self.of.get(block.0 as usize) {
            None | Some(&OPEN) => BlockHome::Open,
            Some(&INTERLEAVED) => BlockHome::Interleaved,
            Some(&node) => BlockHome::Node(NodeId(node as usize)),
        }
    }

    /// A task touches a block: its home is the memory of `node` from now on if it was open. Where it lies then.
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
