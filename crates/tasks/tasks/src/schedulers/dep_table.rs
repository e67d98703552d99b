//! Algorithm 2.1 of paper 001: a task goes where most of what it accesses was written first.

use numasim_graph::values::{BlockHome, BlockId, TaskGraph, TaskId};

use super::draw::Draw;
use super::round_robin::RoundRobin;
use super::scheduler::View;
use super::weights::Weights;
use crate::sockets::{SocketId, Sockets};

/// Four bytes a block: graphs have millions of them.
const NOWHERE: u32 = u32::MAX;

/// The table block -> socket, and the rule that goes by it.
#[derive(Clone, Debug)]
pub(super) struct DepTable {
    socket_of: Vec<u32>,
    weights: Weights,
    round_robin: RoundRobin,
}

impl DepTable {
    /// Blocks whose `home` is a node with cores are in the table from the beginning, wherever pages really go.
    pub(super) fn new(graph: &TaskGraph, sockets: &Sockets, stride: u32) -> Self {
        let socket = |home: BlockHome| match home {
            BlockHome::Node(node) => sockets.of_node(node).map_or(NOWHERE, |socket| socket.0),
            BlockHome::Open | BlockHome::Interleaved => NOWHERE,
        };
        Self {
            socket_of: graph.blocks().iter().map(|block| socket(block.home)).collect(),
            weights: Weights::new(sockets),
            round_robin: RoundRobin::new(stride),
        }
    }

    /// The socket of a block, if it has one.
    pub(super) fn socket_of(&self, block: BlockId) -> Option<SocketId> {
        self.socket_of
            .get(block.0 as usize)
            .filter(|&&socket| socket != NOWHERE)
            .map(|&socket| SocketId(socket))
    }

    /// The blocks that `task` writes get `socket`, unless they have one.
    pub(super) fn enter(&mut self, graph: &TaskGraph, task: TaskId, socket: SocketId) {
        for access in graph.accesses(task).filter(|access| access.mode.writes()) {
            if let Some(entry @ &mut NOWHERE) = self.socket_of.get_mut(access.block.0 as usize) {
                *entry = socket.0;
            }
        }
    }

    /// The socket of a task that is created, and of the blocks that it is the first to write.
    pub(super) fn place(&mut self, view: &View<'_>, task: TaskId, draw: &mut Draw) -> SocketId {
        self.weights.clear();
        for access in view.graph.accesses(task) {
            self.weights.add(self.socket_of(access.block), access.declared_bytes);
        }
        let winner = self.weights.winner(draw);
        let socket = winner.unwrap_or_else(|| self.round_robin.next(view.sockets));
        self.enter(view.graph, task, socket);
        socket
    }
}
