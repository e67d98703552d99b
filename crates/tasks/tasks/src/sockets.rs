//! Sockets and workers: a socket is a node with cores, a worker one of its cores.

use std::ops::Range;

use numasim_model::{Machine, NodeId};

/// A node with cores: the how-manieth of them, in ascending order of the nodes.
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
    /// Those of `machine`.
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

    /// How many sockets there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// All sockets, ascending.
    pub fn all(&self) -> impl ExactSizeIterator<Item = SocketId> + Clone + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(SocketId)
    }

    /// How many workers there are.
    pub fn worker_count(&self) -> usize {
        self.of_worker.len()
    }

    /// The node of a socket; the first one where there is no such socket.
    pub fn node(&self, socket: SocketId) -> NodeId {
        self.nodes.get(socket.0 as usize).or(self.nodes.first()).copied().unwrap_or(NodeId(0))
    }

    /// The socket that a node is; `None` where it has no cores or does not exist.
    pub fn of_node(&self, node: NodeId) -> Option<SocketId> {
        self.of_node.get(node.0).copied().flatten()
    }

    /// The socket of a worker; the first one where there is no such worker.
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

    /// All other sockets, the nearest first: by the distances that the firmware states, without them and among equal ones by
    /// number.
    pub fn nearest(&self, socket: SocketId) -> &[SocketId] {
        self.nearest.get(socket.0 as usize).map_or(&[], Vec::as_slice)
    }
}
