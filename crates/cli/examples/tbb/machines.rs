//! The three machines of the paper (its Table 1).

use std::path::Path;

use numasim_model::Machine;
use numasim_model::sharing_model::Model;

use crate::common::{Failure, files};

/// A machine of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Platform {
    Westmere,
    Nehalem,
    Bulldozer,
}

impl Platform {
    /// Its file, from the root of the repository.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Westmere => "configs/tasks/machines/westmere-e7-4830-4s.toml",
            Self::Nehalem => "configs/tasks/machines/nehalem-e5520-2s.toml",
            Self::Bulldozer => "configs/tasks/machines/bulldozer-6212-4n.toml",
        }
    }

    /// The machine of its file.
    pub(crate) fn read(self, root: &Path) -> Result<Machine, Failure> {
        files::machine(root, self.file())
    }
}

/// Outstanding cache lines of a core of the machine.
pub(crate) fn lines(machine: &Machine) -> Option<f64> {
    machine.sharing().parameters.outstanding_lines
}

/// The machine with this number of outstanding cache lines per core.
pub(crate) fn with_lines(machine: &Machine, lines: f64) -> Machine {
    let mut sharing: Model = *machine.sharing();
    sharing.parameters.outstanding_lines = Some(lines);
    machine.clone().with_sharing(sharing)
}
