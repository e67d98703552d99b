//! `dep`: the socket where most of the data was written first, decided when a task is created (paper 001, Algorithm 2.1).

use numasim_graph::values::TaskId;

use super::dep_table::DepTable;
use super::draw::Draw;
use super::given::Given;
use super::placed::Place;
use super::scheduler::{Partitioning, View};
use crate::question::Question;
use crate::sockets::Sockets;

/// Who says which socket.
#[derive(Clone, Debug)]
pub(super) struct Dep {
    table: DepTable,
    draw: Draw,
}

impl Dep {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            table: DepTable::new(question.graph, sockets, question.scheduler.stride),
            draw: Draw::new(question.runtime),
        }
    }
}

impl Place for Dep {
    fn created(&mut self, view: &View<'_>, task: TaskId, given: &mut Given) -> Option<Partitioning> {
        given.set(task, self.table.place(view, task, &mut self.draw));
        None
    }
}
