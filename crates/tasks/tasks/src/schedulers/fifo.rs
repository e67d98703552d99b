//! `fifo`: one queue, in the order in which tasks become ready; knows nothing of data.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use super::scheduler::{Partitioning, Scheduler, View};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Fifo {
    queue: VecDeque<TaskId>,
    /// Per worker: the task that it runs next, as its last one was the last missing parent; no entries without that option.
    successors: Vec<Option<TaskId>>,
}

impl Fifo {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        let workers = if question.scheduler.immediate_successor { sockets.worker_count() } else { 0 };
        Self { queue: VecDeque::new(), successors: vec![None; workers] }
    }
}

impl Scheduler for Fifo {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, by: Option<WorkerId>) {
        // Tasks come by number: the first that a worker has made ready is the lowest.
        match by.and_then(|worker| self.successors.get_mut(worker.0 as usize)) {
            Some(successor @ None) => *successor = Some(task),
            _ => self.queue.push_back(task),
        }
    }

    fn next(&mut self, _: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        let successor = self.successors.get_mut(worker.0 as usize).and_then(Option::take);
        successor.or_else(|| self.queue.pop_front())
    }

    fn socket(&self, _: TaskId) -> Option<SocketId> {
        None
    }

    fn gives_sockets(&self) -> bool {
        false
    }
}
