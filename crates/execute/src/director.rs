//! Who decides: the scheduler, what it has been told, and what each worker runs, behind one lock.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use numasim_kernels::Fault;
use numasim_model::graph::TaskId;
use numasim_tasks::live::{Creation, Live};
use numasim_tasks::{Question, Start, TaskRecord, Traffic, WorkerId};

use crate::clock::Clock;
use crate::error::ExecuteError;

/// A task that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ended {
    pub(crate) start: Start,
    pub(crate) worker: WorkerId,
    pub(crate) result: Result<(), Fault>,
}

/// Whom to tell what.
pub(crate) type Starts = Vec<(WorkerId, Start)>;

struct State<'a> {
    live: Live<'a>,
    /// Per worker: when it was given the task that it runs.
    taken_s: Vec<f64>,
    records: Vec<TaskRecord>,
    partition_s: f64,
    error: Option<ExecuteError>,
}

/// The scheduler and all that it has been told.
pub(crate) struct Director<'a> {
    state: Mutex<State<'a>>,
    /// A task has ended, or something is wrong.
    changed: Condvar,
    clock: Clock,
}

/// What is left in the end.
pub(crate) struct Protocol {
    pub(crate) records: Vec<TaskRecord>,
    pub(crate) partition_s: f64,
}

impl<'a> Director<'a> {
    /// Nothing is created.
    ///
    /// # Errors
    /// What the scheduler refuses.
    pub(crate) fn new(question: &'a Question<'a>, clock: Clock) -> Result<Self, ExecuteError> {
        let live = Live::new(question)?;
        let taken_s = vec![0.0; live.sockets().worker_count()];
        let records = Vec::with_capacity(question.graph.task_count());
        let state = State { live, taken_s, records, partition_s: 0.0, error: None };
        Ok(Self { state: Mutex::new(state), changed: Condvar::new(), clock })
    }

    /// The lock. Whoever panicked with it has left nothing half done that anybody would go on with: its thread ends the run.
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The master creates all it can, waits where it must, and returns when all tasks have ended or something is wrong. `tell` hears who runs what.
    pub(crate) fn create_all(&self, tell: impl Fn(Starts)) {
        loop {
            let mut state = self.lock();
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
            let starts = state.hand_out(self.clock);
            let waits = matches!(creation, Creation::Waits | Creation::Done) && starts.is_empty();
            if waits {
                if let Some(stuck) = state.live.is_stuck() {
                    state.error.get_or_insert(stuck.into());
                    return;
                }
                drop(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            drop(state);
            tell(starts);
        }
    }

    /// A worker has ended its task; who runs what now.
    pub(crate) fn ended(&self, ended: &Ended) -> Starts {
        let end_s = self.clock.now_s();
        let mut state = self.lock();
        let Ended { start, worker, result } = *ended;
        if let Err(fault) = result {
            state.error.get_or_insert(fault.into());
        }
        state.record(start, worker, end_s);
        state.live.ended(start.task, worker);
        let starts = if state.error.is_none() { state.hand_out(self.clock) } else { Starts::new() };
        drop(state);
        self.changed.notify_all();
        starts
    }

    /// Something is wrong: nothing more is started.
    pub(crate) fn fail(&self, error: ExecuteError) {
        self.lock().error.get_or_insert(error);
        self.changed.notify_all();
    }

    /// All records, by end.
    ///
    /// # Errors
    /// What went wrong.
    pub(crate) fn finish(self) -> Result<Protocol, ExecuteError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.error {
            Some(error) => Err(error),
            None => Ok(Protocol { records: state.records, partition_s: state.partition_s }),
        }
    }
}

impl State<'_> {
    fn hand_out(&mut self, clock: Clock) -> Starts {
        let (mut starts, now_s) = (Starts::new(), clock.now_s());
        let Self { live, taken_s, .. } = self;
        live.hand_out(|worker, start| {
            if let Some(taken_s) = taken_s.get_mut(worker.0 as usize) {
                *taken_s = now_s;
            }
            starts.push((worker, start));
        });
        starts
    }

    fn record(&mut self, start: Start, worker: WorkerId, end_s: f64) {
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
    }
}
