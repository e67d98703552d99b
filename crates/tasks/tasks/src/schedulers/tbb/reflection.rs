//! Submission by reflection: a worker hands over last what its own node should run, so that the others have time to fetch theirs (paper 003,
//! section 4.4.3).

use numasim_graph::values::{TaskGraph, TaskId};

use crate::sockets::{SocketId, Sockets};

/// Per task: the nodes for which it, or a task below it, has affinity.
#[derive(Clone, Debug)]
pub(super) struct Reflection {
    /// Words per task.
    width: usize,
    /// A bit for each node; no words where no task has an affinity.
    nodes: Vec<u64>,
}

impl Reflection {
    /// That of the trees of a graph.
    pub(super) fn new(graph: &TaskGraph, sockets: &Sockets) -> Self {
        let width = sockets.count().div_ceil(64);
        let affinity = |task| graph.affinity(task).and_then(|node| sockets.of_node(node));
        if graph.tasks().all(|task| affinity(task).is_none()) {
            return Self { width, nodes: Vec::new() };
        }
        let mut nodes = vec![0_u64; width * graph.task_count()];
        // A creator is earlier than what it creates: below a task, all is known before it.
        for task in graph.tasks().rev() {
            let own = task.0 as usize * width;
            if let Some(SocketId(node)) = affinity(task)
                && let Some(word) = nodes.get_mut(own + node as usize / 64)
            {
                *word |= 1 << (node % 64);
            }
            let Some(TaskId(creator)) = graph.created_by(task) else { continue };
            for place in 0..width {
                let below = nodes.get(own + place).copied().unwrap_or(0);
                if let Some(word) = nodes.get_mut(creator as usize * width + place) {
                    *word |= below;
                }
            }
        }
        Self { width, nodes }
    }

    /// Whether `node` occurs in a task or below it.
    pub(super) fn occurs(&self, task: TaskId, node: SocketId) -> bool {
        let word = self.nodes.get(task.0 as usize * self.width + node.0 as usize / 64);
        word.is_some_and(|word| word & 1 << (node.0 % 64) != 0)
    }
}
