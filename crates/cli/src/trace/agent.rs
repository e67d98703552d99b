//! The record of an agent while it runs: lines that are written whole when something is decided.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use numasim_agent::Decided;
use numasim_model::order::{Control, Waiting};
use numasim_model::units::Gflop;
use numasim_policy::AppView;
use numasim_protocol::Action;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::trace::{Decisions, Of, first_line};

/// The record of an agent.
#[derive(Debug)]
pub(crate) struct AgentRecord<F = File> {
    path: PathBuf,
    file: F,
    /// Bytes of whole lines.
    written: u64,
    decisions: Decisions,
    /// Writing has failed: nothing is added.
    has_ended: bool,
}

/// A file that can lose its end again.
pub(crate) trait Cut: io::Write {
    /// Keeps so many bytes.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Cut for File {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

impl AgentRecord {
    /// Makes the file, with its first line.
    ///
    /// # Errors
    /// A file that exists, or cannot be written; then nothing is left of it.
    pub(crate) fn create(path: &Path, of: &Of<'_>) -> Result<Self, Failure> {
        let shown = path.display();
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = made.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::output(format!("{shown} exists already"))
                .hint("a record is never written over: name another file, or remove this one"),
            _ => Failure::output(format!("the record {shown} cannot be made")).caused_by(&error),
        })?;
        let line = first_line(of) + "\n";
        if let Err(error) = file.write_all(line.as_bytes()) {
            let _ = std::fs::remove_file(path);
            return Err(Failure::output(format!("the record {shown} cannot be written")).caused_by(&error));
        }
        Ok(Self::new(path, file, line.len() as u64, of.looks_at_work))
    }

    /// Removes the file again: there was no agent.
    pub(crate) fn discard(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl<F: Cut> AgentRecord<F> {
    fn new(path: &Path, file: F, written: u64, looks_at_work: bool) -> Self {
        let decisions = Decisions::new(looks_at_work);
        Self { path: path.to_owned(), file, written, decisions, has_ended: false }
    }

    /// Adds a decision, if it says something new.
    ///
    /// # Errors
    /// A warning, once, where nothing more can be written; what is there is whole.
    pub(crate) fn add(&mut self, decided: &Decided) -> Result<(), String> {
        if self.has_ended {
            return Ok(());
        }
        let apps: Vec<Seen> =
            decided.apps.iter().map(|app| self.decisions.seen(&app.name, &app.view)).collect();
        let line = self.decisions.line(decided.time, apps, decided.gone.clone(), decided.actions.clone());
        let Some(line) = line else { return Ok(()) };
        let line = line + "\n";
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.has_ended = true;
            let _ = self.file.cut(self.written);
            return Err(format!("the record {} ends here: {error}", self.path.display()));
        }
        self.written += line.len() as u64;
        Ok(())
    }
}

// The lines of a trace as types. Each is one JSON object; keys that are not known are ignored.

/// The version of the format.
pub(super) const SCHEMA: u64 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Line {
    /// The first one.
    Start(Start),
    /// Every other one.
    Decision(Decision),
}

/// What everything else depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) schema: u64,
    /// Who wrote it, with its version.
    pub(super) program: String,
    /// As `--policy` takes it.
    pub(super) policy: String,
    /// Time between two decisions; 0 is whenever something happens.
    pub(super) period_ms: f64,
    /// Cores of each node.
    pub(super) cores: Vec<u32>,
    /// The input files themselves.
    pub(super) files: Vec<InputFile>,
    /// The sharing model, where it is not that of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
}

/// One input file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct InputFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// What the policy saw, and what was sent for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Decision {
    pub(super) time_s: f64,
    /// Those that are there, in file order.
    pub(super) apps: Vec<Seen>,
    /// Names of those of the files that were there.
    pub(super) gone: Vec<String>,
    /// What was sent, in file order.
    pub(super) actions: Vec<Action>,
}

/// One application as the policy saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) control: Control,
    pub(super) threads: Vec<u32>,
    pub(super) running: Vec<u32>,
    pub(super) blocked: Vec<u32>,
    pub(super) progress: u64,
    pub(super) waiting: Waiting,
    /// Null where nobody told it.
    pub(super) queued: Option<u64>,
    pub(super) phase: usize,
    /// The work that is left, for a policy that looks at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) left_gflop: Option<f64>,
}

impl Seen {
    /// Of a view; the work that is left only where the policy looks at it.
    pub(super) fn new(name: &str, view: &AppView, looks_at_work: bool) -> Self {
        Self {
            name: name.to_owned(),
            control: view.control,
            threads: view.threads.clone(),
            running: view.running.clone(),
            blocked: view.blocked.clone(),
            progress: view.progress,
            waiting: view.waiting,
            queued: view.queued,
            phase: view.phase,
            left_gflop: view.left.filter(|_| looks_at_work).map(Gflop::value),
        }
    }
}

/// As it stands in a trace.
pub(super) fn json(line: &impl Serialize) -> String {
    // Numbers, text and lists: nothing can fail.
    serde_json::to_string(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use numasim_model::units::Seconds;

    use super::*;

    /// A disk with room for so many bytes.
    struct Disk {
        room: usize,
        bytes: Vec<u8>,
    }

    impl io::Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fits = bytes.len().min(self.room - self.bytes.len());
            if fits == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.bytes.extend_from_slice(&bytes[..fits]);
            Ok(fits)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Cut for Disk {
        fn cut(&mut self, bytes: u64) -> io::Result<()> {
            self.bytes.truncate(usize::try_from(bytes).unwrap());
            Ok(())
        }
    }

    fn decided(gone: &[&str]) -> Decided {
        let gone = gone.iter().map(|&name| name.to_owned()).collect();
        Decided { time: Seconds::new(0.25), apps: vec![], gone, actions: vec![] }
    }

    fn record(room: usize) -> AgentRecord<Disk> {
        AgentRecord::new(Path::new("r.jsonl"), Disk { room, bytes: Vec::new() }, 0, false)
    }

    #[test]
    fn a_decision_that_sends_nothing_is_there_if_its_view_is_new() {
        let mut record = record(1000);
        for gone in [&[][..], &[], &["a"], &["a"], &[]] {
            record.add(&decided(gone)).unwrap();
        }
        let line = |gone| {
            format!("{{\"type\":\"decision\",\"time_s\":0.25,\"apps\":[],\"gone\":{gone},\"actions\":[]}}\n")
        };
        let expected = line("[]") + &line("[\"a\"]") + &line("[]");
        assert_eq!(String::from_utf8(record.file.bytes).unwrap(), expected);
    }

    #[test]
    fn a_full_disk_ends_the_record_after_its_last_whole_line() {
        let line = "{\"type\":\"decision\",\"time_s\":0.25,\"apps\":[],\"gone\":[],\"actions\":[]}\n".len();
        let mut record = record(line + 10);
        record.add(&decided(&[])).unwrap();
        let warning = record.add(&decided(&["a"])).expect_err("no room");
        assert_eq!(warning, "the record r.jsonl ends here: no storage space");
        assert_eq!(record.file.bytes.len(), line);
        assert_eq!(record.add(&decided(&["b"])), Ok(()), "told once");
        assert_eq!(record.file.bytes.len(), line);
    }
}
