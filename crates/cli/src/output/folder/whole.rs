//! Whether the files of a folder are of one run: none was written by another one meanwhile, and none is still to come.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::UNFINISHED;
use crate::failure::Failure;

/// Files of a folder as they were before they were read.
pub(crate) struct Whole {
    folder: PathBuf,
    files: Vec<(PathBuf, Option<Stamp>)>,
}

/// What changes when a file is replaced or written to.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    number: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Whole {
    /// Looks at files that are about to be read.
    ///
    /// # Errors
    /// A run was killed while it wrote there.
    pub(crate) fn look<'n>(folder: &Path, names: impl IntoIterator<Item = &'n str>) -> Result<Self, Failure> {
        is_finished(folder)?;
        let stamp = |name| {
            let path = folder.join(name);
            let stamp = stamp(&path);
            (path, stamp)
        };
        Ok(Self { folder: folder.to_owned(), files: names.into_iter().map(stamp).collect() })
    }

    /// That nothing has changed since, now that all is read.
    ///
    /// # Errors
    /// Something has.
    pub(crate) fn is_unchanged(&self) -> Result<(), Failure> {
        is_finished(&self.folder)?;
        match self.files.iter().find(|(path, before)| stamp(path) != *before) {
            None => Ok(()),
            Some((path, _)) => {
                Err(Failure::input(format!("{} was written while it was read", path.display()))
                    .hint("run the command again once that is done"))
            }
        }
    }
}

fn is_finished(folder: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(folder.join(UNFINISHED)).is_err() {
        return Ok(());
    }
    let message =
        format!("{} has files of two runs: numasim was stopped while it wrote them", folder.display());
    Err(Failure::input(message).hint(format!(
        "run the command that writes the folder again; {} has the files that are not in place",
        folder.join(UNFINISHED).display()
    )))
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some(Stamp { number, bytes: found.len(), modified: found.modified().ok() })
}
