//! What holds the threads of an application back on a node: people ask why before they believe.

use crate::allocation::Allocation;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing::{FlowView, ModelKind, PoolKind, PoolView, Solver, Workspace};
use crate::table::Table;

/// The one resource that, made wider, would make these threads faster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// The core computes at its peak.
    CorePeak,
    /// The core draws all the bandwidth one thread can.
    CoreBandwidth,
    /// The controller of their own node, shared with the other threads of the node.
    LocalController(NodeId),
    /// The link to the node of the data.
    Link {
        /// Where the threads run.
        from: NodeId,
        /// Where the data is.
        to: NodeId,
    },
    /// The controller of the home node, because of remote demand: for remote threads, all links together ask for more
    /// than it has; for the node's own threads, it would satisfy them if nobody read it from outside, or remote
    /// readers leave them less than an equal part (the starvation warning).
    RemoteDemand(NodeId),
}

impl Bottleneck {
    /// A short stable word for JSON and CSV.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::CorePeak => "core-peak",
            Self::CoreBandwidth => "core-bandwidth",
            Self::LocalController(_) => "local-controller",
            Self::Link { .. } => "link",
            Self::RemoteDemand(_) => "remote-demand",
        }
    }
}

/// Differences below this part of the demand are rounding.
const TOLERANCE: f64 = 1e-9;

/// The bottleneck of each application on each node, `None` where it has no threads.
pub(crate) fn bottlenecks(
    machine: &Machine,
    solver: &Solver,
    allocation: &Allocation,
    workspace: &Workspace,
) -> Table<Option<Bottleneck>> {
    let threads = allocation.as_slice();
    let (apps, nodes) = (allocation.apps(), machine.node_count());
    let mut found = Table::from_fn(apps, nodes, |app, node| {
        (allocation.get(app, node) > 0).then(|| core_limit(machine, solver, app, node, workspace))
    });
    // Of the memories a thread reads, the one with the smallest granted / fraction decides (step 5).
    let mut scarcest = Table::filled(apps, nodes, f64::INFINITY);
    let controllers = controllers_in_use(machine, solver, threads, workspace);
    // Links with a demand, per memory.
    let mut readers = vec![0_usize; machine.node_count()];
    for pool in solver.pools(workspace).filter(|pool| pool.kind == PoolKind::Link && pool.wanted > 0.0) {
        readers[pool.memory.0] += 1;
    }
    for (flow, pool) in solver.flows(threads, workspace) {
        let group = (flow.app, flow.from);
        let bandwidth = flow.granted / flow.fraction;
        // Max-min grants every memory the same pace: the one that is full decides.
        let link_full = flow.kind == PoolKind::Link && pool.available >= pool.capacity * (1.0 - TOLERANCE);
        if solver.model().kind == ModelKind::MaxMin && !link_full && !controllers[flow.memory.0] {
            continue;
        }
        if flow.granted < flow.demand_gbs * (1.0 - TOLERANCE) && bandwidth < scarcest[group] {
            scarcest[group] = bandwidth;
            found[group] = Some(pool_limit(machine, solver, &readers, &flow, &pool));
        }
    }
    found
}

/// For max-min, per memory: whether its controller is used up. Empty for other models.
fn controllers_in_use(
    machine: &Machine,
    solver: &Solver,
    threads: &[u32],
    workspace: &Workspace,
) -> Vec<bool> {
    if solver.model().kind != ModelKind::MaxMin {
        return Vec::new();
    }
    let cost = 1.0 + solver.model().parameters.remote_loss;
    let mut taken = vec![0.0; machine.node_count()];
    for (flow, _) in solver.flows(threads, workspace) {
        let amount = f64::from(flow.threads) * flow.granted;
        taken[flow.memory.0] += if flow.kind == PoolKind::Link { cost * amount } else { amount };
    }
    let full =
        |(taken, memory): (f64, NodeId)| taken >= solver.controller(memory, workspace) * (1.0 - TOLERANCE);
    taken.into_iter().zip(machine.node_ids()).map(full).collect()
}

/// For a thread that gets all it wants: the core's peak, or the core's own bandwidth ceiling.
fn core_limit(
    machine: &Machine,
    solver: &Solver,
    app: AppId,
    node: NodeId,
    workspace: &Workspace,
) -> Bottleneck {
    let peak = machine.node(node).gflops_per_core.value();
    if solver.gflops_per_thread(app, node, workspace) < peak * (1.0 - TOLERANCE) {
        Bottleneck::CoreBandwidth
    } else {
        Bottleneck::CorePeak
    }
}

/// For a thread that gets less than it wants from a pool.
fn pool_limit(
    machine: &Machine,
    solver: &Solver,
    readers: &[usize],
    flow: &FlowView,
    pool: &PoolView,
) -> Bottleneck {
    match flow.kind {
        // Models that look at threads or ports leave no factor behind: the link is to blame if it is full.
        PoolKind::Link if !solver.model().serves_remote_first() => {
            if pool.available >= pool.capacity * (1.0 - TOLERANCE) {
                Bottleneck::Link { from: flow.from, to: flow.memory }
            } else {
                Bottleneck::RemoteDemand(flow.memory)
            }
        }
        PoolKind::Link if pool.scale < 1.0 => Bottleneck::RemoteDemand(flow.memory),
        PoolKind::Link => Bottleneck::Link { from: flow.from, to: flow.memory },
        PoolKind::Own => {
            let capacity = machine.node(flow.memory).bandwidth.value();
            let readers = readers[flow.memory.0];
            let fits_alone = pool.wanted <= capacity * (1.0 + TOLERANCE);
            let starved = pool.available < capacity / (1.0 + readers as f64) * (1.0 - TOLERANCE);
            if readers > 0 && (fits_alone || starved) {
                Bottleneck::RemoteDemand(flow.memory)
            } else {
                Bottleneck::LocalController(flow.memory)
            }
        }
    }
}
