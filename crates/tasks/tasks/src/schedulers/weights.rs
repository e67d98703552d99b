//! Bytes that speak for each socket, and which socket wins.

use super::draw::Draw;
use crate::sockets::{SocketId, Sockets};

/// Bytes for each socket, and for none of them.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    of_socket: Vec<f64>,
    nowhere: f64,
}

impl Weights {
    /// Nothing speaks for any.
    pub(super) fn new(sockets: &Sockets) -> Self {
        Self { of_socket: vec![0.0; sockets.count()], nowhere: 0.0 }
    }

    /// Nothing speaks for any again.
    pub(super) fn clear(&mut self) {
        self.of_socket.fill(0.0);
        self.nowhere = 0.0;
    }

    /// `bytes` more for `socket`; `None`: they are not allocated.
    pub(super) fn add(&mut self, socket: Option<SocketId>, bytes: f64) {
        match socket.and_then(|socket| self.of_socket.get_mut(socket.0 as usize)) {
            Some(weight) => *weight += bytes,
            None => self.nowhere += bytes,
        }
    }

    /// The socket for which most bytes speak, equal ones as `draw` has it; `None` where nothing speaks for any, or more bytes are not
    /// allocated than speak for each.
    pub(super) fn winner(&self, draw: &mut Draw) -> Option<SocketId> {
        let most = self.of_socket.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 || self.nowhere > most {
            return None;
        }
        let winners = || (0..).map(SocketId).zip(&self.of_socket).filter(|&(_, &weight)| weight == most);
        let chosen = draw.of_equals(winners().count());
        winners().nth(chosen).map(|(socket, _)| socket)
    }
}
