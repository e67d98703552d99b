//! Which nodes are on which socket, and what stays open about the links between sockets.

use numasim_study::keys::{machine, shared_link};
use numasim_study::writing::{Lines, list};

use crate::sockets::{Socket, joined};
use crate::topology::HostTopology;

/// Tables for more pairs of sockets would hide the rest of the file.
const MOST_TABLES: usize = 6;

const SHARED: &str =
    "numasim calibrate, or all nodes of one socket read memories of the other at once; per direction";

/// `sockets: 0 has nodes 0-3, 1 has nodes 4-7`; nothing where the topology shows no sockets.
pub(super) fn comment(host: &HostTopology) -> Option<String> {
    let sockets = host.sockets();
    let several: Vec<u32> = places(host, |packages| packages > 1);
    let mut parts: Vec<String> =
        sockets.iter().map(|socket| format!("{} has {}", socket.number, nodes(&numbers(socket)))).collect();
    if !several.is_empty() {
        parts.push(format!("{} beside several", nodes(&several)));
    }
    (!parts.is_empty()).then(|| format!("sockets: {}", parts.join(", ")))
}

/// Nodes with this number of packages.
fn places(host: &HostTopology, fits: impl Fn(usize) -> bool) -> Vec<u32> {
    let fitting = (0..).zip(&host.nodes).filter(|(_, node)| fits(node.packages.len()));
    fitting.map(|(place, _)| place).collect()
}

fn numbers(socket: &Socket) -> Vec<u32> {
    socket.nodes.iter().filter_map(|node| u32::try_from(node.0).ok()).collect()
}

fn nodes(numbers: &[u32]) -> String {
    let word = if numbers.len() == 1 { "node" } else { "nodes" };
    format!("{word} {}", numasim_model::cpus::ranges(numbers))
}

/// Whether the sockets are numbered one after the other, each with the same number of nodes, more than one.
fn regular(host: &HostTopology, sockets: &[Socket]) -> bool {
    let each = sockets.first().map_or(0, |socket| socket.nodes.len());
    let in_order = sockets.iter().flat_map(|socket| &socket.nodes).map(|node| node.0);
    sockets.len() > 1
        && each > 1
        && sockets.iter().all(|socket| socket.nodes.len() == each)
        && in_order.eq(0..host.nodes.len())
}

/// For a machine of equal nodes on equal sockets: what to write where links inside a socket and between sockets differ.
pub(super) fn shorthand(host: &HostTopology, lines: &mut Lines) {
    let sockets = host.sockets();
    if !regular(host, &sockets) {
        return;
    }
    lines.comment("Where links between sockets differ from those inside one, these three lines, too; link_gbs is then inside a socket:");
    lines.comment(format_args!("{} = {}", machine::SOCKETS.name, sockets.len()));
    lines.open(&machine::SOCKET_LINK_GBS, "  # GB/s between two nodes on different sockets: as link_gbs");
    let how = format!("  # GB/s of a socket's nodes together from another socket: {SHARED}");
    lines.open(&machine::SHARED_LINK_GBS, &how);
}

/// At the end of the file: tables for the links between sockets, where no shorthand (of a `uniform` machine) says the same.
pub(super) fn shared_links(host: &HostTopology, uniform: bool, lines: &mut Lines) {
    let sockets = host.sockets();
    let pairs = joined(&sockets);
    if pairs.is_empty() || uniform && regular(host, &sockets) {
        return;
    }
    lines.line("\n# All pairs of nodes between two sockets use the same links. Optional: how much those carry together");
    lines.comment(format_args!("(GB/s: {SHARED})."));
    for (a, b) in pairs.iter().take(MOST_TABLES) {
        lines.comment(shared_link::TABLE.title);
        lines.comment(format_args!("{} = \"sockets {} and {}\"", shared_link::NAME.name, a.number, b.number));
        lines.open(&shared_link::GBS, "");
        let groups = [a, b].map(|socket| list(numbers(socket)));
        lines.comment(format_args!("{} = {}", shared_link::BETWEEN.name, list(groups)));
    }
    if pairs.len() > MOST_TABLES {
        lines.comment(format_args!("... and so on: {} pairs of sockets in all", pairs.len()));
    }
}
