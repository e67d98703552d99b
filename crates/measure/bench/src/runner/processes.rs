//! One process for each application: started, watched, queried for its answer, and never left behind.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use numasim_host::os::process::{how_it_ended, prepare, read_all};
use numasim_host::os::shared::Shared;
use serde::{Deserialize, Serialize};

use crate::plan::{PlannedApp, PlannedScenario};
use crate::runner::arrays::{Arrays, Pool, Wanted, refuse_if_short_for};
use crate::runner::crew::{Gate, Phase, conduct};
use crate::runner::group::{self, Start};
use crate::runner::{MeasuredApp, MeasuredThread, Measurement, RunError, Runner, Settings};

/// First argument of a program that is to run as a worker: it passes its standard input to [`super::serve`] and prints the result.
pub const WORKER_COMMAND: &str = "__bench-worker";

/// Interval between checks of workers when nothing is measured.
const LOOK: Duration = Duration::from_millis(2);

/// The program for workers.
#[derive(Clone, Debug)]
pub(super) struct WorkerProgram {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

/// The running program itself.
impl Default for WorkerProgram {
    fn default() -> Self {
        Self { program: "/proc/self/exe".into(), arguments: vec![WORKER_COMMAND.into()] }
    }
}

/// The time that a worker may take beyond its window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// In any case.
    pub(super) plain: Duration,
    /// Memory of all workers, which is touched before and checked after the window.
    pub(super) bytes: u64,
}

/// The time that a worker process may take beyond its work.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures on this host.
///
/// Buffers are reused by the next measurement if memory allows, and verified each time.
#[derive(Debug)]
pub struct HostRunner {
    stop: Arc<AtomicBool>,
    program: WorkerProgram,
    patience: Duration,
    pool: Pool,
}

impl HostRunner {
    /// A runner that stops with [`RunError::Interrupted`] soon after `stop` becomes true.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { stop, program: WorkerProgram::default(), patience: PATIENCE, pool: Pool::default() }
    }

    /// Starts this program with these arguments for each application, instead of the running one with [`crate::runner::WORKER_COMMAND`].
    /// For programs whose own command line cannot include it.
    #[must_use]
    pub fn with_worker(mut self, program: PathBuf, arguments: Vec<OsString>) -> Self {
        self.program = WorkerProgram { program, arguments };
        self
    }

    /// Waits this long for a worker process beyond its expected time, instead of a minute.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    fn measure_threads(
        &mut self,
        scenario: &PlannedScenario,
        settings: &Settings,
    ) -> Result<Measurement, RunError> {
        let gate = Gate::default();
        let (stop, all_threads) = (&*self.stop, scenario.threads());
        let start = Start { gate: &gate, all_threads, threads_before: 0, settings };
        let (started, apps) = group::measure(&scenario.apps, &mut self.pool, start, || {
            conduct(&gate, all_threads, settings, |_| interrupted(stop))
        })?;
        // No start means that a thread aborted, which is already an error.
        let started = started.ok_or(RunError::Interrupted)?;
        Ok(Measurement { started, apps })
    }

    fn measure_processes(
        &mut self,
        scenario: &PlannedScenario,
        settings: &Settings,
    ) -> Result<Measurement, RunError> {
        self.pool = Pool::default();
        // Each process sees only its own requirements; they are checked together here.
        let arrays =
            scenario.apps.iter().map(|app| Arrays::of(app, settings, 0)).collect::<Result<Vec<_>, _>>()?;
        let wanted: Vec<&Wanted> = arrays.iter().flat_map(|arrays| &arrays.wanted).collect();
        refuse_if_short_for(&wanted)?;
        let bytes = wanted.iter().map(|wanted| wanted.layout.len() as u64).sum();
        measure(&self.program, scenario, settings, &self.stop, Patience { plain: self.patience, bytes })
    }
}

impl Runner for HostRunner {
    fn measure(&mut self, scenario: &PlannedScenario, settings: &Settings) -> Result<Measurement, RunError> {
        interrupted(&self.stop)?;
        if settings.processes {
            self.measure_processes(scenario, settings)
        } else {
            self.measure_threads(scenario, settings)
        }
    }
}

/// Measures a scenario. A worker that is not ready in time, or does not exit in time, hangs.
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
    // Checking results and querying pages takes about as long as touching.
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
    /// The error of the first one that failed.
    fn look(&mut self) -> Result<bool, RunError> {
        let mut running = false;
        for (app, worker) in &mut self.workers {
            running |= worker.look().map_err(|what| RunError::Worker { app: app.clone(), what })?;
        }
        Ok(running)
    }

    /// An error after `deadline`.
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
    /// Set once it has exited successfully.
    answer: Option<Answer>,
}

impl Worker {
    fn start(program: &WorkerProgram, order: &Order) -> std::io::Result<Self> {
        let (gate, order) = (order.gate, serde_json::to_vec(order)?);
        let mut command = Command::new(&program.program);
        command.args(&program.arguments).arg0("numasim");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare(&mut command, gate);
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut worker = Self { child, output: None, errors: None, answer: None };
        let read_both = || {
            let talk = move || {
                if let Some(mut input) = input {
                    // A worker that does not read its order is detected by its answer.
                    let _ = input.write_all(&order);
                }
                read_all(output)
            };
            worker.output = Some(thread::Builder::new().spawn(talk)?);
            worker.errors = Some(thread::Builder::new().spawn(move || read_all(errors))?);
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

    /// It may have exited by itself; either way it is waited for, so that no zombie stays.
    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Whether it still runs; once it has exited, its answer is stored. The error is for people.
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
            return Err(how_it_ended(status, &errors));
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

fn short(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

/// The order for the process of one application.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The inherited file descriptor of the shared state.
    pub(super) gate: RawFd,
    /// Threads of all processes.
    pub(super) all_threads: u32,
    /// Threads of the applications before: their data takes the first turns.
    pub(super) threads_before: usize,
    /// The application to measure.
    pub(super) app: PlannedApp,
    /// The settings.
    pub(super) settings: Settings,
}

/// The final message of a worker.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Its threads, in order.
    Measured(Vec<MeasuredThread>),
    /// The error, for people.
    Failed(String),
    /// It was aborted.
    Aborted,
}

/// Measures the application of an order, together with the other processes of the measurement, and returns the text of the answer.
///
/// For the program that [`crate::runner::WORKER_COMMAND`] starts: the order comes from its standard input, the answer goes to its standard
/// output. Every failure is in the answer.
pub fn serve(order: &str) -> String {
    let answer = answer(order).unwrap_or_else(Answer::Failed);
    serde_json::to_string(&answer).unwrap_or_default() // plain values: this cannot fail
}

fn answer(order: &str) -> Result<Answer, String> {
    let order: Order = serde_json::from_str(order).map_err(|error| {
        format!("this is for numasim itself, which starts it with an order on standard input: {error}")
    })?;
    let gate = Shared::<Gate>::inherited(order.gate).map_err(|error| format!("no shared memory: {error}"))?;
    let message = follow(&order, &gate);
    if !matches!(message, Ok(Answer::Measured(_))) {
        gate.abort();
    }
    message
}

fn follow(order: &Order, gate: &Gate) -> Result<Answer, String> {
    let Order { all_threads, threads_before, ref app, ref settings, .. } = *order;
    let start = Start { gate, all_threads, threads_before, settings };
    // The starting process conducts.
    match group::measure(std::slice::from_ref(app), &mut Pool::default(), start, || Ok(())) {
        Ok(((), apps)) => Ok(Answer::Measured(apps.into_iter().flat_map(|app| app.threads).collect())),
        Err(RunError::Interrupted) => Ok(Answer::Aborted),
        Err(error) => Err(error.to_string()),
    }
}
