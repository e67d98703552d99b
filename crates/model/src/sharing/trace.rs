//! The worked calculation behind a result, step by step, as printed in Tables I and II of the paper.
//!
//! This module is not on the hot path: the trace reads a solved [`Workspace`] and repeats the arithmetic of
//! the split with its intermediate values.

use super::compiled::PoolKind;
use super::ports::Split;
use super::solver::{Solver, Workspace};
use super::view::{FlowView, PoolView};
use crate::allocation::Allocation;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;

/// One memory controller: the bandwidth that remote readers took, and the split of each pool.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryTrace {
    /// The node of the controller.
    pub memory: NodeId,
    /// Bandwidth of the controller, GB/s.
    pub capacity: f64,
    /// Total requests of its links, GB/s.
    pub asked_by_links: f64,
    /// Under `remote-first`, the factor that fits the links into the controller; 1 if they fit, and under the
    /// default.
    pub scale: f64,
    /// Under the default, the level to which the ports of the controller are filled, GB/s; `None` if it has
    /// enough for all.
    pub level: Option<f64>,
    /// R, the rest for the node's own threads, GB/s.
    pub left_for_own: f64,
    /// The pools with threads: links first, then the node's own.
    pub pools: Vec<PoolTrace>,
}

/// One pool: the rows of the paper's Tables I and II.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolTrace {
    /// Own controller or link.
    pub kind: PoolKind,
    /// The node of the threads.
    pub from: NodeId,
    /// Cores of that node: the divisor of the baseline.
    pub cores: u32,
    /// Capacity of the link or controller, GB/s.
    pub capacity: f64,
    /// Total required bandwidth, GB/s.
    pub wanted: f64,
    /// The part of the demand that reaches the controller, GB/s: min(wanted, link) for a link.
    pub offered: f64,
    /// Bandwidth to share, GB/s.
    pub available: f64,
    /// Baseline GB/s per thread.
    pub baseline: f64,
    /// Allocated GB/s: the baselines of all threads together.
    pub allocated_baseline: f64,
    /// Remaining GB/s after the baselines.
    pub remaining: f64,
    /// Still required GB/s of all threads together.
    pub still_required: f64,
    /// The applications that share the pool.
    pub flows: Vec<FlowTrace>,
}

/// One application in one pool; all bandwidths are read-equivalent GB/s per thread.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTrace {
    /// The application.
    pub app: AppId,
    /// Its threads on the node.
    pub threads: u32,
    /// Fraction of its data on this memory.
    pub fraction: f64,
    /// Read-equivalent GB/s of one GB/s of it here; 1 for reads.
    pub occupied: f64,
    /// Its demand on this memory, in read-equivalent GB/s.
    pub demand_gbs: f64,
    /// Allocated baseline: min(demand, baseline).
    pub allocated_baseline: f64,
    /// Still required: demand - allocated baseline.
    pub still_required: f64,
    /// Its share of the remainder.
    pub share: f64,
    /// Granted in total.
    pub granted: f64,
    /// Its final read-equivalent traffic; less than granted if another memory limits it.
    pub drawn: f64,
    /// GFLOPS of one thread.
    pub gflops: f64,
}

impl FlowTrace {
    /// Read-equivalent GB/s of this memory per GB/s of a thread.
    pub fn cost(&self) -> f64 {
        self.fraction * self.occupied
    }
}

/// The calculation for a solved allocation, for the memories with readers.
///
/// Makes one pass over the flows, which come in the order of their pools.
pub fn trace(
    machine: &Machine,
    solver: &Solver,
    allocation: &Allocation,
    workspace: &Workspace,
) -> Vec<MemoryTrace> {
    let pools: Vec<PoolView> = solver.pools(workspace).collect();
    let mut flows = solver.flows(allocation.as_slice(), workspace).map(|(flow, _)| flow).peekable();
    let remote_first = solver.model().serves_remote_first();
    let of_memory = |pools: &[PoolView]| {
        let memory = pools.first()?.memory;
        let capacity = machine.node(memory).bandwidth.value();
        let links = pools.iter().filter(|pool| pool.kind == PoolKind::Link);
        let remote: f64 = links.map(|pool| pool.offered).sum();
        let mut traced = Vec::new();
        for pool in pools {
            let mut own = Vec::new();
            while let Some(flow) = flows.next_if(|flow| flow.memory == memory && flow.from == pool.from) {
                own.push(flow);
            }
            if !own.is_empty() {
                traced.push(trace_pool(machine, solver, workspace, pool, &own));
            }
        }
        (!traced.is_empty()).then(|| MemoryTrace {
            memory,
            capacity,
            asked_by_links: remote,
            scale: if remote_first && remote > capacity { capacity / remote } else { 1.0 },
            level: if remote_first { None } else { filled_to(pools) },
            left_for_own: match pools.iter().find(|pool| pool.kind == PoolKind::Own) {
                Some(own) if !remote_first => own.available,
                _ => (capacity - remote).max(0.0),
            },
            pools: traced,
        })
    };
    pools.chunk_by(|a, b| a.memory == b.memory).filter_map(of_memory).collect()
}

/// The bandwidth of a port that got less than its request; `None` if all got their requests.
fn filled_to(pools: &[PoolView]) -> Option<f64> {
    pools.iter().find(|pool| pool.available < pool.offered).map(|pool| pool.available)
}

fn trace_pool(
    machine: &Machine,
    solver: &Solver,
    workspace: &Workspace,
    pool: &PoolView,
    flows: &[FlowView],
) -> PoolTrace {
    let cores = machine.node(pool.from).cores;
    let takers = flows.iter().map(|flow| (f64::from(flow.threads), flow.demand_gbs));
    let split = Split::new(pool.available, 1.0 / f64::from(cores), takers);
    let flows = flows.iter().map(|flow| {
        let allocated_baseline = flow.demand_gbs.min(split.baseline);
        FlowTrace {
            app: flow.app,
            threads: flow.threads,
            fraction: flow.fraction,
            occupied: flow.occupied,
            demand_gbs: flow.demand_gbs,
            allocated_baseline,
            still_required: flow.demand_gbs - allocated_baseline,
            share: flow.granted - allocated_baseline,
            granted: flow.granted,
            drawn: workspace.bandwidth_per_thread()[(flow.app, flow.from)] * flow.cost(),
            gflops: solver.gflops_per_thread(flow.app, flow.from, workspace),
        }
    });
    PoolTrace {
        kind: pool.kind,
        from: pool.from,
        cores,
        capacity: pool.capacity,
        wanted: pool.wanted,
        offered: pool.offered,
        available: pool.available,
        baseline: split.baseline,
        allocated_baseline: split.allocated_baseline,
        remaining: (pool.available - split.allocated_baseline).max(0.0),
        still_required: split.still_required,
        flows: flows.collect(),
    }
}
