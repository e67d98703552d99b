//! The scheduler and the records of a run, behind one lock, as the dispatcher of a pool.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use numasim_graph::values::{TaskGraph, TaskId};
use numasim_kernels::{Code, Store, Workspace};
use numasim_runtime::{Dispatcher, WorkerId as PoolWorker};
use numasim_tasks::live::{Creation, Live};
use numasim_tasks::{Question, Start, TaskRecord, Traffic, WorkerId};

use super::{ExecuteError, Workers};

/// A clock that starts when it is created; the same for all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the start.
    pub(crate) fn now_s(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// The state of the director behind its lock: the scheduler, the records of tasks, and the first error.
pub(crate) struct State<'a> {
    pub(crate) live: Live<'a>,
    /// Per worker: when it was given its current task.
    taken_s: Vec<f64>,
    records: Vec<TaskRecord>,
    pub(crate) partition_s: f64,
    /// How often a worker was found blocked.
    held: u64,
    /// No more tasks are handed out.
    pub(crate) error: Option<ExecuteError>,
}

/// The result at the end.
pub(crate) struct Protocol {
    pub(crate) records: Vec<TaskRecord>,
    pub(crate) partition_s: f64,
    pub(crate) held: u64,
}

impl<'a> State<'a> {
    pub(crate) fn new(question: &'a Question<'a>) -> Result<Self, ExecuteError> {
        let live = Live::new(question)?;
        let taken_s = vec![0.0; live.sockets().worker_count()];
        let records = Vec::with_capacity(question.graph.task_count());
        Ok(Self { live, taken_s, records, partition_s: 0.0, held: 0, error: None })
    }

    /// Idle workers look for tasks; returns which worker takes which task.
    pub(crate) fn hand_out(&mut self, clock: Clock) -> Vec<(WorkerId, Start)> {
        let mut starts = Vec::new();
        if self.error.is_some() {
            return starts;
        }
        let now_s = clock.now_s();
        let Self { live, taken_s, .. } = self;
        live.hand_out(|worker, start| {
            if let Some(taken_s) = taken_s.get_mut(worker.0 as usize) {
                *taken_s = now_s;
            }
            starts.push((worker, start));
        });
        starts
    }

    /// A command blocks a worker, and takes its assigned task away.
    pub(crate) fn leave(&mut self, worker: WorkerId, unbegun: Option<Start>) {
        self.held += 1;
        self.live.leave(worker, unbegun);
    }

    /// A worker has finished its task.
    pub(crate) fn ended(&mut self, start: Start, worker: WorkerId, end_s: f64) {
        let sockets = self.live.sockets();
        let Start { task, source, revoked } = start;
        let given = |task: TaskId| self.live.socket(task).map(|socket| sockets.node(socket));
        let record = TaskRecord {
            task,
            socket: given(task),
            node: sockets.node(sockets.of_worker(worker)),
            worker: worker.0,
            start_s: self.taken_s.get(worker.0 as usize).copied().unwrap_or(0.0),
            end_s,
            source,
            revoked,
            traffic: Traffic::default(),
        };
        self.records.push(record);
        self.live.ended(task, worker);
    }

    /// All records, by end.
    pub(crate) fn finish(self) -> Result<Protocol, ExecuteError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(Protocol { records: self.records, partition_s: self.partition_s, held: self.held }),
        }
    }
}

/// The assignment for a worker.
#[derive(Default)]
struct Aside {
    start: Option<Start>,
    /// A command blocks it, and the scheduler knows: it must report when it is back.
    absent: bool,
}

/// The scheduler and all events it has received. It hands tasks to idle workers at once, as the simulation does, in [`Aside`]. A worker
/// that a command parks before it has started its task gives the task back. Locks are taken in the order `state`, `aside`.
pub(crate) struct Director<'a> {
    graph: &'a TaskGraph,
    code: &'a dyn Code,
    store: &'a Store,
    workers: &'a Workers,
    clock: Clock,
    state: Mutex<State<'a>>,
    /// A task has ended, or an error has occurred.
    changed: Condvar,
    /// Per worker.
    aside: Vec<Mutex<Aside>>,
    /// Per worker, used only by that worker.
    work: Vec<Mutex<Workspace>>,
}

/// The value behind a lock. A thread that panicked while holding it leaves no half-finished state in use: the run is over.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Director<'a> {
    /// A director without any tasks created.
    ///
    /// # Errors
    /// Errors from the scheduler.
    pub(crate) fn new(
        question: &'a Question<'a>,
        code: &'a dyn Code,
        store: &'a Store,
        workers: &'a Workers,
    ) -> Result<Self, ExecuteError> {
        let state = State::new(question)?;
        let count = state.live.sockets().worker_count();
        Ok(Self {
            graph: question.graph,
            code,
            store,
            workers,
            clock: Clock::start(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            aside: (0..count).map(|_| Mutex::default()).collect(),
            work: (0..count).map(|_| Mutex::new(Workspace::new())).collect(),
        })
    }

    /// The master creates all tasks it can, waits when it must, and returns when all tasks have ended or an error has occurred.
    pub(crate) fn create_all(&self) {
        loop {
            let mut state = lock(&self.state);
            if state.error.is_some() || state.live.is_over() {
                return;
            }
            let creation = state.live.create();
            if let Creation::Window(_) = creation {
                // No events are delivered in the meantime.
                let begin_s = self.clock.now_s();
                if let Err(error) = state.live.partition() {
                    state.error = Some(error.into());
                    return;
                }
                state.partition_s += self.clock.now_s() - begin_s;
            }
            let handed = self.hand_out(&mut state);
            let waits = matches!(creation, Creation::Waits | Creation::Done) && handed.is_empty();
            if waits {
                if let Some(stuck) = state.live.is_stuck() {
                    state.error.get_or_insert(stuck.into());
                    return;
                }
                drop(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            drop(state);
            self.wake(handed);
        }
    }

    /// All records, by end.
    ///
    /// # Errors
    /// The error of the run.
    pub(crate) fn finish(self) -> Result<Protocol, ExecuteError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }

    /// Idle workers get tasks; returns the workers that must be woken for them.
    fn hand_out(&self, state: &mut State<'a>) -> Vec<WorkerId> {
        let handed = state.hand_out(self.clock);
        for &(worker, start) in &handed {
            if let Some(aside) = self.aside.get(worker.0 as usize) {
                lock(aside).start = Some(start);
            }
        }
        self.workers.pool().queued(state.live.ready());
        handed.into_iter().map(|(worker, _)| worker).collect()
    }

    /// Wakes workers for their assigned tasks; tasks of blocked workers go to others.
    fn wake(&self, mut handed: Vec<WorkerId>) {
        loop {
            let pool = self.workers.pool();
            handed.retain(|&worker| !pool.wake(self.workers.in_pool(worker)));
            if handed.is_empty() {
                return;
            }
            let mut state = lock(&self.state);
            for &worker in &handed {
                // It may have been unblocked by now, and have started.
                self.take_back(&mut state, worker, false);
            }
            handed = self.hand_out(&mut state);
        }
    }

    /// A worker may not run, so its assigned task becomes ready again. `is_sure`: even if it had none.
    fn take_back(&self, state: &mut State<'a>, worker: WorkerId, is_sure: bool) {
        let Some(aside) = self.aside.get(worker.0 as usize) else { return };
        let mut aside = lock(aside);
        let unbegun = aside.start.take();
        if is_sure || unbegun.is_some() {
            aside.absent = true;
            state.leave(worker, unbegun);
        }
    }
}

impl Dispatcher for Director<'_> {
    type Task = Start;

    fn next(&self, worker: PoolWorker) -> Option<Start> {
        let worker = self.workers.of_pool(worker);
        let own = self.aside.get(worker.0 as usize)?;
        {
            let mut aside = lock(own);
            if !aside.absent {
                return aside.start.take();
            }
        }
        let mut state = lock(&self.state);
        lock(own).absent = false;
        state.live.come(worker);
        let handed = self.hand_out(&mut state);
        drop(state);
        self.wake(handed);
        lock(own).start.take()
    }

    fn is_waiting(&self, worker: PoolWorker) -> bool {
        let worker = self.workers.of_pool(worker);
        self.aside.get(worker.0 as usize).is_some_and(|aside| {
            let aside = lock(aside);
            aside.start.is_some() || aside.absent
        })
    }

    fn run(&self, worker: PoolWorker, start: Start) {
        let worker = self.workers.of_pool(worker);
        let Some(work) = self.work.get(worker.0 as usize) else { return };
        let result = self.store.run(self.graph, self.code, start.task, &mut lock(work));
        let end_s = self.clock.now_s();
        let mut state = lock(&self.state);
        if let Err(fault) = result {
            state.error.get_or_insert(fault.into());
        }
        state.ended(start, worker, end_s);
        let mut handed = self.hand_out(&mut state);
        drop(state);
        self.changed.notify_all();
        // A worker that is awake finds its own task.
        handed.retain(|&other| other != worker);
        self.wake(handed);
    }

    fn blocked(&self, worker: PoolWorker) {
        let mut state = lock(&self.state);
        self.take_back(&mut state, self.workers.of_pool(worker), true);
        let handed = self.hand_out(&mut state);
        drop(state);
        self.wake(handed);
    }

    fn panicked(&self) {
        lock(&self.state).error.get_or_insert(ExecuteError::Lost);
        self.changed.notify_all();
    }
}
