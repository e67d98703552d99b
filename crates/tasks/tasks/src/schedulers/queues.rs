//! A queue for each socket.

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use crate::sockets::{SocketId, Sockets};

/// Ready tasks of each socket.
pub(super) trait Queues: Send {
    /// Puts a task into the queue of a socket.
    fn push(&mut self, socket: SocketId, task: TaskId);

    /// Takes the first task of a socket.
    fn pop(&mut self, socket: SocketId) -> Option<TaskId>;
}

/// In the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct SocketQueues(Vec<VecDeque<TaskId>>);

impl SocketQueues {
    /// Empty ones.
    pub(super) fn new(sockets: &Sockets) -> Self {
        Self(vec![VecDeque::new(); sockets.count()])
    }
}

impl Queues for SocketQueues {
    fn push(&mut self, socket: SocketId, task: TaskId) {
        if let Some(queue) = self.0.get_mut(socket.0 as usize) {
            queue.push_back(task);
        }
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        self.0.get_mut(socket.0 as usize)?.pop_front()
    }
}
