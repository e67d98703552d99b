//! The full result of one scenario: performance, bandwidth, use of resources and the bottleneck of each
//! application.

use std::ops::AddAssign;

pub use check::check;

use crate::allocation::{Allocation, TooManyThreads};
use crate::app::{App, Placement};
use crate::bottleneck::{Bottleneck, bottlenecks};
use crate::demand::{Demand, demands, on_nodes};
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing::dealt::{Round, rounds};
use crate::sharing::invariants::{TOLERANCE, Violation};
use crate::sharing::solver::by_rows;
use crate::sharing::trace::{MemoryTrace, trace};
use crate::sharing::{FlowView, ModelKind, Solver, Workspace};
use crate::sharing_model::Refusal;
use crate::table::Table;
use crate::units::{Gflops, GigabytesPerSecond};

mod check;

/// The complete result of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Total GFLOPS of all applications that count FLOP.
    pub total: Gflops,
    /// Whether work has static scheduling ([`Options::static_work`]).
    pub static_work: bool,
    /// Applications, in the order of the files.
    pub apps: Vec<AppResult>,
    /// L3 domains with limited reads, node after node.
    pub domains: Vec<DomainUse>,
    /// Memory controllers, in node order.
    pub nodes: Vec<ControllerUse>,
    /// Links from every node with cores to every other node. On machines of more than
    /// [`MOST_NODES_WITH_ALL_LINKS`] nodes only the links with traffic.
    pub links: Vec<LinkUse>,
    /// Shared links, each direction separately, in the order of the file.
    pub shared_links: Vec<SharedLinkUse>,
    /// Reasons for caution before trusting the result.
    pub warnings: Vec<Warning>,
    /// The worked calculation, from [`evaluate_explained`]; empty for models that do not split pools by baseline and
    /// remainder.
    pub trace: Vec<MemoryTrace>,
    /// Demand and grant of each flow, for explanations of the other models, from [`evaluate_explained`].
    pub flows: Vec<FlowView>,
    /// The rounds of the default model if there is more than one, from [`evaluate_explained`]. Empty for
    /// other models, and if the rounds would take too long.
    pub rounds: Vec<Round>,
}

/// Up to this number of nodes an [`Evaluation`] contains all links, used or not. The number of links grows
/// with the square of the nodes: 1024 nodes have a million.
pub const MOST_NODES_WITH_ALL_LINKS: usize = 64;

/// One application in one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct AppResult {
    /// Its GFLOPS on all nodes, or its rate ([`App::rate_unit`]), here and below.
    pub gflops: Gflops,
    /// With static scheduling, the node with its slowest threads (the first of several).
    pub slowest: Option<NodeId>,
    /// Its GFLOPS if each thread got all the bandwidth that it requests: the roofline of the cores, with
    /// every ceiling on one thread.
    pub full_speed: Gflops,
    /// Bandwidth of its threads on all memories.
    pub bandwidth: GigabytesPerSecond,
    /// The node that holds all its data, if there is one.
    pub home: Option<NodeId>,
    /// One entry per node; `None` for a node without threads of it.
    pub per_node: Vec<Option<GroupResult>>,
}

/// The threads of one application on one node.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupResult {
    /// Number of threads.
    pub threads: u32,
    /// GFLOPS of all threads together.
    pub gflops: Gflops,
    /// GFLOPS of all threads together before the first thread finishes: more than `gflops` only with static
    /// scheduling, if other threads are slower.
    pub working: Gflops,
    /// GFLOPS of all threads together if each got all the bandwidth that it requests.
    pub full_speed: Gflops,
    /// Bandwidth of the threads on all memories.
    pub bandwidth: GigabytesPerSecond,
    /// Their bottleneck.
    pub bottleneck: Bottleneck,
}

/// A property of the model that may make the result misleading.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// The remote-first rule leaves a node's own threads less than an equal share of their controller: fewer
    /// GB/s than capacity / (1 + number of nodes that read it from outside).
    StarvedByRemote {
        /// The node.
        node: NodeId,
        /// Total demand of its own threads.
        wanted: GigabytesPerSecond,
        /// Bandwidth that remote readers leave them.
        left: GigabytesPerSecond,
        /// The equal share.
        equal_part: GigabytesPerSecond,
        /// Number of nodes that read it from outside.
        readers: usize,
    },
}

/// The reason that a scenario cannot be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluateError {
    /// The lengths of the lists do not match.
    #[error("{apps} applications need {apps} placements and an allocation of {apps} x {nodes} threads")]
    Shape {
        /// Applications given.
        apps: usize,
        /// Nodes of the machine.
        nodes: usize,
    },
    /// More threads than cores.
    #[error(transparent)]
    TooManyThreads(#[from] TooManyThreads),
    /// The machine has a property that its sharing model does not support.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The data of an application is on a node that does not exist or has no memory.
    #[error("the data of application {} lies on {node}, which has no memory", app.0)]
    NoMemory {
        /// The application.
        app: AppId,
        /// The node.
        node: NodeId,
    },
    /// The result violates an invariant of the model: a bug in this program ([`check()`]).
    #[error("the evaluation breaks a rule of its own model: {0}")]
    Unsound(#[from] Violation),
}

/// Options of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Includes the calculation behind the result, which is far larger than the result.
    pub explained: bool,
    /// Static scheduling: the work of each application is divided equally among its threads in advance, as by
    /// a static loop, so its slowest thread on any node decides. GFLOPS of an application = threads x rate of
    /// its slowest thread.
    ///
    /// Bandwidths are then means over the time of the slowest thread, in which every thread moves as much as
    /// that one. Rates are those while all threads run. Faster threads finish early, and the bandwidth that
    /// they leave on memories and links could speed up the others. That effect is left out, so the result is
    /// never too high.
    pub static_work: bool,
}

/// Evaluates `allocation` with the data of each application at its entry in `placements`.
/// [`Evaluation::trace`] and [`Evaluation::flows`] stay empty.
///
/// # Errors
/// [`EvaluateError::Shape`] if the lengths of the lists do not match; [`EvaluateError::TooManyThreads`] if a
/// node has more threads than cores; [`EvaluateError::Refused`] if the sharing model does not support a
/// property of the machine; [`EvaluateError::NoMemory`] if data is on a node without memory;
/// [`EvaluateError::Unsound`] if this program has a bug.
pub fn evaluate(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    allocation: &Allocation,
) -> Result<Evaluation, EvaluateError> {
    evaluate_with(machine, apps, placements, allocation, Options::default())
}

/// [`evaluate`] with the calculation behind the result, which is far larger than the result.
///
/// # Errors
/// Those of [`evaluate`].
pub fn evaluate_explained(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    allocation: &Allocation,
) -> Result<Evaluation, EvaluateError> {
    let options = Options { explained: true, ..Options::default() };
    evaluate_with(machine, apps, placements, allocation, options)
}

/// [`evaluate`] with options.
///
/// # Errors
/// Those of [`evaluate`].
pub fn evaluate_with(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    allocation: &Allocation,
    options: Options,
) -> Result<Evaluation, EvaluateError> {
    let Options { explained, static_work } = options;
    let nodes = machine.node_count();
    if apps.len() != placements.len() || allocation.as_slice().len() != apps.len() * nodes {
        return Err(EvaluateError::Shape { apps: apps.len(), nodes });
    }
    allocation.fits(machine)?;
    if let Some(refusal) = machine.sharing_refusal() {
        return Err(refusal.into());
    }
    for (app, placement) in (0..).map(AppId).zip(placements) {
        if let Some(node) = placement.without_memory(machine) {
            return Err(EvaluateError::NoMemory { app, node });
        }
    }
    let demands = on_nodes(machine, demands(apps, placements), allocation);
    let solver = Solver::new(machine, &demands);
    // If L3 domains matter, the code below works on rows of applications until the results of rows are
    // joined.
    let (rows, of_apps) = (machine.rows_per_app(), allocation);
    let (demands, allocation) = (&*by_rows(machine, &demands), &*allocation.rows(machine));
    let mut workspace = solver.workspace();
    solver.solve(allocation.as_slice(), &mut workspace);
    let checked = explained || nodes <= MOST_NODES_WITH_ALL_LINKS || cfg!(debug_assertions);
    let flows = if checked {
        solver.flows(allocation.as_slice(), &workspace).map(|(flow, _)| flow).collect()
    } else {
        Vec::new()
    };

    let warnings = starved(machine, &solver, &workspace);
    let trace = if explained && has_one_calculation(&solver) {
        trace(machine, &solver, allocation, &workspace)
    } else {
        Vec::new()
    };
    let counts_flop: Vec<bool> = apps.iter().map(|app| app.rate_unit.is_none()).collect();
    let mut apps = app_results(machine, demands, allocation, &solver, &workspace);
    if static_work {
        solver.wait_for_slowest(&mut workspace);
        apps.chunks_mut(rows).enumerate().for_each(|(a, app)| wait(app, a * rows, &solver, &workspace));
    }
    let resources = used(machine, allocation, &solver, &workspace);
    let mut evaluation = Evaluation {
        total: (apps.chunks(rows).zip(counts_flop).filter(|(_, flop)| *flop))
            .flat_map(|(app, _)| app)
            .map(|row| row.gflops)
            .sum(),
        static_work,
        apps,
        domains: resources.domains,
        nodes: resources.nodes,
        links: resources.links,
        shared_links: resources.shared_links,
        warnings,
        trace,
        flows,
        rounds: if explained && deals_rounds(&solver, allocation) {
            rounds(machine, demands, allocation)
        } else {
            Vec::new()
        },
    };
    if checked {
        check(machine, &evaluation)?;
    }
    if !explained {
        evaluation.flows = Vec::new();
    }
    if rows > 1 {
        join(&mut evaluation, rows);
    }
    debug_assert_eq!(evaluation.apps.len(), of_apps.apps());
    Ok(evaluation)
}

/// Joins the results of the rows of each application ([`Machine::rows_per_app`]). The bottleneck of a node's
/// slowest threads represents all threads of the node.
fn join(evaluation: &mut Evaluation, rows: usize) {
    let per_thread = |group: &GroupResult| group.gflops.value() / f64::from(group.threads);
    let both = |a: GroupResult, b: GroupResult| {
        let slower = if per_thread(&b) < per_thread(&a) { &b } else { &a };
        GroupResult {
            threads: a.threads + b.threads,
            gflops: a.gflops + b.gflops,
            working: a.working + b.working,
            full_speed: a.full_speed + b.full_speed,
            bandwidth: a.bandwidth + b.bandwidth,
            bottleneck: slower.bottleneck.clone(),
        }
    };
    let of_app = |rows: &[AppResult]| {
        let on_node = |node: usize| rows.iter().filter_map(|row| row.per_node[node].clone()).reduce(both);
        AppResult {
            gflops: rows.iter().map(|row| row.gflops).sum(),
            slowest: rows[0].slowest,
            full_speed: rows.iter().map(|row| row.full_speed).sum(),
            bandwidth: rows.iter().map(|row| row.bandwidth).sum(),
            home: rows[0].home,
            per_node: (0..rows[0].per_node.len()).map(on_node).collect(),
        }
    };
    evaluation.apps = evaluation.apps.chunks(rows).map(of_app).collect();
    for flow in &mut evaluation.flows {
        flow.app = AppId(flow.app.0 / rows);
    }
    for group in evaluation.rounds.iter_mut().flat_map(|round| &mut round.groups) {
        group.app = AppId(group.app.0 / rows);
    }
}

/// Whether a result is a single pass through pools that are split by baseline and remainder.
fn has_one_calculation(solver: &Solver) -> bool {
    let model = solver.model();
    let plain = model.is_plain_default() || model.is_plain(ModelKind::RemoteFirst);
    plain && !solver.deals_again() && !solver.has_common_limits()
}

/// Whether there can be more than one round, at a size that is computed in about a second at most.
fn deals_rounds(solver: &Solver, allocation: &Allocation) -> bool {
    const MOST_WORK: u64 = 5_000_000;
    let nodes = allocation.nodes() as u64;
    let threads: u64 = allocation.as_slice().iter().map(|&threads| u64::from(threads)).sum();
    solver.model().is_plain_default()
        && !has_one_calculation(solver)
        && nodes.saturating_mul(nodes).saturating_mul(threads) <= MOST_WORK
}

fn app_results(
    machine: &Machine,
    demands: &[Demand],
    allocation: &Allocation,
    solver: &Solver,
    workspace: &Workspace,
) -> Vec<AppResult> {
    let bottlenecks = bottlenecks(machine, demands, solver, allocation, workspace);
    let group_result = |app: AppId, node: NodeId| {
        let threads = allocation.get(app, node);
        let bottleneck = bottlenecks[(app, node)].clone()?;
        let all = f64::from(threads);
        let gflops = Gflops::new(all * solver.gflops_per_thread(app, node, workspace));
        Some(GroupResult {
            threads,
            gflops,
            working: gflops,
            full_speed: Gflops::new(
                all * solver.full_speed_per_thread(app, node) * solver.kept_share(app, workspace),
            ),
            bandwidth: GigabytesPerSecond::new(all * workspace.bandwidth_per_thread()[(app, node)]),
            bottleneck,
        })
    };
    demands
        .iter()
        .enumerate()
        .map(|(a, demand)| {
            let per_node: Vec<_> = machine.node_ids().map(|node| group_result(AppId(a), node)).collect();
            AppResult {
                gflops: per_node.iter().flatten().map(|group| group.gflops).sum(),
                slowest: None,
                full_speed: per_node.iter().flatten().map(|group| group.full_speed).sum(),
                bandwidth: per_node.iter().flatten().map(|group| group.bandwidth).sum(),
                home: demand.placement.home(),
                per_node,
            }
        })
        .collect()
}

/// Applies static scheduling to the results of the rows of an application, given results in which no thread
/// waits. `first` is the number of its first row; the workspace contains the result of
/// [`Solver::wait_for_slowest`].
fn wait(results: &mut [AppResult], first: usize, solver: &Solver, workspace: &Workspace) {
    let per_thread = |group: &GroupResult| group.working.value() / f64::from(group.threads);
    let groups = results.iter().flat_map(|result| result.per_node.iter().enumerate());
    let groups = groups.filter_map(|(node, group)| Some((NodeId(node), group.as_ref()?)));
    let rates = groups.map(|(node, group)| (node, per_thread(group)));
    let slowest = rates.reduce(|least, other| if other.1 < least.1 { other } else { least });
    let Some((slowest, rate)) = slowest else { return };
    for (row, result) in (first..).map(AppId).zip(results) {
        result.slowest = Some(slowest);
        for (node, group) in result.per_node.iter_mut().enumerate() {
            let Some(group) = group else { continue };
            let (node, all) = (NodeId(node), f64::from(group.threads));
            // Equal rates of different nodes differ by rounding errors.
            if per_thread(group) > rate * (1.0 + TOLERANCE) {
                group.bottleneck = Bottleneck::SlowestThread(slowest);
            }
            group.gflops = Gflops::new(all * solver.gflops_per_thread(row, node, workspace));
            group.bandwidth = GigabytesPerSecond::new(all * workspace.bandwidth_per_thread()[(row, node)]);
        }
        result.gflops = result.per_node.iter().flatten().map(|group| group.gflops).sum();
        result.bandwidth = result.per_node.iter().flatten().map(|group| group.bandwidth).sum();
    }
}

fn starved(machine: &Machine, solver: &Solver, workspace: &Workspace) -> Vec<Warning> {
    let of_node = |node: NodeId| {
        solver.starved(node, workspace).map(|starved| Warning::StarvedByRemote {
            node,
            wanted: GigabytesPerSecond::new(starved.wanted),
            left: GigabytesPerSecond::new(starved.left),
            equal_part: GigabytesPerSecond::new(starved.equal_part),
            readers: starved.readers,
        })
    };
    machine.node_ids().filter_map(of_node).collect()
}

// Traffic of a scenario on controllers, links and shared links, and the bandwidth that it consumes.
//
// The two differ for write kernels if the machine defines values for them ([`crate::Node::occupied_by`]):
// they consume more bandwidth than they move.

/// Use of one memory controller. Bandwidths are actual traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControllerUse {
    /// The node.
    pub node: NodeId,
    /// Its capacity.
    pub capacity: GigabytesPerSecond,
    /// The traffic that it delivers.
    pub bandwidth: GigabytesPerSecond,
    /// The traffic to other nodes.
    pub remote: GigabytesPerSecond,
    /// Capacity that `bandwidth` consumes, in read-equivalent GB/s.
    pub occupied: GigabytesPerSecond,
    /// Capacity that `remote` consumes, in read-equivalent GB/s.
    pub remote_occupied: GigabytesPerSecond,
    /// Latency of a line for the node's own cores, in ns, under all this traffic; `None` if the model or the
    /// machine does not define it.
    pub loaded_latency_ns: Option<f64>,
}

/// Use of the path from an L3 domain to memory. Bandwidth is actual traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainUse {
    /// The node.
    pub node: NodeId,
    /// Index of the domain within the node.
    pub domain: usize,
    /// The read limit.
    pub capacity: GigabytesPerSecond,
    /// The traffic.
    pub bandwidth: GigabytesPerSecond,
    /// Capacity that the traffic consumes, in read-equivalent GB/s.
    pub occupied: GigabytesPerSecond,
}

/// Use of one link. Bandwidth is actual traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkUse {
    /// Node of the cores that read.
    pub from: NodeId,
    /// Node of the memory that is read.
    pub to: NodeId,
    /// Its capacity.
    pub capacity: GigabytesPerSecond,
    /// The traffic.
    pub bandwidth: GigabytesPerSecond,
    /// Capacity that the traffic consumes, in read-equivalent GB/s.
    pub occupied: GigabytesPerSecond,
}

/// Use of one direction of a shared link. Bandwidth is actual traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLinkUse {
    /// The name of the link.
    pub name: String,
    /// Nodes of the cores that read over it.
    pub from: Vec<NodeId>,
    /// Nodes of the memories that they read.
    pub to: Vec<NodeId>,
    /// Its capacity.
    pub capacity: GigabytesPerSecond,
    /// The traffic.
    pub bandwidth: GigabytesPerSecond,
    /// Capacity that the traffic consumes, in read-equivalent GB/s.
    pub occupied: GigabytesPerSecond,
}

/// Use of all resources in a scenario.
struct Resources {
    domains: Vec<DomainUse>,
    nodes: Vec<ControllerUse>,
    links: Vec<LinkUse>,
    shared_links: Vec<SharedLinkUse>,
}

/// GB/s that flows move, and the read-equivalent GB/s that they consume.
#[derive(Clone, Copy, Default)]
struct Drawn {
    moved: f64,
    occupied: f64,
}

impl AddAssign for Drawn {
    fn add_assign(&mut self, other: Self) {
        self.moved += other.moved;
        self.occupied += other.occupied;
    }
}

/// Computes the use in one pass over the flows of a solved allocation.
fn used(machine: &Machine, allocation: &Allocation, solver: &Solver, workspace: &Workspace) -> Resources {
    let count = machine.node_count();
    let all_links = count <= MOST_NODES_WITH_ALL_LINKS;
    let mut own = vec![Drawn::default(); count];
    let mut remote = vec![Drawn::default(); count];
    // Over each link, from node of cores to node of memory.
    let mut drawn: Table<Drawn, NodeId> = Table::filled(count, count, Drawn::default());
    let rows = machine.rows_per_app();
    let mut of_domains: Table<Drawn, NodeId> = Table::filled(count, rows, Drawn::default());
    for (flow, _) in solver.flows(allocation.as_slice(), workspace) {
        let per_thread = workspace.bandwidth_per_thread()[(flow.app, flow.from)];
        let moved = f64::from(flow.threads) * per_thread * flow.fraction;
        let bandwidth = Drawn { moved, occupied: moved * flow.occupied };
        of_domains[(flow.from, NodeId(flow.app.0 % rows))] += bandwidth;
        if flow.from == flow.memory {
            own[flow.memory.0] += bandwidth;
        } else {
            drawn[(flow.from, flow.memory)] += bandwidth;
        }
    }
    for from in machine.node_ids() {
        for (remote, &bandwidth) in remote.iter_mut().zip(drawn.row(from)) {
            *remote += bandwidth;
        }
    }
    let gbs = GigabytesPerSecond::new;
    let controllers = machine.node_ids().map(|m| ControllerUse {
        node: m,
        capacity: machine.node(m).bandwidth,
        bandwidth: gbs(remote[m.0].moved) + gbs(own[m.0].moved),
        remote: gbs(remote[m.0].moved),
        occupied: gbs(remote[m.0].occupied) + gbs(own[m.0].occupied),
        remote_occupied: gbs(remote[m.0].occupied),
        loaded_latency_ns: machine
            .latency_ns(m, m)
            .zip(solver.latency_added_ns(machine, m, workspace))
            .map(|(alone, added)| alone + added),
    });
    let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
    let links = pairs.zip(drawn.as_slice()).filter(|&(_, drawn)| all_links || drawn.moved > 0.0);
    let links = links.filter_map(|((from, to), drawn)| {
        let capacity = machine.link(from, to)?;
        Some(LinkUse { from, to, capacity, bandwidth: gbs(drawn.moved), occupied: gbs(drawn.occupied) })
    });
    let shared_links = machine.shared_directions().map(|direction| {
        let pairs = direction.from.iter().flat_map(|&from| direction.to.iter().map(move |&to| (from, to)));
        let mut carried = Drawn::default();
        pairs.for_each(|pair| carried += drawn[pair]);
        SharedLinkUse {
            name: direction.link.name.clone(),
            from: direction.from.to_vec(),
            to: direction.to.to_vec(),
            capacity: direction.link.bandwidth,
            bandwidth: gbs(carried.moved),
            occupied: gbs(carried.occupied),
        }
    });
    let domains = machine.compute_nodes().filter_map(|node| Some((node, machine.node(node).l3_bandwidth?)));
    let domains = domains.flat_map(|(node, capacity)| {
        let drawn = of_domains.row(node)[..machine.node(node).domains()].iter().enumerate();
        drawn.map(move |(domain, drawn)| {
            let (bandwidth, occupied) = (gbs(drawn.moved), gbs(drawn.occupied));
            DomainUse { node, domain, capacity, bandwidth, occupied }
        })
    });
    Resources {
        domains: domains.collect(),
        nodes: controllers.collect(),
        links: links.collect(),
        shared_links: shared_links.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;
    use crate::machine::Node;
    use crate::units::FlopPerByte;

    fn evaluated(nodes: usize, placement: Placement) -> Evaluation {
        let node = Node {
            cores: 1,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(32.0),
            ..Node::default()
        };
        let machine =
            Machine::uniform("test", nodes, node, GigabytesPerSecond::new(10.0)).expect("a machine");
        let app = App::new("a", FlopPerByte::new(1.0), Data::Placed(placement.clone()));
        let mut row = vec![0; nodes];
        row[..2].fill(1);
        let allocation = Allocation::from_rows(&[row]).expect("one row");
        evaluate(&machine, &[app], &[placement], &allocation).expect("fits")
    }

    #[test]
    fn large_machines_list_only_links_with_traffic() {
        let pairs = |evaluation: &Evaluation| -> Vec<(usize, usize)> {
            evaluation.links.iter().map(|link| (link.from.0, link.to.0)).collect()
        };
        // 64 x 63 links, used or not
        assert_eq!(evaluated(64, Placement::Home(NodeId(0))).links.len(), 4032);
        assert_eq!(pairs(&evaluated(65, Placement::Local)), []);
        assert_eq!(pairs(&evaluated(65, Placement::Home(NodeId(0)))), [(1, 0)]);
        // The two nodes with a thread read from all other nodes.
        assert_eq!(evaluated(65, Placement::Interleave).links.len(), 2 * 64);
    }

    #[test]
    fn the_trace_is_computed_only_on_request() {
        let evaluation = evaluated(2, Placement::Local);
        assert!(evaluation.trace.is_empty() && evaluation.flows.is_empty());
    }
}
