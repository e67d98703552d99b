//! A calibration as a machine file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use numasim_model::ids::NodeId;
use numasim_model::machine::{
    FigureKind, KernelVariants, LastLevelCache, MachineError, Provenance, SharedLink,
};
use numasim_model::units::{Gibibytes, Megabytes};
use numasim_model::{Access, Machine};
use numasim_study::keys::{
    Key, Table, kernels, machine as keys, node as node_keys, provenance, shared_link, sharing,
};
use numasim_study::machine_file::{llc_mb, memory_gib};
use numasim_study::topology::HostTopology;
use numasim_study::writing::machine::{Style, machine};
use numasim_study::writing::{Lines, Notes};

use crate::calibrate::steps::ranges_of;
use crate::calibrate::together::{gbs, predicted_links, predicted_nodes};
use crate::calibrate::{Calibration, Domains, Estimated, Figure, Penalty, SharedFigure, Together};

/// The contents of the file other than measured values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The machine's name.
    pub name: String,
    /// How and when it was measured, in one line.
    pub source: String,
    /// Model of the processors, as the operating system reports it.
    pub processor: Option<String>,
    /// Warnings, one line each; they become comments.
    pub doubts: Vec<String>,
}

/// The `[machine]` table with measured values, complete for `evaluate` and `explore`.
///
/// # Errors
/// The reason why the values do not form a valid machine.
pub fn machine_file(
    host: &HostTopology,
    calibration: &Calibration,
    described: &Described,
) -> Result<String, MachineError> {
    let one_node = host.nodes.len() == 1;
    let mut notes = notes(host, calibration, one_node);
    let (links, unlimited) = shared_links(calibration, &mut notes);
    let measured = measured(host, calibration, described)?.with_shared_links(links)?;
    let mut lines = Lines::noted(notes);
    lines.comment(&described.source);
    lines.comment("Figures are medians; the uncertainty is the largest deviation of a round from the median, interval95 the");
    lines.comment("half-width of the interval that holds the figure in 95 % of all cases.");
    for doubt in &described.doubts {
        lines.comment(format_args!("doubt: {}", doubt.replace('\n', " ")));
    }
    if one_node {
        lines.comment("This host has one NUMA node: there is no link to measure.");
    }
    machine(&mut lines, &measured, Style { figure: short, short: one_node });
    if !one_node && calibration.shared_links.is_empty() && host.sockets().len() > 1 {
        lines.line("\n# Each socket has one node: links between sockets are in the matrix.");
    }
    for link in &unlimited {
        lines.line(format_args!("\n# {link}"));
    }
    Ok(lines.text())
}

/// The machine without its shared links.
fn measured(
    host: &HostTopology,
    calibration: &Calibration,
    described: &Described,
) -> Result<Machine, MachineError> {
    let mut nodes = predicted_nodes(host, calibration);
    for (node, (there, figures)) in nodes.iter_mut().zip(host.nodes.iter().zip(&calibration.nodes)) {
        let gib = there.memory_bytes.and_then(memory_gib).and_then(|gib| gib.parse().ok());
        node.memory = gib.map(Gibibytes::new);
        let read = figures.read.as_ref().filter(|read| read.limits());
        node.read_bandwidth = read.map(|read| gbs(read.bandwidth));
    }
    let cache = llc_mb(host).map(|mb| LastLevelCache {
        size: Megabytes::new((mb * 100.0).round() / 100.0),
        core_bandwidth: None,
    });
    let caches = nodes.iter().map(|node| cache.filter(|_| node.cores > 0)).collect();
    let of = |access| {
        let chosen = calibration.variants.iter().find(|choice| choice.access == access)?;
        Some(chosen.variant.to_file())
    };
    let mut machine = Machine::new(&described.name, nodes, predicted_links(calibration))?
        .with_sharing(calibration.model())
        .with_source(Some(described.source.clone()))
        .with_caches(caches)?
        .with_kernel_variants(KernelVariants::new(of).tried_on(described.processor.clone()))
        .with_provenance(origins(calibration, host.nodes.len() == 1));
    if let Some(distances) = host.distances.as_ref().filter(|_| host.nodes.len() > 1) {
        let cells = distances.iter().flatten().map(|&value| value as f64).collect();
        machine = machine.with_distances(cells)?;
    }
    if let Some(latencies) = &calibration.latencies {
        let cells = latencies.ns.iter().flatten().map(|cell| cell.map_or(0.0, |ns| ns.median)).collect();
        machine = machine.with_latencies_ns(cells)?;
    }
    let second = host.has_second_threads();
    machine = machine.with_smt(second);
    let os_nodes = host.os_nodes(second);
    if !host.numbered_from_zero() || os_nodes.iter().any(|node| node.cpus.is_some()) {
        // Lists that contradict the cores are left out.
        machine = machine.clone().with_os_nodes(os_nodes).unwrap_or(machine);
    }
    Ok(machine)
}

/// The provenance of each value.
fn notes(host: &HostTopology, calibration: &Calibration, one_node: bool) -> Notes {
    let mut notes = Notes::default();
    let whole = (&keys::TABLE, 0);
    notes.above(
        whole,
        &keys::DISTANCE_MATRIX,
        "distances of the firmware, relative, 10 is local: not measured",
    );
    of_lines(&mut notes, calibration);
    if let Some(words) = calibration.siblings_in_words() {
        notes.above(whole, &keys::THREADS_PER_CORE, words);
    }
    let of_model = (&sharing::TABLE, 0);
    if calibration.penalties.len() == 1 {
        notes.behind(
            of_model,
            &sharing::ECM_WRITE_PENALTY,
            "the usual one: no kernel that writes was measured",
        );
    }
    for penalty in &calibration.penalties {
        let key = penalty.parameter.as_str();
        match (&penalty.found, sharing::TABLE.key(key)) {
            (Ok(found), Some(key)) => {
                let (interval, counts) = (found.interval(), found.counts);
                let error = 100.0 * found.mean_error;
                let note = format!("95 %: {interval}; by {counts} thread counts, mean error {error:.1} %");
                notes.behind(of_model, key, note);
            }
            (Err(why), _) => {
                let note = format!("{key} is the usual one, {}: {why}", penalty.usual());
                notes.above(of_model, &sharing::MODEL, note);
            }
            (Ok(_), None) => {}
        }
    }
    for choice in &calibration.variants {
        if let Some(key) = kernels::TABLE.key(choice.access.as_str()) {
            notes.behind(
                (&kernels::TABLE, 0),
                key,
                choice.gain.map_or_else(
                    || "the usual way".to_owned(),
                    |gain| {
                        format!("{:.3} times the usual way [{:.3}, {:.3}]", gain.median, gain.min, gain.max)
                    },
                ),
            );
        }
    }
    for (n, (node, figures)) in host.nodes.iter().zip(&calibration.nodes).enumerate() {
        let at: (&'static Table, usize) = if one_node { whole } else { (&node_keys::TABLE, n) };
        let local = saturation(calibration, n);
        if one_node {
            notes.behind(at, &keys::BANDWIDTH_GBS, local);
        } else {
            let os_index = node.os_index;
            notes.of_table(
                at,
                format!("NUMA node {os_index} of the operating system, local bandwidth {local}"),
            );
        }
        notes.behind(
            at,
            &keys::GFLOPS_PER_CORE,
            figures
                .peak_per_core
                .map_or_else(|| "memory only".to_owned(), |peak| peak_comment(calibration, n, peak)),
        );
        if let Some(ceiling) = figures.core_bandwidth {
            notes.behind(at, &keys::CORE_BANDWIDTH_GBS, format!("one thread, {}", range(ceiling)));
        }
        for (kernel, figure) in &figures.kernels {
            let part = 100.0 * figure.median / figures.bandwidth.median;
            notes.behind(at, key_of(*kernel), format!("{part:.0} % of reads, {}", range(*figure)));
        }
        if let Some(l3) = &figures.l3 {
            of_domains(&mut notes, at, l3);
        }
        if let Some(read) = &figures.read {
            let comment = format!("all {} threads, local and remote at once", node.cores);
            match judged(read) {
                (true, why) => {
                    let text = format!("{comment}, {}; {why}", range(read.bandwidth));
                    notes.behind(at, &keys::READ_GBS, text);
                }
                (false, why) => {
                    notes.above(at, &keys::READ_GBS, format!("no {}: {comment}: {why}", keys::READ_GBS.name));
                }
            }
        }
    }
    notes
}

/// The read bandwidth of an L3 domain, and whether that is a separate limit.
fn of_domains(notes: &mut Notes, at: (&'static Table, usize), l3: &Domains) {
    let two = format!("two domains at once {:.2} GB/s", l3.two.median);
    let (limits, why) = judged(&l3.one);
    if limits {
        let text = format!("at most {} threads of one, {}; {why}; {two}", l3.cores, range(l3.one.bandwidth));
        notes.behind(at, &keys::L3_READ_GBS, text);
    } else {
        let text = format!("no {}: threads of one domain: {why}; {two}", keys::L3_READ_GBS.name);
        notes.above(at, &keys::CORES_PER_L3, text);
    }
}

/// The number of outstanding lines, and its uncertainty.
fn of_lines(notes: &mut Notes, calibration: &Calibration) {
    let whole = (&keys::TABLE, 0);
    let Some(latencies) = &calibration.latencies else { return };
    let key = &keys::LATENCY_MATRIX_NS;
    notes.above(whole, key, "nanoseconds of a load: row = node of the core, column = node of the memory");
    for (node, lines) in latencies.lines.iter().enumerate() {
        let Some(lines) = lines else { continue };
        let (most, range) = (short(lines.median), range(*lines));
        notes.above(whole, key, format!(
            "a core of node {node} waits for {most} lines of its memory at the same time, {range}; for `outstanding_lines` of an application"
        ));
        if let Some(lines) = calibration.benchmark_lines(NodeId(node)) {
            let most = short(lines.median);
            let interval = lines.reach95.map_or(String::new(), |reach| {
                let (low, high) = (lines.median / (1.0 + reach), lines.median * (1.0 + reach));
                format!(" (95 %: {} to {})", short(low), short(high))
            });
            notes.above(whole, key, format!(
                "the benchmark has {most} lines under way on it{interval}: core_bandwidth_gbs x latency / 64 byte, as ecm computes it"
            ));
        }
    }
}

/// The key for the bandwidth of the memory under a kernel.
fn key_of(kernel: Access) -> &'static Key {
    keys::TABLE.key(kernel.figure_key()).unwrap_or(&keys::BANDWIDTH_GBS)
}

fn origins(calibration: &Calibration, one_node: bool) -> BTreeMap<String, Provenance> {
    let nodes = &calibration.nodes;
    let mut origins = BTreeMap::new();
    origins.extend(of_penalties(calibration).map(|origin| (provenance::SHARING.name.to_owned(), origin)));
    let mut entry = |key: &Key, how: &str, figures: &mut dyn Iterator<Item = Figure>| {
        let of = |figure: Figure| (figure.uncertainty_percent(), figure.reach95);
        // A common interval holds only if every value has one.
        let worst = figures.map(of).reduce(|(a, b), (c, d)| (a.max(c), b.zip(d).map(|(b, d)| b.max(d))));
        let Some((percent, reach)) = worst else { return };
        let origin = Provenance {
            kind: FigureKind::Measured,
            source: Some(format!("numasim calibrate: {how}")),
            uncertainty_percent: Some((1e2 * percent).round() / 1e2),
            // Rounded up: an interval that is slightly too wide keeps its coverage.
            interval95_percent: reach.map(|reach| (1e4 * reach).ceil() / 1e2),
        };
        origins.insert(key.name.to_owned(), origin);
    };
    entry(
        &provenance::GFLOPS_PER_CORE,
        "read kernel at 64 FLOP/byte on all cores of a node",
        &mut nodes.iter().filter_map(|node| node.peak_per_core),
    );
    entry(
        &provenance::CORE_BANDWIDTH_GBS,
        "read kernel at 1/32 FLOP/byte, one thread, local memory",
        &mut nodes.iter().filter_map(|node| node.core_bandwidth),
    );
    entry(
        &provenance::L3_READ_GBS,
        "read kernel at 1/32 FLOP/byte, threads of one L3 domain, local memory",
        &mut nodes.iter().filter_map(|node| node.l3.filter(|l3| l3.one.limits())).map(|l3| l3.one.bandwidth),
    );
    for kernel in Access::WRITING {
        let figures = nodes.iter().flat_map(|node| &node.kernels);
        let name = kernel.as_str();
        entry(
            key_of(kernel),
            &format!("kernel {name}, all cores of a node or as many as saturate its memory with reads"),
            &mut figures.filter(|(other, _)| *other == kernel).map(|&(_, figure)| figure),
        );
    }
    let latencies = calibration.latencies.iter().flat_map(|found| found.ns.iter().flatten());
    entry(
        &provenance::LATENCY_MATRIX_NS,
        "a chain of addresses in random order, one thread",
        &mut latencies.filter_map(|cell| *cell),
    );
    let bandwidth = "read kernel at 1/32 FLOP/byte, best of several thread counts";
    if one_node {
        entry(&provenance::BANDWIDTH_GBS, bandwidth, &mut nodes.iter().map(|node| node.bandwidth));
        return origins;
    }
    let cells = calibration.matrix();
    entry(&provenance::BANDWIDTH_MATRIX_GBS, bandwidth, &mut cells.iter().flatten().filter_map(|cell| *cell));
    let limits = calibration.shared_links.iter().map(|link| &link.together);
    entry(
        &provenance::SHARED_LINK,
        "read kernel at 1/32 FLOP/byte, all cores of a socket read the other, the better of two ways",
        &mut limits.filter(|found| found.limits()).map(|found| found.bandwidth),
    );
    let limits = nodes.iter().filter_map(|node| node.read.as_ref());
    entry(
        &provenance::READ_GBS,
        "read kernel at 1/32 FLOP/byte, all threads of a node, the better of two mixes of local and remote",
        &mut limits.filter(|found| found.limits()).map(|found| found.bandwidth),
    );
    origins
}

/// The provenance of the penalties; `None` if all are the default ones.
fn of_penalties(calibration: &Calibration) -> Option<Provenance> {
    let fitted: Vec<(&Penalty, &Estimated)> =
        calibration.penalties.iter().filter_map(|one| Some((one, one.found.as_ref().ok()?))).collect();
    let of = fitted.iter().map(|(one, found)| format!("{} {}", one.parameter.as_str(), found.interval()));
    let of = of.collect::<Vec<_>>().join(", ");
    let reach = fitted.iter().map(|(_, found)| Some(100.0 * ((found.high? / found.low?).sqrt() - 1.0)));
    let reach = reach.collect::<Option<Vec<f64>>>().and_then(|all| all.into_iter().reduce(f64::max));
    (!fitted.is_empty()).then(|| Provenance {
        kind: FigureKind::Estimated,
        source: Some(format!(
            "numasim calibrate: fitted to the bandwidth of several thread counts, 95 %: {of}"
        )),
        uncertainty_percent: None,
        interval95_percent: reach.map(|reach| (1e2 * reach).ceil() / 1e2),
    })
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

/// `31.90 to 32.05 in 5 rounds`.
pub(super) fn range(figure: Figure) -> String {
    let rounds = if figure.samples == 1 { "round" } else { "rounds" };
    format!("{} to {} in {} {rounds}", short(figure.min), short(figure.max), figure.samples)
}

/// Four significant digits, and always a decimal point, so that TOML reads a float.
pub(super) fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return format!("{value:.1}");
    }
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite positive number is small")]
    let before = value.log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - before).unwrap_or(0).max(1);
    format!("{value:.decimals$}")
}

/// Both directions of a link are one value if they differ by less than this fraction of the smaller one.
const ALIKE: f64 = 0.05;

/// The limiting links, with a note on each, and comments about the others.
pub(super) fn shared_links(calibration: &Calibration, notes: &mut Notes) -> (Vec<SharedLink>, Vec<String>) {
    let (mut limits, mut others) = (Vec::new(), Vec::new());
    let all = &calibration.shared_links;
    for (n, link) in all.iter().enumerate() {
        let back = |other: &&SharedFigure| other.sockets == (link.sockets.1, link.sockets.0);
        let back = all.iter().enumerate().find(|(_, other)| back(other) && alike(link, other));
        // Once for both directions.
        if back.is_some_and(|(m, _)| m < n) {
            continue;
        }
        let slower =
            |a: &SharedFigure, b: &SharedFigure| b.together.bandwidth.median < a.together.bandwidth.median;
        let (a, b) = link.sockets;
        let (name, slowest, meant) = match back {
            Some((_, back)) => {
                let slowest = if slower(link, back) { back } else { link };
                (format!("sockets {a} and {b}"), slowest, ", the slower direction")
            }
            None => (format!("socket {a} reads socket {b}"), link, ""),
        };
        let figure = slowest.together.bandwidth;
        let (is_limit, why) = judged(&slowest.together);
        if !is_limit {
            let nodes = format!("nodes {} and {}", ranges_of(&link.from), ranges_of(&link.to));
            others.push(format!("No shared link for {name} ({nodes}): all nodes at once: {why}"));
            continue;
        }
        let at = (&shared_link::TABLE, limits.len());
        notes.behind(at, &shared_link::GBS, format!("all nodes at once{meant}, {}; {why}", range(figure)));
        let (from, to) = (link.from.clone(), link.to.clone());
        limits.push(SharedLink { name, bandwidth: gbs(figure), from, to, both_ways: back.is_some() });
    }
    (limits, others)
}

fn alike(link: &SharedFigure, back: &SharedFigure) -> bool {
    let (a, b) = (link.together.bandwidth.median, back.together.bandwidth.median);
    link.together.limits() == back.together.limits() && (a - b).abs() <= ALIKE * a.min(b)
}

/// Whether it limits, and the comparison that shows it.
pub(super) fn judged(found: &Together) -> (bool, String) {
    let predicted = short(found.predicted_gbs);
    if found.limits() {
        return (true, format!("without this line the file predicts {predicted}"));
    }
    let share = 100.0 * found.bandwidth.median / found.predicted_gbs;
    let median = short(found.bandwidth.median);
    (false, format!("{median} GB/s, {share:.0} % of the {predicted} that the file predicts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_four_significant_digits() {
        assert_eq!([0.291_23, 20.126, 131.02, 1234.56].map(short), ["0.2912", "20.13", "131.0", "1234.6"]);
    }
}
