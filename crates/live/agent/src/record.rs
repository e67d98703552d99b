//! A policy's views and decisions, as lines of JSON. Simulations and agents write them; `simulate --replay` and applications that take
//! turns as the agent read them.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use numasim_course::Study;
use numasim_model::ModelKind;
use numasim_model::order::{Control, Waiting};
use numasim_model::units::{Gflop, Seconds};
use numasim_policy::{AppView, PolicyName};
use numasim_protocol::Action;
use numasim_study::SourceFile;
use serde::{Deserialize, Serialize};

use crate::Decided;

// The default machine of an agent whose files define none: its host.

/// Whether the text of a file defines a machine.
pub fn has_machine(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("machine"))
}

/// A file that describes a host with this number of cores on each node. Policies know only the cores of an agent's host: a policy that
/// computes needs a machine.
pub fn host_of(name: String, cores: &[u32]) -> SourceFile {
    let node = |&cores: &u32| {
        let gflops = if cores == 0 { 0.0 } else { 1.0 };
        format!("[[machine.node]]\ncores = {cores}\ngflops_per_core = {gflops:?}\n")
    };
    let nodes: String = cores.iter().map(node).collect();
    let text = format!("[machine]\nname = \"host\"\nbandwidth_gbs = 1.0\nlink_gbs = 1.0\n{nodes}");
    SourceFile { name, text }
}

// The first line, and decisions as lines.

/// The content of the first line.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The study of the policy.
    pub study: &'a Study,
    /// Its files.
    pub sources: &'a [SourceFile],
    /// The policy.
    pub policy: &'a PolicyName,
    /// The sharing model, if the command line chose it.
    pub model: Option<ModelKind>,
    /// Whether the policy uses the remaining work and the time.
    pub looks_at_work: bool,
}

/// The first line, without its end.
pub fn first_line(of: &Of<'_>) -> String {
    let Of { study, sources, policy, model, looks_at_work: _ } = *of;
    let file = |source: &SourceFile| InputFile { path: source.name.clone(), text: source.text.clone() };
    let start = Start {
        schema: SCHEMA,
        program: concat!("numasim ", env!("CARGO_PKG_VERSION")).to_owned(),
        policy: policy.to_string(),
        period_ms: study.dynamics.policy.period.value() * 1e3,
        cores: study.machine.nodes().iter().map(|node| node.cores).collect(),
        files: sources.iter().map(file).collect(),
        model: model.map(|kind| kind.as_str().to_owned()),
    };
    json(&Line::Start(start))
}

/// Decisions as lines: those that send something, and those whose view differs from the previous one.
#[derive(Debug)]
pub struct Decisions {
    /// Whether the policy uses the remaining work and the time: then no view equals the previous one.
    looks_at_work: bool,
    /// The last view that was written.
    last: Option<(Vec<Seen>, Vec<String>)>,
}

impl Decisions {
    /// Before the first line.
    pub fn new(looks_at_work: bool) -> Self {
        Self { looks_at_work, last: None }
    }

    /// An application as the policy saw it.
    pub fn seen(&self, name: &str, view: &AppView) -> Seen {
        Seen::new(name, view, self.looks_at_work)
    }

    /// The line of a decision, without its end; `None` if it contains nothing new.
    pub fn line(
        &mut self,
        time: Seconds,
        apps: Vec<Seen>,
        gone: Vec<String>,
        actions: Vec<Action>,
    ) -> Option<String> {
        let seen = (apps, gone);
        if !self.looks_at_work && actions.is_empty() && self.last.as_ref() == Some(&seen) {
            return None;
        }
        let (apps, gone) = seen.clone();
        self.last = Some(seen);
        Some(json(&Line::Decision(Decision { time_s: time.value(), apps, gone, actions })))
    }
}

// The file.

/// Why a record cannot be made, continued or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file exists.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The system refuses.
    #[error("the record {} cannot be {what}", path.display())]
    System {
        /// The attempt: `made`, `written`, `read`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Its first line is not the start of a record.
    #[error("{}:1: this is no record of an agent: {why}", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// The problem.
        why: String,
    },
}

impl RecordError {
    fn system(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::System { what, path, source }
    }
}

/// The record of an agent: each decision is written as a complete line.
#[derive(Debug)]
pub struct Record<F = File> {
    path: PathBuf,
    file: F,
    /// Bytes of whole lines.
    written: u64,
    decisions: Decisions,
    /// Writing has failed: nothing is added.
    has_ended: bool,
}

/// A file whose end can be cut off.
pub trait Cut: io::Write {
    /// Keeps this number of bytes.
    ///
    /// # Errors
    /// Errors of the system.
    fn cut(&mut self, bytes: u64) -> io::Result<()>;
}

impl Cut for File {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }
}

impl Record {
    /// Makes the file, with its first line.
    ///
    /// # Errors
    /// The file exists, or cannot be written; then nothing is left of it.
    pub fn create(path: &Path, of: &Of<'_>) -> Result<Self, RecordError> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = made.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => RecordError::Exists(path.to_owned()),
            _ => RecordError::system("made", path)(error),
        })?;
        let line = first_line(of) + "\n";
        if let Err(error) = file.write_all(line.as_bytes()) {
            let _ = std::fs::remove_file(path);
            return Err(RecordError::system("written", path)(error));
        }
        Ok(Self::new(path, file, line.len() as u64, of.looks_at_work))
    }

    /// Continues the record of another process with the line of a turn. An incomplete last line is cut off: its process was killed while
    /// it wrote.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn resume(path: &Path, turn: Turn, looks_at_work: bool) -> Result<Self, RecordError> {
        let failed = || RecordError::system("written", path);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed())?;
        let whole = whole_lines(&mut file).map_err(failed())?;
        file.set_len(whole).map_err(failed())?;
        file.seek(SeekFrom::Start(whole)).map_err(failed())?;
        let line = json(&Line::Turn(turn)) + "\n";
        if let Err(error) = file.write_all(line.as_bytes()) {
            let _ = file.set_len(whole);
            return Err(failed()(error));
        }
        Ok(Self::new(path, file, whole + line.len() as u64, looks_at_work))
    }

    /// Removes the file again: there was no agent.
    pub fn discard(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The length of a file without an incomplete last line.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const PIECE: u64 = 1 << 16;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut piece = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        piece.clear();
        file.take(end - start).read_to_end(&mut piece)?;
        if let Some(last) = piece.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

impl<F: Cut> Record<F> {
    fn new(path: &Path, file: F, written: u64, looks_at_work: bool) -> Self {
        let decisions = Decisions::new(looks_at_work);
        Self { path: path.to_owned(), file, written, decisions, has_ended: false }
    }

    /// Adds a decision, if it contains anything new.
    ///
    /// # Errors
    /// A warning, once, if nothing more can be written; the existing content is complete.
    pub fn add(&mut self, decided: &Decided) -> Result<(), String> {
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

// The lines of a trace as types. Each is one JSON object; unknown keys are ignored.

/// The version of the format.
pub const SCHEMA: u64 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first one.
    Start(Start),
    /// Another process serves from here.
    Turn(Turn),
    /// A decision.
    Decision(Decision),
}

/// An application begins its turn as the agent. Its policy starts without state, and the times of its decisions count from here.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The process.
    pub pid: u32,
    /// The monotonic clock of the host, in s.
    pub clock_s: f64,
}

/// The context of all following lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The version of the format.
    pub schema: u64,
    /// The program that wrote it, with its version.
    pub program: String,
    /// In the format of `--policy`.
    pub policy: String,
    /// Time between two decisions; 0: whenever something happens.
    pub period_ms: f64,
    /// Cores of each node.
    pub cores: Vec<u32>,
    /// The input files themselves.
    pub files: Vec<InputFile>,
    /// The sharing model, if it is not that of the files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// One input file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputFile {
    /// Its name, as it was given.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The policy's view, and the actions that were sent for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Time since the start of the agent, or of the turn.
    pub time_s: f64,
    /// The applications that are present, in file order.
    pub apps: Vec<Seen>,
    /// Names of the applications of the files that were present before.
    pub gone: Vec<String>,
    /// The orders that were sent, in file order.
    pub actions: Vec<Action>,
}

/// One application as the policy saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// The orders that it can follow.
    pub control: Control,
    /// Threads on each node.
    pub threads: Vec<u32>,
    /// Threads that run a task.
    pub running: Vec<u32>,
    /// Threads that may take no task.
    pub blocked: Vec<u32>,
    /// Iterations done.
    pub progress: u64,
    /// Why it waits.
    pub waiting: Waiting,
    /// Tasks that no thread has begun; null if the application reports none.
    pub queued: Option<u64>,
    /// Its phase, from 0.
    pub phase: usize,
    /// The remaining work, for a policy that uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_gflop: Option<f64>,
}

impl Seen {
    /// From a view; the remaining work is set only if the policy uses it.
    pub fn new(name: &str, view: &AppView, looks_at_work: bool) -> Self {
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

impl Start {
    /// Parses the first line of a record.
    ///
    /// # Errors
    /// Why it is no start of this version.
    pub fn parse(line: &str) -> Result<Self, String> {
        match serde_json::from_str(line) {
            Ok(Line::Start(start)) if start.schema == SCHEMA => Ok(start),
            Ok(Line::Start(start)) => Err(format!("its schema is {}, not {SCHEMA}", start.schema)),
            Ok(Line::Turn(_) | Line::Decision(_)) => Err("its first line is no start".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The input files, and the host if none of them defines a machine. `name` is the name of the record.
    pub fn sources(&self, name: &str) -> Vec<SourceFile> {
        let source = |file: &InputFile| SourceFile {
            name: format!("{name}:1, in it {}", file.path),
            text: file.text.clone(),
        };
        let mut sources: Vec<SourceFile> = self.files.iter().map(source).collect();
        if !sources.iter().any(|source| has_machine(&source.text)) {
            sources.push(host_of(format!("the host of {name}"), &self.cores));
        }
        sources
    }

    /// The study of these files with the sharing model and the period of the record.
    ///
    /// # Errors
    /// An unknown model, or cores that differ from those of the machine.
    pub fn applied_to(&self, mut study: Study) -> Result<Study, String> {
        if let Some(model) = &self.model {
            let kind =
                ModelKind::from_word(model).ok_or_else(|| format!("there is no sharing model '{model}'"))?;
            study.machine = study.machine.clone().with_model(kind);
        }
        let cores: Vec<u32> = study.machine.nodes().iter().map(|node| node.cores).collect();
        if cores != self.cores {
            return Err(format!("its `cores` are {:?}, those of its machine {cores:?}", self.cores));
        }
        study.dynamics.policy.period = Seconds::new(self.period_ms / 1e3);
        Ok(study)
    }
}

/// A line of a record, without its end.
pub fn json(line: &impl Serialize) -> String {
    // Numbers, text and lists: serialising them cannot fail.
    serde_json::to_string(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with this capacity in bytes.
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

    fn record(room: usize) -> Record<Disk> {
        Record::new(Path::new("r.jsonl"), Disk { room, bytes: Vec::new() }, 0, false)
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
