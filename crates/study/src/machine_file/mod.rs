//! From a host's topology to the skeleton of a machine file, or to one with assumed values.

mod comments;
mod known;

use std::fmt::Write as _;

use crate::keys::{machine, node as node_keys};
use crate::writing::{Lines, PEAK, float, list, quoted};

use crate::topology::{HostNode, HostTopology, equal_l3};
pub use known::{Given, llc_mb, memory_gib};
use known::{Known, Memory, OPEN};

/// The `[machine]` table with the contents of a topology.
///
/// Values that the topology does not contain are comments, so that `numasim check` names each one that is
/// still missing. Values of the firmware are also comments, because they are not measured.
pub fn skeleton(host: &HostTopology) -> String {
    skeleton_with(host, Given::default())
}

/// [`skeleton`] with values given by a person, and with the values of the source if it has any.
pub fn skeleton_with(host: &HostTopology, given: Given) -> String {
    let known = Known { host, given, assumed: None };
    let mut lines = Lines::default();
    for line in &comments::head(host, known.complete()) {
        lines.line(line);
    }
    write(&known, &mut lines);
    lines.text()
}

/// Values for everything that a topology does not contain, so that a file can be used before any measurement.
/// The file marks each of them as `assumed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placeholders {
    /// Peak of every core, in GFLOPS.
    pub gflops_per_core: f64,
    /// Bandwidth of every memory, in GB/s.
    pub bandwidth_gbs: f64,
    /// Bandwidth of every pair of nodes, in GB/s.
    pub link_gbs: f64,
    /// Their source, as written in the file.
    pub source: &'static str,
}

/// The same with values instead of placeholders, kind `assumed` for each, each with a comment on the
/// measurement.
pub fn with_placeholders(host: &HostTopology, figures: &Placeholders) -> String {
    let given = Given {
        gflops_per_core: Some(figures.gflops_per_core),
        bandwidth_gbs: Some(figures.bandwidth_gbs),
        link_gbs: Some(figures.link_gbs),
        threads_per_core: None,
    };
    let mut lines = Lines::default();
    write(&Known { host, given, assumed: Some(figures.source) }, &mut lines);
    lines.text()
}

fn write(known: &Known<'_>, lines: &mut Lines) {
    let host = known.host;
    lines.first_table(&machine::TABLE);
    lines.put(&machine::NAME, quoted(&host.name));
    lines.put(&machine::SOURCE, quoted(&host.source));
    lines.maybe(&machine::THREADS_PER_CORE, host.has_second_threads().then_some(2));
    let uniform = uniform(known);
    let matrix = if let Some(cores) = uniform {
        one_table(known, cores, lines);
        comments::tail(host, false, lines);
        false
    } else {
        node_by_node(known, lines);
        known.some_bandwidth()
    };
    known.provenance(matrix, lines);
    comments::shared_links(host, uniform.is_some(), lines);
}

const BANDWIDTH: &str =
    "numasim calibrate, or STREAM triad with all cores of one node, numactl --cpunodebind=0 --membind=0";
const LINK: &str = "numasim calibrate, or mlc --bandwidth_matrix, or STREAM with --cpunodebind=0 --membind=1";

/// Without a `?`, because these keys are optional.
fn kernels() -> String {
    let keys = [&machine::COPY_GBS, &machine::TRIAD_GBS, &machine::UPDATE_GBS].map(|key| key.name);
    format!(
        "optional, for applications with a kernel that writes: {} (GB/s: numasim calibrate, or Copy and Triad of STREAM on one node)",
        keys.join(", ")
    )
}

/// The limit of a thread, which is optional.
fn thread(lines: &mut Lines) {
    let how = "  # GB/s, optional, the most one thread draws: numasim calibrate, or the same with one core";
    lines.open(&machine::CORE_BANDWIDTH_GBS, how);
}

/// The cores of each node if all nodes have the same number and equal memories, as the short form of a
/// machine requires.
fn uniform(known: &Known<'_>) -> Option<u32> {
    let host = known.host;
    let peaks_alike = known.peak(0).is_none() || known.peak_of_all().is_some();
    let first = host.nodes.first()?.cores;
    let alike = first > 0 && host.nodes.iter().all(|node| node.cores == first);
    let domains_alike = host.nodes.iter().all(|node| equal_l3(node) == equal_l3(&host.nodes[0]));
    let memories_alike = !matches!(known::of(host), Memory::Different);
    (alike && domains_alike && memories_alike && peaks_alike && host.numbered_from_zero()).then_some(first)
}

fn one_table(known: &Known<'_>, cores: u32, lines: &mut Lines) {
    let host = known.host;
    lines.put(&machine::NODES, host.nodes.len());
    let how = format_args!("  # {}", comments::cores_of(cores)).to_string();
    lines.put_or_open(&machine::CORES_PER_NODE, known.cores(cores), how);
    let cpus: Option<Vec<String>> = host
        .cpus(host.has_second_threads())
        .iter()
        .map(|cpus| cpus.as_ref().map(|list| quoted(&list.to_string())))
        .collect();
    lines.maybe(&machine::CPUS, cpus.map(list));
    lines.maybe(&machine::CORES_PER_L3, host.cores_per_l3(&host.nodes[0]));
    known::of(host).write(lines);
    llc(host, lines);
    known.put(lines, &machine::GFLOPS_PER_CORE, known.peak_of_all(), PEAK);
    if host.figures.is_some() {
        figures(known, lines);
        lines.comment(kernels());
        return;
    }
    let said: Option<Vec<f64>> = (0..host.nodes.len()).map(|node| claimed(host, node, node)).collect();
    match (known.given.bandwidth_gbs, said.as_deref()) {
        (None, Some([first, rest @ ..])) if rest.iter().all(|figure| figure == first) => {
            let (key, firmware) = (machine::BANDWIDTH_GBS.name, comments::FIRMWARE);
            lines.comment(format_args!("{key} = {first:.2}  # GB/s: {firmware}; to measure it: {BANDWIDTH}"));
        }
        (given, _) => known.put(lines, &machine::BANDWIDTH_GBS, given, &format!("    # GB/s: {BANDWIDTH}")),
    }
    lines.comment(kernels());
    if known.assumed.is_some() {
        thread(lines);
    }
    if host.nodes.len() > 1 {
        let how = format!("         # GB/s between two nodes: {LINK}");
        known.put(lines, &machine::LINK_GBS, known.given.link_gbs, &how);
        comments::shorthand(host, lines);
    }
}

/// The values of the source, as keys.
fn figures(known: &Known<'_>, lines: &mut Lines) {
    let cell = |cell: &Option<f64>| cell.map_or_else(|| OPEN.to_owned(), float);
    let cells = known.cells();
    lines.rows(&machine::BANDWIDTH_MATRIX_GBS, cells.iter().map(|row| row.iter().map(cell).collect()));
    let latency = known.host.figures.as_ref().and_then(|figures| figures.latency_ns.as_ref());
    if let Some(latency) = latency {
        let rows = latency.iter().map(|row| row.iter().copied().map(float).collect());
        lines.rows(&machine::LATENCY_MATRIX_NS, rows);
    }
}

/// The bandwidths of nodes that differ: a key if any is known, a comment otherwise.
fn matrix(known: &Known<'_>, lines: &mut Lines) {
    let host = known.host;
    let complete = known.matrix().is_some();
    let has_some = known.some_bandwidth();
    if !has_some || known.assumed.is_some() || !complete {
        lines.comment(format_args!("GB/s between two nodes: {LINK}"));
        lines.comment(format_args!("local, on the diagonal: {BANDWIDTH}"));
    }
    let axes = "row: node of the core that runs, column: node of the memory";
    if has_some {
        if known.assumed.is_some() {
            thread(lines);
        }
        lines.comment(format_args!("GB/s; {axes}"));
        if !complete {
            lines.comment(format_args!("still open: replace each {OPEN}, with its quotes, by a figure"));
        }
        figures(known, lines);
        return;
    }
    lines.comment(axes);
    if host
        .nodes
        .iter()
        .any(|node| node.firmware.as_ref().is_some_and(|said| said.read_bandwidth_gbs.is_some()))
    {
        lines.comment(format_args!("figures in the matrix: {}", comments::FIRMWARE));
    }
    lines.comment(format_args!("{} = [", machine::BANDWIDTH_MATRIX_GBS.name));
    let places = 0..host.nodes.len();
    for from in places.clone() {
        let cell = |to: usize| match claimed(host, from, to) {
            _ if host.nodes[to].without_memory() => "0".to_owned(),
            Some(gbs) => format!("{gbs:.2}"),
            None => "?".to_owned(),
        };
        lines.comment(format_args!("  {},", list(places.clone().map(cell))));
    }
    lines.comment("]");
}

fn node_by_node(known: &Known<'_>, lines: &mut Lines) {
    let host = known.host;
    matrix(known, lines);
    comments::tail(host, true, lines);
    lines.comment(format_args!("in each {}, {}", node_keys::TABLE.title, kernels()));
    // Only the first node gets the long text.
    let mut peak = PEAK;
    for ((place, node), cpus) in host.nodes.iter().enumerate().zip(host.cpus(host.has_second_threads())) {
        lines.noted_table(&node_keys::TABLE, &origin(node));
        if let Some(said) = &node.firmware {
            lines.comment(format_args!("{}: {}", comments::FIRMWARE, comments::firmware(said, node)));
        }
        let how = format_args!("  # {}", comments::cores_of(node.cores)).to_string();
        lines.put_or_open(&node_keys::CORES, known.cores(node.cores), how);
        let gflops = &node_keys::GFLOPS_PER_CORE;
        match (node.cores, &node.unusable_cpus) {
            (0, None) => lines.put(gflops, "0.0  # memory only"),
            (0, Some(list)) => {
                lines.put(gflops, format_args!("0.0  # memory only: its processors {list} cannot be used"));
            }
            (_, _) => known.put(lines, gflops, known.peak(place), std::mem::replace(&mut peak, "  # GFLOPS")),
        }
        if node.without_memory() {
            lines.put(&node_keys::MEMORY_GIB, "0  # no memory: all data of its cores is on other nodes");
        } else {
            lines.maybe(&node_keys::MEMORY_GIB, node.memory_bytes.and_then(memory_gib));
        }
        if node.cores > 0 {
            llc(host, lines);
        }
        lines.maybe(&node_keys::CORES_PER_L3, host.cores_per_l3(node));
        lines.maybe(&node_keys::CPUS, cpus.map(|list| quoted(&list.to_string())));
        lines.maybe(&node_keys::OS_NODE, (!host.numbered_from_zero()).then_some(node.os_index));
    }
}

/// The last-level cache of each node with cores, if known.
fn llc(host: &HostTopology, lines: &mut Lines) {
    lines.maybe(&machine::LLC_MB, llc_mb(host).map(|mb| format!("{mb:.2}")));
}

/// Read bandwidth in GB/s for the cores of node `from` from the memory of node `to`, as reported by the
/// firmware.
fn claimed(host: &HostTopology, from: usize, to: usize) -> Option<f64> {
    let said = host.nodes.get(to)?.firmware.as_ref()?;
    let meant = said.seen_from_os_nodes.contains(&host.nodes.get(from)?.os_index);
    said.read_bandwidth_gbs.filter(|_| meant)
}

fn origin(node: &HostNode) -> String {
    let mut text = format!("NUMA node {} of the operating system", node.os_index);
    if let [package] = node.sockets.as_slice() {
        // Writing to a String cannot fail.
        let _ = write!(text, ", on socket {package}");
    }
    if let Some(list) = node.unusable_cpus.as_ref().filter(|_| node.cores > 0) {
        let _ = write!(text, ", without its processors {list}");
    }
    text
}

#[cfg(test)]
mod tests;
