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

/// A machine that is known to be consistent: made only by [`Machine::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    name: String,
    source: Option<String>,
    provenance: BTreeMap<String, Provenance>,
    nodes: Vec<Node>,
    /// From the node of the cores to that of the memory; the diagonal, the rows of nodes without cores and the columns of nodes
    /// without memory are unused.
    links: Table<GigabytesPerSecond, NodeId>,
    /// Where local data lies; follows from all else.
    local: parts::LocalMemory,
    /// Links that several pairs use together.
    shared_links: Vec<SharedLink>,
    /// One for each node, or none at all where nobody said anything.
    os_nodes: Vec<OsNode>,
    /// How it shares bandwidth.
    sharing: Model,
    /// From the node of the cores to that of the memory, the diagonal included; `None` where nobody gave them.
    latencies_ns: Option<Table<f64, NodeId>>,
    /// One for each node, or none at all where nobody said anything.
    caches: Vec<Option<LastLevelCache>>,
    /// From the node of the cores to that of the memory, as the firmware says it (SLIT); `None` where nobody gave them.
    distances: Option<Table<f64, NodeId>>,
    /// How the benchmark's kernels go through its memory; only where they were tried.
    kernel_variants: KernelVariants,
    /// Hardware threads of each core, 1 or 2.
    threads_per_core: u32,
}

impl Machine {
    /// Checks the figures and builds the machine.
    ///
    /// `links` has nodes x nodes entries in GB/s: row = node of the core that runs, column = node of the memory
    /// that is read. Its diagonal, the rows of nodes without cores and the columns of nodes without memory are ignored, and so are the
    /// bandwidths of a memory that is not there.
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

    /// The same machine, which knows again where local data lies.
    fn with_local_memories(mut self) -> Self {
        self.local = parts::LocalMemory::of(&self);
        self
    }

    /// A machine with other figures that shares bandwidth as this one does; `links` as in [`Machine::new`]. What says
    /// where the old figures came from, and the numbers of the operating system, are left out.
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

    /// The same machine with another model of how it shares bandwidth.
    #[must_use]
    pub fn with_sharing(mut self, sharing: Model) -> Self {
        self.sharing = sharing;
        self
    }

    /// The same machine with the rules of another model; the corrections of its file stay.
    #[must_use]
    pub fn with_model(self, kind: ModelKind) -> Self {
        let sharing = self.sharing().with_kind(kind);
        self.with_sharing(sharing)
    }

    /// The same machine with the time that a load takes, in nanoseconds, on an idle machine: row = node of the core,
    /// column = node of the memory, the diagonal included. Rows of nodes without cores and columns of nodes without memory are
    /// ignored.
    ///
    /// # Errors
    /// [`MachineError::PairCount`] for the wrong number of entries; [`MachineError::OutOfBounds`] for a latency that
    /// is no figure ([`crate::bounds`]).
    pub fn with_latencies_ns(mut self, latencies_ns: Vec<f64>) -> Result<Self, MachineError> {
        let has_memory = |memory| self.has_memory(memory);
        self.latencies_ns = Some(self.pairs("a latency", "latencies", latencies_ns, has_memory)?);
        Ok(self.with_local_memories())
    }

    /// The same machine with the distances that its firmware states (SLIT: 10 is the own node): row = node of the core,
    /// column = node of the memory. Unlike latencies they are no measurement; schedulers go by them where real ones do.
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
    /// [`MachineError::CacheCount`]; [`MachineError::OutOfBounds`] for a size or a bandwidth that is no figure ([`crate::bounds`]).
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

    /// A table of positive figures, one for each pair of nodes; columns of which `counts` is false may have any.
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

    /// The same machine with links that several pairs of nodes use together.
    ///
    /// # Errors
    /// [`MachineError::SharedLinkBandwidth`], [`MachineError::SharedLinkGroup`], [`MachineError::SharedLinkTwice`].
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

    /// Equal nodes, and the same bandwidth between each ordered pair of different nodes.
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

    /// The same machine with other figures of its nodes and links (as [`Machine::new`] takes them), and all else as it is:
    /// where figures came from, too, so that the caller must say what is no longer true.
    ///
    /// # Errors
    /// Every variant of [`MachineError`]; [`MachineError::NodeCount`] also if there are not as many nodes as before.
    pub fn retuned(&self, nodes: Vec<Node>, links: Vec<GigabytesPerSecond>) -> Result<Self, MachineError> {
        if nodes.len() != self.nodes.len() {
            return Err(MachineError::NodeCount(nodes.len()));
        }
        let changed = Self::new("", nodes, links)?;
        Ok(Self { nodes: changed.nodes, links: changed.links, ..self.clone() }.with_local_memories())
    }

    /// The same machine when `taken` GB/s of the memory of `node` are occupied already: a tiny rest is always left. A GB/s of a
    /// kernel occupies as much of it as before.
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

    /// The same machine, of which L3 domains read as much as they like.
    #[must_use]
    pub fn without_limited_domains(&self) -> Self {
        let mut machine = self.clone();
        for node in &mut machine.nodes {
            node.l3_bandwidth = None;
        }
        machine
    }

    /// The same machine for what counts threads by node and may count parts of them (simulated time, tasks): threads are spread evenly over the L3
    /// domains of their node. Then each domain is as full as the others, and the node reads what all of them let through; a core draws no more than
    /// its domain does.
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

    /// The same machine with two hardware threads on each core, or one.
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

    /// The same machine with kind and source of its figures, by key of the machine file.
    #[must_use]
    pub fn with_provenance(mut self, provenance: BTreeMap<String, Provenance>) -> Self {
        self.provenance = provenance;
        self
    }

    /// The same machine with the fastest ways of the benchmark's kernels through its memory.
    #[must_use]
    pub fn with_kernel_variants(mut self, kernel_variants: KernelVariants) -> Self {
        self.kernel_variants = kernel_variants;
        self
    }

    /// The same machine with what the operating system calls its nodes and cores; one entry for each node.
    ///
    /// # Errors
    /// The first contradiction between both, as [`cpus::contradictions`] finds it.
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

    /// Where the figures come from.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Kind and source of each figure, by key of the machine file (`gflops_per_core`, `link_gbs`, …).
    pub fn provenance(&self) -> &BTreeMap<String, Provenance> {
        &self.provenance
    }

    /// How the benchmark's kernels go through its memory.
    pub fn kernel_variants(&self) -> &KernelVariants {
        &self.kernel_variants
    }

    /// What the operating system calls the nodes, in order; empty where nobody said it.
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

    /// Whether it matters to bandwidths in which L3 domain a thread is.
    pub fn has_limited_domains(&self) -> bool {
        self.nodes.iter().any(|node| node.cores > 0 && node.l3_bandwidth.is_some())
    }

    /// How many rows a table of applications and nodes has for each application where L3 domains matter: row j of an application has its
    /// threads in the domain j of each node. 1 where they do not matter.
    pub fn rows_per_app(&self) -> usize {
        if !self.has_limited_domains() {
            return 1;
        }
        self.nodes.iter().map(Node::domains).max().unwrap_or(1)
    }

    /// The last-level cache of a node, where somebody said what it is.
    pub fn cache(&self, node: NodeId) -> Option<&LastLevelCache> {
        self.caches.get(node.0)?.as_ref()
    }

    /// How far the firmware says that a memory is from the cores of a node, where somebody said it; the diagonal included.
    pub fn distance(&self, from: NodeId, memory: NodeId) -> Option<f64> {
        self.distances.as_ref().map(|distances| distances[(from, memory)])
    }

    /// Whether somebody said which last-level caches there are, also that there are none.
    pub fn says_caches(&self) -> bool {
        !self.caches.is_empty()
    }

    /// Whether the firmware's distances are known.
    pub fn has_distances(&self) -> bool {
        self.distances.is_some()
    }

    /// How it shares bandwidth.
    pub fn sharing(&self) -> &Model {
        &self.sharing
    }

    /// Nanoseconds that a load of a core of `from` takes from the memory of `to` on an idle machine; `None` where it is
    /// not known or where `from` has no cores or `to` no memory.
    pub fn latency_ns(&self, from: NodeId, to: NodeId) -> Option<f64> {
        let latency = self.latencies_ns.as_ref()?.get(from, to).copied();
        latency.filter(|_| self.node(from).cores > 0 && self.has_memory(to))
    }

    /// Links that several pairs of nodes use together.
    pub fn shared_links(&self) -> &[SharedLink] {
        &self.shared_links
    }

    /// The directions of all shared links, in the order of the file: resources, each with a capacity of its own.
    pub fn shared_directions(&self) -> impl Iterator<Item = SharedDirection<'_>> {
        self.shared_links.iter().flat_map(SharedLink::directions)
    }

    /// Whether something limits several memories or pairs of nodes at once: a shared link, or what a node or an L3 domain can read.
    pub fn has_common_limits(&self) -> bool {
        !self.shared_links.is_empty() || self.has_limited_reads() || self.has_limited_domains()
    }

    fn has_limited_reads(&self) -> bool {
        self.nodes.iter().any(|node| node.read_bandwidth.is_some())
    }

    /// What of this machine its sharing model has no reading of; `None` where it honours everything.
    pub fn sharing_refusal(&self) -> Option<Refusal> {
        self.sharing.refusal(
            !self.shared_links.is_empty(),
            self.has_limited_reads(),
            self.has_limited_domains(),
        )
    }

    /// Whether some memory has a bandwidth of its own for `traffic`.
    pub fn has_figure_of(&self, traffic: impl Into<Traffic>) -> bool {
        let traffic = traffic.into();
        let has_figure = |node: &Node| match traffic {
            Traffic::Kernel(kernel) => node.kernels.get(kernel).is_some(),
            Traffic::Mixed(_) => node.kernels.mixed.is_some(),
        };
        traffic.writes() && self.nodes.iter().any(has_figure)
    }

    /// Whether `a` and `b` are one to this machine: a GB/s of either occupies as much of every memory, and both make others wait as long.
    pub fn serves_alike(&self, a: Traffic, b: Traffic) -> bool {
        let waits_alike = self.sharing.kind != ModelKind::Ecm || {
            let parameters = &self.sharing.parameters;
            parameters.penalty(a, false) == parameters.penalty(b, false)
        };
        a == b || (waits_alike && self.nodes.iter().all(|node| node.occupied_by(a) == node.occupied_by(b)))
    }

    /// Cache lines that a core of `node` has under way while it runs the benchmark that measured the machine: as given for threads
    /// (`outstanding_lines`), or by Little's law what the bandwidth of a core is worth at the latency of its memory. `None` where no latency
    /// is known, or nothing limits a core.
    pub fn benchmark_lines(&self, node: NodeId) -> Option<f64> {
        let latency_ns = self.latency_ns(node, self.local_memory(node))?;
        let by_bandwidth = self.node(node).core_bandwidth.map(|most| most.value() * latency_ns / LINE_BYTES);
        self.sharing.parameters.outstanding_lines.or(by_bandwidth)
    }

    /// Whether the latencies are known.
    pub fn has_latencies(&self) -> bool {
        self.latencies_ns.is_some()
    }

    /// Bandwidth of the link on which cores of `from` read memory of `to`.
    ///
    /// `None` where there is no link: `from` = `to`, `from` has no cores, or `to` has no memory.
    pub fn link(&self, from: NodeId, to: NodeId) -> Option<GigabytesPerSecond> {
        (from != to && self.node(from).cores > 0 && self.has_memory(to)).then(|| self.links[(from, to)])
    }
}
