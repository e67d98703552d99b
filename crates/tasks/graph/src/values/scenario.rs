//! The scenarios of paper 003 (section 5): a scheduler and a placement under one name.

use super::settings::{PagePlacement, SchedulerKind, SchedulerSettings};

numasim_model::words! {
    /// A scheduler and where the data lies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum TaskScenario {
        /// Standard TBB; all data was initialised by the master.
        NoapFt = "noap-ft",
        /// Standard TBB; data interleaved.
        NoapIntl = "noap-intl",
        /// Standard TBB with its affinity partitioner; data interleaved.
        ApIntl = "ap-intl",
        /// TBB-NUMA; data interleaved.
        NacsIntl = "nacs-intl",
        /// TBB-NUMA; data distributed by the programmer's hints.
        NacsNadd = "nacs-nadd",
    }
}

impl TaskScenario {
    /// The scheduler: `settings` with what the scenario says.
    pub fn scheduler(self, settings: &SchedulerSettings) -> SchedulerSettings {
        let (kind, affinity_partitioner) = match self {
            Self::NoapFt | Self::NoapIntl => (SchedulerKind::Tbb, false),
            Self::ApIntl => (SchedulerKind::Tbb, true),
            Self::NacsIntl | Self::NacsNadd => (SchedulerKind::TbbNuma, false),
        };
        SchedulerSettings { kind, affinity_partitioner, ..settings.clone() }
    }

    /// Where the data lies. First touch is that of the initialising master: the paper's 0.40 for interleaved data of cg needs nearly all
    /// data on one node otherwise.
    pub const fn placement(self) -> PagePlacement {
        match self {
            Self::NoapFt => PagePlacement::Master,
            Self::NoapIntl | Self::ApIntl | Self::NacsIntl => PagePlacement::Interleave,
            Self::NacsNadd => PagePlacement::Nadd,
        }
    }
}
