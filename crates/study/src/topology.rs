//! The topology of a host as plain values, read from this host, from XML of hwloc or from the output of
//! another tool. Machine files are made from it ([`crate::machine_file`]), and `numasim detect` shows it.

use std::collections::{BTreeMap, BTreeSet};

use numasim_model::cpus::{CpuList, OsNode, ranges};
use numasim_model::ids::NodeId;
use numasim_model::machine::FigureKind;
use numasim_model::units::GigabytesPerSecond;
use serde::{Serialize, Serializer};

/// The NUMA nodes of a host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostTopology {
    /// Name of the host.
    pub name: String,
    /// The tool that read it.
    pub source: String,
    /// The machine it describes.
    pub origin: Origin,
    /// The unit that is counted as a core.
    pub counting: Counting,
    /// Its NUMA nodes in ascending order of the operating system's numbers; the index of the entry is the
    /// number of the node in a machine file.
    pub nodes: Vec<HostNode>,
    /// Its data caches, the smallest level first, each kind once.
    pub caches: Vec<Cache>,
    /// Relative distances as the firmware reports them (ACPI SLIT, 10 is local), neither bandwidths nor latencies. Row: node of the
    /// core; column: node of the memory; in the order of `nodes`.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Existing logical CPUs and NUMA nodes that are not in `nodes`.
    pub unusable: Vec<Unusable>,
    /// Values of the machine that a host does not report, but the source contains: from a machine that
    /// numasim exported.
    pub figures: Option<Figures>,
    /// Further information of the source, one line each.
    pub notes: Vec<String>,
}

/// Values of a machine in addition to its topology. Rows: node of the core; columns: node of the memory; in
/// the order of [`HostTopology::nodes`]. Rows of nodes without cores are 0 except on the diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Bandwidths of reads.
    pub bandwidth: Vec<Vec<GigabytesPerSecond>>,
    /// Latencies in ns, if known.
    pub latency_ns: Option<Vec<Vec<f64>>>,
    /// Peak of a core of each node in GFLOPS, if known.
    pub gflops_per_core: Option<Vec<f64>>,
    /// Kind and source of the bandwidths.
    pub origin: Option<(FigureKind, String)>,
}

/// The machine that a topology describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The machine on which this program runs: threads can be bound to its logical CPUs.
    #[default]
    ThisHost,
    /// Another machine, or an imagined one: threads cannot be bound, and the affinity of processes on this
    /// host does not matter.
    Other,
}

/// The unit that is counted as a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Physical cores, with their first hardware thread.
    #[default]
    Cores,
    /// Each hardware thread (SMT) as a separate core.
    HardwareThreads,
    /// Logical CPUs of the operating system, because it is unknown which of them share a core: the number of
    /// cores is the same or smaller.
    Processors,
}

impl Counting {
    /// The unit in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Cores => "physical core",
            Self::HardwareThreads => "hardware thread",
            Self::Processors => "processor",
        }
    }
}

/// One NUMA node of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostNode {
    /// The operating system's number of the node (`numactl --membind`); the numbering may have gaps.
    pub os_index: u32,
    /// Cores (or hardware threads, if these are counted) that this process may use; 0 for a memory-only node.
    pub cores: u32,
    /// One logical CPU of each core, the first hardware threads of all cores first; absent without cores. On
    /// a node with several equal L3 domains the cores of a domain are consecutive.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub cpus: Option<CpuList>,
    /// The second hardware threads of these cores, in the same order; absent unless every core has exactly two.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub second_cpus: Option<CpuList>,
    /// Its L3 domains: cores that share an L3 cache. Absent if they are unknown, or all cores are in one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub l3: Vec<L3Domain>,
    /// Logical CPUs of the node that this process may not use, if the system reports their node.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub unusable_cpus: Option<CpuList>,
    /// Memory of the node in bytes, if the system reports it. Cores on a node with 0 bytes have all their data on others.
    pub memory_bytes: Option<u64>,
    /// Sockets (processor packages) next to the memory, counted from 0, ascending: usually one, several if a
    /// node spans them, none if the system does not report them.
    pub sockets: Vec<u32>,
    /// The firmware's values for this memory, if reported.
    pub firmware: Option<Firmware>,
}

/// Cores of a node that share an L3 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DetectedL3"))]
pub struct L3Domain {
    /// The number of the cache; a cache shared by several nodes has the same number in each.
    pub cache: u32,
    /// Cores (or hardware threads, if these are counted) that this process may use.
    pub cores: u32,
}

/// A core of a node, as reported by a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// Its logical CPUs (hardware threads), ascending.
    pub cpus: Vec<u32>,
    /// The number of its L3 cache, if known.
    pub l3: Option<u32>,
}

/// Memory attributes of a node from the firmware (ACPI HMAT). They are design values, not measurements, and
/// exist only for the cores nearest to the memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DetectedFirmware"))]
pub struct Firmware {
    /// Operating-system numbers of the nodes whose cores are meant: the node itself, or for a memory-only
    /// node the nearest nodes.
    pub seen_from_os_nodes: Vec<u32>,
    /// Bandwidth of reads.
    pub read_bandwidth_gbs: Option<f64>,
    /// Bandwidth of writes.
    pub write_bandwidth_gbs: Option<f64>,
    /// Latency of reads in nanoseconds.
    pub read_latency_ns: Option<u64>,
    /// Latency of writes in nanoseconds.
    pub write_latency_ns: Option<u64>,
}

/// Caches of the same level, size and sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DetectedCache"))]
pub struct Cache {
    /// 1 for L1.
    pub level: u8,
    /// Size in bytes.
    pub bytes: u64,
    /// Physical cores that share one, used by this process or not.
    pub cores: u32,
    /// Number of such caches.
    pub count: u32,
}

/// Logical CPUs or a NUMA node that exist, but not for this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The unusable resource.
    pub what: UnusableThing,
    /// The reason that it cannot be used.
    pub why: Why,
}

/// An unusable resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusableThing {
    /// Logical CPUs (hardware threads).
    Cpus(CpuList),
    /// The memory of NUMA nodes: operating-system numbers, ascending. These nodes are omitted.
    Nodes(Vec<u32>),
}

/// The reason that logical CPUs or nodes cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Switched off.
    Offline,
    /// The cgroup of this process excludes them: a container or a batch job.
    Cgroup,
    /// The CPU affinity mask of this process excludes them: `taskset`, `numactl`, a batch job, or a
    /// container.
    Mask,
    /// The description of another machine excludes them without a reason.
    Unknown,
}

impl Why {
    /// One word for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Cgroup => "not-in-cgroup",
            Self::Mask => "not-in-mask",
            Self::Unknown => "unknown",
        }
    }

    /// For people, after "are not used: ".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Cgroup => "not allowed by the cgroup of this process (container, batch job)",
            Self::Mask => "not in the CPU affinity mask of this process (taskset, batch job, container)",
            Self::Unknown => "offline or not allowed on the machine that wrote the topology",
        }
    }
}

impl Unusable {
    /// One line: `processors 6-7: offline`.
    pub fn describe(&self) -> String {
        let what = match &self.what {
            UnusableThing::Cpus(list) if list.as_slice().len() == 1 => format!("processor {list}"),
            UnusableThing::Cpus(list) => format!("processors {list}"),
            UnusableThing::Nodes(nodes) if nodes.len() == 1 => {
                format!("NUMA node {}", ranges(nodes))
            }
            UnusableThing::Nodes(nodes) => format!("NUMA nodes {}", ranges(nodes)),
        };
        format!("{what}: {}", self.why.describe())
    }
}

#[allow(clippy::ref_option, reason = "serde hands it in like this")]
fn as_text<S: Serializer>(cpus: &Option<CpuList>, out: S) -> Result<S::Ok, S::Error> {
    cpus.as_ref().map(ToString::to_string).serialize(out)
}

impl HostNode {
    /// A node with these cores, without further information. A core without logical CPUs does not count.
    pub fn of_cores(os_index: u32, cores: &[Core], counting: Counting) -> Self {
        let threads = cores.iter().map(|core| core.cpus.len()).max().unwrap_or_default();
        let most = if counting == Counting::HardwareThreads { threads } else { 1 };
        let all: Option<BTreeSet<u32>> = cores.iter().map(|core| core.l3).collect();
        let parts: Vec<Vec<&Core>> = all
            .into_iter()
            .flatten()
            .map(|cache| cores.iter().filter(|core| core.l3 == Some(cache)).collect())
            .collect();
        let counted = |cores: &[&Core]| -> usize { cores.iter().map(|core| core.cpus.len().min(most)).sum() };
        let l3: Vec<L3Domain> = parts
            .iter()
            .map(|part| L3Domain {
                cache: part.first().and_then(|core| core.l3).unwrap_or_default(),
                cores: u32::try_from(counted(part)).unwrap_or(u32::MAX),
            })
            .collect();
        // One cache per core carries no information: many virtual machines report that.
        let l3 = if l3.len() > 1 && l3.len() < cores.len() { l3 } else { Vec::new() };
        let parts = if equal(&l3).is_some() { parts } else { vec![cores.iter().collect()] };
        let nth = |nth: usize| move |core: &&Core| core.cpus.get(nth).copied();
        let cpus: Vec<u32> = parts
            .iter()
            .flat_map(|part| (0..most).flat_map(|n| part.iter().filter_map(nth(n)).collect::<Vec<_>>()))
            .collect();
        let pairs = most == 1 && threads == 2 && cores.iter().all(|core| core.cpus.len() == 2);
        let second = parts.iter().flatten().filter(|_| pairs).filter_map(nth(1)).collect();
        Self {
            os_index,
            cores: u32::try_from(cpus.len()).unwrap_or(u32::MAX),
            cpus: CpuList::new(cpus).ok(),
            second_cpus: CpuList::new(second).ok(),
            l3,
            ..Self::default()
        }
    }

    /// Whether the node has cores but no memory, and therefore no controller.
    pub fn without_memory(&self) -> bool {
        self.cores > 0 && self.memory_bytes == Some(0)
    }
}

impl HostTopology {
    /// A host with these nodes, without further information.
    pub fn from_nodes(name: impl Into<String>, source: impl Into<String>, nodes: Vec<HostNode>) -> Self {
        Self { name: name.into(), source: source.into(), nodes, ..Self::default() }
    }

    /// A host whose nodes 0, 1, ... have these numbers of cores and consecutive logical CPUs: `&[8, 8, 0]`
    /// has logical CPUs 0-7 on node 0, 8-15 on node 1, and memory only on node 2.
    pub fn from_cores(name: impl Into<String>, cores: &[u32]) -> Self {
        let mut first = 0;
        let nodes = (0..).zip(cores).map(|(os_index, &cores)| {
            let cpus = CpuList::new((first..first + cores).collect()).ok();
            first += cores;
            HostNode { os_index, cores, cpus, ..HostNode::default() }
        });
        Self::from_nodes(name, "made from numbers of cores", nodes.collect())
    }

    /// Whether every core is known to have exactly two hardware threads, the first of which is counted.
    pub fn has_second_threads(&self) -> bool {
        let with_cores = || self.nodes.iter().filter(|node| node.cores > 0);
        with_cores().next().is_some() && with_cores().all(|node| node.second_cpus.is_some())
    }

    /// The logical CPUs of each node, in the order of a machine; with `second` the second hardware threads
    /// follow the first ones.
    pub fn cpus(&self, second: bool) -> Vec<Option<CpuList>> {
        let of = |node: &HostNode| {
            let first = node.cpus.as_ref()?;
            let second = node.second_cpus.as_ref().filter(|_| second).map_or(&[][..], CpuList::as_slice);
            CpuList::new([first.as_slice(), second].concat()).ok()
        };
        self.nodes.iter().map(of).collect()
    }

    /// Numbers of nodes and their [`HostTopology::cpus`], in the form that a machine takes.
    pub fn os_nodes(&self, second: bool) -> Vec<OsNode> {
        let node = |(node, cpus): (&HostNode, _)| OsNode { number: node.os_index, cpus };
        self.nodes.iter().zip(self.cpus(second)).map(node).collect()
    }

    /// Whether the operating system numbers the nodes like a machine file: 0, 1, 2, ...
    pub fn numbered_from_zero(&self) -> bool {
        (0..).zip(&self.nodes).all(|(place, node)| node.os_index == place)
    }

    /// The cores of each L3 domain of a node, if it has several and all domains of the host have equal shares
    /// of their node.
    pub fn cores_per_l3(&self, node: &HostNode) -> Option<u32> {
        equal_l3(node).filter(|_| self.unequal_l3().is_none())
    }

    /// A line on L3 domains that a machine file cannot describe.
    pub fn unequal_l3(&self) -> Option<String> {
        let mut nodes_of: BTreeMap<u32, usize> = BTreeMap::new();
        for domain in self.nodes.iter().flat_map(|node| &node.l3) {
            *nodes_of.entry(domain.cache).or_default() += 1;
        }
        let doubt = |node: &HostNode| {
            let across =
                node.l3.iter().any(|domain| nodes_of.get(&domain.cache).is_some_and(|&nodes| nodes > 1));
            let sizes: Vec<String> = node.l3.iter().map(|domain| domain.cores.to_string()).collect();
            let end = match (across, equal_l3(node).is_none() && !node.l3.is_empty()) {
                (false, false) => return None,
                (true, _) => ", and some of these are also beside cores of other nodes",
                (false, true) => "",
            };
            Some(format!("{} on node {}{end}", sizes.join(", "), node.os_index))
        };
        let doubts: Vec<String> = self.nodes.iter().filter_map(doubt).collect();
        (!doubts.is_empty()).then(|| {
            format!(
                "L3 domains are not equal parts of a node, as {} needs them: cores that share an L3 cache are {}",
                crate::keys::machine::CORES_PER_L3.name,
                doubts.join("; ")
            )
        })
    }

    /// The sockets in ascending order, as far as the topology contains them. A node next to several sockets
    /// is on none.
    pub fn sockets(&self) -> Vec<Socket> {
        let mut sockets: Vec<Socket> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let &[number] = node.sockets.as_slice() else { continue };
            match sockets.iter_mut().find(|socket| socket.number == number) {
                Some(socket) => socket.nodes.push(NodeId(place)),
                None => sockets.push(Socket { number, nodes: vec![NodeId(place)] }),
            }
        }
        sockets.sort_unstable_by_key(|socket| socket.number);
        sockets
    }
}

/// The cores of each L3 domain of a node that has several equal ones: its `cpus` list the domains one after
/// the other.
pub(crate) fn equal_l3(node: &HostNode) -> Option<u32> {
    equal(&node.l3)
}

fn equal(domains: &[L3Domain]) -> Option<u32> {
    let first = domains.first()?.cores;
    (domains.len() > 1 && domains.iter().all(|domain| domain.cores == first)).then_some(first)
}

/// A socket and the NUMA nodes on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its number, as in [`HostNode::sockets`].
    pub number: u32,
    /// Its nodes, ascending: indices into [`HostTopology::nodes`].
    pub nodes: Vec<NodeId>,
}

/// Pairs of sockets with reads between several pairs of nodes: at least one of the two has more than one
/// node.
pub(crate) fn joined(sockets: &[Socket]) -> Vec<(&Socket, &Socket)> {
    let mut pairs = Vec::new();
    for (n, a) in sockets.iter().enumerate() {
        let several = |b: &&Socket| a.nodes.len() > 1 || b.nodes.len() > 1;
        pairs.extend(sockets[n + 1..].iter().filter(several).map(|b| (a, b)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_cores_numbers_logical_cpus_consecutively() {
        let host = HostTopology::from_cores("box", &[2, 0, 2]);
        let cpus: Vec<Option<String>> =
            host.nodes.iter().map(|node| node.cpus.as_ref().map(ToString::to_string)).collect();
        assert_eq!(cpus, [Some("0-1".into()), None, Some("2-3".into())]);
        assert!(host.numbered_from_zero());
    }

    #[test]
    fn unusable_resources_are_described_in_one_line_with_the_reason() {
        let cpus = CpuList::parse("6-7").expect("valid");
        let message = Unusable { what: UnusableThing::Cpus(cpus), why: Why::Offline };
        assert_eq!(message.describe(), "processors 6-7: offline");
        let message = Unusable { what: UnusableThing::Nodes(vec![3]), why: Why::Cgroup };
        assert_eq!(
            message.describe(),
            "NUMA node 3: not allowed by the cgroup of this process (container, batch job)"
        );
    }

    fn core(cpus: &[u32], l3: u32) -> Core {
        Core { cpus: cpus.to_vec(), l3: Some(l3) }
    }

    fn lists(node: &HostNode) -> [Option<String>; 2] {
        [&node.cpus, &node.second_cpus].map(|list| list.as_ref().map(ToString::to_string))
    }

    #[test]
    fn cores_of_an_l3_domain_are_consecutive() {
        // Numbered across the domains, as by Windows and some firmware.
        let cores = [core(&[0, 4], 7), core(&[1, 5], 9), core(&[2, 6], 7), core(&[3, 7], 9)];
        let node = HostNode::of_cores(0, &cores, Counting::Cores);
        assert_eq!(node.l3, [7, 9].map(|cache| L3Domain { cache, cores: 2 }));
        assert_eq!(lists(&node), [Some("0,2,1,3".into()), Some("4,6,5,7".into())]);
        let node = HostNode::of_cores(0, &cores, Counting::HardwareThreads);
        assert_eq!((node.cores, equal_l3(&node)), (8, Some(4)));
        assert_eq!(lists(&node), [Some("0,2,4,6,1,3,5,7".into()), None]);
    }

    #[test]
    fn one_domain_or_one_cache_per_core_gives_no_domains() {
        for caches in [[0, 0], [0, 1]] {
            let cores = [core(&[0], caches[0]), core(&[1], caches[1])];
            assert_eq!(HostNode::of_cores(0, &cores, Counting::Cores).l3, []);
        }
    }

    #[test]
    fn unequal_domains_and_domains_across_nodes_are_reported() {
        let node = |os_index, caches: &[u32]| {
            let cores: Vec<Core> =
                (0..).zip(caches).map(|(cpu, &l3)| core(&[10 * os_index + cpu], l3)).collect();
            HostNode::of_cores(os_index, &cores, Counting::Cores)
        };
        let host = |nodes: Vec<HostNode>| HostTopology::from_nodes("box", "test", nodes);
        let equal = host(vec![node(0, &[0, 0, 1, 1]), node(1, &[2, 2])]);
        assert_eq!((equal.unequal_l3(), equal.cores_per_l3(&equal.nodes[0])), (None, Some(2)));
        // A core of the second domain is offline: no core is moved, and no message is printed for the other
        // node.
        let less = host(vec![node(0, &[0, 1, 0]), node(1, &[2, 2, 3, 3])]);
        assert_eq!(lists(&less.nodes[0])[0].as_deref(), Some("0-2"));
        assert_eq!(less.cores_per_l3(&less.nodes[1]), None);
        let said = less.unequal_l3().expect("a doubt");
        assert!(said.ends_with("cores that share an L3 cache are 2, 1 on node 0"), "{said}");
        let across = host(vec![node(0, &[0, 0, 1, 1]), node(1, &[1, 1, 2, 2])]);
        let said = across.unequal_l3().expect("a doubt");
        assert!(
            said.contains("2, 2 on node 0, and some of these are also beside cores of other nodes"),
            "{said}"
        );
    }

    fn host(sockets: &[&[u32]]) -> HostTopology {
        let mut host = HostTopology::from_cores("box", &vec![2; sockets.len()]);
        for (node, sockets) in host.nodes.iter_mut().zip(sockets) {
            node.sockets = sockets.to_vec();
        }
        host
    }

    #[test]
    fn nodes_are_grouped_by_package_and_a_node_of_all_packages_is_on_none() {
        let nodes = |list: &[usize]| list.iter().copied().map(NodeId).collect::<Vec<_>>();
        let sockets = host(&[&[1], &[0], &[1], &[0, 1]]).sockets();
        assert_eq!(
            sockets,
            [Socket { number: 0, nodes: nodes(&[1]) }, Socket { number: 1, nodes: nodes(&[0, 2]) }]
        );
        assert_eq!(joined(&sockets).len(), 1);
    }

    #[test]
    fn sockets_of_one_node_each_are_joined_by_the_link_of_the_pair() {
        assert_eq!(joined(&host(&[&[0], &[1]]).sockets()), []);
    }
}
