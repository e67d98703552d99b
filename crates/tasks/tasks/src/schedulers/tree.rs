//! What a scheduler of tree programs is told beside what all are told.

use numasim_graph::values::{TaskGraph, TaskId};
pub use numasim_plan::Fallbacks;

use crate::sockets::WorkerId;

/// What the worker whose task has ended hands over: tasks that are ready from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver<'s> {
    /// The task that has ended.
    pub task: TaskId,
    /// The worker that ran it.
    pub worker: WorkerId,
    /// Those that it has created, in their order (`seq`).
    pub children: &'s [TaskId],
    /// All others that waited for it last, by number: also children of other tasks, and tasks of the master.
    pub others: &'s [TaskId],
}

/// The worker that hands over tasks of the master.
pub(super) const MASTER: WorkerId = WorkerId(0);

/// Who hands over a task that is ready through the end of another one: the worker that ran that one, but of tasks of the master
/// [`MASTER`].
pub(super) fn who_hands_over(graph: &TaskGraph, task: TaskId, worker: WorkerId) -> WorkerId {
    if graph.created_by(task).is_some() { worker } else { MASTER }
}
