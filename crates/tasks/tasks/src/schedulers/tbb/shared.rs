//! Shared queues of enqueued tasks: one per node and one for tasks without affinity (paper 003, Figure 7: rules 5', 5'' and 5''').

use std::collections::VecDeque;

use numasim_graph::values::TaskId;

use crate::sockets::SocketId;

/// Enqueued tasks, the oldest first. Without nodes there is the one queue of `tbb`.
#[derive(Clone, Debug)]
pub(super) struct SharedQueues {
    /// The queue of tasks without affinity.
    of_none: VecDeque<TaskId>,
    of_node: Vec<VecDeque<TaskId>>,
    /// Tasks in all of them.
    waiting: usize,
}

impl SharedQueues {
    /// Empty ones.
    pub(super) fn new(nodes: usize) -> Self {
        Self { of_none: VecDeque::new(), of_node: vec![VecDeque::new(); nodes], waiting: 0 }
    }

    /// Puts a task at the end of the queue of a node, or of that for tasks without affinity.
    pub(super) fn push(&mut self, node: Option<SocketId>, task: TaskId) {
        let own = node.and_then(|node| self.of_node.get_mut(node.0 as usize));
        own.unwrap_or(&mut self.of_none).push_back(task);
        self.waiting += 1;
    }

    /// Takes the oldest task for a worker of `node`: of the node's queue, then of those without affinity.
    pub(super) fn near(&mut self, node: SocketId) -> Option<TaskId> {
        if self.waiting == 0 {
            return None;
        }
        let own = self.of_node.get_mut(node.0 as usize).and_then(VecDeque::pop_front);
        let task = own.or_else(|| self.of_none.pop_front());
        self.waiting -= usize::from(task.is_some());
        task
    }

    /// Takes the oldest task of the first other node that has one, in cyclic order after `node`.
    pub(super) fn far(&mut self, node: SocketId) -> Option<TaskId> {
        if self.waiting == 0 {
            return None;
        }
        let (lower, from_own) = self.of_node.split_at_mut_checked(node.0 as usize)?;
        let mut others = from_own.iter_mut().skip(1).chain(lower);
        let task = others.find_map(VecDeque::pop_front);
        self.waiting -= usize::from(task.is_some());
        task
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_queue_then_no_affinity_then_the_others_cyclically() {
        let mut queues = SharedQueues::new(3);
        for (task, node) in [None, Some(0), Some(1), Some(2), Some(1)].into_iter().enumerate() {
            queues.push(node.map(SocketId), TaskId(u32::try_from(task).expect("a small number")));
        }
        let mut taken = Vec::new();
        while let Some(task) = queues.near(SocketId(1)).or_else(|| queues.far(SocketId(1))) {
            taken.push(task.0);
        }
        // Node 1: tasks 2 and 4; none: 0; node 2: 3; node 0: 1.
        assert_eq!(taken, [2, 4, 0, 3, 1]);
    }

    #[test]
    fn far_queues_are_never_those_without_affinity() {
        let mut queues = SharedQueues::new(2);
        queues.push(None, TaskId(7));
        assert_eq!(queues.far(SocketId(0)), None);
        assert_eq!(queues.near(SocketId(0)), Some(TaskId(7)));
        assert_eq!(queues.near(SocketId(0)), None);
    }
}
