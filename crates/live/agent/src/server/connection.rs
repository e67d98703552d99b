//! One connection: what came and is no whole line yet, and what waits to go out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use numasim_protocol::Lines;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

/// So much may wait for one who does not read.
const MOST_WAITING: usize = 1 << 20;
/// Room that is kept when nothing waits.
const KEPT: usize = 4096;

/// One connection. It never blocks.
pub(super) struct Connection {
    stream: UnixStream,
    pub(super) lines: Lines,
    out: Vec<u8>,
    /// How much of `out` is gone.
    gone: usize,
    /// The core has closed it; until then what waits may go out.
    pub(super) closes_at: Option<Duration>,
}

/// What became of what waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is gone.
    All,
    /// Some of it waits.
    Some,
    /// Nobody reads it any more.
    Broken,
}

/// What came.
pub(super) enum Read {
    /// Some bytes.
    Bytes,
    /// Nothing now.
    Nothing,
    /// Nothing will come any more.
    End,
}

impl Connection {
    /// # Errors
    /// Where the system does not let it be without blocking.
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, lines: Lines::new(), out: Vec::new(), gone: 0, closes_at: None })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.gone == self.out.len()
    }

    /// Whether so much waits that nothing may be added.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() - self.gone >= MOST_WAITING
    }

    /// Adds to what waits.
    pub(super) fn push(&mut self, line: &str) {
        self.out.drain(..self.gone);
        self.gone = 0;
        self.out.extend_from_slice(line.as_bytes());
    }

    /// Writes what can be written now.
    pub(super) fn flush(&mut self) -> Written {
        while let Some(rest) = self.out.get(self.gone..).filter(|rest| !rest.is_empty()) {
            match send(&self.stream, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => self.gone += sent,
                Err(Errno::INTR) => {}
                // Not all systems say which; both mean later.
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
