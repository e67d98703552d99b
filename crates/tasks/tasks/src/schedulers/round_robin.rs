//! Sockets in turn, for tasks of which nothing is known.

use crate::sockets::{SocketId, Sockets};

/// Each socket `stride` times in a row, ascending, then from the first again.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRobin {
    turn: u64,
    stride: u64,
}

impl RoundRobin {
    /// At turn 0. A `stride` of 0 counts as 1; readers of files refuse it.
    pub(super) fn new(stride: u32) -> Self {
        Self { turn: 0, stride: u64::from(stride).max(1) }
    }

    /// The socket of this turn; the next call is the next turn.
    pub(super) fn next(&mut self, sockets: &Sockets) -> SocketId {
        let count = u64::try_from(sockets.count()).unwrap_or(1).max(1);
        let socket = (self.turn / self.stride) % count;
        self.turn += 1;
        SocketId(u32::try_from(socket).unwrap_or(0))
    }
}
