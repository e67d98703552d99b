//! The machine: NUMA nodes, each with cores and a memory controller, joined by directed links.

use std::collections::BTreeMap;

use crate::app::Traffic;
use crate::bounds;
use crate::cpus::{self, OsNode, OsNodesError};
use crate::ids::NodeId;
use crate::sharing_model::{Model, ModelKind, Refusal};
use crate::table::Table;
use crate::units::{GigabytesPerSecond, LINE_BYTES};

mod doubts;
mod parts;

pub use doubts::doubts;
pub use parts::{
    FigureKind, INSTRUCTION_SETS, KernelBandwidths, KernelVariant, KernelVariants, LastLevelCache,
    MAX_CORES_PER_NODE, MAX_NODES, MOST_PREFETCH_BYTES, MachineError, MixedBandwidths, Node, Provenance,
    SharedDirection, SharedLink,
};

/// A consistent machine; [`Machine::new`] is the only way to build one.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    name: String,
    source: Option<String>,
    provenance: BTreeMap<String, Provenance>,
    nodes: Vec<Node>,
    /// From the node of the cores to that of the memory. The diagonal, the rows of nodes without cores and
    /// the columns of nodes without memory are unused.
    links: Table<GigabytesPerSecond, NodeId>,
    /// The memory of each node's local data; derived from the other fields.
    local: parts::LocalMemory,
    /// Links that several pairs of nodes share.
    shared_links: Vec<SharedLink>,
    /// One per node, or empty if not given.
    os_nodes: Vec<OsNode>,
    /// Its bandwidth-sharing model.
    sharing: Model,
    /// From the node of the cores to that of the memory, the diagonal included; `None` if not given.
    latencies_ns: Option<Table<f64, NodeId>>,
    /// One per node, or empty if not given.
    caches: Vec<Option<LastLevelCache>>,
    /// From the node of the cores to that of the memory, as reported by the firmware (SLIT); `None` if not
    /// given.
    distances: Option<Table<f64, NodeId>>,
    /// Access variants of the benchmark kernels; only those that were measured.
    kernel_variants: KernelVariants,
    /// Hardware threads of each core, 1 or 2.
    threads_per_core: u32,
}

impl Machine {
    /// Checks the values and builds the machine.
    ///
    /// `links` has nodes x nodes entries in GB/s: row = node of the core that runs, column = node of the
    /// memory that is read. Its diagonal, the rows of nodes without cores, the columns of nodes without
    /// memory and the bandwidths of a missing memory are ignored.
    ///
    /// # Errors
    /// Every variant of [`MachineError`].
    pub fn new(
        name: impl Into<String>,
        mut nodes: Vec<Node>,
        links: Vec<GigabytesPerSecond>,
    ) -> Result<Self, MachineError> {
        let count = nodes.len();
        if count == 0 || count > MAX_NODES {
            return Err(MachineError::NodeCount(count));
        }
        let got = links.len();
        let links: Option<Table<_, NodeId>> =
            Table::from_cells(count, links).filter(|_| got == count * count);
        let links = links.ok_or(MachineError::LinkCount { nodes: count, got })?;
        if nodes.iter().all(|node| node.cores == 0) {
            return Err(MachineError::NoCores);
        }
        if !nodes.iter().any(Node::has_memory) {
            return Err(MachineError::NoMemory);
        }
        for node in nodes.iter_mut().filter(|node| !node.has_memory()) {
            node.bandwidth = GigabytesPerSecond::new(0.0);
            node.kernels = KernelBandwidths::NONE;
        }
        let positive = |what, node, value: f64| match bounds::misfit(value, false) {
            None => Ok(()),
            Some(misfit) => Err(MachineError::OutOfBounds { what, node, must: misfit.must, value }),
        };
        for (n, node) in nodes.iter().enumerate() {
            let id = NodeId(n);
            if node.cores > MAX_CORES_PER_NODE {
                return Err(MachineError::TooManyCores { node: id, cores: node.cores });
            }
            if node.has_memory() {
                positive("the memory bandwidth", id, node.bandwidth.value())?;
            } else if node.cores == 0 {
                return Err(MachineError::Nothing(id));
            }
            if let Some(ceiling) = node.core_bandwidth {
                positive("the bandwidth ceiling of a core", id, ceiling.value())?;
            }
            if let Some(ceiling) = node.read_bandwidth {
                positive("the read bandwidth", id, ceiling.value())?;
            }
            if let Some(ceiling) = node.l3_bandwidth {
                positive("the bandwidth of an L3 domain", id, ceiling.value())?;
            }
            if let Some(l3) = node.cores_per_l3.filter(|&l3| node.cores.checked_rem(l3) != Some(0)) {
                return Err(MachineError::L3Cores { node: id, cores: node.cores, l3 });
            }
            if let Some(memory) = node.memory.filter(|_| node.has_memory()) {
                positive("the memory", id, memory.value())?;
            }
            for (_, measured) in node.kernels.iter() {
                positive("the memory bandwidth of a kernel", id, measured.value())?;
            }
            if node.cores == 0 {
                continue;
            }
            positive("the peak of a core", id, node.gflops_per_core.value())?;
            for m in (0..count).filter(|&m| m != n && nodes[m].has_memory()) {
                positive("a link", id, links[(id, NodeId(m))].value())?;
            }
        }
        let machine = Self {
            name: name.into(),
            source: None,
            provenance: BTreeMap::new(),
            nodes,
            links,
            local: parts::LocalMemory::default(),
            shared_links: Vec::new(),
            os_nodes: Vec::new(),
            sharing: Model::default(),
            latencies_ns: None,
            caches: Vec::new(),
            distances: None,
            kernel_variants: KernelVariants::default(),
            threads_per_core: 1,
        };
        Ok(machine.with_local_memories())
    }

    /// The same machine with the memories of local data computed again.
    fn with_local_memories(mut self) -> Self {
        self.local = parts::LocalMemory::of(&self);
        self
    }

    /// A machine with other values and the sharing model of this one; `links` as in [`Machine::new`]. The
    /// provenance of the old values and the numbers of the operating system are dropped.
    ///
    /// # Errors
    /// Every variant of [`MachineError`].
    pub fn with_figures(
        &self,
        nodes: Vec<Node>,
        links: Vec<GigabytesPerSecond>,
    ) -> Result<Self, MachineError> {
        let mut machine = Self::new(self.name.clone(), nodes, links)?;
        machine.sharing = self.sharing;
        machine.threads_per_core = self.threads_per_core;
        if machine.nodes.len() == self.nodes.len() {
            machine.latencies_ns.clone_from(&self.latencies_ns);
            machine.caches.clone_from(&self.caches);
            machine.distances.clone_from(&self.distances);
            machine.shared_links.clone_from(&self.shared_links);
        }
        Ok(machine.with_local_memories())
    }

    /// The same machine with another bandwidth-sharing model.
    #[must_use]
    pub fn with_sharing(mut self, sharing: Model) -> Self {
        self.sharing = sharing;
        self
    }

    /// The same machine with the rules of another model; the corrections of its file are unchanged.
    #[must_use]
    pub fn with_model(self, kind: ModelKind) -> Self {
        let sharing = self.sharing().with_kind(kind);
        self.with_sharing(sharing)
    }

    /// The same machine with the latency of a load on an idle machine, in nanoseconds: row = node of the
    /// core, column = node of the memory, the diagonal included. Rows of nodes without cores and columns of
    /// nodes without memory are ignored.
    ///
    /// # Errors
    /// [`MachineError::PairCount`] for the wrong number of entries; [`MachineError::OutOfBounds`] for a
    /// latency outside [`crate::bounds`].
    pub fn with_latencies_ns(mut self, latencies_ns: Vec<f64>) -> Result<Self, MachineError> {
        let has_memory = |memory| self.has_memory(memory);
        self.latencies_ns = Some(self.pairs("a latency", "latencies", latencies_ns, has_memory)?);
        Ok(self.with_local_memories())
    }

    /// The same machine with the distances that its firmware reports (SLIT: 10 is the local node): row = node
    /// of the core, column = node of the memory. Unlike latencies, distances are not measured; simulated
    /// schedulers use them if the real ones do.
    ///
    /// # Errors
    /// As [`Machine::with_latencies_ns`].
    pub fn with_distances(mut self, distances: Vec<f64>) -> Result<Self, MachineError> {
        self.distances = Some(self.pairs("a distance", "distances", distances, |_| true)?);
        Ok(self.with_local_memories())
    }

    /// The same machine with the last-level cache of each node, `None` for a node without one.
    ///
    /// # Errors
    /// [`MachineError::CacheCount`]; [`MachineError::OutOfBounds`] for a size or a bandwidth outside
    /// [`crate::bounds`].
    pub fn with_caches(mut self, caches: Vec<Option<LastLevelCache>>) -> Result<Self, MachineError> {
        if caches.len() != self.nodes.len() {
            return Err(MachineError::CacheCount { nodes: self.nodes.len(), got: caches.len() });
        }
        for (node, cache) in caches.iter().enumerate() {
            let Some(cache) = cache else { continue };
            let bandwidth = cache.core_bandwidth.map(GigabytesPerSecond::value);
            let figures = [("the last-level cache", Some(cache.size.value())), ("its bandwidth", bandwidth)];
            for (what, value) in figures {
                let misfit = value.and_then(|value| Some((value, bounds::misfit(value, false)?)));
                if let Some((value, misfit)) = misfit {
                    let node = NodeId(node);
                    return Err(MachineError::OutOfBounds { what, node, must: misfit.must, value });
                }
            }
        }
        self.caches = caches;
        Ok(self)
    }

    /// A table of positive values, one for each pair of nodes; columns for which `counts` returns false may
    /// have any value.
    fn pairs(
        &self,
        what: &'static str,
        all: &'static str,
        figures: Vec<f64>,
        counts: impl Fn(NodeId) -> bool,
    ) -> Result<Table<f64, NodeId>, MachineError> {
        let count = self.nodes.len();
        let got = figures.len();
        let table: Option<Table<f64, NodeId>> =
            Table::from_cells(count, figures).filter(|_| got == count * count);
        let table = table.ok_or(MachineError::PairCount { what: all, nodes: count, got })?;
        for node in self.compute_nodes() {
            let mut counted =
                table.row(node).iter().enumerate().filter(|&(memory, _)| counts(NodeId(memory)));
            if let Some((value, misfit)) =
                counted.find_map(|(_, &value)| Some((value, bounds::misfit(value, false)?)))
            {
                return Err(MachineError::OutOfBounds { what, node, must: misfit.must, value });
            }
        }
        Ok(table)
    }

    /// The same machine with links that several pairs of nodes share.
    ///
    /// # Errors
    /// [`MachineError::SharedLinkBandwidth`], [`MachineError::SharedLinkGroup`],
    /// [`MachineError::SharedLinkTwice`].
    pub fn with_shared_links(mut self, shared_links: Vec<SharedLink>) -> Result<Self, MachineError> {
        let nodes = self.nodes.len();
        let checked: Vec<SharedLink> =
            shared_links.into_iter().map(|link| link.checked(nodes)).collect::<Result<_, _>>()?;
        for (i, link) in checked.iter().enumerate() {
            if checked[..i].iter().any(|before| before.name == link.name) {
                return Err(MachineError::SharedLinkTwice(link.name.clone()));
            }
        }
        self.shared_links = checked;
        Ok(self)
    }

    /// A machine of equal nodes, with the same bandwidth between each ordered pair of different nodes.
    ///
    /// # Errors
    /// Every variant of [`MachineError`].
    pub fn uniform(
        name: impl Into<String>,
        nodes: usize,
        node: Node,
        link: GigabytesPerSecond,
    ) -> Result<Self, MachineError> {
        if nodes > MAX_NODES {
            return Err(MachineError::NodeCount(nodes));
        }
        Self::new(name, vec![node; nodes], vec![link; nodes * nodes])
    }

    /// The same machine with other values for its nodes and links (in the form of [`Machine::new`]). All
    /// other fields are unchanged, including the provenance, so the caller must update entries that are no
    /// longer true.
    ///
    /// # Errors
    /// Every variant of [`MachineError`]; [`MachineError::NodeCount`] also if the number of nodes changes.
    pub fn retuned(&self, nodes: Vec<Node>, links: Vec<GigabytesPerSecond>) -> Result<Self, MachineError> {
        if nodes.len() != self.nodes.len() {
            return Err(MachineError::NodeCount(nodes.len()));
        }
        let changed = Self::new("", nodes, links)?;
        Ok(Self { nodes: changed.nodes, links: changed.links, ..self.clone() }.with_local_memories())
    }

    /// The same machine with `taken` GB/s of the memory of `node` already consumed; a tiny rest is always
    /// left. One GB/s of a kernel consumes the same share of the memory as before.
    #[must_use]
    pub fn with_less_bandwidth(&self, node: NodeId, taken: f64) -> Self {
        let mut machine = self.clone();
        let less = &mut machine.nodes[node.0];
        let whole = less.bandwidth.value();
        let left = (whole - taken).max(1e-9 * whole);
        less.bandwidth = GigabytesPerSecond::new(left);
        less.kernels = less.kernels.times(left / whole);
        machine
    }

    /// The same machine without read limits of L3 domains.
    #[must_use]
    pub fn without_limited_domains(&self) -> Self {
        let mut machine = self.clone();
        for node in &mut machine.nodes {
            node.l3_bandwidth = None;
        }
        machine
    }

    /// The same machine for callers that count threads by node and may count fractions of threads (simulated
    /// time, tasks): threads are spread evenly over the L3 domains of their node. All domains are then
    /// equally full, the node reads at most the sum of the limits of its domains, and a core consumes no more
    /// than the limit of its domain.
    #[must_use]
    pub fn with_domains_dealt(&self) -> Self {
        let mut machine = self.without_limited_domains();
        for (node, with_limit) in machine.nodes.iter_mut().zip(&self.nodes) {
            let Some(of_domain) = with_limit.l3_bandwidth else { continue };
            node.read_bandwidth = with_limit.most_read();
            let of_core = with_limit.core_bandwidth.filter(|core| core.value() < of_domain.value());
            node.core_bandwidth = of_core.or(Some(of_domain));
        }
        machine
    }

    /// The same machine with two hardware threads per core, or one.
    #[must_use]
    pub fn with_smt(mut self, two: bool) -> Self {
        self.threads_per_core = if two { 2 } else { 1 };
        self
    }

    /// Hardware threads of each core, 1 or 2.
    pub fn threads_per_core(&self) -> u32 {
        self.threads_per_core
    }

    /// The same machine with another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same machine with a free-text source.
    #[must_use]
    pub fn with_source(mut self, source: Option<String>) -> Self {
        self.source = source;
        self
    }

    /// The same machine with kind and source of its values, by key of the machine file.
    #[must_use]
    pub fn with_provenance(mut self, provenance: BTreeMap<String, Provenance>) -> Self {
        self.provenance = provenance;
        self
    }

    /// The same machine with the fastest access variants of the benchmark kernels.
    #[must_use]
    pub fn with_kernel_variants(mut self, kernel_variants: KernelVariants) -> Self {
        self.kernel_variants = kernel_variants;
        self
    }

    /// The same machine with the operating system numbers of its nodes and cores; one entry per node.
    ///
    /// # Errors
    /// The first contradiction that [`cpus::contradictions`] finds between the two.
    pub fn with_os_nodes(mut self, os_nodes: Vec<OsNode>) -> Result<Self, OsNodesError> {
        let cores: Vec<u32> = self.nodes.iter().map(|node| node.cores).collect();
        if let Some(error) = cpus::contradictions(&cores, &os_nodes).into_iter().next() {
            return Err(error);
        }
        self.os_nodes = os_nodes;
        Ok(self)
    }

    /// The name in the machine file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The source of its values.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Kind and source of each value, by key of the machine file (`gflops_per_core`, `link_gbs`, …).
    pub fn provenance(&self) -> &BTreeMap<String, Provenance> {
        &self.provenance
    }

    /// Access variants of the benchmark kernels.
    pub fn kernel_variants(&self) -> &KernelVariants {
        &self.kernel_variants
    }

    /// The operating system numbers of the nodes, in order; empty if not given.
    pub fn os_nodes(&self) -> &[OsNode] {
        &self.os_nodes
    }

    /// All nodes in order; `nodes()[i]` is node i.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0]
    }

    /// Number of NUMA nodes, memory-only ones included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes in order, as ids.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// The nodes that have cores.
    pub fn compute_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&n| self.node(n).cores > 0)
    }

    /// Cores of the whole machine.
    pub fn total_cores(&self) -> u64 {
        self.nodes.iter().map(|node| u64::from(node.cores)).sum()
    }

    /// Whether some node has several L3 domains.
    pub fn has_domains(&self) -> bool {
        self.nodes.iter().any(|node| node.domains() > 1)
    }

    /// Whether the L3 domain of a thread affects bandwidths.
    pub fn has_limited_domains(&self) -> bool {
        self.nodes.iter().any(|node| node.cores > 0 && node.l3_bandwidth.is_some())
    }

    /// Number of rows per application in a table of applications and nodes if L3 domains matter: row j of an
    /// application has its threads in domain j of each node. 1 if L3 domains do not matter.
    pub fn rows_per_app(&self) -> usize {
        if !self.has_limited_domains() {
            return 1;
        }
        self.nodes.iter().map(Node::domains).max().unwrap_or(1)
    }

    /// The last-level cache of a node, if given.
    pub fn cache(&self, node: NodeId) -> Option<&LastLevelCache> {
        self.caches.get(node.0)?.as_ref()
    }

    /// The firmware's distance from the cores of a node to a memory, if given; the diagonal included.
    pub fn distance(&self, from: NodeId, memory: NodeId) -> Option<f64> {
        self.distances.as_ref().map(|distances| distances[(from, memory)])
    }

    /// Whether the last-level caches are known, including that there are none.
    pub fn says_caches(&self) -> bool {
        !self.caches.is_empty()
    }

    /// Whether the firmware's distances are known.
    pub fn has_distances(&self) -> bool {
        self.distances.is_some()
    }

    /// Its bandwidth-sharing model.
    pub fn sharing(&self) -> &Model {
        &self.sharing
    }

    /// Latency in nanoseconds of a load by a core of `from` from the memory of `to`, on an idle machine.
    /// `None` if the latency is unknown, `from` has no cores, or `to` has no memory.
    pub fn latency_ns(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let latency = self.latencies_ns.as_ref()?.get(from, to).copied();
        latency.filter(|_| self.node(from).cores > 0 && self.has_memory(to))
    }

    /// Links that several pairs of nodes share.
    pub fn shared_links(&self) -> &[SharedLink] {
        &self.shared_links
    }

    /// The directions of all shared links, in the order of the file: resources, each with a separate
    /// capacity.
    pub fn shared_directions(&self) -> impl Iterator<Item = SharedDirection<'_>> {
        self.shared_links.iter().flat_map(SharedLink::directions)
    }

    /// Whether a limit covers several memories or pairs of nodes at once: a shared link, or the read limit of
    /// a node or an L3 domain.
    pub fn has_common_limits(&self) -> bool {
        !self.shared_links.is_empty() || self.has_limited_reads() || self.has_limited_domains()
    }

    fn has_limited_reads(&self) -> bool {
        self.nodes.iter().any(|node| node.read_bandwidth.is_some())
    }

    /// A property of this machine that its sharing model does not support; `None` if the model supports all
    /// properties.
    pub fn sharing_refusal(&self) -> Option<Refusal> {
        self.sharing.refusal(
            !self.shared_links.is_empty(),
            self.has_limited_reads(),
            self.has_limited_domains(),
        )
    }

    /// Whether any memory has a dedicated bandwidth for `traffic`.
    pub fn has_figure_of(&self, traffic: impl Into<Traffic>) -> bool {
        let traffic = traffic.into();
        let has_figure = |node: &Node| match traffic {
            Traffic::Kernel(kernel) => node.kernels.get(kernel).is_some(),
            Traffic::Mixed(_) => node.kernels.mixed.is_some(),
        };
        traffic.writes() && self.nodes.iter().any(has_figure)
    }

    /// Whether `a` and `b` are equivalent on this machine: one GB/s of either consumes the same share of
    /// every memory, and both make other threads wait equally long.
    pub fn serves_alike(&self, a: Traffic, b: Traffic) -> bool {
        let waits_alike = self.sharing.kind != ModelKind::Ecm || {
            let parameters = &self.sharing.parameters;
            parameters.penalty(a, false) == parameters.penalty(b, false)
        };
        a == b || (waits_alike && self.nodes.iter().all(|node| node.occupied_by(a) == node.occupied_by(b)))
    }

    /// Outstanding cache lines of a core of `node` under the benchmark that measured the machine: the given
    /// number per thread (`outstanding_lines`), or the product of the core's bandwidth and the latency of its
    /// memory (Little's law). `None` if no latency is known, or a core has no limit.
    pub fn benchmark_lines(&self, node: NodeId) -> Option<f64> {
        let latency_ns = self.latency_ns(node, self.local_memory(node))?;
        let by_bandwidth = self.node(node).core_bandwidth.map(|most| most.value() * latency_ns / LINE_BYTES);
        self.sharing.parameters.outstanding_lines.or(by_bandwidth)
    }

    /// Whether the latencies are known.
    pub fn has_latencies(&self) -> bool {
        self.latencies_ns.is_some()
    }

    /// Bandwidth of the link from the memory of `to` to the cores of `from`.
    ///
    /// `None` without such a link: `from` = `to`, `from` has no cores, or `to` has no memory.
    pub fn link(&self, from: NodeId, to: NodeId) -> Option<GigabytesPerSecond> {
        (from != to && self.node(from).cores > 0 && self.has_memory(to)).then(|| self.links[(from, to)])
    }
}
