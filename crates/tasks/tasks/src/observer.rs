//! Who looks on: traces and charts are made from outside.

use numasim_graph::values::TaskId;
use numasim_model::NodeId;

use crate::idle::IdleReason;
use crate::result::Traffic;
use crate::schedulers::Source;

/// A task that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskRecord {
    /// Which one.
    pub task: TaskId,
    /// The socket that the scheduler gave it; `None` where it gives none.
    pub socket: Option<NodeId>,
    /// Where it ran.
    pub node: NodeId,
    /// The worker that ran it: cores of all nodes in order.
    pub worker: u32,
    /// When it was taken, in seconds.
    pub start_s: f64,
    /// When it ended, in seconds.
    pub end_s: f64,
    /// Where the worker found it.
    pub source: Source,
    /// Whether the worker took it from its own queue though it was meant for another mailbox or node.
    pub revoked: bool,
    /// What it moved.
    pub traffic: Traffic,
}

impl TaskRecord {
    /// Whether the worker stole it.
    pub fn stolen(&self) -> bool {
        self.source == Source::Steal
    }
}

/// Looks on at a simulation.
pub trait Observer {
    /// A task has ended. Tasks come in the order of their ends, those of one instant by number.
    fn ended(&mut self, record: &TaskRecord);

    /// The master partitions a window of `tasks` tasks, in seconds.
    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        let _ = (tasks, start_s, end_s);
    }

    /// From then until then, in seconds, workers without a task had none because of `reason`, if there were any. These times follow each
    /// other without a gap from the beginning to the end.
    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        let _ = (reason, start_s, end_s);
    }

    /// Whether the simulation should end before its time; asked now and then.
    fn stops(&self) -> bool {
        false
    }
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn ended(&mut self, _: &TaskRecord) {}
}

/// Looks on as another one does, and stops where that is asked for.
pub(crate) struct Stoppable<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Observer for Stoppable<'_> {
    fn ended(&mut self, record: &TaskRecord) {
        self.observer.ended(record);
    }

    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        self.observer.partitioned(tasks, start_s, end_s);
    }

    fn idle_because(&mut self, reason: IdleReason, start_s: f64, end_s: f64) {
        self.observer.idle_because(reason, start_s, end_s);
    }

    fn stops(&self) -> bool {
        (self.stop)() || self.observer.stops()
    }
}
