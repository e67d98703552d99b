//! `RESULT.csv` on disk: created or taken up again, locked, and safe after every measurement.
//!
//! A run that is killed leaves whole measurements and perhaps a part of one; [`ResultFile::resume`] drops that part. All
//! rows of a file are of one run: the id says so, and another one is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::reading::{ReadError, whole_measurements};
use super::reserve::{NoRoom, reserve};
use super::{Row, header, lines};
use crate::memory::size;
use crate::plan::PlannedScenario;

/// Why results cannot be kept in a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is there already.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// There is nothing to resume.
    #[error("{} does not exist: nothing to resume", .0.display())]
    Missing(PathBuf),
    /// Another process writes it.
    #[error("another numasim process is writing {}", .0.display())]
    Busy(PathBuf),
    /// It cannot be opened or written.
    #[error("cannot write to {}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The disk or the quota is too small for the whole run.
    #[error(
        "there is no room for the results beside {}: the run needs about {}, {} are free",
        path.display(), size(*.wanted_bytes), size(*.free_bytes)
    )]
    NoRoom {
        /// The file.
        path: PathBuf,
        /// Needed for all repetitions.
        wanted_bytes: u64,
        /// Free.
        free_bytes: u64,
    },
    /// It is no result of this plan.
    #[error("{} cannot be taken up again", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// It has rows of another run.
    #[error("{} has rows of run {found}, this is run {expected}: two runs never share a file", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The run of its rows.
        found: String,
        /// This run.
        expected: String,
    },
    /// A measurement could not be written; those before it are safe.
    #[error("cannot write to {} any more; the {safe} measurements before are safe there", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// Measurements in the file.
        safe: u64,
        /// Why.
        source: io::Error,
    },
}

/// The file of a run, locked as long as this value lives.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// Length up to the last whole measurement.
    length: u64,
    measurements: u64,
}

impl ResultFile {
    /// Creates the file with its header and sets room for `bytes` aside. If that fails there is no file afterwards.
    ///
    /// # Errors
    /// [`FileError::Exists`]; [`FileError::NotWritable`], also for a folder that is missing or read-only;
    /// [`FileError::NoRoom`].
    pub fn create(path: &Path, bytes: u64) -> Result<Self, FileError> {
        let refuse = |source: io::Error| FileError::NotWritable { path: path.to_owned(), source };
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(|error| {
                if error.kind() == ErrorKind::AlreadyExists {
                    FileError::Exists(path.to_owned())
                } else {
                    refuse(error)
                }
            })?;
        let mut created = Self { path: path.to_owned(), file, length: 0, measurements: 0 };
        let ready = created
            .lock()
            .and_then(|()| created.reserve(bytes))
            .and_then(|()| created.write(&header()).map_err(refuse));
        match ready {
            Ok(()) => Ok(created),
            Err(error) => {
                // Nothing is in it; a file that cannot be used would only be in the way.
                let _ = std::fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// Takes up the file of `run` again: what does not make a whole measurement is dropped, the rest is returned.
    ///
    /// # Errors
    /// [`FileError::Missing`], [`FileError::Busy`], [`FileError::NotWritable`], [`FileError::Unreadable`],
    /// [`FileError::OtherRun`], [`FileError::NoRoom`]. Then the file is as it was.
    pub fn resume(
        path: &Path,
        run: &str,
        plan: &[PlannedScenario],
        bytes: u64,
    ) -> Result<(Self, Vec<Row>), FileError> {
        let refuse = |source: io::Error| FileError::NotWritable { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                FileError::Missing(path.to_owned())
            } else {
                refuse(error)
            }
        })?;
        let mut resumed = Self { path: path.to_owned(), file, length: 0, measurements: 0 };
        resumed.lock()?;
        let mut text = Vec::new();
        resumed.file.read_to_end(&mut text).map_err(refuse)?;
        let left = whole_measurements(&text, plan)
            .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
        if let Some(other) = left.rows.iter().find(|row| row.run != run) {
            let (found, expected) = (other.run.clone(), run.to_owned());
            return Err(FileError::OtherRun { path: path.to_owned(), found, expected });
        }
        resumed.reserve(bytes)?;
        let end = left.end as u64;
        resumed.file.set_len(end).and_then(|()| resumed.file.seek(SeekFrom::Start(end))).map_err(refuse)?;
        resumed.length = end;
        if end == 0 {
            resumed.write(&header()).map_err(refuse)?;
        }
        resumed.measurements = left.measurements;
        Ok((resumed, left.rows))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Measurements in it.
    pub fn measurements(&self) -> u64 {
        self.measurements
    }

    /// Appends the rows of one measurement; when this returns they are on disk.
    ///
    /// # Errors
    /// [`FileError::Lost`]: these rows are not in the file, the earlier ones are.
    pub fn append(&mut self, rows: &[Row]) -> Result<(), FileError> {
        let text = lines(rows).map_err(io::Error::other);
        let written = text.and_then(|text| self.write(&text));
        written.map_err(|source| {
            // A part of a measurement would be dropped by resume anyway; without it the file is whole for everybody.
            let end = self.length;
            let _ = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
            FileError::Lost { path: self.path.clone(), safe: self.measurements, source }
        })?;
        self.measurements += 1;
        Ok(())
    }

    /// Gives back the room that was set aside and not used.
    ///
    /// # Errors
    /// [`FileError::NotWritable`].
    pub fn finish(&self) -> Result<(), FileError> {
        let done = self.file.set_len(self.length).and_then(|()| self.file.sync_all());
        done.map_err(|source| FileError::NotWritable { path: self.path.clone(), source })
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// Where locks do not work (some network file systems) nothing is known, and nothing is refused.
    fn lock(&self) -> Result<(), FileError> {
        match self.file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FileError::Busy(self.path.clone())),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    fn reserve(&self, bytes: u64) -> Result<(), FileError> {
        let path = || self.path.clone();
        reserve(&self.file, bytes).map_err(|why| match why {
            NoRoom::Free(free_bytes) => FileError::NoRoom { path: path(), wanted_bytes: bytes, free_bytes },
            NoRoom::System(source) => FileError::NotWritable { path: path(), source },
        })
    }
}
