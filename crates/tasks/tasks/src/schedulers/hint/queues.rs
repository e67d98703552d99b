//! Queues of the runtime of paper 000: each worker has one of its own, each node a shared one; all are FIFO, and nobody takes from another
//! node.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use crate::schedulers::start::{Source, Start};
use crate::sockets::{SocketId, Sockets, WorkerId};

/// Ready tasks by worker and by node, the oldest first.
#[derive(Clone, Debug)]
pub(in crate::schedulers) struct NodeQueues {
    of_worker: Vec<VecDeque<TaskId>>,
    of_node: Vec<VecDeque<TaskId>>,
    /// Per node: tasks in its queue and those of its workers. Most who look find none.
    waiting: Vec<usize>,
}

impl NodeQueues {
    /// Empty ones.
    pub(in crate::schedulers) fn new(sockets: &Sockets) -> Self {
        Self {
            of_worker: vec![VecDeque::new(); sockets.worker_count()],
            of_node: vec![VecDeque::new(); sockets.count()],
            waiting: vec![0; sockets.count()],
        }
    }

    /// A worker hands over a task for a node: to its own queue if that is its node, or none is said.
    pub(in crate::schedulers) fn hand_over(
        &mut self,
        sockets: &Sockets,
        worker: WorkerId,
        node: Option<SocketId>,
        task: TaskId,
    ) {
        let other = node.filter(|&node| node != sockets.of_worker(worker));
        let queue = match other {
            Some(node) => self.of_node.get_mut(node.0 as usize),
            None => self.of_worker.get_mut(worker.0 as usize),
        };
        let node = other.unwrap_or_else(|| sockets.of_worker(worker));
        if let (Some(queue), Some(waiting)) = (queue, self.waiting.get_mut(node.0 as usize)) {
            queue.push_back(task);
            *waiting += 1;
        }
    }

    /// The oldest task of the worker's own queue, then of its node's.
    pub(in crate::schedulers) fn next(&mut self, sockets: &Sockets, worker: WorkerId) -> Option<Start> {
        let node = sockets.of_worker(worker);
        let waiting = self.waiting.get_mut(node.0 as usize).filter(|waiting| **waiting > 0)?;
        let own = self.of_worker.get_mut(worker.0 as usize).and_then(VecDeque::pop_front);
        let start = match own {
            Some(task) => Start::new(task, Source::Own),
            None => Start::new(self.of_node.get_mut(node.0 as usize)?.pop_front()?, Source::Shared),
        };
        *waiting -= 1;
        Some(start)
    }

    /// The oldest task of a worker of the same node, cyclically after the thief.
    pub(in crate::schedulers) fn steal(&mut self, sockets: &Sockets, thief: WorkerId) -> Option<Start> {
        let node = sockets.of_worker(thief);
        let waiting = self.waiting.get_mut(node.0 as usize).filter(|waiting| **waiting > 0)?;
        let workers = sockets.workers(node);
        let after = (thief.0 + 1..workers.end).chain(workers.start..thief.0);
        let mut queues = after.map(|victim| victim as usize);
        let task = queues.find_map(|victim| self.of_worker.get_mut(victim)?.pop_front())?;
        *waiting -= 1;
        Some(Start::new(task, Source::Steal))
    }
}
