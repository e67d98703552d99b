//! Figures of a machine in XML that numasim wrote: bandwidths and latencies of every pair of nodes, and peaks.

use hwlocality::Topology;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::memory::attribute::{Initiator, MemoryAttribute};
use hwlocality::object::TopologyObject;
use hwlocality::object::types::ObjectType;
use numasim_model::machine::FigureKind;
use numasim_model::units::GigabytesPerSecond;

use super::xml::info;
use crate::topology::{Figures, HostNode};
use crate::xml_file::{keys, units};

/// The figures; `None` where numasim did not write the XML, or a bandwidth is missing. What the firmware of a host claims are no figures:
/// nobody measured it.
pub(super) fn figures(topology: &Topology, nodes: &[HostNode]) -> Option<Figures> {
    info(topology, keys::NAME)?;
    let bandwidth = pairs(topology, nodes, &MemoryAttribute::bandwidth(topology), units::shortest)?;
    let latency_ns = pairs(topology, nodes, &MemoryAttribute::latency(topology), |ns| ns as f64);
    let kinds = [FigureKind::Measured, FigureKind::Theoretical, FigureKind::Estimated, FigureKind::Assumed];
    let kind = info(topology, keys::BANDWIDTH_KIND);
    let kind = kinds.into_iter().find(|known| Some(known.as_str()) == kind.as_deref());
    let source =
        info(topology, keys::BANDWIDTH_SOURCE).unwrap_or_else(|| "XML that numasim exported".to_owned());
    Some(Figures {
        bandwidth: bandwidth
            .into_iter()
            .map(|row| row.into_iter().map(GigabytesPerSecond::new).collect())
            .collect(),
        latency_ns: latency_ns
            .filter(|rows| rows.iter().zip(nodes).all(|(row, node)| node.cores == 0 || !row.contains(&0.0))),
        gflops_per_core: info(topology, keys::GFLOPS_PER_CORE).and_then(|text| peaks(&text, nodes.len())),
        origin: kind.map(|kind| (kind, source)),
    })
}

fn peaks(text: &str, nodes: usize) -> Option<Vec<f64>> {
    let peak = |word: &str| word.parse::<f64>().ok().filter(|peak| peak.is_finite() && *peak >= 0.0);
    text.split_whitespace().map(peak).collect::<Option<Vec<f64>>>().filter(|peaks| peaks.len() == nodes)
}

/// An attribute of each memory for the cores of each node. Of a memory-only node nobody reads: its row has what the memory has
/// for all on the diagonal, and 0.
fn pairs(
    topology: &Topology,
    nodes: &[HostNode],
    attribute: &MemoryAttribute<'_>,
    in_unit: impl Fn(u64) -> f64,
) -> Option<Vec<Vec<f64>>> {
    let object = |node: &HostNode| -> Option<&TopologyObject> {
        topology
            .objects_with_type(ObjectType::NUMANode)
            .find(|object| object.os_index() == Some(node.os_index as usize))
    };
    let objects: Vec<&TopologyObject> = nodes.iter().map(object).collect::<Option<_>>()?;
    let all = topology.cpuset().clone_target();
    let read = |cpus: &CpuSet, to: usize| {
        let value = attribute.value(Some(Initiator::CpuSet(cpus.into())), objects[to]).ok().flatten();
        value.filter(|&value| value > 0).map(&in_unit)
    };
    let row = |(from, node): (usize, &HostNode)| -> Option<Vec<f64>> {
        let Some(cpus) = &node.cpus else {
            let diagonal = read(&all, from).unwrap_or(0.0);
            return Some((0..nodes.len()).map(|to| if to == from { diagonal } else { 0.0 }).collect());
        };
        let cpus: CpuSet = cpus
            .as_slice()
            .iter()
            .filter_map(|&cpu| hwlocality::bitmap::BitmapIndex::try_from(cpu as usize).ok())
            .collect();
        (0..nodes.len()).map(|to| read(&cpus, to)).collect()
    };
    nodes.iter().enumerate().map(row).collect()
}
