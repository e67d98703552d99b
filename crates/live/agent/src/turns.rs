//! Applications that take turns as the agent: the first one to come serves, in a thread of its process, and when it exits or is killed,
//! the next one takes over.
//!
//! The lock is the socket: one process listens on it, and the system releases it when that process exits for any reason
//! ([`Socket::listen`]). The record contains the policy and the files, so its path is all that an application needs. Each turn continues
//! the record. The policy begins anew with each turn, as after a restart of an agent: applications report the state again.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use numasim_host::os::thread::now_ns;
use numasim_policy::{Policy, PolicyName};

use crate::record::{self, Record, Start};
use crate::server::{Agent, Nobody, Outside, serve};
use crate::socket::{Socket, SocketError};
use crate::{Decided, Settings};

/// The longest first line of a record: it contains the input files.
const LONGEST: u64 = 256 << 20;

/// The data that an application needs to serve in its turn, read from a record.
#[derive(Clone, Debug)]
pub struct Turns {
    record: PathBuf,
    study: numasim_course::Study,
    policy: PolicyName,
}

/// Why an application cannot take turns.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The record.
    #[error("{}", with_reason(.0))]
    Record(record::RecordError),
    /// The socket.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The record names a policy that cannot be created.
    #[error("policy '{policy}' of {} cannot decide: {why}", record.display())]
    Policy {
        /// The policy.
        policy: String,
        /// The record.
        record: PathBuf,
        /// The problem.
        why: String,
    },
    /// The system starts no thread.
    #[error("this application cannot serve as the agent: {0}")]
    System(#[from] io::Error),
}

impl From<record::RecordError> for TurnError {
    fn from(error: record::RecordError) -> Self {
        Self::Record(error)
    }
}

fn with_reason(error: &record::RecordError) -> String {
    let reason = std::error::Error::source(error).map(|reason| format!(": {reason}"));
    format!("{error}{}", reason.unwrap_or_default())
}

impl Turns {
    /// The variable with the path of the record.
    pub const RECORD: &'static str = "NUMASIM_RECORD";

    /// Reads the first line of a record.
    ///
    /// # Errors
    /// A file that cannot be read or is no record, and a policy that cannot be created.
    pub fn read(path: &Path) -> Result<Self, TurnError> {
        let no_record = |why| record::RecordError::NoRecord { path: path.to_owned(), why };
        let unread = |source| record::RecordError::System { what: "read", path: path.to_owned(), source };
        let mut line = String::new();
        let file = File::open(path).map_err(&unread)?;
        BufReader::new(file.take(LONGEST)).read_line(&mut line).map_err(unread)?;
        let start = Start::parse(&line).map_err(no_record)?;
        let read = numasim_course::read_study(&start.sources(&path.display().to_string()));
        let study = read.map_err(|problems| {
            let first = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
            no_record(format!("its files: {first}"))
        })?;
        let study = start.applied_to(study.study).map_err(no_record)?;
        let failed = |why: &dyn std::fmt::Display| TurnError::Policy {
            policy: start.policy.clone(),
            record: path.to_owned(),
            why: why.to_string(),
        };
        let policy: PolicyName =
            start.policy.parse().map_err(|why: numasim_policy::NameError| failed(&why))?;
        let turns = Self { record: path.to_owned(), study, policy };
        turns.policy()?;
        Ok(turns)
    }

    fn policy(&self) -> Result<Option<Box<dyn Policy + Send>>, TurnError> {
        self.policy.make(&self.study).map_err(|why| TurnError::Policy {
            policy: self.policy.to_string(),
            record: self.record.clone(),
            why: why.to_string(),
        })
    }

    /// Begins a turn if no process listens on the socket; `None` if one does.
    ///
    /// # Errors
    /// The socket or the record cannot be used.
    pub fn begin(&self, path: &Path) -> Result<Option<Turn>, TurnError> {
        let socket = match Socket::listen(path) {
            Ok(socket) => socket,
            Err(SocketError::Listens { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let policy = self.policy()?;
        let looks_at_work = policy.as_ref().is_some_and(|policy| policy.looks_at().work);
        let pid = std::process::id();
        let turn = record::Turn { pid, clock_s: now_ns() as f64 / 1e9 };
        let record = Record::resume(&self.record, turn, looks_at_work)?;
        let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let settings = Settings {
            study: self.study.clone(),
            policy: self.policy.clone(),
            period: Duration::try_from_secs_f64(self.study.dynamics.policy.period.value())
                .unwrap_or_default(),
            dry_run: false,
            pid: u64::from(pid),
            socket: shown.display().to_string(),
        };
        let (stop, stopped) = UnixStream::pair()?;
        let life = move || {
            let mut outside = Recorded(Some(record));
            let (adopted, stop) = (Box::new(Nobody), Box::new(stopped));
            let agent = Agent { settings, policy, socket, host: None, stop, adopted, outside: &mut outside };
            if let Err(error) = serve(agent) {
                eprintln!("numasim: this application does not serve as the agent any more: {error}");
            }
        };
        let thread = Builder::new().name("serves".into()).spawn(life)?;
        Ok(Some(Turn { stop: Some(stop), thread: Some(thread) }))
    }
}

/// The turn of this process: a thread that serves until it is dropped, or asked to stop on the socket.
#[derive(Debug)]
pub struct Turn {
    /// Closing it stops the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Turn {
    /// Whether the thread has stopped.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // the panic hook has printed any panic
        }
    }
}

/// An application's standard error belongs to the application: events go only to the record.
struct Recorded(Option<Record>);

impl Outside for Recorded {
    fn listening(&mut self) {}

    fn report(&mut self, _line: &str) {}

    fn decided(&mut self, decided: &Decided) {
        if let Some(record) = &mut self.0
            && let Err(warning) = record.add(decided)
        {
            eprintln!("numasim: {warning}");
        }
    }

    fn no_more_decisions(&mut self) {
        self.0 = None;
    }
}
