//! The master: a thread outside the cores that creates tasks in order, and partitions windows of them if a scheduler does that.

use numasim_engine::SimTime;
use numasim_graph::partition::PartitionError;
use numasim_graph::values::{RuntimeSettings, TaskGraph, TaskId};
use numasim_model::units::Seconds;

use super::living::Living;
use crate::result::{IdleReason, Observer};
use crate::schedulers::{Partitioning, Pause, Scheduler, View};

/// The result of a step of the master.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Creation {
    /// It has created one more task.
    Created(TaskId),
    /// A window is to be partitioned; until then nothing is created.
    Window(Partitioning),
    /// It waits until tasks end, for all earlier ones or because as many are alive as the limit allows; in simulated time also for its
    /// own work.
    Waits,
    /// All its tasks are created.
    Done,
}

/// The activity of the master.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Idle since then; the next task may begin if nothing stops it.
    Free(SimTime),
    /// It creates the next task until then.
    Creating(SimTime),
    /// It partitions until then.
    Partitioning(SimTime),
    /// It waits until tasks end, and has reported the reason.
    Stopped,
    /// All tasks are created, which it has reported.
    Done,
}

/// The master, in simulated time and on a real host alike. On a real host it has no times, and the caller with the threads partitions.
#[derive(Clone, Debug)]
pub(crate) struct Master {
    state: State,
    next: u32,
    /// Whether it has reported that the next task waits for all earlier ones.
    said_taskwait: bool,
    /// Whether it creates one more task although as many are alive as the limit allows.
    forced: bool,
    creation_s: f64,
    throttle: u64,
    partitioned_s: f64,
}

/// The environment of the master.
pub(crate) struct Around<'s, 'a> {
    pub(crate) graph: &'a TaskGraph,
    pub(crate) view: View<'s>,
    pub(crate) scheduler: &'s mut dyn Scheduler,
    pub(crate) alive: &'s mut Living,
    pub(crate) observer: &'s mut dyn Observer,
    /// The present, and the latest time that belongs to it.
    pub(crate) now: SimTime,
    pub(crate) latest: SimTime,
}

impl Master {
    /// It begins at `begin`.
    pub(crate) fn new(runtime: &RuntimeSettings, begin: SimTime) -> Self {
        Self {
            state: State::Free(begin),
            next: 0,
            said_taskwait: false,
            forced: false,
            creation_s: runtime.creation.value(),
            // With no task alive allowed there could never be any; readers of files reject 0.
            throttle: runtime.throttle.unwrap_or(u64::MAX).max(1),
            partitioned_s: 0.0,
        }
    }

    /// When its present activity ends; never if it waits for others.
    pub(super) const fn end(&self) -> SimTime {
        match self.state {
            State::Creating(end) | State::Partitioning(end) => end,
            State::Free(_) | State::Stopped | State::Done => SimTime::NEVER,
        }
    }

    /// Why it has not created a task that a worker could take; `None` when all are created.
    pub(super) fn holds_back(&self, graph: &TaskGraph) -> Option<IdleReason> {
        match self.state {
            State::Partitioning(_) => Some(IdleReason::Partition),
            State::Free(_) | State::Creating(_) => Some(IdleReason::Creation),
            State::Stopped if graph.taskwait(TaskId(self.next)) => Some(IdleReason::Taskwait),
            State::Stopped => Some(IdleReason::Throttle),
            State::Done => None,
        }
    }

    /// No task runs at the end of an instant. If the throttle stops the master, an existing task may wait for one that it has not
    /// created: it creates one more in spite of the limit. Returns whether that is the case; it happens only in tree programs.
    pub(crate) fn force(&mut self, graph: &TaskGraph, alive: &Living) -> bool {
        let forces = self.state == State::Stopped && !self.forced && !self.must_wait(graph, alive);
        self.forced |= forces;
        forces
    }

    /// Sum of the times in which it partitioned.
    pub(super) const fn partitioned(&self) -> Seconds {
        Seconds::new(self.partitioned_s)
    }

    /// Whether a window is to be partitioned.
    pub(crate) const fn partitions(&self) -> bool {
        matches!(self.state, State::Partitioning(_))
    }

    /// Partitions the window that is due.
    ///
    /// # Errors
    /// It has no partition.
    pub(crate) fn partition(&mut self, around: &mut Around<'_, '_>) -> Result<(), PartitionError> {
        if let State::Partitioning(end) = self.state {
            around.scheduler.partitioned(&around.view)?;
            self.state = State::Free(end);
        }
        Ok(())
    }

    /// The next step that it can take at this instant; `ready` is called with a task that waits for no other task.
    ///
    /// A creation begins when the previous one really ended, so that many of them within one instant take their full time.
    ///
    /// # Errors
    /// A window has no partition.
    pub(crate) fn create(
        &mut self,
        around: &mut Around<'_, '_>,
        mut ready: impl FnMut(TaskId),
    ) -> Result<Creation, PartitionError> {
        loop {
            let (window, since) = match self.state {
                State::Creating(end) if end <= around.latest => {
                    let task = TaskId(self.next);
                    self.next += 1;
                    (self.said_taskwait, self.forced) = (false, false);
                    if around.alive.created(around.graph, task) {
                        ready(task);
                    }
                    self.state = State::Free(end);
                    match around.scheduler.created(&around.view, task) {
                        None => return Ok(Creation::Created(task)),
                        window => (window, end),
                    }
                }
                State::Partitioning(end) if end <= around.latest => {
                    self.partition(around)?;
                    continue;
                }
                State::Creating(_) | State::Partitioning(_) => return Ok(Creation::Waits),
                State::Done => return Ok(Creation::Done),
                State::Free(since) => (self.begin(since, around), since),
                State::Stopped if self.is_stopped(around) => return Ok(Creation::Waits),
                State::Stopped => {
                    self.state = State::Free(around.now);
                    continue;
                }
            };
            if let Some(window) = window {
                let end = since.after(window.duration.value());
                self.partitioned_s += window.duration.value();
                around.observer.partitioned(window.tasks, since.seconds(), end.seconds());
                self.state = State::Partitioning(end);
                return Ok(Creation::Window(window));
            }
        }
    }

    /// Decides the next activity of the master, which has been free since `since`. If a window is due to be partitioned before, returns
    /// it.
    fn begin(&mut self, since: SimTime, around: &mut Around<'_, '_>) -> Option<Partitioning> {
        // Other tasks are created by tasks.
        while around.graph.created_by(TaskId(self.next)).is_some() {
            self.next += 1;
        }
        let task = TaskId(self.next);
        let why = if task.0 as usize >= around.graph.task_count() {
            Pause::End
        } else if around.graph.taskwait(task) && !self.said_taskwait {
            Pause::Taskwait
        } else if self.is_stopped(around) {
            // A taskwait was reported before.
            if around.graph.taskwait(task) {
                self.state = State::Stopped;
                return None;
            }
            Pause::Throttle
        } else {
            self.state = State::Creating(since.after(self.creation_s));
            return None;
        };
        self.said_taskwait |= why == Pause::Taskwait;
        self.state = match why {
            Pause::End => State::Done,
            Pause::Taskwait => State::Free(since),
            Pause::Throttle => State::Stopped,
        };
        around.scheduler.pauses(&around.view, why)
    }

    fn is_stopped(&self, around: &Around<'_, '_>) -> bool {
        let is_full = !self.forced && around.alive.count() >= self.throttle;
        is_full || self.must_wait(around.graph, around.alive)
    }

    /// Whether the next task waits for earlier ones.
    fn must_wait(&self, graph: &TaskGraph, alive: &Living) -> bool {
        let next = TaskId(self.next);
        graph.taskwait(next) && !alive.have_ended_before(next)
    }

    /// Whether nothing stops it before the next task, if there is one.
    pub(crate) fn may_create(&self, graph: &TaskGraph, alive: &Living, forced: bool) -> bool {
        let is_there = (self.next as usize) < graph.task_count();
        is_there && !self.must_wait(graph, alive) && (forced || alive.count() < self.throttle)
    }
}
