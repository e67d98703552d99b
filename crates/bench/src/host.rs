//! The only file that names hwlocality: its release is an alpha, and its types stay behind this door.

use hwlocality::Topology;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::object::TopologyObject;
use hwlocality::object::types::ObjectType;
use numasim_model::cpus::CpuList;

use crate::{HostNode, HostTopology};

/// Reads this host; the error is what hwloc says.
pub(crate) fn read() -> Result<HostTopology, String> {
    let topology = Topology::new().map_err(|error| error.to_string())?;
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "this host".to_owned(), |name| name.trim().to_owned());
    let source = "numasim detect: topology read by hwloc, one thread per core".into();
    Ok(HostTopology { name, source, nodes: nodes(&topology)? })
}

/// Reads the XML of `lstopo --of xml`; the error is what hwloc says.
pub(crate) fn read_xml(xml: &str) -> Result<HostTopology, String> {
    let builder = Topology::builder().from_xml(xml).map_err(|error| error.to_string())?;
    let topology = builder.build().map_err(|error| error.to_string())?;
    let source = "hwloc XML, one thread per core".into();
    Ok(HostTopology { name: "hwloc XML".into(), source, nodes: nodes(&topology)? })
}

/// The NUMA nodes in hwloc's logical order.
///
/// A core counts once, even where two memories sit beside the same cores (DRAM and HBM): the first of them gets
/// the cores, the other is memory-only.
fn nodes(topology: &Topology) -> Result<Vec<HostNode>, String> {
    let mut counted = CpuSet::new();
    let mut nodes: Vec<HostNode> = Vec::new();
    for node in topology.objects_with_type(ObjectType::NUMANode) {
        let own: CpuSet = node.cpuset().map(|set| set.clone_target() - &counted).unwrap_or_default();
        let inside = |what| topology.objects_inside_cpuset_with_type(&own, what).collect::<Vec<_>>();
        let mut cores = inside(ObjectType::Core);
        // Some virtual machines show hardware threads but no cores.
        if cores.is_empty() {
            cores = inside(ObjectType::PU);
        }
        let cpus = cores.iter().filter_map(|core| first_cpu(core)).collect();
        counted |= &own;
        nodes.push(HostNode {
            os_index: node
                .os_index()
                .and_then(|index| u32::try_from(index).ok())
                .or_else(|| u32::try_from(nodes.len()).ok())
                .unwrap_or_default(),
            cores: u32::try_from(cores.len()).map_err(|_| format!("{} cores", cores.len()))?,
            cpus: if cores.is_empty() {
                None
            } else {
                Some(CpuList::new(cpus).map_err(|error| error.to_string())?)
            },
            memory_bytes: Some(node.total_memory()).filter(|&bytes| bytes > 0),
        });
    }
    if nodes.iter().all(|node| node.cores == 0) {
        return Err("it shows no core".into());
    }
    Ok(nodes)
}

/// The lowest number among the hardware threads of a core that may be used.
fn first_cpu(core: &TopologyObject) -> Option<u32> {
    let set = core.cpuset()?.clone_target();
    u32::try_from(usize::from(set.first_set()?)).ok()
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

    fn cpus(xml_of: &str) -> Vec<String> {
        let topology = Topology::builder().from_synthetic(xml_of).expect("valid").build().expect("built");
        let nodes = nodes(&topology).expect("has cores");
        nodes.iter().map(|node| node.cpus.as_ref().map_or_else(String::new, ToString::to_string)).collect()
    }

    #[test]
    fn the_processor_of_a_core_is_its_first_hardware_thread() {
        // Siblings side by side: cores 0 and 1 have processors 0,1 and 2,3.
        assert_eq!(cpus("pack:2 [numa] core:2 pu:2"), ["0,2", "4,6"]);
        // As many servers number them: the second threads of all cores come after the first ones.
        assert_eq!(cpus("pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"), ["0-1", "2-3"]);
        assert_eq!(cpus("pack:1 [numa] [numa] core:2 pu:1"), ["0-1", ""]);
    }

    #[test]
    fn what_is_no_xml_of_hwloc_is_an_error() {
        assert!(read_xml("<topology").is_err());
    }

    #[test]
    fn the_second_memory_beside_the_same_cores_is_memory_only() {
        assert_eq!(cores("pack:2 [numa] [numa] core:4 pu:1"), [4, 0, 4, 0]);
    }
}
