//! Reads `sockets`: a shorthand that stands for a matrix of bandwidths and for shared links between sockets.
//!
//! Nodes are numbered socket by socket: of 8 nodes on 2 sockets, 0 to 3 are on the first.

use numasim_model::ids::NodeId;
use numasim_model::machine::SharedLink;
use numasim_model::units::GigabytesPerSecond;

use super::keys::machine;
use super::names::plural;
use super::problem::{Problem, ProblemKind};
use super::table::TableReader;
use super::value::Value;

/// Nodes on sockets.
#[derive(Clone, Copy)]
pub(super) struct Sockets {
    /// How many.
    pub(super) count: usize,
    /// Nodes on each.
    pub(super) nodes_each: usize,
    /// GB/s between each ordered pair of nodes on different sockets; `None` on one socket.
    pub(super) link: Option<f64>,
    /// GB/s that the nodes of one socket read from another together.
    shared: Option<f64>,
}

/// What a machine says of its sockets.
pub(super) enum SocketsReading {
    /// Nothing.
    Absent,
    /// Something that makes no sense, and was reported.
    Broken,
    /// This.
    Read(Sockets),
}

impl Sockets {
    /// Whether two nodes are on the same socket.
    pub(super) const fn together(&self, a: usize, b: usize) -> bool {
        a / self.nodes_each == b / self.nodes_each
    }

    /// A shared link for each pair of sockets.
    pub(super) fn shared_links(&self) -> Vec<SharedLink> {
        let Some(shared) = self.shared else { return Vec::new() };
        let nodes = |socket: usize| (socket * self.nodes_each..(socket + 1) * self.nodes_each).map(NodeId);
        let pairs = (0..self.count).flat_map(|a| (a + 1..self.count).map(move |b| (a, b)));
        let link = |(a, b)| SharedLink {
            name: format!("socket {a} - socket {b}"),
            bandwidth: GigabytesPerSecond::new(shared),
            from: nodes(a).collect(),
            to: nodes(b).collect(),
            both_ways: true,
        };
        pairs.map(link).collect()
    }
}

/// `nodes` is how many there are, if that is known.
pub(super) fn read(table: &mut TableReader<'_>, nodes: Option<usize>) -> SocketsReading {
    let log = table.source.log;
    let matrix = table.place_of(&machine::BANDWIDTH_MATRIX_GBS);
    let sockets = table.optional(&machine::SOCKETS);
    let link = table.optional(&machine::SOCKET_LINK_GBS);
    let shared = table.optional(&machine::SHARED_LINK_GBS);
    let link_gbs = link.as_ref().map(Value::number);
    let shared_gbs = shared.as_ref().map(Value::number);
    let Some(first) = sockets.as_ref().or(link.as_ref()).or(shared.as_ref()) else {
        return SocketsReading::Absent;
    };
    if let Some(matrix) = matrix {
        let problem = Problem::new(ProblemKind::Conflict, "the bandwidths are given in two ways")
            .at(first.key_place(), format!("`{}` stands for a matrix", first.name))
            .related(matrix, "the matrix gives each pair of nodes")
            .hint("keep the matrix, and write `[[machine.shared_link]]` for what a pair of sockets shares; or keep `sockets`, with `bandwidth_gbs`, `link_gbs` and `socket_link_gbs`");
        log.report(problem);
        return SocketsReading::Broken;
    }
    let Some(sockets) = sockets else {
        let message = format!("`{}` says nothing without `sockets`", first.name);
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(first.key_place(), "between which sockets?")
            .hint("add the number of sockets, e.g. `sockets = 2`; nodes are numbered socket by socket");
        table.missing_any(&[&machine::SOCKETS], problem);
        return SocketsReading::Broken;
    };
    let (Some(count), Some(nodes)) = (sockets.count().map(|count| count as usize), nodes) else {
        return SocketsReading::Broken;
    };
    if !nodes.is_multiple_of(count) {
        let (on, nodes) = (plural(count, "socket"), plural(nodes, "node"));
        let message = format!("`sockets` is {count}, but {nodes} cannot be divided evenly among {on}");
        let hint = "each socket has the same number of nodes; for others write `bandwidth_matrix_gbs` and `[[machine.shared_link]]`";
        sockets.report(ProblemKind::BadValue, message, "does not divide the nodes", hint);
        return SocketsReading::Broken;
    }
    if let (1, Some(value)) = (count, link.as_ref().or(shared.as_ref())) {
        let problem = Problem::new(ProblemKind::Conflict, format!("`{}` needs two sockets", value.name))
            .at(value.key_place(), "to which other socket?")
            .related(sockets.place(), "there is one only")
            .hint("leave it out, or write `sockets = 2`");
        log.report(problem);
        return SocketsReading::Broken;
    }
    if count > 1 && link.is_none() {
        let message = format!("`socket_link_gbs` is missing; a machine with {count} sockets needs it");
        let problem = Problem::new(ProblemKind::MissingKey, message)
            .at(sockets.place(), "sockets need a link between their nodes")
            .hint("add the bandwidth between two nodes on different sockets in GB/s, e.g. `socket_link_gbs = 10.0`");
        table.missing_any(&[&machine::SOCKET_LINK_GBS], problem);
        return SocketsReading::Broken;
    }
    match (link_gbs, shared_gbs) {
        (Some(None), _) | (_, Some(None)) => SocketsReading::Broken,
        (link, shared) => SocketsReading::Read(Sockets {
            count,
            nodes_each: nodes / count,
            link: link.flatten(),
            shared: shared.flatten(),
        }),
    }
}
