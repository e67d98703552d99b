//! The default model, thread by thread, as its specification is worded: the rounds in sequence, for
//! explanations, and the basis of the reference solver (`reference`, a feature for tests).
//!
//! Levels are found by bisection instead of the closed forms of the fast solver; the sum of the rounds is its
//! answer.

use crate::allocation::Allocation;
use crate::app::{Access, Placement, Traffic};
use crate::demand::Demand;
use crate::ids::{AppId, NodeId};
use crate::machine::{Machine, SharedDirection};
use crate::units::{Gflops, GigabytesPerSecond};

/// The rounds in which any thread gained, by the rules of the default; corrections are ignored. The question
/// must fit the machine.
///
/// The time grows with the number of threads times the square of the number of nodes.
pub fn rounds(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Vec<Round> {
    let mut rounds = Vec::new();
    share(machine, &mut threads_of(machine, demands, allocation), |round| rounds.push(round));
    rounds
}

/// One round: steps 1 to 4 with the bandwidth left by earlier rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The ports with a request, by memory and node.
    pub ports: Vec<PortInRound>,
    /// The groups that still took part, by application and node.
    pub groups: Vec<GroupInRound>,
}

/// The port of a controller for the threads of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PortInRound {
    /// The node of the controller.
    pub memory: NodeId,
    /// The node of the threads.
    pub from: NodeId,
    /// Its request in GB/s: the remaining demand of its threads, limited by the bandwidth left on links and
    /// shared links.
    pub asks: f64,
    /// Its grant, GB/s.
    pub granted: f64,
}

/// The threads of one application on one node.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInRound {
    /// The application.
    pub app: AppId,
    /// The node of its threads.
    pub from: NodeId,
    /// Number of threads.
    pub threads: u32,
    /// Bandwidth that each of them takes in this round from all its memories together, GB/s.
    pub takes: f64,
    /// The reason that it takes no part in further rounds; `None` if it continues.
    pub stops: Option<Stop>,
}

/// The reason that a thread takes no part in further rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its demand is met.
    Satisfied,
    /// This controller is full.
    Controller(NodeId),
    /// This link is full.
    Link {
        /// The node of the cores.
        from: NodeId,
        /// The node of the memory.
        memory: NodeId,
    },
    /// The shared link of this name is full.
    SharedLink(String),
    /// The read limit of this node is reached.
    NodeRead(NodeId),
    /// The read limit of this L3 domain of a node is reached.
    L3 {
        /// The node.
        node: NodeId,
        /// Index of the domain within the node.
        domain: usize,
    },
}

/// Threads of one application on one node are equal and contiguous: one entry represents all of them.
fn groups_of(
    threads: &[Thread],
    asked: &[f64],
    takes: &[f64],
    stops: impl Fn(usize) -> Option<Stop>,
) -> Vec<GroupInRound> {
    let mut groups: Vec<GroupInRound> = Vec::new();
    for (t, thread) in threads.iter().enumerate().filter(|&(t, _)| asked[t] > 0.0) {
        match groups.last_mut() {
            Some(last) if last.app == thread.app && last.from == thread.node => last.threads += 1,
            _ => groups.push(GroupInRound {
                app: thread.app,
                from: thread.node,
                threads: 1,
                takes: takes[t],
                stops: stops(t),
            }),
        }
    }
    groups
}

/// One thread. Vectors have one entry per memory.
pub(super) struct Thread {
    /// The row of its application and L3 domain ([`Machine::rows_per_app`]).
    pub(super) app: AppId,
    pub(super) node: NodeId,
    /// Index of its L3 domain within the node; 0 if domains do not matter.
    pub(super) domain: usize,
    /// Read-equivalent GB/s of each memory per GB/s of the thread: the share of its data there, times the
    /// factor of its kernel.
    pub(super) cost: Vec<f64>,
    /// Its bandwidth with the machine to itself, GB/s.
    pub(super) wants: f64,
    /// GB/s granted to it by each memory.
    pub(super) gets: Vec<f64>,
}

/// d = min(p / arithmetic intensity, `core_bandwidth`, `thread_gbs`, outstanding lines x 64 byte / mean
/// latency) in GB/s with p = min(`gflops_per_core`, `thread_gflops`). Without p if the application does not
/// count FLOP.
pub(super) fn demand_in_all(machine: &Machine, from: NodeId, demand: &Demand) -> f64 {
    let node = machine.node(from);
    let unlimited = f64::INFINITY;
    let core_peak = if demand.limits.no_flop { unlimited } else { demand.limits.core_peak(node).value() };
    let computes = demand.limits.gflops.map_or(unlimited, Gflops::value).min(core_peak);
    let own = demand.limits.bandwidth.map_or(unlimited, GigabytesPerSecond::value);
    let core = node.core_bandwidth.map_or(unlimited, GigabytesPerSecond::value);
    let digested = (computes / demand.arithmetic_intensity.value()).min(core).min(own);
    let lines = demand.outstanding_lines.zip(demand.placement.latency_ns(machine, from));
    lines.map_or(digested, |(lines, ns)| digested.min(lines * 64.0 / ns))
}

/// The share of the data on `memory`, times the memory's bandwidth for reads / its bandwidth for the kernel.
/// For replicated data, a memory with another node's copy counts with the share of writes. `used`: the nodes
/// with threads of the application.
fn cost(machine: &Machine, demand: &Demand, used: &[NodeId], from: NodeId, memory: NodeId) -> f64 {
    let has_other_copy = demand.placement == Placement::Replicated
        && memory != machine.local_memory(from)
        && used.iter().any(|&node| machine.local_memory(node) == memory);
    let share = match demand.traffic {
        Traffic::Kernel(Access::Copy | Access::Update) if has_other_copy => 0.5,
        Traffic::Kernel(Access::Triad) if has_other_copy => 1.0 / 3.0,
        Traffic::Mixed(writes) if has_other_copy => writes,
        _ => demand.placement.fraction(machine, from, memory),
    };
    let node = machine.node(memory);
    match (demand.traffic, node.kernels.mixed) {
        (Traffic::Kernel(kernel), _) => match node.kernels.get(kernel) {
            Some(measured) => share * node.bandwidth.value() / measured.value(),
            None => share,
        },
        (Traffic::Mixed(writes), Some(mixed)) => share * mixed.at(0.0) / mixed.at(writes),
        (Traffic::Mixed(_), None) => share,
    }
}

/// One entry per thread of the rows of applications.
pub(super) fn threads_of(machine: &Machine, demands: &[Demand], allocation: &Allocation) -> Vec<Thread> {
    let mut threads = Vec::new();
    for (a, demand) in demands.iter().enumerate() {
        let (app, rows) = (AppId(a), machine.rows_per_app());
        let of_app = || (a - a % rows..a - a % rows + rows).map(AppId);
        let is_used = |node: &NodeId| of_app().any(|row| allocation.get(row, *node) > 0);
        let used: Vec<NodeId> = machine.node_ids().filter(is_used).collect();
        for node in machine.node_ids() {
            for _ in 0..allocation.get(app, node) {
                let cost: Vec<f64> =
                    machine.node_ids().map(|m| cost(machine, demand, &used, node, m)).collect();
                let wants = demand_in_all(machine, node, demand);
                let gets = vec![0.0; cost.len()];
                threads.push(Thread { app, node, domain: a % machine.rows_per_app(), cost, wants, gets });
            }
        }
    }
    threads
}

/// Baseline plus proportional: the share of `pool` for each of some threads of a node with `cores` cores, by
/// their demands.
pub(super) fn split(pool: f64, cores: f64, wants: &[f64]) -> Vec<f64> {
    let baseline = pool / cores;
    let first: Vec<f64> = wants.iter().map(|wants| wants.min(baseline)).collect();
    let left = (pool - first.iter().sum::<f64>()).max(0.0);
    let still_wanted: f64 = wants.iter().zip(&first).map(|(wants, gets)| wants - gets).sum();
    let finished = |(wants, gets): (&f64, &f64)| {
        if left >= still_wanted {
            *wants
        } else {
            // The factor is below 1 for the remaining demand: no thread gets more than its demand.
            gets + (wants - gets) * (left / still_wanted)
        }
    };
    wants.iter().zip(&first).map(finished).collect()
}

/// A gain below this fraction of a thread's demand counts as none; a resource with less than this fraction
/// left counts as full.
const NOTHING: f64 = 1e-12;
/// Maximum number of rounds: never reached in tests.
const MOST_ROUNDS: usize = 1000;

/// A resource with a capacity and its remaining bandwidth.
#[derive(Clone, Copy)]
struct Resource {
    capacity: f64,
    left: f64,
}

impl Resource {
    fn new(capacity: f64) -> Self {
        Self { capacity, left: capacity }
    }

    fn is_full(self) -> bool {
        self.left <= NOTHING * self.capacity
    }
}

/// All resources that threads use.
struct Resources<'a> {
    machine: &'a Machine,
    /// Per memory.
    controllers: Vec<Resource>,
    /// `[from][memory]`; a node's local memory has no link.
    links: Vec<Vec<Option<Resource>>>,
    shared: Vec<(SharedDirection<'a>, Resource)>,
    /// Per node: its read limit.
    reads: Vec<Option<Resource>>,
    /// Per node: the read limit of each of its L3 domains; empty if not limited.
    domains: Vec<Vec<Resource>>,
}

impl<'a> Resources<'a> {
    fn of(machine: &'a Machine) -> Self {
        let link = |from, memory| machine.link(from, memory).map(|link| Resource::new(link.value()));
        Self {
            machine,
            controllers: machine.nodes().iter().map(|node| Resource::new(node.bandwidth.value())).collect(),
            links: machine
                .node_ids()
                .map(|from| machine.node_ids().map(|memory| link(from, memory)).collect())
                .collect(),
            shared: machine
                .shared_directions()
                .map(|direction| (direction, Resource::new(direction.link.bandwidth.value())))
                .collect(),
            reads: machine
                .nodes()
                .iter()
                .map(|node| node.read_bandwidth.map(|limit| Resource::new(limit.value())))
                .collect(),
            domains: machine
                .nodes()
                .iter()
                .map(|node| {
                    let limit =
                        node.l3_bandwidth.map(|limit| vec![Resource::new(limit.value()); node.domains()]);
                    limit.unwrap_or_default()
                })
                .collect(),
        }
    }

    /// Whether a thread uses a full resource.
    fn holds_back(&self, thread: &Thread) -> Option<Stop> {
        let full = |resource: Option<Resource>| resource.is_some_and(Resource::is_full);
        let from = thread.node;
        if full(self.domains[from.0].get(thread.domain).copied()) {
            return Some(Stop::L3 { node: from, domain: thread.domain });
        }
        if full(self.reads[from.0]) {
            return Some(Stop::NodeRead(from));
        }
        let read = |memory: &NodeId| thread.cost[memory.0] > 0.0;
        self.machine.node_ids().filter(read).find_map(|memory| {
            let shared = || {
                let mut carrying = self.shared.iter().filter(|(d, _)| d.carries(from, memory));
                carrying.find(|(_, shared)| shared.is_full())
            };
            if full(Some(self.controllers[memory.0])) {
                Some(Stop::Controller(memory))
            } else if full(self.links[from.0][memory.0]) {
                Some(Stop::Link { from, memory })
            } else {
                shared().map(|(direction, _)| Stop::SharedLink(direction.link.name.clone()))
            }
        })
    }

    /// Subtracts the consumption of one thread at `pace` GB/s on all its memories together.
    fn take(&mut self, thread: &Thread, pace: f64) {
        let domain = self.domains[thread.node.0].get_mut(thread.domain);
        for reads in domain.into_iter().chain(&mut self.reads[thread.node.0]) {
            reads.left -= pace * thread.cost.iter().sum::<f64>();
        }
        for memory in self.machine.node_ids() {
            let drawn = pace * thread.cost[memory.0];
            self.controllers[memory.0].left -= drawn;
            if let Some(link) = &mut self.links[thread.node.0][memory.0] {
                link.left -= drawn;
            }
            for (direction, shared) in &mut self.shared {
                if direction.carries(thread.node, memory) {
                    shared.left -= drawn;
                }
            }
        }
    }
}

/// Shares all resources; `gets` of each thread is then its traffic. `deal` gets each round in which any
/// thread gained.
pub(super) fn share(machine: &Machine, threads: &mut [Thread], mut deal: impl FnMut(Round)) {
    let mut resources = Resources::of(machine);
    let wants: Vec<f64> = threads.iter().map(|thread| thread.wants).collect();
    let mut has = vec![0.0; threads.len()];
    for _ in 0..MOST_ROUNDS {
        let still_wants = |t: usize| {
            let left = wants[t] - has[t];
            let takes_part = left > NOTHING * wants[t] && resources.holds_back(&threads[t]).is_none();
            if takes_part { left } else { 0.0 }
        };
        let asked: Vec<f64> = (0..threads.len()).map(still_wants).collect();
        let (paces, ports) = one_round(&resources, threads, &asked);
        let mut gained = false;
        for (t, &pace) in paces.iter().enumerate() {
            resources.take(&threads[t], pace);
            has[t] += pace;
            gained |= pace > NOTHING * wants[t];
        }
        if !gained {
            break;
        }
        let stops = |t: usize| {
            let satisfied = wants[t] - has[t] <= NOTHING * wants[t];
            if satisfied { Some(Stop::Satisfied) } else { resources.holds_back(&threads[t]) }
        };
        deal(Round { ports, groups: groups_of(threads, &asked, &paces, stops) });
    }
    for (thread, has) in threads.iter_mut().zip(has) {
        for (gets, cost) in thread.gets.iter_mut().zip(&thread.cost) {
            *gets = has * cost;
        }
    }
}

/// Steps 1 to 4: GB/s that each thread takes from all its memories, out of its remaining demand `asked`, and
/// the ports.
fn one_round(resources: &Resources<'_>, threads: &[Thread], asked: &[f64]) -> (Vec<f64>, Vec<PortInRound>) {
    let machine = resources.machine;
    let on = |node: NodeId| (0..threads.len()).filter(move |&t| threads[t].node == node);
    let cores = |node: NodeId| f64::from(machine.node(node).cores);

    // If an L3 domain has a read limit, its threads first split that limit, and no thread requests more than
    // its share. The same then applies to a node.
    let mut wants = asked.to_vec();
    let mut limit = |own: Vec<usize>, reads: Resource, cores: f64| {
        let occupied = |t: usize| threads[t].cost.iter().sum::<f64>();
        let asks: Vec<f64> = own.iter().map(|&t| wants[t] * occupied(t)).collect();
        for (&t, part) in own.iter().zip(split(reads.left, cores, &asks)) {
            wants[t] = part / occupied(t);
        }
    };
    for node in machine.node_ids() {
        for (domain, &reads) in resources.domains[node.0].iter().enumerate() {
            let own = on(node).filter(|&t| threads[t].domain == domain).collect();
            limit(own, reads, f64::from(machine.node(node).domain_cores()));
        }
        if let Some(reads) = resources.reads[node.0] {
            limit(on(node).collect(), reads, cores(node));
        }
    }
    let wants_of = |t: usize, memory: NodeId| wants[t] * threads[t].cost[memory.0];

    // Step 1: the requests of the ports.
    let all = |from: NodeId, memory: NodeId| on(from).map(|t| wants_of(t, memory)).sum::<f64>();
    let asks: Vec<Vec<f64>> = machine
        .node_ids()
        .map(|from| {
            let link =
                |memory: NodeId| resources.links[from.0][memory.0].map_or(f64::INFINITY, |link| link.left);
            machine.node_ids().map(|memory| all(from, memory).min(link(memory))).collect()
        })
        .collect();
    let mut offers = asks.clone();
    for (direction, shared) in &resources.shared {
        let pairs = || direction.from.iter().flat_map(|from| direction.to.iter().map(|to| (from.0, to.0)));
        let level = level(shared.left, &pairs().map(|(from, to)| asks[from][to]).collect::<Vec<_>>());
        for (from, to) in pairs() {
            offers[from][to] = offers[from][to].min(level);
        }
    }

    // Steps 2 and 3: the ports of each memory, and the threads inside each port. Step 4: the slowest memory
    // sets the pace.
    let mut paces = wants.clone();
    let mut filled = Vec::new();
    for memory in machine.node_ids() {
        let ports: Vec<f64> = offers.iter().map(|row| row[memory.0]).collect();
        let level = level(resources.controllers[memory.0].left, &ports);
        for from in machine.node_ids().filter(|&node| machine.node(node).cores > 0) {
            let own: Vec<usize> = on(from).collect();
            let wanted: Vec<f64> = own.iter().map(|&t| wants_of(t, memory)).collect();
            let (asks, granted) = (ports[from.0], ports[from.0].min(level));
            if asks > 0.0 {
                filled.push(PortInRound { memory, from, asks, granted });
            }
            let granted = split(granted, cores(from), &wanted);
            for (t, granted) in own.into_iter().zip(granted) {
                let cost = threads[t].cost[memory.0];
                if cost > 0.0 {
                    paces[t] = paces[t].min(granted / cost);
                }
            }
        }
    }
    (paces, filled)
}

/// The level at which `capacity` is used up if all are filled at the same pace.
fn level(capacity: f64, asks: &[f64]) -> f64 {
    let used = |level: f64| asks.iter().map(|ask| ask.min(level)).sum::<f64>();
    let most = asks.iter().copied().fold(0.0, f64::max);
    if used(most) <= capacity {
        return most;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if used(middle) <= capacity {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Access, Placement};
    use crate::machine::Node;
    use crate::sharing::Solver;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Two nodes of 2 cores with 10 GFLOPS and 12 GB/s, links of 2 GB/s; a thread of intensity 1 requests 10
    /// GB/s.
    fn machine() -> Machine {
        let node = Node {
            cores: 2,
            gflops_per_core: Gflops::new(10.0),
            bandwidth: GigabytesPerSecond::new(12.0),
            ..Node::default()
        };
        Machine::uniform("two", 2, node, GigabytesPerSecond::new(2.0)).expect("a machine")
    }

    fn demand(placement: Placement) -> Demand {
        Demand::new(FlopPerByte::new(1.0), Access::Read, placement)
    }

    #[test]
    fn a_thread_slowed_by_its_link_leaves_its_share_to_a_second_round() {
        // Both on node 0. `spread` reads half of its data over the link of 2 GB/s: 4 GB/s in total, 2 of them
        // here. `local` requests 10; with 5 of `spread` that is 15 of 12. Baseline 6: spread gets 5, local 6
        // and the last one. The 3 that spread did not take are then left, and local still requests 3.
        let demands = [demand(Placement::Interleave), demand(Placement::Local)];
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![1, 0]]).expect("equal rows");
        let rounds = rounds(&machine(), &demands, &allocation);
        assert_eq!(rounds.len(), 2, "{rounds:?}");
        let port =
            |memory, asks, granted| PortInRound { memory: NodeId(memory), from: NodeId(0), asks, granted };
        assert_eq!(rounds[0].ports[1], port(1, 2.0, 2.0));
        assert_eq!((rounds[0].ports[0].asks, rounds[0].ports[0].granted), (15.0, 12.0));
        let of = |round: &Round| -> Vec<(f64, Option<Stop>)> {
            round.groups.iter().map(|group| (group.takes, group.stops.clone())).collect()
        };
        let link = Stop::Link { from: NodeId(0), memory: NodeId(1) };
        assert_eq!(of(&rounds[0]), [(4.0, Some(link)), (7.0, None)]);
        assert_eq!(of(&rounds[1]), [(3.0, Some(Stop::Satisfied))]);
    }

    #[test]
    fn rounds_sum_to_the_answer_of_the_solver() {
        let third = Placement::PartInterleave { share: 0.3 };
        let demands = [demand(third), demand(Placement::Home(NodeId(1))), demand(Placement::Interleave)];
        let allocation = Allocation::from_rows(&[vec![1, 0], vec![1, 1], vec![0, 1]]).expect("equal rows");
        let machine = machine();
        let rounds = rounds(&machine, &demands, &allocation);
        let solver = Solver::new(&machine, &demands);
        let mut workspace = solver.workspace();
        solver.solve(allocation.as_slice(), &mut workspace);
        let mut sums = [0.0; 3];
        for group in rounds.iter().flat_map(|round| &round.groups) {
            sums[group.app.0] += group.takes * f64::from(group.threads);
        }
        // Intensity 1: GB/s equal GFLOPS.
        for (sum, gflops) in sums.iter().zip(workspace.gflops()) {
            assert!((sum - gflops).abs() < 1e-9 * gflops, "{sums:?} and {:?}", workspace.gflops());
        }
    }
}
