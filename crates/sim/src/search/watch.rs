//! Selects the memories to watch: homes that threads on other nodes read, and how these readers are counted.
//!
//! # Basis of cells by drawn bandwidth
//! Let every thread read one memory. R: the GB/s that threads on other nodes finally draw from a memory with B GB/s. In a cell with least
//! <= R <= most:
//! - Threads of its own node share the remainder, at most B - least.
//! - All others together get at most `most` of it.
//! - Under the default its ports are filled evenly, and the local one gets its demand or B - R. So the level that every port may reach is
//!   at least B - R >= B - most, and at least the equal share of all ports. Demands up to that level are met in full: together at most
//!   `most`.
//! - On a link that several pairs of nodes share, each is guaranteed only an equal share: demand beyond that does not count.

use crate::problem::Problem;
use numasim_model::{Machine, ModelKind, NodeId, Placement};

/// Maximum number of memories whose readers are counted; each multiplies the number of cells.
const MAX_WATCHED: usize = 4;

/// A memory whose readers on other nodes are counted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Watch {
    pub(super) memory: NodeId,
    pub(super) count: Count,
    /// Per node: the GB/s to the memory that links shared by pairs of nodes guarantee; empty if there are none.
    pub(super) part: Vec<f64>,
}

/// The way in which readers are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    /// By their demand, which the links let through and the controller serves.
    Asked,
    /// By the bandwidth that they draw, if they may get less than they ask.
    Drawn(Level),
}

/// The guaranteed level of a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Level {
    /// The same as any other port, including the local one.
    Even {
        /// Ports of the controller.
        ports: f64,
    },
    /// Its full demand, while others do not draw the whole bandwidth.
    First,
    /// Nothing is known.
    Unknown,
}

impl Level {
    /// The part of a port's demand, GB/s, that it certainly draws if others draw at most `most` of `bandwidth`, GB/s.
    pub(super) fn sure(self, bandwidth: f64, most: f64) -> f64 {
        match self {
            Self::Even { ports } => (bandwidth - most).max(bandwidth / ports),
            Self::First if most < bandwidth * (1.0 - 1e-9) => f64::INFINITY,
            Self::First | Self::Unknown => 0.0,
        }
    }
}

/// The memories whose readers are counted: homes that threads elsewhere can read.
///
/// They are counted by demand if they get everything that their links ask for. That holds if no pairs of nodes share a link, under
/// `remote-first`, and under the default if the bandwidth of no link exceeds an equal share of the controller. Otherwise they are counted
/// by drawn bandwidth, if every application reads one memory.
pub(super) fn watched(problem: &Problem, placements: &[Placement], never_help: bool) -> Vec<Watch> {
    let machine = &problem.machine;
    let sharing = machine.sharing();
    // A knee or a loss changes the cost of remote reads from their demand.
    if sharing.parameters.saturation_knee != 0.0
        || sharing.parameters.overload_loss != 0.0
        || sharing.parameters.remote_loss != 0.0
    {
        return Vec::new();
    }
    let mut homes: Vec<NodeId> = placements.iter().filter_map(Placement::home).collect();
    homes.sort_unstable();
    homes.dedup();
    // All memories with remote readers: homes, and those that hold the local data of nodes without memory.
    let is_read =
        |memory: &NodeId| placements.iter().any(|placement| placement.is_read_from_outside(machine, *memory));
    let read: Vec<NodeId> = machine.node_ids().filter(is_read).collect();
    let readers = |home: NodeId| machine.compute_nodes().filter(move |&node| node != home);
    let served_in_full = |home: NodeId| {
        let links = || readers(home).filter_map(|node| machine.link(node, home));
        let equal_part = machine.node(home).bandwidth.value() / (1.0 + links().count() as f64);
        match sharing.kind {
            ModelKind::RemoteFirst => true,
            ModelKind::BaselineProportional => links()
                .map(|link| link.value() * sharing.parameters.link_efficiency)
                .all(|link| link <= equal_part),
            _ => false,
        }
    };
    let one_memory = placements.iter().all(reads_one_memory);
    let limited_reads = machine.nodes().iter().any(|node| node.read_bandwidth.is_some());
    let level = |home: NodeId| match sharing.kind {
        ModelKind::BaselineProportional if sharing.parameters.remote_weight == 1.0 => {
            Some(Level::Even { ports: 1.0 + readers(home).count() as f64 })
        }
        ModelKind::RemoteFirst => Some(Level::First),
        ModelKind::MaxMin | ModelKind::Proportional => Some(Level::Unknown),
        _ => None,
    };
    let pairs_share = machine.shared_directions().next().is_some();
    let watch = |&home: &NodeId| {
        let count = if never_help && !pairs_share && served_in_full(home) {
            Count::Asked
        } else if one_memory && !limited_reads {
            Count::Drawn(level(home)?)
        } else {
            return None;
        };
        let part = if pairs_share { parts(problem, &read, home) } else { Vec::new() };
        readers(home).next().map(|_| Watch { memory: home, count, part })
    };
    let mut watched: Vec<Watch> = homes.iter().filter_map(watch).collect();
    watched.truncate(MAX_WATCHED);
    watched
}

/// Whether each thread reads one memory.
pub(super) fn reads_one_memory(placement: &Placement) -> bool {
    matches!(placement, Placement::Local | Placement::Home(_))
}

/// Whether threads on `node` read only its own memory.
pub(super) fn reads_own(machine: &Machine, placement: &Placement, node: NodeId) -> bool {
    placement.read_from(machine, node) == [node]
}

/// Per node: the equal share of each shared link on its way to `home`, over all pairs that may use it.
fn parts(problem: &Problem, read: &[NodeId], home: NodeId) -> Vec<f64> {
    let machine = &problem.machine;
    let part = |node: NodeId| {
        let on_the_way = machine.shared_directions().filter(|direction| direction.carries(node, home));
        let equal = on_the_way.map(|direction| {
            let from = machine.compute_nodes();
            let pairs: usize =
                from.map(|from| read.iter().filter(|&&to| direction.carries(from, to)).count()).sum();
            direction.link.bandwidth.value() / pairs as f64
        });
        equal.fold(f64::INFINITY, f64::min)
    };
    machine.node_ids().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::restrictions::Restrictions;
    use crate::testing::{app, uniform_machine};

    fn watched_at(link: f64, kind: ModelKind) -> Option<Count> {
        let machine = uniform_machine(2, 2, 10.0, 62.0, link).with_sharing(kind.into());
        let far = app("far", 0.5, numasim_model::Data::Placed(Placement::Home(NodeId(0))));
        let problem = Problem::new(&machine, &[far], Objective::TotalGflops, Restrictions::default());
        let found = watched(&problem.expect("a possible question"), &[Placement::Home(NodeId(0))], true);
        found.first().map(|watch| watch.count)
    }

    #[test]
    fn readers_are_counted_by_demand_if_met_and_else_by_drawn_bandwidth() {
        // Two ports: an equal share of 62 GB/s is 31.
        let even = Count::Drawn(Level::Even { ports: 2.0 });
        assert_eq!(watched_at(31.0, ModelKind::BaselineProportional), Some(Count::Asked));
        assert_eq!(watched_at(31.5, ModelKind::BaselineProportional), Some(even));
        assert_eq!(watched_at(31.5, ModelKind::RemoteFirst), Some(Count::Asked));
        assert_eq!(watched_at(31.0, ModelKind::MaxMin), Some(Count::Drawn(Level::Unknown)));
        assert_eq!(watched_at(31.0, ModelKind::Ecm), None);
    }

    #[test]
    fn a_port_is_guaranteed_the_remainder_and_its_equal_share() {
        // Others draw at most 20 of 60 GB/s: the local port has 40 left, and so may every other. At most 50: the equal share of 3 ports,
        // 20.
        let even = Level::Even { ports: 3.0 };
        assert!((even.sure(60.0, 20.0) - 40.0).abs() < 1e-12 && (even.sure(60.0, 50.0) - 20.0).abs() < 1e-12);
        assert_eq!((Level::First.sure(60.0, 50.0), Level::First.sure(60.0, 60.0)), (f64::INFINITY, 0.0));
        assert!(Level::Unknown.sure(60.0, 20.0) <= 0.0);
    }
}
