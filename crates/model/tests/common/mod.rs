//! Shared parts of the property tests: random questions, the solvers under test, and comparisons of answers.

pub(crate) mod changes;
pub(crate) mod models;
pub(crate) mod strategies;

use numasim_model::machine::SharedLink;
use numasim_model::sharing::invariants::Grants;
use numasim_model::sharing::{Solver as FastSolver, reference};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{Allocation, AppId, Demand, Machine, ModelKind, Node, NodeId, Placement};

/// A question: these threads run on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) machine: Machine,
    pub(crate) demands: Vec<Demand>,
    pub(crate) allocation: Allocation,
}

/// An answer in the terms of the properties.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The grants of steps 1 to 4.
    pub(crate) grants: Grants,
    /// The actual traffic after step 5: the same groups in the same order.
    pub(crate) draws: Grants,
    /// `[app][node]`: GB/s of one thread; `None` without threads.
    pub(crate) bandwidth: Vec<Vec<Option<f64>>>,
    /// `[app][node]`: GFLOPS of one thread; `None` without threads.
    pub(crate) gflops: Vec<Vec<Option<f64>>>,
}

pub(crate) type Solver = fn(&Machine, &[Demand], &Allocation) -> Solved;

/// Every solver under test, with its name. A new solver gets one line here.
pub(crate) const SOLVERS: &[(&str, Solver)] = &[
    ("reference", by_reference),
    ("fast", by_fast),
    ("reference, remote first", |machine, demands, allocation| {
        by_reference(&remote_first(machine), demands, allocation)
    }),
    ("fast, remote first", |machine, demands, allocation| {
        by_fast(&remote_first(machine), demands, allocation)
    }),
];

/// The solvers of the default in [`SOLVERS`].
pub(crate) const OF_DEFAULT: &[(&str, Solver)] = SOLVERS.split_at(2).0;
/// The solvers of the paper's literal rule in [`SOLVERS`]. They ignore the read limits of nodes.
pub(crate) const OF_REMOTE_FIRST: &[(&str, Solver)] = SOLVERS.split_at(2).1;

fn remote_first(machine: &Machine) -> Machine {
    machine.clone().with_sharing(ModelKind::RemoteFirst.into())
}

/// The solver that `evaluate` and `explore` use.
pub(crate) fn by_fast(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Solved {
    let solver = FastSolver::new(machine, demands);
    let mut workspace = solver.workspace();
    let allocation = allocation.rows(machine);
    let threads = allocation.as_slice();
    solver.solve(threads, &mut workspace);
    let table = |value: &dyn Fn(AppId, NodeId) -> f64| {
        let row = |app: AppId| {
            let of = |node| (allocation.get(app, node) > 0).then(|| value(app, node));
            machine.node_ids().map(of).collect()
        };
        (0..allocation.apps()).map(|a| row(AppId(a))).collect()
    };
    Solved {
        grants: solver.grants(machine, threads, &workspace),
        draws: solver.draws(machine, threads, &workspace),
        bandwidth: table(&|app, node| workspace.bandwidth_per_thread()[(app, node)]),
        gflops: table(&|app, node| solver.gflops_per_thread(app, node, &workspace)),
    }
}

pub(crate) fn by_reference(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Solved {
    let outcome = reference::solve(machine, demands, allocation).expect("generated allocations fit");
    let value_gbs = |row: &Vec<Option<GigabytesPerSecond>>| {
        row.iter().map(|cell| cell.map(GigabytesPerSecond::value)).collect()
    };
    let value_gflops = |row: &Vec<Option<Gflops>>| row.iter().map(|cell| cell.map(Gflops::value)).collect();
    Solved {
        grants: outcome.grants(machine),
        draws: outcome.draws(machine),
        bandwidth: outcome.thread_bandwidth.iter().map(value_gbs).collect(),
        gflops: outcome.thread_gflops.iter().map(value_gflops).collect(),
    }
}

impl Case {
    pub(crate) fn solve(&self, solver: Solver) -> Solved {
        solver(&self.machine, &self.demands, &self.allocation)
    }

    pub(crate) fn apps(&self) -> impl Iterator<Item = AppId> + use<> {
        (0..self.demands.len()).map(AppId)
    }

    /// The fraction of its GFLOPS that an application keeps on its number of nodes with threads.
    pub(crate) fn kept_on_several_nodes(&self, app: AppId) -> f64 {
        let nodes = self.machine.node_ids().filter(|&node| self.allocation.get(app, node) > 0).count();
        1.0 / (1.0 + self.demands[app.0].node_overhead * (nodes.max(1) as f64).log2())
    }

    /// The same case with limits on threads that are `k` times as high.
    pub(crate) fn with_limits_times(mut self, k: f64) -> Self {
        for limits in self.demands.iter_mut().map(|demand| &mut demand.limits) {
            limits.gflops = limits.gflops.map(|gflops| gflops * k);
            limits.bandwidth = limits.bandwidth.map(|gbs| gbs * k);
        }
        self
    }

    /// The same case on a machine with other nodes and links; `link(from, memory)` in GB/s. Shared links are
    /// unchanged.
    pub(crate) fn on(&self, nodes: Vec<Node>, link: impl Fn(NodeId, NodeId) -> Option<f64>) -> Self {
        self.sharing(machine(nodes, link), self.machine.shared_links().to_vec())
    }

    /// Read-equivalent GB/s of `memory` per GB/s of a thread. For replicated data, all copies but the local
    /// one only receive writes.
    pub(crate) fn cost(&self, app: AppId, from: NodeId, memory: NodeId) -> f64 {
        self.fraction(app, from, memory) * self.machine.node(memory).occupied_by(self.demands[app.0].traffic)
    }

    /// GB/s of `memory` per GB/s of a thread.
    fn fraction(&self, app: AppId, from: NodeId, memory: NodeId) -> f64 {
        let demand = &self.demands[app.0];
        let mut fraction = demand.placement.fraction(&self.machine, from, memory);
        if demand.placement == Placement::Replicated && self.machine.local_memory(from) != memory {
            let has_copy = |node: &NodeId| {
                self.allocation.get(app, *node) > 0 && self.machine.local_memory(*node) == memory
            };
            let copies = self.machine.node_ids().filter(has_copy).take(1).count();
            fraction = copies as f64 * demand.traffic.write_share();
        }
        fraction
    }

    /// Read-equivalent GB/s of one GB/s of a thread, as max-min compares rates: bytes that go to several
    /// copies count once.
    pub(crate) fn occupied_once(&self, app: AppId, from: NodeId) -> f64 {
        let all: f64 = self.machine.node_ids().map(|memory| self.fraction(app, from, memory)).sum();
        self.occupied(app, from) / all
    }

    /// The same for all memories together.
    pub(crate) fn occupied(&self, app: AppId, from: NodeId) -> f64 {
        self.machine.node_ids().map(|memory| self.cost(app, from, memory)).sum()
    }

    /// The same case on a machine without read limits of nodes, with shared links of `wider` times the
    /// bandwidth.
    pub(crate) fn with_shared_links_only(&self, wider: f64) -> Self {
        let mut nodes = self.machine.nodes().to_vec();
        for node in &mut nodes {
            node.read_bandwidth = None;
        }
        let mut shared = self.machine.shared_links().to_vec();
        for shared in &mut shared {
            shared.bandwidth = shared.bandwidth * wider;
        }
        let case = self.on(nodes, links(&self.machine));
        case.sharing(case.machine.clone(), shared)
    }

    /// The same case on `machine` with these shared links.
    pub(crate) fn sharing(&self, machine: Machine, shared_links: Vec<SharedLink>) -> Self {
        let machine = machine.with_shared_links(shared_links).expect("generated links are sound");
        Self { machine, ..self.clone() }
    }

    /// The same case with local data for replicated data, of which each thread writes to the copies of all nodes that its application uses.
    pub(crate) fn without_copies(mut self) -> Self {
        for demand in &mut self.demands {
            if demand.placement == Placement::Replicated {
                demand.placement = Placement::Local;
            }
        }
        self
    }

    /// The same case with each thread reading one memory.
    pub(crate) fn with_one_memory_each(mut self) -> Self {
        for demand in &mut self.demands {
            if !matches!(demand.placement, Placement::Home(_)) {
                demand.placement = Placement::Local;
            }
        }
        self
    }

    /// The rounding error that two orders of summation may differ by, in GB/s. The rest of a controller may
    /// be the small difference of two large sums, so the error is relative to the largest bandwidth, not to
    /// the result.
    pub(crate) fn rounding_gbs(&self) -> f64 {
        let nodes = self.machine.nodes().iter();
        1e-12 * nodes.map(|node| node.bandwidth.value()).fold(0.0, f64::max)
    }

    /// The same in GFLOPS, for one thread of `app`.
    pub(crate) fn rounding_gflops(&self, app: AppId) -> f64 {
        self.rounding_gbs() * self.demands[app.0].arithmetic_intensity.value()
    }
}

/// A machine from its nodes and links in GB/s; 1 for missing links, which is never used.
pub(crate) fn machine(nodes: Vec<Node>, link: impl Fn(NodeId, NodeId) -> Option<f64>) -> Machine {
    let count = nodes.len();
    let pairs = (0..count * count).map(|i| link(NodeId(i / count), NodeId(i % count)).unwrap_or(1.0));
    let links = pairs.map(GigabytesPerSecond::new).collect();
    Machine::new("random", nodes, links).expect("generated machines are sound")
}

/// The links of a machine, in GB/s.
pub(crate) fn links(machine: &Machine) -> impl Fn(NodeId, NodeId) -> Option<f64> + '_ {
    |from, memory| machine.link(from, memory).map(GigabytesPerSecond::value)
}
