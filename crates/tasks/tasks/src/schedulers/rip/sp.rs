//! `rip-sp`: later tasks go to the socket from whose tasks they read most (paper 001, Algorithm 2.3).
//!
//! That may be another one than under `rip-dep`: data lie where they were written first, not where they were written last.

use std::ops::Range;

use numasim_graph::partition::Parent;
use numasim_graph::values::TaskId;

use super::super::draw::Draw;
use super::super::given::Given;
use super::super::round_robin::RoundRobin;
use super::super::scheduler::View;
use super::super::weights::Weights;
use super::Later;
use crate::sockets::{SocketId, Sockets};

/// Bytes from parents.
pub(super) struct Parents {
    weights: Weights,
    round_robin: RoundRobin,
}

impl Parents {
    pub(super) fn new(sockets: &Sockets, stride: u32) -> Self {
        Self { weights: Weights::new(sockets), round_robin: RoundRobin::new(stride) }
    }
}

impl Later for Parents {
    fn partitioned(&mut self, _: &View<'_>, _: Range<u32>, _: &Given) {}

    fn place(
        &mut self,
        view: &View<'_>,
        _: TaskId,
        parents: &[Parent],
        given: &Given,
        draw: &mut Draw,
    ) -> Option<SocketId> {
        self.weights.clear();
        for parent in parents {
            self.weights.add(given.of(parent.task), parent.bytes);
        }
        Some(self.weights.winner(draw).unwrap_or_else(|| self.round_robin.next(view.sockets)))
    }
}
