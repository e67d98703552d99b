//! Warnings about the quality of a measurement: typed, each with advice.
//!
//! A [`Doubt`] has a stable `code` (`numa-balancing`) for files and scripts, a sentence with values for people, and an advice. [`before()`]
//! judges the facts of a host, [`after()`] the measurements. Warnings in between (a scenario scaled to the host) are created where they
//! arise. A warning never stops a measurement and is never left out of its result.

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
    /// Used logical CPUs whose clock is not held at its highest.
    Governor {
        /// Its name: `powersave`.
        governor: String,
        /// The used logical CPUs that have it, in the syntax of Linux.
        cpus: String,
    },
    /// The clock may rise above its nominal frequency as long as heat and idle cores allow.
    Turbo,
    /// Other processes run on the logical CPUs to be measured.
    OtherLoad {
        /// Busy used logical CPUs and the fraction of the sample in which they were busy, 0 to 1.
        busy: Vec<(u32, f64)>,
    },
    /// Other processes run on this host; their logical CPUs are unknown.
    LoadAverage {
        /// Runnable threads, mean over a minute.
        load: f64,
    },
    /// The host is a virtual machine.
    VirtualMachine {
        /// The evidence for that.
        evidence: String,
    },
    /// The hypervisor ran other work while used logical CPUs were runnable.
    StolenTime {
        /// Fraction of the time of the run, 0 to 1, on the logical CPU that lost most.
        share: f64,
        /// That logical CPU.
        cpu: u32,
    },
    /// The system provides no transparent huge pages.
    HugePagesOff,
    /// The data of an application got few huge pages.
    FewHugePages {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Smallest fraction of its data in huge pages over its threads and repetitions, 0 to 1.
        share: f64,
    },
    /// A control group allows no more CPU time than the threads of the run need.
    CpuLimit {
        /// Number of logical CPUs that may be busy all the time.
        cpus: f64,
        /// Number of used ones.
        used: usize,
        /// The file that sets it.
        file: String,
    },
    /// A control group throttled threads during the run.
    Throttled {
        /// Periods in which the time was used up.
        periods: u64,
        /// Time that threads waited, summed over logical CPUs.
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
        /// Number of repetitions.
        repetitions: usize,
    },
    /// Fewer cores than the question needs.
    FewerCores {
        /// Cores wanted.
        wanted: u32,
        /// Cores used.
        used: u32,
    },
    /// The kernel reads the time from a slow or drifting source.
    ClockSource {
        /// Its name: `hpet`.
        source: String,
        /// The TSC is not even available: the kernel found it unstable.
        unstable_tsc: bool,
    },
    /// Used logical CPUs are hardware threads of the same core.
    SharedCore {
        /// Those logical CPUs, in the syntax of Linux.
        cpus: String,
    },
    /// Other processes run on the second hardware thread of a used core.
    BusySibling {
        /// Busy logical CPUs, the used logical CPU whose core each shares, and the fraction of the sample, 0 to 1.
        busy: Vec<(u32, u32, f64)>,
    },
    /// A scenario was scaled to this host and differs from the file.
    FittedToHost {
        /// The scenario.
        scenario: String,
        /// The change, in words.
        change: String,
    },
    /// The system did not report the location of an application's pages.
    UnverifiedPages {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
    },
    /// Too few repetitions to judge their spread.
    FewRepetitions {
        /// Number of repetitions.
        repetitions: usize,
    },
    /// Counting took a noticeable fraction of the window.
    CountingOverhead {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Fraction of the window, 0 to 1.
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
        /// Bytes of the last-level caches of its logical CPUs.
        cache_bytes: u64,
    },
    /// Threads that the system may move from one logical CPU to another.
    NotPinned {
        /// The largest number of logical CPUs that one thread may use.
        cpus: usize,
    },
    /// Memory was missing when it was touched, or was present although it should have been new.
    PageFaults {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Page faults of all its threads during the timed part, for the repetition with the largest deviation.
        counted: u64,
        /// The number that its kernel should have.
        expected: u64,
    },
    /// The kernel that ran has another arithmetic intensity than the file requests.
    KernelIntensity {
        /// The application.
        app: String,
        /// Requested, in FLOP per byte.
        asked: f64,
        /// That of the kernel that ran.
        ran: f64,
    },
    /// The access variants in the machine file were chosen with instruction sets that this processor lacks.
    TunedElsewhere {
        /// The kernels, by their use of memory, each with the instruction set.
        kernels: Vec<Unavailable>,
    },
    /// The access variants in the machine file were tuned on another processor model.
    TriedElsewhere {
        /// The model of that processor.
        processor: String,
        /// The model of this one.
        here: String,
    },
    /// The system does not report something that changes results.
    UnknownHardware {
        /// The missing facts, in words: `frequency governor`.
        what: Vec<&'static str>,
    },
}

impl Doubt {
    /// The stable code for files and scripts.
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

    /// Whether it applies to an application of a scenario.
    pub fn holds_for(&self, scenario: &str, app: &str) -> bool {
        self.scenario().is_none_or(|own| own == scenario) && self.app().is_none_or(|own| own == app)
    }
}
