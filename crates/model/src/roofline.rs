//! The roofs of a machine: upper limits of one thread, a node, a link and all nodes, for any application.
//!
//! [`roofs`] returns the roofs of reads. Write kernels stay below them if the machine defines values for
//! these kernels ([`roofs_of_kernels`]).
//!
//! A roof is min(peak, bandwidth x arithmetic intensity) (Williams, Waterman, Patterson, "Roofline", CACM
//! 52(4), 2009).

use std::collections::BTreeSet;

use crate::app::{Access, Placement};
use crate::demand::{Demand, ThreadLimit, least};
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

/// The scope of a roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoofOf {
    /// All cores, each node reading local memory, or the nearest one.
    AllNodes,
    /// All cores of the node with the highest controller bandwidth, reading local memory.
    Node(NodeId),
    /// All cores of a node over the fastest link.
    FastestLink {
        /// The node of the cores.
        from: NodeId,
        /// The node of the memory.
        to: NodeId,
    },
    /// All cores of a node over the slowest link.
    SlowestLink {
        /// The node of the cores.
        from: NodeId,
        /// The node of the memory.
        to: NodeId,
    },
    /// All cores of a node over a link, if all links have the same bandwidth.
    AnyLink,
    /// One thread on that node, reading local memory.
    Thread(NodeId),
    /// All cores of the node with the highest controller bandwidth on local memory, under a write kernel.
    Kernel(NodeId, Access),
}

/// A limit: min(peak, bandwidth x arithmetic intensity).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roof {
    /// Its scope.
    pub of: RoofOf,
    /// The slope.
    pub bandwidth: GigabytesPerSecond,
    /// The height.
    pub peak: Gflops,
}

/// The roofs of the whole machine if it has several nodes with cores, of a node, of the fastest and the
/// slowest link, and of a thread; none on a machine without cores.
pub fn roofs(machine: &Machine) -> Vec<Roof> {
    let roof = |of, bandwidth, peak| Roof { of, bandwidth, peak };
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    let bandwidth = |node: NodeId| machine.node(node).bandwidth;
    let peak = |node: NodeId| machine.node(node).gflops_per_core * f64::from(machine.node(node).cores);
    let widest = widest(machine);
    let mut roofs = Vec::new();
    if compute.len() > 1 {
        let memories: BTreeSet<NodeId> = compute.iter().map(|&node| machine.local_memory(node)).collect();
        let slope = memories.into_iter().map(bandwidth).sum();
        roofs.push(roof(RoofOf::AllNodes, slope, compute.iter().map(|&node| peak(node)).sum()));
    }
    if let Some(widest) = widest {
        roofs.push(roof(RoofOf::Node(widest), bandwidth(widest), peak(widest)));
    }

    let pairs = compute.iter().flat_map(|&from| machine.node_ids().map(move |to| (from, to)));
    let mut links: Vec<(NodeId, NodeId, GigabytesPerSecond)> = pairs
        .filter_map(|(from, to)| machine.link(from, to).map(|link| (from, to, link.min(bandwidth(to)))))
        .collect();
    links.sort_by(|a, b| b.2.value().total_cmp(&a.2.value()));
    if let (Some(&(from, to, widest)), Some(&(last_from, last_to, narrowest))) = (links.first(), links.last())
    {
        if widest == narrowest {
            roofs.push(roof(RoofOf::AnyLink, widest, peak(from)));
        } else {
            roofs.push(roof(RoofOf::FastestLink { from, to }, widest, peak(from)));
            let slowest = RoofOf::SlowestLink { from: last_from, to: last_to };
            roofs.push(roof(slowest, narrowest, peak(last_from)));
        }
    }
    if let Some(widest) = widest {
        let of_thread = most_of_a_thread(machine, widest).min(bandwidth(widest));
        roofs.push(roof(RoofOf::Thread(widest), of_thread, machine.node(widest).gflops_per_core));
    }
    roofs
}

/// The node with cores and memory that has the highest controller bandwidth.
fn widest(machine: &Machine) -> Option<NodeId> {
    let bandwidth = |node: NodeId| machine.node(node).bandwidth.value();
    machine
        .compute_nodes()
        .filter(|&node| machine.has_memory(node))
        .max_by(|&a, &b| bandwidth(a).total_cmp(&bandwidth(b)))
}

/// The roofs of that node under those of `kernels` for which it defines values.
pub fn roofs_of_kernels(machine: &Machine, kernels: &[Access]) -> Vec<Roof> {
    let Some(widest) = widest(machine) else { return Vec::new() };
    let node = machine.node(widest);
    let peak = node.gflops_per_core * f64::from(node.cores);
    let used = node.kernels.iter().filter(|(kernel, _)| kernels.contains(kernel));
    used.map(|(kernel, bandwidth)| Roof { of: RoofOf::Kernel(widest, kernel), bandwidth, peak }).collect()
}

/// Maximum bandwidth of one thread on local memory: the bandwidth of a core, and the ceilings of the sharing
/// model.
fn most_of_a_thread(machine: &Machine, node: NodeId) -> GigabytesPerSecond {
    // The thread's computation does not matter here.
    let local = Demand::new(FlopPerByte::new(1.0), Access::Read, Placement::Local);
    least(local.thread_limits(machine, node).filter(|(limit, _)| *limit != ThreadLimit::CorePeak))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Node;
    use crate::sharing_model::Model;

    fn machine(core_bandwidth: Option<f64>) -> Machine {
        let node = Node {
            cores: 4,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(32.0),
            core_bandwidth: core_bandwidth.map(GigabytesPerSecond::new),
            ..Node::default()
        };
        Machine::uniform("two", 2, node, GigabytesPerSecond::new(8.0)).expect("a machine")
    }

    #[test]
    fn a_uniform_machine_has_four_roofs() {
        let roofs: Vec<_> =
            roofs(&machine(None)).iter().map(|r| (r.of, r.bandwidth.value(), r.peak.value())).collect();
        let (all, node, link) = (RoofOf::AllNodes, RoofOf::Node(NodeId(1)), RoofOf::AnyLink);
        let thread = RoofOf::Thread(NodeId(1));
        // Two controllers of 32 GB/s, 2 x 4 cores of 10 GFLOPS; one thread may have a whole controller.
        assert_eq!(roofs, [(all, 64.0, 80.0), (node, 32.0, 40.0), (link, 8.0, 40.0), (thread, 32.0, 10.0)]);
    }

    #[test]
    fn used_and_measured_kernels_have_roofs() {
        let mut nodes = machine(None).nodes().to_vec();
        for node in &mut nodes {
            node.kernels.set(Access::Triad, GigabytesPerSecond::new(24.0));
        }
        let measured =
            machine(None).retuned(nodes, vec![GigabytesPerSecond::new(8.0); 4]).expect("a machine");
        let roofs = roofs_of_kernels(&measured, &[Access::Read, Access::Copy, Access::Triad]);
        let roofs: Vec<_> = roofs.iter().map(|r| (r.of, r.bandwidth.value(), r.peak.value())).collect();
        assert_eq!(roofs, [(RoofOf::Kernel(NodeId(1), Access::Triad), 24.0, 40.0)]);
    }

    #[test]
    fn the_roof_of_a_thread_is_the_same_under_each_ceiling() {
        let mut model = Model::default();
        model.parameters.core_local_gbs = Some(5.0);
        let by_model = roofs(&machine(None).with_sharing(model));
        assert_eq!(by_model.last(), roofs(&machine(Some(5.0))).last());
        assert_eq!(by_model.last().map(|roof| roof.bandwidth.value()), Some(5.0));
    }
}
