//! Moves tasks among all sockets, with the given distances, as long as that improves the partition, and somewhat further: Fiduccia and
//! Mattheyses for more than two sides. Then come more starts, exchanges of whole parts, and unconnected tasks.
//!
//! As between two `sides` each task is moved at most once in a pass, and one socket may meanwhile have one task too many. It then gives
//! one to any other, which may be full itself. So whole cycles of full sockets exchange tasks.

use std::collections::BinaryHeap;

use crate::partition::sides::{Move, PASSES, patience};
use crate::partition::window::{Sockets, WindowGraph};
use crate::partition::{Source, among};

/// Improves the present sockets of the tasks in `free`, with at most `room` of them on each. Each of them has a socket.
pub(super) fn refine(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
    random: &mut Source,
) {
    for _ in 0..PASSES {
        if !Pass::new(graph, sockets, free, room, parts, random).run(parts) {
            break;
        }
    }
}

/// One pass.
struct Pass<'a> {
    graph: &'a WindowGraph,
    sockets: &'a Sockets,
    free: &'a [u32],
    room: &'a [u64],
    /// For each task its index in `free`, if it may still be moved.
    places: Vec<Option<u32>>,
    /// Present socket of each free task.
    at: Vec<usize>,
    turns: Vec<u32>,
    /// Cost of each free task on each socket.
    costs: Vec<f64>,
    /// Queue for each pair of sockets, from and to. Entries whose gain is outdated are skipped when they are reached.
    queues: Vec<BinaryHeap<Move>>,
    loads: Vec<u64>,
    /// The ideal number of tasks of each socket.
    ideal: Vec<f64>,
    /// Gains up to this size count as zero: they come from sums in another order.
    blur: f64,
}

impl<'a> Pass<'a> {
    fn new(
        graph: &'a WindowGraph,
        sockets: &'a Sockets,
        free: &'a [u32],
        room: &'a [u64],
        parts: &[Option<u32>],
        random: &mut Source,
    ) -> Self {
        let count = sockets.count();
        let mut places = vec![None; parts.len()];
        for (place, &task) in free.iter().enumerate() {
            // Tasks fit into 32 bits.
            places[task as usize] = Some(place as u32);
        }
        let at: Vec<usize> =
            free.iter().map(|&task| parts[task as usize].map_or(0, |socket| socket as usize)).collect();
        let mut loads = vec![0; count];
        for (&socket, &task) in at.iter().zip(free) {
            loads[socket] += graph.weight(task);
        }
        let mut costs = vec![0.0; free.len() * count];
        for (costs, &task) in costs.chunks_mut(count).zip(free) {
            for other in graph.neighbours(task) {
                let Some(socket) = parts[other.task as usize] else { continue };
                for (to, cost) in costs.iter_mut().enumerate() {
                    *cost += other.bytes * sockets.distance(to, socket as usize);
                }
            }
        }
        let blur = 1e-12 * costs.iter().sum::<f64>();
        let total = room.iter().sum::<u64>().max(1) as f64;
        let weight: u64 = free.iter().map(|&task| graph.weight(task)).sum();
        let ideal = room.iter().map(|&room| weight as f64 * room as f64 / total).collect();
        let turns = random.order(free.len() as u32);
        let queues = vec![BinaryHeap::new(); count * count];
        let mut pass =
            Self { graph, sockets, free, room, places, at, turns, costs, queues, loads, ideal, blur };
        for task in 0..free.len() {
            pass.offer(task);
        }
        pass
    }

    /// The saving if a free task moves to a socket.
    fn gain(&self, task: usize, to: usize) -> f64 {
        let row = task * self.loads.len();
        self.costs[row + self.at[task]] - self.costs[row + to]
    }

    /// Puts all moves of a free task into the queues.
    fn offer(&mut self, task: usize) {
        let (from, count) = (self.at[task], self.loads.len());
        for to in (0..count).filter(|&to| to != from) {
            let gain = self.gain(task, to);
            self.queues[from * count + to].push(Move { gain, turn: self.turns[task], task: task as u32 });
        }
    }

    /// The best move between two sockets.
    fn best(&mut self, from: usize, to: usize) -> Option<Move> {
        let queue = from * self.loads.len() + to;
        while let Some(&best) = self.queues[queue].peek() {
            let task = best.task as usize;
            let open = self.places[self.free[task] as usize].is_some();
            if open && self.at[task] == from && best.gain == self.gain(task, to) {
                return Some(best);
            }
            self.queues[queue].pop();
        }
        None
    }

    /// The next move: the largest gain, and of equal ones the one that balances the loads best.
    fn next(&mut self) -> Option<(Move, usize)> {
        let count = self.loads.len();
        let too_full = (0..count).find(|&socket| self.loads[socket] > self.room[socket]);
        let mut best: Option<(Move, usize, f64)> = None;
        for from in (0..count).filter(|&from| too_full.is_none_or(|full| full == from)) {
            for to in (0..count).filter(|&to| to != from && self.room[to] > 0) {
                let Some(found) = self.best(from, to) else { continue };
                let evens = self.surplus(from) - self.surplus(to);
                let better = best.is_none_or(|(best, _, even)| {
                    found.gain > best.gain || (found.gain == best.gain && evens > even)
                });
                if better {
                    best = Some((found, to, evens));
                }
            }
        }
        best.map(|(found, to, _)| (found, to))
    }

    fn surplus(&self, socket: usize) -> f64 {
        self.loads[socket] as f64 - self.ideal[socket]
    }

    /// Moves, and returns to the best state that was reached; returns whether that is better than the first one.
    fn run(mut self, parts: &mut [Option<u32>]) -> bool {
        let patience = patience(self.free.len());
        let (mut gain, mut evened) = (0.0, 0.0);
        let (mut best, mut best_length) = ((0.0, 0.0), 0);
        let mut least = self.overload();
        let mut way: Vec<(usize, usize)> = Vec::new();
        while let Some((step, to)) = self.next() {
            let task = step.task as usize;
            let from = self.at[task];
            gain += step.gain;
            // Decrease of the sum of the squares of all surpluses.
            let weight = self.graph.weight(self.free[task]) as f64;
            evened += 2.0 * weight * (self.surplus(from) - self.surplus(to) - weight);
            self.change(task, to);
            way.push((task, from));
            let overload = self.overload();
            let further = gain > best.0 + self.blur;
            let evener = gain >= best.0 - self.blur && evened > best.1 + 1e-6;
            if overload < least || (overload == least && (further || evener)) {
                least = overload;
                best = (gain, evened);
                best_length = way.len();
            } else if way.len() > best_length + patience {
                break;
            }
        }
        for &(task, from) in way[best_length..].iter().rev() {
            self.at[task] = from;
        }
        for (&task, &socket) in self.free.iter().zip(&self.at) {
            // As many as the nodes of a machine.
            parts[task as usize] = Some(socket as u32);
        }
        best_length > 0
    }

    /// Weight beyond the capacity of sockets; 0 in every state that a pass over tasks of equal weight accepts.
    fn overload(&self) -> u64 {
        self.loads.iter().zip(self.room).map(|(load, room)| load.saturating_sub(*room)).sum()
    }

    fn change(&mut self, task: usize, to: usize) {
        let (from, count) = (self.at[task], self.loads.len());
        self.at[task] = to;
        let (graph, id) = (self.graph, self.free[task]);
        self.loads[from] -= graph.weight(id);
        self.loads[to] += graph.weight(id);
        self.places[id as usize] = None;
        for other in graph.neighbours(id) {
            let Some(place) = self.places[other.task as usize] else { continue };
            let place = place as usize;
            for socket in 0..count {
                let nearer = self.sockets.distance(socket, to) - self.sockets.distance(socket, from);
                self.costs[place * count + socket] += other.bytes * nearer;
            }
            self.offer(place);
        }
    }
}

// Small windows: some more starts, near the best answer so far.
//
// `among` stops when no single move and no cycle improves the result. With a handful of tasks per socket that happens often, and another
// start costs little; beyond about a hundred tasks it brings nothing.

/// Number of tasks that all further starts together may refine, and maximum number of starts.
const EFFORT: usize = 600;
const STARTS: usize = 60;

/// Improves the present sockets of the tasks in `free`, with at most `room` of them on each. Each of them has a socket.
pub(super) fn kick(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut Vec<Option<u32>>,
    random: &mut Source,
) {
    if sockets.count() < 2 {
        return;
    }
    let mut least = weighted(graph, sockets, parts);
    for _ in 0..(EFFORT / free.len().max(1)).min(STARTS) {
        let mut other = parts.clone();
        // Exchanges do not change the load of sockets.
        for _ in 0..free.len().div_ceil(3) {
            let (one, two) = (random.one_of(free), random.one_of(free));
            if let (Some(one), Some(two)) = (one, two)
                && graph.weight(one) == graph.weight(two)
            {
                other.swap(one as usize, two as usize);
            }
        }
        among::refine(graph, sockets, free, room, &mut other, random);
        let cost = weighted(graph, sockets, &other);
        if cost < least * (1.0 - 1e-12) {
            least = cost;
            *parts = other;
        }
    }
}

/// The sum of bytes x distance.
fn weighted(graph: &WindowGraph, sockets: &Sockets, parts: &[Option<u32>]) -> f64 {
    let mut sum = 0.0;
    for task in graph.tasks() {
        let Some(here) = parts[task as usize] else { continue };
        for other in graph.neighbours(task).iter().filter(|other| other.task > task) {
            let Some(there) = parts[other.task as usize] else { continue };
            sum += other.bytes * sockets.distance(here as usize, there as usize);
        }
    }
    sum
}

// Whole parts on sockets: two sockets that have room for it exchange their tasks if that brings bytes nearer.

/// Bytes between parts, and from parts to fixed tasks.
struct Between {
    count: usize,
    /// Between free tasks, row by row, symmetric.
    parts: Vec<f64>,
    /// Between free tasks of a part (row) and fixed tasks on a socket (column).
    fixed: Vec<f64>,
    /// Weight of the free tasks of each part.
    sizes: Vec<u64>,
}

/// Exchanges the parts of `free`, which all have a socket, as long as that improves the partition. Only tasks of `free` move, at most
/// `room` of them to a socket.
pub(super) fn exchange(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
) {
    let count = sockets.count();
    let between = Between::of(graph, count, free, parts);
    // Socket of each part.
    let mut at: Vec<usize> = (0..count).collect();
    let mut cost = between.cost(sockets, &at);
    let blur = 1e-12 * cost.abs();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for one in 0..count {
            for other in one + 1..count {
                if between.sizes[one] > room[at[other]] || between.sizes[other] > room[at[one]] {
                    continue;
                }
                at.swap(one, other);
                let after = between.cost(sockets, &at);
                at.swap(one, other);
                if after < best.map_or(cost - blur, |(least, ..)| least) {
                    best = Some((after, one, other));
                }
            }
        }
        let Some((after, one, other)) = best else { break };
        at.swap(one, other);
        cost = after;
    }
    for &task in free {
        let part = &mut parts[task as usize];
        // As many as the nodes of a machine.
        *part = part.map(|part| at[part as usize] as u32);
    }
}

impl Between {
    fn of(graph: &WindowGraph, count: usize, free: &[u32], parts: &[Option<u32>]) -> Self {
        let mut is_free = vec![false; parts.len()];
        for &task in free {
            is_free[task as usize] = true;
        }
        let mut between = Self {
            count,
            parts: vec![0.0; count * count],
            fixed: vec![0.0; count * count],
            sizes: vec![0; count],
        };
        for &task in free {
            let Some(from) = parts[task as usize] else { continue };
            between.sizes[from as usize] += graph.weight(task);
            for other in graph.neighbours(task) {
                let Some(to) = parts[other.task as usize] else { continue };
                let cell = from as usize * count + to as usize;
                if is_free[other.task as usize] {
                    // Each pair is met from both ends.
                    between.parts[cell] += other.bytes / 2.0;
                } else {
                    between.fixed[cell] += other.bytes;
                }
            }
        }
        between
    }

    fn cost(&self, sockets: &Sockets, at: &[usize]) -> f64 {
        let mut cost = 0.0;
        for one in 0..self.count {
            for other in 0..self.count {
                let cell = one * self.count + other;
                cost += self.parts[cell] * sockets.distance(at[one], at[other]);
                cost += self.fixed[cell] * sockets.distance(at[one], other);
            }
        }
        cost
    }
}

// The capacity that is left in addition to tasks whose socket is known; and tasks without connections to any socket.

/// Weight of the tasks of each socket.
fn loads(graph: &WindowGraph, sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u64> {
    let mut loads = vec![0; sockets.count()];
    for (task, &socket) in graph.tasks().zip(parts) {
        if let Some(socket) = socket {
            loads[socket as usize] += graph.weight(task);
        }
    }
    loads
}

/// Remaining capacity of each socket. Fixed tasks may take more than its capacity.
pub(super) fn room_left(graph: &WindowGraph, sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u64> {
    let loads = loads(graph, sockets, parts);
    loads.iter().zip(sockets.rooms_in(graph)).map(|(&load, room)| room.saturating_sub(load)).collect()
}

/// Assigns the tasks without a socket: in creation order, each to the first socket that has less than its share.
pub(super) fn in_creation_order(graph: &WindowGraph, sockets: &Sockets, parts: &[Option<u32>]) -> Vec<u32> {
    let mut loads = loads(graph, sockets, parts);
    let quotas = sockets.quotas(graph.total_weight());
    let mut socket = 0;
    let mut given = |(task, known): (u32, Option<u32>)| {
        if let Some(known) = known {
            return known;
        }
        // The quotas add up to the number of tasks, so a socket is left as long as a task is.
        while socket + 1 < loads.len() && loads[socket] >= quotas[socket] {
            socket += 1;
        }
        loads[socket] += graph.weight(task);
        // As many as the nodes of a machine.
        socket as u32
    };
    graph.tasks().zip(parts.iter().copied()).map(&mut given).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Ties;

    fn refined(graph: &WindowGraph, sockets: &Sockets, room: &[u64], parts: &[u32]) -> Vec<u32> {
        let free: Vec<u32> = graph.tasks().collect();
        let mut parts: Vec<Option<u32>> = parts.iter().copied().map(Some).collect();
        refine(graph, sockets, &free, room, &mut parts, &mut Source::new(Ties::Order, 0, 0));
        parts.into_iter().flatten().collect()
    }

    /// Three full sockets with two tasks each; three pairs of tasks, each on two sockets. Only an exchange of all three together improves
    /// this.
    #[test]
    fn full_sockets_exchange_tasks_in_a_circle() {
        let graph = WindowGraph::new(6, &[(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0)]);
        let distances = [10.0, 20.0, 20.0, 20.0, 10.0, 20.0, 20.0, 20.0, 10.0];
        let parts = refined(&graph, &Sockets::given(&[1; 3], &distances), &[2; 3], &[0, 1, 1, 2, 2, 0]);
        assert!((0..3).all(|pair| parts[2 * pair] == parts[2 * pair + 1]), "{parts:?}");
    }
}
