//! The agent of a run: this program again, as `numasim agent`, on a socket of its own.

use std::io::{self, BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use numasim_host::os::process::{self, kill_group, terminate_group};
use numasim_protocol::{AgentStatus, FromApp};

use crate::commands::agent::Connection;
use crate::failure::Failure;

/// It prints this and the path when applications can connect.
const LISTENING: &str = "listening on ";
/// How long it has for that.
const PATIENCE: Duration = Duration::from_secs(20);
/// For an answer.
const ANSWER: Duration = Duration::from_secs(1);
/// And for its end.
const GRACE: Duration = Duration::from_secs(3);

/// What it is started with.
pub(super) struct Wanted<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) policy: &'a str,
    pub(super) record: &'a Path,
    /// Programs that know nothing of agents: processes that will become them.
    pub(super) adopted: &'a [(String, u32)],
    /// Where it shall listen. It makes the folder itself, as closed as it must be.
    pub(super) socket: &'a Path,
}

/// An agent that runs.
pub(super) struct Agent {
    child: Child,
    socket: PathBuf,
    telling: Option<JoinHandle<Vec<String>>>,
    over: bool,
}

impl Agent {
    /// Starts it and waits until applications can connect.
    ///
    /// # Errors
    /// It cannot be started, or ends at once: with what it says.
    pub(super) fn start(wanted: &Wanted<'_>) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::input("cannot start an agent").caused_by(&error);
        let mut command = Command::new("/proc/self/exe");
        command.arg0("numasim").arg("agent");
        // A file may have the name of a command, or look like a switch.
        command.args(wanted.files.iter().map(|file| Path::new(".").join(file)));
        command.arg("--policy").arg(wanted.policy).arg("--socket").arg(wanted.socket);
        command.arg("--record").arg(wanted.record);
        // Its machine was found on this host, else nothing would run.
        command.arg("--this-host");
        for (name, pid) in wanted.adopted {
            command.arg("--adopt-started").arg(format!("{name}={pid}"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Standard error is inherited in any case.
        process::prepare(&mut command, 2);
        let mut child = command.spawn().map_err(failed)?;
        let (listens, heard) = mpsc::channel();
        let telling = child.stderr.take().map(|errors| thread::spawn(move || tell(errors, &listens)));
        let mut agent = Self { child, socket: wanted.socket.to_owned(), telling, over: false };
        match heard.recv_timeout(PATIENCE) {
            Ok(()) => Ok(agent),
            Err(why) => {
                if why == mpsc::RecvTimeoutError::Timeout {
                    kill_group(agent.child.id());
                }
                let _ = agent.child.wait();
                agent.over = true;
                let said = agent.telling.take().and_then(|told| told.join().ok()).unwrap_or_default();
                let failure = Failure::input("the agent of the run does not start");
                Err(said.into_iter().fold(failure, Failure::because))
            }
        }
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How long it has been there, by its own clock: the one of its record. `None` where it does not answer.
    pub(super) fn uptime_s(&self) -> Option<f64> {
        let mut asked = Connection::open(&self.socket, ANSWER).ok()?;
        asked.send(&FromApp::Query).ok()?;
        let answer = asked.line().ok()??;
        AgentStatus::parse(&answer).ok().map(|status| status.uptime_s)
    }

    /// Whether it still runs.
    pub(super) fn is_there(&mut self) -> bool {
        self.over = self.over || !matches!(self.child.try_wait(), Ok(None));
        !self.over
    }

    /// Ends it: asked first, so that its record is whole.
    pub(super) fn end(&mut self) {
        if !self.is_there() {
            return;
        }
        terminate_group(self.child.id());
        let last = Instant::now() + GRACE;
        while self.is_there() && Instant::now() < last {
            thread::sleep(Duration::from_millis(5));
        }
        if self.is_there() {
            kill_group(self.child.id());
            let _ = self.child.wait();
            self.over = true;
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.end();
    }
}

/// Hands on what the agent says, after its first line; what came before it listened is returned.
fn tell(errors: ChildStderr, listens: &mpsc::Sender<()>) -> Vec<String> {
    let mut before = Vec::new();
    let mut listening = false;
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        if listening {
            let line = numasim_model::text::visible(&line).into_owned();
            let _ = io::Write::write_all(&mut anstream::stderr(), format!("agent: {line}\n").as_bytes());
        } else if line.starts_with(LISTENING) {
            listening = true;
            let _ = listens.send(());
        } else {
            before.push(line);
        }
    }
    before
}
