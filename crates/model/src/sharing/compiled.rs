//! A machine and applications in a layout for evaluation: the flows of every pool are contiguous.
//!
//! Rates of threads are GB/s as the program moves them. Every shared resource (controllers, links, shared
//! links, read limits of nodes) is counted in read-equivalent GB/s: a write kernel for which the machine
//! defines a bandwidth consumes more of the resource than it moves ([`crate::Node::occupied_by`]). Without
//! such values both are equal.

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
    /// Application and node as the number of a cell: index into thread counts and per-thread results.
    pub(super) group: u32,
    /// Whether the threads also read other memories.
    pub(super) spread: bool,
    /// Read-equivalent GB/s that one thread requests from this memory.
    pub(super) demand_gbs: f64,
    /// Read-equivalent GB/s of this memory per GB/s of a thread: the fraction of its data there, times the
    /// factor of its kernel ([`crate::Node::occupied_by`]).
    pub(super) cost: f64,
    /// 1 / cost.
    pub(super) inverse_cost: f64,
    /// Its behaviour in a queue.
    pub(super) queueing: Queueing,
}

/// Queueing properties of one thread under ECM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Queueing {
    /// Latency that it adds for the other threads, in transfer times of a line.
    pub(super) penalty: f64,
    /// Its waiting time per byte relative to a thread of the benchmark.
    pub(super) waits: f64,
}

impl Flow {
    /// The threads of `group`, each with a demand of `demand_gbs`: `fraction` of it is on this memory, out of
    /// `moved` GB on all memories per GB of the thread, and one GB/s of it is `occupied` read-equivalent
    /// GB/s.
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

    /// Changes the demand of each thread to `demand_gbs`, with the same fraction of it on this memory.
    pub(super) fn set_demand(&mut self, demand_gbs: f64) {
        self.demand_gbs = demand_gbs * self.cost;
    }
}

/// Demand and peak of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerThread {
    /// Its bandwidth with the machine to itself, GB/s.
    pub(super) demand_gbs: f64,
    /// Peak GFLOPS of its core.
    pub(super) peak: f64,
    /// Read-equivalent GB/s of one GB/s of it, on all memories together.
    pub(super) occupied: f64,
}

/// A link, or a node's own share of its controller.
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
    /// The flows of all its pools, if they are contiguous.
    pub(super) flows: Option<Range<usize>>,
}

/// A limit on several pools or groups at once.
#[derive(Clone, Debug)]
pub(super) struct Common {
    /// Capacity, GB/s.
    pub(super) capacity: f64,
    /// For a shared link, the pools that use it. For the reads of a node, the groups on that node, as numbers
    /// of cells.
    pub(super) users: Vec<u32>,
    /// For the reads of a node or of one of its L3 domains, the node and 1 / number of cores.
    pub(super) node: Option<NodeId>,
    pub(super) inverse_cores: f64,
}

/// The kind of pool of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// Threads that read local memory.
    Own,
    /// Threads that read over a link.
    Link,
}

/// The properties of a machine and applications that all models need.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// Bandwidth of one thread with the machine to itself, GB/s.
    pub(super) demand_gbs: Table<f64>,
    /// Peak GFLOPS of one core.
    pub(super) peak: Table<f64>,
    /// Read-equivalent GB/s of one GB/s of a thread, on all memories together: 1, except for kernels with a
    /// dedicated bandwidth.
    pub(super) occupied: Table<f64>,
    /// Per group: GB that a thread moves on all memories per GB of its traffic; empty if no thread writes
    /// several copies.
    pub(super) moved: Vec<f64>,
    /// Per application: FLOP per byte.
    pub(super) intensity: Vec<f64>,
    /// Per application: loss with threads on several nodes; empty if no application has a loss.
    pub(super) overhead: Vec<f64>,
    pub(super) memories: Vec<Memory>,
    pub(super) pools: Vec<Pool>,
    pub(super) flows: Vec<Flow>,
    /// Directions of shared links that any pool uses.
    pub(super) shared: Vec<Common>,
    /// Read limits of L3 domains, followed by read limits of nodes.
    pub(super) reads: Vec<Common>,
    /// Number of entries of `reads` for L3 domains.
    pub(super) domains: usize,
    /// Rows of each application ([`Machine::rows_per_app`]).
    pub(super) rows_per_app: usize,
    pub(super) model: Model,
    /// The existing groups in the order of summation; `None` if that is the order of their numbers.
    pub(super) order: Option<Vec<u32>>,
}

impl PerThread {
    /// Values for one thread of `demand` on `from`.
    pub(super) fn of(machine: &Machine, demand: &Demand, from: NodeId) -> Self {
        Self {
            demand_gbs: least(demand.thread_limits(machine, from)).value(),
            peak: demand.peak(machine.node(from)).value(),
            occupied: demand.occupied(machine, from),
        }
    }
}

impl Compiled {
    /// The pools of every pair of nodes, without flows.
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

    /// Room for `rows` x `nodes` groups, without pools.
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
            // Only these can have a flow over a link. With thousands of applications it saves time to check
            // no others.
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

    /// Per group: the last memory that it reads; the largest number for groups that read none.
    pub(super) fn memory_of_groups(&self) -> Vec<u32> {
        let mut memory_of = vec![u32::MAX; self.demand_gbs.as_slice().len()];
        for (m, p, _) in self.pool_indices() {
            for flow in &self.flows[self.pools[p].flows.clone()] {
                memory_of[flow.group as usize] = u32::try_from(m).unwrap_or(u32::MAX);
            }
        }
        memory_of
    }

    /// Whether a shared link or a read limit applies.
    pub(super) fn has_common_limits(&self) -> bool {
        !self.shared.is_empty() || !self.reads.is_empty()
    }

    /// Whether every thread reads only one memory and no limit is shared by pools. Memories can then be
    /// solved one by one, and all granted bandwidth is used.
    pub(super) fn is_separable(&self) -> bool {
        !self.has_common_limits() && self.reads_one_memory()
    }

    /// Whether every thread reads only one memory.
    pub(super) fn reads_one_memory(&self) -> bool {
        self.flows.iter().all(|flow| !flow.spread)
    }

    /// Share of the flow's memory in the total read-equivalent traffic of its thread: 0 to 1.
    pub(super) fn pace(&self, flow: &Flow) -> f64 {
        flow.cost / self.occupied.as_slice()[flow.group as usize]
    }

    /// GB that a thread of the group moves on all memories per GB of its traffic.
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

    /// Adds the pool of the flows of `apps` from `from` to `memory`, unless no application can have a flow
    /// there.
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

    /// Total demand of all threads of a pool, in read-equivalent GB/s.
    #[inline]
    pub(super) fn wanted(&self, pool: usize, threads: &[f64]) -> f64 {
        self.flows[self.pools[pool].flows.clone()]
            .iter()
            .map(|flow| threads[flow.group as usize] * flow.demand_gbs)
            .sum()
    }

    /// Total traffic of all threads of a pool, in read-equivalent GB/s, with the `rates` of each group.
    #[inline]
    pub(super) fn drawn(&self, pool: usize, threads: &[f64], rates: &[f64]) -> f64 {
        self.drawn_by(self.pools[pool].flows.clone(), threads, rates)
    }

    /// The same for these flows.
    #[inline]
    pub(super) fn drawn_by(&self, flows: Range<usize>, threads: &[f64], rates: &[f64]) -> f64 {
        self.flows[flows]
            .iter()
            .map(|flow| threads[flow.group as usize] * (rates[flow.group as usize] * flow.cost))
            .sum()
    }

    /// All pools, memory by memory: links first, then the node's own. Items are memory, pool, kind.
    pub(super) fn pool_indices(&self) -> impl Iterator<Item = (usize, usize, PoolKind)> + '_ {
        (0..self.memories.len()).flat_map(|m| self.pools_of(m))
    }

    /// The same for memory `m`.
    pub(super) fn pools_of(&self, m: usize) -> impl Iterator<Item = (usize, usize, PoolKind)> + use<> {
        let Memory { ref links, own, .. } = self.memories[m];
        let links = links.clone().map(move |p| (m, p, PoolKind::Link));
        links.chain(own.map(|p| (m, p, PoolKind::Own)))
    }
}

/// The result of one evaluation, in GB/s.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// Bandwidth of one thread of each application on each node. Meaningless for cells without threads.
    pub(super) bandwidth: Table<f64>,
    /// Per flow: bandwidth granted to one thread.
    pub(super) granted: Vec<f64>,
    /// Per pool: total demand of its threads.
    pub(super) wanted: Vec<f64>,
    /// Per pool: the part of the demand that reaches the controller. A link lets through at most its
    /// bandwidth; a node's own threads request their whole demand.
    pub(super) offered: Vec<f64>,
    /// Per pool: total bandwidth of its threads, after link and controller. In models that divide pools, it
    /// is the amount divided; in models that set the rate of each thread, it is the sum of the rates.
    pub(super) available: Vec<f64>,
    /// Per memory: the factor that fits all links into the controller, 1 if they fit.
    pub(super) scale: Vec<f64>,
    /// For ECM, per memory: time in ns that each byte of a thread of the benchmark waits at the controller;
    /// otherwise empty.
    pub(super) waits: Vec<f64>,
    /// The same per pool at its link, and per read limit of nodes and L3 domains.
    pub(super) link_waits: Vec<f64>,
    pub(super) read_waits: Vec<f64>,
    /// Per memory: the bandwidth of the controller under its load; empty if it is always the full bandwidth.
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

    /// Grants `granted` GB/s to one thread of a flow. Step 5: each group keeps its scarcest memory.
    #[inline]
    pub(super) fn grant(&mut self, compiled: &Compiled, flow: usize, granted: f64) {
        let flows = &compiled.flows[flow];
        self.granted[flow] = granted;
        if granted < flows.demand_gbs {
            let bandwidth = &mut self.bandwidth[flows.group as usize];
            *bandwidth = bandwidth.min(granted * flows.inverse_cost);
        }
    }

    /// Grants every thread of a pool this fraction of its demand.
    #[inline]
    pub(super) fn grant_part(&mut self, compiled: &Compiled, pool: usize, part: f64) {
        for f in compiled.pools[pool].flows.clone() {
            self.grant(compiled, f, compiled.flows[f].demand_gbs * part);
        }
    }
}
