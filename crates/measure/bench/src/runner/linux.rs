//! The real runner: threads, memory and clocks of this host.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::arrays::Arrays;
use super::gate::{Gate, conduct};
use super::group::{self, Start};
use super::pool::{self, Pool, Wanted};
use super::processes::{self, Patience, WorkerProgram, interrupted};
use super::{Measurement, RunError, Runner, Settings};
use crate::plan::PlannedScenario;

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
        let gate = Gate::default();
        let (stop, all_threads) = (&*self.stop, scenario.threads());
        let start = Start { gate: &gate, all_threads, threads_before: 0, settings };
        let (started, apps) = group::measure(&scenario.apps, &mut self.pool, start, || {
            conduct(&gate, all_threads, settings, |_| interrupted(stop))
        })?;
        // No start means that a thread gave up, and that is an error already.
        let started = started.ok_or(RunError::Interrupted)?;
        Ok(Measurement { started, apps })
    }

    fn measure_processes(
        &mut self,
        scenario: &PlannedScenario,
        settings: &Settings,
    ) -> Result<Measurement, RunError> {
        self.pool = Pool::default();
        // Each process sees only its own needs; together they are looked at here.
        let arrays =
            scenario.apps.iter().map(|app| Arrays::of(app, settings, 0)).collect::<Result<Vec<_>, _>>()?;
        let wanted: Vec<&Wanted> = arrays.iter().flat_map(|arrays| &arrays.wanted).collect();
        pool::refuse_if_short_for(&wanted)?;
        let bytes = wanted.iter().map(|wanted| wanted.layout.len() as u64).sum();
        processes::measure(
            &self.program,
            scenario,
            settings,
            &self.stop,
            Patience { plain: self.patience, bytes },
        )
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
