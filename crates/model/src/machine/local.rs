//! Where local data lies: on the node of the thread or, if that node has no memory, on the nearest node that has some.

use super::Machine;
use crate::ids::NodeId;
use crate::units::GigabytesPerSecond;

/// The memory that holds the local data of each node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LocalMemory {
    /// One for each node; empty on a machine whose nodes all have memory, each its own.
    of: Vec<NodeId>,
    /// Per node: whether its memory holds local data of other nodes; empty as `of`.
    lends: Vec<bool>,
    /// Nodes with memory.
    memories: usize,
}

impl LocalMemory {
    /// Of a machine whose other figures are known.
    pub(super) fn of(machine: &Machine) -> Self {
        let memories = machine.memory_nodes().count();
        if memories == machine.node_count() {
            return Self { of: Vec::new(), lends: Vec::new(), memories };
        }
        let of: Vec<NodeId> = machine
            .node_ids()
            .map(|node| if machine.has_memory(node) { node } else { nearest(machine, node) })
            .collect();
        let mut lends = vec![false; of.len()];
        for (node, memory) in of.iter().enumerate() {
            lends[memory.0] |= memory.0 != node;
        }
        Self { of, lends, memories }
    }
}

/// The nearest memory of a node without memory: by the firmware's distances, else by latencies, else over the widest link. Of several
/// equally near ones the first, as Linux allocates pages.
fn nearest(machine: &Machine, from: NodeId) -> NodeId {
    let far = |memory: NodeId| {
        let link = || -machine.link(from, memory).unwrap_or_default().value();
        machine.distance(from, memory).or_else(|| machine.latency_ns(from, memory)).unwrap_or_else(link)
    };
    machine.memory_nodes().min_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(from)
}

impl Machine {
    /// Whether the node has memory, and with it a controller.
    pub fn has_memory(&self, node: NodeId) -> bool {
        self.node(node).has_memory()
    }

    /// The bandwidth of its controller; `None` where it has no memory.
    pub fn controller(&self, node: NodeId) -> Option<GigabytesPerSecond> {
        self.has_memory(node).then(|| self.node(node).bandwidth)
    }

    /// The nodes that have memory.
    pub fn memory_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&node| self.has_memory(node))
    }

    /// How many nodes have memory.
    pub fn memory_count(&self) -> usize {
        self.local.memories
    }

    /// Whether each node has memory.
    pub fn all_have_memory(&self) -> bool {
        self.local.of.is_empty()
    }

    /// The node whose memory holds the local data of threads on `from`: `from` itself, or the nearest node with memory.
    pub fn local_memory(&self, from: NodeId) -> NodeId {
        self.local.of.get(from.0).copied().unwrap_or(from)
    }

    /// The nodes whose local data is in the memory of `memory`.
    pub fn local_to(&self, memory: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let own = self.has_memory(memory).then_some(memory);
        let others = self.lends(memory).then(|| self.node_ids().filter(move |&node| node != memory));
        own.into_iter()
            .chain(others.into_iter().flatten().filter(move |&node| self.local_memory(node) == memory))
    }

    /// Whether the memory of `memory` holds local data of other nodes, which have no memory.
    pub fn lends(&self, memory: NodeId) -> bool {
        self.local.lends.get(memory.0).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Placement;
    use crate::machine::{KernelBandwidths, Node};
    use crate::units::{Gflops, Gibibytes};

    /// Four nodes of 2 cores; nodes 1 and 3 have no memory. Node 1 reads node 0 over 10 GB/s and node 2 over 20; node 3 reads both
    /// over 15.
    fn machine() -> Machine {
        let node = |memory: Option<f64>| Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(64.0),
            core_bandwidth: None,
            read_bandwidth: None,
            memory: memory.map(Gibibytes::new),
            kernels: KernelBandwidths::NONE,
        };
        let nodes = [None, Some(0.0), Some(32.0), Some(0.0)].map(node).to_vec();
        let links = [0, 5, 8, 5, 10, 0, 20, 5, 8, 5, 0, 5, 15, 5, 15, 0];
        Machine::new("m", nodes, links.map(|gbs| GigabytesPerSecond::new(f64::from(gbs))).to_vec())
            .expect("a machine")
    }

    fn local(machine: &Machine) -> Vec<usize> {
        machine.node_ids().map(|node| machine.local_memory(node).0).collect()
    }

    #[test]
    fn the_nearest_memory_is_that_of_the_least_distance_or_latency_or_the_widest_link() {
        // By links node 1 takes 2 (20 above 10), node 3 the first of two equal ones.
        assert_eq!(local(&machine()), [0, 2, 2, 0]);
        // By latencies the reverse; the columns of nodes 1 and 3 have none.
        let ns = [90, 0, 150, 0, 110, 0, 120, 0, 150, 0, 90, 0, 130, 0, 120, 0].map(f64::from).to_vec();
        let with_latencies = machine().with_latencies_ns(ns).expect("latencies");
        assert_eq!(local(&with_latencies), [0, 0, 2, 2]);
        assert_eq!(with_latencies.latency_ns(NodeId(0), NodeId(1)), None);
        // Distances hold before both: equally far, the first.
        let distances = [10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10].map(f64::from);
        let with_distances = with_latencies.with_distances(distances.to_vec()).expect("distances");
        assert_eq!(local(&with_distances), [0, 0, 2, 0]);
        assert_eq!(with_distances.local_to(NodeId(0)).map(|node| node.0).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(with_distances.local_to(NodeId(1)).count(), 0);
    }

    #[test]
    fn a_node_without_memory_has_no_bandwidth_and_no_link_leads_to_it() {
        let machine = machine();
        assert_eq!((machine.memory_count(), machine.all_have_memory()), (2, false));
        assert_eq!(machine.node(NodeId(1)).bandwidth.value(), 0.0);
        assert_eq!(machine.link(NodeId(0), NodeId(1)), None);
        assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(10.0));
    }

    #[test]
    fn shares_of_data_are_on_memories_only_and_sum_to_1() {
        let machine = machine();
        let home = NodeId(0);
        let shares = |placement: Placement, from| {
            let shares = machine.node_ids().map(|memory| placement.fraction(&machine, NodeId(from), memory));
            shares.collect::<Vec<f64>>()
        };
        assert_eq!(shares(Placement::Local, 1), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(shares(Placement::Interleave, 0), [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(shares(Placement::PartInterleave { share: 0.5 }, 1), [0.25, 0.0, 0.75, 0.0]);
        assert_eq!(shares(Placement::PartHome { home, share: 0.25 }, 1), [0.25, 0.0, 0.75, 0.0]);
        assert_eq!(shares(Placement::PartHome { home, share: 0.25 }, 3), [1.0, 0.0, 0.0, 0.0]);
        // Three of four threads are on nodes whose local data lies on node 2.
        assert_eq!(Placement::Local.share_on(&machine, &[1, 2, 1, 0], NodeId(2)), 0.75);
        assert!(Placement::Local.is_read_from_outside(&machine, NodeId(2)));
        assert!(!Placement::Interleave.is_read_from_outside(&machine, NodeId(1)));
        assert!(!Placement::Local.stays_at_home(&machine));
    }
}
