//! The topology of a host as plain values: what was read of this host, of XML of hwloc or of the output of another tool. A machine
//! file is made of it ([`crate::machine_file`]), and `numasim detect` shows it.

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
    /// What read it.
    pub source: String,
    /// The machine it describes.
    pub origin: Origin,
    /// What is counted as a core.
    pub counting: Counting,
    /// Its NUMA nodes in ascending order of the operating system's numbers; the entry's place is the number of the node in a
    /// machine file.
    pub nodes: Vec<HostNode>,
    /// Its data caches, the smallest level first, each kind once.
    pub caches: Vec<Cache>,
    /// Relative distances as the firmware reports them (ACPI SLIT, 10 is local), neither bandwidths nor latencies. Row: node of the
    /// core; column: node of the memory; in the order of `nodes`.
    pub distances: Option<Vec<Vec<u64>>>,
    /// Processors and NUMA nodes that exist and are not in `nodes`.
    pub unusable: Vec<Unusable>,
    /// Figures that the source has of the machine, and a host does not tell: of a machine that numasim exported.
    pub figures: Option<Figures>,
    /// What else the source says, in a line each.
    pub notes: Vec<String>,
}

/// Figures of a machine beside its topology. Rows: node of the core; columns: node of the memory; in the order of
/// [`HostTopology::nodes`]. Rows of nodes without cores are 0 but for the diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Bandwidths of reads.
    pub bandwidth: Vec<Vec<GigabytesPerSecond>>,
    /// Latencies in ns, where they are known.
    pub latency_ns: Option<Vec<Vec<f64>>>,
    /// Peak of a core of each node in GFLOPS, where it is known.
    pub gflops_per_core: Option<Vec<f64>>,
    /// Kind and source of the bandwidths.
    pub origin: Option<(FigureKind, String)>,
}

/// The machine that a topology describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The machine on which this program runs: its processors can be bound.
    #[default]
    ThisHost,
    /// Another machine, or an imagined one: nothing can be bound, and nobody may be kept from its processors here.
    Other,
}

/// What is counted as a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Physical cores, with their first hardware thread.
    #[default]
    Cores,
    /// Each hardware thread (SMT) as a core of its own.
    HardwareThreads,
    /// Processors of the operating system, as nobody said which of them share a core: there are as many cores, or fewer.
    Processors,
}

impl Counting {
    /// What a core is, in words.
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
    /// The operating system's number of the node (`numactl --membind`), which may leave gaps.
    pub os_index: u32,
    /// Cores (or hardware threads, if these are counted) that this process may use; 0 for a memory-only node.
    pub cores: u32,
    /// One processor of each core, the first hardware threads of all cores first; absent without cores.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub cpus: Option<CpuList>,
    /// Processors that belong to the node and that this process may not use, as far as the system says where they are.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub unusable_cpus: Option<CpuList>,
    /// Memory of the node in bytes, if the system reports it. Cores on a node with 0 bytes have all their data on others.
    pub memory_bytes: Option<u64>,
    /// Sockets (processor packages) next to the memory, counted from 0, ascending: usually one, several if a node spans them, none if
    /// the system does not tell.
    pub sockets: Vec<u32>,
    /// What the firmware reports about this memory, if it does.
    pub firmware: Option<Firmware>,
}

/// Memory attributes of a node from the firmware (ACPI HMAT). They are design figures, not measurements, and exist for the
/// cores nearest to the memory only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DetectedFirmware"))]
pub struct Firmware {
    /// Operating-system numbers of the nodes whose cores are meant: the node itself, or for a memory-only node those nearest.
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
    /// How many there are.
    pub count: u32,
}

/// Processors or a NUMA node that exist, but not for this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// What it is.
    pub what: UnusableThing,
    /// Why it cannot be used.
    pub why: Why,
}

/// What cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusableThing {
    /// Processors (hardware threads).
    Cpus(CpuList),
    /// The memory of NUMA nodes: operating-system numbers, ascending. These nodes are left out.
    Nodes(Vec<u32>),
}

/// Why processors or nodes cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Switched off.
    Offline,
    /// The cgroup of this process leaves them out: a container or a batch job.
    Cgroup,
    /// The processor mask of this process leaves them out: `taskset`, `numactl`, a batch job, or a container.
    Mask,
    /// Another machine's description leaves them out, and does not say why.
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
    /// Cores without memory of their node: it has no controller.
    pub fn without_memory(&self) -> bool {
        self.cores > 0 && self.memory_bytes == Some(0)
    }
}

impl HostTopology {
    /// A host of these nodes, of which nothing else is known.
    pub fn from_nodes(name: impl Into<String>, source: impl Into<String>, nodes: Vec<HostNode>) -> Self {
        Self { name: name.into(), source: source.into(), nodes, ..Self::default() }
    }

    /// A host whose nodes 0, 1, ... have this many cores and consecutive processors: `&[8, 8, 0]` has processors 0-7 on
    /// node 0, 8-15 on node 1, and memory only on node 2.
    pub fn from_cores(name: impl Into<String>, cores: &[u32]) -> Self {
        let mut first = 0;
        let nodes = (0..).zip(cores).map(|(os_index, &cores)| {
            let cpus = CpuList::new((first..first + cores).collect()).ok();
            first += cores;
            HostNode { os_index, cores, cpus, ..HostNode::default() }
        });
        Self::from_nodes(name, "made from numbers of cores", nodes.collect())
    }

    /// Numbers of nodes and processors, as a machine takes them.
    pub fn os_nodes(&self) -> Vec<OsNode> {
        let node = |node: &HostNode| OsNode { number: node.os_index, cpus: node.cpus.clone() };
        self.nodes.iter().map(node).collect()
    }

    /// The operating system numbers the nodes as a machine file does: 0, 1, 2, ...
    pub fn numbered_from_zero(&self) -> bool {
        (0..).zip(&self.nodes).all(|(place, node)| node.os_index == place)
    }

    /// The sockets in ascending order, as far as the topology shows them. A node beside several sockets is on none.
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

/// A socket and the NUMA nodes on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its number, as in [`HostNode::sockets`].
    pub number: u32,
    /// Its nodes, ascending: places in [`HostTopology::nodes`].
    pub nodes: Vec<NodeId>,
}

/// Pairs of sockets between which several pairs of nodes read: at least one of the two has more than one node.
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
    fn a_host_made_from_numbers_of_cores_counts_processors_on() {
        let host = HostTopology::from_cores("box", &[2, 0, 2]);
        let cpus: Vec<Option<String>> =
            host.nodes.iter().map(|node| node.cpus.as_ref().map(ToString::to_string)).collect();
        assert_eq!(cpus, [Some("0-1".into()), None, Some("2-3".into())]);
        assert!(host.numbered_from_zero());
    }

    #[test]
    fn one_line_says_what_cannot_be_used_and_why() {
        let cpus = CpuList::parse("6-7").expect("valid");
        let message = Unusable { what: UnusableThing::Cpus(cpus), why: Why::Offline };
        assert_eq!(message.describe(), "processors 6-7: offline");
        let message = Unusable { what: UnusableThing::Nodes(vec![3]), why: Why::Cgroup };
        assert_eq!(
            message.describe(),
            "NUMA node 3: not allowed by the cgroup of this process (container, batch job)"
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
    fn nodes_are_grouped_by_their_package_and_one_beside_all_is_on_none() {
        let nodes = |list: &[usize]| list.iter().copied().map(NodeId).collect::<Vec<_>>();
        let sockets = host(&[&[1], &[0], &[1], &[0, 1]]).sockets();
        assert_eq!(
            sockets,
            [Socket { number: 0, nodes: nodes(&[1]) }, Socket { number: 1, nodes: nodes(&[0, 2]) }]
        );
        assert_eq!(joined(&sockets).len(), 1);
    }

    #[test]
    fn sockets_of_one_node_each_are_joined_by_the_link_of_that_pair() {
        assert_eq!(joined(&host(&[&[0], &[1]]).sockets()), []);
    }
}
