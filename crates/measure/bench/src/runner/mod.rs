//! Carrying out a plan: a [`Runner`] measures one planned scenario once.
//!
//! The real runner needs Linux and touches processors, memory and clocks; tests of everything above use a mock.
//! `README.md` beside this file describes one measurement.

#[cfg(target_os = "linux")]
mod arrays;
#[cfg(target_os = "linux")]
mod count;
#[cfg(target_os = "linux")]
mod crew;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod processes;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use numasim_host::Misplaced;
use numasim_host::affinity::AffinityError;
use numasim_host::memory::MemoryError;
use numasim_kernels::array::AccessError;
use numasim_kernels::kernel::SetupError;
use numasim_model::ids::NodeId;
use serde::{Deserialize, Serialize};

use crate::plan::PlannedScenario;
use numasim_kernels::loops::Isa;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{HostRunner, WORKER_COMMAND, serve};
#[cfg(target_os = "linux")]
pub use processes::{HostRunner, WORKER_COMMAND, serve};

/// What is the same for all measurements of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Time from the common start to the measuring window.
    pub warm_up: Duration,
    /// The measuring window, in which every thread counts its work.
    pub window: Duration,
    /// Data of each thread in bytes, all its arrays together.
    pub bytes_per_thread: u64,
    /// Applications are processes of their own, not groups of threads in one process.
    pub processes: bool,
}

/// One scenario, measured once.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// When the common start was.
    pub started: SystemTime,
    /// One entry for each application of the plan, in its order.
    pub apps: Vec<MeasuredApp>,
}

/// What the threads of one application did.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredApp {
    /// One entry for each thread of the plan, in its order.
    pub threads: Vec<MeasuredThread>,
}

/// What one thread did in the measuring window, and where. A worker process tells it as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredThread {
    /// The node it was planned for.
    pub node: NodeId,
    /// Time between its first and last count, in seconds: the window, to the length of one chunk of work. Of a kernel that can be run only once: from
    /// the common start until the last thread of the application had done its part.
    pub counted_s: f64,
    /// Bytes moved to or from memory in that time, by the rule of [`numasim_model::Access`].
    pub bytes: u64,
    /// Floating-point operations done in that time.
    pub flop: u64,
    /// Chunks of work (steps of the kernel) in that time; several may lie between two looks at the clock.
    pub chunks: u64,
    /// Processors it was seen on: before, during and after the window, each once, ascending.
    pub cpus: Vec<u32>,
    /// Share of that time that went into looking at the clock, 0 to 1: looks x the measured cost of one.
    pub clock_share: f64,
    /// Share of that time in which it waited for other threads of its application, 0 to 1: where the steps of a kernel depend on each other, nobody
    /// begins one before all have ended the one before, and the time of a thread contains its waiting.
    #[serde(default)]
    pub waited_share: f64,
    /// Page faults in that time that needed no disk (`getrusage`).
    #[serde(default)]
    pub page_faults: u64,
    /// How many its kernel has, as memory is new for it: one for each page, huge ones counted as they were given. `None` where the system does not tell
    /// of huge pages.
    #[serde(default)]
    pub expected_page_faults: Option<u64>,
    /// Pages of its data by NUMA node of the operating system (`move_pages`), in units of the small page.
    pub pages: BTreeMap<u32, u64>,
    /// Why the system does not tell where the pages are; then `pages` is empty and their placement is not verified.
    pub pages_unknown: Option<String>,
    /// Share of its data in transparent huge pages, 0 to 1; `None` where the system does not tell.
    pub huge_pages: Option<f64>,
    /// What was not as planned; a measurement with any is not valid.
    pub misplaced: Vec<Misplaced>,
}

/// Why a scenario could not be measured at all.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The data cannot lie where it shall.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A thread cannot be bound to its processors.
    #[error(transparent)]
    Processors(#[from] AffinityError),
    /// A kernel cannot run on this processor, or not with this size.
    #[error(transparent)]
    Kernel(#[from] SetupError),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was asked, in words.
        what: String,
        /// The answer.
        source: std::io::Error,
    },
    /// A worker process ended early or sent malformed output.
    #[error("the process of application '{app}' {what}")]
    Worker {
        /// The application.
        app: String,
        /// What happened.
        what: String,
    },
    /// A kernel computed something else than it had to.
    #[error("thread {thread} of application '{app}' computed a wrong result: {what}")]
    WrongResult {
        /// The application.
        app: String,
        /// Its thread, from 0.
        thread: usize,
        /// What was wrong.
        what: String,
    },
    /// Threads of an application are not where its kernel needs them: what one changes another one uses.
    #[error("thread {thread} of application '{app}' cannot go on: {error}")]
    Steps {
        /// The application.
        app: String,
        /// Its thread, from 0.
        thread: usize,
        /// What overlaps.
        #[source]
        error: AccessError,
    },
    /// A thread did no work in the window: it had no processor, or one chunk of work takes longer.
    #[error(
        "thread {thread} of application '{app}' finished no work in the window: use a longer window, \
         or processors that are otherwise idle"
    )]
    NothingCounted {
        /// The application.
        app: String,
        /// Its thread, from 0.
        thread: usize,
    },
    /// The benchmark cannot run on this system.
    #[error("the benchmark needs Linux, for binding threads and memory and for seeing where they are")]
    NeedsLinux,
    /// The person asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
}

/// Measures planned scenarios.
pub trait Runner {
    /// Measures one scenario once: threads and data in place, common start, warm-up, window, verification.
    ///
    /// Wrong placement is not an error here: it is in [`MeasuredThread::misplaced`], so that nothing measured is lost.
    ///
    /// # Errors
    /// Every variant of [`RunError`].
    fn measure(&mut self, scenario: &PlannedScenario, settings: &Settings) -> Result<Measurement, RunError>;
}

/// Data of each thread: whole pages, also where those have 64 KiB.
#[cfg(target_os = "linux")]
fn data_bytes(settings: &Settings) -> usize {
    let bytes = settings.bytes_per_thread.clamp(1, 1 << 46); // more than any node has
    usize::try_from(bytes.next_multiple_of(64 << 10)).unwrap_or(usize::MAX)
}
