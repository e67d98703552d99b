//! What a worker process is told and what it answers, as JSON.

use std::os::fd::RawFd;

use serde::{Deserialize, Serialize};

use super::{MeasuredThread, Settings};
use crate::plan::PlannedApp;

/// One application for one process.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The inherited file with the shared state.
    pub(super) gate: RawFd,
    /// Threads of all processes.
    pub(super) all_threads: u32,
    /// Threads of the applications before: their data takes the first turns.
    pub(super) threads_before: usize,
    /// What it measures.
    pub(super) app: PlannedApp,
    /// How.
    pub(super) settings: Settings,
}

/// What a worker says at its end.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Its threads, in order.
    Measured(Vec<MeasuredThread>),
    /// What went wrong, for people.
    Failed(String),
    /// It was told to end.
    Aborted,
}
