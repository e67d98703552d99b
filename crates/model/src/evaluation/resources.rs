//! What a scenario draws of controllers, links and shared links.

use super::MOST_NODES_WITH_ALL_LINKS;
use crate::allocation::Allocation;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing::{Solver, Workspace};
use crate::table::Table;
use crate::units::GigabytesPerSecond;

/// Use of one memory controller. Bandwidths are what is really drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControllerUse {
    /// The node.
    pub node: NodeId,
    /// What it can deliver.
    pub capacity: GigabytesPerSecond,
    /// What it delivers.
    pub bandwidth: GigabytesPerSecond,
    /// The part of it that goes to other nodes.
    pub remote: GigabytesPerSecond,
}

/// Use of one link. Bandwidth is what is really drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkUse {
    /// Node of the cores that read.
    pub from: NodeId,
    /// Node of the memory that is read.
    pub to: NodeId,
    /// What it can carry.
    pub capacity: GigabytesPerSecond,
    /// What it carries.
    pub bandwidth: GigabytesPerSecond,
}

/// Use of one direction of a shared link. Bandwidth is what is really drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLinkUse {
    /// The name of the link.
    pub name: String,
    /// Nodes of the cores that read over it.
    pub from: Vec<NodeId>,
    /// Nodes of the memories that they read.
    pub to: Vec<NodeId>,
    /// What it can carry.
    pub capacity: GigabytesPerSecond,
    /// What it carries.
    pub bandwidth: GigabytesPerSecond,
}

/// What a scenario draws of everything.
pub(super) struct Resources {
    pub(super) nodes: Vec<ControllerUse>,
    pub(super) links: Vec<LinkUse>,
    pub(super) shared_links: Vec<SharedLinkUse>,
}

/// One walk over the flows of a solved allocation.
pub(super) fn used(
    machine: &Machine,
    allocation: &Allocation,
    solver: &Solver,
    workspace: &Workspace,
) -> Resources {
    let count = machine.node_count();
    let all_links = count <= MOST_NODES_WITH_ALL_LINKS;
    let mut own = vec![0.0; count];
    let mut remote = vec![0.0; count];
    // Over each link, from node of cores to node of memory.
    let mut drawn: Table<f64, NodeId> = Table::filled(count, count, 0.0);
    for (flow, _) in solver.flows(allocation.as_slice(), workspace) {
        let per_thread = workspace.bandwidth_per_thread()[(flow.app, flow.from)];
        let bandwidth = f64::from(flow.threads) * per_thread * flow.fraction;
        if flow.from == flow.memory {
            own[flow.memory.0] += bandwidth;
        } else {
            drawn[(flow.from, flow.memory)] += bandwidth;
        }
    }
    for from in machine.node_ids() {
        for (remote, bandwidth) in remote.iter_mut().zip(drawn.row(from)) {
            *remote += bandwidth;
        }
    }
    let controllers = machine.node_ids().map(|m| {
        let remote = GigabytesPerSecond::new(remote[m.0]);
        ControllerUse {
            node: m,
            capacity: machine.node(m).bandwidth,
            bandwidth: remote + GigabytesPerSecond::new(own[m.0]),
            remote,
        }
    });
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let links = pairs.zip(drawn.as_slice()).filter(|&(_, &bandwidth)| all_links || bandwidth > 0.0);
    let links = links.filter_map(|((from, to), &bandwidth)| {
        let capacity = machine.link(from, to)?;
        Some(LinkUse { from, to, capacity, bandwidth: GigabytesPerSecond::new(bandwidth) })
    });
    let shared_links = machine.shared_directions().map(|direction| {
        let pairs = direction.from.iter().flat_map(|&from| direction.to.iter().map(move |&to| (from, to)));
        let carried: f64 = pairs.map(|pair| drawn[pair]).sum();
        SharedLinkUse {
            name: direction.link.name.clone(),
            from: direction.from.to_vec(),
            to: direction.to.to_vec(),
            capacity: direction.link.bandwidth,
            // `sum` of nothing is -0.0, which people would see.
            bandwidth: GigabytesPerSecond::new(carried + 0.0),
        }
    });
    Resources { nodes: controllers.collect(), links: links.collect(), shared_links: shared_links.collect() }
}
