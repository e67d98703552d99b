//! What a topology shows and a machine file has no key for: comments, each a line that begins with `# `; and the distances.

use numasim_model::text::visible;
use numasim_study::keys::machine;
use numasim_study::writing::Lines;

use crate::topology::{Cache, Counting, Firmware, HostNode, HostTopology};

/// Before `[machine]`: how the file is meant, and what is not in it.
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

/// How to find out how many cores so many processors are.
pub(super) fn cores_of(processors: u32) -> String {
    format!(
        "physical cores: {processors} processors, of which two or more share a core where there is SMT (lscpu: Thread(s) per core); \
         numasim import takes --threads-per-core or --lscpu"
    )
}

/// After the keys of the machine: caches, sockets, distances, and the firmware's figures.
pub(super) fn tail(host: &HostTopology, nodes_follow: bool, lines: &mut Lines) {
    if !host.caches.is_empty() {
        let caches: Vec<String> = host.caches.iter().map(cache).collect();
        lines.comment(format_args!("caches: {}", caches.join(", ")));
    }
    if let Some(sockets) = super::sockets::comment(host) {
        lines.comment(&sockets);
    }
    // A comment of TOML has no control characters.
    for note in &host.notes {
        lines.comment(visible(note));
    }
    if let Some(distances) = &host.distances {
        lines.comment(
            "distances of the firmware, relative, 10 is local; no bandwidths (row: node of the core, column: node of the memory):",
        );
        let rows = distances.values.iter().map(|row| row.iter().map(ToString::to_string).collect());
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

/// Where figures come from that nobody measured.
pub(super) const FIRMWARE: &str = "firmware (HMAT), not measured";

/// `read 42.95 GB/s, write 42.95 GB/s, latency 10 ns`.
pub(super) fn firmware(said: &Firmware, node: &HostNode) -> String {
    let mut parts = Vec::new();
    for (what, figure) in [("read", said.read_bandwidth), ("write", said.write_bandwidth)] {
        parts.extend(figure.map(|figure| format!("{what} {figure:.2}")));
    }
    match (said.read_latency_ns, said.write_latency_ns) {
        (Some(read), Some(write)) if read == write => parts.push(format!("latency {read} ns")),
        (read, write) => {
            parts.extend(read.map(|ns| format!("read latency {ns} ns")));
            parts.extend(write.map(|ns| format!("write latency {ns} ns")));
        }
    }
    if said.seen_from != [node.os_index] && !said.seen_from.is_empty() {
        parts.push(format!("from the cores of node {}", numasim_model::cpus::ranges(&said.seen_from)));
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

/// In the units of caches, which are binary.
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
