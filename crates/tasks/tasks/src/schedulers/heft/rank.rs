//! The order in which tasks are planned: by the longest way to the end, with mean costs of tasks and edges ("upward rank").

use numasim_graph::Tracker;
use numasim_graph::values::{TaskGraph, TaskId};

use super::estimate::Estimate;
use crate::error::TasksError;

/// Tasks in the order in which they are planned, and the parents of each.
pub(super) struct Ranked {
    pub(super) order: Vec<TaskId>,
    /// Where the parents of each task begin; one more at the end.
    starts: Vec<usize>,
    parents: Vec<TaskId>,
}

impl Ranked {
    /// The tasks that `task` waits for; its creator is not among them.
    pub(super) fn parents(&self, task: TaskId) -> &[TaskId] {
        let task = task.0 as usize;
        &self.parents[self.starts[task]..self.starts[task + 1]]
    }
}

/// Ranks all tasks.
///
/// # Errors
/// [`TasksError::TooManyEdges`].
pub(super) fn rank(graph: &TaskGraph, estimate: &mut Estimate<'_>) -> Result<Ranked, TasksError> {
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut starts = vec![0];
    let (mut parents, mut bytes) = (Vec::new(), Vec::new());
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            parents.push(edge.from);
            bytes.push(edge.bytes);
        }
        if u32::try_from(parents.len()).is_err() {
            return Err(TasksError::TooManyEdges);
        }
        starts.push(parents.len());
    }
    let per_byte = estimate.mean_seconds_per_byte();
    // Edges go from lower to higher numbers, and so do tasks that tasks create: all that is behind a task is ranked before it.
    let mut rank_s = vec![0.0_f64; graph.task_count()];
    for task in graph.tasks().rev() {
        let number = task.0 as usize;
        let own = rank_s[number] + estimate.mean_seconds(task);
        rank_s[number] = own;
        // Who is created waits for its creator, from which it gets nothing.
        if let Some(creator) = graph.created_by(task) {
            let behind = &mut rank_s[creator.0 as usize];
            *behind = behind.max(own);
        }
        for edge in starts[number]..starts[number + 1] {
            let behind = &mut rank_s[parents[edge].0 as usize];
            *behind = behind.max(own + bytes[edge] * per_byte);
        }
    }
    let mut order: Vec<TaskId> = graph.tasks().collect();
    // The sort is stable: of equal ranks the lowest number comes first, so that parents and creators come before their children.
    order.sort_by(|a, b| rank_s[b.0 as usize].total_cmp(&rank_s[a.0 as usize]));
    Ok(Ranked { order, starts, parents })
}
