//! Which cores belong to which NUMA node, and the caches they share.

use std::collections::BTreeMap;

use hwlocality::Topology;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::types::ObjectType;
use numasim_model::cpus::CpuList;

use super::memory;
use super::usable::{Usable, numbers};
use crate::topology::{Cache, Counting, HostNode, Origin};

/// The NUMA nodes that may be used, in ascending order of the operating system's numbers.
///
/// A core counts once, even where two memories sit beside the same cores (DRAM and HBM): one of them gets the cores, the
/// other is memory-only. Linux says which one it is; where it does not, it is the memory with the fewest cores beside it,
/// then the lower number.
pub(super) fn nodes(
    topology: &Topology,
    usable: &Usable,
    origin: Origin,
    counting: Counting,
) -> Result<Vec<HostNode>, String> {
    let mut found: Vec<(u32, &TopologyObject)> = Vec::new();
    for (place, node) in (0..).zip(topology.objects_with_type(ObjectType::NUMANode)) {
        let number = node.os_index().map_or(Ok(place), u32::try_from);
        let number = number.map_err(|_| "it has a NUMA node with a number above 2^32".to_owned())?;
        if usable.nodes.is_set(number as usize) {
            found.push((number, node));
        }
    }
    let memory_only =
        |number| origin == Origin::ThisHost && memory::linux_says_memory_only(number) == Some(true);
    found.sort_by_key(|&(number, node)| {
        (node.cpuset().and_then(|set| set.weight()).unwrap_or_default(), number)
    });

    let mut counted = CpuSet::new();
    let mut owners: Vec<(u32, CpuSet)> = Vec::new();
    for (number, node) in found.iter().filter(|&&(number, _)| !memory_only(number)) {
        let beside = node.cpuset().map(|set| set.clone_target()).unwrap_or_default();
        let own = beside - &counted;
        if !own.is_empty() {
            counted |= &own;
            owners.push((*number, own));
        }
    }

    let mut nodes = Vec::new();
    for (os_index, node) in found {
        let own = owners.iter().find(|&&(number, _)| number == os_index).map(|(_, own)| own.clone());
        let own = own.unwrap_or_default();
        let cpus = processors(topology, &(&own & &usable.cpus), counting);
        nodes.push(HostNode {
            os_index,
            cores: u32::try_from(cpus.len()).map_err(|_| format!("it shows {} cores", cpus.len()))?,
            cpus: if cpus.is_empty() {
                None
            } else {
                Some(CpuList::new(cpus).map_err(|error| error.to_string())?)
            },
            left_out: CpuList::new(numbers(&(&own - &usable.cpus))).ok(),
            packages: packages(topology, node),
            memory_bytes: Some(node.total_memory()).filter(|&bytes| bytes > 0),
            firmware: memory::firmware(topology, node, &owners),
        });
    }
    if nodes.iter().all(|node| node.cores == 0) {
        return Err("it shows no core that may be used".into());
    }
    nodes.sort_by_key(|node| node.os_index);
    Ok(nodes)
}

/// The packages whose processors the memory of `node` is beside.
fn packages(topology: &Topology, node: &TopologyObject) -> Vec<u32> {
    let Some(beside) = node.cpuset().map(|set| set.clone_target()) else { return Vec::new() };
    let all = (0..).zip(topology.objects_with_type(ObjectType::Package));
    let touched = all.filter(|(_, package)| {
        package.cpuset().is_some_and(|set| !(set.clone_target() & &beside).is_empty())
    });
    touched.map(|(number, _)| number).collect()
}

/// The processors to use of those in `own`: the first of each core, then the second of each core if they count, ...
fn processors(topology: &Topology, own: &CpuSet, counting: Counting) -> Vec<u32> {
    // Not `inside`: a core of which one hardware thread is forbidden is a core.
    let touching = |what| {
        let all = topology.objects_with_type(what);
        all.filter_map(|object| Some(object.cpuset()?.clone_target() & own)).filter(|set| !set.is_empty())
    };
    let mut cores: Vec<CpuSet> = touching(ObjectType::Core).collect();
    // Some virtual machines show hardware threads but no cores.
    if cores.is_empty() {
        cores = touching(ObjectType::PU).collect();
    }
    let threads: Vec<Vec<u32>> = cores.iter().map(numbers).collect();
    let most = match counting {
        Counting::Cores | Counting::Processors => 1,
        Counting::HardwareThreads => threads.iter().map(Vec::len).max().unwrap_or_default(),
    };
    (0..most).flat_map(|nth| threads.iter().filter_map(move |core| core.get(nth).copied())).collect()
}

/// The data and unified caches.
pub(super) fn caches(topology: &Topology) -> Vec<Cache> {
    let types = [
        ObjectType::L1Cache,
        ObjectType::L2Cache,
        ObjectType::L3Cache,
        ObjectType::L4Cache,
        ObjectType::L5Cache,
    ];
    let mut found: BTreeMap<(u8, u64, u32), u32> = BTreeMap::new();
    for (level, what) in (1..).zip(types) {
        for cache in topology.objects_with_type(what) {
            let Some(ObjectAttributes::Cache(attributes)) = cache.attributes() else { continue };
            let (Some(size), Some(set)) = (attributes.size(), cache.cpuset()) else { continue };
            let inside = |what| topology.objects_inside_cpuset_with_type(set, what).count();
            // Some virtual machines show hardware threads but no cores.
            let sharing =
                [inside(ObjectType::Core), inside(ObjectType::PU)].into_iter().find(|&count| count > 0);
            let sharing = u32::try_from(sharing.unwrap_or_default()).unwrap_or(u32::MAX);
            *found.entry((level, size.get(), sharing)).or_default() += 1;
        }
    }
    found.into_iter().map(|((level, bytes, cores), count)| Cache { level, bytes, cores, count }).collect()
}
