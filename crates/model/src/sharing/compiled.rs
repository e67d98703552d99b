//! A machine and applications, laid out for evaluation: the flows of every pool side by side.
//!
//! Rates of threads are GB/s as the program moves them. Everything that threads share (controllers, links, shared links, what a
//! node reads) is counted in GB/s of reads: a kernel that writes, and for which the machine has a figure of its own, occupies
//! more of it than it moves ([`crate::Node::occupied_by`]). Without such figures both are the same.

use std::ops::Range;

use crate::demand::{Demand, least};
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing_model::{Model, ModelKind};
use crate::table::Table;
use crate::units::GigabytesPerSecond;

/// The equal threads of one application on one node that read one memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Application and node, as the number of a cell: index into thread counts and per-thread results.
    pub(super) group: u32,
    /// Whether the threads read other memories, too.
    pub(super) spread: bool,
    /// GB/s that one thread wants to occupy of this memory.
    pub(super) demand_gbs: f64,
    /// GB/s of this memory that one GB/s of a thread occupies: the fraction of the data that lies there, times what a GB/s of
    /// the kernel stands for ([`crate::Node::occupied_by`]).
    pub(super) cost: f64,
    /// 1 / cost.
    pub(super) inverse_cost: f64,
    /// How it queues.
    pub(super) queueing: Queueing,
}

/// What ECM knows of one thread in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Queueing {
    /// What it adds to the latency of the others, in transfer times of a line.
    pub(super) penalty: f64,
    /// How many times as long as a thread of the benchmark it waits for a byte.
    pub(super) waits: f64,
}

impl Flow {
    /// Threads of `group` that want `demand_gbs` each, that fraction of it of this memory, of what they `moved` in all for each GB, where a
    /// GB/s of it stands for `occupied` GB/s.
    pub(super) fn new(
        group: u32,
        demand_gbs: f64,
        (fraction, moved): (f64, f64),
        occupied: f64,
        queueing: Queueing,
    ) -> Self {
        let cost = fraction * occupied;
        let (spread, demand_gbs) = (fraction < moved, demand_gbs * cost);
        Self { group, spread, demand_gbs, cost, inverse_cost: 1.0 / cost, queueing }
    }

    /// Threads that want `demand_gbs` each from now on, the same fraction of it of this memory.
    pub(super) fn set_demand(&mut self, demand_gbs: f64) {
        self.demand_gbs = demand_gbs * self.cost;
    }
}

/// What one thread wants and can.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerThread {
    /// GB/s that it would draw with the machine to itself.
    pub(super) demand_gbs: f64,
    /// GFLOPS of its core.
    pub(super) peak: f64,
    /// GB/s that one GB/s of it occupies, on all memories together.
    pub(super) occupied: f64,
}

/// A link, or a node's own part of its controller.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) from: NodeId,
    /// Capacity of the link, GB/s; unused for a node's own pool.
    pub(super) capacity: f64,
    pub(super) inverse_cores: f64,
    pub(super) flows: Range<usize>,
}

/// One memory controller with the pools that read it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) bandwidth: f64,
    pub(super) links: Range<usize>,
    pub(super) own: Option<usize>,
    /// The flows of all its pools, where they lie side by side.
    pub(super) flows: Option<Range<usize>>,
}

/// What a limit on several pools or groups at once has to offer.
#[derive(Clone, Debug)]
pub(super) struct Common {
    /// GB/s.
    pub(super) capacity: f64,
    /// Of a shared link: the pools that use it. Of what a node reads: the groups on that node, as numbers of cells.
    pub(super) users: Vec<u32>,
    /// Of what a node or one of its L3 domains reads: the node, and 1 / the cores of it.
    pub(super) node: Option<NodeId>,
    pub(super) inverse_cores: f64,
}

/// Which kind of pool a flow is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// Threads that read the memory of their own node.
    Own,
    /// Threads that read over a link.
    Link,
}

/// What all models need of a machine and applications.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// GB/s one thread would draw with the machine to itself.
    pub(super) demand_gbs: Table<f64>,
    /// GFLOPS of one core.
    pub(super) peak: Table<f64>,
    /// GB/s that one GB/s of a thread occupies, on all memories together: 1 but for kernels with figures of their own.
    pub(super) occupied: Table<f64>,
    /// Per group: GB that a thread moves on all memories for each GB of its own; empty where nobody writes several copies.
    pub(super) moved: Vec<f64>,
    /// Per application: FLOP per byte.
    pub(super) intensity: Vec<f64>,
    /// Per application: what it loses with threads on several nodes; empty where none loses anything.
    pub(super) overhead: Vec<f64>,
    pub(super) memories: Vec<Memory>,
    pub(super) pools: Vec<Pool>,
    pub(super) flows: Vec<Flow>,
    /// Directions of shared links that some pool uses.
    pub(super) shared: Vec<Common>,
    /// What an L3 domain can read in all, where that is limited, and behind them the same of nodes.
    pub(super) reads: Vec<Common>,
    /// How many of `reads` are of L3 domains.
    pub(super) domains: usize,
    /// Rows of each application ([`Machine::rows_per_app`]).
    pub(super) rows_per_app: usize,
    pub(super) model: Model,
    /// The groups that there are, in the order of sums; absent where that is the order of their numbers.
    pub(super) order: Option<Vec<u32>>,
}

impl PerThread {
    /// Figures of one thread of `demand` on `from`.
    pub(super) fn of(machine: &Machine, demand: &Demand, from: NodeId) -> Self {
        Self {
            demand_gbs: least(demand.thread_limits(machine, from)).value(),
            peak: demand.peak(machine.node(from)).value(),
            occupied: demand.occupied(machine, from),
        }
    }
}

impl Compiled {
    /// The pools of every pair of nodes, and no flow in any of them.
    pub(super) fn of_machine(machine: &Machine) -> Self {
        let mut compiled = Self::empty(machine, 0, 1);
        for memory in machine.node_ids() {
            let first = compiled.pools.len();
            let has_memory = machine.has_memory(memory);
            for from in machine.compute_nodes().filter(|&from| from != memory && has_memory) {
                compiled.push_pool(machine, from, memory, 0..0);
            }
            let links = first..compiled.pools.len();
            let own = (machine.node(memory).cores > 0 && has_memory).then(|| {
                compiled.push_pool(machine, memory, memory, 0..0);
                compiled.pools.len() - 1
            });
            let bandwidth = machine.node(memory).bandwidth.value();
            compiled.memories.push(Memory { bandwidth, links, own, flows: None });
        }
        if machine.has_common_limits() {
            compiled.add_common_limits(machine);
        }
        compiled
    }

    /// Room for `rows` x `nodes` groups, and no pools.
    fn empty(machine: &Machine, rows: usize, nodes: usize) -> Self {
        Self {
            demand_gbs: Table::filled(rows, nodes, 0.0),
            peak: Table::filled(rows, nodes, 0.0),
            occupied: Table::filled(rows, nodes, 1.0),
            moved: Vec::new(),
            intensity: Vec::new(),
            overhead: Vec::new(),
            memories: Vec::with_capacity(machine.node_count()),
            pools: Vec::new(),
            flows: Vec::new(),
            shared: Vec::new(),
            reads: Vec::new(),
            domains: 0,
            rows_per_app: machine.rows_per_app(),
            model: *machine.sharing(),
            order: None,
        }
    }

    fn push_pool(&mut self, machine: &Machine, from: NodeId, memory: NodeId, flows: Range<usize>) {
        self.pools.push(Pool {
            from,
            capacity: machine.link(from, memory).map_or(0.0, GigabytesPerSecond::value)
                * self.model.parameters.link_efficiency,
            inverse_cores: 1.0 / f64::from(machine.node(from).cores),
            flows,
        });
    }

    /// Compiles `machine` and the demand of each application.
    pub(super) fn new(machine: &Machine, demands: &[Demand]) -> Self {
        let (apps, nodes) = (demands.len(), machine.node_count());
        let mut compiled = Self::empty(machine, apps, nodes);
        for (a, demand) in demands.iter().enumerate() {
            for n in machine.compute_nodes() {
                let one = PerThread::of(machine, demand, n);
                compiled.demand_gbs[(AppId(a), n)] = one.demand_gbs;
                compiled.peak[(AppId(a), n)] = one.peak;
                compiled.occupied[(AppId(a), n)] = one.occupied;
            }
        }
        compiled.intensity = demands.iter().map(|demand| demand.arithmetic_intensity.value()).collect();
        if demands.iter().any(|demand| demand.node_overhead > 0.0) {
            compiled.overhead = demands.iter().map(|demand| demand.node_overhead).collect();
        }
        if demands.iter().any(|demand| demand.copies.is_some()) {
            let moved = |app: AppId, node| demands[app.0].moved(machine, node);
            compiled.moved = Table::from_fn(apps, nodes, moved).as_slice().to_vec();
        }
        for memory in machine.node_ids() {
            let first = compiled.pools.len();
            let first_flow = compiled.flows.len();
            // Only these can have a flow over a link; with thousands of applications it matters to ask no others.
            let remote: Vec<usize> =
                (0..apps).filter(|&a| demands[a].is_used_from_outside(machine, memory)).collect();
            if !remote.is_empty() {
                for from in machine.compute_nodes().filter(|&n| n != memory) {
                    compiled.add_pool(machine, demands, remote.iter().copied(), from, memory);
                }
            }
            let links = first..compiled.pools.len();
            let own = (machine.node(memory).cores > 0)
                .then(|| compiled.add_pool(machine, demands, 0..apps, memory, memory))
                .flatten();
            let bandwidth = machine.node(memory).bandwidth.value();
            let flows = Some(first_flow..compiled.flows.len());
            compiled.memories.push(Memory { bandwidth, links, own, flows });
        }
        if machine.has_common_limits() {
            compiled.add_common_limits(machine);
        }
        compiled
    }

    fn add_common_limits(&mut self, machine: &Machine) {
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        for direction in machine.shared_directions() {
            let links = self.pool_indices().filter(|&(_, _, kind)| kind == PoolKind::Link);
            let users: Vec<u32> = links
                .filter(|&(m, p, _)| direction.carries(self.pools[p].from, NodeId(m)))
                .map(|(_, p, _)| number(p))
                .collect();
            if !users.is_empty() {
                let capacity = direction.link.bandwidth.value() * self.model.parameters.link_efficiency;
                self.shared.push(Common { capacity, users, node: None, inverse_cores: 0.0 });
            }
        }
        for node in machine.compute_nodes() {
            let own = machine.node(node);
            let Some(limit) = own.l3_bandwidth else { continue };
            for domain in 0..own.domains() {
                let rows = (domain..self.intensity.len()).step_by(self.rows_per_app);
                self.reads.push(Common {
                    node: Some(node),
                    capacity: limit.value(),
                    users: rows.map(|row| number(self.demand_gbs.cell(AppId(row), node))).collect(),
                    inverse_cores: 1.0 / f64::from(own.domain_cores()),
                });
            }
        }
        self.domains = self.reads.len();
        for node in machine.compute_nodes() {
            if let Some(limit) = machine.node(node).read_bandwidth {
                let apps = (0..self.intensity.len()).map(AppId);
                self.reads.push(Common {
                    node: Some(node),
                    capacity: limit.value(),
                    users: apps.map(|app| number(self.demand_gbs.cell(app, node))).collect(),
                    inverse_cores: 1.0 / f64::from(machine.node(node).cores),
                });
            }
        }
    }

    /// Per group: the last memory that it reads; the largest number for those that read none.
    pub(super) fn memory_of_groups(&self) -> Vec<u32> {
        let mut memory_of = vec![u32::MAX; self.demand_gbs.as_slice().len()];
        for (m, p, _) in self.pool_indices() {
            for flow in &self.flows[self.pools[p].flows.clone()] {
                memory_of[flow.group as usize] = u32::try_from(m).unwrap_or(u32::MAX);
            }
        }
        memory_of
    }

    /// Whether a shared link or a limit of what a node reads holds.
    pub(super) fn has_common_limits(&self) -> bool {
        !self.shared.is_empty() || !self.reads.is_empty()
    }

    /// Whether every thread reads one memory only, and no limit is shared by pools: memories can then be looked at one by
    /// one, and nothing that is granted stays unused.
    pub(super) fn is_separable(&self) -> bool {
        !self.has_common_limits() && self.reads_one_memory()
    }

    /// Whether every thread reads one memory only.
    pub(super) fn reads_one_memory(&self) -> bool {
        self.flows.iter().all(|flow| !flow.spread)
    }

    /// What a thread of the flow occupies of its memory, of all that it occupies: 0 to 1.
    pub(super) fn pace(&self, flow: &Flow) -> f64 {
        flow.cost / self.occupied.as_slice()[flow.group as usize]
    }

    /// GB that a thread of the group moves on all memories for each GB of its own.
    pub(super) fn moved(&self, group: usize) -> f64 {
        self.moved.get(group).copied().unwrap_or(1.0)
    }

    /// The application of a flow.
    pub(super) fn app_of(&self, flow: &Flow) -> usize {
        flow.group as usize / self.memories.len()
    }

    /// The rows of the same application as `row`, and the groups of all of them.
    pub(super) fn rows_of_app(&self, row: AppId) -> (Range<usize>, Range<usize>) {
        let first = row.0 - row.0 % self.rows_per_app;
        let (rows, nodes) = (first..first + self.rows_per_app, self.memories.len());
        (rows.clone(), rows.start * nodes..rows.end * nodes)
    }

    /// The shared links that `pool` uses.
    pub(super) fn shared_by(&self, pool: usize) -> impl Iterator<Item = &Common> {
        let uses = move |shared: &&Common| shared.users.iter().any(|&user| user as usize == pool);
        self.shared.iter().filter(uses)
    }

    /// Adds the pool of the flows of `apps` from `from` to `memory`, unless none of them could have one.
    fn add_pool(
        &mut self,
        machine: &Machine,
        demands: &[Demand],
        apps: impl Iterator<Item = usize>,
        from: NodeId,
        memory: NodeId,
    ) -> Option<usize> {
        let first = self.flows.len();
        for a in apps {
            let fraction = demands[a].fraction(machine, from, memory);
            if fraction > 0.0 {
                let in_all = (fraction, demands[a].moved(machine, from));
                let group = self.demand_gbs.cell(AppId(a), from);
                let number = u32::try_from(group).unwrap_or(u32::MAX);
                let traffic = demands[a].traffic;
                let occupied = machine.node(memory).occupied_by(traffic);
                let penalty = self.model.parameters.penalty(traffic, from != memory);
                let queueing = Queueing { penalty, waits: demands[a].waits(machine, from) };
                self.flows.push(Flow::new(number, self.demand_gbs[group], in_all, occupied, queueing));
            }
        }
        (self.flows.len() > first).then(|| {
            self.push_pool(machine, from, memory, first..self.flows.len());
            self.pools.len() - 1
        })
    }

    /// GB/s that all threads of a pool want to occupy together.
    #[inline]
    pub(super) fn wanted(&self, pool: usize, threads: &[f64]) -> f64 {
        self.flows[self.pools[pool].flows.clone()]
            .iter()
            .map(|flow| threads[flow.group as usize] * flow.demand_gbs)
            .sum()
    }

    /// GB/s that all threads of a pool occupy, each group by its `rates`.
    #[inline]
    pub(super) fn drawn(&self, pool: usize, threads: &[f64], rates: &[f64]) -> f64 {
        self.drawn_by(self.pools[pool].flows.clone(), threads, rates)
    }

    /// The same of these flows.
    #[inline]
    pub(super) fn drawn_by(&self, flows: Range<usize>, threads: &[f64], rates: &[f64]) -> f64 {
        self.flows[flows]
            .iter()
            .map(|flow| threads[flow.group as usize] * (rates[flow.group as usize] * flow.cost))
            .sum()
    }

    /// All pools, memory by memory: links first, then the node's own. Memory, pool, kind.
    pub(super) fn pool_indices(&self) -> impl Iterator<Item = (usize, usize, PoolKind)> + '_ {
        (0..self.memories.len()).flat_map(|m| self.pools_of(m))
    }

    /// The same of memory `m`.
    pub(super) fn pools_of(&self, m: usize) -> impl Iterator<Item = (usize, usize, PoolKind)> + use<> {
        let Memory { ref links, own, .. } = self.memories[m];
        let links = links.clone().map(move |p| (m, p, PoolKind::Link));
        links.chain(own.map(|p| (m, p, PoolKind::Own)))
    }
}

/// The result of one evaluation, in GB/s.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// Of one thread of each application on each node. Meaningless where there are no threads.
    pub(super) bandwidth: Table<f64>,
    /// Per flow: granted to one thread.
    pub(super) granted: Vec<f64>,
    /// Per pool: what its threads want together.
    pub(super) wanted: Vec<f64>,
    /// Per pool: what reaches the controller of what is wanted. A link lets through so much; a node's own threads ask for
    /// all they want.
    pub(super) offered: Vec<f64>,
    /// Per pool: what its threads have together, after link and controller. Where a model shares out pools, that is shared
    /// out; where it sets the rate of each thread, it is the sum.
    pub(super) available: Vec<f64>,
    /// Per memory: the factor that fits all links into the controller, 1 where they fit.
    pub(super) scale: Vec<f64>,
    /// For ECM, per memory: ns that each byte of a thread of the benchmark waits at the controller; else empty.
    pub(super) waits: Vec<f64>,
    /// The same per pool at its link, and per limit of what nodes and L3 domains read.
    pub(super) link_waits: Vec<f64>,
    pub(super) read_waits: Vec<f64>,
    /// Per memory: what the controller has for what is asked of it; empty where that is always its bandwidth.
    pub(super) controllers: Vec<f64>,
}

impl Shares {
    /// Room for the shares of `compiled`.
    pub(super) fn new(compiled: &Compiled) -> Self {
        let (pools, memories) = (compiled.pools.len(), compiled.memories.len());
        let of_ecm = |count| vec![0.0; if compiled.model.kind == ModelKind::Ecm { count } else { 0 }];
        Self {
            bandwidth: Table::filled(compiled.demand_gbs.rows(), compiled.demand_gbs.nodes(), 0.0),
            granted: vec![0.0; compiled.flows.len()],
            wanted: vec![0.0; pools],
            offered: vec![0.0; pools],
            available: vec![0.0; pools],
            scale: vec![1.0; memories],
            waits: of_ecm(memories),
            link_waits: of_ecm(pools),
            read_waits: of_ecm(compiled.reads.len()),
            controllers: if compiled.model.is_plain_default() { Vec::new() } else { vec![0.0; memories] },
        }
    }

    /// Grants one thread of a flow so much; step 5: each group keeps its scarcest memory.
    #[inline]
    pub(super) fn grant(&mut self, compiled: &Compiled, flow: usize, granted: f64) {
        let flows = &compiled.flows[flow];
        self.granted[flow] = granted;
        if granted < flows.demand_gbs {
            let bandwidth = &mut self.bandwidth[flows.group as usize];
            *bandwidth = bandwidth.min(granted * flows.inverse_cost);
        }
    }

    /// Grants every thread of a pool this part of what it wants.
    #[inline]
    pub(super) fn grant_part(&mut self, compiled: &Compiled, pool: usize, part: f64) {
        for f in compiled.pools[pool].flows.clone() {
            self.grant(compiled, f, compiled.flows[f].demand_gbs * part);
        }
    }
}
