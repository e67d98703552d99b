//! Requests to a running agent: its status, or its shutdown.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use numasim_agent::socket::{SocketError, reach};
use numasim_protocol::{AgentStatus, FromAgent, FromApp, Lines};

use crate::args::StatusFormat;
use crate::commands::agent::socket_path;
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;
use crate::view::agent;

/// A healthy agent answers within milliseconds, and exits within a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// `numasim agent status`.
pub(super) fn status(socket: Option<&Path>, format: StatusFormat, shell: &Shell) -> Result<(), Failure> {
    let path = socket_path(socket)?;
    let mut asked = Asked::open(&path, &FromApp::Query)?;
    let answer = asked.line()?.ok_or_else(|| asked.silent())?;
    if let Ok(FromAgent::Refused { text }) = FromAgent::parse(&answer) {
        return Err(Failure::input(format!("the agent on {} refuses: {text}", path.display())));
    }
    let status = AgentStatus::parse(&answer);
    let status = status.map_err(|why| asked.strange(&why))?;
    match format {
        StatusFormat::Table => Destination::Stdout.deliver(&agent::table(&status, &shell.style(false))),
        StatusFormat::Json => {
            Destination::Stdout.deliver_by(|out| numasim_ask::document::write(&status, out))
        }
    }
}

/// `numasim agent stop`: returns when the socket is gone, because its removal is the agent's last action.
pub(super) fn stop(socket: Option<&Path>) -> Result<(), Failure> {
    let path = socket_path(socket)?;
    let mut asked = Asked::open(&path, &FromApp::Stop)?;
    match asked.line()? {
        None => Ok(()),
        Some(answer) => match FromAgent::parse(&answer) {
            Ok(FromAgent::Refused { text }) => {
                Err(Failure::input(format!("the agent on {} refuses: {text}", path.display())))
            }
            _ => Err(asked.strange("an answer to a stop")),
        },
    }
}

/// An agent that received a request, and its name in messages.
struct Asked {
    path: String,
    connection: Connection,
}

impl Asked {
    fn open(path: &Path, question: &FromApp) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let mut connection =
            Connection::open(path, PATIENCE).map_err(|error| Failure::input(error.to_string()))?;
        match connection.send(question) {
            // It may have sent the reason before it closed the connection.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::input(format!("the agent on {shown} cannot be asked")).caused_by(&error))
            }
            _ => Ok(Self { path: shown, connection }),
        }
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        self.connection.line().map_err(|error| match error.kind() {
            ErrorKind::TimedOut => Failure::input(format!(
                "the program that listens on {} has said nothing for {} s",
                self.path,
                PATIENCE.as_secs()
            ))
            .hint("is it stopped (Ctrl-Z), or no agent at all?"),
            _ => Failure::input(format!("the agent on {} cannot be heard", self.path)).caused_by(&error),
        })
    }

    fn silent(&self) -> Failure {
        Failure::input(format!("the program that listens on {} has closed without an answer", self.path))
            .hint("an agent answers its own user only")
    }

    fn strange(&self, why: &str) -> Failure {
        Failure::input(format!("the program that listens on {} is no agent of this version", self.path))
            .because(why)
    }
}

// A connection to an agent for requests.

/// Requests out, lines in.
pub(crate) struct Connection {
    stream: UnixStream,
    lines: Lines,
}

impl Connection {
    /// Connects. Each read and write waits at most `patience`.
    ///
    /// # Errors
    /// No process listens on the socket, or the system refuses.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Self, SocketError> {
        Ok(Self { stream: reach(path, patience)?, lines: Lines::unlimited() })
    }

    /// Sends a request.
    ///
    /// # Errors
    /// The errors of the system.
    pub(crate) fn send(&mut self, question: &FromApp) -> io::Result<()> {
        self.stream.write_all(question.line().as_bytes())
    }

    /// The next line; `None` at the end, including a connection that was reset.
    ///
    /// # Errors
    /// The errors of the system; [`ErrorKind::TimedOut`] when the time limit is reached.
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
