//! First guesses at two sides of a small graph.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::random::Source;
use super::refine::{Sides, refine};

/// From how many tasks a side is grown, and how many tasks all these sides together may be grown among: of a graph that could not be made
/// small fewer.
const TRIES: u32 = 6;
const EFFORT: u32 = 1000;

/// The best of all guesses, each refined.
pub(super) fn start(sides: &Sides, random: &mut Source) -> Vec<bool> {
    // Tasks fit into 32 bits.
    let count = sides.graph.task_count() as u32;
    let mut guesses = vec![first_ones(sides), whole_components(sides)];
    guesses.extend(
        random
            .some(TRIES.min(EFFORT / count.max(1)).max(1), count)
            .into_iter()
            .map(|seed| grown(sides, seed)),
    );
    let mut best: Option<(Vec<bool>, super::refine::Worth)> = None;
    for mut side in guesses {
        let worth = refine(sides, &mut side, random);
        if best.as_ref().is_none_or(|(_, least)| worth.beats(least)) {
            best = Some((side, worth));
        }
    }
    best.map(|(side, _)| side).unwrap_or_default()
}

/// Side 0 has the first ones in creation order.
fn first_ones(sides: &Sides) -> Vec<bool> {
    let mut load = 0;
    let of = |task| {
        // Half of a task may be beyond the border.
        let side = load as f64 + sides.graph.weight(task) as f64 / 2.0 > sides.ideal[0];
        load += sides.graph.weight(task);
        side
    };
    sides.graph.tasks().map(of).collect()
}

/// What hangs together stays together: the largest first, each to the side that lacks most.
fn whole_components(sides: &Sides) -> Vec<bool> {
    let mut components = components(sides);
    // Equal ones by their first task: the sort is stable.
    components.sort_by_key(|&(weight, _)| Reverse(weight));
    let mut side = vec![false; sides.graph.task_count()];
    let mut lacks = sides.ideal;
    for (weight, members) in components {
        let to = usize::from(lacks[1] > lacks[0]);
        lacks[to] -= weight as f64;
        for member in members {
            side[member as usize] = to == 1;
        }
    }
    side
}

/// Tasks that hang together, with what they weigh, by their first task.
fn components(sides: &Sides) -> Vec<(u64, Vec<u32>)> {
    let mut met = vec![false; sides.graph.task_count()];
    let mut components = Vec::new();
    for first in sides.graph.tasks() {
        if std::mem::replace(&mut met[first as usize], true) {
            continue;
        }
        let mut members = vec![first];
        let mut done = 0;
        while let Some(&task) = members.get(done) {
            done += 1;
            for other in sides.graph.neighbours(task) {
                if !std::mem::replace(&mut met[other.task as usize], true) {
                    members.push(other.task);
                }
            }
        }
        let weight = members.iter().map(|&member| sides.graph.weight(member)).sum();
        components.push((weight, members));
    }
    components
}

/// Side 0 grows from one task: always by the one that is best there, until it has what it should.
fn grown(sides: &Sides, seed: u32) -> Vec<bool> {
    let graph = &sides.graph;
    let count = graph.task_count();
    let mut side = vec![true; count];
    // What each saves on side 0, with all its neighbours on side 1.
    let alone = |task: u32| {
        let bytes: f64 = graph.neighbours(task).iter().map(|other| other.bytes).sum();
        sides.pull[task as usize] - sides.apart * bytes
    };
    let mut saves: Vec<f64> = graph.tasks().map(alone).collect();
    let pulled = graph.tasks().filter(|&task| sides.pull[task as usize] > 0.0);
    let mut queue: BinaryHeap<Grain> =
        pulled.map(|task| Grain { saves: saves[task as usize], task }).collect();
    // Where nothing binds anything to side 0: the next in creation order.
    let mut others = (seed..count as u32).chain(0..seed);
    let mut load = 0;
    while (load as f64) < sides.ideal[0] {
        let best = if load == 0 { None } else { best_of(&mut queue, &saves, &side) };
        let Some(task) = best.or_else(|| others.find(|&task| side[task as usize])) else { break };
        let weight = graph.weight(task);
        // Half of a task may be beyond the border.
        if load > 0 && load as f64 + weight as f64 / 2.0 > sides.ideal[0] {
            break;
        }
        side[task as usize] = false;
        load += weight;
        for other in graph.neighbours(task).iter().filter(|other| side[other.task as usize]) {
            let place = &mut saves[other.task as usize];
            *place += 2.0 * sides.apart * other.bytes;
            queue.push(Grain { saves: *place, task: other.task });
        }
    }
    side
}

/// Takes the best one that is still on side 1; entries with old savings are left out.
fn best_of(queue: &mut BinaryHeap<Grain>, saves: &[f64], side: &[bool]) -> Option<u32> {
    while let Some(grain) = queue.pop() {
        if side[grain.task as usize] && grain.saves == saves[grain.task as usize] {
            return Some(grain.task);
        }
    }
    None
}

/// A task that side 0 may grow by; the largest saving comes first, then the lowest number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grain {
    saves: f64,
    task: u32,
}

impl Eq for Grain {}

impl PartialOrd for Grain {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Grain {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.saves.total_cmp(&other.saves).then_with(|| other.task.cmp(&self.task))
    }
}

#[cfg(test)]
mod tests {
    use super::super::window::WindowGraph;
    use super::*;

    fn sides(count: usize, edges: &[(u32, u32, f64)], ideal: [f64; 2]) -> Sides {
        let graph = WindowGraph::new(count, edges);
        Sides { graph, pull: vec![0.0; count], apart: 1.0, room: ideal.map(|ideal| ideal as u64), ideal }
    }

    #[test]
    fn components_stay_whole_and_go_to_the_side_that_lacks_most() {
        // {0, 3}, {1}, {2, 4}: two each go to sides 0 and 1, the single one fills side 0.
        let sides = sides(5, &[(0, 3, 1.0), (2, 4, 1.0)], [3.0, 2.0]);
        assert_eq!(whole_components(&sides), [false, false, true, false, true]);
    }

    #[test]
    fn a_side_grows_along_the_heaviest_edges() {
        // From 0: task 2 saves 9 of its 14 B, task 1 its only one: 2 x 9 - 14 = 4 against 2 x 1 - 1 = 1. Then 3: 5.
        let sides = sides(4, &[(0, 1, 1.0), (0, 2, 9.0), (2, 3, 5.0)], [3.0, 1.0]);
        assert_eq!(grown(&sides, 0), [false, true, false, false]);
        assert_eq!(first_ones(&sides), [false, false, false, true]);
    }
}
