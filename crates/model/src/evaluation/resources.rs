//! What a scenario draws of controllers, links and shared links, and what of them that occupies.
//!
//! The two differ for kernels that write, where the machine has figures of its own for them ([`crate::Node::occupied_by`]): they
//! occupy more than they move.

use std::ops::AddAssign;

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
    /// What of the capacity `bandwidth` occupies, in GB/s of reads.
    pub occupied: GigabytesPerSecond,
    /// What of the capacity `remote` occupies, in GB/s of reads.
    pub remote_occupied: GigabytesPerSecond,
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
    /// What of the capacity that occupies, in GB/s of reads.
    pub occupied: GigabytesPerSecond,
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
    /// What of the capacity that occupies, in GB/s of reads.
    pub occupied: GigabytesPerSecond,
}

/// What a scenario draws of everything.
pub(super) struct Resources {
    pub(super) nodes: Vec<ControllerUse>,
    pub(super) links: Vec<LinkUse>,
    pub(super) shared_links: Vec<SharedLinkUse>,
}

/// GB/s that flows move, and what they occupy.
#[derive(Clone, Copy, Default)]
struct Drawn {
    moved: f64,
    occupied: f64,
}

impl AddAssign for Drawn {
    fn add_assign(&mut self, other: Self) {
        self.moved += other.moved;
        self.occupied += other.occupied;
    }
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
    let mut own = vec![Drawn::default(); count];
    let mut remote = vec![Drawn::default(); count];
    // Over each link, from node of cores to node of memory.
    let mut drawn: Table<Drawn, NodeId> = Table::filled(count, count, Drawn::default());
    for (flow, _) in solver.flows(allocation.as_slice(), workspace) {
        let per_thread = workspace.bandwidth_per_thread()[(flow.app, flow.from)];
        let moved = f64::from(flow.threads) * per_thread * flow.fraction;
        let bandwidth = Drawn { moved, occupied: moved * flow.occupied };
        if flow.from == flow.memory {
            own[flow.memory.0] += bandwidth;
        } else {
            drawn[(flow.from, flow.memory)] += bandwidth;
        }
    }
    for from in machine.node_ids() {
        for (remote, &bandwidth) in remote.iter_mut().zip(drawn.row(from)) {
            *remote += bandwidth;
        }
    }
    let gbs = GigabytesPerSecond::new;
    let controllers = machine.node_ids().map(|m| ControllerUse {
        node: m,
        capacity: machine.node(m).bandwidth,
        bandwidth: gbs(remote[m.0].moved) + gbs(own[m.0].moved),
        remote: gbs(remote[m.0].moved),
        occupied: gbs(remote[m.0].occupied) + gbs(own[m.0].occupied),
        remote_occupied: gbs(remote[m.0].occupied),
    });
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let links = pairs.zip(drawn.as_slice()).filter(|&(_, drawn)| all_links || drawn.moved > 0.0);
    let links = links.filter_map(|((from, to), drawn)| {
        let capacity = machine.link(from, to)?;
        Some(LinkUse { from, to, capacity, bandwidth: gbs(drawn.moved), occupied: gbs(drawn.occupied) })
    });
    let shared_links = machine.shared_directions().map(|direction| {
        let pairs = direction.from.iter().flat_map(|&from| direction.to.iter().map(move |&to| (from, to)));
        let mut carried = Drawn::default();
        pairs.for_each(|pair| carried += drawn[pair]);
        SharedLinkUse {
            name: direction.link.name.clone(),
            from: direction.from.to_vec(),
            to: direction.to.to_vec(),
            capacity: direction.link.bandwidth,
            bandwidth: gbs(carried.moved),
            occupied: gbs(carried.occupied),
        }
    });
    Resources { nodes: controllers.collect(), links: links.collect(), shared_links: shared_links.collect() }
}
