//! `random-steal`: a queue per worker, and idle workers steal from random others: what a runtime without any knowledge of nodes does
//! (Cilk: Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", 1999; Taskflow).
//!
//! A task goes to the queue of the worker whose task was the last one that it waited for, or created it; those that are ready when they are created go to
//! the queues of all workers in turn, as the master has none of its own. The owner takes the newest, a thief the oldest of a queue drawn
//! among those that have any.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use super::draw::Draw;
use super::scheduler::{Partitioning, Scheduler, View};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct RandomSteal {
    queues: Vec<VecDeque<TaskId>>,
    /// Workers whose queues are not empty, and per worker its place among them.
    filled: Vec<u32>,
    place: Vec<usize>,
    turn: usize,
    draw: Draw,
}

impl RandomSteal {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = sockets.worker_count();
        Self {
            queues: vec![VecDeque::new(); workers],
            filled: Vec::with_capacity(workers),
            place: vec![0; workers],
            turn: 0,
            draw: Draw::new(question.runtime),
        }
    }

    /// The queue of `worker` has become empty.
    fn emptied(&mut self, worker: usize) {
        let Some(&place) = self.place.get(worker) else { return };
        if place < self.filled.len() {
            self.filled.swap_remove(place);
            if let Some(moved) = self.filled.get(place).and_then(|&moved| self.place.get_mut(moved as usize))
            {
                *moved = place;
            }
        }
    }

    fn take(
        &mut self,
        worker: usize,
        from: impl Fn(&mut VecDeque<TaskId>) -> Option<TaskId>,
    ) -> Option<TaskId> {
        let queue = self.queues.get_mut(worker)?;
        let task = from(queue)?;
        if queue.is_empty() {
            self.emptied(worker);
        }
        Some(task)
    }
}

impl Scheduler for RandomSteal {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, by: Option<WorkerId>) {
        let worker = by.unwrap_or_else(|| {
            let turn = self.turn % self.queues.len().max(1);
            self.turn = turn + 1;
            WorkerId(u32::try_from(turn).unwrap_or(0))
        });
        let index = worker.0 as usize;
        let Some(queue) = self.queues.get_mut(index) else { return };
        if queue.is_empty() {
            if let Some(place) = self.place.get_mut(index) {
                *place = self.filled.len();
            }
            self.filled.push(worker.0);
        }
        queue.push_back(task);
    }

    /// Born where its creator ran, as a spawned task.
    fn created_ready(&mut self, view: &View<'_>, task: TaskId, creator: WorkerId) {
        self.ready(view, task, Some(creator));
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.take(worker.0 as usize, VecDeque::pop_back)
    }

    fn steal(&mut self, _: &View<'_>, _: WorkerId) -> Option<TaskId> {
        // The thief's own queue is empty.
        let victim = *self.filled.get(self.draw.any(self.filled.len()))?;
        self.take(victim as usize, VecDeque::pop_front)
    }

    fn steals(&self) -> bool {
        true
    }

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}
