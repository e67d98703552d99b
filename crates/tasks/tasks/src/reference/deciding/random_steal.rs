//! `random-steal`: a queue for each worker.

use numasim_graph::values::{BlockHome, TaskId};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::question::Question;
use crate::random::{Stream, generator};
use crate::reference::course::{Heard, ReadyBy};
use crate::reference::decides::{Decides, nodes_of_workers};
use crate::schedulers::{Round, Source, Start};

/// Ready tasks of each worker, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct OwnQueues {
    queues: Vec<Vec<TaskId>>,
    /// Workers that have any. One that gets a task comes to the end, and where one has none left, the last one takes its place.
    filled: Vec<usize>,
    /// Tasks so far that nobody's task made ready: they go to the workers in turn.
    turn: usize,
    victims: ChaCha8Rng,
}

impl OwnQueues {
    pub(super) fn new(question: &Question) -> Self {
        Self {
            queues: vec![Vec::new(); nodes_of_workers(question.machine).len()],
            filled: Vec::new(),
            turn: 0,
            victims: generator(question.runtime.seed, Stream::Scheduler),
        }
    }

    /// A task is ready. `by`: the worker whose task was the last one that it waited for, or created it.
    fn put(&mut self, task: TaskId, by: Option<usize>) {
        let in_turn = self.turn % self.queues.len();
        self.turn += usize::from(by.is_none());
        let worker = by.unwrap_or(in_turn);
        self.queues[worker].push(task);
        if !self.filled.contains(&worker) {
            self.filled.push(worker);
        }
    }

    /// The newest task of a worker.
    fn newest(&mut self, worker: usize) -> Option<TaskId> {
        let task = self.queues[worker].pop();
        self.look_at(worker);
        task
    }

    /// The oldest task of a worker that is drawn among those that have any. Nothing is drawn of a single one.
    fn stolen(&mut self) -> Option<TaskId> {
        let place = if self.filled.len() > 1 { self.victims.random_range(0..self.filled.len()) } else { 0 };
        let worker = *self.filled.get(place)?;
        let task = self.queues[worker].remove(0);
        self.look_at(worker);
        Some(task)
    }

    fn look_at(&mut self, worker: usize) {
        if self.queues[worker].is_empty()
            && let Some(place) = self.filled.iter().position(|&other| other == worker)
        {
            self.filled.swap_remove(place);
        }
    }
}

impl Decides for OwnQueues {
    fn hear(&mut self, _: &Heard) -> Option<f64> {
        None
    }

    fn ready(&mut self, task: TaskId, by: ReadyBy, _: &[BlockHome]) {
        let worker = match by {
            ReadyBy::Parent(worker) | ReadyBy::Creator(worker) => Some(worker),
            ReadyBy::Master => None,
        };
        self.put(task, worker);
    }

    fn has_queued(&self) -> bool {
        !self.filled.is_empty()
    }

    fn take(&mut self, round: Round, worker: usize) -> Option<Start> {
        match round {
            Round::Own => self.newest(worker).map(|task| Start::new(task, Source::Own)),
            Round::OtherNodes => None,
            Round::Steal => self.stolen().map(|task| Start::new(task, Source::Steal)),
        }
    }
}
