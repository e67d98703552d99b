//! `rip-mw`: every window is partitioned; its newest tasks stay in the next one, where they are.

use std::ops::Range;

use numasim_graph::partition::Parent;
use numasim_graph::values::TaskId;

use super::super::draw::Draw;
use super::super::given::Given;
use super::super::scheduler::View;
use super::Later;
use crate::sockets::SocketId;

/// All tasks wait for their windows.
pub(super) struct Windows;

impl Later for Windows {
    fn partitioned(&mut self, _: &View<'_>, _: Range<u32>, _: &Given) {}

    fn place(&mut self, _: &View<'_>, _: TaskId, _: &[Parent], _: &Given, _: &mut Draw) -> Option<SocketId> {
        None
    }
}
