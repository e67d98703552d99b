//! One connection to an agent, on which its status is asked for again and again.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use numasim_protocol::{AgentStatus, FromApp};

use crate::commands::agent::Connection;

/// An agent answers within a few milliseconds; one that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(5);

/// Somebody who asks.
pub(crate) struct Asking {
    path: PathBuf,
    connection: Connection,
}

impl Asking {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens there, or the system refuses.
    pub(crate) fn connect(path: &Path) -> io::Result<Self> {
        let connection = Connection::open(path, PATIENCE).map_err(io::Error::other)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The agent is gone, hangs, or answers what is no status.
    pub(crate) fn ask(&mut self) -> io::Result<AgentStatus> {
        self.connection.send(&FromApp::Query)?;
        let answer = self.connection.line().map_err(|error| match error.kind() {
            ErrorKind::TimedOut => io::Error::new(ErrorKind::TimedOut, "it does not answer"),
            _ => error,
        })?;
        let gone = || io::Error::new(ErrorKind::UnexpectedEof, "it closed the connection");
        AgentStatus::parse(&answer.ok_or_else(gone)?)
            .map_err(|error| io::Error::other(format!("its answer is no status: {error}")))
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
