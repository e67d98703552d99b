//! New connections, and reading from them.

use super::Server;
use crate::core::{ConnectionId, Peer};
use crate::socket::peer_of;
use numasim_host::os::fork::Closed;
use numasim_protocol::Lines;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Number of connections that are accepted before the others have their turn.
const AT_ONCE: usize = 64;
/// If a resource for a new connection is exhausted, the agent tries again after this time, or when a connection ends.
const NO_ROOM: Duration = Duration::from_millis(100);
/// Bytes that are read from one connection before the others have their turn.
const PIECE: usize = 1 << 16;
/// Maximum number of pieces that may have come before the end: more than a socket can buffer.
const LAST_PIECES: usize = 16;

impl Server<'_> {
    pub(super) fn accept(&mut self) {
        for _ in 0..AT_ONCE {
            match self.socket.listener().accept() {
                Ok((stream, _)) => self.take(stream),
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::AGAIN) => return,
                    Some(Errno::INTR | Errno::CONNABORTED) => {}
                    // No descriptor or memory is free: clients that wait to be accepted keep waiting.
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

    /// Reads a piece from a connection.
    pub(super) fn read(&mut self, id: ConnectionId) {
        if self.connections.get(&id).is_some_and(|connection| connection.closes_at.is_some()) {
            // The client has hung up: writing detects that.
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

    /// If a connection can no longer be written, lines that have come are still obeyed; then it ends.
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

// One connection: incoming data that is no complete line yet, and outgoing data that waits.

/// Maximum number of bytes that may wait for a client that does not read.
const MOST_WAITING: usize = 1 << 20;
/// Capacity that is kept when nothing waits.
const KEPT: usize = 4096;

/// One connection. It never blocks.
pub(super) struct Connection {
    /// Dropped before the stream.
    _closed: Closed,
    stream: UnixStream,
    pub(super) lines: Lines,
    out: Vec<u8>,
    /// Number of bytes of `out` that were sent.
    gone: usize,
    /// The core has closed it; until then outgoing data may still be sent.
    pub(super) closes_at: Option<Duration>,
}

/// State of the outgoing data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It has been sent.
    All,
    /// Some of it waits.
    Some,
    /// The client no longer reads it.
    Broken,
}

/// Result of reading.
pub(super) enum Read {
    /// Some bytes.
    Bytes,
    /// Nothing now.
    Nothing,
    /// There will be no more data.
    End,
}

impl Connection {
    /// # Errors
    /// The system does not permit the non-blocking mode.
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            _closed: Closed::in_children(&stream),
            stream,
            lines: Lines::new(),
            out: Vec::new(),
            gone: 0,
            closes_at: None,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.gone == self.out.len()
    }

    /// Whether the limit of waiting data is reached, so that nothing may be added.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() - self.gone >= MOST_WAITING
    }

    /// Adds to the outgoing data.
    pub(super) fn push(&mut self, line: &str) {
        self.out.drain(..self.gone);
        self.gone = 0;
        self.out.extend_from_slice(line.as_bytes());
    }

    /// Writes as much as possible now.
    pub(super) fn flush(&mut self) -> Written {
        while let Some(rest) = self.out.get(self.gone..).filter(|rest| !rest.is_empty()) {
            match send(&self.stream, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => self.gone += sent,
                Err(Errno::INTR) => {}
                // Systems differ in the error that they return; both mean later.
                Err(Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM) => return Written::Some,
                Err(_) => {
                    (self.out, self.gone) = (Vec::new(), 0);
                    return Written::Broken;
                }
            }
        }
        self.gone = 0;
        self.out.clear();
        self.out.shrink_to(KEPT);
        Written::All
    }

    /// Reads a piece.
    pub(super) fn read(&mut self, piece: &mut [u8]) -> Read {
        loop {
            match recv(&self.stream, &mut *piece, RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Read::End,
                Ok((_, bytes)) => {
                    self.lines.push(piece.get(..bytes).unwrap_or_default());
                    return Read::Bytes;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Read::Nothing,
                Err(_) => return Read::End,
            }
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

// Sending to connections, and closing them.

/// How long a closed connection may take to read its last lines.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Server<'_> {
    pub(super) fn send(&mut self, id: ConnectionId, line: &str) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if connection.is_full() {
            let now = self.start.elapsed();
            self.core.ended(id, "it does not read what it is sent: 1 MiB waits for it", now);
            // A client that has not read these lines until now will not read them.
            self.connections.remove(&id);
            return;
        }
        connection.push(line);
        self.flush(id);
    }

    pub(super) fn flush(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let is_closing = connection.closes_at.is_some();
        match connection.flush() {
            Written::All | Written::Broken if is_closing => self.drop_connection(id),
            Written::Broken => self.broken.push(id),
            Written::All | Written::Some => {}
        }
    }

    /// Closes a connection when it has read the last lines, or has had time to.
    pub(super) fn close(&mut self, id: ConnectionId) {
        let at = self.now().saturating_add(LAST_WORDS);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.closes_at = Some(at);
        if connection.is_empty() {
            self.drop_connection(id);
        }
    }

    pub(super) fn drop_connection(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.full_until = None;
    }

    pub(super) fn drop_late(&mut self, now: Duration) {
        let is_late = |connection: &Connection| connection.closes_at.is_some_and(|at| now >= at);
        let late: Vec<ConnectionId> =
            self.connections.iter().filter(|(_, one)| is_late(one)).map(|(&id, _)| id).collect();
        for id in late {
            self.drop_connection(id);
        }
    }
}
