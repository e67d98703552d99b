//! A queue for each socket, and stealing from the nearest one.

use std::collections::VecDeque;

use numasim_model::graph::TaskId;

use crate::sockets::{SocketId, Sockets};

/// Ready tasks of each socket, in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct SocketQueues {
    queues: Vec<VecDeque<TaskId>>,
    waiting: usize,
}

impl SocketQueues {
    /// Empty ones.
    pub(super) fn new(sockets: &Sockets) -> Self {
        Self { queues: vec![VecDeque::new(); sockets.count()], waiting: 0 }
    }

    /// Puts a task at the end of the queue of a socket.
    pub(super) fn push(&mut self, socket: SocketId, task: TaskId) {
        if let Some(queue) = self.queues.get_mut(socket.0 as usize) {
            queue.push_back(task);
            self.waiting += 1;
        }
    }

    /// Takes the first task of a socket.
    pub(super) fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        let task = self.queues.get_mut(socket.0 as usize)?.pop_front();
        self.waiting -= usize::from(task.is_some());
        task
    }

    /// Takes the oldest task of the nearest other socket that has one.
    pub(super) fn steal(&mut self, sockets: &Sockets, thief: SocketId) -> Option<TaskId> {
        if self.waiting == 0 {
            return None;
        }
        sockets.nearest(thief).iter().find_map(|&victim| self.pop(victim))
    }
}
