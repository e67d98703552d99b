//! Destinations of files: every file of every command is written through this module, including those next to a result.
//!
//! A [`Place`] is never an input of the command and never a symbolic link. An existing file is replaced as a whole, or continued under a
//! lock.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::draft::{Draft, is_at, lock, sync_directory};
use super::{directory_of, no_follow};
use crate::failure::Failure;
use crate::inputs;

/// The name of a regular file that may be written, whether it exists or not.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    /// Permissions of the existing file.
    permissions: Option<Permissions>,
}

/// The target of an output name.
pub(super) enum Found {
    File(Place),
    /// A pipe or a device, which cannot be replaced.
    Special,
}

/// The reason why a new file could not be created.
#[derive(Debug)]
pub(crate) enum NotCreated {
    /// Its name is taken by a file that no process is writing.
    Exists,
    /// Another process is writing it.
    Busy,
    /// The system refused.
    System(io::Error),
}

impl Place {
    /// Checks that a regular file can be written at this path; changes nothing.
    ///
    /// # Errors
    /// An input of the command, a symbolic link, a folder, a device; a folder that is missing or not writable; a read-only file.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        match Self::find(path)? {
            Found::File(place) => Ok(place),
            Found::Special => Err(not_written(path, &io::Error::other("it is not a regular file"))
                .hint("give -o the name of another file")),
        }
    }

    /// As [`Place::open`], for names that may also refer to a pipe or a device.
    pub(super) fn find(path: &Path) -> Result<Found, Failure> {
        let refuse = |error: io::Error| not_written(path, &error);
        let names_directory = path.as_os_str().as_encoded_bytes().last().is_none_or(|&end| end == b'/');
        let directory = directory_of(path);
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && !names_directory => {
                if !directory.is_dir() {
                    let hint = format!("there is no directory {}", directory.display());
                    return Err(refuse(error).hint(hint));
                }
                None
            }
            Err(error) => return Err(refuse(error)),
            Ok(found) if found.is_symlink() => match fs::metadata(path) {
                Ok(target) if !target.is_file() && !target.is_dir() => return Ok(Found::Special),
                _ => return Err(a_link(path)),
            },
            Ok(found) => Some(found),
        };
        match &found {
            Some(found) if found.is_dir() => {
                return Err(refuse(ErrorKind::IsADirectory.into())
                    .hint("-o takes the name of a file, not of a directory"));
            }
            Some(found) if !found.is_file() => return Ok(Found::Special),
            _ => {}
        }
        inputs::refuse(path)?;
        if found.is_some() {
            // Renaming over a read-only file would succeed, against the intention of its owner.
            no_follow(&mut OpenOptions::new()).write(true).open(path).map_err(refuse)?;
        }
        tempfile::tempfile_in(directory).map_err(refuse)?;
        Ok(Found::File(Self { path: path.to_owned(), permissions: found.map(|found| found.permissions()) }))
    }

    /// `FILE` with an extension: the name of its temporary content while it is incomplete.
    pub(crate) fn beside(&self, ending: &str) -> Result<Self, Failure> {
        let mut name = self.path.clone().into_os_string();
        name.push(ending);
        inputs::refuse_second(Path::new(&name))?;
        Self::open(Path::new(&name))
    }

    /// Its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file atomically: at every moment it has either its old or its complete new content.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        self.replace_by(|mut file| file.write_all(bytes))
    }

    /// The same with content written by `write`.
    pub(crate) fn replace_by(&self, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let draft = Draft::new(&self.path)?;
        write(draft.file())?;
        // Files that were read since the place was opened are now known.
        inputs::refuse(&self.path).map_err(|failure| io::Error::other(failure.message().to_owned()))?;
        if let Some(permissions) = &self.permissions {
            draft.file().set_permissions(permissions.clone())?;
        }
        draft.replace()
    }

    /// Creates a new file that grows, locked while it is open. `begin` writes its initial content.
    pub(crate) fn create<T, E>(
        &self,
        begin: impl FnOnce(&File) -> Result<T, E>,
    ) -> Result<Result<(File, T), E>, NotCreated> {
        if fs::symlink_metadata(&self.path).is_ok() {
            return Err(self.taken());
        }
        let draft = Draft::new(&self.path).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => NotCreated::Busy,
            _ => NotCreated::System(error),
        })?;
        let begun = match begin(draft.file()) {
            Ok(begun) => begun,
            Err(error) => return Ok(Err(error)),
        };
        match draft.create() {
            Ok(file) => Ok(Ok((file, begun))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(self.taken()),
            Err(error) => Err(NotCreated::System(error)),
        }
    }

    /// Opens an existing file to continue writing it, and locks it.
    ///
    /// # Errors
    /// [`ErrorKind::ResourceBusy`] if another process is writing it.
    pub(crate) fn resume(&self) -> io::Result<File> {
        let file = no_follow(&mut OpenOptions::new()).read(true).write(true).open(&self.path)?;
        lock(&file)?;
        // Another process finished or removed it just before it was locked.
        if is_at(&file, &self.path) { Ok(file) } else { Err(ErrorKind::ResourceBusy.into()) }
    }

    /// Gives the finished file the name `target`, replacing an existing file.
    pub(crate) fn rename(&self, target: &Self) -> io::Result<()> {
        fs::rename(&self.path, &target.path)?;
        sync_directory(&target.path);
        Ok(())
    }

    /// Whether a file with this name exists now.
    pub(crate) fn exists(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok()
    }

    /// Removes the file if it exists.
    pub(crate) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Permissions of the file that existed when the place was opened.
    pub(crate) fn permissions(&self) -> Option<&Permissions> {
        self.permissions.as_ref()
    }

    /// The message if another process writes the file.
    pub(crate) fn busy(&self) -> Failure {
        Failure::input(format!("another numasim is writing {}", self.path.display()))
            .hint("wait for it, or give -o the name of another file")
    }

    /// The message if the system refuses.
    pub(crate) fn refused(&self, error: &io::Error) -> Failure {
        if error.kind() == ErrorKind::ResourceBusy { self.busy() } else { not_written(&self.path, error) }
    }

    fn taken(&self) -> NotCreated {
        let open = no_follow(&mut OpenOptions::new()).read(true).open(&self.path);
        match open.map(|file| file.try_lock_shared()) {
            Ok(Err(fs::TryLockError::WouldBlock)) => NotCreated::Busy,
            _ => NotCreated::Exists,
        }
    }
}

pub(super) fn not_written(path: &Path, error: &io::Error) -> Failure {
    explained(Failure::output(format!("cannot write to {}", path.display())), error)
}

/// Adds the error, and advice about limits other than those of the disk.
pub(super) fn explained(failure: Failure, error: &io::Error) -> Failure {
    let failure = failure.caused_by(error);
    match error.kind() {
        ErrorKind::FileTooLarge => failure.hint("`ulimit -f` prints the limit of a file in this shell"),
        _ => failure,
    }
}

/// Another user may have created the link, and its target was not checked.
fn a_link(path: &Path) -> Failure {
    let failure = not_written(path, &io::Error::other("it is a symbolic link"));
    match fs::read_link(path) {
        Ok(target) => {
            failure.hint(format!("name the file itself: {}", directory_of(path).join(target).display()))
        }
        Err(_) => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("x.csv");
        fs::write(&path, "mine").expect("a file for the test");
        let place = Place::open(&path).expect("writable, and no input yet");
        inputs::note(&path);
        let refused = place.replace(b"new").expect_err("an input by now");
        assert!(refused.to_string().contains("is also an input file"), "{refused}");
        assert_eq!(fs::read_to_string(&path).expect("there"), "mine");
    }

    #[test]
    fn a_file_that_grows_has_one_writer_and_is_never_made_twice() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let place = Place::open(&folder.path().join("r.csv")).expect("writable");
        let begin = |mut file: &File| file.write_all(b"header\n");
        let (file, ()) = place.create(begin).expect("new").expect("written");
        assert!(matches!(place.create(begin), Err(NotCreated::Busy)));
        assert_eq!(place.resume().expect_err("locked").kind(), ErrorKind::ResourceBusy);
        drop(file);
        assert!(matches!(place.create(begin), Err(NotCreated::Exists)));
        assert!(place.resume().is_ok());
    }

    #[test]
    fn a_file_that_cannot_begin_is_not_made() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let place = Place::open(&folder.path().join("r.csv")).expect("writable");
        let begun = place.create(|_| Err::<(), _>("no room"));
        assert_eq!(begun.expect("the name is free").expect_err("no room"), "no room");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
    }
}
