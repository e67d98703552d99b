//! What the director keeps behind its lock: the scheduler, what has become of tasks, and what is wrong.

use numasim_model::graph::TaskId;
use numasim_tasks::live::Live;
use numasim_tasks::{Question, Start, TaskRecord, Traffic, WorkerId};

use crate::clock::Clock;
use crate::error::ExecuteError;

/// See the module.
pub(crate) struct State<'a> {
    pub(crate) live: Live<'a>,
    /// Per worker: when it was given the task that it runs.
    taken_s: Vec<f64>,
    records: Vec<TaskRecord>,
    pub(crate) partition_s: f64,
    /// How often a worker was found to be kept from running.
    held: u64,
    /// Nothing more is handed out.
    pub(crate) error: Option<ExecuteError>,
}

/// What is left in the end.
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

    /// Idle workers look for tasks; who takes which.
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

    /// An order keeps a worker from running, and from what it was given.
    pub(crate) fn leave(&mut self, worker: WorkerId, unbegun: Option<Start>) {
        self.held += 1;
        self.live.leave(worker, unbegun);
    }

    /// A worker has ended its task.
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
