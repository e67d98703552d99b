//! A queue for each worker, for `random-steal`.

use numasim_model::graph::TaskId;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

/// Ready tasks of each worker, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct OwnQueues {
    queues: Vec<Vec<TaskId>>,
    /// Workers that have any. One that gets a task comes to the end, and where one has none left, the last one takes its place.
    filled: Vec<usize>,
    /// Tasks so far that nobody's task made ready: they go to the workers in turn.
    turn: usize,
}

impl OwnQueues {
    pub(super) fn new(workers: usize) -> Self {
        Self { queues: vec![Vec::new(); workers], filled: Vec::new(), turn: 0 }
    }

    pub(super) fn are_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// A task is ready. `by`: the worker whose task was the last one that it waited for.
    pub(super) fn put(&mut self, task: TaskId, by: Option<usize>) {
        let in_turn = self.turn % self.queues.len();
        self.turn += usize::from(by.is_none());
        let worker = by.unwrap_or(in_turn);
        self.queues[worker].push(task);
        if !self.filled.contains(&worker) {
            self.filled.push(worker);
        }
    }

    /// The newest task of a worker.
    pub(super) fn newest(&mut self, worker: usize) -> Option<TaskId> {
        let task = self.queues[worker].pop();
        self.look_at(worker);
        task
    }

    /// The oldest task of a worker that is drawn among those that have any. Nothing is drawn of a single one.
    pub(super) fn stolen(&mut self, random: &mut ChaCha8Rng) -> Option<TaskId> {
        let place = if self.filled.len() > 1 { random.random_range(0..self.filled.len()) } else { 0 };
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
