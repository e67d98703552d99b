//! A solved allocation for reports and checks: flows, pools, and starved nodes.

use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing::compiled::PoolKind;
use crate::sharing::invariants::{Grants, Group};
use crate::sharing::solver::{Solver, Workspace};
use crate::sharing_model::ModelKind;
use crate::units::LINE_BYTES;

/// One flow of a solved allocation, for reports and checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView {
    /// The application.
    pub app: AppId,
    /// The node of its threads.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Own controller or link.
    pub kind: PoolKind,
    /// Fraction of the data on this memory.
    pub fraction: f64,
    /// Read-equivalent GB/s of one GB/s of the application here ([`crate::Node::occupied_by`]): 1, except for
    /// kernels with a bandwidth defined by the machine.
    pub occupied: f64,
    /// Threads in the flow.
    pub threads: u32,
    /// Demand of one thread on this memory, in read-equivalent GB/s.
    pub demand_gbs: f64,
    /// Grant of one thread, in read-equivalent GB/s.
    pub granted: f64,
}

impl FlowView {
    /// Read-equivalent GB/s of this memory per GB/s of a thread.
    pub fn cost(&self) -> f64 {
        self.fraction * self.occupied
    }
}

/// Waiting time of the bytes of a thread, in ns per byte that it moves, in all of its queues of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FlowWaits {
    /// At the controller of the memory of the flow.
    pub(crate) controller: f64,
    /// At the link to that memory.
    pub(crate) link: f64,
    /// In the queue for the reads of its L3 domain.
    pub(crate) domain: f64,
    /// In the queue for the reads of its node.
    pub(crate) node: f64,
}

/// One pool of a solved allocation; values are read-equivalent GB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolView {
    /// The node of the threads.
    pub from: NodeId,
    /// The memory they read.
    pub memory: NodeId,
    /// Own controller or link.
    pub kind: PoolKind,
    /// Total demand of all its threads, GB/s.
    pub wanted: f64,
    /// The part of the demand that reaches the controller, GB/s: the traffic that the link lets through, or
    /// the whole demand of the node's own threads.
    pub offered: f64,
    /// Total bandwidth of its threads, GB/s: the grant of the link, or the rest that remote readers leave of
    /// the controller. If unused bandwidth is redistributed, their actual traffic.
    pub available: f64,
    /// Capacity of the link or controller, GB/s.
    pub capacity: f64,
    /// The factor by which remote demand beyond the controller was scaled down, 1 if it fits.
    pub scale: f64,
}

/// A node whose own threads get less than an equal share of their controller: see [`Solver::starved`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Starved {
    /// Total demand of its own threads, GB/s.
    pub wanted: f64,
    /// Bandwidth that remote readers leave them, GB/s.
    pub left: f64,
    /// The equal share, GB/s: controller / (1 + readers).
    pub equal_part: f64,
    /// Number of nodes that read it from outside.
    pub readers: usize,
}

/// A relative amount below the equal share from which a node counts as starved: less is rounding.
const TOLERANCE: f64 = 1e-9;

impl Solver {
    /// The effect of the remote-first rule on the own threads of `node` in the solved allocation, if it
    /// leaves them less than an equal share of their controller and their demand is higher. Allocates
    /// nothing.
    pub fn starved(&self, node: NodeId, workspace: &Workspace) -> Option<Starved> {
        let (solver, workspace) = self.answering(workspace);
        if !solver.model().serves_remote_first() {
            return None;
        }
        let shares = &workspace.shares;
        let memory = solver.compiled.memories.get(node.0)?;
        let own = memory.own?;
        let (wanted, left) = (shares.wanted[own], shares.available[own]);
        let readers = shares.wanted[memory.links.clone()].iter().filter(|&&wanted| wanted > 0.0).count();
        let equal_part = memory.bandwidth / (1.0 + readers as f64);
        let below = left < equal_part * (1.0 - TOLERANCE);
        let hungry = wanted > left * (1.0 + TOLERANCE);
        (readers > 0 && below && hungry).then_some(Starved { wanted, left, equal_part, readers })
    }

    /// GB/s of the controller of `memory` in the solved allocation: less than its bandwidth with a saturation
    /// knee.
    pub fn controller(&self, memory: NodeId, workspace: &Workspace) -> f64 {
        let (solver, workspace) = self.answering(workspace);
        let bandwidth = solver.compiled.memories.get(memory.0).map_or(0.0, |memory| memory.bandwidth);
        workspace.shares.controllers.get(memory.0).copied().unwrap_or(bandwidth)
    }

    /// Under ECM: additional latency of a line of `memory` in the solved allocation, in ns, for the cores of
    /// its own node on `machine`; `None` if it is unknown ([`Machine::benchmark_lines`]).
    pub fn latency_added_ns(&self, machine: &Machine, memory: NodeId, workspace: &Workspace) -> Option<f64> {
        Some(LINE_BYTES * self.wait(memory, workspace)? * machine.benchmark_lines(memory)?)
    }

    /// Under ECM: waiting time of each byte of a thread of the benchmark at `memory` in the solved
    /// allocation, ns.
    pub fn wait(&self, memory: NodeId, workspace: &Workspace) -> Option<f64> {
        let (_, workspace) = self.answering(workspace);
        workspace.shares.waits.get(memory.0).copied()
    }

    /// Under ECM: waiting time of each byte of a thread of `flow` in the solved allocation, in ns per byte
    /// that the thread moves.
    pub(crate) fn waits(&self, flow: &FlowView, workspace: &Workspace) -> Option<FlowWaits> {
        let (solver, workspace) = self.answering(workspace);
        let (compiled, shares) = (&solver.compiled, &workspace.shares);
        let at_memory = shares.waits.get(flow.memory.0)? * flow.cost();
        let from = flow.from;
        let cell = u32::try_from(compiled.demand_gbs.cell(flow.app, from)).ok()?;
        let mut waits = FlowWaits { controller: at_memory, ..FlowWaits::default() };
        if flow.kind == PoolKind::Link {
            let mut links = compiled.memories[flow.memory.0].links.clone();
            let pool = links.find(|&p| compiled.pools[p].from == from)?;
            waits.controller *= 1.0 + compiled.model.parameters.remote_loss;
            waits.link = shares.link_waits[pool] * flow.cost();
        }
        let occupied = compiled.occupied[(flow.app, from)];
        for (r, (common, wait)) in compiled.reads.iter().zip(&shares.read_waits).enumerate() {
            if common.node == Some(from) && common.users.contains(&cell) {
                let of = if r < compiled.domains { &mut waits.domain } else { &mut waits.node };
                *of = wait * occupied;
            }
        }
        Some(waits)
    }

    /// All pools of the solved allocation, memory by memory: links first, then the node's own.
    pub fn pools<'a>(&'a self, workspace: &'a Workspace) -> impl Iterator<Item = PoolView> + 'a {
        let (solver, workspace) = self.answering(workspace);
        solver.compiled.pool_indices().map(move |(m, p, kind)| solver.pool_view(m, p, kind, workspace))
    }

    /// All flows of the solved allocation that have threads, in the order of their pools.
    pub fn flows<'a>(
        &'a self,
        threads: &'a [u32],
        workspace: &'a Workspace,
    ) -> impl Iterator<Item = (FlowView, PoolView)> + 'a {
        let (solver, workspace) = self.answering(workspace);
        let compiled = &solver.compiled;
        compiled.pool_indices().flat_map(move |(m, p, kind)| {
            let pool = solver.pool_view(m, p, kind, workspace);
            compiled.pools[p].flows.clone().filter_map(move |f| {
                let flow = &compiled.flows[f];
                let group = flow.group as usize;
                (threads[group] > 0).then(|| {
                    let app = compiled.demand_gbs.place(group).0;
                    let occupied = solver.occupied(app, pool.memory);
                    let view = FlowView {
                        app,
                        from: pool.from,
                        memory: pool.memory,
                        kind,
                        fraction: flow.cost / occupied,
                        occupied,
                        threads: threads[group],
                        demand_gbs: flow.demand_gbs,
                        granted: match compiled.model.kind {
                            // All granted bandwidth is used, so grants are not recorded.
                            ModelKind::BaselineProportional => {
                                (workspace.shares.bandwidth[group] * flow.cost).min(flow.demand_gbs)
                            }
                            _ => workspace.shares.granted[f],
                        },
                    };
                    (view, pool)
                })
            })
        })
    }

    /// Read-equivalent traffic of the threads of a pool, GB/s.
    fn drawn(&self, pool: usize, workspace: &Workspace) -> f64 {
        let flows = &self.compiled.flows[self.compiled.pools[pool].flows.clone()];
        let of = |flow: &super::compiled::Flow| {
            let group = flow.group as usize;
            workspace.threads[group] * workspace.shares.bandwidth[group] * flow.cost
        };
        flows.iter().map(of).sum()
    }

    fn pool_view(&self, memory: usize, pool: usize, kind: PoolKind, workspace: &Workspace) -> PoolView {
        let (compiled, shares) = (&self.compiled, &workspace.shares);
        PoolView {
            from: compiled.pools[pool].from,
            memory: NodeId(memory),
            kind,
            wanted: shares.wanted[pool],
            offered: shares.offered[pool],
            available: if self.deals_again() { self.drawn(pool, workspace) } else { shares.available[pool] },
            capacity: match kind {
                PoolKind::Link => compiled.pools[pool].capacity,
                PoolKind::Own => compiled.memories[memory].bandwidth,
            },
            scale: match kind {
                PoolKind::Link => shares.scale[memory],
                PoolKind::Own => 1.0,
            },
        }
    }
}

impl Solver {
    /// The grants of steps 1 to 4, for [`crate::sharing::invariants`].
    pub fn grants(&self, machine: &Machine, threads: &[u32], workspace: &Workspace) -> Grants {
        self.describe(machine, threads, workspace, |flow| flow.granted)
    }

    /// The actual traffic after step 5, in the same form: within every capacity and demand, but below the
    /// baseline if a thread waits for another memory.
    pub fn draws(&self, machine: &Machine, threads: &[u32], workspace: &Workspace) -> Grants {
        let bandwidth = workspace.bandwidth_per_thread();
        self.describe(machine, threads, workspace, |flow| bandwidth[(flow.app, flow.from)] * flow.cost())
    }

    fn describe(
        &self,
        machine: &Machine,
        threads: &[u32],
        workspace: &Workspace,
        amount: impl Fn(&FlowView) -> f64,
    ) -> Grants {
        let mut grants = Grants::of_idle(machine);
        grants.groups.extend(self.flows(threads, workspace).map(|(flow, _)| Group {
            app: flow.app,
            from: flow.from,
            memory: flow.memory,
            threads: flow.threads,
            demand_gbs: flow.demand_gbs,
            granted_gbs: amount(&flow),
        }));
        grants.groups.sort_by_key(|group| (group.app, group.from, group.memory));
        grants
    }
}
