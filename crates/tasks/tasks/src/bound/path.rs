//! The longest chain of tasks, with the master that creates them one after the other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use numasim_graph::Dependencies;
use numasim_graph::values::TaskId;

use crate::question::Question;

/// The end of a chain: when, and with which task.
pub(super) type End = (f64, TaskId);

/// Ends of tasks that may hold the master up.
struct Ends {
    /// Of the tasks so far, the latest ends, the earliest of these first: as many as may be alive.
    latest: BinaryHeap<Reverse<Seconds>>,
    most: usize,
    /// The last of all.
    last_s: f64,
}

/// A time with an order.
#[derive(PartialEq)]
struct Seconds(f64);

impl Eq for Seconds {}

impl PartialOrd for Seconds {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Seconds {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Ends {
    /// With `throttle` tasks alive the master goes on at the end that leaves one less: of the latest `throttle` ends the earliest.
    fn add(&mut self, end_s: f64) {
        self.last_s = self.last_s.max(end_s);
        if self.most == usize::MAX {
            return;
        }
        self.latest.push(Reverse(Seconds(end_s)));
        if self.latest.len() > self.most {
            self.latest.pop();
        }
    }

    fn master_waits_until_s(&self, is_taskwait: bool) -> f64 {
        if is_taskwait {
            return self.last_s;
        }
        match self.latest.peek() {
            Some(Reverse(Seconds(end_s))) if self.latest.len() >= self.most => *end_s,
            _ => 0.0,
        }
    }
}

/// The longest chain where all tasks of the master exist from the creation of the first one on, and the longest where each must be created
/// first, after `throttle` and `taskwait` let the master go on. What a task creates exists when it has ended, in both. `begin_s`: when the
/// master begins; `least_s[task]`: what a worker is busy with the task at least.
pub(super) fn longest(
    question: &Question,
    dependencies: &Dependencies,
    begin_s: f64,
    least_s: &[f64],
) -> (End, End) {
    let graph = question.graph;
    let creation_s = question.runtime.creation.value();
    // Of tree programs it may create one more all the same.
    let throttle = question.runtime.throttle.filter(|_| !graph.is_tree());
    let throttle = throttle.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let mut ends = Ends { latest: BinaryHeap::new(), most: throttle.max(1), last_s: 0.0 };
    let mut created_s = begin_s;
    // Per task: the last end of a parent or of its creator, in chains alone and with creation.
    let mut parents_s = vec![(0.0_f64, 0.0_f64); least_s.len()];
    let (mut chain, mut creation) = ((0.0, TaskId(0)), (0.0, TaskId(0)));
    for (task, least_s) in graph.tasks().zip(least_s) {
        let (mut alone_s, mut with_creation_s) = parents_s.get(task.0 as usize).copied().unwrap_or_default();
        if graph.created_by(task).is_none() {
            created_s = created_s.max(ends.master_waits_until_s(graph.taskwait(task))) + creation_s;
            alone_s = alone_s.max(begin_s + creation_s);
            with_creation_s = with_creation_s.max(created_s);
        }
        alone_s += least_s;
        with_creation_s += least_s;
        ends.add(with_creation_s);
        if alone_s > chain.0 {
            chain = (alone_s, task);
        }
        if with_creation_s > creation.0 {
            creation = (with_creation_s, task);
        }
        for child in dependencies.children(task).iter().chain(graph.children(task)) {
            if let Some(parents) = parents_s.get_mut(child.0 as usize) {
                parents.0 = parents.0.max(alone_s);
                parents.1 = parents.1.max(with_creation_s);
            }
        }
    }
    (chain, creation)
}
