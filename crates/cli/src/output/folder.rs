//! A folder of files that belong together: checked before any work, then written, each whole or not at all.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Destination;
use crate::failure::Failure;

/// A folder to write files to.
pub(crate) struct Folder {
    path: PathBuf,
    taken: Vec<PathBuf>,
}

impl Folder {
    /// Checks that the files `names` can be written there, and changes nothing. `switch` names the folder on the command line, `taken` are
    /// files that are read or written otherwise.
    ///
    /// # Errors
    /// Something else with this name, and those of [`Destination::open`].
    pub(crate) fn open(
        path: &Path,
        names: &[&str],
        switch: &str,
        taken: &[PathBuf],
    ) -> Result<Self, Failure> {
        let folder = Self { path: path.to_owned(), taken: taken.to_owned() };
        if path.is_dir() {
            for name in names {
                folder.destination(name)?;
            }
        } else if path.exists() {
            return Err(Failure::output(format!("{switch} {} is no folder", path.display())));
        }
        Ok(folder)
    }

    /// Makes the folder where there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.path).map_err(|error| {
            Failure::output(format!("cannot make the folder {}", self.path.display())).caused_by(&error)
        })
    }

    /// One of the files.
    ///
    /// # Errors
    /// Those of [`Destination::open`].
    pub(crate) fn destination(&self, name: &str) -> Result<Destination, Failure> {
        Destination::open(Some(&self.path.join(name)), &self.taken)
    }

    /// Writes one of the files.
    ///
    /// # Errors
    /// What cannot be written.
    pub(crate) fn write(
        &self,
        name: &str,
        write: impl FnOnce(&mut Text<'_>) -> fmt::Result,
    ) -> Result<(), Failure> {
        self.destination(name)?.deliver_by(|out| Text::to(out, write))
    }
}

/// Text on its way to bytes; keeps why it got no further.
pub(crate) struct Text<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl<'a> Text<'a> {
    /// Writes text.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn to(out: &'a mut dyn Write, write: impl FnOnce(&mut Self) -> fmt::Result) -> io::Result<()> {
        let mut text = Self { out, error: None };
        let written = write(&mut text);
        match (text.error, written) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(io::Error::other(error)),
            (None, Ok(())) => Ok(()),
        }
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
