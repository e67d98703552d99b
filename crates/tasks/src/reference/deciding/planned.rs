//! The plan of `heft`: every task gets the slot in which it ends first, the one with the longest way to the end before others.
//!
//! What a task takes by estimate is a part of the question (`schedulers/heft/estimate`); which task comes when and where is found here once
//! more, from nothing but slots.

use numasim_graph::{Edge, Tracker};
use numasim_model::NodeId;
use numasim_model::graph::TaskId;

use crate::question::Question;
use crate::schedulers::Estimate;
use crate::sockets::Sockets;

/// As many of the latest gaps of a worker are looked at.
const GAPS: usize = 16;

/// The slots of a worker, ascending, and from when on its gaps count.
#[derive(Clone, Debug, Default)]
struct Slots {
    taken: Vec<(f64, f64)>,
    gaps_from_s: f64,
}

impl Slots {
    fn gaps(&self) -> Vec<(f64, f64)> {
        let before = [(0.0, 0.0)];
        let ends = before.iter().chain(&self.taken).map(|&(_, end_s)| end_s);
        let gaps = ends.zip(self.taken.iter().map(|&(start_s, _)| start_s));
        gaps.filter(|&(from_s, to_s)| from_s < to_s && from_s >= self.gaps_from_s).collect()
    }

    /// When something can begin that is ready then and takes so long.
    fn start_s(&self, ready_s: f64, takes_s: f64) -> f64 {
        for (from_s, to_s) in self.gaps() {
            if from_s.max(ready_s) + takes_s <= to_s {
                return from_s.max(ready_s);
            }
        }
        self.taken.last().map_or(0.0, |&(_, end_s)| end_s).max(ready_s)
    }

    fn take(&mut self, start_s: f64, end_s: f64) {
        self.taken.push((start_s, end_s));
        self.taken.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let gaps = self.gaps();
        if gaps.len() > GAPS {
            self.gaps_from_s = gaps[1].0;
        }
    }
}

/// The node and the planned start of each task.
pub(super) fn plan(question: &Question) -> Vec<(NodeId, f64)> {
    let graph = question.graph;
    let sockets = Sockets::new(question.machine);
    let mut estimate = Estimate::new(question, &sockets);
    let mut tracker = Tracker::new(graph.blocks().len());
    let edges: Vec<Edge> =
        graph.tasks().flat_map(|task| tracker.add(graph, task).collect::<Vec<_>>()).collect();
    let per_byte_s = estimate.mean_seconds_per_byte();
    // The way to the end: the own mean, and the longest one behind with what it costs to get there. Children have higher numbers.
    let mut rank_s = vec![0.0; graph.task_count()];
    for task in graph.tasks().rev() {
        let children = edges.iter().filter(|edge| edge.from == task);
        let ways = children.map(|edge| rank_s[edge.to.0 as usize] + edge.bytes * per_byte_s);
        rank_s[task.0 as usize] = ways.fold(0.0, f64::max) + estimate.mean_seconds(task);
    }
    let mut left: Vec<TaskId> = graph.tasks().collect();
    let mut workers: Vec<(NodeId, Slots)> = Vec::new();
    for node in question.machine.compute_nodes() {
        workers.extend((0..question.machine.node(node).cores).map(|_| (node, Slots::default())));
    }
    let mut planned = vec![(NodeId(0), 0.0, 0.0); graph.task_count()];
    while !left.is_empty() {
        // The highest rank, of equal ones the lowest number.
        let mut next = 0;
        for place in 1..left.len() {
            if rank_s[left[place].0 as usize] > rank_s[left[next].0 as usize] {
                next = place;
            }
        }
        let task = left.remove(next);
        let created_s = question.runtime.creation.value() * (f64::from(task.0) + 1.0);
        let parents = edges.iter().filter(|edge| edge.to == task);
        let ready_s = parents.map(|edge| planned[edge.from.0 as usize].2).fold(created_s, f64::max);
        let mut best: Option<(usize, f64, f64)> = None;
        for (worker, (node, slots)) in workers.iter().enumerate() {
            let takes_s = estimate.seconds(task, *node);
            let start_s = slots.start_s(ready_s, takes_s);
            if best.is_none_or(|(_, _, end_s)| start_s + takes_s < end_s) {
                best = Some((worker, start_s, start_s + takes_s));
            }
        }
        if let Some((worker, start_s, end_s)) = best {
            let (node, slots) = &mut workers[worker];
            slots.take(start_s, end_s);
            planned[task.0 as usize] = (*node, start_s, end_s);
            estimate.touch(task, *node);
        }
    }
    planned.into_iter().map(|(node, start_s, _)| (node, start_s)).collect()
}
