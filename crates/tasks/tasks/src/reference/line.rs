//! In which order idle workers look for tasks.

use numasim_graph::values::{RuntimeSettings, TaskId, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::random::{Stream, generator};

/// Idle workers. By number; where the order is drawn, whoever is to be next is drawn among those that have not had their turn.
#[derive(Clone, Debug)]
pub(super) struct Line {
    idle: Vec<usize>,
    random: Option<ChaCha8Rng>,
}

impl Line {
    /// `count` idle workers.
    pub(super) fn new(count: usize, runtime: &RuntimeSettings) -> Self {
        let random = (runtime.ties == Ties::Random).then(|| generator(runtime.seed, Stream::Workers));
        Self { idle: (0..count).collect(), random }
    }

    pub(super) fn len(&self) -> usize {
        self.idle.len()
    }

    /// Workers whose tasks have ended come to the end, by task.
    pub(super) fn join(&mut self, ended: &[(TaskId, usize)]) {
        self.idle.extend(ended.iter().map(|&(_, worker)| worker));
        if self.random.is_none() {
            self.idle.sort_unstable();
        }
    }

    /// A worker that had left comes to the end.
    pub(super) fn come_back(&mut self, worker: usize) {
        self.idle.push(worker);
        if self.random.is_none() {
            self.idle.sort_unstable();
        }
    }

    /// Whose turn it is after those at the places before `place`. Nothing is drawn of a single one.
    pub(super) fn turn(&mut self, place: usize) -> usize {
        let left = place..self.idle.len();
        if let Some(random) = self.random.as_mut().filter(|_| left.len() > 1) {
            self.idle.swap(place, random.random_range(left));
        }
        self.idle[place]
    }

    /// Who had its turn at `place`.
    pub(super) fn at(&self, place: usize) -> usize {
        self.idle[place]
    }

    /// Those that are not idle any more leave.
    pub(super) fn leave(&mut self, is_idle: impl Fn(usize) -> bool) {
        self.idle.retain(|&worker| is_idle(worker));
    }
}
