//! Smaller graphs of the same shape: pairs of tasks with many bytes between them become one (heavy-edge matching).

use super::random::Source;
use super::refine::Sides;
use super::window::{Neighbour, WindowGraph};

/// A smaller graph.
pub(super) struct Coarse {
    /// The sides of it.
    pub(super) sides: Sides,
    /// Which of its tasks each task of the finer one has become.
    pub(super) of_fine: Vec<u32>,
}

/// Each task with the free neighbour to which it has most bytes, at most `heaviest` tasks in one; `None` where hardly any pair is found.
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
    // A pass over a graph that is hardly smaller costs more than it brings.
    if 20 * pairs < count {
        return None;
    }
    Some(united(fine, &partner))
}

/// Where few pairs were found: two tasks that both have most bytes to a third one, which many tasks do that read the same block. How many
/// pairs.
fn of_common_neighbour(fine: &Sides, heaviest: u64, partner: &mut [Option<u32>]) -> usize {
    let graph = &fine.graph;
    let mut pairs = 0;
    // Of each task one that waits for a second one.
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
        // Numbers go by the first task of each, so that creation order is kept. There are no more than tasks.
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
