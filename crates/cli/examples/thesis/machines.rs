//! The three machines of the thesis, with other values on request.

use std::path::Path;

use numasim_model::Machine;
use numasim_model::machine::LastLevelCache;
use numasim_model::sharing_model::Model;
use numasim_model::units::GigabytesPerSecond;

pub(crate) use crate::common::machines::{sockets, without_caches, without_numa};
use crate::common::{Failure, files};

/// A machine of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Platform {
    SandyBridge,
    Uv100,
    Power8,
}

impl Platform {
    pub(crate) const ALL: [Self; 3] = [Self::SandyBridge, Self::Uv100, Self::Power8];

    /// Its name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SandyBridge => "Sandy Bridge",
            Self::Uv100 => "UV100",
            Self::Power8 => "POWER8",
        }
    }

    /// The figure of the thesis with its speedups.
    pub(crate) const fn figure(self) -> &'static str {
        match self {
            Self::SandyBridge => "3.2",
            Self::Uv100 => "3.3",
            Self::Power8 => "3.4",
        }
    }

    /// Its file, from the root of the repository.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::SandyBridge => "configs/tasks/machines/sandy-bridge-2s.toml",
            Self::Uv100 => "configs/tasks/machines/uv100-2-irus.toml",
            Self::Power8 => "configs/tasks/machines/power8-s824l.toml",
        }
    }

    /// The machine of its file.
    pub(crate) fn read(self, root: &Path) -> Result<Machine, Failure> {
        files::machine(root, self.file())
    }
}

/// The values that may be calibrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Calibrated {
    /// Outstanding cache lines of a core.
    pub(crate) outstanding_lines: f64,
    /// GB/s of a core from its local last-level cache; `None`: no limit.
    pub(crate) llc_gbs: Option<f64>,
}

impl Calibrated {
    /// The values of a machine.
    pub(crate) fn of(machine: &Machine) -> Option<Self> {
        let lines = machine.sharing().parameters.outstanding_lines?;
        let cache = machine.cache(machine.compute_nodes().next()?);
        let llc_gbs = cache.and_then(|cache| cache.core_bandwidth).map(GigabytesPerSecond::value);
        Some(Self { outstanding_lines: lines, llc_gbs })
    }

    /// The machine with these values.
    pub(crate) fn on(self, machine: &Machine) -> Result<Machine, Failure> {
        let mut sharing: Model = *machine.sharing();
        sharing.parameters.outstanding_lines = Some(self.outstanding_lines);
        let cache = |node| {
            let core_bandwidth = self.llc_gbs.map(GigabytesPerSecond::new);
            machine.cache(node).map(|cache| LastLevelCache { core_bandwidth, ..*cache })
        };
        Ok(machine.clone().with_sharing(sharing).with_caches(machine.node_ids().map(cache).collect())?)
    }
}
