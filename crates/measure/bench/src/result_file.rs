//! `RESULT.csv` on disk: started or resumed, and safe after every measurement.
//!
//! The caller that opens the file makes sure that no other process writes it; its name is for messages. A run that is killed leaves whole
//! measurements and perhaps a part of one; [`ResultFile::resume`] drops that part. All rows of a file are of one run: they contain its id,
//! and another one is rejected.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use numasim_evidence::measured::{ReadError, Row, header, lines, run_of, whole_measurements};
use numasim_host::memory::size;

use crate::plan::PlannedScenario;

/// The reason why results cannot be stored in a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be opened or written.
    #[error("cannot write to {}", path.display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The reason.
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
    /// It is not a result of this plan.
    #[error("{} cannot be taken up again", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
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
        /// The reason.
        source: io::Error,
    },
}

/// The file of a run.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// Length up to the last whole measurement.
    length: u64,
    measurements: u64,
}

impl ResultFile {
    /// Starts a run in `file`: replaces its contents by the header, and reserves room for `bytes`.
    ///
    /// # Errors
    /// [`FileError::NotWritable`], [`FileError::NoRoom`].
    pub fn begin(path: &Path, file: File, bytes: u64) -> Result<Self, FileError> {
        let mut begun = Self { path: path.to_owned(), file, length: 0, measurements: 0 };
        begun.reserve(bytes)?;
        begun.go_to(0).and_then(|()| begun.write(&header())).map_err(|error| begun.refused(error))?;
        Ok(begun)
    }

    /// The run of the rows in `file`; `None` if it has no whole row: then nothing was measured yet.
    ///
    /// # Errors
    /// [`FileError::NotWritable`] if it cannot be read, [`FileError::Unreadable`].
    pub fn run_of(path: &Path, mut file: &File) -> Result<Option<String>, FileError> {
        let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
        let refused = |source| FileError::NotWritable { path: path.to_owned(), source };
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut text)).map_err(refused)?;
        run_of(&text).map_err(unreadable)
    }

    /// Resumes the file of `run`: drops an incomplete measurement and returns the rest.
    ///
    /// # Errors
    /// [`FileError::NotWritable`], [`FileError::Unreadable`], [`FileError::OtherRun`], [`FileError::NoRoom`]. The file is then unchanged.
    pub fn resume(
        path: &Path,
        file: File,
        run: &str,
        plan: &[PlannedScenario],
        bytes: u64,
    ) -> Result<(Self, Vec<Row>), FileError> {
        let mut resumed = Self { path: path.to_owned(), file, length: 0, measurements: 0 };
        let mut text = Vec::new();
        let read = resumed.file.seek(SeekFrom::Start(0)).and_then(|_| resumed.file.read_to_end(&mut text));
        read.map_err(|error| resumed.refused(error))?;
        let expected: Vec<_> = plan.iter().map(PlannedScenario::expected_rows).collect();
        let left = whole_measurements(&text, &expected)
            .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
        if let Some(other) = left.rows.iter().find(|row| row.run != run) {
            let (found, expected) = (other.run.clone(), run.to_owned());
            return Err(FileError::OtherRun { path: path.to_owned(), found, expected });
        }
        resumed.reserve(bytes)?;
        let end = left.end as u64;
        let ready =
            resumed.go_to(end).and_then(|()| if end == 0 { resumed.write(&header()) } else { Ok(()) });
        ready.map_err(|error| resumed.refused(error))?;
        resumed.measurements = left.measurements;
        Ok((resumed, left.rows))
    }

    /// The path of the file.
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
            // Resume would drop a part of a measurement anyway; without it the file is valid for every reader.
            let _ = self.go_to(self.length);
            FileError::Lost { path: self.path.clone(), safe: self.measurements, source }
        })?;
        self.measurements += 1;
        Ok(())
    }

    /// Releases the reserved room that was not used.
    ///
    /// # Errors
    /// [`FileError::NotWritable`].
    pub fn finish(&self) -> Result<(), FileError> {
        let done = self.file.set_len(self.length).and_then(|()| self.file.sync_all());
        done.map_err(|error| self.refused(error))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// Drops everything after the first `end` bytes.
    fn go_to(&mut self, end: u64) -> io::Result<()> {
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end))?;
        self.length = end;
        Ok(())
    }

    fn refused(&self, source: io::Error) -> FileError {
        FileError::NotWritable { path: self.path.clone(), source }
    }

    fn reserve(&self, bytes: u64) -> Result<(), FileError> {
        reserve(&self.file, bytes).map_err(|why| match why {
            NoRoom::Free(free_bytes) => {
                FileError::NoRoom { path: self.path.clone(), wanted_bytes: bytes, free_bytes }
            }
            NoRoom::System(error) => self.refused(error),
        })
    }
}

/// The reason why there is no room.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is set aside there"))]
enum NoRoom {
    /// Less than wanted.
    Free(u64),
    /// The error of the system.
    System(io::Error),
}

/// Reserves `bytes` behind the start of the file, without changing its length. If the file system does not support that, checks its free
/// space.
#[cfg(target_os = "linux")]
fn reserve(file: &File, bytes: u64) -> Result<(), NoRoom> {
    use rustix::fs::{FallocateFlags, fallocate, fstatvfs};
    use rustix::io::Errno;

    let free = || fstatvfs(file).map(|system| system.f_bavail.saturating_mul(system.f_frsize));
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
        Ok(()) => Ok(()),
        Err(Errno::NOSPC | Errno::DQUOT) => Err(NoRoom::Free(free().unwrap_or(0))),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => match free() {
            Ok(free) if free < bytes => Err(NoRoom::Free(free)),
            // Unknown; the first write that fails will show it.
            Ok(_) | Err(_) => Ok(()),
        },
        Err(other) => Err(NoRoom::System(other.into())),
    }
}

/// Other systems: the first write that fails shows it.
#[cfg(not(target_os = "linux"))]
fn reserve(_file: &File, _bytes: u64) -> Result<(), NoRoom> {
    Ok(())
}
