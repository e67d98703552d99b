//! Tasks that are created and have not ended, of graphs whose master creates all tasks and of tree programs.

use numasim_graph::values::{TaskGraph, TaskId};

use super::alive::Alive;
use super::grown::Grown;
use crate::error::TasksError;

/// Either of them.
#[derive(Clone, Debug)]
pub(crate) enum Living {
    /// Tasks are created by number, so that edges can be found meanwhile.
    Listed(Alive),
    /// They are not.
    Grown(Grown),
}

impl Living {
    /// No task of `graph` is created.
    ///
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(crate) fn new(graph: &TaskGraph) -> Result<Self, TasksError> {
        Ok(if graph.is_tree() { Self::Grown(Grown::new(graph)?) } else { Self::Listed(Alive::new(graph)) })
    }

    /// How many tasks are created and have not ended.
    pub(crate) const fn count(&self) -> u64 {
        match self {
            Self::Listed(alive) => alive.count(),
            Self::Grown(grown) => grown.count(),
        }
    }

    /// Whether tasks are left that nobody has created, though the master has created all of its own.
    pub(crate) fn has_unborn(&self) -> bool {
        match self {
            Self::Listed(_) => false,
            Self::Grown(grown) => grown.has_unborn(),
        }
    }

    /// The lowest task that has not ended.
    pub(crate) fn lowest(&self) -> TaskId {
        match self {
            Self::Listed(alive) => alive.lowest(),
            Self::Grown(grown) => grown.lowest(),
        }
    }

    /// Whether all tasks before `task`, which the master has not created yet, have ended.
    pub(crate) fn have_ended_before(&self, task: TaskId) -> bool {
        match self {
            // All before it are created.
            Self::Listed(alive) => alive.count() == 0,
            Self::Grown(grown) => grown.lowest() >= task,
        }
    }

    /// `task` is created; whether it waits for none.
    pub(crate) fn created(&mut self, graph: &TaskGraph, task: TaskId) -> bool {
        match self {
            Self::Listed(alive) => alive.created(graph, task),
            Self::Grown(grown) => grown.created(task),
        }
    }

    /// `task` has ended; `ready` hears of the created ones that wait for no other one.
    pub(crate) fn ended(&mut self, task: TaskId, ready: impl FnMut(TaskId)) {
        match self {
            Self::Listed(alive) => alive.ended(task, ready),
            Self::Grown(grown) => grown.ended(task, ready),
        }
    }
}
