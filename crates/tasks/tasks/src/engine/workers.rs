//! Workers: what each does, and in which order the idle ones look for tasks.

use numasim_engine::SimTime;
use numasim_graph::values::{RuntimeSettings, TaskId, Ties};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::work::Pace;
use crate::random::{Stream, generator};
use crate::result::Traffic;
use crate::schedulers::Source;
use crate::sockets::WorkerId;

/// A task that a worker has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) task: TaskId,
    pub(super) start: SimTime,
    pub(super) source: Source,
    pub(super) revoked: bool,
    pub(super) traffic: Traffic,
    pub(super) pace: Pace,
}

/// All workers.
#[derive(Clone, Debug)]
pub(super) struct Workers {
    taken: Vec<Option<Taken>>,
    /// How many of them have a task.
    busy: usize,
    /// Those that have left for a contender.
    away: Vec<bool>,
    /// With `ties = "order"` by number, else in any order.
    idle: Vec<WorkerId>,
    /// Draws the order where it is drawn.
    random: Option<ChaCha8Rng>,
}

impl Workers {
    /// `count` idle ones.
    pub(super) fn new(count: usize, runtime: &RuntimeSettings) -> Self {
        let random = (runtime.ties == Ties::Random).then(|| generator(runtime.seed, Stream::Workers));
        let idle = (0..u32::try_from(count).unwrap_or(u32::MAX)).map(WorkerId).collect();
        Self { taken: vec![None; count], busy: 0, away: vec![false; count], idle, random }
    }

    /// The task of a worker, if it has one.
    pub(super) fn taken(&self, worker: WorkerId) -> Option<&Taken> {
        self.taken.get(worker.0 as usize)?.as_ref()
    }

    /// How many have no task.
    pub(super) fn idle_count(&self) -> usize {
        self.idle.len()
    }

    /// The next idle worker in order, after those at the places before `place`.
    pub(super) fn idle_at(&mut self, place: usize) -> Option<WorkerId> {
        if let Some(random) = &mut self.random
            && place + 1 < self.idle.len()
        {
            let drawn = random.random_range(place..self.idle.len());
            self.idle.swap(place, drawn);
        }
        self.idle.get(place).copied()
    }

    /// The idle worker at a place whose turn was fixed before.
    pub(super) fn idle_again(&self, place: usize) -> Option<WorkerId> {
        self.idle.get(place).copied()
    }

    /// A worker takes a task; it stays among the idle ones until [`Workers::settle`].
    pub(super) fn take(&mut self, worker: WorkerId, taken: Taken) {
        if let Some(slot) = self.taken.get_mut(worker.0 as usize) {
            *slot = Some(taken);
            self.busy += 1;
        }
    }

    /// How many have a task.
    pub(super) const fn busy_count(&self) -> usize {
        self.busy
    }

    /// A worker leaves for a contender; it stays among the idle ones until [`Workers::settle`].
    pub(super) fn leave(&mut self, worker: WorkerId) {
        self.away.get_mut(worker.0 as usize).into_iter().for_each(|away| *away = true);
    }

    /// Whether a worker has left.
    pub(super) fn is_away(&self, worker: WorkerId) -> bool {
        self.away.get(worker.0 as usize).is_some_and(|&away| away)
    }

    /// A worker that had left comes back: it is idle.
    pub(super) fn come_back(&mut self, worker: WorkerId) {
        self.away.get_mut(worker.0 as usize).into_iter().for_each(|away| *away = false);
        self.rest(worker);
    }

    /// Those that have taken a task or left are idle no more.
    pub(super) fn settle(&mut self) {
        let Self { taken, away, idle, .. } = self;
        idle.retain(|worker| {
            let worker = worker.0 as usize;
            taken.get(worker).is_some_and(Option::is_none) && away.get(worker) == Some(&false)
        });
    }

    /// The task of a worker has ended: it is idle.
    pub(super) fn end(&mut self, worker: WorkerId) -> Option<Taken> {
        let taken = self.taken.get_mut(worker.0 as usize)?.take()?;
        self.busy = self.busy.saturating_sub(1);
        self.rest(worker);
        Some(taken)
    }

    /// A worker is idle from now on.
    fn rest(&mut self, worker: WorkerId) {
        if self.random.is_some() {
            self.idle.push(worker);
        } else {
            let place = self.idle.partition_point(|&idle| idle < worker);
            self.idle.insert(place, worker);
        }
    }
}
