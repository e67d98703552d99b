//! The only file that names hwlocality: its release is an alpha, and its types stay behind this door.

use hwlocality::Topology;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::object::types::ObjectType;

use crate::{DetectError, HostNode, HostTopology};

/// Reads this host.
pub(crate) fn read() -> Result<HostTopology, DetectError> {
    let topology = Topology::new().map_err(|error| DetectError::Unreadable(error.to_string()))?;
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "this host".to_owned(), |name| name.trim().to_owned());
    let nodes = nodes(&topology)?;
    Ok(HostTopology {
        name,
        source: "numasim detect: topology read by hwloc, one thread per core".into(),
        nodes,
    })
}

/// The NUMA nodes in hwloc's logical order.
///
/// A core counts once, even where two memories sit beside the same cores (DRAM and HBM): the first of them gets
/// the cores, the other is memory-only.
fn nodes(topology: &Topology) -> Result<Vec<HostNode>, DetectError> {
    let mut counted = CpuSet::new();
    let mut nodes = Vec::new();
    for node in topology.objects_with_type(ObjectType::NUMANode) {
        let own: CpuSet = node.cpuset().map(|set| set.clone_target() - &counted).unwrap_or_default();
        let cores = topology.objects_inside_cpuset_with_type(&own, ObjectType::Core).count();
        // Some virtual machines show hardware threads but no cores.
        let cores = if cores > 0 {
            cores
        } else {
            topology.objects_inside_cpuset_with_type(&own, ObjectType::PU).count()
        };
        counted |= &own;
        nodes.push(HostNode {
            os_index: node.os_index().unwrap_or(nodes.len()),
            cores: u32::try_from(cores).map_err(|_| DetectError::Unreadable(format!("{cores} cores")))?,
            memory_bytes: Some(node.total_memory()).filter(|&bytes| bytes > 0),
        });
    }
    if nodes.iter().all(|node| node.cores == 0) {
        return Err(DetectError::Unreadable("it shows no core".into()));
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(synthetic: &str) -> Vec<u32> {
        let topology = Topology::builder().from_synthetic(synthetic).expect("valid").build().expect("built");
        nodes(&topology).expect("has cores").iter().map(|node| node.cores).collect()
    }

    #[test]
    fn four_packages_of_twenty_cores_are_four_nodes() {
        assert_eq!(cores("pack:4 [numa] core:20 pu:1"), [20, 20, 20, 20]);
    }

    #[test]
    fn two_hardware_threads_of_a_core_count_once() {
        assert_eq!(cores("pack:2 [numa] core:4 pu:2"), [4, 4]);
    }

    #[test]
    fn the_second_memory_beside_the_same_cores_is_memory_only() {
        assert_eq!(cores("pack:2 [numa] [numa] core:4 pu:1"), [4, 0, 4, 0]);
    }
}
