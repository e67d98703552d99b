//! A folder of files that belong together: checked before any work, then written completely or not at all.
//!
//! All files are created in a hidden folder (`draft`). At the end it atomically replaces the existing folder. If the existing folder
//! contains files of other kinds, which are preserved, or cannot be exchanged, the draft moves into it as [`UNFINISHED`], and its files
//! are renamed from there. A process that is killed during this leaves that folder. Readers reject such a folder (`whole`), and the next
//! run that writes to it first moves the remaining files.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Failure;
use crate::inputs;
#[cfg(target_os = "linux")]
use crate::output::Destination;
use crate::output::draft::{
    MOST_ROUNDS, exchange, is_at, lock, name_until_done, rename_to_new, sync_directory,
};
use crate::output::{Place, directory_of, no_follow, without_colours};

/// The files of a folder that have not yet been renamed.
const UNFINISHED: &str = ".numasim-unfinished";

/// A folder to write files to.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Checks that the files `names` can be written there, and changes nothing. `switch` names the folder on the command line.
    ///
    /// # Errors
    /// Something other than a folder with this name, a file that is also another output, and the errors of [`Place::open`].
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

    /// Creates the folder if there is none, for files that are written one after another as they are produced.
    ///
    /// # Errors
    /// The errors of the system.
    #[cfg(target_os = "linux")]
    pub(crate) fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.path).map_err(|error| not_made(&self.path, &error))
    }

    /// One file of such a folder.
    ///
    /// # Errors
    /// The errors of [`Destination::open`].
    #[cfg(target_os = "linux")]
    pub(crate) fn destination(&self, name: &str) -> Result<Destination, Failure> {
        Destination::open(Some(&self.path.join(name)))
    }

    /// Writes all files of the folder with `write`. If that fails, the folder is unchanged.
    ///
    /// # Errors
    /// The errors of `write`, another process that writes the same folder, and the errors of the system.
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

/// The files of a folder that is being created.
pub(crate) struct FolderFiles {
    draft: FolderDraft,
    /// The final name of the folder, for messages.
    target: PathBuf,
    names: Vec<String>,
}

impl FolderFiles {
    /// Writes a text file.
    ///
    /// # Errors
    /// The file cannot be written.
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
    /// The file cannot be written.
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

/// Converts text to bytes; remembers the first error.
pub(crate) struct Text<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl<'a> Text<'a> {
    /// Writes text.
    ///
    /// # Errors
    /// The errors of `out`.
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

// A folder that is being created, and how it replaces another one.

/// Prefix of the names of drafts.
const HIDDEN: &str = ".numasim-";

/// A folder without its final name, locked by this process.
struct FolderDraft {
    /// The path without links; it need not exist.
    target: PathBuf,
    /// The path of the files until all are written.
    path: PathBuf,
    /// Keeps the lock.
    _lock: Option<File>,
    finished: bool,
}

impl FolderDraft {
    /// Begins a folder for `target`, which is not touched, except that files of a killed run get their final names.
    ///
    /// # Errors
    /// The errors of the system; [`ErrorKind::ResourceBusy`] if another process is creating the same folder.
    fn new(target: &Path) -> io::Result<Self> {
        let target = real(target)?;
        complete(&target)?;
        let beside = name_until_done(&target);
        let (path, lock) = match made(&beside) {
            Ok(made) => made,
            Err(error) if error.kind() == ErrorKind::ResourceBusy || !target.is_dir() => return Err(error),
            // The parent folder is not writable, or on another disk.
            Err(_) => made(&name_until_done(&target.join("folder")))?,
        };
        Ok(Self { target, path, _lock: lock, finished: false })
    }

    /// Creates a file in it.
    fn create(&self, name: &str) -> io::Result<File> {
        let path = self.path.join(name);
        let file = no_follow(&mut OpenOptions::new()).read(true).write(true).create_new(true).open(path)?;
        // As for files that are replaced individually: permissions set by the user are preserved.
        if let Ok(there) = fs::metadata(self.target.join(name)) {
            file.set_permissions(there.permissions())?;
        }
        Ok(file)
    }

    /// Gives the folder, complete and on disk, its name; `names` are its files.
    fn finish(mut self, names: &[String]) -> io::Result<()> {
        sync_directory(&self.path.join("file"));
        if fs::symlink_metadata(&self.target).is_err() {
            match rename_to_new(&self.path, &self.target) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                renamed => {
                    renamed?;
                    self.finished = true;
                    sync_directory(&self.target);
                    return Ok(());
                }
            }
        }
        if has_only(&self.target, names) && !is_current(&self.target) {
            // Its files are removed once it has the hidden name, so that no other run treats it as a leftover.
            let _held = hold(&self.target)?;
            let permissions = fs::metadata(&self.target)?.permissions();
            fs::set_permissions(&self.path, permissions)?;
            if exchange(&self.path, &self.target).is_ok() {
                self.finished = true;
                sync_directory(&self.target);
                return remove_old(&self.path, &self.target, names);
            }
        }
        complete(&self.target)?;
        let unfinished = self.target.join(UNFINISHED);
        match fs::rename(&self.path, &unfinished) {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                let inside = self.copied(names)?;
                fs::rename(&inside.path, &unfinished)?;
                self = inside;
            }
            renamed => renamed?,
        }
        self.finished = true;
        complete_held(&self.target)
    }

    /// The same files in a draft inside the folder, which is on a different disk from its parent.
    fn copied(&self, names: &[String]) -> io::Result<Self> {
        let (path, lock) = made(&name_until_done(&self.target.join("folder")))?;
        let inside = Self { target: self.target.clone(), path, _lock: lock, finished: false };
        for name in names {
            let file = inside.create(name)?;
            io::copy(&mut File::open(self.path.join(name))?, &mut &file)?;
            file.sync_all()?;
        }
        Ok(inside)
    }
}

impl Drop for FolderDraft {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// The path of the folder without links; parent folders are created.
fn real(target: &Path) -> io::Result<PathBuf> {
    if fs::symlink_metadata(target).is_err() {
        if let Some(name) = target.file_name() {
            let above = directory_of(target);
            fs::create_dir_all(above)?;
            return Ok(above.canonicalize()?.join(name));
        }
        fs::create_dir_all(target)?;
    }
    target.canonicalize()
}

/// Creates the folder of a draft and locks it. Leftovers of a killed run are removed.
fn made(path: &Path) -> io::Result<(PathBuf, Option<File>)> {
    for _ in 0..MOST_ROUNDS {
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                remove_leftover(path)?;
                continue;
            }
            Err(error) => return Err(error),
        }
        // Another process may have treated it as a leftover before it was locked.
        match hold(path) {
            Ok(held) if held.as_ref().is_none_or(|held| is_at(held, path)) => {
                return Ok((path.to_owned(), held));
            }
            _ => {}
        }
    }
    Err(ErrorKind::ResourceBusy.into())
}

/// Locks a folder for this process, until the file is dropped; `None` if the system has no locks for folders.
///
/// # Errors
/// The errors of the system; [`ErrorKind::ResourceBusy`] if another process has the lock.
fn hold(path: &Path) -> io::Result<Option<File>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let held = File::open(path)?;
    lock(&held)?;
    Ok(Some(held))
}

fn remove_leftover(path: &Path) -> io::Result<()> {
    let gone = |error: io::Error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) };
    match fs::symlink_metadata(path) {
        Err(error) => gone(error),
        Ok(found) if !found.is_dir() => fs::remove_file(path).or_else(gone),
        Ok(_) => {
            let held = match hold(path) {
                Ok(held) => held,
                Err(error) => return gone(error),
            };
            let is_it = held.as_ref().is_none_or(|held| is_at(held, path));
            if is_it { fs::remove_dir_all(path).or_else(gone) } else { Ok(()) }
        }
    }
}

/// Gives the unfinished files of a killed run their names.
fn complete(target: &Path) -> io::Result<()> {
    let unfinished = target.join(UNFINISHED);
    match fs::symlink_metadata(&unfinished) {
        Err(_) => return Ok(()),
        // This program does not create it, and it is never followed.
        Ok(found) if !found.is_dir() => return fs::remove_file(&unfinished),
        Ok(_) => {}
    }
    let _held = hold(&unfinished)?;
    complete_held(target)
}

fn complete_held(target: &Path) -> io::Result<()> {
    let unfinished = target.join(UNFINISHED);
    for entry in fs::read_dir(&unfinished)? {
        let entry = entry?;
        fs::rename(entry.path(), target.join(entry.file_name()))?;
    }
    sync_directory(&target.join("file"));
    fs::remove_dir(&unfinished)
}

fn is_ours(name: &OsStr, names: &[String]) -> bool {
    names.iter().any(|ours| name == OsStr::new(ours))
        || name.as_encoded_bytes().starts_with(HIDDEN.as_bytes())
}

/// Whether a folder contains only files with these names, so that none of its files belongs to the user.
fn has_only(folder: &Path, names: &[String]) -> bool {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    let entries = fs::read_dir(folder).map(|mut entries| {
        entries.all(|entry| {
            entry.is_ok_and(|entry| {
                is_ours(&entry.file_name(), names) && entry.file_type().is_ok_and(|found| found.is_file())
            })
        })
    });
    is_folder && entries.unwrap_or(false)
}

/// A shell inside a folder does not notice that another folder has its name.
fn is_current(folder: &Path) -> bool {
    std::env::current_dir()
        .and_then(|current| current.canonicalize())
        .is_ok_and(|current| current.starts_with(folder))
}

/// Removes the folder that was exchanged. New files in it are moved to the new one.
fn remove_old(old: &Path, new: &Path, names: &[String]) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        if is_ours(&entry.file_name(), names) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        } else {
            rename_to_new(&entry.path(), &new.join(entry.file_name()))?;
        }
    }
    fs::remove_dir(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder for the test")
    }

    fn write(target: &Path, text: &str) -> io::Result<()> {
        let draft = FolderDraft::new(target)?;
        let names = ["a".to_owned(), "b".to_owned()];
        for name in &names {
            io::Write::write_all(&mut draft.create(name)?, text.as_bytes())?;
        }
        draft.finish(&names)
    }

    fn content(target: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(target).expect("a folder").map(|entry| entry.expect("an entry"));
        let mut all: Vec<_> = entries
            .map(|entry| {
                (
                    entry.file_name().into_string().expect("text"),
                    fs::read_to_string(entry.path()).expect("text"),
                )
            })
            .collect();
        all.sort();
        all
    }

    fn files(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn a_folder_is_made_replaced_and_shared_with_files_of_people() {
        let folder = folder();
        let target = folder.path().join("made/here");
        write(&target, "1").expect("made");
        write(&target, "2").expect("exchanged");
        assert_eq!(content(&target), files(&[("a", "2"), ("b", "2")]));
        fs::write(target.join("notes"), "mine").expect("a file for the test");
        write(&target, "3").expect("replaced one by one");
        assert_eq!(content(&target), files(&[("a", "3"), ("b", "3"), ("notes", "mine")]));
        assert_eq!(fs::read_dir(target.parent().expect("above")).expect("readable").count(), 1);
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_the_folder_as_it_was() {
        let folder = folder();
        let target = folder.path().join("p");
        write(&target, "1").expect("made");
        drop(FolderDraft::new(&target).expect("begun").create("a").expect("a file"));
        assert_eq!(content(&target), files(&[("a", "1"), ("b", "1")]));
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn the_next_run_finishes_what_a_killed_one_left() {
        let folder = folder();
        let target = folder.path().join("p");
        write(&target, "1").expect("made");
        // Killed between its two files.
        fs::create_dir(target.join(UNFINISHED)).expect("a folder for the test");
        fs::write(target.join("a"), "2").expect("a file for the test");
        fs::write(target.join(UNFINISHED).join("b"), "2").expect("a file for the test");
        drop(FolderDraft::new(&target).expect("begun"));
        assert_eq!(content(&target), files(&[("a", "2"), ("b", "2")]));
    }

    #[cfg(unix)]
    #[test]
    fn one_process_at_a_time_makes_a_folder() {
        let folder = folder();
        let target = folder.path().join("p");
        let first = FolderDraft::new(&target).expect("begun");
        let refused = FolderDraft::new(&target).map(drop).expect_err("another one has it");
        assert_eq!(refused.kind(), ErrorKind::ResourceBusy);
        drop(first);
        write(&target, "1").expect("free again");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_stays_a_link() {
        let folder = folder();
        let (target, link) = (folder.path().join("p"), folder.path().join("link"));
        write(&target, "1").expect("made");
        std::os::unix::fs::symlink(&target, &link).expect("linked");
        write(&link, "2").expect("written through the link");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(content(&target), files(&[("a", "2"), ("b", "2")]));
    }
}

// Whether the files of a folder are from one run: none was written by another run in the meantime, and none is missing.

/// Stamps of the files of a folder before they were read.
pub(crate) struct Whole {
    folder: PathBuf,
    files: Vec<(PathBuf, Option<Stamp>)>,
}

/// Values that change when a file is replaced or written to.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    number: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Whole {
    /// Stamps files that are about to be read.
    ///
    /// # Errors
    /// A run was killed while it wrote to the folder.
    pub(crate) fn look<'n>(folder: &Path, names: impl IntoIterator<Item = &'n str>) -> Result<Self, Failure> {
        is_finished(folder)?;
        let stamp = |name| {
            let path = folder.join(name);
            let stamp = stamp(&path);
            (path, stamp)
        };
        Ok(Self { folder: folder.to_owned(), files: names.into_iter().map(stamp).collect() })
    }

    /// Checks, after reading, that nothing has changed since the files were stamped.
    ///
    /// # Errors
    /// Something has changed.
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
