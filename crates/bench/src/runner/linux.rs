//! The real runner: threads, memory and clocks of this host.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::gate::{Gate, conduct};
use super::group::{self, Job};
use super::pool::{self, Pool};
use super::processes::{self, WorkerProgram, interrupted};
use super::{MeasuredApp, Measurement, RunError, Runner, Settings, data_bytes};
use crate::plan::{PlannedScenario, PlannedThread};

/// How long a worker process may take beyond its work.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures on this host.
///
/// Buffers are kept from one measurement to the next where memory allows, and verified each time.
#[derive(Debug)]
pub struct HostRunner {
    stop: Arc<AtomicBool>,
    program: WorkerProgram,
    patience: Duration,
    pool: Pool,
}

impl HostRunner {
    /// A runner that gives up with [`RunError::Interrupted`] soon after `stop` becomes true.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { stop, program: WorkerProgram::default(), patience: PATIENCE, pool: Pool::default() }
    }

    /// Starts this program with these arguments for each application instead of the running one with
    /// [`super::WORKER_COMMAND`]; for a program whose own command line has no room for that.
    #[must_use]
    pub fn with_worker(mut self, program: PathBuf, arguments: Vec<OsString>) -> Self {
        self.program = WorkerProgram { program, arguments };
        self
    }

    /// Waits that long for a worker process beyond the time its work should take, instead of a minute.
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
        let threads: Vec<&PlannedThread> = scenario.apps.iter().flat_map(|app| &app.threads).collect();
        let all = u32::try_from(threads.len()).unwrap_or(u32::MAX);
        let mut buffers = self.pool.take(&threads, data_bytes(settings), 0)?.into_iter();
        let mut jobs = Vec::with_capacity(threads.len());
        for app in &scenario.apps {
            let kernel = app.kernel.prepare(settings.isa)?;
            let own = app.threads.iter().enumerate().zip(buffers.by_ref());
            jobs.extend(own.map(|((number, thread), buffer)| Job {
                app: &app.name,
                number,
                thread,
                kernel,
                buffer,
            }));
        }
        let gate = Gate::default();
        let stop = &*self.stop;
        let (started, measured) = group::measure(jobs, &gate, all, settings, || {
            conduct(&gate, all, settings, |_| interrupted(stop))
        })?;
        // No start means that a thread gave up, and that is an error already.
        let started = started.ok_or(RunError::Interrupted)?;
        let mut measured = measured.into_iter().zip(threads).map(|((result, buffer), thread)| {
            self.pool.keep(thread, buffer);
            result
        });
        let apps = scenario
            .apps
            .iter()
            .map(|app| MeasuredApp { threads: measured.by_ref().take(app.threads.len()).collect() });
        Ok(Measurement { started, apps: apps.collect() })
    }

    fn measure_processes(
        &mut self,
        scenario: &PlannedScenario,
        settings: &Settings,
    ) -> Result<Measurement, RunError> {
        self.pool = Pool::default();
        let threads: Vec<&PlannedThread> = scenario.apps.iter().flat_map(|app| &app.threads).collect();
        // Each process sees only its own needs; together they are looked at here.
        pool::refuse_if_short_for(&threads, data_bytes(settings))?;
        processes::measure(&self.program, scenario, settings, &self.stop, self.patience)
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
