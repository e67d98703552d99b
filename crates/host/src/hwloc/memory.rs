//! What is known about memory without measuring: distances and the firmware's figures.

use hwlocality::Topology;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::memory::attribute::{Initiator, MemoryAttribute};
use hwlocality::object::TopologyObject;
use hwlocality::object::distance::DistancesKind;
use hwlocality::object::types::ObjectType;
use numasim_model::units::GigabytesPerSecond;

use crate::topology::{Distances, Firmware, HostNode};

/// What Linux says about node `number` of this host: it has memory and no processor. `None` where it does not say.
///
/// hwloc gives a memory-only node the processors from which the memory is nearest, so that it looks like a node of
/// those.
pub(super) fn linux_says_memory_only(number: u32) -> Option<bool> {
    let list = std::fs::read_to_string(format!("/sys/devices/system/node/node{number}/cpulist")).ok()?;
    Some(list.trim().is_empty())
}

/// The firmware's figures for a node, as seen from the cores nearest to it. `owners` are the nodes that have processors.
pub(super) fn firmware(
    topology: &Topology,
    node: &TopologyObject,
    owners: &[(u32, CpuSet)],
) -> Option<Firmware> {
    let near = node.cpuset()?.clone_target();
    if near.is_empty() {
        return None;
    }
    // A figure for reads and writes alike stands in for the ones that are not there.
    let value = |one: MemoryAttribute<'_>, both: MemoryAttribute<'_>| {
        let of = |attribute: &MemoryAttribute<'_>| {
            attribute
                .value(Some(Initiator::CpuSet((&near).into())), node)
                .ok()
                .flatten()
                .filter(|&value| value > 0)
        };
        of(&one).or_else(|| of(&both))
    };
    let bandwidth = || MemoryAttribute::bandwidth(topology);
    let latency = || MemoryAttribute::latency(topology);
    let mut seen_from: Vec<u32> =
        owners.iter().filter(|(_, own)| near.includes(own)).map(|&(number, _)| number).collect();
    seen_from.sort_unstable();
    let found = Firmware {
        seen_from,
        read_bandwidth: value(MemoryAttribute::read_bandwidth(topology), bandwidth()).map(from_mib),
        write_bandwidth: value(MemoryAttribute::write_bandwidth(topology), bandwidth()).map(from_mib),
        read_latency_ns: value(MemoryAttribute::read_latency(topology), latency()),
        write_latency_ns: value(MemoryAttribute::write_latency(topology), latency()),
    };
    let says = found.read_bandwidth.is_some()
        || found.write_bandwidth.is_some()
        || found.read_latency_ns.is_some()
        || found.write_latency_ns.is_some();
    says.then_some(found)
}

/// hwloc and Linux count bandwidths in MiB/s.
fn from_mib(mib_per_second: u64) -> GigabytesPerSecond {
    GigabytesPerSecond::new(mib_per_second as f64 * 1_048_576.0 / 1e9)
}

/// Distances between `nodes`, if there are any for all of them.
pub(super) fn distances(topology: &Topology, nodes: &[HostNode]) -> Option<Distances> {
    let all = topology.distances(Some(DistancesKind::FROM_OS | DistancesKind::MEANS_LATENCY)).ok()?;
    all.iter().find_map(|matrix| {
        let objects: Vec<Option<&TopologyObject>> = matrix.objects().collect();
        let place = |number: u32| {
            objects.iter().position(|object| {
                object.is_some_and(|object| {
                    object.object_type() == ObjectType::NUMANode && object.os_index() == Some(number as usize)
                })
            })
        };
        let places: Vec<usize> = nodes.iter().map(|node| place(node.os_index)).collect::<Option<_>>()?;
        let values = matrix.distances();
        let row = |&from: &usize| {
            places
                .iter()
                .map(|to| values.get(from * objects.len() + to).copied())
                .collect::<Option<Vec<u64>>>()
        };
        Some(Distances { values: places.iter().map(row).collect::<Option<_>>()? })
    })
}
