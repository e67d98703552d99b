//! The machines: those of papers 001, 003 and 000, as described and calibrated in their files.

use std::path::Path;

use numasim_model::Machine;

use crate::common::{Failure, files};

/// A machine.
#[derive(Clone, Debug)]
pub(crate) struct Platform {
    /// Its name in tables and files.
    pub(crate) name: &'static str,
    pub(crate) machine: Machine,
}

/// Names and files from the root of the repository.
const FILES: [(&str, &str); 8] = [
    ("sandy-bridge", "configs/tasks/machines/sandy-bridge-2s.toml"),
    ("uv100", "configs/tasks/machines/uv100-2-irus.toml"),
    ("power8", "configs/tasks/machines/power8-s824l.toml"),
    ("nehalem", "configs/tasks/machines/nehalem-e5520-2s.toml"),
    ("westmere", "configs/tasks/machines/westmere-e7-4830-4s.toml"),
    ("bulldozer", "configs/tasks/machines/bulldozer-6212-4n.toml"),
    ("xeon-gold", "configs/machines/xeon-gold-6138-4s.toml"),
    ("epyc", "configs/machines/epyc-7501-2s.toml"),
];

/// Their names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(name, _)| name)
}

/// The machine with this name.
pub(crate) fn read(root: &Path, name: &str) -> Result<Platform, Failure> {
    let file = FILES.into_iter().find(|(known, _)| *known == name);
    let (name, file) = file.ok_or_else(|| format!("there is no machine {name}"))?;
    Ok(Platform { name, machine: files::machine(root, file)? })
}
