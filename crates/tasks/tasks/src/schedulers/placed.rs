//! Schedulers that give each task a socket: what they have in common is what becomes of the task then.

use numasim_graph::partition::PartitionError;
use numasim_graph::values::TaskId;

use super::given::Given;
use super::queues::{Queues, SocketQueues};
use super::scheduler::{Partitioning, Pause, Scheduler, View};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// Says which socket each task gets: when it is created, when a window is partitioned, or when it is ready.
pub(super) trait Place: Send {
    /// As [`Scheduler::created`]. `given`: the sockets of tasks so far.
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        let _ = (view, task, given);
        None
    }

    /// As [`Scheduler::pauses`].
    fn pauses(&mut self) -> Option<Partitioning> {
        None
    }

    /// As [`Scheduler::partitioned`]; the master has created nothing meanwhile.
    fn partitioned(&mut self, view: &View<'_>, given: &mut Given) -> Result<(), PartitionError> {
        let _ = (view, given);
        Ok(())
    }

    /// The socket of a task that is ready and has none; `None`: it waits until tasks have been partitioned.
    fn ready(&mut self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        let _ = (view, task);
        None
    }
}

/// All sockets are said before the first task is created.
pub(super) struct Said;

impl Place for Said {}

/// The scheduler that gives tasks the sockets that `P` says, and keeps them in `Q`.
pub(super) struct Placed<P, Q = SocketQueues> {
    place: P,
    given: Given,
    /// The temporary queue: ready tasks without a socket, in the order in which they became ready.
    waiting: Vec<TaskId>,
    queues: Q,
    /// Tasks in `queues`.
    queued: usize,
    steals: bool,
}

impl<P: Place> Placed<P> {
    /// No task has a socket yet.
    pub(super) fn new(place: P, question: &Question<'_>, sockets: &Sockets) -> Self {
        Self::with(place, Given::new(), SocketQueues::new(sockets), question)
    }
}

impl<P: Place, Q: Queues> Placed<P, Q> {
    /// Some tasks may have their sockets already; the queues are empty.
    pub(super) fn with(place: P, given: Given, queues: Q, question: &Question<'_>) -> Self {
        Self { place, given, waiting: Vec::new(), queues, queued: 0, steals: question.steal }
    }

    fn push(&mut self, socket: SocketId, task: TaskId) {
        self.queues.push(socket, task);
        self.queued += 1;
    }

    fn pop(&mut self, socket: SocketId) -> Option<TaskId> {
        let task = self.queues.pop(socket)?;
        self.queued -= 1;
        Some(task)
    }
}

impl<P: Place, Q: Queues> Scheduler for Placed<P, Q> {
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        self.place.created(view, task, &mut self.given)
    }

    fn pauses(&mut self, _: &View<'_>, _: Pause) -> Option<Partitioning> {
        self.place.pauses()
    }

    fn partitioned(&mut self, view: &View<'_>) -> Result<(), PartitionError> {
        self.place.partitioned(view, &mut self.given)?;
        for task in std::mem::take(&mut self.waiting) {
            if let Some(socket) = self.given.of(task) {
                self.push(socket, task);
            }
        }
        Ok(())
    }

    fn ready(&mut self, view: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        let mut socket = self.given.of(task);
        if socket.is_none() {
            socket = self.place.ready(view, task);
            if let Some(socket) = socket {
                self.given.set(task, socket);
            }
        }
        match socket {
            Some(socket) => self.push(socket, task),
            None => self.waiting.push(task),
        }
    }

    fn without_socket(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.pop(view.sockets.of_worker(worker))
    }

    /// The first task of the nearest socket that has one.
    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        if self.queued == 0 {
            return None;
        }
        let thief = view.sockets.of_worker(worker);
        view.sockets.nearest(thief).iter().find_map(|&victim| self.pop(victim))
    }

    fn steals(&self) -> bool {
        self.steals
    }

    fn socket(&self, task: TaskId) -> Option<SocketId> {
        self.given.of(task)
    }

    fn gives_sockets(&self) -> bool {
        true
    }
}
