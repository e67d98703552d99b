//! Comments with the parts of a topology for which a machine file has no key, each a line that begins with `#
//! `; and the distances.

use crate::keys::{machine, shared_link};
use crate::writing::{Lines, list};
use numasim_model::text::visible;

use crate::topology::{Cache, Counting, Firmware, HostNode, HostTopology, Socket, joined};

/// Before `[machine]`: the purpose of the file, and its omissions.
pub(super) fn head(host: &HostTopology, complete: bool) -> Vec<String> {
    let skeleton = [
        "# Skeleton: a topology shows cores, not speeds. `numasim calibrate`, run on this machine, measures what is missing.",
        "# By hand: replace each `?` by a figure and remove the `# ` before its line; `numasim check` names what is still missing.",
    ];
    let mut lines: Vec<String> =
        if complete { Vec::new() } else { skeleton.into_iter().map(str::to_owned).collect() };
    if host.counting == Counting::HardwareThreads {
        lines.push(
            "# A core of this file is one hardware thread (--smt): gflops_per_core is the peak of one hardware thread, with the"
                .into(),
        );
        lines.push("# others of its core busy.".into());
    }
    lines.extend(host.unusable.iter().map(|unusable| format!("# Not in this file: {}", unusable.describe())));
    lines
}

/// How to find the number of cores of this number of logical CPUs.
pub(super) fn cores_of(processors: u32) -> String {
    format!(
        "physical cores: {processors} processors, of which two or more share a core with SMT (lscpu: Thread(s) per core); \
         numasim import takes --threads-per-core or --lscpu"
    )
}

/// After the keys of the machine: caches, sockets, distances, and the firmware's values.
pub(super) fn tail(host: &HostTopology, nodes_follow: bool, lines: &mut Lines) {
    if !host.caches.is_empty() {
        let caches: Vec<String> = host.caches.iter().map(cache).collect();
        lines.comment(format_args!("caches: {}", caches.join(", ")));
    }
    if let Some(sockets) = comment(host) {
        lines.comment(&sockets);
    }
    if let Some(doubt) = host.unequal_l3() {
        lines.comment(doubt);
    }
    // A TOML comment contains no control characters.
    for note in &host.notes {
        lines.comment(visible(note));
    }
    if let Some(distances) = &host.distances {
        lines.comment(
            "distances of the firmware, relative, 10 is local; no bandwidths (row: node of the core, column: node of the memory):",
        );
        let rows = distances.iter().map(|row| row.iter().map(ToString::to_string).collect());
        lines.rows(&machine::DISTANCE_MATRIX, rows);
    }
    if nodes_follow {
        return;
    }
    let said: Option<Vec<String>> =
        host.nodes.iter().map(|node| node.firmware.as_ref().map(|f| firmware(f, node))).collect();
    if let Some(said) = said {
        lines.comment(format_args!("{FIRMWARE}: {}", per_node(&said)));
        return;
    }
    for node in &host.nodes {
        if let Some(said) = &node.firmware {
            lines.comment(format_args!("{FIRMWARE}, node {}: {}", node.os_index, firmware(said, node)));
        }
    }
}

/// Source of values that were not measured.
pub(super) const FIRMWARE: &str = "firmware (HMAT), not measured";

/// `read 42.95 GB/s, write 42.95 GB/s, latency 10 ns`.
pub(super) fn firmware(said: &Firmware, node: &HostNode) -> String {
    let mut parts = Vec::new();
    for (what, figure) in [("read", said.read_bandwidth_gbs), ("write", said.write_bandwidth_gbs)] {
        parts.extend(figure.map(|figure| format!("{what} {figure:.2} GB/s")));
    }
    match (said.read_latency_ns, said.write_latency_ns) {
        (Some(read), Some(write)) if read == write => parts.push(format!("latency {read} ns")),
        (read, write) => {
            parts.extend(read.map(|ns| format!("read latency {ns} ns")));
            parts.extend(write.map(|ns| format!("write latency {ns} ns")));
        }
    }
    if said.seen_from_os_nodes != [node.os_index] && !said.seen_from_os_nodes.is_empty() {
        parts.push(format!(
            "from the cores of node {}",
            numasim_model::cpus::ranges(&said.seen_from_os_nodes)
        ));
    }
    parts.join(", ")
}

/// `L2 1 MiB per core`, `L3 32 MiB for 4 cores (2 of them)`.
fn cache(cache: &Cache) -> String {
    let size = size(cache.bytes);
    match cache.cores {
        0 | 1 => format!("L{} {size} per core", cache.level),
        cores => format!("L{} {size} for {cores} cores ({} of them)", cache.level, cache.count),
    }
}

/// Binary units, as is usual for caches.
fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 19) => {
            format!("{} MiB", bytes as f64 / 1_048_576.0)
        }
        bytes if bytes >= 1 << 10 => format!("{} KiB", (bytes as f64 / 102.4).round() / 10.0),
        bytes => format!("{bytes} B"),
    }
}

/// `each node 64.0`, or one by one.
fn per_node(values: &[String]) -> String {
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => format!("each node {first}"),
        _ => values.join("; "),
    }
}

/// Tables for more pairs of sockets would hide the rest of the file.
const MOST_TABLES: usize = 6;

const SHARED: &str =
    "numasim calibrate, or all nodes of one socket read memories of the other at once; per direction";

/// `sockets: 0 has nodes 0-3, 1 has nodes 4-7`; `None` if the topology shows no sockets.
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
    let fitting = (0..).zip(&host.nodes).filter(|(_, node)| fits(node.sockets.len()));
    fitting.map(|(place, _)| place).collect()
}

fn numbers(socket: &Socket) -> Vec<u32> {
    socket.nodes.iter().filter_map(|node| u32::try_from(node.0).ok()).collect()
}

fn nodes(numbers: &[u32]) -> String {
    let word = if numbers.len() == 1 { "node" } else { "nodes" };
    format!("{word} {}", numasim_model::cpus::ranges(numbers))
}

/// Whether the sockets are numbered consecutively, each with the same number of nodes, which is more than
/// one.
fn regular(host: &HostTopology, sockets: &[Socket]) -> bool {
    let each = sockets.first().map_or(0, |socket| socket.nodes.len());
    let in_order = sockets.iter().flat_map(|socket| &socket.nodes).map(|node| node.0);
    sockets.len() > 1
        && each > 1
        && sockets.iter().all(|socket| socket.nodes.len() == each)
        && in_order.eq(0..host.nodes.len())
}

/// For a machine of equal nodes on equal sockets: the syntax for links that differ inside a socket and
/// between sockets.
pub(super) fn shorthand(host: &HostTopology, lines: &mut Lines) {
    let sockets = host.sockets();
    if !regular(host, &sockets) {
        return;
    }
    lines.comment("If links between sockets differ from those inside one, add these three lines; link_gbs is then inside a socket:");
    lines.comment(format_args!("{} = {}", machine::SOCKETS.name, sockets.len()));
    lines.open(&machine::SOCKET_LINK_GBS, "  # GB/s between two nodes on different sockets: as link_gbs");
    let how = format!("  # GB/s of a socket's nodes together from another socket: {SHARED}");
    lines.open(&machine::SHARED_LINK_GBS, &how);
}

/// At the end of the file: tables for the links between sockets, unless a shorthand (of a `uniform` machine)
/// is equivalent.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_written_in_their_own_units() {
        let l1 = Cache { level: 1, bytes: 48 << 10, cores: 1, count: 8 };
        let l3 = Cache { level: 3, bytes: (32 << 20) + (1 << 19), cores: 4, count: 2 };
        assert_eq!(cache(&l1), "L1 48 KiB per core");
        assert_eq!(cache(&l3), "L3 32.5 MiB for 4 cores (2 of them)");
    }
}
