//! One connection to an agent, on which its status is asked for again and again.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use numasim_protocol::{AgentStatus, FromApp, Lines};

/// An agent answers within a few milliseconds; one that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(5);

/// Somebody who asks.
pub(crate) struct Asking {
    path: PathBuf,
    stream: UnixStream,
    lines: Lines,
}

impl Asking {
    /// Connects.
    ///
    /// # Errors
    /// What the system says: nobody listens there, or we may not.
    pub(crate) fn connect(path: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { path: path.to_owned(), stream, lines: Lines::unlimited() })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The agent is gone, hangs, or answers what is no status.
    pub(crate) fn ask(&mut self) -> io::Result<AgentStatus> {
        self.stream.write_all(FromApp::Query.line().as_bytes())?;
        let mut bytes = [0; 16 * 1024];
        loop {
            if let Some(line) = self.lines.next_line().map_err(io::Error::other)? {
                return AgentStatus::parse(line)
                    .map_err(|error| io::Error::other(format!("its answer is no status: {error}")));
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection"));
                }
                Ok(read) => self.lines.push(bytes.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Asks once more on a new connection, after the old one broke.
    ///
    /// # Errors
    /// As [`Self::connect`] and [`Self::ask`].
    pub(crate) fn ask_anew(&mut self) -> io::Result<AgentStatus> {
        *self = Self::connect(&self.path)?;
        self.ask()
    }
}
