//! From a host's topology to the skeleton of a machine file.

mod caches;
mod comments;
mod memory;
mod sockets;

use std::fmt::Write as _;

use numasim_model::input::writing::{PEAK, quoted};
use numasim_model::units::GigabytesPerSecond;

use crate::topology::{HostNode, HostTopology};
pub use caches::llc_mb;
use memory::Memory;
pub use memory::memory_gib;

/// The `[machine]` table with what a topology shows.
///
/// Figures that it cannot show are comments, so that `numasim check` names each one that is still missing. What the
/// firmware claims is a comment, too: nobody measured it.
pub fn skeleton(host: &HostTopology) -> String {
    let mut lines = comments::head(host);
    lines.extend(written(host, None));
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

/// The same with figures in the place of the open ones, and kind `assumed` for each.
pub fn with_placeholders(host: &HostTopology, figures: &Placeholders) -> String {
    written(host, Some(figures)).join("\n")
}

fn written(host: &HostTopology, figures: Option<&Placeholders>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.push("[machine]".into());
    lines.push(format!("name = {}", quoted(&host.name)));
    lines.push(format!("source = {}", quoted(&host.source)));
    match uniform(host) {
        Some(cores) => {
            one_table(host, cores, figures, &mut lines);
            lines.extend(comments::tail(host, false));
            lines.extend(provenance(host, "bandwidth_gbs", figures));
        }
        None => node_by_node(host, figures, &mut lines),
    }
    lines.extend(sockets::shared_links(host, uniform(host).is_some()));
    lines.push(String::new());
    lines
}

/// What `[machine.provenance]` says of figures that nobody measured.
fn provenance(host: &HostTopology, memory: &'static str, figures: Option<&Placeholders>) -> Vec<String> {
    let Some(figures) = figures else { return Vec::new() };
    let link = (memory == "bandwidth_gbs" && host.nodes.len() > 1).then_some("link_gbs");
    let entry = |key| format!("{key} = {{ kind = \"assumed\", source = {} }}", quoted(figures.source));
    let entries = ["gflops_per_core", memory].into_iter().chain(link).map(entry);
    ["\n[machine.provenance]".to_owned()].into_iter().chain(entries).collect()
}

/// A key with its figure, or open for people; what to write there follows.
fn open(key: &str, figure: Option<f64>, hint: &str) -> String {
    match figure {
        Some(figure) => format!("{key} = {figure:.1}  {hint}"),
        None => format!("# {key} = ?  {hint}"),
    }
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
fn uniform(host: &HostTopology) -> Option<u32> {
    let first = host.nodes.first()?.cores;
    let alike = first > 0 && host.nodes.iter().all(|node| node.cores == first);
    let memories_alike = !matches!(memory::of(host), Memory::Different);
    (alike && memories_alike && host.numbered_from_zero()).then_some(first)
}

fn one_table(host: &HostTopology, cores: u32, figures: Option<&Placeholders>, lines: &mut Vec<String>) {
    lines.push(format!("nodes = {}", host.nodes.len()));
    lines.push(format!("cores_per_node = {cores}"));
    let lists = host.nodes.iter().map(|node| node.cpus.as_ref().map(|list| format!("\"{list}\"")));
    if let Some(lists) = lists.collect::<Option<Vec<String>>>() {
        lines.push(format!("cpus = [{}]", lists.join(", ")));
    }
    lines.extend(memory::of(host).line());
    lines.extend(llc_line(host));
    lines.push(open("gflops_per_core", figures.map(|figures| figures.gflops_per_core), PEAK));
    let said: Option<Vec<f64>> = (0..host.nodes.len()).map(|node| claimed(host, node, node)).collect();
    let bandwidth = figures.map(|figures| format!("bandwidth_gbs = {:.1}", figures.bandwidth_gbs));
    lines.push(match (said.as_deref(), bandwidth) {
        (_, Some(bandwidth)) => format!("{bandwidth}  # GB/s: {BANDWIDTH}"),
        (Some([first, rest @ ..]), None) if rest.iter().all(|figure| figure == first) => {
            format!(
                "# bandwidth_gbs = {first:.2}  # GB/s: {}; to measure it: {BANDWIDTH}",
                comments::FIRMWARE
            )
        }
        _ => format!("# bandwidth_gbs = ?    # GB/s: {BANDWIDTH}"),
    });
    lines.push(format!("# {KERNELS}"));
    lines.extend(figures.map(|_| THREAD.to_owned()));
    if host.nodes.len() > 1 {
        lines.push(match figures {
            Some(figures) => format!("link_gbs = {:.1}  # GB/s between two nodes: {LINK}", figures.link_gbs),
            None => format!("# link_gbs = ?         # GB/s between two nodes: {LINK}"),
        });
        lines.extend(sockets::shorthand(host));
    }
}

fn node_by_node(host: &HostTopology, figures: Option<&Placeholders>, lines: &mut Vec<String>) {
    let places = 0..host.nodes.len();
    lines.push(format!("# GB/s between two nodes: {LINK}"));
    lines.push(format!("# local, on the diagonal: {BANDWIDTH}"));
    lines.push("# row: node of the core that runs, column: node of the memory".into());
    let matrix: Vec<Vec<Option<f64>>> =
        places.clone().map(|from| places.clone().map(|to| claimed(host, from, to)).collect()).collect();
    if matrix.iter().flatten().any(Option::is_some) {
        lines.push(format!("# figures in the matrix: {}", comments::FIRMWARE));
    }
    lines.extend(match figures {
        Some(figures) => assumed_matrix(host, figures),
        None => open_matrix(&matrix),
    });
    lines.extend(figures.map(|_| THREAD.to_owned()));
    lines.extend(comments::tail(host, true));
    lines.extend(provenance(host, "bandwidth_matrix_gbs", figures));
    lines.push(format!("# in each [[machine.node]], {KERNELS}"));
    // Once is enough for the long text.
    let mut peak = PEAK;
    for node in &host.nodes {
        lines.push(format!("\n[[machine.node]]  # {}", origin(node)));
        if let Some(said) = &node.firmware {
            lines.push(format!("# {}: {}", comments::FIRMWARE, comments::firmware(said, node)));
        }
        lines.push(format!("cores = {}", node.cores));
        lines.push(match (node.cores, &node.left_out) {
            (0, None) => "gflops_per_core = 0.0  # memory only".into(),
            (0, Some(list)) => {
                format!("gflops_per_core = 0.0  # memory only: its processors {list} cannot be used")
            }
            (_, _) => open(
                "gflops_per_core",
                figures.map(|figures| figures.gflops_per_core),
                std::mem::replace(&mut peak, "# GFLOPS"),
            ),
        });
        if let Some(gib) = node.memory_bytes.and_then(memory_gib) {
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

/// The matrix for people to fill in, with what the firmware claims.
fn open_matrix(matrix: &[Vec<Option<f64>>]) -> Vec<String> {
    let cell = |cell: &Option<f64>| cell.map_or_else(|| "?".into(), |gbs| format!("{gbs:.2}"));
    let row = |row: &Vec<Option<f64>>| {
        let cells: Vec<String> = row.iter().map(cell).collect();
        format!("#   [{}],", cells.join(", "))
    };
    let rows = matrix.iter().map(row);
    std::iter::once("# bandwidth_matrix_gbs = [".into()).chain(rows).chain(["# ]".into()]).collect()
}

/// The matrix with the same figure for all memories and the same for all pairs; the row of a node without cores counts on its
/// diagonal only.
fn assumed_matrix(host: &HostTopology, figures: &Placeholders) -> Vec<String> {
    let row = |from: usize, node: &HostNode| {
        let cell = |to: usize| match (from == to, node.cores) {
            (true, _) => format!("{:.1}", figures.bandwidth_gbs),
            (false, 0) => "0.0".into(),
            (false, _) => format!("{:.1}", figures.link_gbs),
        };
        let cells: Vec<String> = (0..host.nodes.len()).map(cell).collect();
        format!("    [{}],", cells.join(", "))
    };
    let rows = host.nodes.iter().enumerate().map(|(from, node)| row(from, node));
    std::iter::once("bandwidth_matrix_gbs = [".into()).chain(rows).chain(["]".into()]).collect()
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
