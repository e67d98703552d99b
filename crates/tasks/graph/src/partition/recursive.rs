//! Dual recursive bipartitioning: sockets in two groups, tasks in two sets, and so on in each half (Pellegrini 1994).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::partition::Source;
use crate::partition::sides::{Sides, Worth, refine};
use crate::partition::window::{Neighbour, Sockets, WindowGraph};

/// The assignment so far.
struct State<'a> {
    graph: &'a WindowGraph,
    sockets: &'a Sockets,
    room: &'a [u64],
    /// Groups of sockets with tasks.
    groups: Vec<Vec<usize>>,
    /// Group of each task; tasks that are not to be divided have none.
    group: Vec<Option<u32>>,
    /// Index of each task in the set that is being divided.
    places: Vec<Option<u32>>,
}

/// Assigns a socket to each of `free`, with at most `room` of them on each; the sum must suffice for all. Tasks that have a socket
/// attract their neighbours.
pub(super) fn divide(
    graph: &WindowGraph,
    sockets: &Sockets,
    free: &[u32],
    room: &[u64],
    parts: &mut [Option<u32>],
    random: &mut Source,
) {
    let count = sockets.count();
    let mut groups: Vec<Vec<usize>> = (0..count).map(|socket| vec![socket]).collect();
    groups.push((0..count).collect());
    let mut group = parts.to_vec();
    for &task in free {
        // As many as the nodes of a machine.
        group[task as usize] = Some(count as u32);
    }
    let places = vec![None; parts.len()];
    let mut state = State { graph, sockets, room, groups, group, places };
    let mut open = vec![(count, free.to_vec())];
    while let Some((group, members)) = open.pop() {
        if let [socket] = state.groups[group][..] {
            for member in members {
                parts[member as usize] = Some(socket as u32);
            }
        } else if !members.is_empty() {
            let [first, second] = state.halve(group, &members, random);
            // The first half is divided next, while the second one stays as it is.
            open.push(second);
            open.push(first);
        }
    }
}

impl State<'_> {
    /// Two groups of sockets, and the tasks of each.
    fn halve(&mut self, group: usize, members: &[u32], random: &mut Source) -> [(usize, Vec<u32>); 2] {
        let (near, far) = self.sockets.halves(&self.groups[group]);
        let sides = self.sides(&near, &far, members);
        let side = bisect(sides, random);
        let names = [near, far].map(|half| {
            self.groups.push(half);
            self.groups.len() - 1
        });
        let mut halves = names.map(|name| (name, Vec::new()));
        for (&member, &side) in members.iter().zip(&side) {
            let half = &mut halves[usize::from(side)];
            // There are fewer groups than twice the sockets.
            self.group[member as usize] = Some(half.0 as u32);
            half.1.push(member);
        }
        halves
    }

    fn sides(&mut self, near: &[usize], far: &[usize], members: &[u32]) -> Sides {
        for (place, &member) in members.iter().enumerate() {
            // Tasks fit into 32 bits.
            self.places[member as usize] = Some(place as u32);
        }
        let graph = self.graph.part(members, &self.places);
        let inside = (self.sockets.within(near), self.sockets.within(far));
        let apart = self.sockets.between(near, far) - f64::midpoint(inside.0, inside.1);
        let from: Vec<f64> = self
            .groups
            .iter()
            .map(|group| self.sockets.between(far, group) - self.sockets.between(near, group))
            .collect();
        let pull = members.iter().map(|&member| {
            let mut pull = 0.0;
            for other in self.graph.neighbours(member) {
                pull += match (self.places[other.task as usize], self.group[other.task as usize]) {
                    // If both are in the second half, they are as near as that permits: half of it for each.
                    (Some(_), _) => other.bytes * (inside.1 - inside.0) / 2.0,
                    (None, Some(group)) => other.bytes * from[group as usize],
                    (None, None) => 0.0,
                };
            }
            pull
        });
        let pull = pull.collect();
        for &member in members {
            self.places[member as usize] = None;
        }
        let room = [near, far].map(|half| half.iter().map(|&socket| self.room[socket]).sum::<u64>());
        let total = (room[0] + room[1]).max(1) as f64;
        let weight: u64 = members.iter().map(|&member| self.graph.weight(member)).sum();
        let ideal = room.map(|room| weight as f64 * room as f64 / total);
        Sides { graph, pull, apart, room, ideal }
    }
}

// Two sides of a graph of any size: coarser and coarser graphs, a first guess, and back.

/// Small enough for first guesses.
const SMALL: usize = 60;

/// For each task whether it is on side 1. No side exceeds its capacity.
pub(super) fn bisect(sides: Sides, random: &mut Source) -> Vec<bool> {
    // No group may be so heavy that the sides cannot be balanced.
    let heaviest = (3 * sides.graph.total_weight() / (2 * SMALL as u64)).max(2);
    let mut levels = vec![(sides, Vec::new())];
    while let Some((fine, _)) = levels.last() {
        if fine.graph.task_count() <= SMALL {
            break;
        }
        let Some(coarse) = coarsen(fine, heaviest, random) else { break };
        levels.push((coarse.sides, coarse.of_fine));
    }
    let mut side: Vec<bool> = Vec::new();
    let mut of_fine: Option<Vec<u32>> = None;
    for (sides, next) in levels.into_iter().rev() {
        match of_fine.take() {
            None => side = start(&sides, random),
            Some(of_fine) => {
                side = of_fine.iter().map(|&coarse| side[coarse as usize]).collect();
                refine(&sides, &mut side, random);
            }
        }
        of_fine = Some(next);
    }
    side
}

// First guesses at two sides of a small graph.

/// Number of tasks from which a side is grown, and the maximum number of tasks for all these attempts together: fewer attempts if a graph
/// could not be made small.
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
    let mut best: Option<(Vec<bool>, Worth)> = None;
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

/// Connected tasks stay together: the largest component first, each to the side that lacks most.
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

/// Connected components with their weights, by their first task.
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

/// Side 0 grows from one task: always by the task with the best saving, until it has its ideal weight.
fn grown(sides: &Sides, seed: u32) -> Vec<bool> {
    let graph = &sides.graph;
    let count = graph.task_count();
    let mut side = vec![true; count];
    // Saving of each task on side 0, with all its neighbours on side 1.
    let alone = |task: u32| {
        let bytes: f64 = graph.neighbours(task).iter().map(|other| other.bytes).sum();
        sides.pull[task as usize] - sides.apart * bytes
    };
    let mut saves: Vec<f64> = graph.tasks().map(alone).collect();
    let pulled = graph.tasks().filter(|&task| sides.pull[task as usize] > 0.0);
    let mut queue: BinaryHeap<Grain> =
        pulled.map(|task| Grain { saves: saves[task as usize], task }).collect();
    // If no task is connected to side 0: the next in creation order.
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

/// Takes the best task that is still on side 1; entries with outdated savings are skipped.
fn best_of(queue: &mut BinaryHeap<Grain>, saves: &[f64], side: &[bool]) -> Option<u32> {
    while let Some(grain) = queue.pop() {
        if side[grain.task as usize] && grain.saves == saves[grain.task as usize] {
            return Some(grain.task);
        }
    }
    None
}

/// A candidate for side 0; the largest saving comes first, then the lowest number.
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

// Smaller graphs of the same shape: pairs of tasks with many bytes between them become one (heavy-edge matching).

/// A smaller graph.
pub(super) struct Coarse {
    /// Its sides.
    pub(super) sides: Sides,
    /// For each task of the finer graph the task that it belongs to here.
    pub(super) of_fine: Vec<u32>,
}

/// Combines each task with the free neighbour with which it shares most bytes, at most `heaviest` tasks in one; `None` if hardly any pair
/// is found.
pub(super) fn coarsen(fine: &Sides, heaviest: u64, random: &mut Source) -> Option<Coarse> {
    let graph = &fine.graph;
    let count = graph.task_count();
    let mut partner: Vec<Option<u32>> = vec![None; count];
    let mut pairs = 0;
    // Tasks fit into 32 bits.
    for task in random.order(count as u32) {
        if partner[task as usize].is_some() {
            continue;
        }
        let free = |other: &&Neighbour| {
            partner[other.task as usize].is_none()
                && graph.weight(task) + graph.weight(other.task) <= heaviest
        };
        // The first of the heaviest: neighbours come by number.
        let best =
            graph.neighbours(task).iter().filter(free).reduce(|a, b| if b.bytes > a.bytes { b } else { a });
        if let Some(best) = best {
            partner[task as usize] = Some(best.task);
            partner[best.task as usize] = Some(task);
            pairs += 1;
        }
    }
    if 4 * pairs < count {
        pairs += of_common_neighbour(fine, heaviest, &mut partner);
    }
    // A pass over a graph that is hardly smaller costs more than it gains.
    if 20 * pairs < count {
        return None;
    }
    Some(united(fine, &partner))
}

/// Used if few pairs were found: combines two tasks that both share most bytes with a third one, as many tasks do that read the same
/// block. Returns the number of pairs.
fn of_common_neighbour(fine: &Sides, heaviest: u64, partner: &mut [Option<u32>]) -> usize {
    let graph = &fine.graph;
    let mut pairs = 0;
    // For each common neighbour, a task that waits for a partner.
    let mut waiting: Vec<Option<u32>> = vec![None; partner.len()];
    for task in graph.tasks() {
        let heavier =
            |a: &Neighbour, b: &Neighbour| a.bytes.total_cmp(&b.bytes).then_with(|| b.task.cmp(&a.task));
        let hub = graph.neighbours(task).iter().max_by(|a, b| heavier(a, b));
        let (None, Some(hub)) = (partner[task as usize], hub) else { continue };
        let place = &mut waiting[hub.task as usize];
        match place.take() {
            Some(other) if graph.weight(task) + graph.weight(other) <= heaviest => {
                partner[task as usize] = Some(other);
                partner[other as usize] = Some(task);
                pairs += 1;
            }
            _ => *place = Some(task),
        }
    }
    pairs
}

fn united(fine: &Sides, partner: &[Option<u32>]) -> Coarse {
    let graph = &fine.graph;
    let mut of_fine = vec![u32::MAX; partner.len()];
    let (mut weights, mut pull) = (Vec::new(), Vec::new());
    for task in graph.tasks() {
        if of_fine[task as usize] != u32::MAX {
            continue;
        }
        // Numbers follow the first task of each, so that creation order is kept. There are no more than tasks.
        let number = weights.len() as u32;
        let both = [Some(task), partner[task as usize]];
        let (mut weight, mut sum) = (0, 0.0);
        for member in both.into_iter().flatten() {
            of_fine[member as usize] = number;
            weight += graph.weight(member);
            sum += fine.pull[member as usize];
        }
        // At most all tasks.
        weights.push(weight as u32);
        pull.push(sum);
    }
    let mut edges = Vec::with_capacity(graph.edge_count());
    for task in graph.tasks() {
        let from = of_fine[task as usize];
        let later = graph.neighbours(task).iter().filter(|other| other.task > task);
        edges.extend(later.map(|other| (from, of_fine[other.task as usize], other.bytes)));
    }
    let graph = WindowGraph::weighted(weights, &edges);
    let sides = Sides { graph, pull, apart: fine.apart, room: fine.room, ideal: fine.ideal };
    Coarse { sides, of_fine }
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

#[cfg(test)]
mod coarsen_tests {
    use super::*;
    use crate::values::Ties;

    #[test]
    fn tasks_with_most_bytes_between_them_become_one() {
        // A chain 0 -1- 1 -9- 2 -1- 3: task 0 comes first and takes 1, then 2 takes 3. The other way round 1 and 2 would be one.
        let graph = WindowGraph::new(4, &[(0, 1, 1.0), (1, 2, 9.0), (2, 3, 1.0)]);
        let pull = vec![1.0, 2.0, 4.0, 8.0];
        let fine = Sides { graph, pull, apart: 1.0, room: [2, 2], ideal: [2.0, 2.0] };
        let coarse = coarsen(&fine, 2, &mut Source::new(Ties::Order, 0, 0)).expect("pairs");
        assert_eq!(coarse.of_fine, [0, 0, 1, 1]);
        assert_eq!(coarse.sides.pull, [3.0, 12.0]);
        assert_eq!(coarse.sides.graph, WindowGraph::weighted(vec![2, 2], &[(0, 1, 9.0)]));
        // A cost is the same on both graphs.
        assert!(!fine.worth(&[false, false, true, true]).beats(&coarse.sides.worth(&[false, true])));
        assert!(coarsen(&fine, 1, &mut Source::new(Ties::Order, 0, 0)).is_none());
    }

    #[test]
    fn readers_of_one_task_become_pairs() {
        // A star: task 0 takes 1, and 2 to 9, which can have no neighbour any more, each other.
        let edges: Vec<(u32, u32, f64)> = (1..10).map(|reader| (0, reader, 1.0)).collect();
        let graph = WindowGraph::new(10, &edges);
        let fine = Sides { graph, pull: vec![0.0; 10], apart: 1.0, room: [5, 5], ideal: [5.0, 5.0] };
        let coarse = coarsen(&fine, 2, &mut Source::new(Ties::Order, 0, 0)).expect("pairs");
        assert_eq!(coarse.of_fine, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    }
}
