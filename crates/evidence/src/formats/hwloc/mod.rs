//! XML of hwloc, without hwloc. Reads a topology from the output of `lstopo --of xml` on other machines, in
//! versions 1, 2 and 3, and from the XML of hwloc itself on this one; writes a machine as XML ([`export`]). A
//! damaged file never reaches a library that trusts it.

mod contents;
mod elements;
pub mod export;
pub mod logical;
mod sets;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numasim_model::cpus::{CpuList, MAX_OS_NODE, ranges, unequal_cores, unequal_threads};
use numasim_study::topology::{
    Cache, Core, Counting, HostNode, HostTopology, Origin, Unusable, UnusableThing, Why,
};

use self::contents::{Contents, Memory};
use self::export::keys;
use self::sets::Set;

/// The reason that a text is not a topology.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// XML of a later hwloc.
    #[error("cannot import hwloc XML of version {0}: this program reads versions 1 to 3")]
    NewerXml(String),
    /// Text that is not XML of hwloc.
    #[error("this is no topology of hwloc: {0}")]
    NotXml(&'static str),
    /// XML of hwloc with an error.
    #[error("this topology of hwloc is damaged: {0}")]
    Damaged(String),
    /// A topology without the information that a machine file needs.
    #[error("this topology is no machine: {0}")]
    Unclear(String),
}

impl XmlError {
    /// The correction, with an example.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NewerXml(_) => "write it in version 2: lstopo --export-xml-flags V2 machine.xml",
            Self::NotXml(_) | Self::Damaged(_) => {
                "write the file on the machine it describes: lstopo --of xml machine.xml"
            }
            Self::Unclear(_) => {
                "import what the system itself says: numasim import numactl NUMACTL --lscpu TABLE, of `numactl --hardware` and `lscpu -e`"
            }
        }
    }
}

/// Information of the system about the machine that its XML lacks.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// NUMA nodes with their logical CPUs: hwloc moves nodes that cross sockets, and assigns logical CPUs to
    /// memories that have none.
    pub nodes: Vec<(u32, Vec<u32>)>,
    /// Offline logical CPUs.
    pub offline: Vec<u32>,
    /// Logical CPUs that this process may use.
    pub mask: Option<Vec<u32>>,
}

/// Options of reading a text.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// The name of the machine; a name in the text takes precedence unless the machine is this host.
    pub name: &'a str,
    /// The tool that read it.
    pub by: &'a str,
    /// The machine it describes.
    pub origin: Origin,
    /// The unit that is counted as a core.
    pub counting: Counting,
    /// The information of the system.
    pub system: System,
    /// Whether a person described the machine: several memories of the same logical CPUs are then intended.
    pub described: bool,
}

/// The node of a logical CPU, with its known properties.
struct Place {
    memory: Memory,
    own: Set,
    /// Whether the logical CPUs of this node may not use its memory.
    forbidden: bool,
}

/// Reads the output of `lstopo --of xml` on another machine, which is called `name` if the text has no name.
///
/// # Errors
/// Those of [`read`].
pub fn read_xml(text: &str, name: &str, counting: Counting) -> Result<HostTopology, XmlError> {
    let (origin, system) = (Origin::Other, System::default());
    read(text, &Reading { name, by: "hwloc", origin, counting, system, described: false })
}

/// Reads a topology.
///
/// # Errors
/// The line with the error, or the reason that the topology is not a machine.
pub fn read(text: &str, reading: &Reading<'_>) -> Result<HostTopology, XmlError> {
    let found = Contents::read(text)?;
    let inside = [keys::NAME, "HostName", "DMIProductName"].into_iter().find_map(|key| found.info(key));
    let (name, by) = match inside {
        Some(inside) if reading.origin == Origin::Other && inside != reading.name && !reading.described => {
            let from =
                if reading.name.is_empty() { String::new() } else { format!(" from {}", reading.name) };
            (inside, format!("{}{from}", reading.by))
        }
        Some(inside) if reading.name.is_empty() && !reading.described => (inside, reading.by.to_owned()),
        _ if reading.name.is_empty() => ("this host".to_owned(), reading.by.to_owned()),
        _ if reading.origin == Origin::Other && !reading.described => {
            (reading.name.to_owned(), format!("{} from XML", reading.by))
        }
        _ => (reading.name.to_owned(), reading.by.to_owned()),
    };
    let mut notes = Vec::new();
    let usable = usable(&found, reading);
    let places = places(&found, reading, &mut notes)?;
    let (nodes, unusable) = nodes(&found, reading, &usable, places, &mut notes)?;
    let figures = contents::figures(&found, &nodes);
    let mut nodes: Vec<HostNode> = nodes.into_iter().map(|(node, _)| node).collect();
    if figures.is_some() {
        // Values that numasim wrote there do not come from a firmware.
        for node in &mut nodes {
            node.firmware = None;
        }
    }
    let distances = contents::distances(&found, &nodes);
    if distances.is_none() && !found.distances.is_empty() {
        notes.push("distances of some of these nodes are not known: no distance_matrix".to_owned());
    }
    notes.extend(unequal(&found, &usable));
    let told = found.info(keys::SOURCE).map_or_else(String::new, |source| format!("; its figures: {source}"));
    let mut host = HostTopology {
        name,
        source: String::new(),
        origin: reading.origin,
        counting: reading.counting,
        caches: caches(&found),
        distances,
        unusable,
        figures,
        notes,
        nodes,
    };
    let each = match reading.counting {
        Counting::HardwareThreads => "every hardware thread as a core",
        Counting::Cores | Counting::Processors if host.has_second_threads() => {
            "two hardware threads per core"
        }
        Counting::Cores | Counting::Processors => "one hardware thread per core",
    };
    host.source = format!("numasim detect: read by {by}, {each}{told}");
    Ok(host)
}

/// The logical CPUs that may be used.
fn usable(found: &Contents, reading: &Reading<'_>) -> Set {
    let allowed =
        found.allowed_cpus.as_ref().map_or_else(|| found.cpus.clone(), |allowed| found.cpus.and(allowed));
    match &reading.system.mask {
        Some(mask) => allowed.and(&Set::of(mask.iter().copied())),
        None => allowed,
    }
}

/// The nodes with their logical CPUs, ascending by number.
///
/// A core counts once, even if two memories are next to the same cores (DRAM and HBM): one of them gets the
/// cores, the other is memory-only. The system reports which one it is; otherwise it is the memory with the
/// fewest cores next to it, then the lower number. Cores that are next to no memory are on nodes without
/// memory.
fn places(found: &Contents, reading: &Reading<'_>, notes: &mut Vec<String>) -> Result<Vec<Place>, XmlError> {
    let told = &reading.system.nodes;
    let mut memories = found.nodes.clone();
    for (number, cpus) in told.iter().filter(|(_, cpus)| !cpus.is_empty()) {
        if !memories.iter().any(|memory| memory.number == *number) && *number <= MAX_OS_NODE {
            let near = Set::of(cpus.iter().copied()).and(&found.cpus);
            memories.push(Memory { number: *number, near, ..Memory::default() });
        }
    }
    let ours = found.info(keys::NAME).is_some();
    let some_known = memories.iter().any(|memory| memory.bytes.is_some_and(|bytes| bytes > 0));
    // hwloc writes no memory of 0 bytes.
    for memory in memories.iter_mut().filter(|_| some_known && !ours) {
        memory.bytes = memory.bytes.or(Some(0));
    }
    let system = |number: u32| told.iter().find(|(known, _)| *known == number).map(|(_, cpus)| cpus);
    if told.is_empty() && !reading.described {
        crossing(found, &memories)?;
    }
    let mut order: Vec<usize> = (0..memories.len()).collect();
    let key = |&place: &usize| memories.get(place).map(|memory| (memory.near.len(), memory.number));
    order.sort_by_key(key);
    let allowed = |number: u32| {
        found.allowed_nodes.as_ref().is_none_or(|allowed| allowed.is_empty() || allowed.has(number))
    };
    let mut counted = Set::default();
    let mut places = Vec::new();
    for memory in order.into_iter().filter_map(|place| memories.get(place)) {
        let own = match system(memory.number) {
            Some(cpus) => {
                let own = Set::of(cpus.iter().copied()).and(&found.cpus);
                if let Some(both) = own.and(&counted).first() {
                    return Err(XmlError::Unclear(format!(
                        "processor {both} is on NUMA node {} and on another one: nodes that share processors are emulated (numa=fake), \
                         and one memory controller serves both",
                        memory.number
                    )));
                }
                own
            }
            None if memory.without_processors => Set::default(),
            None => memory.near.without(&counted),
        };
        counted.add(&own);
        places.push(Place { memory: memory.clone(), own, forbidden: !allowed(memory.number) });
    }
    without_memory(found, &counted, &mut places, notes);
    places.sort_by_key(|place| place.memory.number);
    Ok(places)
}

/// Rejects nodes that cross sockets: hwloc then writes each of them with the logical CPUs of all.
fn crossing(found: &Contents, memories: &[Memory]) -> Result<(), XmlError> {
    let sockets =
        |memory: &Memory| found.packages.iter().filter(|package| package.meets(&memory.near)).count();
    let same = |a: &Set, b: &Set| a.includes(b) && b.includes(a);
    let mut wide =
        memories.iter().filter(|memory| !memory.special && !memory.without_processors && sockets(memory) > 1);
    while let Some(first) = wide.next() {
        let twin = wide.clone().find(|other| same(&other.near, &first.near));
        if let Some(twin) = twin {
            return Err(XmlError::Unclear(format!(
                "NUMA nodes {} and {} both have all processors of {} sockets in this topology: which of them are on which node is lost \
                 (hwloc writes so where nodes and sockets cross, as in some virtual machines)",
                first.number,
                twin.number,
                sockets(first)
            )));
        }
    }
    Ok(())
}

/// Adds nodes for the cores that are next to no memory: one for each die, group or package.
fn without_memory(found: &Contents, counted: &Set, places: &mut Vec<Place>, notes: &mut Vec<String>) {
    let mut left = found.cpus.without(counted);
    if left.is_empty() {
        return;
    }
    let mut parts: Vec<&(Set, Set)> =
        found.parts.iter().filter(|(cpus, _)| !cpus.is_empty() && !cpus.meets(counted)).collect();
    parts.sort_by_key(|(cpus, _)| (std::cmp::Reverse(cpus.len()), cpus.first()));
    let mut groups: Vec<(Set, Set)> = Vec::new();
    for (cpus, nodes) in parts {
        if left.meets(cpus) {
            groups.push((left.and(cpus), nodes.clone()));
            left = left.without(cpus);
        }
    }
    if !left.is_empty() {
        groups.push((left, Set::default()));
    }
    groups.sort_by_key(|(cpus, _)| cpus.first());
    let matrix = found.distances.iter().max_by_key(|(numbers, _)| numbers.len());
    for (cpus, nodes) in groups {
        let free =
            |number: u32| number <= MAX_OS_NODE && !places.iter().any(|place| place.memory.number == number);
        let removed: Vec<u32> = nodes.numbers().into_iter().filter(|&number| free(number)).collect();
        let in_matrix =
            || matrix.and_then(|(numbers, _)| numbers.iter().copied().find(|&number| free(number)));
        let (number, how) = match removed.as_slice() {
            [number] => (Some(*number), ""),
            _ => (
                in_matrix().or_else(|| (0..=MAX_OS_NODE).find(|&number| free(number))),
                "; the number of the node is assumed",
            ),
        };
        let Some(number) = number else { continue };
        notes.push(format!(
            "processors {} are beside no memory: on node {number}, without memory{how}",
            ranges(&cpus.numbers())
        ));
        let memory = Memory { number, near: cpus.clone(), bytes: Some(0), ..Memory::default() };
        places.push(Place { memory, own: cpus, forbidden: false });
    }
}

/// Nodes in the form of a machine file, each with its memory.
type NodesWithMemory = Vec<(HostNode, Memory)>;

/// The nodes, and the unused resources.
fn nodes(
    found: &Contents,
    reading: &Reading<'_>,
    usable: &Set,
    places: Vec<Place>,
    notes: &mut Vec<String>,
) -> Result<(NodesWithMemory, Vec<Unusable>), XmlError> {
    let here = reading.origin == Origin::ThisHost;
    let mut unusable = Vec::new();
    let mut leave_out = |set: &Set, why: Why| {
        if let Ok(list) = CpuList::new(set.numbers()) {
            unusable.push(Unusable { what: UnusableThing::Cpus(list), why });
        }
    };
    let mut missing = found.complete.without(&found.cpus);
    missing.add(&Set::of(reading.system.offline.iter().copied()));
    let allowed =
        found.allowed_cpus.as_ref().map_or_else(|| found.cpus.clone(), |allowed| found.cpus.and(allowed));
    leave_out(&missing, if here { Why::Offline } else { Why::Unknown });
    leave_out(&found.cpus.without(&allowed), if here { Why::Cgroup } else { Why::Unknown });
    leave_out(&allowed.without(usable), Why::Mask);

    let owners: Vec<(u32, Set)> = places
        .iter()
        .filter(|place| !place.own.is_empty())
        .map(|place| (place.memory.number, place.own.clone()))
        .collect();
    let of_cpu: BTreeMap<u32, u32> =
        owners.iter().flat_map(|(number, own)| own.numbers().into_iter().map(|cpu| (cpu, *number))).collect();
    let mut cores: BTreeMap<u32, Vec<Core>> = BTreeMap::new();
    for core in &found.cores {
        let l3s = (0..).zip(found.caches.iter().filter(|(level, ..)| *level == 3));
        let l3 = l3s.into_iter().find(|(_, (.., cpus))| cpus.meets(core)).map(|(number, _)| number);
        // Not the whole core: a core counts even if one of its hardware threads is forbidden. A core on two
        // nodes counts on each.
        let mut on: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for cpu in core.and(usable).numbers() {
            if let Some(&node) = of_cpu.get(&cpu) {
                on.entry(node).or_default().push(cpu);
            }
        }
        for (node, cpus) in on {
            cores.entry(node).or_default().push(Core { cpus, l3 });
        }
    }

    let (mut nodes, mut forbidden, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for Place { memory, own, forbidden: closed } in places {
        let cores = cores.get(&memory.number).map(Vec::as_slice).unwrap_or_default();
        match (cores.is_empty(), closed, memory.bytes) {
            (true, true, _) => {
                forbidden.push(memory.number);
                continue;
            }
            (true, false, Some(0)) => {
                empty.push(memory.number);
                continue;
            }
            (false, true, bytes) if bytes != Some(0) => notes.push(format!(
                "node {} is without memory here: its memory may not be used ({})",
                memory.number,
                if here { Why::Cgroup.describe() } else { Why::Unknown.describe() }
            )),
            _ => {}
        }
        nodes.push((
            HostNode {
                unusable_cpus: CpuList::new(own.without(usable).numbers()).ok(),
                sockets: packages(found, &memory.near),
                memory_bytes: if closed { Some(0) } else { memory.bytes },
                firmware: contents::firmware(found, &memory, &owners),
                ..HostNode::of_cores(memory.number, cores, reading.counting)
            },
            memory,
        ));
    }
    if !forbidden.is_empty() {
        let why = if here { Why::Cgroup } else { Why::Unknown };
        unusable.push(Unusable { what: UnusableThing::Nodes(forbidden), why });
    }
    if !empty.is_empty() {
        notes.push(format!("without processors and memory, left out: node {}", ranges(&empty)));
    }
    if nodes.iter().all(|(node, _)| node.cores == 0) {
        return Err(XmlError::Unclear("it shows no core that may be used".to_owned()));
    }
    if nodes.iter().all(|(node, _)| node.memory_bytes == Some(0)) {
        return Err(XmlError::Unclear("it shows no memory that may be used".to_owned()));
    }
    Ok((nodes, unusable))
}

/// The packages whose logical CPUs are next to the memory.
fn packages(found: &Contents, near: &Set) -> Vec<u32> {
    (0..).zip(&found.packages).filter(|(_, package)| package.meets(near)).map(|(number, _)| number).collect()
}

/// The data and unified caches.
fn caches(found: &Contents) -> Vec<Cache> {
    let core_of: BTreeMap<u32, usize> = found
        .cores
        .iter()
        .enumerate()
        .flat_map(|(place, core)| core.numbers().into_iter().map(move |cpu| (cpu, place)))
        .collect();
    let mut kinds: BTreeMap<(u8, u64, u32), u32> = BTreeMap::new();
    for (level, bytes, cpus) in found.caches.iter().filter(|(_, bytes, _)| *bytes > 0) {
        let mut sharing: Vec<usize> =
            cpus.numbers().iter().filter_map(|cpu| core_of.get(cpu).copied()).collect();
        sharing.dedup();
        sharing.sort_unstable();
        sharing.dedup();
        *kinds.entry((*level, *bytes, u32::try_from(sharing.len()).unwrap_or(u32::MAX))).or_default() += 1;
    }
    kinds.into_iter().map(|((level, bytes, cores), count)| Cache { level, bytes, cores, count }).collect()
}

/// Cores that differ: a machine file has one peak for the cores of a node.
fn unequal(found: &Contents, usable: &Set) -> Vec<String> {
    let mut notes = Vec::new();
    let kinds: Vec<(Set, &String)> = found
        .kinds
        .iter()
        .map(|(cpus, words)| (cpus.and(usable), words))
        .filter(|(cpus, _)| !cpus.is_empty())
        .collect();
    if kinds.len() > 1 {
        let kind = |(cpus, words): &(Set, &String)| {
            let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
            format!("processors {}{words}", ranges(&cpus.numbers()))
        };
        let kinds: Vec<String> = kinds.iter().map(kind).collect();
        notes.push(unequal_cores(&kinds.join("; ")));
    }
    // If a hardware thread of a core is offline, the number of threads carries no information.
    if found.cpus.includes(&found.complete) {
        notes.extend(unequal_threads(found.cores.iter().map(Set::len)));
    }
    notes
}
