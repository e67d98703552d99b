//! Tasks of tree programs: they are created in another order than that of their numbers, by which they wait for each other.

use numasim_graph::Dependencies;
use numasim_graph::values::{TaskGraph, TaskId};

use crate::error::TasksError;

/// What becomes of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unborn,
    Created,
    Ended,
}

/// What is known of each task: all edges of the graph, nine bytes a task beside them.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    edges: Dependencies,
    /// Per task: unfinished parents, created or not.
    waits: Vec<u32>,
    states: Vec<State>,
    /// All below have ended.
    lowest: usize,
    created: u64,
    ended: u64,
}

impl Grown {
    /// No task of `graph` is created.
    ///
    /// # Errors
    /// [`TasksError::TooManyEdges`].
    pub(super) fn new(graph: &TaskGraph) -> Result<Self, TasksError> {
        let edges = Dependencies::of(graph).ok_or(TasksError::TooManyEdges)?;
        let waits = graph.tasks().map(|task| edges.parent_count(task)).collect();
        let states = vec![State::Unborn; graph.task_count()];
        Ok(Self { edges, waits, states, lowest: 0, created: 0, ended: 0 })
    }

    /// How many tasks are created and have not ended.
    pub(super) const fn count(&self) -> u64 {
        self.created - self.ended
    }

    /// Whether some task is not created.
    pub(super) fn has_unborn(&self) -> bool {
        self.created < self.states.len() as u64
    }

    /// The lowest task that has not ended, created or not.
    pub(super) fn lowest(&self) -> TaskId {
        TaskId(u32::try_from(self.lowest).unwrap_or(u32::MAX))
    }

    /// `task` is created; whether it waits for none.
    pub(super) fn created(&mut self, task: TaskId) -> bool {
        let task = task.0 as usize;
        self.states.get_mut(task).into_iter().for_each(|state| *state = State::Created);
        self.created += 1;
        self.waits.get(task) == Some(&0)
    }

    /// `task` has ended; `ready` hears of the created ones that wait for no other one, by number.
    pub(super) fn ended(&mut self, task: TaskId, mut ready: impl FnMut(TaskId)) {
        self.states.get_mut(task.0 as usize).into_iter().for_each(|state| *state = State::Ended);
        self.ended += 1;
        while self.states.get(self.lowest) == Some(&State::Ended) {
            self.lowest += 1;
        }
        for &child in self.edges.children(task) {
            let index = child.0 as usize;
            if let Some(waits) = self.waits.get_mut(index) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 && self.states.get(index) == Some(&State::Created) {
                    ready(child);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::tree;

    #[test]
    fn a_task_is_ready_when_it_is_created_and_its_parents_have_ended() {
        // 0 creates 1 and 3; 1 creates 2. All write the same block, so that each waits for the one before it.
        let graph = tree(&[None, Some(0), Some(1), Some(0)]);
        let mut grown = Grown::new(&graph).expect("few edges");
        assert!(grown.created(TaskId(0)));
        assert_eq!((grown.count(), grown.lowest(), grown.has_unborn()), (1, TaskId(0), true));
        let mut ready = Vec::new();
        grown.ended(TaskId(0), |task| ready.push(task));
        // 1 waited for it alone, but does not exist yet.
        assert_eq!((ready.len(), grown.lowest()), (0, TaskId(1)));
        assert!(grown.created(TaskId(1)));
        assert!(!grown.created(TaskId(3)));
        grown.ended(TaskId(1), |task| ready.push(task));
        assert!(grown.created(TaskId(2)));
        grown.ended(TaskId(2), |task| ready.push(task));
        assert_eq!((ready, grown.lowest(), grown.has_unborn()), (vec![TaskId(3)], TaskId(3), false));
    }
}
