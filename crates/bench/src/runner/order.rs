//! What a worker process is told and what it answers, as JSON.

use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::time::Duration;

use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;
use serde::{Deserialize, Serialize};

use super::{MeasuredThread, Misplaced, Settings};
use crate::kernel::{Isa, Kernel};
use crate::plan::{PlannedApp, PlannedThread};

/// One application for one process.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The inherited file with the shared state.
    pub(super) gate: RawFd,
    /// Threads of all processes.
    pub(super) all_threads: u32,
    /// Threads of the applications before: their data takes the first turns.
    pub(super) threads_before: usize,
    app: String,
    access: String,
    flop_per_byte: f64,
    isa: String,
    threads: Vec<OrderedThread>,
    warm_up: Duration,
    window: Duration,
    bytes_per_thread: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OrderedThread {
    node: usize,
    cpus: String,
    memory: Vec<(u32, f64)>,
}

/// What a worker says at its end.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Its threads, in order.
    Measured(Vec<AnsweredThread>),
    /// What went wrong, for people.
    Failed(String),
    /// It was told to end.
    Aborted,
}

/// A [`MeasuredThread`].
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct AnsweredThread {
    node: usize,
    counted_s: f64,
    bytes: u64,
    flop: u64,
    chunks: u64,
    clock_share: f64,
    cpus: Vec<u32>,
    pages: Vec<(u32, u64)>,
    pages_unknown: Option<String>,
    huge_pages: Option<f64>,
    misplaced: Vec<AnsweredMisplaced>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum AnsweredMisplaced {
    Thread { seen: u32, wanted: String },
    Pages { pages: u64, all: u64, seen: u32, wanted: String },
    Absent { pages: u64, all: u64 },
}

impl Order {
    /// For one application of a scenario.
    pub(super) fn new(
        app: &PlannedApp,
        settings: &Settings,
        gate: RawFd,
        all_threads: u32,
        threads_before: usize,
    ) -> Self {
        let thread = |thread: &PlannedThread| OrderedThread {
            node: thread.node.0,
            cpus: thread.cpus.to_string(),
            memory: thread.memory.clone(),
        };
        Self {
            gate,
            all_threads,
            threads_before,
            app: app.name.clone(),
            access: app.kernel.access().as_str().into(),
            flop_per_byte: app.kernel.arithmetic_intensity().value(),
            isa: settings.isa.as_str().into(),
            threads: app.threads.iter().map(thread).collect(),
            warm_up: settings.warm_up,
            window: settings.window,
            bytes_per_thread: settings.bytes_per_thread,
        }
    }

    /// The application and the settings again.
    ///
    /// # Errors
    /// What is no order of this program, for people.
    pub(super) fn read(&self) -> Result<(PlannedApp, Settings), String> {
        let access = Access::ALL.into_iter().find(|access| access.as_str() == self.access);
        let access = access.ok_or_else(|| format!("unknown access '{}'", self.access))?;
        let isa = Isa::ALL.into_iter().find(|isa| isa.as_str() == self.isa);
        let isa = isa.ok_or_else(|| format!("unknown instruction set '{}'", self.isa))?;
        let kernel =
            Kernel::new(access, FlopPerByte::new(self.flop_per_byte)).map_err(|error| error.to_string())?;
        let thread = |thread: &OrderedThread| {
            let cpus = CpuList::parse(&thread.cpus).map_err(|error| error.to_string())?;
            Ok(PlannedThread { node: NodeId(thread.node), cpus, memory: thread.memory.clone() })
        };
        let threads = self.threads.iter().map(thread).collect::<Result<_, String>>()?;
        let settings = Settings {
            isa,
            warm_up: self.warm_up,
            window: self.window,
            bytes_per_thread: self.bytes_per_thread,
            processes: true,
        };
        Ok((PlannedApp { name: self.app.clone(), kernel, threads }, settings))
    }
}

impl From<MeasuredThread> for AnsweredThread {
    fn from(thread: MeasuredThread) -> Self {
        let misplaced = |misplaced| match misplaced {
            Misplaced::Thread { seen, wanted } => AnsweredMisplaced::Thread { seen, wanted },
            Misplaced::Pages { pages, all, seen, wanted } => {
                AnsweredMisplaced::Pages { pages, all, seen, wanted }
            }
            Misplaced::Absent { pages, all } => AnsweredMisplaced::Absent { pages, all },
        };
        Self {
            node: thread.node.0,
            counted_s: thread.counted_s,
            bytes: thread.bytes,
            flop: thread.flop,
            chunks: thread.chunks,
            clock_share: thread.clock_share,
            cpus: thread.cpus,
            pages: thread.pages.into_iter().collect(),
            pages_unknown: thread.pages_unknown,
            huge_pages: thread.huge_pages,
            misplaced: thread.misplaced.into_iter().map(misplaced).collect(),
        }
    }
}

impl From<AnsweredThread> for MeasuredThread {
    fn from(thread: AnsweredThread) -> Self {
        let misplaced = |misplaced| match misplaced {
            AnsweredMisplaced::Thread { seen, wanted } => Misplaced::Thread { seen, wanted },
            AnsweredMisplaced::Pages { pages, all, seen, wanted } => {
                Misplaced::Pages { pages, all, seen, wanted }
            }
            AnsweredMisplaced::Absent { pages, all } => Misplaced::Absent { pages, all },
        };
        Self {
            node: NodeId(thread.node),
            counted_s: thread.counted_s,
            bytes: thread.bytes,
            flop: thread.flop,
            chunks: thread.chunks,
            clock_share: thread.clock_share,
            cpus: thread.cpus,
            pages: thread.pages.into_iter().collect::<BTreeMap<_, _>>(),
            pages_unknown: thread.pages_unknown,
            huge_pages: thread.huge_pages,
            misplaced: thread.misplaced.into_iter().map(misplaced).collect(),
        }
    }
}
