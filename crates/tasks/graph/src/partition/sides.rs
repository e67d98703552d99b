//! Moves tasks between two sides as long as that improves the partition, and somewhat further (Fiduccia, Mattheyses 1982).
//!
//! In a pass each task is moved at most once, always the one with the largest gain, even if that is a loss; the pass keeps the best state
//! on the way. A side may meanwhile have one task too many, so that tasks can be exchanged when both are full. `among` does the same for
//! any number of sides in a separate implementation: its sums of bytes x distance are made in another order and would break ties here
//! differently, and bisections of weighted tasks need no matrix of costs.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::partition::Source;
use crate::partition::window::{Neighbour, WindowGraph};

/// A task that may be moved; the largest gain comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) gain: f64,
    /// The place of the task in the order in which equal ones are tried.
    pub(super) turn: u32,
    /// Its number, or its index among those that may be moved, depending on the code that makes the moves.
    pub(super) task: u32,
}

impl Eq for Move {}

impl PartialOrd for Move {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Move {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then_with(|| other.turn.cmp(&self.turn))
    }
}

/// The maximum number of passes; they also end when one changes nothing.
pub(super) const PASSES: usize = 10;

/// A pass over this number of tasks ends after a fiftieth of them without improvement, within a minimum and a maximum (METIS: a
/// hundredth, 15 to 100).
pub(super) fn patience(tasks: usize) -> usize {
    (tasks / 50).clamp(40, 200)
}

/// The input of a bisection.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    /// The tasks and the bytes between them.
    pub(super) graph: WindowGraph,
    /// Per task: the extra cost of side 1 compared with side 0, regardless of the other tasks.
    pub(super) pull: Vec<f64>,
    /// Extra cost of a byte between the sides, compared with one within them.
    pub(super) apart: f64,
    /// Maximum number of tasks of each side. The sum suffices for all tasks.
    pub(super) room: [u64; 2],
    /// Ideal number of tasks of each side.
    pub(super) ideal: [f64; 2],
}

/// Quality of a state: smaller is better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// Tasks beyond the capacity of a side.
    overload: u64,
    /// Sum of pulls, and of bytes between the sides.
    cost: f64,
    /// Deviation of the sides from their ideal numbers.
    uneven: f64,
    /// Costs that differ by at most this amount are equal: they come from sums in another order.
    blur: f64,
}

impl Worth {
    /// Whether it is better than another one of the same sides.
    pub(super) fn beats(&self, other: &Self) -> bool {
        let order = self.overload.cmp(&other.overload);
        let order = order.then_with(|| {
            if (self.cost - other.cost).abs() <= self.blur {
                Ordering::Equal
            } else {
                self.cost.total_cmp(&other.cost)
            }
        });
        order.then_with(|| self.uneven.total_cmp(&(other.uneven - 1e-9))) == Ordering::Less
    }
}

impl Sides {
    /// Quality of the assignment of tasks to sides in `side`.
    pub(super) fn worth(&self, side: &[bool]) -> Worth {
        let mut cost = 0.0;
        for task in self.graph.tasks() {
            if side[task as usize] {
                cost += self.pull[task as usize];
                let across = self.graph.neighbours(task).iter().filter(|other| !side[other.task as usize]);
                cost += self.apart * across.map(|other| other.bytes).sum::<f64>();
            }
        }
        self.at(self.loads(side), cost, self.blur())
    }

    fn at(&self, loads: [u64; 2], cost: f64, blur: f64) -> Worth {
        let overload = loads[0].saturating_sub(self.room[0]) + loads[1].saturating_sub(self.room[1]);
        Worth { overload, cost, uneven: (loads[0] as f64 - self.ideal[0]).abs(), blur }
    }

    /// Bound on the difference between sums of all costs in different orders.
    fn blur(&self) -> f64 {
        let bytes: f64 =
            self.graph.tasks().flat_map(|task| self.graph.neighbours(task)).map(|other| other.bytes).sum();
        1e-12 * (self.apart.abs() * bytes + self.pull.iter().map(|pull| pull.abs()).sum::<f64>())
    }

    fn loads(&self, side: &[bool]) -> [u64; 2] {
        let mut loads = [0; 2];
        for task in self.graph.tasks() {
            loads[usize::from(side[task as usize])] += self.graph.weight(task);
        }
        loads
    }

    /// The saving if a task changes its side.
    fn gain(&self, side: &[bool], task: u32) -> f64 {
        let here = side[task as usize];
        let pull = if here { self.pull[task as usize] } else { -self.pull[task as usize] };
        let bytes = |other: &Neighbour| {
            if side[other.task as usize] == here { -other.bytes } else { other.bytes }
        };
        pull + self.apart * self.graph.neighbours(task).iter().map(bytes).sum::<f64>()
    }
}

/// Improves `side`; returns its quality.
pub(super) fn refine(sides: &Sides, side: &mut [bool], random: &mut Source) -> Worth {
    let mut worth = sides.worth(side);
    for _ in 0..PASSES {
        let better = Pass::new(sides, side, random).run(side, worth);
        if !better.beats(&worth) {
            break;
        }
        worth = better;
    }
    worth
}

/// One pass.
struct Pass<'a> {
    sides: &'a Sides,
    gains: Vec<f64>,
    turns: Vec<u32>,
    moved: Vec<bool>,
    /// One queue for each side. Entries whose gain is outdated are skipped when they are reached.
    queues: [BinaryHeap<Move>; 2],
    loads: [u64; 2],
}

impl<'a> Pass<'a> {
    fn new(sides: &'a Sides, side: &[bool], random: &mut Source) -> Self {
        let count = sides.graph.task_count();
        let gains: Vec<f64> = sides.graph.tasks().map(|task| sides.gain(side, task)).collect();
        // Tasks fit into 32 bits.
        let turns = random.order(count as u32);
        let mut queues = [Vec::new(), Vec::new()];
        for task in sides.graph.tasks() {
            let at = task as usize;
            queues[usize::from(side[at])].push(Move { gain: gains[at], turn: turns[at], task });
        }
        let queues = queues.map(BinaryHeap::from);
        Self { sides, gains, turns, moved: vec![false; count], queues, loads: sides.loads(side) }
    }

    /// The best move away from a side.
    fn best_from(&mut self, from: usize, side: &[bool]) -> Option<Move> {
        while let Some(&best) = self.queues[from].peek() {
            let at = best.task as usize;
            if !self.moved[at] && usize::from(side[at]) == from && best.gain == self.gains[at] {
                return Some(best);
            }
            self.queues[from].pop();
        }
        None
    }

    /// The next move, and the side that it leaves.
    fn next(&mut self, side: &[bool]) -> Option<(Move, usize)> {
        let over = |loads: [u64; 2], s: usize| loads[s] > self.sides.room[s];
        // An overfull side gives a task; the other one has capacity then.
        let may = [!over(self.loads, 1), !over(self.loads, 0)];
        let candidates = [0, 1].map(|from| if may[from] { self.best_from(from, side) } else { None });
        match candidates {
            [Some(a), Some(b)] => {
                let fuller = usize::from(self.loads[0] as f64 <= self.sides.ideal[0]);
                let first = match a.gain.total_cmp(&b.gain) {
                    Ordering::Greater => 0,
                    Ordering::Less => 1,
                    Ordering::Equal => fuller,
                };
                Some(([a, b][first], first))
            }
            [Some(a), None] => Some((a, 0)),
            [None, Some(b)] => Some((b, 1)),
            [None, None] => None,
        }
    }

    /// Moves, and returns to the best state that was reached.
    fn run(mut self, side: &mut [bool], start: Worth) -> Worth {
        let patience = patience(self.gains.len());
        let (mut cost, mut best, mut best_length) = (start.cost, start, 0);
        let mut way: Vec<u32> = Vec::new();
        while let Some((Move { gain, task, .. }, from)) = self.next(side) {
            self.queues[from].pop();
            self.change(task, from, side);
            way.push(task);
            cost -= gain;
            let worth = self.sides.at(self.loads, cost, start.blur);
            if worth.beats(&best) {
                best = worth;
                best_length = way.len();
            } else if way.len() > best_length + patience {
                break;
            }
        }
        for &task in &way[best_length..] {
            side[task as usize] = !side[task as usize];
        }
        best
    }

    fn change(&mut self, task: u32, from: usize, side: &mut [bool]) {
        let at = task as usize;
        self.moved[at] = true;
        side[at] = !side[at];
        let weight = self.sides.graph.weight(task);
        self.loads[from] -= weight;
        self.loads[1 - from] += weight;
        for other in self.sides.graph.neighbours(task) {
            let place = other.task as usize;
            if self.moved[place] {
                continue;
            }
            // It now has its neighbour on its side, or no longer.
            let change = 2.0 * self.sides.apart * other.bytes;
            self.gains[place] += if side[place] == side[at] { -change } else { change };
            self.queues[usize::from(side[place])].push(Move {
                gain: self.gains[place],
                turn: self.turns[place],
                task: other.task,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Ties;

    fn sides(graph: WindowGraph, room: [u64; 2]) -> Sides {
        let count = graph.task_count();
        let half = count as f64 / 2.0;
        Sides { graph, pull: vec![0.0; count], apart: 1.0, room, ideal: [half, half] }
    }

    #[test]
    fn two_chains_that_are_mixed_are_sorted_out() {
        // Chains 0-1-2-3 and 4-5-6-7, each half on both sides; both sides are full, so that tasks must be exchanged.
        let edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)].map(|(a, b)| (a, b, 1.0));
        let sides = sides(WindowGraph::new(8, &edges), [4, 4]);
        let mut side = [false, true, false, true, false, true, false, true];
        let worth = refine(&sides, &mut side, &mut Source::new(Ties::Order, 0, 0));
        assert_eq!((worth.overload, worth.cost), (0, 0.0));
        assert!(
            side[..4].iter().all(|&s| s == side[0]) && side[4..].iter().all(|&s| s != side[0]),
            "{side:?}"
        );
    }

    #[test]
    fn a_side_that_is_too_full_gives_what_costs_least() {
        // A chain with its cheapest edge between 1 and 2; side 0 has all four tasks and room for two.
        let sides = sides(WindowGraph::new(4, &[(0, 1, 5.0), (1, 2, 1.0), (2, 3, 5.0)]), [2, 2]);
        let mut side = [false; 4];
        let worth = refine(&sides, &mut side, &mut Source::new(Ties::Order, 0, 0));
        assert_eq!((worth.overload, worth.cost), (0, 1.0));
    }

    #[test]
    fn a_pull_decides_where_no_bytes_do() {
        let mut sides = sides(WindowGraph::new(2, &[(0, 1, 1.0)]), [1, 1]);
        sides.pull = vec![3.0, -3.0];
        let mut side = [true, false];
        let worth = refine(&sides, &mut side, &mut Source::new(Ties::Order, 0, 0));
        assert_eq!((side, worth.cost), ([false, true], -2.0));
    }
}
