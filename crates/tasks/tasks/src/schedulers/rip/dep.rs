//! `rip-dep`: what the first window writes lies where its partition says; later tasks go by that, as under `dep`.

use std::ops::Range;

use numasim_graph::partition::Parent;
use numasim_graph::values::{TaskGraph, TaskId};

use super::super::dep_table::DepTable;
use super::super::draw::Draw;
use super::super::given::Given;
use super::super::scheduler::View;
use super::Later;
use crate::sockets::{SocketId, Sockets};

/// The table of blocks.
pub(super) struct Table(DepTable);

impl Table {
    pub(super) fn new(graph: &TaskGraph, sockets: &Sockets, stride: u32) -> Self {
        Self(DepTable::new(graph, sockets, stride))
    }
}

impl Later for Table {
    fn partitioned(&mut self, view: &View<'_>, tasks: Range<u32>, given: &Given) {
        for task in tasks.map(TaskId) {
            if let Some(socket) = given.of(task) {
                self.0.enter(view.graph, task, socket);
            }
        }
    }

    fn place(
        &mut self,
        view: &View<'_>,
        task: TaskId,
        _: &[Parent],
        _: &Given,
        draw: &mut Draw,
    ) -> Option<SocketId> {
        Some(self.0.place(view, task, draw))
    }
}
