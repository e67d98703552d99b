//! Carrying out a plan: a [`Runner`] measures one planned scenario once.
//!
//! The real runner needs Linux and touches processors, memory and clocks; tests of everything above use a mock.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use numasim_model::ids::NodeId;

use crate::kernel::Isa;
use crate::plan::PlannedScenario;

/// What is the same for all measurements of a run.
#[derive(Clone, Debug, PartialEq)]
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

/// What one thread did in the measuring window, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredThread {
    /// The node it was planned for.
    pub node: NodeId,
    /// Time between its first and last count, in seconds: the window, to the length of one chunk of work.
    pub counted_s: f64,
    /// Bytes moved to or from memory in that time, by the rule of [`numasim_model::Access`].
    pub bytes: u64,
    /// Floating-point operations done in that time.
    pub flop: u64,
    /// Chunks of work between two looks at the clock, in that time.
    pub chunks: u64,
    /// Processors it was seen on: before, during and after the window, each once, ascending.
    pub cpus: Vec<u32>,
    /// Pages of its data by NUMA node of the operating system (`move_pages`), in units of the small page.
    pub pages: BTreeMap<u32, u64>,
    /// Share of its data in transparent huge pages, 0 to 1; `None` where the system does not tell.
    pub huge_pages: Option<f64>,
    /// What was not as planned; a measurement with any is not valid.
    pub misplaced: Vec<Misplaced>,
}

/// A thread or its data was not where the plan wanted it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// It ran on a processor it was not bound to.
    #[error("ran on processor {seen}, bound to {wanted}")]
    Thread {
        /// Where it was seen.
        seen: u32,
        /// Where it had to be, as a list of processors.
        wanted: String,
    },
    /// Pages lie on another node.
    #[error("{pages} of {all} pages are on node {seen}, planned on {wanted}")]
    Pages {
        /// How many.
        pages: u64,
        /// Of how many.
        all: u64,
        /// Where they are: the operating system's number of the node.
        seen: u32,
        /// Where they had to be.
        wanted: String,
    },
    /// Pages that no node holds.
    #[error("{pages} of {all} pages are not in memory")]
    Absent {
        /// How many.
        pages: u64,
        /// Of how many.
        all: u64,
    },
}

/// Why a scenario could not be measured at all.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A node has too little free memory for the data that shall lie on it.
    #[error(
        "node {os_node} has {free_bytes} bytes of free memory, the data of this scenario needs {wanted_bytes}"
    )]
    NotEnoughMemory {
        /// The operating system's number of the node.
        os_node: u32,
        /// Free now.
        free_bytes: u64,
        /// Needed.
        wanted_bytes: u64,
    },
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was asked, in words.
        what: String,
        /// The answer.
        source: std::io::Error,
    },
    /// A worker process ended early or spoke nonsense.
    #[error("the process of application '{app}' {what}")]
    Worker {
        /// The application.
        app: String,
        /// What happened.
        what: String,
    },
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
