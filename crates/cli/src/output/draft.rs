//! A file that is being written. It gets its name atomically, so that an incomplete file is never visible.
//!
//! If the system supports it, the file has no name until then, and a killed process leaves no file. Otherwise its name begins with
//! `.numasim-` and depends only on the final name. The file is locked while it is written, so that the next run that writes the same file
//! recognises a leftover and removes it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{directory_of, no_follow};

/// Number of rounds in which other processes may take the name; in each round one of them has finished a file.
pub(super) const MOST_ROUNDS: usize = 100;

/// A file without its final name, locked by this process.
#[derive(Debug)]
pub(crate) struct Draft {
    target: PathBuf,
    file: File,
    /// Its name until it is finished, if it has one.
    name: Option<PathBuf>,
}

impl Draft {
    /// Begins the file `target`, which is not touched. Leftovers of a killed run are removed.
    ///
    /// # Errors
    /// The errors of the system; [`ErrorKind::ResourceBusy`] if another process is about to finish the same file.
    pub(crate) fn new(target: &Path) -> io::Result<Self> {
        let name = name_until_done(target);
        remove_leftover(&name)?;
        if let Some(file) = unnamed(directory_of(target))? {
            lock(&file)?;
            return Ok(Self { target: target.to_owned(), file, name: None });
        }
        for _ in 0..MOST_ROUNDS {
            match no_follow(&mut OpenOptions::new()).read(true).write(true).create_new(true).open(&name) {
                Ok(file) => {
                    // Another process may have treated it as a leftover before it was locked.
                    if lock(&file).is_ok() && is_at(&file, &name) {
                        return Ok(Self { target: target.to_owned(), file, name: Some(name) });
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_leftover(&name)?,
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }

    /// The file to write to.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name and keeps it locked.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] if the name is taken; in that case the existing file is unchanged.
    pub(crate) fn create(mut self) -> io::Result<File> {
        match self.name.take() {
            None => link_unnamed(&self.file, &self.target)?,
            Some(name) => {
                let linked = fs::hard_link(&name, &self.target).or_else(|error| match error.kind() {
                    ErrorKind::AlreadyExists | ErrorKind::NotFound => Err(error),
                    // A file system without hard links.
                    _ => rename_to_new(&name, &self.target),
                });
                match fs::remove_file(&name) {
                    Err(error) if error.kind() != ErrorKind::NotFound => linked.and(Err(error))?,
                    _ => linked?,
                }
            }
        }
        sync_directory(&self.target);
        self.file.try_clone()
    }

    /// Replaces the file with the same name by this one, complete and on disk; a link there is replaced, not followed.
    pub(crate) fn replace(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        let name = match self.name.take() {
            Some(name) => name,
            None => self.named()?,
        };
        let renamed = fs::rename(&name, &self.target);
        if renamed.is_err() {
            let _ = fs::remove_file(&name);
        }
        renamed?;
        sync_directory(&self.target);
        Ok(())
    }

    /// A temporary name just before it replaces another file.
    fn named(&self) -> io::Result<PathBuf> {
        let name = name_until_done(&self.target);
        for _ in 0..MOST_ROUNDS {
            match link_unnamed(&self.file, &name) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_leftover(&name)?,
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = fs::remove_file(name);
        }
    }
}

/// Locks a file for this process. If locks do not work (some network file systems), the state is unknown and no error is returned.
///
/// # Errors
/// [`ErrorKind::ResourceBusy`] if another process has the lock.
pub(super) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ErrorKind::ResourceBusy.into()),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Whether `path` names the open file, and not another one that replaced it.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let number = |found: fs::Metadata| (found.dev(), found.ino());
        match (file.metadata(), fs::symlink_metadata(path)) {
            (Ok(open), Ok(named)) => number(open) == number(named),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        // An open file cannot lose its name on this system.
        let _ = file;
        path.exists()
    }
}

/// `.numasim-` and a number instead of the name, which may have the maximum length.
pub(super) fn name_until_done(target: &Path) -> PathBuf {
    // FNV-1a: the same in every version of the program.
    let bytes = target.file_name().unwrap_or_default().as_encoded_bytes();
    let number = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |number, &byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    directory_of(target).join(OsString::from(format!(".numasim-{number:016x}")))
}

/// Removes the leftover of a killed process with this name.
///
/// # Errors
/// [`ErrorKind::ResourceBusy`] if a running process is writing it.
fn remove_leftover(name: &Path) -> io::Result<()> {
    let gone = |error: io::Error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) };
    match fs::symlink_metadata(name) {
        Err(error) => return gone(error),
        // This program does not create it, and it is never opened.
        Ok(found) if !found.is_file() => return fs::remove_file(name).or_else(gone),
        Ok(_) => {}
    }
    let file = match no_follow(&mut OpenOptions::new()).read(true).write(true).open(name) {
        Ok(file) => file,
        Err(error) => return gone(error),
    };
    lock(&file)?;
    // Removing or renaming it requires its lock, so it remains the same file between these two lines.
    if is_at(&file, name) { fs::remove_file(name).or_else(gone) } else { Ok(()) }
}

/// An unnamed file in this folder; `None` if the system does not support such files.
#[cfg(target_os = "linux")]
fn unnamed(directory: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::Errno;

    if !Path::new("/proc/self/fd").exists() {
        return Ok(None); // it could never get a name
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match open(directory, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
fn link_unnamed(file: &File, name: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};

    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link_unnamed(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Renames to a name that is free.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if the name is taken.
pub(super) fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;

        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system does not support it.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return Ok(renamed?),
        }
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Exchanges two names atomically.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if the system does not support it.
#[cfg(target_os = "linux")]
pub(super) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Ensures that the name also exists after a power failure. Some file systems do not support this.
pub(super) fn sync_directory(path: &Path) {
    if cfg!(unix) {
        let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder for the test")
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).expect("readable");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// As on a system without unnamed files.
    fn named(target: &Path) -> Draft {
        let name = name_until_done(target);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(&name).expect("a new file");
        lock(&file).expect("nobody else has it");
        Draft { target: target.to_owned(), file, name: Some(name) }
    }

    #[test]
    fn both_kinds_of_draft_get_their_name_whole_and_leave_nothing_else() {
        for draft in [|path: &Path| Draft::new(path).expect("writable"), named] {
            let folder = folder();
            let target = folder.path().join("r");
            let first = draft(&target);
            first.file().write_all(b"first").expect("written");
            assert!(!target.exists());
            first.create().expect("nothing has the name");
            let second = draft(&target);
            second.file().write_all(b"second").expect("written");
            assert_eq!(draft(&folder.path().join("other")).create().map(drop).ok(), Some(()));
            let refused = draft(&folder.path().join("other")).create().expect_err("the name is taken");
            assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
            second.replace().expect("replaced");
            assert_eq!(fs::read_to_string(&target).expect("there"), "second");
            drop(draft(&target));
            let mut names = names(&folder);
            names.sort();
            assert_eq!(names, ["other", "r"]);
        }
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_another_one_is_making_is_not() {
        let folder = folder();
        let target = folder.path().join("r");
        let living = named(&target);
        assert_eq!(Draft::new(&target).expect_err("locked").kind(), ErrorKind::ResourceBusy);
        let Draft { file, .. } = &living;
        file.unlock().expect("as if its process had been killed");
        let draft = Draft::new(&target).expect("nobody has it");
        assert!(names(&folder).iter().all(|name| !name.starts_with(".numasim-")) || draft.name.is_some());
        std::mem::forget(living);
        draft.create().expect("written");
        assert_eq!(names(&folder), ["r"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_under_the_name_of_a_leftover_is_removed_and_not_followed() {
        let folder = folder();
        let (target, victim) = (folder.path().join("r"), folder.path().join("victim"));
        fs::write(&victim, "mine").expect("a file for the test");
        std::os::unix::fs::symlink(&victim, name_until_done(&target)).expect("linked");
        let draft = Draft::new(&target).expect("writable");
        draft.file().write_all(b"new").expect("written");
        draft.replace().expect("written");
        let mut text = String::new();
        File::open(&victim).and_then(|mut file| file.read_to_string(&mut text)).expect("there");
        assert_eq!(text, "mine");
        assert_eq!(fs::read_to_string(&target).expect("there"), "new");
    }
}
