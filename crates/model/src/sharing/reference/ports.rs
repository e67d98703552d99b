//! The default, in the words of its specification: ports filled evenly, what nobody could use dealt again.
//!
//! Levels are found by bisection, in place of the closed forms of the fast solver.

use super::dealt::{PortInRound, Round, Stop, groups_of};
use super::{Thread, split};
use crate::ids::NodeId;
use crate::machine::{Machine, SharedDirection};

/// A gain below this part of what a thread wants is none; what is left of a resource below this part is nothing.
const NOTHING: f64 = 1e-12;
/// Rounds at most: never reached in tests.
const MOST_ROUNDS: usize = 1000;

/// Something with a capacity, and what is left of it.
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

/// Everything that threads use.
struct Resources<'a> {
    machine: &'a Machine,
    /// Per memory.
    controllers: Vec<Resource>,
    /// `[from][memory]`; a node's own memory has no link.
    links: Vec<Vec<Option<Resource>>>,
    shared: Vec<(SharedDirection<'a>, Resource)>,
    /// Per node: what its threads can read in all.
    reads: Vec<Option<Resource>>,
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
        }
    }

    /// Whether a thread uses something that is full.
    fn holds_back(&self, thread: &Thread) -> Option<Stop> {
        let full = |resource: Option<Resource>| resource.is_some_and(Resource::is_full);
        let from = thread.node;
        if full(self.reads[from.0]) {
            return Some(Stop::NodeRead(from));
        }
        let read = |memory: &NodeId| thread.fraction[memory.0] > 0.0;
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

    /// Takes what one thread draws at `pace` GB/s from all its memories together.
    fn take(&mut self, thread: &Thread, pace: f64) {
        if let Some(reads) = &mut self.reads[thread.node.0] {
            reads.left -= pace;
        }
        for memory in self.machine.node_ids() {
            let drawn = pace * thread.fraction[memory.0];
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

/// Shares everything; `gets` of each thread is then what it draws. `deal` gets each round in which somebody gained.
pub(super) fn share(machine: &Machine, threads: &mut [Thread], mut deal: impl FnMut(Round)) {
    let mut resources = Resources::of(machine);
    let wants: Vec<f64> = threads.iter().map(|thread| thread.demand_gbs.iter().sum()).collect();
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
        for (gets, fraction) in thread.gets.iter_mut().zip(&thread.fraction) {
            *gets = has * fraction;
        }
    }
}

/// Steps 1 to 4: GB/s that each thread takes from all its memories, of the `asked` that it still wants, and the ports.
fn one_round(resources: &Resources<'_>, threads: &[Thread], asked: &[f64]) -> (Vec<f64>, Vec<PortInRound>) {
    let machine = resources.machine;
    let on = |node: NodeId| (0..threads.len()).filter(move |&t| threads[t].node == node);
    let cores = |node: NodeId| f64::from(machine.node(node).cores);

    // Where a node can only read so much, its threads first split that; nobody wants more than that part.
    let mut wants = asked.to_vec();
    for node in machine.node_ids() {
        if let Some(reads) = resources.reads[node.0] {
            let own: Vec<usize> = on(node).collect();
            let parts = split(reads.left, cores(node), &own.iter().map(|&t| asked[t]).collect::<Vec<_>>());
            for (t, part) in own.into_iter().zip(parts) {
                wants[t] = part;
            }
        }
    }
    let wants_of = |t: usize, memory: NodeId| wants[t] * threads[t].fraction[memory.0];

    // Step 1: what the ports ask for.
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

    // Steps 2 and 3: the ports of each memory, and inside each the threads. Step 4: the slowest memory sets the pace.
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
                let fraction = threads[t].fraction[memory.0];
                if fraction > 0.0 {
                    paces[t] = paces[t].min(granted / fraction);
                }
            }
        }
    }
    (paces, filled)
}

/// Up to where all are filled at the same pace until `capacity` is used up.
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
