//! The bottleneck of each application's threads on a node: people ask for the reason before they trust a
//! result.

use crate::allocation::Allocation;
use crate::demand::{Demand, ThreadLimit, least};
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing::{FlowView, ModelKind, PoolKind, PoolView, Solver, Workspace};
use crate::table::Table;

/// The one resource that would make these threads faster if its bandwidth were higher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// A limit on each thread, regardless of other load.
    Thread(ThreadLimit),
    /// The controller of the threads' node, shared with the other threads of that node.
    LocalController(NodeId),
    /// The link to the node of the data.
    Link {
        /// The node of the threads.
        from: NodeId,
        /// The node of the data.
        to: NodeId,
    },
    /// The controller of the home node, because of remote demand. For remote threads: all links together ask
    /// for more than the controller has. For the node's own threads: the controller would satisfy them
    /// without remote readers, or remote readers leave them less than an equal share (the starvation
    /// warning).
    RemoteDemand(NodeId),
    /// A direction of a shared link between the threads and their data.
    SharedLink {
        /// Index of the direction over all shared links of the machine ([`Machine::shared_directions`]).
        direction: usize,
    },
    /// The read limit of all threads of a node together.
    NodeRead(NodeId),
    /// The read limit of all threads of an L3 domain together, over all memories.
    L3Link {
        /// The node of the threads.
        node: NodeId,
        /// Index of the domain within the node.
        domain: usize,
    },
    /// Work with static scheduling: the threads wait for the slowest threads of the application, on this node
    /// and perhaps on others. The slow threads have their own bottleneck.
    SlowestThread(NodeId),
}

impl Bottleneck {
    /// All values that [`Bottleneck::kind`] returns.
    pub const KINDS: [&str; 12] = [
        ThreadLimit::CorePeak.as_str(),
        ThreadLimit::ThreadPeak.as_str(),
        ThreadLimit::CoreBandwidth.as_str(),
        ThreadLimit::ThreadBandwidth.as_str(),
        ThreadLimit::Latency.as_str(),
        Self::LocalController(NodeId(0)).kind(),
        Self::Link { from: NodeId(0), to: NodeId(0) }.kind(),
        Self::RemoteDemand(NodeId(0)).kind(),
        Self::SharedLink { direction: 0 }.kind(),
        Self::NodeRead(NodeId(0)).kind(),
        Self::L3Link { node: NodeId(0), domain: 0 }.kind(),
        Self::SlowestThread(NodeId(0)).kind(),
    ];

    /// A short stable word for JSON and CSV.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Thread(limit) => limit.as_str(),
            Self::LocalController(_) => "local-controller",
            Self::Link { .. } => "link",
            Self::RemoteDemand(_) => "remote-demand",
            Self::SharedLink { .. } => "shared-link",
            Self::NodeRead(_) => "node-read",
            Self::L3Link { .. } => "l3-link",
            Self::SlowestThread(_) => "slowest-thread",
        }
    }
}

/// Differences below this fraction of the demand are rounding errors.
const TOLERANCE: f64 = 1e-9;

/// The bottleneck of each application on each node, or `None` for a node without threads of the application.
pub(crate) fn bottlenecks(
    machine: &Machine,
    demands: &[Demand],
    solver: &Solver,
    allocation: &Allocation,
    workspace: &Workspace,
) -> Table<Option<Bottleneck>> {
    let threads = allocation.as_slice();
    let (apps, nodes) = (allocation.apps(), machine.node_count());
    let mut found = Table::from_fn(apps, nodes, |app, node| {
        (allocation.get(app, node) > 0).then(|| thread_limit(machine, &demands[app.0], node))
    });
    // Among the memories that a thread reads, the one with the smallest granted / cost decides (step 5).
    let mut scarcest = Table::filled(apps, nodes, f64::INFINITY);
    let full = Full::of(machine, solver, threads, workspace);
    // Number of links with a demand, per memory.
    let mut readers = vec![0_usize; machine.node_count()];
    for pool in solver.pools(workspace).filter(|pool| pool.kind == PoolKind::Link && pool.wanted > 0.0) {
        readers[pool.memory.0] += 1;
    }
    if solver.model().kind == ModelKind::Ecm {
        // Soft queues are never full: the queue with the longest waiting time decides.
        let mut longest = Table::filled(apps, nodes, 0.0);
        for (flow, pool) in solver.flows(threads, workspace).filter(|(flow, _)| full.is_hungry(flow)) {
            let group = (flow.app, flow.from);
            let Some(waits) = solver.waits(&flow, workspace) else { continue };
            let node = flow.from;
            let at_controller = match flow.kind {
                PoolKind::Link => Bottleneck::RemoteDemand(flow.memory),
                PoolKind::Own => pool_limit(machine, solver, &readers, &full, &flow, &pool),
            };
            let domain = Bottleneck::L3Link { node, domain: flow.app.0 % machine.rows_per_app() };
            for (wait, queue) in [
                (waits.controller, at_controller),
                (waits.link, link_limit(machine, &flow, &pool)),
                (waits.domain, domain),
                (waits.node, Bottleneck::NodeRead(node)),
            ] {
                if wait > longest[group] {
                    longest[group] = wait;
                    found[group] = Some(queue);
                }
            }
        }
        return found;
    }
    for (flow, pool) in solver.flows(threads, workspace) {
        let group = (flow.app, flow.from);
        let hungry = full.is_hungry(&flow);
        let bandwidth = flow.granted / flow.cost();
        // If all memories are granted the same pace, the full memory decides.
        if full.decides && !full.holds_back(&flow, &pool) {
            continue;
        }
        if hungry && bandwidth < scarcest[group] {
            scarcest[group] = bandwidth;
            found[group] = Some(pool_limit(machine, solver, &readers, &full, &flow, &pool));
        }
    }
    // A limit over several memories or pairs is the bottleneck only if no narrower resource is full.
    if solver.has_common_limits() {
        for (flow, _) in solver.flows(threads, workspace) {
            if let Some(limit) = full.common_limit(machine, &flow).filter(|_| full.is_hungry(&flow))
                && !matches!(found[(flow.app, flow.from)], Some(Bottleneck::Link { .. }))
            {
                found[(flow.app, flow.from)] = Some(limit);
            }
        }
    }
    found
}

/// The resources without bandwidth left.
struct Full {
    /// Whether only a full resource can be the bottleneck, because all memories of a thread are granted the
    /// same pace.
    decides: bool,
    /// Differences below this fraction count as equal.
    tolerance: f64,
    /// Per memory; empty if full memories do not decide.
    controllers: Vec<bool>,
    /// Per direction of the shared links.
    shared: Vec<bool>,
    /// Per node: the read limit.
    reads: Vec<bool>,
    /// Per node and L3 domain: the read limit.
    domains: Table<bool, NodeId>,
}

/// Rounds end when the remaining bandwidth is negligible.
const ROUNDS_TOLERANCE: f64 = 1e-6;

impl Full {
    fn of(machine: &Machine, solver: &Solver, threads: &[u32], workspace: &Workspace) -> Self {
        let decides = solver.model().kind == ModelKind::MaxMin || solver.deals_again();
        let tolerance = if solver.deals_again() { ROUNDS_TOLERANCE } else { TOLERANCE };
        let nodes = machine.node_count();
        let rows = machine.rows_per_app();
        let domains = Table::filled(nodes, rows, false);
        let (controllers, shared, reads) = (Vec::new(), Vec::new(), Vec::new());
        let mut full = Self { decides, tolerance, controllers, shared, reads, domains };
        if !decides && !solver.has_common_limits() {
            return full;
        }
        let cost = 1.0 + solver.model().parameters.remote_loss;
        let mut taken = vec![0.0; nodes];
        let mut read = vec![0.0; nodes];
        let mut of_domains: Table<f64, NodeId> = Table::filled(nodes, rows, 0.0);
        let directions: Vec<_> = machine.shared_directions().collect();
        let mut carried = vec![0.0; directions.len()];
        for (flow, _) in solver.flows(threads, workspace) {
            let rate = workspace.bandwidth_per_thread()[(flow.app, flow.from)] * flow.cost();
            let amount = f64::from(flow.threads) * rate;
            taken[flow.memory.0] += if flow.kind == PoolKind::Link { cost * amount } else { amount };
            read[flow.from.0] += amount;
            of_domains[(flow.from, NodeId(flow.app.0 % rows))] += amount;
            let pair = directions.iter().zip(&mut carried);
            pair.filter(|(d, _)| d.carries(flow.from, flow.memory)).for_each(|(_, sum)| *sum += amount);
        }
        let used_up = |amount: f64, capacity: f64| amount >= capacity * (1.0 - tolerance);
        full.controllers = machine
            .node_ids()
            .map(|memory| used_up(taken[memory.0], solver.controller(memory, workspace)))
            .collect();
        full.shared =
            directions.iter().zip(carried).map(|(d, sum)| used_up(sum, d.link.bandwidth.value())).collect();
        full.reads = (machine.nodes().iter().zip(read))
            .map(|(node, sum)| node.read_bandwidth.is_some_and(|limit| used_up(sum, limit.value())))
            .collect();
        full.domains = Table::from_fn(nodes, rows, |node: NodeId, domain| {
            let limit = machine.node(node).l3_bandwidth;
            limit.is_some_and(|limit| used_up(of_domains[(node, domain)], limit.value()))
        });
        full
    }

    /// Whether the threads of `flow` get less than they request.
    fn is_hungry(&self, flow: &FlowView) -> bool {
        flow.granted < flow.demand_gbs * (1.0 - self.tolerance)
    }

    fn link(&self, flow: &FlowView, pool: &PoolView) -> bool {
        flow.kind == PoolKind::Link && pool.available >= pool.capacity * (1.0 - self.tolerance)
    }

    fn holds_back(&self, flow: &FlowView, pool: &PoolView) -> bool {
        self.link(flow, pool) || self.controllers[flow.memory.0]
    }

    fn common_limit(&self, machine: &Machine, flow: &FlowView) -> Option<Bottleneck> {
        let mut directions = machine.shared_directions().enumerate();
        let shared =
            directions.find(|(d, direction)| self.shared[*d] && direction.carries(flow.from, flow.memory));
        shared
            .map(|(direction, _)| Bottleneck::SharedLink { direction })
            .or_else(|| {
                let rows = self.domains.nodes();
                let (node, domain) = (flow.from, flow.app.0 % rows);
                self.domains[(node, NodeId(domain))].then_some(Bottleneck::L3Link { node, domain })
            })
            .or_else(|| self.reads[flow.from.0].then_some(Bottleneck::NodeRead(flow.from)))
    }
}

/// The bottleneck of a thread that gets all it requests: the first of its tightest limits.
fn thread_limit(machine: &Machine, demand: &Demand, node: NodeId) -> Bottleneck {
    let most = least(demand.thread_limits(machine, node)) * (1.0 + TOLERANCE);
    let tightest = demand.thread_limits(machine, node).find(|(_, allowed)| *allowed <= most);
    Bottleneck::Thread(tightest.map_or(ThreadLimit::CorePeak, |(limit, _)| limit))
}

/// The bottleneck of a thread that waits at a link under `ecm`: the link, or a shared link that leaves the
/// thread less than the link has.
fn link_limit(machine: &Machine, flow: &FlowView, pool: &PoolView) -> Bottleneck {
    let is_shared = pool.offered < pool.wanted.min(pool.capacity) * (1.0 - TOLERANCE);
    let mut directions = machine.shared_directions();
    let shared = directions.position(|direction| is_shared && direction.carries(flow.from, flow.memory));
    shared.map_or(Bottleneck::Link { from: flow.from, to: flow.memory }, |direction| Bottleneck::SharedLink {
        direction,
    })
}

/// The bottleneck of a thread that gets less than it requests from a pool.
fn pool_limit(
    machine: &Machine,
    solver: &Solver,
    readers: &[usize],
    full: &Full,
    flow: &FlowView,
    pool: &PoolView,
) -> Bottleneck {
    match flow.kind {
        // Models of threads or ports leave no factor behind: the link is the bottleneck if it is full.
        PoolKind::Link if !solver.model().serves_remote_first() => {
            if full.link(flow, pool) {
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
