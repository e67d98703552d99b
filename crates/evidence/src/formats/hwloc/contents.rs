//! Contents of hwloc XML, element by element: versions 1, 2 and 3.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::cpus::{MAX_CPU, MAX_OS_NODE};
use numasim_model::machine::FigureKind;
use numasim_model::units::GigabytesPerSecond;
use numasim_study::topology::{Figures, Firmware, HostNode};

use super::XmlError;
use super::elements::{Element, elements, shown};
use super::export::{exact, keys, shortest};
use super::sets::Set;

/// A topology as written by hwloc.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Texts of the machine and of the topology.
    pub(super) infos: Vec<(String, String)>,
    /// Logical CPUs of the machine that exist in the topology.
    pub(super) cpus: Set,
    /// The same, including those that are offline.
    pub(super) complete: Set,
    pub(super) allowed_cpus: Option<Set>,
    pub(super) allowed_nodes: Option<Set>,
    pub(super) nodes: Vec<Memory>,
    pub(super) cores: Vec<Set>,
    pub(super) packages: Vec<Set>,
    /// Groups, dies and packages: objects that may have logical CPUs without a memory. With the numbers of
    /// nodes that hwloc removed.
    pub(super) parts: Vec<(Set, Set)>,
    /// Level, bytes, and the logical CPUs that share it.
    pub(super) caches: Vec<(u8, u64, Set)>,
    /// Numbers of nodes, and row by row the distances between them.
    pub(super) distances: Vec<(Vec<u32>, Vec<u64>)>,
    /// By the name of an attribute and the number of a memory: values for the logical CPUs that read it.
    attributes: BTreeMap<(String, String), Vec<(Set, u64)>>,
    /// Kinds of cores: their logical CPUs, and the distinguishing property.
    pub(super) kinds: Vec<(Set, String)>,
}

/// A NUMA node.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) number: u32,
    /// The logical CPUs from which it is nearest.
    pub(super) near: Set,
    /// `None`: not in the file.
    pub(super) bytes: Option<u64>,
    /// Whether it differs from the usual memory: HBM, NVM, CXL, of a GPU.
    pub(super) special: bool,
    /// Whether the file marks it as without logical CPUs.
    pub(super) without_processors: bool,
    /// The number by which attributes refer to it.
    pub(super) object: Option<String>,
}

impl Contents {
    /// Reads the text of a file.
    pub(super) fn read(text: &str) -> Result<Self, XmlError> {
        let elements = elements(text)?;
        let version = version(&elements)?;
        let mut found = Self::default();
        let mut pus = Vec::new();
        let root = elements
            .iter()
            .position(|element| element.name == "object" && element.parent == Some(0))
            .ok_or(XmlError::NotXml("its topology has no objects"))?;
        let mut matrix = Vec::new();
        for (place, element) in elements.iter().enumerate() {
            let inside = element.parent.and_then(|parent| elements.get(parent));
            let in_object = |name: &str| inside.is_some_and(|inside| inside.name == name);
            match element.name {
                "object" if in_object("object") || place == root => {
                    found.object(&elements, element, place == root, &mut pus)?;
                }
                "info" if element.parent == Some(root) || element.parent == Some(0) => {
                    let words = element.get("name").zip(element.get("value"));
                    found.infos.extend(words.map(|(name, value)| (name.to_owned(), value.to_owned())));
                }
                "distances2" if element.parent == Some(0) => matrix.push(place),
                "distances" if version < 2 && element.parent == Some(root) => matrix.push(place),
                "memattr_value" if in_object("memattr") => {
                    let name = inside.and_then(|inside| inside.get("name")).unwrap_or_default();
                    found.attribute(name, element)?;
                }
                "cpukind" if element.parent == Some(0) => found.kind(&elements, place)?,
                _ => {}
            }
        }
        found.processors(&elements[root], &pus)?;
        for place in matrix {
            found.matrix(&elements, place)?;
        }
        Ok(found)
    }

    /// The first nonempty text with this name.
    pub(super) fn info(&self, name: &str) -> Option<String> {
        let text = self.infos.iter().find(|(known, _)| known == name).map(|(_, text)| text.trim())?;
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    /// The attribute of a memory for these readers: the first value for readers that include them.
    pub(super) fn value(&self, name: &str, memory: &Memory, readers: &Set) -> Option<u64> {
        let values = self.attributes.get(&(name.to_owned(), memory.object.clone()?))?;
        let value = values.iter().find(|(known, _)| known.includes(readers)).map(|(_, value)| *value);
        value.filter(|&value| value > 0)
    }

    fn object(
        &mut self,
        elements: &[Element<'_>],
        element: &Element<'_>,
        root: bool,
        pus: &mut Vec<u32>,
    ) -> Result<(), XmlError> {
        let kind = element.get("type").unwrap_or_default().to_ascii_lowercase();
        if root {
            self.cpus = set(element, "cpuset")?.unwrap_or_default();
            self.complete = set(element, "complete_cpuset")?.unwrap_or_default();
            self.allowed_cpus = set(element, "allowed_cpuset")?;
            // `0xf...f`: hwloc 1 had no nodes.
            self.allowed_nodes = element.get("allowed_nodeset").and_then(|text| Set::read(text).ok());
            if !matches!(kind.as_str(), "machine" | "system" | "numanode") {
                return Err(element.wrong("the outermost object is no Machine"));
            }
        }
        let cpus = || {
            set(element, "cpuset")?.ok_or_else(|| {
                element.wrong(format!(
                    "an object {} without `cpuset`",
                    shown(element.get("type").unwrap_or_default())
                ))
            })
        };
        match kind.as_str() {
            "pu" => {
                let number = number(element, "os_index", MAX_CPU)?;
                let own = Set::of([number]);
                let listed = set(element, "cpuset")?.unwrap_or_else(|| own.clone());
                if !own.includes(&listed) {
                    return Err(
                        element.wrong(format!("PU {number} has the processors of others in its `cpuset`"))
                    );
                }
                // Offline: only its `complete_cpuset` contains it.
                if !listed.is_empty() {
                    pus.push(number);
                }
            }
            "core" => self.cores.push(cpus()?),
            "package" | "socket" => {
                self.packages.push(cpus()?);
                self.part(element, cpus()?);
            }
            "group" | "die" => {
                // hwloc 1 wrote groups of devices without sets.
                if let Some(own) = set(element, "cpuset")? {
                    self.part(element, own);
                }
            }
            "numanode" | "node" => self.memory(elements, element, root, cpus()?)?,
            "cache" | "l1cache" | "l2cache" | "l3cache" | "l4cache" | "l5cache" => {
                let level = match kind.as_bytes() {
                    [b'l', digit, ..] => u64::from(digit - b'0'),
                    _ => whole(element, "depth")?,
                };
                let data = element.get("cache_type") != Some("2");
                if let Some(level) = u8::try_from(level).ok().filter(|level| data && (1..=5).contains(level))
                    && element.get("cache_size").is_some()
                {
                    self.caches.push((level, whole(element, "cache_size")?, cpus()?));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn memory(
        &mut self,
        elements: &[Element<'_>],
        element: &Element<'_>,
        root: bool,
        near: Set,
    ) -> Result<(), XmlError> {
        let number = number(element, "os_index", MAX_OS_NODE)?;
        if self.nodes.iter().any(|node| node.number == number) {
            return Err(element.wrong(format!("NUMA node {number} appears twice")));
        }
        // hwloc 1 wrote the empty set for memory that must not be used.
        let own = Set::of([number]);
        let alone = |text: &str| Set::read(text).is_ok_and(|nodes| own.includes(&nodes));
        if !["nodeset", "complete_nodeset"].into_iter().filter_map(|key| element.get(key)).all(alone) {
            return Err(element.wrong(format!("the `nodeset` of NUMA node {number} is not that node alone")));
        }
        let without_processors = near.is_empty();
        // hwloc 1.11 wrote a second memory of the same cores without logical CPUs, inside the first or next
        // to it.
        let parent = element.parent.and_then(|parent| elements.get(parent));
        let near = match parent.filter(|_| without_processors && !root) {
            Some(parent) => set(parent, "cpuset")?.unwrap_or_default(),
            None => near,
        };
        let bytes = match element.get("local_memory") {
            Some(_) => Some(whole(element, "local_memory")?),
            None => None,
        };
        let special = element.get("subtype").is_some_and(|subtype| !matches!(subtype, "" | "DRAM"));
        self.nodes.push(Memory {
            number,
            near,
            bytes,
            special,
            without_processors,
            object: object_number(element),
        });
        Ok(())
    }

    fn part(&mut self, element: &Element<'_>, cpus: Set) {
        let nodes = element.get("complete_nodeset").and_then(|text| Set::read(text).ok());
        self.parts.push((cpus, nodes.unwrap_or_default()));
    }

    fn attribute(&mut self, name: &str, element: &Element<'_>) -> Result<(), XmlError> {
        // Initiators other than logical CPUs, and attributes of other objects, are not needed.
        let Some(readers) = set(element, "initiator_cpuset")? else { return Ok(()) };
        if element.get("target_obj_type").is_none_or(|kind| kind.eq_ignore_ascii_case("numanode")) {
            let value = whole(element, "value")?;
            let object = element.get("target_obj_gp_index").unwrap_or_default().to_owned();
            self.attributes.entry((name.to_owned(), object)).or_default().push((readers, value));
        }
        Ok(())
    }

    fn kind(&mut self, elements: &[Element<'_>], place: usize) -> Result<(), XmlError> {
        let Some(element) = elements.get(place) else { return Ok(()) };
        let Some(cpus) = set(element, "cpuset")? else { return Ok(()) };
        let inside = inside(elements, place).filter(|info| info.name == "info");
        let infos: Vec<(&str, &str)> =
            inside.filter_map(|info| info.get("name").zip(info.get("value"))).collect();
        let of = |name: &str| infos.iter().find(|(known, _)| *known == name).map(|(_, value)| shown(value));
        let words = [
            of("CoreType"),
            of("CPUPart").map(|part| format!("part {part}")),
            of("FrequencyMaxMHz").map(|clock| format!("{clock} MHz")),
            of("LinuxCapacity").map(|capacity| format!("capacity {capacity}")),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        self.kinds.push((cpus, words.join(", ")));
        Ok(())
    }

    /// Checks the sets of logical CPUs against the objects that represent them.
    fn processors(&mut self, root: &Element<'_>, pus: &[u32]) -> Result<(), XmlError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = pus.iter().find(|&&number| !seen.insert(number)) {
            return Err(root.wrong(format!("processor (PU) {twice} appears twice")));
        }
        let all = Set::of(pus.iter().copied());
        if all.is_empty() {
            return Err(root.wrong("the topology shows no processor (PU)"));
        }
        let mut taken = Set::default();
        for core in &mut self.cores {
            *core = core.and(&all);
            if let Some(both) = core.and(&taken).first() {
                return Err(root.wrong(format!("processor {both} is on two cores")));
            }
            taken.add(core);
        }
        self.cores.retain(|core| !core.is_empty());
        // Some virtual machines report hardware threads without cores.
        self.cores.extend(all.without(&taken).numbers().into_iter().map(|cpu| Set::of([cpu])));
        self.cpus = all.clone();
        for near in self.nodes.iter_mut().map(|node| &mut node.near) {
            *near = near.and(&all);
        }
        let sets = self.packages.iter_mut().chain(self.parts.iter_mut().map(|(cpus, _)| cpus));
        for cpus in sets.chain(self.caches.iter_mut().map(|(.., cpus)| cpus)) {
            *cpus = cpus.and(&all);
        }
        if self.nodes.is_empty() {
            // hwloc 1: the memory belongs to the machine.
            let bytes = root.get("local_memory").map(|_| whole(root, "local_memory")).transpose()?;
            self.nodes.push(Memory { near: all, bytes, ..Memory::default() });
        }
        Ok(())
    }

    fn matrix(&mut self, elements: &[Element<'_>], place: usize) -> Result<(), XmlError> {
        let Some(element) = elements.get(place) else { return Ok(()) };
        let inside = || inside(elements, place);
        if element.name == "distances" {
            // hwloc 1: between the objects of one level, as multiples of a base.
            let base = element.get("latency_base").and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
            let values: Option<Vec<f64>> =
                inside().map(|child| Some(child.get("value")?.parse::<f64>().ok()? * base)).collect();
            let numbers: Vec<u32> = self.nodes.iter().map(|node| node.number).collect();
            let whole = |value: &f64| {
                let near = value.round();
                let distance = (value - near).abs() < 0.001 && (0.0..1e9).contains(&near);
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10^9")]
                distance.then_some(near as u64)
            };
            let values = values.and_then(|values| values.iter().map(whole).collect::<Option<Vec<u64>>>());
            if let Some(values) = values.filter(|values| values.len() == numbers.len() * numbers.len()) {
                self.distances.push((numbers, values));
            }
            return Ok(());
        }
        // Values of the system (1) that are latencies (4).
        let kind = element.get("kind").and_then(|kind| kind.parse::<u64>().ok()).unwrap_or_default();
        let of_nodes = element.get("type").is_some_and(|kind| kind.eq_ignore_ascii_case("numanode"));
        if !of_nodes || kind & 5 != 5 || element.get("indexing") != Some("os") {
            return Ok(());
        }
        let words = |name: &'static str| {
            inside().filter(move |child| child.name == name).flat_map(|child| child.text.split_whitespace())
        };
        let wrong = || element.wrong("a matrix of distances with something other than whole numbers");
        let numbers = words("indexes").map(|word| word.parse::<u32>().map_err(|_| wrong()));
        let values = words("u64values").map(|word| word.parse::<u64>().map_err(|_| wrong()));
        let (numbers, values) =
            (numbers.collect::<Result<Vec<_>, _>>()?, values.collect::<Result<Vec<_>, _>>()?);
        if values.len() != numbers.len() * numbers.len() {
            return Err(element.wrong(format!(
                "{} distances for {} NUMA nodes",
                values.len(),
                numbers.len()
            )));
        }
        self.distances.push((numbers, values));
        Ok(())
    }
}

/// The direct children of an element.
fn inside<'a, 't>(
    elements: &'a [Element<'t>],
    place: usize,
) -> impl Iterator<Item = &'a Element<'t>> + use<'a, 't> {
    let following = elements.get(place + 1..).unwrap_or_default().iter();
    let below = following.take_while(move |element| element.parent.is_some_and(|parent| parent >= place));
    below.filter(move |element| element.parent == Some(place))
}

/// The version of the format; hwloc 1 did not write it.
fn version(elements: &[Element<'_>]) -> Result<u32, XmlError> {
    let Some(text) = elements.first().and_then(|topology| topology.get("version")) else { return Ok(1) };
    let major = text.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major @ 1..=3) => Ok(major),
        _ => Err(XmlError::NewerXml(shown(text).chars().take(20).collect())),
    }
}

/// The number of an object in references: hwloc 3 writes it as `id="obj12"`.
fn object_number(element: &Element<'_>) -> Option<String> {
    let id = || element.get("id").and_then(|id| id.strip_prefix("obj"));
    element.get("gp_index").or_else(id).map(str::to_owned)
}

fn set(element: &Element<'_>, name: &str) -> Result<Option<Set>, XmlError> {
    let wrong = |what| {
        element.wrong(format!("{name}=\"{}\" is {what}", shown(element.get(name).unwrap_or_default())))
    };
    element.get(name).map(|text| Set::read(text).map_err(wrong)).transpose()
}

fn whole(element: &Element<'_>, name: &str) -> Result<u64, XmlError> {
    let text = element.get(name).unwrap_or_default();
    text.parse::<u64>().map_err(|_| element.wrong(format!("{name}=\"{}\" is no whole number", shown(text))))
}

fn number(element: &Element<'_>, name: &str, most: u32) -> Result<u32, XmlError> {
    let kind = shown(element.get("type").unwrap_or_default());
    let Some(text) = element.get(name) else {
        return Err(
            element.wrong(format!("an object {kind} without `{name}`, its number in the operating system"))
        );
    };
    let number = text.parse::<u32>().ok().filter(|&number| number <= most);
    number.ok_or_else(|| {
        element.wrong(format!("{name}=\"{}\" of a {kind} is no number from 0 to {most}", shown(text)))
    })
}

/// The firmware's values for a memory, for the cores nearest to it. `owners` are the nodes that have logical
/// CPUs.
pub(super) fn firmware(found: &Contents, memory: &Memory, owners: &[(u32, Set)]) -> Option<Firmware> {
    if memory.near.is_empty() {
        return None;
    }
    // A value for both reads and writes replaces missing separate ones.
    let value = |one: &str, both: &str| {
        let of = |name: &str| found.value(name, memory, &memory.near);
        of(one).or_else(|| of(both))
    };
    let read = value("ReadBandwidth", "Bandwidth").map(exact);
    let write = value("WriteBandwidth", "Bandwidth").map(exact);
    let (read_latency_ns, write_latency_ns) =
        (value("ReadLatency", "Latency"), value("WriteLatency", "Latency"));
    let says = read.is_some() || write.is_some() || read_latency_ns.is_some() || write_latency_ns.is_some();
    let mut seen_from_os_nodes: Vec<u32> =
        owners.iter().filter(|(_, own)| memory.near.includes(own)).map(|&(number, _)| number).collect();
    seen_from_os_nodes.sort_unstable();
    says.then_some(Firmware {
        seen_from_os_nodes,
        read_bandwidth_gbs: read,
        write_bandwidth_gbs: write,
        read_latency_ns,
        write_latency_ns,
    })
}

/// Distances between `nodes`, if the file has them for all.
pub(super) fn distances(found: &Contents, nodes: &[HostNode]) -> Option<Vec<Vec<u64>>> {
    found.distances.iter().find_map(|(numbers, values)| {
        let place = |node: &HostNode| numbers.iter().position(|&number| number == node.os_index);
        let places: Vec<usize> = nodes.iter().map(place).collect::<Option<_>>()?;
        let row = |&from: &usize| {
            places
                .iter()
                .map(|to| values.get(from * numbers.len() + to).copied())
                .collect::<Option<Vec<u64>>>()
        };
        places.iter().map(row).collect()
    })
}

/// The values of the machine; `None` if numasim did not write the XML, or a bandwidth is missing. Values of a
/// host's firmware do not count, because they are not measured.
pub(super) fn figures(found: &Contents, nodes: &[(HostNode, Memory)]) -> Option<Figures> {
    found.info(keys::NAME)?;
    let bandwidth = pairs(found, nodes, "Bandwidth", shortest)?;
    let latency_ns = pairs(found, nodes, "Latency", |ns| ns as f64);
    let kind = found.info(keys::BANDWIDTH_KIND);
    let kind = kind.as_deref().and_then(FigureKind::from_word);
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

/// An attribute of each memory for the cores of each node. A memory-only node has no cores: its row contains
/// the memory's value for all on the diagonal, and 0 elsewhere. No core reads a node without memory: its
/// column is 0.
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
