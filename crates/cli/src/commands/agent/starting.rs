//! Starts an agent. Everything is checked before anything is created, and created files are removed if the agent cannot start.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::Duration;

use numasim_agent::record::{Of, Record, RecordError, has_machine, host_of};
use numasim_agent::server::{Agent, Outside, Signals, raise_file_limit, serve};
use numasim_agent::socket::Socket;
use numasim_agent::turns::Turns;
use numasim_agent::{Decided, Settings};
use numasim_ask::located::Located;
use numasim_ask::over_time::{
    copies_are_only_read, intensities_are_given, one_thread_per_core, policy_of_files,
};
use numasim_course::Study;
use numasim_host::system::NodeCores;
use numasim_model::text::visible;
use numasim_model::units::Seconds;
use numasim_policy::{Policy, PolicyName};
use numasim_study::{SourceFile, TableKind};

use crate::args::{AgentArgs, is_period};
use crate::commands::agent::processes::Processes;
use crate::commands::agent::socket_path;
use crate::commands::host_nodes;
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Serves until it is stopped.
pub(super) fn run(args: &AgentArgs, shell: &Shell) -> Result<(), Failure> {
    let asked = Asked {
        files: &args.files,
        policy: args.policy.as_ref(),
        period_ms: args.period_ms,
        this_host: args.this_host,
    };
    let path = socket_path(args.socket.as_deref())?;
    let question = read_question(&asked)?;
    warn_of_data(&question.study, &question.policy, shell);
    if let (Some(record), true) = (&args.record, args.record_only) {
        return question.record_only(record);
    }
    let adopted = Processes::begin(&args.adopt, &args.adopt_started, question.host.as_deref())?;
    adopted.ways().iter().for_each(|way| shell.note(way));
    let record = record(args, &question)?;
    let socket = match Socket::listen(&path) {
        Ok(socket) => socket,
        Err(error) => {
            if let Some(record) = record {
                record.discard();
            }
            return Err(Failure::input(error.to_string()));
        }
    };
    let shown = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
    let Question { study, policy, decides, period, host, .. } = question;
    let settings = Settings {
        study,
        policy,
        period,
        dry_run: args.dry_run,
        pid: u64::from(std::process::id()),
        socket: shown.display().to_string(),
    };
    let no_thread = |error| Failure::input("this host has no room for another thread").caused_by(&error);
    let mut outside = Told::new(&path, record).map_err(no_thread)?;
    let adopted = Box::new(adopted);
    raise_file_limit();
    let stop = Box::new(
        Signals::listen()
            .map_err(|error| Failure::input("this host has no room for another socket").caused_by(&error))?,
    );
    let agent = Agent { settings, policy: decides, socket, host, stop, adopted, outside: &mut outside };
    serve(agent).map_err(|error| {
        if !outside.has_listened
            && let Some(record) = &args.record
        {
            let _ = std::fs::remove_file(record);
        }
        Failure::input("the agent cannot go on").caused_by(&error)
    })
}

fn record(args: &AgentArgs, question: &Question) -> Result<Option<Record>, Failure> {
    args.record.as_deref().map(|path| question.record(path)).transpose()
}

impl Question {
    /// Creates the record.
    ///
    /// # Errors
    /// A file that exists or cannot be written.
    fn record(&self, path: &Path) -> Result<Record, Failure> {
        let looks = self.decides.as_ref().map(|policy| policy.looks_at());
        let of = Of {
            study: &self.study,
            sources: &self.sources,
            policy: &self.policy,
            model: None,
            looks_at_work: looks.is_some_and(|looks| looks.work),
        };
        Record::create(path, &of).map_err(|error| match &error {
            RecordError::Exists(_) => Failure::output(error.to_string())
                .hint("a record is never written over: name another file, or remove this one"),
            RecordError::System { source, .. } => Failure::output(error.to_string()).caused_by(source),
            RecordError::NoRecord { .. } => Failure::output(error.to_string()),
        })
    }

    /// Creates a record that applications continue when they take turns as the agent.
    ///
    /// # Errors
    /// The record cannot be created, or contains tables that applications do not read.
    pub(crate) fn record_only(&self, path: &Path) -> Result<(), Failure> {
        let record = self.record(path)?;
        Turns::read(path).map(drop).map_err(|error| {
            record.discard();
            let message = "applications cannot take turns as the agent with these files";
            Failure::input(message).caused_by(&error).hint("leave out the tables of tasks")
        })
    }
}

// The task of an agent, from files and command line, checked before anything is created.

/// Default without an option or a value in a file.
const PERIOD_MS: f64 = 80.0;

/// The request on the command line.
pub(crate) struct Asked<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) policy: Option<&'a PolicyName>,
    pub(crate) period_ms: Option<f64>,
    pub(crate) this_host: bool,
}

/// The task of an agent.
pub(crate) struct Question {
    /// Its `[policy]` is the effective one: that of the command line if given.
    pub(super) study: Study,
    /// The input files themselves.
    pub(super) sources: Vec<SourceFile>,
    pub(super) policy: PolicyName,
    /// `None` if no policy decides.
    pub(super) decides: Option<Box<dyn Policy + Send>>,
    pub(super) period: Duration,
    /// The nodes of this host that correspond to those of the machine, if they do.
    pub(super) host: Option<Vec<NodeCores>>,
}

/// Reads and checks the request.
///
/// # Errors
/// Mistakes in files; with `--this-host` a machine that exceeds this host; a policy that agents do not support, or that cannot be
/// created; a period that is too long.
pub(crate) fn read_question(args: &Asked<'_>) -> Result<Question, Failure> {
    let sources = files::read_texts(args.files)?;
    let has_machine = sources.iter().any(|source| has_machine(&source.text));
    let mut host = if has_machine { None } else { Some(host_nodes::this_host()?) };
    let mut all = sources.clone();
    if let Some(host) = &host {
        let cores: Vec<u32> =
            host.iter().map(|node| u32::try_from(node.cores.len()).unwrap_or(u32::MAX)).collect();
        all.push(host_of("this host".to_owned(), &cores));
    }
    let reading = files::read_programs(&all)?;
    let has_period = !reading.is_default(TableKind::Policy, "", "period_ms");
    let (mut study, located) = Located::split(reading, all);
    if has_machine && args.this_host {
        host = Some(host_nodes::of_machine(&study.machine)?);
    }
    let policy = policy(args, &study, &located, has_machine)?;
    let period_ms = period_ms(args, &study, has_period)?;
    study.dynamics.policy.period = Seconds::new(period_ms / 1e3);
    let decides = policy.make(&study).map_err(|error| {
        Failure::input(format!("policy '{policy}' cannot decide for these files")).caused_by(&error)
    })?;
    let period = Duration::from_secs_f64(period_ms / 1e3);
    Ok(Question { study, sources, policy, decides, period, host })
}

fn policy(
    args: &Asked<'_>,
    study: &Study,
    located: &Located,
    has_machine: bool,
) -> Result<PolicyName, Failure> {
    one_thread_per_core(study, "agent")?;
    copies_are_only_read(study, "agent")?;
    let policy = match (args.policy, &study.dynamics.policy.name) {
        (Some(policy), _) => policy.clone(),
        (None, Some(_)) => policy_of_files(study, located)?,
        (None, None) => PolicyName::FairShare,
    };
    if policy == PolicyName::Script {
        return Err(Failure::input("policy 'script' is for simulations: an agent has no [[command]] tables")
            .hint("`numasim simulate --help` says what the other policies do"));
    }
    if policy.computes() && !has_machine {
        return Err(Failure::input(format!("policy '{policy}' computes, and no file has a [machine]"))
            .hint("name the machine file of this host; `numasim calibrate` writes one"));
    }
    if policy.computes() {
        intensities_are_given(study, located, &format!("the policy {policy}"))?;
    }
    Ok(policy)
}

fn period_ms(args: &Asked<'_>, study: &Study, has_period: bool) -> Result<f64, Failure> {
    let of_files = || if has_period { study.dynamics.policy.period.value() * 1e3 } else { PERIOD_MS };
    let period_ms = args.period_ms.unwrap_or_else(of_files);
    if is_period(period_ms) {
        return Ok(period_ms);
    }
    Err(Failure::input(format!("an agent cannot decide every {period_ms} ms, as period_ms of [policy] says"))
        .hint("write 0 or 1 to 60000, or give --period-ms"))
}

/// Agents do not control the placement of data.
fn warn_of_data(study: &Study, policy: &PolicyName, shell: &Shell) {
    let PolicyName::Static(name) = policy else { return };
    let scenario = study.scenarios.iter().find(|scenario| scenario.name == *name);
    let has_data =
        |data: &[numasim_model::Data]| study.apps.iter().zip(data).any(|(app, data)| app.data != *data);
    if scenario.is_some_and(|scenario| has_data(&scenario.data)) {
        shell.warn(format!("the data of scenario '{name}' is ignored: an agent moves threads, not data"));
    }
}

// Console messages of a running agent: lines on standard error, written by a separate thread because the reader may be stuck.

/// Maximum number of lines that wait for standard error.
const MOST_WAITING: usize = 4096;
/// Maximum time that shutdown waits until they are written.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines for standard error; none of them blocks the sender.
struct Lines {
    sender: Option<SyncSender<String>>,
    /// No messages are sent; the channel closes when everything is written.
    written: Receiver<()>,
    lost: u64,
}

impl Lines {
    fn new() -> io::Result<Self> {
        let (lines, waiting) = sync_channel::<String>(MOST_WAITING);
        let (done, written) = channel();
        thread::Builder::new().name("stderr".to_owned()).spawn(move || {
            let _done = done;
            for line in waiting {
                // There is no way to report that standard error is closed.
                let _ = writeln!(io::stderr(), "{}", visible(&line));
            }
        })?;
        Ok(Self { sender: Some(lines), written, lost: 0 })
    }

    fn write(&mut self, line: &str) {
        let Some(lines) = &self.sender else { return };
        if self.lost > 0 {
            let lost = format!("({} lines were left out: the reader was too slow)", self.lost);
            if lines.try_send(lost).is_err() {
                self.lost += 1;
                return;
            }
            self.lost = 0;
        }
        if let Err(TrySendError::Full(_)) = lines.try_send(line.to_owned()) {
            self.lost += 1;
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.sender = None;
        let _ = self.written.recv_timeout(PATIENCE);
    }
}

/// The receivers of messages: the console and the record.
pub(super) struct Told {
    listening: String,
    /// Whether applications were able to connect.
    pub(super) has_listened: bool,
    record: Option<Record>,
    lines: Lines,
}

impl Told {
    /// # Errors
    /// The system cannot start a thread for it.
    pub(super) fn new(path: &Path, record: Option<Record>) -> io::Result<Self> {
        let listening = format!("listening on {}", path.display());
        Ok(Self { listening, has_listened: false, record, lines: Lines::new()? })
    }
}

impl Outside for Told {
    fn listening(&mut self) {
        self.has_listened = true;
        self.lines.write(&self.listening);
    }

    fn report(&mut self, line: &str) {
        self.lines.write(line);
    }

    fn decided(&mut self, decided: &Decided) {
        if let Some(record) = &mut self.record
            && let Err(warning) = record.add(decided)
        {
            self.lines.write(&format!("warning: {warning}"));
        }
    }

    fn no_more_decisions(&mut self) {
        self.record = None;
    }
}
