//! Asks an agent that runs, or ends it.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use numasim_agent::socket::reach;
use numasim_protocol::{AgentStatus, FromAgent, FromApp, Lines};

use super::socket_path;
use crate::args::StatusFormat;
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;
use crate::view::{agent, json};

/// An agent that is well answers within milliseconds, and ends within a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// `numasim agent status`.
pub(super) fn status(socket: Option<&Path>, format: StatusFormat, shell: &Shell) -> Result<(), Failure> {
    let path = socket_path(socket)?;
    let mut connection = Connection::open(&path, &FromApp::Query)?;
    let answer = connection.line()?.ok_or_else(|| connection.silent())?;
    if let Ok(FromAgent::Refused { text }) = FromAgent::parse(&answer) {
        return Err(Failure::input(format!("the agent on {} refuses: {text}", path.display())));
    }
    let status = AgentStatus::parse(&answer);
    let status = status.map_err(|why| connection.strange(&why))?;
    match format {
        StatusFormat::Table => Destination::Stdout.deliver(&agent::table(&status, &shell.style(false))),
        StatusFormat::Json => Destination::Stdout.deliver_by(|out| json::write(&status, out)),
    }
}

/// `numasim agent stop`: returns when the socket is gone, which the agent's last act is to say.
pub(super) fn stop(socket: Option<&Path>) -> Result<(), Failure> {
    let path = socket_path(socket)?;
    let mut connection = Connection::open(&path, &FromApp::Stop)?;
    match connection.line()? {
        None => Ok(()),
        Some(answer) => match FromAgent::parse(&answer) {
            Ok(FromAgent::Refused { text }) => {
                Err(Failure::input(format!("the agent on {} refuses: {text}", path.display())))
            }
            _ => Err(connection.strange("an answer to a stop")),
        },
    }
}

/// A connection on which something was asked.
struct Connection {
    path: String,
    stream: UnixStream,
    lines: Lines,
}

impl Connection {
    fn open(path: &Path, question: &FromApp) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let failed = |error: io::Error| {
            Failure::input(format!("the agent on {shown} cannot be asked")).caused_by(&error)
        };
        let mut stream = reach(path).map_err(|error| Failure::input(error.to_string()))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
        match stream.write_all(question.line().as_bytes()) {
            // It may have said why before it closed.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(failed(error)),
            _ => {}
        }
        Ok(Self { path: shown, stream, lines: Lines::unlimited() })
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let mut piece = vec![0; 1 << 16];
        loop {
            // There is no limit that could be passed.
            if let Ok(Some(line)) = self.lines.next_line() {
                return Ok(Some(line.to_vec()));
            }
            match self.stream.read(&mut piece) {
                Ok(0) => return Ok(None),
                Ok(bytes) => self.lines.push(piece.get(..bytes).unwrap_or_default()),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return Ok(None),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        return Err(Failure::input(format!(
                            "the program that listens on {} has said nothing for {} s",
                            self.path,
                            PATIENCE.as_secs()
                        ))
                        .hint("is it stopped (Ctrl-Z), or no agent at all?"));
                    }
                    _ => {
                        let failure = Failure::input(format!("the agent on {} cannot be heard", self.path));
                        return Err(failure.caused_by(&error));
                    }
                },
            }
        }
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
