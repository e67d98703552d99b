//! A folder of files that belong together: checked before any work, then written whole or not at all.
//!
//! All files are made in a folder that is not seen (`draft`). At the end it takes the place of the folder that is there, at one stroke.
//! Where that has files of other kinds, which stay, or cannot be exchanged, the draft moves into it as [`UNFINISHED`], and its files from there
//! to their names. A process that is killed meanwhile leaves that folder: readers refuse what they find (`whole`), and the next run that writes
//! there moves the rest first.

mod draft;
mod whole;

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::draft::FolderDraft;
use super::path::directory_of;
use super::{Destination, Place, without_colours};
use crate::failure::Failure;
use crate::inputs;
pub(crate) use whole::Whole;

/// The files of a folder that still have to get their names.
const UNFINISHED: &str = ".numasim-unfinished";

/// A folder to write files to.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks that the files `names` can be written there, and changes nothing. `switch` names the folder on the command line.
    ///
    /// # Errors
    /// Something else with this name, a file that another output has, and those of [`Place::open`].
    pub(crate) fn open(path: &Path, names: &[&str], switch: &str) -> Result<Self, Failure> {
        for name in names {
            inputs::refuse_second(&path.join(name))?;
        }
        if path.is_dir() {
            for name in names {
                Place::open(&path.join(name))?;
            }
        } else if fs::symlink_metadata(path).is_ok() {
            return Err(Failure::output(format!("{switch} {} is no folder", path.display())));
        } else {
            let there = path
                .ancestors()
                .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
            let there = there.into_iter().find(|folder| fs::symlink_metadata(folder).is_ok());
            let writable = tempfile::tempfile_in(there.unwrap_or(Path::new(".")));
            writable.map_err(|error| not_made(path, &error))?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Makes the folder if there is none, for files that are written one after another as they come into being.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.path).map_err(|error| not_made(&self.path, &error))
    }

    /// One file of such a folder.
    ///
    /// # Errors
    /// Those of [`Destination::open`].
    pub(crate) fn destination(&self, name: &str) -> Result<Destination, Failure> {
        Destination::open(Some(&self.path.join(name)))
    }

    /// Writes all files of the folder, as `write` makes them. If that fails, the folder is as it was.
    ///
    /// # Errors
    /// Those of `write`, another process that writes the same folder, and those of the system.
    pub(crate) fn write_whole(
        &self,
        write: impl FnOnce(&mut FolderFiles) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let draft = FolderDraft::new(&self.path).map_err(|error| self.refused(&error))?;
        let mut files = FolderFiles { draft, target: self.path.clone(), names: Vec::new() };
        write(&mut files)?;
        for name in &files.names {
            inputs::refuse(&self.path.join(name))?;
        }
        files.draft.finish(&files.names).map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &io::Error) -> Failure {
        let shown = self.path.display();
        match error.kind() {
            io::ErrorKind::ResourceBusy => Failure::input(format!("another numasim is writing {shown}"))
                .hint("wait for it, or name another folder"),
            _ => super::place::not_written(&self.path, error),
        }
    }
}

/// The files of a folder while they are made.
pub(crate) struct FolderFiles {
    draft: FolderDraft,
    /// What the folder will be called, for messages.
    target: PathBuf,
    names: Vec<String>,
}

impl FolderFiles {
    /// Writes a file of text.
    ///
    /// # Errors
    /// What cannot be written.
    pub(crate) fn write(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Text<'_>) -> fmt::Result,
    ) -> Result<(), Failure> {
        self.write_by(name, |out| Text::to(out, write))
    }

    /// The same for text that `write` writes as bytes.
    ///
    /// # Errors
    /// What cannot be written.
    pub(crate) fn write_by(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let file = self.draft.create(name);
        let written = file.and_then(|file| without_colours(&file, write).and_then(|()| file.sync_all()));
        written.map_err(|error| super::place::not_written(&self.target.join(name), &error))?;
        self.names.push(name.to_owned());
        Ok(())
    }
}

fn not_made(path: &Path, error: &io::Error) -> Failure {
    let failure = Failure::output(format!("cannot make the folder {}", path.display())).caused_by(error);
    match error.kind() {
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            failure.hint(format!("is {} a folder?", directory_of(path).display()))
        }
        _ => failure,
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
