//! What of a machine this process may use, and why not the rest.

use hwlocality::Topology;
use hwlocality::cpu::binding::CpuBindingFlags;
use hwlocality::cpu::cpuset::CpuSet;
use hwlocality::memory::nodeset::NodeSet;
use hwlocality::object::types::ObjectType;
use numasim_model::cpus::CpuList;

use crate::topology::{Origin, Unusable, UnusableThing, Why};

/// What may be used.
pub(super) struct Usable {
    /// Processors.
    pub(super) cpus: CpuSet,
    /// NUMA nodes whose memory may be used.
    pub(super) nodes: NodeSet,
    /// The rest.
    pub(super) unusable: Vec<Unusable>,
}

/// Compares what exists with what this process may use.
///
/// The topology was built with everything that the cgroup forbids: it is missing in the allowed sets only. What is
/// offline is in the complete sets only.
pub(super) fn find(topology: &Topology, origin: Origin) -> Usable {
    let here = origin == Origin::ThisHost;
    let online = topology.cpuset().clone_target();
    let missing = offline(topology, origin) | (topology.complete_cpuset().clone_target() - &online);
    let allowed = &online & topology.allowed_cpuset();
    let nodes = topology.nodeset().clone_target() & topology.allowed_nodeset();
    // Of this thread: the mask of a process is the one of its first thread, and nothing was bound yet.
    let mask = if here { topology.cpu_binding(CpuBindingFlags::THREAD).ok() } else { None };
    let mut cpus = match &mask {
        Some(mask) => &allowed & mask,
        None => allowed.clone(),
    };

    let mut unusable = Vec::new();
    let mut leave_out = |set: CpuSet, why: Why| {
        if let Ok(list) = CpuList::new(numbers(&set)) {
            unusable.push(Unusable { what: UnusableThing::Cpus(list), why });
        }
    };
    leave_out(missing, if here { Why::Offline } else { Why::Unknown });
    leave_out(&online - &allowed, if here { Why::Cgroup } else { Why::Unknown });
    leave_out(&allowed - &cpus, Why::Mask);

    let forbidden = topology.nodeset().clone_target() - &nodes;
    let mut homeless = CpuSet::new();
    let mut homes = CpuSet::new();
    for node in topology.objects_with_type(ObjectType::NUMANode) {
        let (Some(number), Some(set)) = (node.os_index(), node.cpuset()) else { continue };
        if forbidden.is_set(number) {
            homeless |= set;
        } else {
            homes |= set;
        }
    }
    let homeless = homeless - &homes;
    leave_out(&cpus & &homeless, Why::Memory);
    cpus -= &homeless;
    let numbers: Vec<u32> =
        forbidden.iter_set().filter_map(|node| u32::try_from(usize::from(node)).ok()).collect();
    if !numbers.is_empty() {
        let why = if here { Why::Cgroup } else { Why::Unknown };
        unusable.push(Unusable { what: UnusableThing::Nodes(numbers), why });
    }
    Usable { cpus, nodes, unusable }
}

/// The processors of a set, ascending.
pub(super) fn numbers(set: &CpuSet) -> Vec<u32> {
    set.iter_set().filter_map(|cpu| u32::try_from(usize::from(cpu)).ok()).collect()
}

/// Processors of this host that are there and switched off. hwloc knows them only where Linux shows their topology.
fn offline(topology: &Topology, origin: Origin) -> CpuSet {
    if origin == Origin::Other || !topology.is_this_system() {
        return CpuSet::new();
    }
    let read = |what: &str| {
        let list = std::fs::read_to_string(format!("/sys/devices/system/cpu/{what}")).ok()?;
        CpuList::parse(&list).ok()
    };
    let (Some(present), Some(online)) = (read("present"), read("online")) else { return CpuSet::new() };
    let off = present.as_slice().iter().filter(|cpu| !online.as_slice().contains(cpu));
    off.filter_map(|&cpu| hwlocality::bitmap::BitmapIndex::try_from(cpu as usize).ok()).collect()
}
