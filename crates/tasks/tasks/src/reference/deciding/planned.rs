//! The plan of `heft`: every task gets the slot in which it ends first, the one with the longest way to the end before others.
//!
//! The master has created its first task after one `creation`, its second after two; a task that another one creates waits for the end of that
//! one, as for a parent without bytes.
//!
//! What a task takes by estimate is a part of the question (`schedulers/heft/estimate`); which task comes when and where is found here once
//! more, from nothing but slots.

use numasim_graph::values::TaskId;
use numasim_graph::{Edge, Tracker};
use numasim_model::NodeId;

use crate::question::Question;
use crate::schedulers::Estimate;
use crate::sockets::Sockets;

/// As many of the latest gaps of a worker are looked at.
const GAPS: usize = 16;

/// A task waits for another one, from which it reads so many bytes, or which creates it.
struct Wait {
    from: TaskId,
    to: TaskId,
    bytes: f64,
}

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
    let mut waits: Vec<Wait> = Vec::new();
    for to in graph.tasks() {
        waits.extend(tracker.add(graph, to).map(|Edge { from, bytes, .. }| Wait { from, to, bytes }));
        waits.extend(graph.created_by(to).map(|from| Wait { from, to, bytes: 0.0 }));
    }
    let per_byte_s = estimate.mean_seconds_per_byte();
    // The way to the end: the own mean, and the longest one behind with what it costs to get there. Children have higher numbers.
    let mut rank_s = vec![0.0; graph.task_count()];
    for task in graph.tasks().rev() {
        let behind = waits.iter().filter(|wait| wait.from == task);
        let ways = behind.map(|wait| rank_s[wait.to.0 as usize] + wait.bytes * per_byte_s);
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
        let masters = graph.tasks().filter(|&other| graph.created_by(other).is_none());
        let up_to_it = masters.filter(|&other| other <= task).count() as f64;
        let is_masters = graph.created_by(task).is_none();
        let created_s = if is_masters { question.runtime.creation.value() * up_to_it } else { 0.0 };
        let before = waits.iter().filter(|wait| wait.to == task);
        let ready_s = before.map(|wait| planned[wait.from.0 as usize].2).fold(created_s, f64::max);
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
