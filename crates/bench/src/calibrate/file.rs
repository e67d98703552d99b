//! A calibration as a machine file.

use std::fmt::Write as _;

use numasim_host::HostTopology;
use numasim_model::input::writing::quoted;

use super::{Calibration, Figure};

/// What the file says besides figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The machine's name.
    pub name: String,
    /// How and when it was measured, one line.
    pub source: String,
    /// Doubts, one line each; they become comments.
    pub doubts: Vec<String>,
}

/// The `[machine]` table with measured figures, complete for `evaluate` and `explore`.
pub fn machine_file(host: &HostTopology, calibration: &Calibration, described: &Described) -> String {
    let mut file = Text(String::new());
    file.line(&format!("# {}", described.source));
    file.line("# Figures are medians; the uncertainty is the largest deviation of a round from the median.");
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
    }
    provenance(&mut file, calibration, one_node);
    if !one_node {
        nodes(&mut file, host, calibration);
    }
    file.0
}

struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }
}

fn uniform(file: &mut Text, host: &HostTopology, calibration: &Calibration) {
    let (node, figures) = (&host.nodes[0], &calibration.nodes[0]);
    file.line("nodes = 1");
    file.line(&format!("cores_per_node = {}", node.cores));
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

fn provenance(file: &mut Text, calibration: &Calibration, one_node: bool) {
    let nodes = &calibration.nodes;
    let worst = |figures: &mut dyn Iterator<Item = Figure>| {
        figures.map(|figure| figure.uncertainty_percent()).reduce(f64::max)
    };
    file.line("\n[machine.provenance]");
    let mut entry = |key: &str, source: &str, uncertainty: Option<f64>| {
        if let Some(percent) = uncertainty {
            file.line(&format!(
                "{key} = {{ kind = \"measured\", source = {}, uncertainty_percent = {percent:.2} }}",
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
    let bandwidth = "numasim calibrate: read kernel at 1/32 FLOP/byte, best of several thread counts";
    if one_node {
        entry("bandwidth_gbs", bandwidth, worst(&mut nodes.iter().map(|node| node.bandwidth)));
    } else {
        let cells = calibration.matrix();
        entry("bandwidth_matrix_gbs", bandwidth, worst(&mut cells.iter().flatten().filter_map(|cell| *cell)));
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

fn range(figure: Figure) -> String {
    format!("{} to {} in {} rounds", short(figure.min), short(figure.max), figure.samples)
}

/// Four significant digits, and always a decimal point, so that TOML reads a float.
fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return format!("{value:.1}");
    }
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite positive number is small")]
    let before = value.log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - before).unwrap_or(0).max(1);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_significant_digits() {
        assert_eq!([0.291_23, 20.126, 131.02, 1234.56].map(short), ["0.2912", "20.13", "131.0", "1234.6"]);
    }
}
