//! From a host's topology to the skeleton of a machine file, or to one with assumed figures.

mod caches;
mod comments;
mod known;
mod memory;
mod sockets;

use std::fmt::Write as _;

use numasim_model::units::GigabytesPerSecond;
use numasim_study::writing::{PEAK, quoted};

use crate::topology::{HostNode, HostTopology};
pub use caches::llc_mb;
pub use known::Given;
use known::{Known, OPEN, pairs};
use memory::Memory;
pub use memory::memory_gib;

/// The `[machine]` table with what a topology shows.
///
/// Figures that it cannot show are comments, so that `numasim check` names each one that is still missing. What the
/// firmware claims is a comment, too: nobody measured it.
pub fn skeleton(host: &HostTopology) -> String {
    skeleton_with(host, Given::default())
}

/// [`skeleton`] with what a person gives; of a source with figures of its own, with these.
pub fn skeleton_with(host: &HostTopology, given: Given) -> String {
    let known = Known { host, given, assumed: None };
    let mut lines = comments::head(host, known.complete());
    lines.extend(written(&known));
    lines.join("\n")
}

/// Figures that stand where a topology shows none, so that a file can be computed with before anything is measured. They are
/// nobody's measurement: the file says `assumed` of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placeholders {
    /// Of every core, in GFLOPS.
    pub gflops_per_core: f64,
    /// Of every memory, in GB/s.
    pub bandwidth_gbs: f64,
    /// Of every pair of nodes, in GB/s.
    pub link_gbs: f64,
    /// What the file says of where they come from.
    pub source: &'static str,
}

/// The same with figures in the place of the open ones, kind `assumed` for each, and beside each what to measure.
pub fn with_placeholders(host: &HostTopology, figures: &Placeholders) -> String {
    let given = Given {
        gflops_per_core: Some(figures.gflops_per_core),
        bandwidth_gbs: Some(figures.bandwidth_gbs),
        link_gbs: Some(figures.link_gbs),
        threads_per_core: None,
    };
    written(&Known { host, given, assumed: Some(figures.source) }).join("\n")
}

fn written(known: &Known<'_>) -> Vec<String> {
    let host = known.host;
    let mut lines = Vec::new();
    lines.push("[machine]".into());
    lines.push(format!("name = {}", quoted(&host.name)));
    lines.push(format!("source = {}", quoted(&host.source)));
    let uniform = uniform(known);
    let matrix = if let Some(cores) = uniform {
        one_table(known, cores, &mut lines);
        lines.extend(comments::tail(host, false));
        false
    } else {
        node_by_node(known, &mut lines);
        known.some_bandwidth()
    };
    lines.extend(known.provenance(matrix));
    lines.extend(sockets::shared_links(host, uniform.is_some()));
    lines.push(String::new());
    lines
}

const BANDWIDTH: &str =
    "numasim calibrate, or STREAM triad with all cores of one node, numactl --cpunodebind=0 --membind=0";
const LINK: &str = "numasim calibrate, or mlc --bandwidth_matrix, or STREAM with --cpunodebind=0 --membind=1";

/// Not with a `?`: nobody has to fill them in.
const KERNELS: &str = "optional, for applications with a kernel that writes: copy_gbs, triad_gbs, update_gbs (GB/s: numasim calibrate, or Copy \
                       and Triad of STREAM on one node)";

/// The limit of a thread, which a study needs not have.
const THREAD: &str = "# core_bandwidth_gbs = ?  # GB/s, optional, the most one thread draws: numasim calibrate, or the same with one core";

/// The cores of each node where all are alike, as the short form of a machine needs them, and so are their memories.
fn uniform(known: &Known<'_>) -> Option<u32> {
    let host = known.host;
    let peaks_alike = known.peak(0).is_none() || known.peak_of_all().is_some();
    let first = host.nodes.first()?.cores;
    let alike = first > 0 && host.nodes.iter().all(|node| node.cores == first);
    let memories_alike = !matches!(memory::of(host), Memory::Different);
    (alike && memories_alike && peaks_alike && host.numbered_from_zero()).then_some(first)
}

fn one_table(known: &Known<'_>, cores: u32, lines: &mut Vec<String>) {
    let host = known.host;
    lines.push(format!("nodes = {}", host.nodes.len()));
    lines.push(match known.cores(cores) {
        Some(cores) => format!("cores_per_node = {cores}"),
        None => format!("# cores_per_node = ?  # {}", comments::cores_of(cores)),
    });
    let lists = host.nodes.iter().map(|node| node.cpus.as_ref().map(|list| format!("\"{list}\"")));
    if let Some(lists) = lists.collect::<Option<Vec<String>>>() {
        lines.push(format!("cpus = [{}]", lists.join(", ")));
    }
    lines.extend(memory::of(host).line());
    lines.extend(llc_line(host));
    lines.push(known.peak_of_all().map_or_else(
        || format!("# gflops_per_core = ?  {PEAK}"),
        |peak| known.line(format!("gflops_per_core = {peak:?}"), PEAK),
    ));
    if host.figures.is_some() {
        lines.extend(figures(known));
        lines.push(format!("# {KERNELS}"));
        return;
    }
    let said: Option<Vec<f64>> = (0..host.nodes.len()).map(|node| claimed(host, node, node)).collect();
    lines.push(match (known.given.bandwidth_gbs, said.as_deref()) {
        (Some(given), _) => known.line(format!("bandwidth_gbs = {given:?}"), &format!("# GB/s: {BANDWIDTH}")),
        (None, Some([first, rest @ ..])) if rest.iter().all(|figure| figure == first) => {
            format!(
                "# bandwidth_gbs = {first:.2}  # GB/s: {}; to measure it: {BANDWIDTH}",
                comments::FIRMWARE
            )
        }
        _ => format!("# bandwidth_gbs = ?    # GB/s: {BANDWIDTH}"),
    });
    lines.push(format!("# {KERNELS}"));
    lines.extend(known.assumed.map(|_| THREAD.to_owned()));
    if host.nodes.len() > 1 {
        lines.push(known.given.link_gbs.map_or_else(
            || format!("# link_gbs = ?         # GB/s between two nodes: {LINK}"),
            |given| known.line(format!("link_gbs = {given:?}"), &format!("# GB/s between two nodes: {LINK}")),
        ));
        lines.extend(sockets::shorthand(host));
    }
}

/// The figures of the source, as keys.
fn figures(known: &Known<'_>) -> Vec<String> {
    let mut lines = pairs("bandwidth_matrix_gbs", &known.cells());
    let latency = known.host.figures.as_ref().and_then(|figures| figures.latency_ns.as_ref());
    let some = |rows: &Vec<Vec<f64>>| -> Vec<Vec<Option<f64>>> {
        rows.iter().map(|row| row.iter().copied().map(Some).collect()).collect()
    };
    lines.extend(latency.map_or_else(Vec::new, |latency| pairs("latency_matrix_ns", &some(latency))));
    lines
}

/// The bandwidths of nodes that differ: a key with those that are known, a comment where none is.
fn matrix(known: &Known<'_>, lines: &mut Vec<String>) {
    let host = known.host;
    let complete = known.matrix().is_some();
    let hints =
        [format!("# GB/s between two nodes: {LINK}"), format!("# local, on the diagonal: {BANDWIDTH}")];
    if known.some_bandwidth() {
        if known.assumed.is_some() || !complete {
            lines.extend(hints);
        }
        if known.assumed.is_some() {
            lines.push(THREAD.to_owned());
        }
        lines.push("# GB/s; row: node of the core that runs, column: node of the memory".into());
        if !complete {
            lines.push(format!("# still open: replace each {OPEN}, with its quotes, by a figure"));
        }
        lines.extend(figures(known));
        return;
    }
    lines.extend(hints);
    lines.push("# row: node of the core that runs, column: node of the memory".into());
    if host.nodes.iter().any(|node| node.firmware.as_ref().is_some_and(|said| said.read_bandwidth.is_some()))
    {
        lines.push(format!("# figures in the matrix: {}", comments::FIRMWARE));
    }
    lines.push("# bandwidth_matrix_gbs = [".into());
    let places = 0..host.nodes.len();
    for from in places.clone() {
        let cell = |to: usize| match claimed(host, from, to) {
            _ if host.nodes[to].without_memory() => "0".to_owned(),
            Some(gbs) => format!("{gbs:.2}"),
            None => "?".to_owned(),
        };
        let cells: Vec<String> = places.clone().map(cell).collect();
        lines.push(format!("#   [{}],", cells.join(", ")));
    }
    lines.push("# ]".into());
}

fn node_by_node(known: &Known<'_>, lines: &mut Vec<String>) {
    let host = known.host;
    matrix(known, lines);
    lines.extend(comments::tail(host, true));
    lines.push(format!("# in each [[machine.node]], {KERNELS}"));
    // Once is enough for the long text.
    let mut peak = PEAK;
    for (place, node) in host.nodes.iter().enumerate() {
        lines.push(format!("\n[[machine.node]]  # {}", origin(node)));
        if let Some(said) = &node.firmware {
            lines.push(format!("# {}: {}", comments::FIRMWARE, comments::firmware(said, node)));
        }
        lines.push(match known.cores(node.cores) {
            Some(cores) => format!("cores = {cores}"),
            None => format!("# cores = ?  # {}", comments::cores_of(node.cores)),
        });
        lines.push(match (node.cores, &node.left_out) {
            (0, None) => "gflops_per_core = 0.0  # memory only".into(),
            (0, Some(list)) => {
                format!("gflops_per_core = 0.0  # memory only: its processors {list} cannot be used")
            }
            (_, _) => match known.peak(place) {
                Some(figure) => known
                    .line(format!("gflops_per_core = {figure:?}"), std::mem::replace(&mut peak, "# GFLOPS")),
                None => format!("# gflops_per_core = ?  {}", std::mem::replace(&mut peak, "# GFLOPS")),
            },
        });
        if node.without_memory() {
            lines.push("memory_gib = 0  # no memory: all data of its cores is on other nodes".into());
        } else if let Some(gib) = node.memory_bytes.and_then(memory_gib) {
            lines.push(format!("memory_gib = {gib}"));
        }
        lines.extend(llc_line(host).filter(|_| node.cores > 0));
        if let Some(list) = &node.cpus {
            lines.push(format!("cpus = \"{list}\""));
        }
        if !host.numbered_from_zero() {
            lines.push(format!("os_node = {}", node.os_index));
        }
    }
}

/// The last-level cache of each node with cores, where it is known.
fn llc_line(host: &HostTopology) -> Option<String> {
    llc_mb(host).map(|mb| format!("llc_mb = {mb:.2}"))
}

/// What the firmware claims for reads by the cores of node `from` from the memory of node `to`, in GB/s.
fn claimed(host: &HostTopology, from: usize, to: usize) -> Option<f64> {
    let said = host.nodes.get(to)?.firmware.as_ref()?;
    let meant = said.seen_from.contains(&host.nodes.get(from)?.os_index);
    said.read_bandwidth.filter(|_| meant).map(GigabytesPerSecond::value)
}

fn origin(node: &HostNode) -> String {
    let mut text = format!("NUMA node {} of the operating system", node.os_index);
    if let [package] = node.packages.as_slice() {
        // Writing to a String cannot fail.
        let _ = write!(text, ", on socket {package}");
    }
    if let Some(list) = node.left_out.as_ref().filter(|_| node.cores > 0) {
        let _ = write!(text, ", without its processors {list}");
    }
    text
}

#[cfg(test)]
mod tests;
