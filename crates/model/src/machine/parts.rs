//! What a machine has: nodes, what memories deliver to each kernel, caches, links that several pairs of nodes share, where local data
//! lies and where figures come from; and why a machine cannot be built.

use crate::app::{Access, Traffic};
use crate::bounds;
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::units::{Gflops, Gibibytes, GigabytesPerSecond, Megabytes};

/// Most NUMA nodes a machine may have.
pub const MAX_NODES: usize = 1024;
/// Most cores a NUMA node may have.
pub const MAX_CORES_PER_NODE: u32 = 65_536;

/// One NUMA node: its cores and its memory controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Cores; 0 for a memory-only node (CXL, HBM in flat mode).
    pub cores: u32,
    /// Peak of one core. Meaningless, and 0, on a memory-only node.
    pub gflops_per_core: Gflops,
    /// What the memory controller delivers to all readers together, to kernels that only read; 0 on a node without memory.
    pub bandwidth: GigabytesPerSecond,
    /// The most one thread can draw from all memories together; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
    /// The most that all threads of the node can read together, from its own memory and over all links; `None` is no limit.
    pub read_bandwidth: Option<GigabytesPerSecond>,
    /// Cores of each of its L3 domains, which divides `cores`; `None`: all are one domain.
    pub cores_per_l3: Option<u32>,
    /// The most that the threads of an L3 domain draw together, from all memories; `None` is no limit.
    pub l3_bandwidth: Option<GigabytesPerSecond>,
    /// How much memory it has; `None` where nobody said, and 0 for a node that has cores only (Threadripper 2990WX).
    pub memory: Option<Gibibytes>,
    /// What the memory delivers to kernels that write.
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

    /// How many L3 domains it has; a node without cores has an empty one.
    pub fn domains(&self) -> usize {
        self.cores.checked_div(self.domain_cores()).unwrap_or(1).max(1) as usize
    }

    /// The most that all its threads read together, by itself and through its L3 domains; `None` where neither is limited.
    pub fn most_read(&self) -> Option<GigabytesPerSecond> {
        let of_domains = self.l3_bandwidth.map(|limit| limit * self.domains() as f64);
        let limits = [self.read_bandwidth, of_domains].into_iter().flatten();
        limits.reduce(|least, limit| if limit < least { limit } else { least })
    }

    /// GB/s of reads that one GB/s of `traffic` on this memory stands for: [`Node::bandwidth`] / what it delivers to the kernel, or what
    /// it delivers to reads / to that share of writes; 1 for reads, and if neither was measured.
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

/// The bandwidth of one memory under each kernel that writes, all cores of its node at work, counted as the kernel moves data
/// ([`Access`]); `None` where nobody measured it.
///
/// A memory spends time on turning from reads to writes, and a line that is written may be read first: a GB/s of such a
/// kernel occupies more of a memory than a GB/s of reads does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelBandwidths {
    /// Of [`Access::Copy`].
    pub copy: Option<GigabytesPerSecond>,
    /// Of [`Access::Triad`].
    pub triad: Option<GigabytesPerSecond>,
    /// Of [`Access::Update`].
    pub update: Option<GigabytesPerSecond>,
    /// Under reads and writes in any mixture.
    pub mixed: Option<MixedBandwidths>,
}

impl KernelBandwidths {
    /// Nothing measured.
    pub const NONE: Self = Self { copy: None, triad: None, update: None, mixed: None };

    /// Those of which `figure` knows the bandwidth; it is asked for each kernel that writes.
    pub fn from_fn(mut figure: impl FnMut(Access) -> Option<GigabytesPerSecond>) -> Self {
        let (copy, triad, update) = (figure(Access::Copy), figure(Access::Triad), figure(Access::Update));
        Self { copy, triad, update, mixed: None }
    }

    /// That of one kernel; `None` for reads, whose bandwidth is that of the memory.
    pub const fn get(&self, kernel: Access) -> Option<GigabytesPerSecond> {
        match kernel {
            Access::Read => None,
            Access::Copy => self.copy,
            Access::Triad => self.triad,
            Access::Update => self.update,
        }
    }

    /// Sets that of one kernel; reads have none.
    pub const fn set(&mut self, kernel: Access, bandwidth: GigabytesPerSecond) {
        match kernel {
            Access::Read => {}
            Access::Copy => self.copy = Some(bandwidth),
            Access::Triad => self.triad = Some(bandwidth),
            Access::Update => self.update = Some(bandwidth),
        }
    }

    /// Each of them times `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let kernels = Self::from_fn(|kernel| self.get(kernel).map(|measured| measured * factor));
        Self { mixed: self.mixed.map(|mixed| mixed.times(factor)), ..kernels }
    }

    /// What there is, in the order of [`Access::WRITING`].
    pub fn iter(&self) -> impl Iterator<Item = (Access, GigabytesPerSecond)> + '_ {
        Access::WRITING.into_iter().filter_map(|kernel| Some((kernel, self.get(kernel)?)))
    }
}

/// The bandwidth of one memory, reads and writes together, over the share of writes: lines between the points, constant beyond them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixedBandwidths {
    /// Shares and GB/s; those behind `count` are 0.
    points: [(f64, f64); Self::MOST as usize],
    count: usize,
}

impl MixedBandwidths {
    /// Most points.
    pub const MOST: u32 = 16;

    /// Of shares of writes from 0 on, ascending and at most 1, each with a bandwidth in GB/s above 0; `None` if they are not, or too many.
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
    /// How much it holds.
    pub size: Megabytes,
    /// The most that one core reads from it; `None` is no limit.
    pub core_bandwidth: Option<GigabytesPerSecond>,
}

/// Instruction sets that kernels are written for, as files call them.
pub const INSTRUCTION_SETS: [&str; 3] = ["portable", "avx2", "avx512"];

/// Farthest prefetch, in bytes.
pub const MOST_PREFETCH_BYTES: u32 = 65_536;

/// The way through memory that was the fastest of those that `calibrate` tried for a kernel on this machine.
///
/// Nothing in the model depends on it; the benchmark measures with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelVariant {
    /// One of [`INSTRUCTION_SETS`]: how wide vectors are.
    pub isa: String,
    /// Places of each array at which it works at once.
    pub streams: u32,
    /// How many bytes ahead each line is prefetched, far and near; 0: not at all.
    pub prefetch_bytes: [u32; 2],
    /// What is written and not read goes past the caches.
    pub streaming_stores: bool,
}

/// Variants by the kernel's use of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelVariants {
    of: [Option<KernelVariant>; 4],
    processor: Option<String>,
}

impl KernelVariants {
    /// Those that there are.
    pub fn new(of: impl Fn(Access) -> Option<KernelVariant>) -> Self {
        Self { of: Access::ALL.map(of), processor: None }
    }

    /// The same, tried on a processor of this model.
    #[must_use]
    pub fn tried_on(self, processor: Option<String>) -> Self {
        Self { processor, ..self }
    }

    /// The model of the processor on which they were tried, as its operating system calls it.
    pub fn processor(&self) -> Option<&str> {
        self.processor.as_deref()
    }

    /// The one for a use of memory.
    pub fn of(&self, access: Access) -> Option<&KernelVariant> {
        self.of[access as usize].as_ref()
    }

    /// All that there are.
    pub fn iter(&self) -> impl Iterator<Item = (Access, &KernelVariant)> {
        Access::ALL.into_iter().filter_map(|access| Some((access, self.of(access)?)))
    }
}

crate::words! {
    /// How a figure of a machine file came about.
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

/// Kind and source of one figure (`[machine.provenance]`).
#[derive(Clone, Debug, PartialEq)]
pub struct Provenance {
    /// Measured, theoretical, estimated or assumed.
    pub kind: FigureKind,
    /// Who measured or computed it, and how.
    pub source: Option<String>,
    /// How far off it may be, in percent of the figure (of the worst one, where the key has several figures).
    pub uncertainty_percent: Option<f64>,
    /// Half-width of its interval of 95 %, in percent of the figure (of the worst one, where the key has several): the true
    /// figure lies between figure / (1 + p / 100) and figure x (1 + p / 100). Predictions have an interval for it.
    pub interval95_percent: Option<f64>,
}

impl Provenance {
    /// A kind and a source without uncertainty.
    pub const fn of(kind: FigureKind, source: String) -> Self {
        Self { kind, source: Some(source), uncertainty_percent: None, interval95_percent: None }
    }
}

/// Bandwidth that the reads of several pairs of nodes share, beside the links of the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLink {
    /// Its name: `xGMI`, `UPI`.
    pub name: String,
    /// What it carries in each direction.
    pub bandwidth: GigabytesPerSecond,
    /// Nodes whose cores read over it, ascending.
    pub from: Vec<NodeId>,
    /// Nodes whose memories they read, ascending; none of them in `from`.
    pub to: Vec<NodeId>,
    /// Whether cores of `to` also read memories of `from` over it, with a capacity of their own.
    pub both_ways: bool,
}

/// One direction of a shared link: a resource with a capacity of its own.
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

    /// Checks it for a machine of `nodes` nodes, and sorts its groups.
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
    fn both_directions_carry_their_own_pairs() {
        let link = link(&[1, 0], &[3, 2], 60.0).checked(4).expect("two groups");
        let carried: Vec<(bool, bool)> = link
            .directions()
            .map(|d| (d.carries(NodeId(0), NodeId(3)), d.carries(NodeId(3), NodeId(0))))
            .collect();
        assert_eq!(carried, [(true, false), (false, true)]);
        assert!(!link.directions().any(|direction| direction.carries(NodeId(0), NodeId(1))));
    }

    #[test]
    fn groups_that_make_no_sense_are_refused() {
        let wrong = [(&[0, 1][..], &[1][..]), (&[0], &[4]), (&[], &[1]), (&[0, 0], &[1])];
        for (from, to) in wrong {
            assert!(matches!(link(from, to, 60.0).checked(4), Err(MachineError::SharedLinkGroup { .. })));
        }
        assert!(matches!(link(&[0], &[1], 0.0).checked(4), Err(MachineError::SharedLinkBandwidth { .. })));
    }
}

/// Why a machine cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// No node at all, or more than [`MAX_NODES`].
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
    /// The cores of an L3 domain do not divide those of the node.
    #[error("{node} has {cores} cores, which are no L3 domains of {l3} cores")]
    L3Cores {
        /// The node.
        node: NodeId,
        /// Its cores.
        cores: u32,
        /// Cores of an L3 domain.
        l3: u32,
    },
    /// A bandwidth or peak is no figure ([`crate::bounds`]): zero, negative, tiny, huge or not finite.
    #[error("{what} of {node} must be {must}, not {value:?}")]
    OutOfBounds {
        /// Which figure.
        what: &'static str,
        /// The node (of a link: where its core is).
        node: NodeId,
        /// What it must be.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// What a shared link carries is no figure ([`crate::bounds`]).
    #[error("the bandwidth of the shared link {name} must be {must}, not {value:?}")]
    SharedLinkBandwidth {
        /// The link.
        name: String,
        /// What it must be.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// The groups of a shared link make no sense.
    #[error("the shared link {name} has {why} in its groups")]
    SharedLinkGroup {
        /// The link.
        name: String,
        /// What is wrong with them.
        why: &'static str,
    },
    /// Two shared links have the same name.
    #[error("two shared links are named {0}")]
    SharedLinkTwice(String),
    /// A matrix of figures of pairs of nodes has the wrong shape.
    #[error("{nodes} nodes need {nodes} x {nodes} {what}, got {got}")]
    PairCount {
        /// What it has, such as latencies.
        what: &'static str,
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
    /// There are not as many last-level caches as nodes.
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
    /// One for each node; empty on a machine whose nodes all have memory, each its own.
    of: Vec<NodeId>,
    /// Per node: whether its memory holds local data of other nodes; empty as `of`.
    lends: Vec<bool>,
    /// Nodes with memory.
    memories: usize,
}

impl LocalMemory {
    /// Of a machine whose other figures are known.
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

/// The nearest memory of a node without memory: by the firmware's distances, else by latencies, else over the widest link. Of several
/// equally near ones the first, as Linux allocates pages.
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

    /// The bandwidth of its controller; `None` where it has no memory.
    pub fn controller(&self, node: NodeId) -> Option<GigabytesPerSecond> {
        self.has_memory(node).then(|| self.node(node).bandwidth)
    }

    /// The nodes that have memory.
    pub fn memory_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&node| self.has_memory(node))
    }

    /// How many nodes have memory.
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

    /// Four nodes of 2 cores; nodes 1 and 3 have no memory. Node 1 reads node 0 over 10 GB/s and node 2 over 20; node 3 reads both
    /// over 15.
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
    fn the_nearest_memory_is_that_of_the_least_distance_or_latency_or_the_widest_link() {
        // By links node 1 takes 2 (20 above 10), node 3 the first of two equal ones.
        assert_eq!(local(&machine()), [0, 2, 2, 0]);
        // By latencies the reverse; the columns of nodes 1 and 3 have none.
        let ns = [90, 0, 150, 0, 110, 0, 120, 0, 150, 0, 90, 0, 130, 0, 120, 0].map(f64::from).to_vec();
        let with_latencies = machine().with_latencies_ns(ns).expect("latencies");
        assert_eq!(local(&with_latencies), [0, 0, 2, 2]);
        assert_eq!(with_latencies.latency_ns(NodeId(0), NodeId(1)), None);
        // Distances hold before both: equally far, the first.
        let distances = [10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10].map(f64::from);
        let with_distances = with_latencies.with_distances(distances.to_vec()).expect("distances");
        assert_eq!(local(&with_distances), [0, 0, 2, 0]);
        assert_eq!(with_distances.local_to(NodeId(0)).map(|node| node.0).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(with_distances.local_to(NodeId(1)).count(), 0);
    }

    #[test]
    fn a_node_without_memory_has_no_bandwidth_and_no_link_leads_to_it() {
        let machine = machine();
        assert_eq!((machine.memory_count(), machine.all_have_memory()), (2, false));
        assert_eq!(machine.node(NodeId(1)).bandwidth.value(), 0.0);
        assert_eq!(machine.link(NodeId(0), NodeId(1)), None);
        assert_eq!(machine.link(NodeId(1), NodeId(0)).map(GigabytesPerSecond::value), Some(10.0));
    }

    #[test]
    fn shares_of_data_are_on_memories_only_and_sum_to_1() {
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
        // Three of four threads are on nodes whose local data lies on node 2.
        assert_eq!(Placement::Local.share_on(&machine, &[1, 2, 1, 0], NodeId(2)), 0.75);
        assert!(Placement::Local.is_read_from_outside(&machine, NodeId(2)));
        assert!(!Placement::Interleave.is_read_from_outside(&machine, NodeId(1)));
        assert!(!Placement::Local.stays_at_home(&machine));
    }
}
