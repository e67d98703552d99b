//! `sa`, socket-aware: the programmer says which socket (paper 001, section 2.1).

use numasim_model::graph::TaskId;

use super::given::Given;
use super::queues::SocketQueues;
use super::scheduler::{Partitioning, Scheduler, View};
use crate::error::TasksError;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Sa {
    given: Given,
    queues: SocketQueues,
    steals: bool,
}

impl Sa {
    /// # Errors
    /// [`TasksError::NoSocket`], [`TasksError::NoCores`].
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Result<Self, TasksError> {
        let mut given = Given::new();
        for task in question.graph.tasks() {
            let node = question.graph.socket(task).ok_or(TasksError::NoSocket(task))?;
            given.set(task, sockets.of_node(node).ok_or(TasksError::NoCores { task, node })?);
        }
        Ok(Self { given, queues: SocketQueues::new(sockets), steals: question.steal })
    }
}

impl Scheduler for Sa {
    fn created(&mut self, _: &View<'_>, _: TaskId) -> Option<Partitioning> {
        None
    }

    fn ready(&mut self, _: &View<'_>, task: TaskId, _: Option<WorkerId>) {
        if let Some(socket) = self.given.of(task) {
            self.queues.push(socket, task);
        }
    }

    fn next(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.pop(view.sockets.of_worker(worker))
    }

    fn steal(&mut self, view: &View<'_>, worker: WorkerId) -> Option<TaskId> {
        self.queues.steal(view.sockets, view.sockets.of_worker(worker))
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
