//! Who comes, and what they say.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::Errno;

use super::Server;
use super::connection::{Connection, Read};
use crate::core::{ConnectionId, Peer};
use crate::socket::peer_of;

/// So many are taken before the others have their turn.
const AT_ONCE: usize = 64;
/// Where there is no room for a new connection, it is looked for again after this time, or when one ends.
const NO_ROOM: Duration = Duration::from_millis(100);
/// So much of one connection is read before the others have their turn.
const PIECE: usize = 1 << 16;
/// So many pieces may have come before the end: more than a socket has room for.
const LAST_PIECES: usize = 16;

impl Server<'_> {
    pub(super) fn accept(&mut self) {
        for _ in 0..AT_ONCE {
            match self.socket.listener().accept() {
                Ok((stream, _)) => self.take(stream),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::AGAIN) => return,
                    Some(Errno::INTR | Errno::CONNABORTED) => {}
                    // No descriptor or memory is free: whoever waits to be taken goes on waiting.
                    _ => {
                        self.full_until = Some(self.now().saturating_add(NO_ROOM));
                        return;
                    }
                },
            }
        }
    }

    fn take(&mut self, stream: UnixStream) {
        let unknown = Peer { pid: None, uid: u32::MAX };
        let peer = match peer_of(&stream) {
            Ok(peer) => Peer { pid: peer.pid, uid: peer.uid },
            Err(error) => {
                return self.cut_off(unknown, &format!("the system does not say who it is: {error}"));
            }
        };
        if peer.uid != self.own_uid {
            return self
                .cut_off(peer, &format!("user {} is not the user of the agent, {}", peer.uid, self.own_uid));
        }
        let connection: io::Result<Connection> = Connection::new(stream);
        match connection {
            Ok(connection) => {
                let id = ConnectionId(self.number);
                self.number += 1;
                self.connections.insert(id, connection);
                self.core.connected(id, peer, self.now());
                self.work();
            }
            Err(error) => self.cut_off(peer, &format!("its socket cannot be used: {error}")),
        }
    }

    fn cut_off(&mut self, peer: Peer, why: &str) {
        self.core.cut_off(peer, why);
        self.work();
    }

    /// Reads a piece of what a connection says.
    pub(super) fn read(&mut self, id: ConnectionId) {
        if self.connections.get(&id).is_some_and(|connection| connection.closes_at.is_some()) {
            // It has hung up: writing finds that out.
            self.flush(id);
        } else {
            self.read_piece(id);
        }
    }

    /// Whether more may come.
    fn read_piece(&mut self, id: ConnectionId) -> bool {
        let mut piece = std::mem::take(&mut self.piece);
        piece.resize(PIECE, 0);
        let read = self
            .connections
            .get_mut(&id)
            .filter(|one| one.closes_at.is_none())
            .map(|one| one.read(&mut piece));
        self.piece = piece;
        match read {
            None | Some(Read::Nothing) => false,
            Some(Read::Bytes) => {
                self.obey_lines(id);
                true
            }
            Some(Read::End) => {
                self.lost(id, "the connection ended without a bye");
                false
            }
        }
    }

    fn lost(&mut self, id: ConnectionId, why: &str) {
        let now = self.now();
        self.core.ended(id, why, now);
        self.work();
        self.drop_connection(id);
    }

    fn obey_lines(&mut self, id: ConnectionId) {
        while self.core.is_open(id) && !self.ending {
            let now = self.now();
            let Some(connection) = self.connections.get_mut(&id) else { return };
            match connection.lines.next_line() {
                Ok(Some(line)) => self.core.line(id, line, now),
                Ok(None) => return,
                Err(_) => self.core.line_too_long(id),
            }
            self.work();
        }
    }

    /// Where nothing can be written any more, what has come is still obeyed, and then it is over.
    pub(super) fn read_broken(&mut self) {
        while let Some(id) = self.broken.pop() {
            for _ in 0..LAST_PIECES {
                if !self.core.is_open(id) || self.ending || !self.read_piece(id) {
                    break;
                }
            }
            self.lost(id, "it does not listen any more");
        }
    }
}
