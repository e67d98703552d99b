//! On systems without Linux's NUMA calls: the same doors, each of which says so.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Measurement, RunError, Runner, Settings};
use crate::plan::PlannedScenario;

/// First argument of a worker process; none is ever started here.
pub const WORKER_COMMAND: &str = "__bench-worker";

/// Measures nothing: [`RunError::NeedsLinux`].
#[derive(Debug)]
pub struct HostRunner;

impl HostRunner {
    /// A runner that refuses.
    pub fn new(_stop: Arc<AtomicBool>) -> Self {
        Self
    }
}

impl Runner for HostRunner {
    fn measure(&mut self, _: &PlannedScenario, _: &Settings) -> Result<Measurement, RunError> {
        Err(RunError::NeedsLinux)
    }
}

/// Answers that nothing can be measured.
pub fn serve(_order: &str) -> String {
    RunError::NeedsLinux.to_string()
}
