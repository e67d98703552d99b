//! One process for each application: started, watched, asked for its answer, and never left behind.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use numasim_host::os::child;
use numasim_host::os::shared::Shared;

use super::gate::{Gate, Phase, conduct};
use super::order::{Answer, Order};
use super::{MeasuredApp, Measurement, RunError, Settings};
use crate::plan::PlannedScenario;

/// First argument of a program that shall be a worker: it hands its standard input to [`super::serve`] and writes what
/// that returns.
pub const WORKER_COMMAND: &str = "__bench-worker";

/// How often workers are looked at when nothing is measured.
const LOOK: Duration = Duration::from_millis(2);

/// The program that is a worker.
#[derive(Clone, Debug)]
pub(super) struct WorkerProgram {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

/// This program itself.
impl Default for WorkerProgram {
    fn default() -> Self {
        Self { program: "/proc/self/exe".into(), arguments: vec![WORKER_COMMAND.into()] }
    }
}

/// How long a worker may take beyond the time that its window takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// In any case.
    pub(super) plain: Duration,
    /// Memory of all workers, which is touched before and looked at after.
    pub(super) bytes: u64,
}

/// Measures a scenario. A worker that is not ready in time, or does not end in time, hangs.
pub(super) fn measure(
    program: &WorkerProgram,
    scenario: &PlannedScenario,
    settings: &Settings,
    stop: &AtomicBool,
    patience: Patience,
) -> Result<Measurement, RunError> {
    let system = |what: &str| {
        let what = what.to_owned();
        move |source| RunError::System { what, source }
    };
    let gate = Shared::<Gate>::new().map_err(system("cannot share memory between processes"))?;
    let all_threads = scenario.threads();
    // Memory is touched at 100 MB/s in an emulator.
    let touching = Duration::from_millis(patience.bytes / 100_000);
    let patience = patience.plain;
    let preparing = Instant::now() + patience + touching;
    let mut measuring = None;
    let mut workers = Workers { workers: Vec::new(), gate: &gate };
    let mut threads_before = 0;
    for app in &scenario.apps {
        let (app, settings) = (app.clone(), settings.clone());
        let order = Order { gate: gate.file(), all_threads, threads_before, app, settings };
        let started = Worker::start(program, &order);
        let worker = started.map_err(system("cannot start a process for an application"))?;
        threads_before += order.app.threads.len();
        workers.workers.push((order.app.name, worker));
    }
    let started = conduct(&gate, all_threads, settings, |phase| {
        interrupted(stop)?;
        workers.look()?;
        let deadline = match phase {
            Phase::Preparing => preparing,
            Phase::Measuring => *measuring
                .get_or_insert_with(|| Instant::now() + settings.warm_up + settings.window + patience),
        };
        workers.hanging(deadline, if phase == Phase::Preparing { "get ready" } else { "finish its work" })
    })?;
    // Checking results and asking for pages takes about as long as touching.
    let answering = Instant::now() + patience + touching;
    while workers.look()? {
        interrupted(stop)?;
        workers.hanging(answering, "answer")?;
        thread::sleep(LOOK);
    }
    let gave_up =
        |app: &str| RunError::Worker { app: app.into(), what: "gave up without giving a reason".into() };
    let started = started.ok_or_else(|| gave_up(workers.workers.first().map_or("", |(app, _)| app)))?;
    let mut apps = Vec::new();
    for ((name, worker), planned) in std::mem::take(&mut workers.workers).into_iter().zip(&scenario.apps) {
        let Some(Answer::Measured(threads)) = worker.answer else { return Err(gave_up(&name)) };
        if threads.len() != planned.threads.len() {
            let what = format!("measured {} threads instead of {}", threads.len(), planned.threads.len());
            return Err(RunError::Worker { app: name, what });
        }
        apps.push(MeasuredApp { threads });
    }
    Ok(Measurement { started, apps })
}

pub(super) fn interrupted(stop: &AtomicBool) -> Result<(), RunError> {
    if stop.load(SeqCst) { Err(RunError::Interrupted) } else { Ok(()) }
}

/// The processes with the names of their applications; those that still run when this is dropped are killed.
struct Workers<'a> {
    workers: Vec<(String, Worker)>,
    gate: &'a Gate,
}

impl Workers<'_> {
    /// Whether one still runs.
    ///
    /// # Errors
    /// The first that ended badly.
    fn look(&mut self) -> Result<bool, RunError> {
        let mut running = false;
        for (app, worker) in &mut self.workers {
            running |= worker.look().map_err(|what| RunError::Worker { app: app.clone(), what })?;
        }
        Ok(running)
    }

    /// An error if it is later than `deadline`.
    fn hanging(&self, deadline: Instant, what: &str) -> Result<(), RunError> {
        let late = self.workers.iter().find(|(_, worker)| worker.answer.is_none());
        match late {
            Some((app, _)) if Instant::now() > deadline => {
                Err(RunError::Worker { app: app.clone(), what: format!("hangs: it did not {what} in time") })
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        self.gate.abort();
        for (_, worker) in &mut self.workers {
            if worker.answer.is_none() {
                worker.end();
            }
        }
    }
}

/// One process.
struct Worker {
    child: Child,
    /// Standard output and standard error, read to the end by threads, so that no pipe is ever full.
    output: Option<JoinHandle<Vec<u8>>>,
    errors: Option<JoinHandle<Vec<u8>>>,
    /// Once it has ended well.
    answer: Option<Answer>,
}

impl Worker {
    fn start(program: &WorkerProgram, order: &Order) -> std::io::Result<Self> {
        let (gate, order) = (order.gate, serde_json::to_vec(order)?);
        let mut command = Command::new(&program.program);
        command.args(&program.arguments).arg0("numasim");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        child::prepare(&mut command, gate);
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut worker = Self { child, output: None, errors: None, answer: None };
        let read_both = || {
            let talk = move || {
                if let Some(mut input) = input {
                    // One that does not read its order is found by what it answers.
                    let _ = input.write_all(&order);
                }
                read(output)
            };
            worker.output = Some(thread::Builder::new().spawn(talk)?);
            worker.errors = Some(thread::Builder::new().spawn(move || read(errors))?);
            Ok(())
        };
        match read_both() {
            Ok(()) => Ok(worker),
            Err(error) => {
                worker.end();
                Err(error)
            }
        }
    }

    /// It may just have ended by itself; either way it is waited for, so that no zombie stays.
    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Whether it still runs; once it has ended, its answer is there. The error is for people.
    fn look(&mut self) -> Result<bool, String> {
        if self.answer.is_some() {
            return Ok(false);
        }
        let Some(status) = self.child.try_wait().map_err(|error| format!("cannot be watched: {error}"))?
        else {
            return Ok(true);
        };
        let text = |reader: &mut Option<JoinHandle<Vec<u8>>>| {
            let bytes = reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
            String::from_utf8_lossy(&bytes).trim().to_owned()
        };
        let (output, errors) = (text(&mut self.output), text(&mut self.errors));
        if !status.success() {
            return Err(ended(status, &errors));
        }
        match serde_json::from_str(&output) {
            Ok(Answer::Failed(what)) => Err(format!("failed: {what}")),
            Ok(answer) => {
                self.answer = Some(answer);
                Ok(false)
            }
            Err(_) if output.is_empty() => Err("ended without an answer".into()),
            Err(_) => Err(format!("sent malformed output: {}", short(&output))),
        }
    }
}

fn read(pipe: Option<impl std::io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before an error is shown to people.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

fn ended(status: ExitStatus, errors: &str) -> String {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by signal {signal}"),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".into(),
    };
    match errors.lines().next_back() {
        Some(last) => format!("{how}: {}", short(last)),
        None => how,
    }
}

fn short(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
