//! `dep`: the socket where most of the data was written first, decided when a task is created (paper 001, Algorithm 2.1).

use numasim_model::graph::TaskId;

use super::dep_table::DepTable;
use super::draw::Draw;
use super::given::Given;
use super::queues::SocketQueues;
use super::scheduler::{Partitioning, Scheduler, View};
use crate::question::Question;
use crate::sockets::{SocketId, Sockets, WorkerId};

/// The scheduler.
#[derive(Clone, Debug)]
pub(super) struct Dep {
    table: DepTable,
    draw: Draw,
    given: Given,
    queues: SocketQueues,
    steals: bool,
}

impl Dep {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            table: DepTable::new(question.graph, sockets, question.scheduler.stride),
            draw: Draw::new(question.runtime),
            given: Given::new(),
            queues: SocketQueues::new(sockets),
            steals: question.steal,
        }
    }
}

impl Scheduler for Dep {
    fn created(&mut self, view: &View<'_>, task: TaskId) -> Option<Partitioning> {
        self.given.set(task, self.table.place(view, task, &mut self.draw));
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
