//! A calibration as a machine file.

use std::fmt::Write as _;

use numasim_host::HostTopology;
use numasim_host::machine_file::{llc_mb, memory_gib};
use numasim_model::Access;
use numasim_model::machine::KernelVariants;
use numasim_study::writing::{distance_matrix, kernel_variants, quoted};

use super::text::{Text, range, short};
use super::{Calibration, Figure, NodeFigures};
use super::{latency, shared_links};

/// What the file says besides figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The machine's name.
    pub name: String,
    /// How and when it was measured, one line.
    pub source: String,
    /// Model of the processors, as the operating system calls it.
    pub processor: Option<String>,
    /// Doubts, one line each; they become comments.
    pub doubts: Vec<String>,
}

/// The `[machine]` table with measured figures, complete for `evaluate` and `explore`.
pub fn machine_file(host: &HostTopology, calibration: &Calibration, described: &Described) -> String {
    let mut file = Text::default();
    file.line(&format!("# {}", described.source));
    file.line("# Figures are medians; the uncertainty is the largest deviation of a round from the median, interval95 the");
    file.line("# half-width of the interval that holds the figure in 95 % of all cases.");
    for doubt in &described.doubts {
        file.line(&format!("# doubt: {}", doubt.replace('\n', " ")));
    }
    let one_node = host.nodes.len() == 1;
    if one_node {
        file.line("# This host has one NUMA node: there is no link to measure.");
    }
    file.line("\n[machine]");
    file.line(&format!("name = {}", quoted(&described.name)));
    file.line(&format!("source = {}", quoted(&described.source)));
    if one_node {
        uniform(&mut file, host, calibration);
    } else {
        matrix(&mut file, calibration);
        if let Some(distances) = &host.distances {
            file.line("# distances of the firmware, relative, 10 is local: nobody measured them");
            let rows = distances.values.iter().map(|row| row.iter().map(|&value| value as f64).collect());
            file.line(distance_matrix(rows).trim_end());
        }
    }
    latency::write(&mut file, calibration);
    provenance(&mut file, calibration, one_node);
    variants(&mut file, calibration, described);
    if !one_node {
        nodes(&mut file, host, calibration);
        shared_links::write(&mut file, host, calibration);
    }
    file.finished()
}

fn uniform(file: &mut Text, host: &HostTopology, calibration: &Calibration) {
    let (node, figures) = (&host.nodes[0], &calibration.nodes[0]);
    file.line("nodes = 1");
    file.line(&format!("cores_per_node = {}", node.cores));
    if let Some(gib) = node.memory_bytes.and_then(memory_gib) {
        file.line(&format!("memory_gib = {gib}"));
    }
    if let Some(mb) = llc_mb(host) {
        file.line(&format!("llc_mb = {mb:.2}"));
    }
    if let Some(cpus) = &node.cpus {
        file.line(&format!("cpus = [\"{cpus}\"]"));
    }
    if let Some(peak) = figures.peak_per_core {
        file.line(&format!(
            "gflops_per_core = {}  # {}",
            short(peak.median),
            peak_comment(calibration, 0, peak)
        ));
    }
    file.line(&format!(
        "bandwidth_gbs = {}  # {}",
        short(figures.bandwidth.median),
        saturation(calibration, 0)
    ));
    if let Some(ceiling) = figures.core_bandwidth {
        file.line(&format!(
            "core_bandwidth_gbs = {}  # one thread, {}",
            short(ceiling.median),
            range(ceiling)
        ));
    }
    kernels(file, figures);
}

/// What the memory delivers to kernels that write.
fn kernels(file: &mut Text, figures: &NodeFigures) {
    for (kernel, figure) in &figures.kernels {
        let part = 100.0 * figure.median / figures.bandwidth.median;
        file.line(&format!(
            "{} = {}  # {part:.0} % of reads, {}",
            kernel.figure_key(),
            short(figure.median),
            range(*figure)
        ));
    }
}

/// Row = node of the cores, column = node of the memory. In the row of a node without cores only the diagonal counts.
fn matrix(file: &mut Text, calibration: &Calibration) {
    file.line("# row = node of the core that runs, column = node of the memory; diagonal: local bandwidth");
    file.line("bandwidth_matrix_gbs = [");
    for row in calibration.matrix() {
        let shown =
            |cell: &Option<Figure>| cell.map_or_else(|| "0.0".to_owned(), |figure| short(figure.median));
        let cells: Vec<String> = row.iter().map(shown).collect();
        file.line(&format!("    [{}],", cells.join(", ")));
    }
    file.line("]");
}

/// The ways of kernels through memory, each with what it gained.
fn variants(file: &mut Text, calibration: &Calibration, described: &Described) {
    let found = &calibration.variants;
    if found.is_empty() {
        return;
    }
    let of = |access| Some(found.iter().find(|choice| choice.access == access)?.variant.to_file());
    let written = kernel_variants(&KernelVariants::new(of).tried_on(described.processor.clone()));
    let gains = found.iter().map(|choice| match choice.gain {
        None => "the usual way".to_owned(),
        Some(gain) => format!("{:.3} times the usual way [{:.3}, {:.3}]", gain.median, gain.min, gain.max),
    });
    let mut gains = gains.collect::<Vec<_>>().into_iter();
    for line in written.trim_end().lines() {
        match line.contains(" = { ").then(|| gains.next()).flatten() {
            Some(gain) => file.line(&format!("{line}  # {gain}")),
            None => file.line(line),
        }
    }
}

fn provenance(file: &mut Text, calibration: &Calibration, one_node: bool) {
    let nodes = &calibration.nodes;
    let worst = |figures: &mut dyn Iterator<Item = Figure>| {
        let of = |figure: Figure| (figure.uncertainty_percent(), figure.reach95);
        figures.map(of).reduce(|(a, b), (c, d)| (a.max(c), b.into_iter().chain(d).reduce(f64::max)))
    };
    file.line("\n[machine.provenance]");
    let mut entry = |key: &str, source: &str, uncertainty: Option<(f64, Option<f64>)>| {
        if let Some((percent, reach)) = uncertainty {
            let interval = reach.map_or_else(String::new, |reach| {
                // Rounded up: an interval that is a little too wide keeps its promise.
                format!(", interval95_percent = {:.2}", (1e4 * reach).ceil() / 1e2)
            });
            file.line(&format!(
                "{key} = {{ kind = \"measured\", source = {}, uncertainty_percent = {percent:.2}{interval} }}",
                quoted(source)
            ));
        }
    };
    entry(
        "gflops_per_core",
        "numasim calibrate: read kernel at 64 FLOP/byte on all cores of a node",
        worst(&mut nodes.iter().filter_map(|node| node.peak_per_core)),
    );
    entry(
        "core_bandwidth_gbs",
        "numasim calibrate: read kernel at 1/32 FLOP/byte, one thread, local memory",
        worst(&mut nodes.iter().filter_map(|node| node.core_bandwidth)),
    );
    for kernel in Access::WRITING {
        let figures = nodes.iter().flat_map(|node| &node.kernels);
        entry(
            kernel.figure_key(),
            &format!(
                "numasim calibrate: kernel {}, all cores of a node or as many as saturate its memory with reads",
                kernel.as_str()
            ),
            worst(&mut figures.filter(|(other, _)| *other == kernel).map(|&(_, figure)| figure)),
        );
    }
    entry(
        "latency_matrix_ns",
        "numasim calibrate: a chain of addresses in random order, one thread",
        worst(
            &mut calibration
                .latencies
                .iter()
                .flat_map(|found| found.ns.iter().flatten())
                .filter_map(|cell| *cell),
        ),
    );
    let bandwidth = "numasim calibrate: read kernel at 1/32 FLOP/byte, best of several thread counts";
    if one_node {
        entry("bandwidth_gbs", bandwidth, worst(&mut nodes.iter().map(|node| node.bandwidth)));
    } else {
        let cells = calibration.matrix();
        entry("bandwidth_matrix_gbs", bandwidth, worst(&mut cells.iter().flatten().filter_map(|cell| *cell)));
        let limits = calibration.shared_links.iter().map(|link| &link.together);
        entry(
            "shared_link",
            "numasim calibrate: read kernel at 1/32 FLOP/byte, all cores of a socket read the other, the better of two ways",
            worst(&mut limits.filter(|found| found.limits()).map(|found| found.bandwidth)),
        );
        let limits = nodes.iter().filter_map(|node| node.read.as_ref());
        entry(
            "read_gbs",
            "numasim calibrate: read kernel at 1/32 FLOP/byte, all threads of a node, the better of two mixes of local and remote",
            worst(&mut limits.filter(|found| found.limits()).map(|found| found.bandwidth)),
        );
    }
}

fn nodes(file: &mut Text, host: &HostTopology, calibration: &Calibration) {
    for (n, (node, figures)) in host.nodes.iter().zip(&calibration.nodes).enumerate() {
        file.line(&format!(
            "\n[[machine.node]]  # NUMA node {} of the operating system, local bandwidth {}",
            node.os_index,
            saturation(calibration, n)
        ));
        file.line(&format!("cores = {}", node.cores));
        match figures.peak_per_core {
            Some(peak) => {
                file.line(&format!(
                    "gflops_per_core = {}  # {}",
                    short(peak.median),
                    peak_comment(calibration, n, peak)
                ));
            }
            None => file.line("gflops_per_core = 0.0  # memory only"),
        }
        if let Some(ceiling) = figures.core_bandwidth {
            file.line(&format!(
                "core_bandwidth_gbs = {}  # one thread, {}",
                short(ceiling.median),
                range(ceiling)
            ));
        }
        kernels(file, figures);
        if let Some(read) = &figures.read {
            let comment = format!("all {} threads, local and remote at once", node.cores);
            match shared_links::judged(read) {
                (true, why) => file.line(&format!(
                    "read_gbs = {}  # {comment}, {}; {why}",
                    short(read.bandwidth.median),
                    range(read.bandwidth)
                )),
                (false, why) => file.line(&format!("# no read_gbs: {comment}: {why}")),
            }
        }
        if let Some(gib) = node.memory_bytes.and_then(memory_gib) {
            file.line(&format!("memory_gib = {gib}"));
        }
        if let Some(mb) = llc_mb(host).filter(|_| node.cores > 0) {
            file.line(&format!("llc_mb = {mb:.2}"));
        }
        if let Some(cpus) = &node.cpus {
            file.line(&format!("cpus = \"{cpus}\""));
        }
        if !host.numbered_from_zero() {
            file.line(&format!("os_node = {}", node.os_index));
        }
    }
}

fn peak_comment(calibration: &Calibration, node: usize, peak: Figure) -> String {
    let mut text = format!("all cores busy, {}", range(peak));
    if let Some(alone) = calibration.nodes[node].peak_alone.filter(|alone| *alone != peak) {
        // Writing to a String cannot fail.
        let _ = write!(text, "; one core alone {}", short(alone.median));
    }
    text
}

fn saturation(calibration: &Calibration, node: usize) -> String {
    let figures = &calibration.nodes[node];
    let range = range(figures.bandwidth);
    match figures.saturating_threads {
        Some(1) => format!("{range}, 1 thread saturates it"),
        Some(threads) => format!("{range}, saturated by {threads} threads"),
        None => format!("{range}, read by the fastest other node"),
    }
}
