//! Components of a machine: nodes, memory bandwidth of each kernel, caches, links that several pairs of nodes
//! share, the memory of local data, and the provenance of values. Also the errors of building a machine.

use crate::app::{Access, Traffic};
use crate::bounds;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::units::{Gflops, Gibibytes, GigabytesPerSecond, Megabytes};

/// Maximum number of NUMA nodes of a machine.
pub const MAX_NODES: usize = 1024;
/// Maximum number of cores of a NUMA node.
pub const MAX_CORES_PER_NODE: u32 = 65_536;

/// One NUMA node: its cores and its memory controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Number of cores; 0 for a memory-only node (CXL, HBM in flat mode).
    pub cores: u32,
    /// Peak of one core. Meaningless, and 0, on a memory-only node.
    pub gflops_per_core: Gflops,
    /// Bandwidth of the memory controller for all readers together, under kernels that only read; 0 on a node
    /// without memory.
    pub bandwidth: GigabytesPerSecond,
    /// Maximum bandwidth of one thread on all memories together; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
    /// Maximum read bandwidth of all threads of the node together, from local memory and over all links;
    /// `None` is no limit.
    pub read_bandwidth: Option<GigabytesPerSecond>,
    /// Cores of each of its L3 domains, a divisor of `cores`; `None`: all cores are one domain.
    pub cores_per_l3: Option<u32>,
    /// Maximum bandwidth of the threads of an L3 domain together, on all memories; `None` is no limit.
    pub l3_bandwidth: Option<GigabytesPerSecond>,
    /// Size of its memory; `None` if not given, and 0 for a node with cores only (Threadripper 2990WX).
    pub memory: Option<Gibibytes>,
    /// Bandwidths of the memory under write kernels.
    pub kernels: KernelBandwidths,
}

impl Node {
    /// Whether it has memory, and with it a controller.
    pub fn has_memory(&self) -> bool {
        self.memory.is_none_or(|memory| memory.value() != 0.0)
    }

    /// Cores of each of its L3 domains.
    pub fn domain_cores(&self) -> u32 {
        self.cores_per_l3.unwrap_or(self.cores)
    }

    /// Number of its L3 domains; a node without cores has one empty domain.
    pub fn domains(&self) -> usize {
        self.cores.checked_div(self.domain_cores()).unwrap_or(1).max(1) as usize
    }

    /// Maximum read bandwidth of all its threads together, by its own limit and through its L3 domains;
    /// `None` if neither has a limit.
    pub fn most_read(&self) -> Option<GigabytesPerSecond> {
        let of_domains = self.l3_bandwidth.map(|limit| limit * self.domains() as f64);
        let limits = [self.read_bandwidth, of_domains].into_iter().flatten();
        limits.reduce(|least, limit| if limit < least { limit } else { least })
    }

    /// Read-equivalent GB/s of one GB/s of `traffic` on this memory: [`Node::bandwidth`] / bandwidth under
    /// the kernel, or bandwidth of reads / bandwidth at that share of writes. 1 for reads, and if neither was
    /// measured.
    pub fn occupied_by(&self, traffic: impl Into<Traffic>) -> f64 {
        match traffic.into() {
            Traffic::Kernel(kernel) => {
                self.kernels.get(kernel).map_or(1.0, |measured| self.bandwidth.value() / measured.value())
            }
            Traffic::Mixed(writes) => {
                self.kernels.mixed.map_or(1.0, |mixed| mixed.at(0.0) / mixed.at(writes))
            }
        }
    }
}

/// The bandwidth of one memory under each write kernel with all cores of its node at work, counted as the
/// kernel moves data ([`Access`]); `None` if not measured.
///
/// A memory needs time to switch from reads to writes, and a written line may be read first. One GB/s of such
/// a kernel therefore consumes more of a memory than one GB/s of reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelBandwidths {
    /// Of [`Access::Copy`].
    pub copy: Option<GigabytesPerSecond>,
    /// Of [`Access::Triad`].
    pub triad: Option<GigabytesPerSecond>,
    /// Of [`Access::Update`].
    pub update: Option<GigabytesPerSecond>,
    /// Under reads and writes in any mix.
    pub mixed: Option<MixedBandwidths>,
}

impl KernelBandwidths {
    /// No measured value.
    pub const NONE: Self = Self { copy: None, triad: None, update: None, mixed: None };

    /// The bandwidths that `figure` returns; it is called for each write kernel.
    pub fn from_fn(mut figure: impl FnMut(Access) -> Option<GigabytesPerSecond>) -> Self {
        let (copy, triad, update) = (figure(Access::Copy), figure(Access::Triad), figure(Access::Update));
        Self { copy, triad, update, mixed: None }
    }

    /// The bandwidth under one kernel; `None` for reads, whose bandwidth is that of the memory.
    pub const fn get(&self, kernel: Access) -> Option<GigabytesPerSecond> {
        match kernel {
            Access::Read => None,
            Access::Copy => self.copy,
            Access::Triad => self.triad,
            Access::Update => self.update,
        }
    }

    /// Sets the bandwidth under one kernel; has no effect for reads.
    pub const fn set(&mut self, kernel: Access, bandwidth: GigabytesPerSecond) {
        match kernel {
            Access::Read => {}
            Access::Copy => self.copy = Some(bandwidth),
            Access::Triad => self.triad = Some(bandwidth),
            Access::Update => self.update = Some(bandwidth),
        }
    }

    /// All bandwidths times `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let kernels = Self::from_fn(|kernel| self.get(kernel).map(|measured| measured * factor));
        Self { mixed: self.mixed.map(|mixed| mixed.times(factor)), ..kernels }
    }

    /// The measured bandwidths, in the order of [`Access::WRITING`].
    pub fn iter(&self) -> impl Iterator<Item = (Access, GigabytesPerSecond)> + '_ {
        Access::WRITING.into_iter().filter_map(|kernel| Some((kernel, self.get(kernel)?)))
    }
}

/// The bandwidth of one memory, reads and writes together, over the share of writes: linear between the
/// points, constant beyond them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedBandwidths {
    /// Shares and GB/s; entries from `count` on are 0.
    points: [(f64, f64); Self::MOST as usize],
    count: usize,
}

impl MixedBandwidths {
    /// Maximum number of points.
    pub const MOST: u32 = 16;

    /// Builds the curve from points with shares of writes from 0 on, ascending and at most 1, each with a
    /// bandwidth in GB/s above 0. `None` if the points break these rules, or there are more than
    /// [`Self::MOST`].
    pub fn new(points: &[(f64, f64)]) -> Option<Self> {
        let ascending = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_point = |&(share, gbs): &(f64, f64)| share <= 1.0 && bounds::is_positive(gbs);
        if points.first()?.0 != 0.0 || !ascending || !points.iter().all(is_point) {
            return None;
        }
        let mut all = [(0.0, 0.0); Self::MOST as usize];
        all.get_mut(..points.len())?.copy_from_slice(points);
        Some(Self { points: all, count: points.len() })
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points[..self.count]
    }

    /// GB/s at this share of writes.
    pub fn at(&self, share: f64) -> f64 {
        let points = self.points();
        let above = points.partition_point(|point| point.0 < share);
        match (above.checked_sub(1).map(|below| points[below]), points.get(above)) {
            (Some(low), Some(high)) => low.1 + (high.1 - low.1) * (share - low.0) / (high.0 - low.0),
            (Some(last), None) => last.1,
            (None, Some(first)) => first.1,
            (None, None) => 0.0,
        }
    }

    fn times(mut self, factor: f64) -> Self {
        self.points.iter_mut().for_each(|point| point.1 *= factor);
        self
    }
}

/// The last-level cache that the cores of a node share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastLevelCache {
    /// Its capacity.
    pub size: Megabytes,
    /// Maximum bandwidth of one core from it; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
}

/// Instruction sets of the kernels, as written in files.
pub const INSTRUCTION_SETS: [&str; 3] = ["portable", "avx2", "avx512"];

/// Largest prefetch distance, in bytes.
pub const MOST_PREFETCH_BYTES: u32 = 65_536;

/// The access variant that was the fastest of those that `calibrate` tried for a kernel on this machine.
///
/// The model does not depend on it; the benchmark measures with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelVariant {
    /// Vector width: one of [`INSTRUCTION_SETS`].
    pub isa: String,
    /// Number of streams: positions in each array at which it works at once.
    pub streams: u32,
    /// Prefetch distances of each line in bytes, far and near; 0: no prefetch.
    pub prefetch_bytes: [u32; 2],
    /// Whether non-temporal stores write lines that are not read.
    pub streaming_stores: bool,
}

/// Access variants by memory use of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelVariants {
    of: [Option<KernelVariant>; 4],
    processor: Option<String>,
}

impl KernelVariants {
    /// The variants that `of` returns.
    pub fn new(of: impl Fn(Access) -> Option<KernelVariant>) -> Self {
        Self { of: Access::ALL.map(of), processor: None }
    }

    /// The same variants, tried on a processor of this model.
    #[must_use]
    pub fn tried_on(self, processor: Option<String>) -> Self {
        Self { processor, ..self }
    }

    /// The model of the processor on which they were tried, as reported by its operating system.
    pub fn processor(&self) -> Option<&str> {
        self.processor.as_deref()
    }

    /// The variant for a use of memory.
    pub fn of(&self, access: Access) -> Option<&KernelVariant> {
        self.of[access as usize].as_ref()
    }

    /// All variants.
    pub fn iter(&self) -> impl Iterator<Item = (Access, &KernelVariant)> {
        Access::ALL.into_iter().filter_map(|access| Some((access, self.of(access)?)))
    }
}

crate::words! {
    /// The origin of a value in a machine file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FigureKind {
        /// Measured on the machine, e.g. by STREAM, Intel MLC or likwid-bench.
        Measured = "measured",
        /// Computed from a data sheet: clock x FLOP per cycle, channels x transfer rate.
        Theoretical = "theoretical",
        /// Derived from other measurements, e.g. fitted to a benchmark run.
        Estimated = "estimated",
        /// Chosen by the author of the file, e.g. for a made-up machine.
        Assumed = "assumed",
    }
}

/// Kind and source of one value (`[machine.provenance]`).
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Measured, theoretical, estimated or assumed.
    pub kind: FigureKind,
    /// The person or tool that measured or computed it, and the method.
    pub source: Option<String>,
    /// Its possible error, in percent of the value (of the worst one, if the key has several values).
    pub uncertainty_percent: Option<f64>,
    /// Half-width of its 95 % interval, in percent of the value (of the worst one, if the key has several
    /// values): the true value is between value / (1 + p / 100) and value x (1 + p / 100). Predictions get an
    /// interval from it.
    pub interval95_percent: Option<f64>,
}

impl Provenance {
    /// A kind and a source without uncertainty.
    pub const fn of(kind: FigureKind, source: String) -> Self {
        Self { kind, source: Some(source), uncertainty_percent: None, interval95_percent: None }
    }
}

/// Bandwidth that the reads of several pairs of nodes share, in addition to the links of the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLink {
    /// Its name: `xGMI`, `UPI`.
    pub name: String,
    /// Bandwidth in each direction.
    pub bandwidth: GigabytesPerSecond,
    /// Nodes whose cores read over it, ascending.
    pub from: Vec<NodeId>,
    /// Nodes whose memories they read, ascending; none of them in `from`.
    pub to: Vec<NodeId>,
    /// Whether cores of `to` also read memories of `from` over it, with a separate capacity.
    pub both_ways: bool,
}

/// One direction of a shared link: a resource with a separate capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedDirection<'a> {
    /// The link.
    pub link: &'a SharedLink,
    /// Nodes of the cores that read.
    pub from: &'a [NodeId],
    /// Nodes of the memories that are read.
    pub to: &'a [NodeId],
}

impl SharedDirection<'_> {
    /// Whether cores of `from` read the memory of `to` over it.
    pub fn carries(&self, from: NodeId, to: NodeId) -> bool {
        self.from.binary_search(&from).is_ok() && self.to.binary_search(&to).is_ok()
    }
}

impl SharedLink {
    /// Its directions: one, or both.
    pub fn directions(&self) -> impl Iterator<Item = SharedDirection<'_>> {
        let there = SharedDirection { link: self, from: &self.from, to: &self.to };
        let back = SharedDirection { link: self, from: &self.to, to: &self.from };
        std::iter::once(there).chain(self.both_ways.then_some(back))
    }

    /// Checks the link for a machine of `nodes` nodes, and sorts its groups.
    pub(super) fn checked(mut self, nodes: usize) -> Result<Self, MachineError> {
        let name = || self.name.clone();
        let value = self.bandwidth.value();
        if let Some(misfit) = bounds::misfit(value, false) {
            return Err(MachineError::SharedLinkBandwidth { name: name(), must: misfit.must, value });
        }
        if self.from.is_empty() || self.to.is_empty() {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a group without nodes" });
        }
        if self.from.iter().chain(&self.to).any(|node| node.0 >= nodes) {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a node that is not there" });
        }
        let mut all = [self.from.as_slice(), self.to.as_slice()].concat();
        all.sort_unstable();
        if all.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(MachineError::SharedLinkGroup { name: name(), why: "a node twice" });
        }
        self.from.sort_unstable();
        self.to.sort_unstable();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(from: &[usize], to: &[usize], gbs: f64) -> SharedLink {
        let nodes = |list: &[usize]| list.iter().copied().map(NodeId).collect();
        SharedLink {
            name: "xGMI".to_owned(),
            bandwidth: GigabytesPerSecond::new(gbs),
            from: nodes(from),
            to: nodes(to),
            both_ways: true,
        }
    }

    #[test]
    fn each_direction_carries_its_own_pairs() {
        let link = link(&[1, 0], &[3, 2], 60.0).checked(4).expect("two groups");
        let carried: Vec<(bool, bool)> = link
            .directions()
            .map(|d| (d.carries(NodeId(0), NodeId(3)), d.carries(NodeId(3), NodeId(0))))
            .collect();
        assert_eq!(carried, [(true, false), (false, true)]);
        assert!(!link.directions().any(|direction| direction.carries(NodeId(0), NodeId(1))));
    }

    #[test]
    fn invalid_groups_are_rejected() {
        let wrong = [(&[0, 1][..], &[1][..]), (&[0], &[4]), (&[], &[1]), (&[0, 0], &[1])];
        for (from, to) in wrong {
            assert!(matches!(link(from, to, 60.0).checked(4), Err(MachineError::SharedLinkGroup { .. })));
        }
        assert!(matches!(link(&[0], &[1], 0.0).checked(4), Err(MachineError::SharedLinkBandwidth { .. })));
    }
}

/// The reason that a machine cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// No node, or more than [`MAX_NODES`].
    #[error("a machine has 1 to {MAX_NODES} NUMA nodes, this one has {0}")]
    NodeCount(usize),
    /// Every node is memory-only.
    #[error("no NUMA node has a core")]
    NoCores,
    /// No node has memory.
    #[error("no NUMA node has memory")]
    NoMemory,
    /// A node has neither cores nor memory.
    #[error("{0} has neither cores nor memory")]
    Nothing(NodeId),
    /// A node has more than [`MAX_CORES_PER_NODE`] cores.
    #[error("{node} has {cores} cores; at most {MAX_CORES_PER_NODE} are supported")]
    TooManyCores {
        /// The node.
        node: NodeId,
        /// Its cores.
        cores: u32,
    },
    /// The number of cores of an L3 domain does not divide that of the node.
    #[error("{node} has {cores} cores, which are no L3 domains of {l3} cores")]
    L3Cores {
        /// The node.
        node: NodeId,
        /// Its cores.
        cores: u32,
        /// Cores of an L3 domain.
        l3: u32,
    },
    /// A bandwidth or peak is outside [`crate::bounds`]: zero, negative, tiny, huge or not finite.
    #[error("{what} of {node} must be {must}, not {value:?}")]
    OutOfBounds {
        /// The name of the value.
        what: &'static str,
        /// The node (for a link, the node of the core).
        node: NodeId,
        /// The rule for the value.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// The bandwidth of a shared link is outside [`crate::bounds`].
    #[error("the bandwidth of the shared link {name} must be {must}, not {value:?}")]
    SharedLinkBandwidth {
        /// The link.
        name: String,
        /// The rule for the value.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// The groups of a shared link are invalid.
    #[error("the shared link {name} has {why} in its groups")]
    SharedLinkGroup {
        /// The link.
        name: String,
        /// The error in the groups.
        why: &'static str,
    },
    /// Two shared links have the same name.
    #[error("two shared links are named {0}")]
    SharedLinkTwice(String),
    /// A matrix of values for pairs of nodes has the wrong shape.
    #[error("{nodes} nodes need {nodes} x {nodes} {what}, got {got}")]
    PairCount {
        /// The contents of the matrix, such as latencies.
        what: &'static str,
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
    /// The number of last-level caches differs from the number of nodes.
    #[error("{nodes} nodes have {nodes} last-level caches or none, not {got}")]
    CacheCount {
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
    /// The link table has the wrong shape.
    #[error("{nodes} nodes need {nodes} x {nodes} link bandwidths, got {got}")]
    LinkCount {
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
}

/// The memory that holds the local data of each node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LocalMemory {
    /// One per node; empty on a machine whose nodes all have memory, and each node uses its own.
    of: Vec<NodeId>,
    /// Per node: whether its memory holds local data of other nodes; empty if `of` is empty.
    lends: Vec<bool>,
    /// Number of nodes with memory.
    memories: usize,
}

impl LocalMemory {
    /// Computes it for a machine whose other fields are set.
    pub(super) fn of(machine: &Machine) -> Self {
        let memories = machine.memory_nodes().count();
        if memories == machine.node_count() {
            return Self { of: Vec::new(), lends: Vec::new(), memories };
        }
        let of: Vec<NodeId> = machine
            .node_ids()
            .map(|node| if machine.has_memory(node) { node } else { nearest(machine, node) })
            .collect();
        let mut lends = vec![false; of.len()];
        for (node, memory) in of.iter().enumerate() {
            lends[memory.0] |= memory.0 != node;
        }
        Self { of, lends, memories }
    }
}

/// The nearest memory of a node without memory: by the firmware's distances, or else by latencies, or else by
/// the link with the highest bandwidth. Among equally near ones the first, as Linux allocates pages.
fn nearest(machine: &Machine, from: NodeId) -> NodeId {
    let far = |memory: NodeId| {
        let link = || -machine.link(from, memory).unwrap_or_default().value();
        machine.distance(from, memory).or_else(|| machine.latency_ns(from, memory)).unwrap_or_else(link)
    };
    machine.memory_nodes().min_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap_or(from)
}

impl Machine {
    /// Whether the node has memory, and with it a controller.
    pub fn has_memory(&self, node: NodeId) -> bool {
        self.node(node).has_memory()
    }

    /// The bandwidth of its controller; `None` if the node has no memory.
    pub fn controller(&self, node: NodeId) -> Option<GigabytesPerSecond> {
        self.has_memory(node).then(|| self.node(node).bandwidth)
    }

    /// The nodes that have memory.
    pub fn memory_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&node| self.has_memory(node))
    }

    /// Number of nodes with memory.
    pub fn memory_count(&self) -> usize {
        self.local.memories
    }

    /// Whether each node has memory.
    pub fn all_have_memory(&self) -> bool {
        self.local.of.is_empty()
    }

    /// The node whose memory holds the local data of threads on `from`: `from` itself, or the nearest node with memory.
    pub fn local_memory(&self, from: NodeId) -> NodeId {
        self.local.of.get(from.0).copied().unwrap_or(from)
    }

    /// The nodes whose local data is in the memory of `memory`.
    pub fn local_to(&self, memory: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let own = self.has_memory(memory).then_some(memory);
        let others = self.lends(memory).then(|| self.node_ids().filter(move |&node| node != memory));
        own.into_iter()
            .chain(others.into_iter().flatten().filter(move |&node| self.local_memory(node) == memory))
    }

    /// Whether the memory of `memory` holds local data of other nodes, which have no memory.
    pub fn lends(&self, memory: NodeId) -> bool {
        self.local.lends.get(memory.0).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod local_tests {
    use super::*;
    use crate::app::Placement;
    use crate::machine::Node;
    use crate::units::{Gflops, Gibibytes};

    /// Four nodes of 2 cores; nodes 1 and 3 have no memory. Node 1 reads node 0 over 10 GB/s and node 2 over
    /// 20 GB/s; node 3 reads both over 15 GB/s.
    fn machine() -> Machine {
        let node = |memory: Option<f64>| Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(64.0),
            memory: memory.map(Gibibytes::new),
            ..Node::default()
        };
        let nodes = [None, Some(0.0), Some(32.0), Some(0.0)].map(node).to_vec();
        let links = [0, 5, 8, 5, 10, 0, 20, 5, 8, 5, 0, 5, 15, 5, 15, 0];
        Machine::new("m", nodes, links.map(|gbs| GigabytesPerSecond::new(f64::from(gbs))).to_vec())
            .expect("a machine")
    }

    fn local(machine: &Machine) -> Vec<usize> {
        machine.node_ids().map(|node| machine.local_memory(node).0).collect()
    }

    #[test]
    fn the_nearest_memory_has_the_least_distance_or_latency_or_the_fastest_link() {
        // By links, node 1 uses node 2 (20 GB/s instead of 10), node 3 the first of two equal ones.
        assert_eq!(local(&machine()), [0, 2, 2, 0]);
        // By latencies, the reverse; the columns of nodes 1 and 3 are empty.
        let ns = [90, 0, 150, 0, 110, 0, 120, 0, 150, 0, 90, 0, 130, 0, 120, 0].map(f64::from).to_vec();
        let with_latencies = machine().with_latencies_ns(ns).expect("latencies");
        assert_eq!(local(&with_latencies), [0, 0, 2, 2]);
        assert_eq!(with_latencies.latency_ns(NodeId(0), NodeId(1)), None);
        // Distances take precedence over both: at equal distances, the first node.
        let distances = [10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10].map(f64::from);
        let with_distances = with_latencies.with_distances(distances.to_vec()).expect("distances");
        assert_eq!(local(&with_distances), [0, 0, 2, 0]);
        assert_eq!(with_distances.local_to(NodeId(0)).map(|node| node.0).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(with_distances.local_to(NodeId(1)).count(), 0);
    }

    #[test]
    fn a_node_without_memory_has_no_bandwidth_and_no_incoming_link() {
        let machine = machine();
        assert_eq!((machine.memory_count(), machine.all_have_memory()), (2, false));
        assert_eq!(machine.node(NodeId(1)).bandwidth.value(), 0.0);
        assert_eq!(machine.link(NodeId(0), NodeId(1)), None);
        assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(10.0));
    }

    #[test]
    fn shares_of_data_are_only_on_memories_and_sum_to_1() {
        let machine = machine();
        let home = NodeId(0);
        let shares = |placement: Placement, from| {
            let shares = machine.node_ids().map(|memory| placement.fraction(&machine, NodeId(from), memory));
            shares.collect::<Vec<f64>>()
        };
        assert_eq!(shares(Placement::Local, 1), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(shares(Placement::Interleave, 0), [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(shares(Placement::PartInterleave { share: 0.5 }, 1), [0.25, 0.0, 0.75, 0.0]);
        assert_eq!(shares(Placement::PartHome { home, share: 0.25 }, 1), [0.25, 0.0, 0.75, 0.0]);
        assert_eq!(shares(Placement::PartHome { home, share: 0.25 }, 3), [1.0, 0.0, 0.0, 0.0]);
        // Three of four threads are on nodes whose local data is on node 2.
        assert_eq!(Placement::Local.share_on(&machine, &[1, 2, 1, 0], NodeId(2)), 0.75);
        assert!(Placement::Local.is_read_from_outside(&machine, NodeId(2)));
        assert!(!Placement::Interleave.is_read_from_outside(&machine, NodeId(1)));
        assert!(!Placement::Local.stays_at_home(&machine));
    }
}
