//! Why a measurement may not be what it seems: typed, each with what to do about it.
//!
//! A [`Doubt`] has a stable `code` (`numa-balancing`) for files and scripts, a sentence with figures for people, and an
//! advice. [`before()`] judges the facts of a host, [`after()`] what was measured; those that arise in between (a scenario
//! scaled to the host) are made where they arise. A doubt never stops a measurement and is never left out of its result.

mod after;
mod before;
mod words;

use std::time::Duration;

use crate::plan::Unavailable;

pub use after::{FEWEST_REPETITIONS, LARGEST_SPREAD, Repeated, Watched, after, of_apps};
pub use before::{before, planned};
pub use words::{RecordedDoubt, codes};

/// A reason to distrust a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The kernel moves pages and threads between nodes on its own.
    NumaBalancing,
    /// Used processors whose clock is not held at its highest.
    Governor {
        /// Its name: `powersave`.
        governor: String,
        /// The used processors that have it, in the syntax of Linux.
        cpus: String,
    },
    /// The clock may rise above its nominal frequency as long as heat and idle cores allow.
    Turbo,
    /// Others work on the processors to be measured.
    OtherLoad {
        /// Busy used processors and the share of the sample in which they worked, 0 to 1.
        busy: Vec<(u32, f64)>,
    },
    /// Others work on this host; on which processors is not known.
    LoadAverage {
        /// Runnable threads, mean over a minute.
        load: f64,
    },
    /// The host is a virtual machine.
    VirtualMachine {
        /// What shows it.
        evidence: String,
    },
    /// The hypervisor ran something else while used processors wanted to work.
    StolenTime {
        /// Share of the time of the run, 0 to 1, on the processor that lost most.
        share: f64,
        /// That processor.
        cpu: u32,
    },
    /// The system gives nobody transparent huge pages.
    HugePagesOff,
    /// The data of an application got few huge pages.
    FewHugePages {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Smallest share of its data in huge pages over its threads and repetitions, 0 to 1.
        share: f64,
    },
    /// A control group allows no more processor time than the threads of the run need.
    CpuLimit {
        /// How many processors may work all the time.
        cpus: f64,
        /// How many are used.
        used: usize,
        /// The file that sets it.
        file: String,
    },
    /// A control group held threads back during the run.
    Throttled {
        /// Periods in which the time was used up.
        periods: u64,
        /// Time that threads waited, summed over processors.
        waited: Duration,
    },
    /// The repetitions differ by more than [`LARGEST_SPREAD`].
    Spread {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Sample standard deviation of its GFLOPS over their mean.
        relative: f64,
        /// How many repetitions.
        repetitions: usize,
    },
    /// Fewer cores than the question needs.
    FewerCores {
        /// Cores wanted.
        wanted: u32,
        /// Cores used.
        used: u32,
    },
    /// The kernel takes the time from a slow or drifting source.
    ClockSource {
        /// Its name: `hpet`.
        source: String,
        /// The TSC is not even offered: the kernel found it unstable.
        unstable_tsc: bool,
    },
    /// Used processors are hardware threads of the same core.
    SharedCore {
        /// Those processors, in the syntax of Linux.
        cpus: String,
    },
    /// Others work on the second hardware thread of a used core.
    BusySibling {
        /// Busy processors, the used processor whose core each shares, and the share of the sample, 0 to 1.
        busy: Vec<(u32, u32, f64)>,
    },
    /// A scenario was scaled to this host and is not what the file says.
    FittedToHost {
        /// The scenario.
        scenario: String,
        /// What changed, in words.
        change: String,
    },
    /// The system would not tell where the pages of an application are.
    UnverifiedPages {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
    },
    /// Too few repetitions to judge their spread.
    FewRepetitions {
        /// How many.
        repetitions: usize,
    },
    /// Counting took a share of the window that shows.
    CountingOverhead {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Share of the window, 0 to 1.
        share: f64,
    },
    /// Data that a cache may keep.
    FitsCache {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Bytes of all its arrays.
        bytes: u64,
        /// Bytes of the last-level caches of its processors.
        cache_bytes: u64,
    },
    /// Threads that the system may move from one processor to another.
    NotPinned {
        /// The most processors that one may use.
        cpus: usize,
    },
    /// Memory was not there when it was touched, or had to be there and was.
    PageFaults {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Page faults of all its threads in what was timed, of the repetition that is furthest off.
        counted: u64,
        /// As many as its kernel has.
        expected: u64,
    },
    /// The kernel that ran has another arithmetic intensity than the file asks for.
    KernelIntensity {
        /// The application.
        app: String,
        /// Asked for, in FLOP per byte.
        asked: f64,
        /// Of the kernel that ran.
        ran: f64,
    },
    /// The ways of kernels through memory in the machine file were chosen with instruction sets that this processor lacks.
    TunedElsewhere {
        /// The kernels, by their use of memory, each with the instruction set.
        kernels: Vec<Unavailable>,
    },
    /// The ways of kernels through memory in the machine file were tried on another model of processor.
    TriedElsewhere {
        /// The model of that processor.
        processor: String,
        /// The model of the one here.
        here: String,
    },
    /// The system does not tell something that changes results.
    UnknownHardware {
        /// What, in words: `frequency governor`.
        what: Vec<&'static str>,
    },
}

impl Doubt {
    /// The stable word for files and scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NumaBalancing => "numa-balancing",
            Self::Governor { .. } => "governor",
            Self::Turbo => "turbo",
            Self::OtherLoad { .. } | Self::LoadAverage { .. } => "other-load",
            Self::VirtualMachine { .. } => "virtual-machine",
            Self::StolenTime { .. } => "stolen-time",
            Self::HugePagesOff | Self::FewHugePages { .. } => "no-huge-pages",
            Self::CpuLimit { .. } => "cpu-limit",
            Self::Throttled { .. } => "throttled",
            Self::Spread { .. } => "spread",
            Self::FewerCores { .. } => "fewer-cores",
            Self::ClockSource { .. } => "clock-source",
            Self::SharedCore { .. } | Self::BusySibling { .. } => "smt",
            Self::FittedToHost { .. } => "fitted-to-host",
            Self::UnverifiedPages { .. } => "unverified-pages",
            Self::FewRepetitions { .. } => "few-repetitions",
            Self::CountingOverhead { .. } => "counting-overhead",
            Self::FitsCache { .. } => "fits-cache",
            Self::NotPinned { .. } => "not-pinned",
            Self::PageFaults { .. } => "page-faults",
            Self::KernelIntensity { .. } => "kernel-intensity",
            Self::TunedElsewhere { .. } | Self::TriedElsewhere { .. } => "tuned-elsewhere",
            Self::UnknownHardware { .. } => "unknown-hardware",
        }
    }

    /// The scenario it is about; `None`: all of them.
    pub fn scenario(&self) -> Option<&str> {
        match self {
            Self::FewHugePages { scenario, .. }
            | Self::Spread { scenario, .. }
            | Self::FittedToHost { scenario, .. }
            | Self::UnverifiedPages { scenario, .. }
            | Self::FitsCache { scenario, .. }
            | Self::PageFaults { scenario, .. }
            | Self::CountingOverhead { scenario, .. } => Some(scenario),
            _ => None,
        }
    }

    /// The application it is about; `None`: all of them.
    pub fn app(&self) -> Option<&str> {
        match self {
            Self::FewHugePages { app, .. }
            | Self::Spread { app, .. }
            | Self::UnverifiedPages { app, .. }
            | Self::FitsCache { app, .. }
            | Self::PageFaults { app, .. }
            | Self::CountingOverhead { app, .. }
            | Self::KernelIntensity { app, .. } => Some(app),
            _ => None,
        }
    }

    /// Whether it holds for an application of a scenario.
    pub fn holds_for(&self, scenario: &str, app: &str) -> bool {
        self.scenario().is_none_or(|own| own == scenario) && self.app().is_none_or(|own| own == app)
    }
}
