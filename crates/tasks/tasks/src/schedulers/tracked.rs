//! `tracked`: as `dep`, with the true homes of pages in place of the table of first writers, as the runtime OmpSs-2 tracks them.
//!
//! Where a block lies is known when somebody has touched it. So a task gets its socket when it becomes ready: all that it reads has been
//! written by then. Blocks that nobody has touched, that lie on all nodes or on one without cores, are not allocated.

use numasim_graph::values::{BlockHome, TaskId};

use super::draw::Draw;
use super::placed::Place;
use super::round_robin::RoundRobin;
use super::scheduler::View;
use super::weights::Weights;
use crate::question::Question;
use crate::sockets::{SocketId, Sockets};

/// Who says which socket.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    weights: Weights,
    round_robin: RoundRobin,
    draw: Draw,
}

impl Tracked {
    pub(super) fn new(question: &Question<'_>, sockets: &Sockets) -> Self {
        Self {
            weights: Weights::new(sockets),
            round_robin: RoundRobin::new(question.scheduler.stride),
            draw: Draw::new(question.runtime),
        }
    }
}

impl Place for Tracked {
    fn ready(&mut self, view: &View<'_>, task: TaskId) -> Option<SocketId> {
        self.weights.clear();
        for access in view.graph.accesses(task) {
            let socket = match view.home(access.block) {
                BlockHome::Node(node) => view.sockets.of_node(node),
                BlockHome::Open | BlockHome::Interleaved => None,
            };
            self.weights.add(socket, access.declared_bytes);
        }
        let winner = self.weights.winner(&mut self.draw);
        Some(winner.unwrap_or_else(|| self.round_robin.next(view.sockets)))
    }
}
