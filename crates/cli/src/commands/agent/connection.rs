//! A connection to an agent, on which questions are asked.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use numasim_agent::socket::{SocketError, reach};
use numasim_protocol::{FromApp, Lines};

/// Questions out, lines in.
pub(crate) struct Connection {
    stream: UnixStream,
    lines: Lines,
}

impl Connection {
    /// Connects. Each reading and writing waits at most `patience`.
    ///
    /// # Errors
    /// Nobody listens there, or the system refuses.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Self, SocketError> {
        Ok(Self { stream: reach(path, patience)?, lines: Lines::unlimited() })
    }

    /// Sends a question.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn send(&mut self, question: &FromApp) -> io::Result<()> {
        self.stream.write_all(question.line().as_bytes())
    }

    /// The next line; `None` at the end, of a connection that was reset, too.
    ///
    /// # Errors
    /// What the system says; [`ErrorKind::TimedOut`] when the patience is over.
    pub(crate) fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut piece = vec![0; 1 << 16];
        loop {
            if let Some(line) = self.lines.next_line().map_err(io::Error::other)? {
                return Ok(Some(line.to_vec()));
            }
            match self.stream.read(&mut piece) {
                Ok(0) => return Ok(None),
                Ok(bytes) => self.lines.push(piece.get(..bytes).unwrap_or_default()),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return Ok(None),
                    ErrorKind::WouldBlock => return Err(ErrorKind::TimedOut.into()),
                    _ => return Err(error),
                },
            }
        }
    }
}
