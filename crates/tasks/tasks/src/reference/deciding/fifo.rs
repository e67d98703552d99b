//! `fifo`: one queue.

use numasim_graph::values::{BlockHome, TaskId};

use crate::question::Question;
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::Decides;
use crate::schedulers::{Round, Source, Start};

#[derive(Clone, Debug)]
pub(super) struct Fifo {
    has_successors: bool,
    /// Ready tasks, the oldest first.
    queue: Vec<TaskId>,
    /// Workers and the task that each runs next.
    successors: Vec<(usize, TaskId)>,
}

impl Fifo {
    pub(super) fn new(question: &Question) -> Self {
        let has_successors = question.scheduler.immediate_successor;
        Self { has_successors, queue: Vec::new(), successors: Vec::new() }
    }
}

impl Decides for Fifo {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, by: ReadyBy, _: &[BlockHome]) {
        let free = |worker| self.successors.iter().all(|&(other, _)| other != worker);
        match by {
            ReadyBy::Parent(worker) if self.has_successors && free(worker) => {
                self.successors.push((worker, task));
            }
            _ => self.queue.push(task),
        }
    }

    fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        if round != Round::Own {
            return None;
        }
        let own = self.successors.iter().position(|&(other, _)| other == worker);
        let task = match own {
            Some(place) => self.successors.remove(place).1,
            None if self.queue.is_empty() => return None,
            None => self.queue.remove(0),
        };
        Some(Start::new(task, Source::Own))
    }
}
