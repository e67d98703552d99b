//! Executes a plan: a [`Runner`] measures one planned scenario once.
//!
//! The real runner needs Linux and uses logical CPUs, memory and clocks; tests of all higher layers use a mock. `README.md` in this folder
//! describes one measurement.

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

/// The common settings of all measurements of a run.
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
    /// Whether applications run in separate processes instead of groups of threads in one process.
    pub processes: bool,
}

/// One scenario, measured once.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The time of the common start.
    pub started: SystemTime,
    /// One entry for each application of the plan, in its order.
    pub apps: Vec<MeasuredApp>,
}

/// The results of the threads of one application.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredApp {
    /// One entry for each thread of the plan, in its order.
    pub threads: Vec<MeasuredThread>,
}

/// The result of one thread in the measuring window, and its placement. A worker process sends it as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredThread {
    /// The node it was planned for.
    pub node: NodeId,
    /// Time between its first and last count, in seconds: the window, to the length of one chunk of work. For a kernel that runs only once:
    /// from the common start until the last thread of the application had done its part.
    pub counted_s: f64,
    /// Bytes moved to or from memory in that time, by the rule of [`numasim_model::Access`].
    pub bytes: u64,
    /// Floating-point operations done in that time.
    pub flop: u64,
    /// Chunks of work (steps of the kernel) in that time; there may be several between two clock reads.
    pub chunks: u64,
    /// Logical CPUs it was seen on: before, during and after the window, each once, ascending.
    pub cpus: Vec<u32>,
    /// Fraction of that time spent on clock reads, 0 to 1: reads x the measured cost of one.
    pub clock_share: f64,
    /// Fraction of that time in which it waited for other threads of its application, 0 to 1. If the steps of a kernel depend on each
    /// other, no thread starts a step before all have ended the previous one, and the time of a thread includes its waiting.
    #[serde(default)]
    pub waited_share: f64,
    /// Page faults in that time that needed no disk (`getrusage`).
    #[serde(default)]
    pub page_faults: u64,
    /// The expected number for its kernel, because memory is new for it: one for each page, with huge ones as allocated. `None` if the
    /// system does not report huge pages.
    #[serde(default)]
    pub expected_page_faults: Option<u64>,
    /// Pages of its data by NUMA node of the operating system (`move_pages`), in units of the small page.
    pub pages: BTreeMap<u32, u64>,
    /// The reason why the system does not report the location of pages; `pages` is then empty and their placement is not verified.
    pub pages_unknown: Option<String>,
    /// Fraction of its data in transparent huge pages, 0 to 1; `None` if the system does not report it.
    pub huge_pages: Option<f64>,
    /// Deviations from the plan; a measurement with any is invalid.
    pub misplaced: Vec<Misplaced>,
}

/// The reason why a scenario could not be measured at all.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The data cannot have its planned place.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A thread cannot be bound to its logical CPUs.
    #[error(transparent)]
    Processors(#[from] AffinityError),
    /// A kernel cannot run on this processor, or not with this size.
    #[error(transparent)]
    Kernel(#[from] SetupError),
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The operation, in words.
        what: String,
        /// The error.
        source: std::io::Error,
    },
    /// A worker process exited early or sent malformed output.
    #[error("the process of application '{app}' {what}")]
    Worker {
        /// The application.
        app: String,
        /// The event.
        what: String,
    },
    /// A kernel computed a wrong result.
    #[error("thread {thread} of application '{app}' computed a wrong result: {what}")]
    WrongResult {
        /// The application.
        app: String,
        /// Its thread, from 0.
        thread: usize,
        /// The error.
        what: String,
    },
    /// The threads of an application have a placement that its kernel does not allow: one uses memory that another one changes.
    #[error("thread {thread} of application '{app}' cannot go on: {error}")]
    Steps {
        /// The application.
        app: String,
        /// Its thread, from 0.
        thread: usize,
        /// The overlap.
        #[source]
        error: AccessError,
    },
    /// A thread did no work in the window: it had no logical CPU, or one chunk of work takes longer.
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
    /// The user asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
}

/// Measures planned scenarios.
pub trait Runner {
    /// Measures one scenario once: threads and data in place, common start, warm-up, window, verification.
    ///
    /// Wrong placement is not an error here: it is in [`MeasuredThread::misplaced`], so that no measurement is lost.
    ///
    /// # Errors
    /// Every variant of [`RunError`].
    fn measure(&mut self, scenario: &PlannedScenario, settings: &Settings) -> Result<Measurement, RunError>;
}

/// Data of each thread: whole pages, even if they have 64 KiB.
#[cfg(target_os = "linux")]
fn data_bytes(settings: &Settings) -> usize {
    let bytes = settings.bytes_per_thread.clamp(1, 1 << 46); // more than any node has
    usize::try_from(bytes.next_multiple_of(64 << 10)).unwrap_or(usize::MAX)
}
