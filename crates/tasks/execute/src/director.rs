//! Who decides: the scheduler and what it has been told, behind one lock, as the dispatcher of a pool.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use numasim_kernels::{Code, Store, Workspace};
use numasim_model::graph::TaskGraph;
use numasim_runtime::{Dispatcher, WorkerId as PoolWorker};
use numasim_tasks::live::Creation;
use numasim_tasks::{Question, Start, WorkerId};

use crate::clock::Clock;
use crate::error::ExecuteError;
use crate::state::{Protocol, State};
use crate::workers::Workers;

/// What is set aside for a worker.
#[derive(Default)]
struct Aside {
    start: Option<Start>,
    /// An order keeps it from running, and the scheduler knows: it must say that it is there again.
    absent: bool,
}

/// The scheduler and all that it has been told. It hands tasks to idle workers at once, as the simulation does, in [`Aside`]; a worker that an order parks before it
/// has begun its task gives it back. Locks are taken in the order `state`, `aside`.
pub(crate) struct Director<'a> {
    graph: &'a TaskGraph,
    code: &'a dyn Code,
    store: &'a Store,
    workers: &'a Workers,
    clock: Clock,
    state: Mutex<State<'a>>,
    /// A task has ended, or something is wrong.
    changed: Condvar,
    /// Per worker.
    aside: Vec<Mutex<Aside>>,
    /// Per worker, who alone uses it.
    work: Vec<Mutex<Workspace>>,
}

/// The value behind a lock. Whoever panicked with it has left nothing half done that anybody would go on with: the run is over.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Director<'a> {
    /// Nothing is created.
    ///
    /// # Errors
    /// What the scheduler refuses.
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

    /// The master creates all it can, waits where it must, and returns when all tasks have ended or something is wrong.
    pub(crate) fn create_all(&self) {
        loop {
            let mut state = lock(&self.state);
            if state.error.is_some() || state.live.is_over() {
                return;
            }
            let creation = state.live.create();
            if let Creation::Window(_) = creation {
                // Nobody is told anything meanwhile.
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
    /// What went wrong.
    pub(crate) fn finish(self) -> Result<Protocol, ExecuteError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
    }

    /// Idle workers get tasks; who must be woken for them.
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

    /// Wakes workers for what is set aside for them; of those whom an order keeps from running others get it.
    fn wake(&self, mut handed: Vec<WorkerId>) {
        loop {
            let pool = self.workers.pool();
            handed.retain(|&worker| !pool.wake(self.workers.in_pool(worker)));
            if handed.is_empty() {
                return;
            }
            let mut state = lock(&self.state);
            for &worker in &handed {
                // It may be wanted again by now, and have begun.
                self.take_back(&mut state, worker, false);
            }
            handed = self.hand_out(&mut state);
        }
    }

    /// A worker may not run; what was set aside for it is ready again. `is_sure`: also if nothing was.
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
        // Who is awake finds its own.
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
