//! For systems without Linux's NUMA calls: the same interface, of which each function reports that.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Measurement, RunError, Runner, Settings};
use crate::plan::PlannedScenario;

/// First argument of a worker process; none is ever started here.
pub const WORKER_COMMAND: &str = "__bench-worker";

/// Measures nothing: [`RunError::NeedsLinux`].
#[derive(Debug)]
pub struct HostRunner;

impl HostRunner {
    /// A runner that always returns an error.
    pub fn new(_stop: Arc<AtomicBool>) -> Self {
        Self
    }

    /// No worker is ever started.
    #[must_use]
    pub fn with_worker(self, _program: PathBuf, _arguments: Vec<OsString>) -> Self {
        self
    }

    /// Never waits.
    #[must_use]
    pub const fn with_patience(self, _patience: Duration) -> Self {
        self
    }
}

impl Runner for HostRunner {
    fn measure(&mut self, _: &PlannedScenario, _: &Settings) -> Result<Measurement, RunError> {
        Err(RunError::NeedsLinux)
    }
}

/// Returns that nothing can be measured.
pub fn serve(_order: &str) -> String {
    RunError::NeedsLinux.to_string()
}
