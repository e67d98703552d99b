//! What is known about memory without measuring: distances, the firmware's figures, and the figures in XML that numasim wrote.

use numasim_model::machine::FigureKind;
use numasim_model::units::GigabytesPerSecond;

use super::contents::{Contents, Memory};
use super::sets::Set;
use crate::topology::{Distances, Figures, Firmware, HostNode};
use crate::xml_file::{keys, units};

/// The firmware's figures for a memory, as seen from the cores nearest to it. `owners` are the nodes that have processors.
pub(super) fn firmware(found: &Contents, memory: &Memory, owners: &[(u32, Set)]) -> Option<Firmware> {
    if memory.near.is_empty() {
        return None;
    }
    // A figure for reads and writes alike stands in for the ones that are not there.
    let value = |one: &str, both: &str| {
        let of = |name: &str| found.value(name, memory, &memory.near);
        of(one).or_else(|| of(both))
    };
    let gbs = |mib: u64| GigabytesPerSecond::new(units::exact(mib));
    let read = value("ReadBandwidth", "Bandwidth").map(gbs);
    let write = value("WriteBandwidth", "Bandwidth").map(gbs);
    let (read_latency_ns, write_latency_ns) =
        (value("ReadLatency", "Latency"), value("WriteLatency", "Latency"));
    let says = read.is_some() || write.is_some() || read_latency_ns.is_some() || write_latency_ns.is_some();
    let mut seen_from: Vec<u32> =
        owners.iter().filter(|(_, own)| memory.near.includes(own)).map(|&(number, _)| number).collect();
    seen_from.sort_unstable();
    says.then_some(Firmware {
        seen_from,
        read_bandwidth: read,
        write_bandwidth: write,
        read_latency_ns,
        write_latency_ns,
    })
}

/// Distances between `nodes`, if there are any for all of them.
pub(super) fn distances(found: &Contents, nodes: &[HostNode]) -> Option<Distances> {
    found.distances.iter().find_map(|(numbers, values)| {
        let place = |node: &HostNode| numbers.iter().position(|&number| number == node.os_index);
        let places: Vec<usize> = nodes.iter().map(place).collect::<Option<_>>()?;
        let row = |&from: &usize| {
            places
                .iter()
                .map(|to| values.get(from * numbers.len() + to).copied())
                .collect::<Option<Vec<u64>>>()
        };
        Some(Distances { values: places.iter().map(row).collect::<Option<_>>()? })
    })
}

/// The figures; `None` where numasim did not write the XML, or a bandwidth is missing. What the firmware of a host claims are no figures:
/// it measured nothing.
pub(super) fn figures(found: &Contents, nodes: &[(HostNode, Memory)]) -> Option<Figures> {
    found.info(keys::NAME)?;
    let bandwidth = pairs(found, nodes, "Bandwidth", units::shortest)?;
    let latency_ns = pairs(found, nodes, "Latency", |ns| ns as f64);
    let kinds = [FigureKind::Measured, FigureKind::Theoretical, FigureKind::Estimated, FigureKind::Assumed];
    let kind = found.info(keys::BANDWIDTH_KIND);
    let kind = kinds.into_iter().find(|known| Some(known.as_str()) == kind.as_deref());
    let source = found.info(keys::BANDWIDTH_SOURCE).unwrap_or_else(|| "XML that numasim exported".to_owned());
    let complete = |rows: &Vec<Vec<f64>>| {
        rows.iter()
            .zip(nodes)
            .filter(|(_, (node, _))| node.cores > 0)
            .all(|(row, _)| row.iter().zip(nodes).all(|(&cell, (to, _))| cell > 0.0 || to.without_memory()))
    };
    Some(Figures {
        bandwidth: bandwidth
            .into_iter()
            .map(|row| row.into_iter().map(GigabytesPerSecond::new).collect())
            .collect(),
        latency_ns: latency_ns.filter(complete),
        gflops_per_core: found.info(keys::GFLOPS_PER_CORE).and_then(|text| peaks(&text, nodes.len())),
        origin: kind.map(|kind| (kind, source)),
    })
}

fn peaks(text: &str, nodes: usize) -> Option<Vec<f64>> {
    let peak = |word: &str| word.parse::<f64>().ok().filter(|peak| peak.is_finite() && *peak >= 0.0);
    text.split_whitespace().map(peak).collect::<Option<Vec<f64>>>().filter(|peaks| peaks.len() == nodes)
}

/// An attribute of each memory for the cores of each node. No core is on a memory-only node: its row has what the memory has
/// for all on the diagonal, and 0. Nothing reads a node without memory: its column is 0.
fn pairs(
    found: &Contents,
    nodes: &[(HostNode, Memory)],
    attribute: &str,
    in_unit: impl Fn(u64) -> f64,
) -> Option<Vec<Vec<f64>>> {
    let read = |readers: &Set, to: &Memory| found.value(attribute, to, readers).map(&in_unit);
    let row = |(from, (node, memory)): (usize, &(HostNode, Memory))| -> Option<Vec<f64>> {
        let Some(cpus) = &node.cpus else {
            let diagonal = read(&found.cpus, memory).unwrap_or(0.0);
            return Some((0..nodes.len()).map(|to| if to == from { diagonal } else { 0.0 }).collect());
        };
        let readers = Set::of(cpus.as_slice().iter().copied());
        nodes
            .iter()
            .map(|(to, memory)| if to.without_memory() { Some(0.0) } else { read(&readers, memory) })
            .collect()
    };
    nodes.iter().enumerate().map(row).collect()
}
