//! Where blocks lie while tasks run.

use numasim_model::NodeId;
use numasim_model::graph::{Block, BlockHome, BlockId, PagePlacement, TaskGraph};

/// Four bytes instead of sixteen: graphs have millions of blocks.
const OPEN: u32 = u32::MAX;
const INTERLEAVED: u32 = u32::MAX - 1;

/// Where each block lies now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Homes(Vec<u32>);

impl Homes {
    /// Before anything runs. `master`: the node of worker 0.
    pub(crate) fn new(graph: &TaskGraph, placement: PagePlacement, master: NodeId) -> Self {
        let home = |(id, block): (BlockId, &Block)| match placement {
            PagePlacement::Interleave => INTERLEAVED,
            PagePlacement::Master => number(master),
            PagePlacement::FirstTouch | PagePlacement::Numa => match block.home {
                BlockHome::Open => OPEN,
                BlockHome::Node(node) => number(node),
                BlockHome::Interleaved => INTERLEAVED,
            },
            // They were moved before anything runs.
            PagePlacement::Nadd => number(graph.hint(id).unwrap_or(master)),
        };
        Self((0..).map(BlockId).zip(graph.blocks()).map(home).collect())
    }

    /// All blocks on one node.
    pub(crate) fn on(node: NodeId, blocks: usize) -> Self {
        Self(vec![number(node); blocks])
    }

    /// Moves a block.
    pub(crate) fn put(&mut self, block: BlockId, node: NodeId) {
        if let Some(home) = self.0.get_mut(block.0 as usize) {
            *home = number(node);
        }
    }

    /// Where a block lies.
    pub(crate) fn of(&self, block: BlockId) -> BlockHome {
        match self.0.get(block.0 as usize) {
            None | Some(&OPEN) => BlockHome::Open,
            Some(&INTERLEAVED) => BlockHome::Interleaved,
            Some(&node) => BlockHome::Node(NodeId(node as usize)),
        }
    }

    /// A task touches a block: its home is `node` from now on if it was open. Where it lies then.
    pub(crate) fn touch(&mut self, block: BlockId, node: NodeId) -> BlockHome {
        if let Some(home @ &mut OPEN) = self.0.get_mut(block.0 as usize) {
            *home = number(node);
        }
        self.of(block)
    }
}

fn number(node: NodeId) -> u32 {
    // There are at most MAX_NODES.
    u32::try_from(node.0).unwrap_or(0)
}
