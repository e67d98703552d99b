//! The fast solver: compiled once for machine and applications, then evaluated for millions of allocations.
//!
//! [`Solver::new`] lays the flows of every pool side by side; [`Solver::solve`] walks them twice and allocates
//! nothing. The result is in the [`Workspace`], which the caller keeps and reuses. This file has the paper's model, which
//! most people ask for, on a path of its own; the others begin in `other`.

use std::ops::Range;

use super::other::{Other, Scratch};
use super::split::Split;
use super::{Demand, Model};
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;

/// The equal threads of one application on one node that read one memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Application x nodes + node: index into thread counts and per-thread results.
    pub(super) group: u32,
    /// GB/s that one thread wants of this memory.
    pub(super) wants: f64,
    /// 1 / fraction of the data that lies there.
    pub(super) inverse_fraction: f64,
}

/// A link, or a node's own part of its controller.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) from: NodeId,
    /// Capacity of the link, GB/s; unused for a node's own pool.
    pub(super) capacity: f64,
    inverse_cores: f64,
    pub(super) flows: Range<usize>,
}

/// One memory controller with the pools that read it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) bandwidth: f64,
    pub(super) links: Range<usize>,
    pub(super) own: Option<usize>,
}

/// Which kind of pool a flow is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// Threads that read the memory of their own node.
    Own,
    /// Threads that read over a link.
    Link,
}

/// A machine and applications, compiled for evaluation.
#[derive(Clone, Debug)]
pub struct Solver {
    apps: usize,
    pub(super) nodes: usize,
    /// Per group: GB/s one thread would draw with the machine to itself.
    pub(super) wants: Vec<f64>,
    /// Per group: GFLOPS of one core.
    peak: Vec<f64>,
    /// Per application: FLOP per byte.
    intensity: Vec<f64>,
    pub(super) memories: Vec<Memory>,
    pub(super) pools: Vec<Pool>,
    pub(super) flows: Vec<Flow>,
    model: Model,
    /// What another model than the plain default needs; `None` for that.
    other: Option<Box<Other>>,
}

/// A node whose own threads get less than an equal part of their controller: see [`Solver::starved`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Starved {
    /// GB/s its own threads want together.
    pub wanted: f64,
    /// GB/s remote readers leave them.
    pub left: f64,
    /// The equal part, GB/s: controller / (1 + readers).
    pub equal_part: f64,
    /// How many nodes read it from outside.
    pub readers: usize,
}

/// How far below the equal part counts as starved: less is rounding.
const TOLERANCE: f64 = 1e-9;

/// Results of one evaluation, and the only memory that evaluation writes to.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Per group: GB/s of one thread. Meaningless where the group has no threads.
    pub(super) bandwidth: Vec<f64>,
    /// Per application: GFLOPS of all its threads.
    gflops: Vec<f64>,
    /// Per flow: GB/s granted to one thread.
    pub(super) granted: Vec<f64>,
    /// Per pool: GB/s its threads want together.
    pub(super) wanted: Vec<f64>,
    /// Per pool: GB/s it has to share out. For a link: what the link gets.
    pub(super) available: Vec<f64>,
    /// Per memory: the factor that fits all links into the controller, 1 where they fit.
    pub(super) scale: Vec<f64>,
    /// What other models than the default note down; empty for that.
    pub(super) scratch: Scratch,
}

impl Workspace {
    /// GFLOPS of each application.
    pub fn gflops(&self) -> &[f64] {
        &self.gflops
    }

    /// GB/s of one thread of each group (application x nodes + node).
    pub fn bandwidth_per_thread(&self) -> &[f64] {
        &self.bandwidth
    }
}

/// One flow of a solved allocation, for reports and checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView {
    /// The application.
    pub app: AppId,
    /// Where its threads run.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Own controller or link.
    pub kind: PoolKind,
    /// Fraction of the data on this memory.
    pub fraction: f64,
    /// Threads in the flow.
    pub threads: u32,
    /// GB/s one thread wants of this memory.
    pub wants: f64,
    /// GB/s one thread is granted.
    pub granted: f64,
}

/// One pool of a solved allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolView {
    /// Where the threads run.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Own controller or link.
    pub kind: PoolKind,
    /// GB/s all its threads want together.
    pub wanted: f64,
    /// GB/s it has to share out: what the link gets, or what remote readers leave of the controller.
    pub available: f64,
    /// Capacity of the link or controller, GB/s.
    pub capacity: f64,
    /// The factor by which remote demand beyond the controller was scaled down, 1 if it fits.
    pub scale: f64,
}

impl Solver {
    /// Compiles `machine` and the demand of each application.
    pub fn new(machine: &Machine, demands: &[Demand]) -> Self {
        let (apps, nodes) = (demands.len(), machine.node_count());
        let mut wants = vec![0.0; apps * nodes];
        let mut peak = vec![0.0; apps * nodes];
        let model = *machine.sharing();
        for (a, demand) in demands.iter().enumerate() {
            for (n, node) in machine.nodes().iter().enumerate().filter(|(_, node)| node.cores > 0) {
                let digestible = node.gflops_per_core / demand.arithmetic_intensity;
                let drawn = node.core_bandwidth.map_or(digestible, |ceiling| digestible.min(ceiling)).value();
                let ceiling = model.parameters.thread_ceiling(machine, demand, NodeId(n));
                wants[a * nodes + n] = ceiling.map_or(drawn, |ceiling| drawn.min(ceiling));
                peak[a * nodes + n] = node.gflops_per_core.value();
            }
        }
        let mut solver = Self {
            apps,
            nodes,
            wants,
            peak,
            intensity: demands.iter().map(|d| d.arithmetic_intensity.value()).collect(),
            memories: Vec::with_capacity(nodes),
            pools: Vec::new(),
            flows: Vec::new(),
            model,
            other: None,
        };
        for memory in machine.node_ids() {
            let first = solver.pools.len();
            // Who reads over links is asked once for each memory: a large machine has a million links, most of them unread.
            let outside: Vec<usize> =
                (0..apps).filter(|&a| demands[a].placement.is_read_from_outside(memory)).collect();
            if !outside.is_empty() {
                for from in machine.compute_nodes().filter(|&n| n != memory) {
                    solver.add_pool(machine, demands, outside.iter().copied(), from, memory);
                }
            }
            let links = first..solver.pools.len();
            let own = (machine.node(memory).cores > 0)
                .then(|| solver.add_pool(machine, demands, 0..apps, memory, memory))
                .flatten();
            solver.memories.push(Memory { bandwidth: machine.node(memory).bandwidth.value(), links, own });
        }
        if !model.is_plain_default() {
            solver.other = Some(Box::new(Other::new(&model, &solver, machine)));
        }
        solver
    }

    /// Adds the pool of the flows of `readers` from `from` to `memory`, unless none of them could have one.
    fn add_pool(
        &mut self,
        machine: &Machine,
        demands: &[Demand],
        readers: impl Iterator<Item = usize>,
        from: NodeId,
        memory: NodeId,
    ) -> Option<usize> {
        let first = self.flows.len();
        for a in readers {
            let fraction = demands[a].placement.fraction(machine, from, memory);
            if fraction > 0.0 {
                let group = a * self.nodes + from.0;
                self.flows.push(Flow {
                    group: u32::try_from(group).unwrap_or(u32::MAX),
                    wants: self.wants[group] * fraction,
                    inverse_fraction: 1.0 / fraction,
                });
            }
        }
        (self.flows.len() > first).then(|| {
            self.pools.push(Pool {
                from,
                capacity: machine.link(from, memory).map_or(0.0, crate::units::GigabytesPerSecond::value)
                    * self.model.parameters.link_efficiency,
                inverse_cores: 1.0 / f64::from(machine.node(from).cores),
                flows: first..self.flows.len(),
            });
            self.pools.len() - 1
        })
    }

    /// A workspace of the right size.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            bandwidth: vec![0.0; self.wants.len()],
            gflops: vec![0.0; self.apps],
            granted: vec![0.0; self.flows.len()],
            wanted: vec![0.0; self.pools.len()],
            available: vec![0.0; self.pools.len()],
            scale: vec![1.0; self.nodes],
            scratch: self.other.as_ref().map(|other| other.scratch(self)).unwrap_or_default(),
        }
    }

    /// The sharing model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether a thread added on one node never helps a thread on another one, for these applications: what
    /// [`Model::threads_elsewhere_never_help`] promises, or because nobody reads over a link, or, for max-min, because
    /// every thread reads one memory only.
    ///
    /// With one memory for each thread the resources of max-min are nested (a link inside a controller): who comes to
    /// another link lowers the level of the controller, which is the same for all inside one link, so that nobody in
    /// there gains from what another one loses.
    pub fn threads_elsewhere_never_help(&self) -> bool {
        let no_links = self.memories.iter().all(|memory| memory.links.is_empty());
        let one_memory = || self.flows.iter().all(|flow| flow.inverse_fraction <= 1.0);
        let hard = self.model.parameters.saturation_knee == 0.0;
        no_links || self.model.threads_elsewhere_never_help() || (hard && one_memory())
    }

    /// Number of applications.
    pub fn apps(&self) -> usize {
        self.apps
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// GB/s that one thread of each group (application x nodes + node) would draw with the machine to itself.
    pub fn wants_per_thread(&self) -> &[f64] {
        &self.wants
    }

    /// Shares the bandwidth for `threads` (entry application x nodes + node) and leaves the result in `workspace`.
    ///
    /// The caller vouches for at most one thread per core. Allocates nothing.
    pub fn solve(&self, threads: &[u32], workspace: &mut Workspace) {
        debug_assert_eq!(threads.len(), self.wants.len());
        workspace.bandwidth.copy_from_slice(&self.wants);
        match &self.other {
            None => self.remote_first(threads, workspace),
            Some(other) => self.share_otherwise(other, threads, workspace),
        }
        for (a, gflops) in workspace.gflops.iter_mut().enumerate() {
            let mut sum = 0.0;
            for group in a * self.nodes..(a + 1) * self.nodes {
                sum += f64::from(threads[group])
                    * (workspace.bandwidth[group] * self.intensity[a]).min(self.peak[group]);
            }
            *gflops = sum;
        }
    }

    /// Steps 1 to 5 for every memory.
    #[inline]
    fn remote_first(&self, threads: &[u32], workspace: &mut Workspace) {
        for (m, memory) in self.memories.iter().enumerate() {
            let mut remote = 0.0;
            for p in memory.links.clone() {
                let wanted = self.wanted(p, threads);
                let granted = wanted.min(self.pools[p].capacity);
                workspace.wanted[p] = wanted;
                workspace.available[p] = granted;
                remote += granted;
            }
            let scale = if remote > memory.bandwidth { memory.bandwidth / remote } else { 1.0 };
            workspace.scale[m] = scale;
            for p in memory.links.clone() {
                workspace.available[p] *= scale;
                self.share(p, threads, workspace);
            }
            if let Some(own) = memory.own {
                workspace.wanted[own] = self.wanted(own, threads);
                workspace.available[own] = (memory.bandwidth - remote).max(0.0);
                self.share(own, threads, workspace);
            }
        }
    }

    /// GFLOPS of one thread of each application on each node after [`Solver::solve`], at index group.
    pub fn gflops_per_thread(&self, group: usize, workspace: &Workspace) -> f64 {
        let app = group / self.nodes.max(1);
        (workspace.bandwidth[group] * self.intensity[app]).min(self.peak[group])
    }

    #[inline]
    pub(super) fn wanted(&self, pool: usize, threads: &[u32]) -> f64 {
        self.flows[self.pools[pool].flows.clone()]
            .iter()
            .map(|flow| f64::from(threads[flow.group as usize]) * flow.wants)
            .sum()
    }

    /// Steps 2 and 4: splits what the pool has among its flows; step 5: keeps each group's scarcest memory.
    #[inline]
    pub(super) fn share(&self, pool: usize, threads: &[u32], workspace: &mut Workspace) {
        let range = self.pools[pool].flows.clone();
        let (flows, granted) = (&self.flows[range.clone()], &mut workspace.granted[range]);
        if workspace.wanted[pool] <= workspace.available[pool] {
            for (flow, granted) in flows.iter().zip(granted) {
                *granted = flow.wants;
            }
            return;
        }
        let takers = flows.iter().map(|flow| (f64::from(threads[flow.group as usize]), flow.wants));
        let split = Split::new(workspace.available[pool], self.pools[pool].inverse_cores, takers);
        for (flow, granted) in flows.iter().zip(granted) {
            *granted = split.granted(flow.wants);
            let bandwidth = &mut workspace.bandwidth[flow.group as usize];
            *bandwidth = bandwidth.min(*granted * flow.inverse_fraction);
        }
    }

    /// What the remote-first rule does to the own threads of `node` in the solved allocation, where it leaves them less
    /// than an equal part of their controller and they want more. Allocates nothing.
    pub fn starved(&self, node: NodeId, workspace: &Workspace) -> Option<Starved> {
        if !self.model.serves_remote_first() {
            return None;
        }
        let memory = self.memories.get(node.0)?;
        let own = memory.own?;
        let (wanted, left) = (workspace.wanted[own], workspace.available[own]);
        let readers = workspace.wanted[memory.links.clone()].iter().filter(|&&wanted| wanted > 0.0).count();
        let equal_part = memory.bandwidth / (1.0 + readers as f64);
        let below = left < equal_part * (1.0 - TOLERANCE);
        let hungry = wanted > left * (1.0 + TOLERANCE);
        (readers > 0 && below && hungry).then_some(Starved { wanted, left, equal_part, readers })
    }

    /// GB/s that the controller of `memory` has in the solved allocation: less than its bandwidth with a saturation knee.
    pub fn controller(&self, memory: NodeId, workspace: &Workspace) -> f64 {
        let bandwidth = self.memories.get(memory.0).map_or(0.0, |memory| memory.bandwidth);
        workspace.scratch.controllers.get(memory.0).copied().unwrap_or(bandwidth)
    }

    /// All pools of the solved allocation, memory by memory: links first, then the node's own.
    pub fn pools<'a>(&'a self, workspace: &'a Workspace) -> impl Iterator<Item = PoolView> + 'a {
        self.pool_indices().map(move |(m, p, kind)| self.pool_view(m, p, kind, workspace))
    }

    /// All flows of the solved allocation that have threads, in the order of their pools.
    pub fn flows<'a>(
        &'a self,
        threads: &'a [u32],
        workspace: &'a Workspace,
    ) -> impl Iterator<Item = (FlowView, PoolView)> + 'a {
        self.pool_indices().flat_map(move |(m, p, kind)| {
            let pool = self.pool_view(m, p, kind, workspace);
            self.pools[p].flows.clone().filter_map(move |f| {
                let flow = &self.flows[f];
                let group = flow.group as usize;
                (threads[group] > 0).then(|| {
                    let view = FlowView {
                        app: AppId(group / self.nodes),
                        from: pool.from,
                        memory: pool.memory,
                        kind,
                        fraction: 1.0 / flow.inverse_fraction,
                        threads: threads[group],
                        wants: flow.wants,
                        granted: workspace.granted[f],
                    };
                    (view, pool)
                })
            })
        })
    }

    fn pool_indices(&self) -> impl Iterator<Item = (usize, usize, PoolKind)> + '_ {
        self.memories.iter().enumerate().flat_map(|(m, memory)| {
            let links = memory.links.clone().map(move |p| (m, p, PoolKind::Link));
            links.chain(memory.own.map(|p| (m, p, PoolKind::Own)))
        })
    }

    fn pool_view(&self, memory: usize, pool: usize, kind: PoolKind, workspace: &Workspace) -> PoolView {
        PoolView {
            from: self.pools[pool].from,
            memory: NodeId(memory),
            kind,
            wanted: workspace.wanted[pool],
            available: workspace.available[pool],
            capacity: match kind {
                PoolKind::Link => self.pools[pool].capacity,
                PoolKind::Own => self.memories[memory].bandwidth,
            },
            scale: match kind {
                PoolKind::Link => workspace.scale[memory],
                PoolKind::Own => 1.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Placement;
    use crate::machine::Node;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    fn machine(cores: u32, peak: f64, bandwidth: f64, link: f64) -> Machine {
        let node = Node {
            cores,
            gflops_per_core: Gflops::new(peak),
            bandwidth: GigabytesPerSecond::new(bandwidth),
            core_bandwidth: None,
        };
        Machine::uniform("test", 4, node, GigabytesPerSecond::new(link)).unwrap()
    }

    fn demand(intensity: f64, placement: Placement) -> Demand {
        Demand { arithmetic_intensity: FlopPerByte::new(intensity), placement }
    }

    fn total(machine: &Machine, demands: &[Demand], rows: &[[u32; 4]]) -> f64 {
        let solver = Solver::new(machine, demands);
        let mut workspace = solver.workspace();
        solver.solve(&rows.concat(), &mut workspace);
        workspace.gflops().iter().sum()
    }

    #[test]
    fn table_i_gives_254_gflops() {
        let mem = || demand(0.5, Placement::Local);
        let apps = [mem(), mem(), mem(), demand(10.0, Placement::Local)];
        // per node 3 x 9 GB/s x 0.5 + 5 x 10 = 63.5, four nodes
        assert_eq!(total(&machine(8, 10.0, 32.0, 10.0), &apps, &[[1; 4], [1; 4], [1; 4], [5; 4]]), 254.0);
    }

    #[test]
    fn numa_bad_across_nodes_gives_138_75_gflops() {
        let mem = || demand(0.5, Placement::Local);
        let apps = [mem(), mem(), mem(), demand(1.0, Placement::Home(NodeId(0)))];
        // Nodes 1-3: 60 GB/s to six memory-bound threads, 30 GFLOPS, and 10 GB/s over the link, 10 GFLOPS: 120.
        // Node 0: 30 GB/s left, baseline 3.75, all 8 threads hungry: 6 x 3.75 x 0.5 + 2 x 3.75 x 1 = 18.75.
        assert_eq!(total(&machine(8, 10.0, 60.0, 10.0), &apps, &[[2; 4]; 4]), 138.75);
    }
}
