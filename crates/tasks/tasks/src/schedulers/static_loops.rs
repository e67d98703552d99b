//! `static`: loops as OpenMP's `schedule(static)` deals them: each worker has a contiguous part of the iterations, about as many as
//! every other one, and nobody takes over from anybody (OpenMP API 5.2, section 11.5.3, without a chunk size).
//!
//! Iterations are tasks that create nothing. Those of one loop are the ones below the same task of the master; of tasks that the master creates
//! itself, a run of consecutive ones of the same type between two `taskwait`. Of n iterations in the order of their numbers number i
//! goes to worker floor(i W / n). A task that creates others goes to the worker of the first iteration below it. A worker takes its tasks in
//! the order in which they become ready.

use std::collections::VecDeque;

use numasim_graph::values::{TaskGraph, TaskId};

use super::scheduler::{Partitioning, Scheduler, View};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct StaticLoops {
    /// Per task: its worker, and per worker its node.
    worker: Vec<u32>,
    node: Vec<SocketId>,
    /// Per worker: ready tasks, the oldest first.
    queues: Vec<VecDeque<TaskId>>,
}

impl StaticLoops {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = u32::try_from(sockets.worker_count()).unwrap_or(u32::MAX);
        Self {
            worker: dealt(question.graph, workers),
            node: (0..workers).map(|worker| sockets.of_worker(WorkerId(worker))).collect(),
            queues: vec![VecDeque::new(); sockets.worker_count()],
        }
    }
}

/// Per task: its worker.
fn dealt(graph: &TaskGraph, workers: u32) -> Vec<u32> {
    // Per task: the loop that it belongs to, by the first task of the master in it.
    let mut loops: Vec<u32> = Vec::with_capacity(graph.task_count());
    // The loop of the last task that the master created, if that creates nothing itself.
    let mut open: Option<(TaskId, u32)> = None;
    for task in graph.tasks() {
        let number = match graph.created_by(task) {
            Some(TaskId(creator)) => loops.get(creator as usize).copied().unwrap_or(task.0),
            None if !graph.children(task).is_empty() => {
                open = None;
                task.0
            }
            None => {
                let goes_on = |&(last, _): &(TaskId, u32)| {
                    graph.kind(last) == graph.kind(task) && !graph.taskwait(task)
                };
                let number = open.filter(goes_on).map_or(task.0, |(_, number)| number);
                open = Some((task, number));
                number
            }
        };
        loops.push(number);
    }
    // Iterations by loop, and how many of them were dealt.
    let mut count = vec![(0_u64, 0_u64); graph.task_count()];
    let is_iteration = |task: TaskId| graph.children(task).is_empty();
    for (task, &number) in graph.tasks().zip(&loops) {
        if let Some(count) = count.get_mut(number as usize) {
            count.0 += u64::from(is_iteration(task));
        }
    }
    let mut worker = vec![u32::MAX; graph.task_count()];
    for (task, &number) in graph.tasks().zip(&loops) {
        let Some((all, dealt)) = count.get_mut(number as usize) else { continue };
        if is_iteration(task) {
            let own = (*dealt * u64::from(workers)).checked_div(*all).unwrap_or(0);
            *dealt += 1;
            worker.get_mut(task.0 as usize).into_iter().for_each(|worker| {
                *worker = u32::try_from(own).unwrap_or(0);
            });
        }
    }
    // A creator is earlier than what it creates: below a task, all is known before it.
    for task in graph.tasks().rev() {
        if let (Some(TaskId(creator)), Some(&own)) = (graph.created_by(task), worker.get(task.0 as usize))
            && let Some(first) = worker.get_mut(creator as usize)
        {
            *first = own.min(*first);
        }
    }
    worker
}

impl Scheduler for StaticLoops {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        let worker = self.worker.get(task.0 as usize);
        if let Some(queue) = worker.and_then(|&worker| self.queues.get_mut(worker as usize)) {
            queue.push_back(task);
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.get_mut(worker.0 as usize)?.pop_front()
    }

    fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.node.get(*self.worker.get(task.0 as usize)? as usize).copied()
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use numasim_graph::values::{NewTask, TaskGraphBuilder, TreeTask};

    use super::*;

    /// Tasks by creator and type; a type in capitals waits for all before.
    fn graph(tasks: &[(Option<u32>, &str)]) -> TaskGraph {
        let mut graph = TaskGraphBuilder::new("loops");
        for &(creator, kind) in tasks {
            let taskwait = kind == "WAIT";
            let kind = graph.kind(kind);
            let task = NewTask { kind, gflop: 0.0, accesses: &[], socket: None, taskwait, name: None };
            let tree = TreeTask { created_by: creator.map(TaskId), ..TreeTask::default() };
            graph.tree_task(task, tree).expect("a task");
        }
        graph.finish()
    }

    #[test]
    fn iterations_of_a_tree_are_dealt_in_equal_parts() {
        // Halves of four iterations, and six that one task creates, on two workers.
        let halves = [None, Some(0), Some(1), Some(1), Some(0), Some(4), Some(4)].map(|by| (by, "range"));
        assert_eq!(dealt(&graph(&halves), 2), [0, 0, 0, 0, 1, 1, 1]);
        let list = [None, Some(0), Some(0), Some(0), Some(0), Some(0), Some(0)].map(|by| (by, "list"));
        // floor(i x 4 / 6) of four workers: 0 0 1 2 2 3.
        assert_eq!(dealt(&graph(&list), 4), [0, 0, 0, 1, 2, 2, 3]);
    }

    #[test]
    fn tasks_of_the_master_are_a_loop_as_long_as_they_are_alike() {
        let tasks = [(None, "a"), (None, "a"), (None, "b"), (None, "b"), (None, "WAIT"), (None, "b")];
        assert_eq!(dealt(&graph(&tasks), 2), [0, 1, 0, 1, 0, 0]);
    }
}
