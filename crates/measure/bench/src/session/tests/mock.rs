//! A runner with exact numbers, a sink in memory, and a silent observer.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use numasim_evidence::measured::Row;
use numasim_host::Misplaced;
use numasim_host::memory::MemoryError;

use crate::plan::PlannedScenario;
use crate::result_file::FileError;
use crate::runner::{MeasuredApp, MeasuredThread, Measurement, RunError, Runner, Settings};
use crate::session::{Job, Observer, Sink};
use numasim_kernels::loops::Isa;

pub(super) fn settings() -> Settings {
    Settings {
        isa: Isa::Portable,
        warm_up: Duration::from_millis(300),
        window: Duration::from_millis(500),
        bytes_per_thread: 64 << 20,
        processes: false,
    }
}

/// In half a second, the first thread of an application that reads moves 4 GB, its other threads half of that, and a thread of a write
/// kernel 1 GB, each times `speed`.
#[derive(Default)]
pub(super) struct Mock {
    /// Scenarios in the order of the requests.
    pub(super) asked: Vec<String>,
    /// Factor by scenario and by the number of its earlier measurements.
    pub(super) speed: BTreeMap<(String, usize), u64>,
    /// Measurements, from 0, in which the first thread runs elsewhere.
    pub(super) misplaced: Vec<usize>,
    pub(super) interrupt_at: Option<usize>,
    pub(super) no_memory_at: Option<usize>,
    pub(super) forgets_a_thread: bool,
}

impl Runner for Mock {
    fn measure(&mut self, scenario: &PlannedScenario, settings: &Settings) -> Result<Measurement, RunError> {
        let number = self.asked.len();
        if self.interrupt_at == Some(number) {
            return Err(RunError::Interrupted);
        }
        if self.no_memory_at == Some(number) {
            return Err(MemoryError::NotEnoughMemory { os_node: 0, free_bytes: 1, wanted_bytes: 2 }.into());
        }
        let before = self.asked.iter().filter(|name| **name == scenario.name).count();
        let speed = self.speed.get(&(scenario.name.clone(), before)).copied().unwrap_or(1);
        self.asked.push(scenario.name.clone());
        let mut misplaced = self.misplaced.contains(&number);
        let apps = scenario.apps.iter().map(|app| {
            let threads = app.threads.iter().enumerate().map(|(place, thread)| {
                let reads = app.kernel.name() == "read";
                let bytes = speed
                    * if !reads {
                        1
                    } else if place == 0 {
                        4
                    } else {
                        2
                    }
                    * 1_000_000_000;
                let intensity = app.kernel.arithmetic_intensity().value();
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole by choice")]
                let flop = (bytes as f64 * intensity) as u64;
                let wrong = std::mem::take(&mut misplaced);
                let wanted = thread.cpus.to_string();
                MeasuredThread {
                    node: thread.node,
                    counted_s: settings.window.as_secs_f64(),
                    bytes,
                    flop,
                    chunks: 1000,
                    cpus: if wrong { vec![3] } else { thread.cpus.as_slice().to_vec() },
                    clock_share: 1e-5,
                    pages: BTreeMap::from([(thread.memory[0].0, 16384)]),
                    waited_share: 0.0,
                    page_faults: 0,
                    expected_page_faults: Some(0),
                    pages_unknown: None,
                    huge_pages: Some(0.5),
                    misplaced: if wrong { vec![Misplaced::Thread { seen: 3, wanted }] } else { Vec::new() },
                }
            });
            MeasuredApp { threads: threads.skip(usize::from(self.forgets_a_thread)).collect() }
        });
        let apps = apps.collect();
        Ok(Measurement { started: UNIX_EPOCH + Duration::from_secs(number as u64 + 1), apps })
    }
}

#[derive(Default)]
pub(super) struct Memory {
    pub(super) rows: Vec<Row>,
    /// Room for this number of measurements.
    pub(super) full_after: Option<u64>,
    pub(super) kept: u64,
}

impl Sink for Memory {
    fn append(&mut self, rows: &[Row]) -> Result<(), FileError> {
        if self.full_after == Some(self.kept) {
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(FileError::Lost { path: "memory".into(), safe: self.kept, source });
        }
        self.kept += 1;
        self.rows.extend_from_slice(rows);
        Ok(())
    }
}

#[derive(Default)]
pub(super) struct Nobody {
    pub(super) kept: usize,
    pub(super) stop_after: Option<usize>,
}

impl Observer for Nobody {
    fn stop(&self) -> bool {
        self.stop_after == Some(self.kept)
    }

    fn begins(&mut self, _job: Job, _again: bool) {}

    fn kept(&mut self, _job: Job) {
        self.kept += 1;
    }
}
