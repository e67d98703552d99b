//! The folder of the socket: it belongs to this user, is closed to others, and is no link. Also its lock, and the reasons why a process
//! cannot listen or be reached there.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numasim_host::os::process::own_uid;
use numasim_model::text::visible;
use rustix::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat, chmodat, flock, fstat, mkdirat, openat,
    statat, unlinkat,
};
use rustix::io::Errno;

/// Interval at which a lock of another process is requested again.
const PAUSE: Duration = Duration::from_millis(2);

/// Identity of a file, independent of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id {
    device: u64,
    number: u64,
}

impl Id {
    #[allow(clippy::useless_conversion, reason = "the types differ between architectures")]
    pub(super) fn of(found: &Stat) -> Self {
        Self { device: found.st_dev.into(), number: found.st_ino.into() }
    }
}

/// A folder that belongs to this user, is closed to others and is no symbolic link. The handle remains that of the folder that was
/// checked.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    file: OwnedFd,
    /// Whether it was missing.
    made: bool,
}

/// The lock on a folder, until it is dropped or the process exits for any reason.
pub(super) struct Lock<'f>(&'f Folder);

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = flock(&self.0.file, FlockOperation::NonBlockingUnlock);
    }
}

impl Folder {
    /// The folder of the socket at `path`, made with mode 0700 if it is missing (the last component only); an existing folder is never
    /// changed.
    pub(super) fn open(path: &Path) -> Result<Self, SocketError> {
        let folder = match path.parent() {
            None => return Err(SocketError::no_name(path)),
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
        };
        let refused = |what, why: Errno| SocketError::refused(what, folder, why);
        let made = match mkdirat(CWD, folder, Mode::RWXU) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(why) => return Err(refused("make the folder", why)),
        };
        // For a symbolic link x, `x/` would follow it; and `.` is never a link.
        let bare: PathBuf = folder.components().collect();
        let look = || statat(CWD, &bare, AtFlags::SYMLINK_NOFOLLOW);
        let mut found = look().map_err(|why| refused("look at the folder", why))?;
        if made && found.st_mode & 0o777 != 0o700 {
            // The umask also removes rights of the user.
            chmodat(CWD, &bare, Mode::RWXU, AtFlags::empty())
                .map_err(|why| refused("make the folder", why))?;
            found = look().map_err(|why| refused("look at the folder", why))?;
        }
        judge(&bare, &found)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(CWD, &bare, flags, Mode::empty()).map_err(|why| refused("open the folder", why))?;
        // The folder may differ from the one that was checked: the open one counts.
        let open = fstat(&file).map_err(|why| refused("look at the folder", why))?;
        judge(&bare, &open)?;
        Ok(Self { path: bare, file, made })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &OwnedFd {
        &self.file
    }

    /// Waits for the lock.
    pub(super) fn lock(&self, patience: Duration) -> Result<Lock<'_>, SocketError> {
        let start = Instant::now();
        loop {
            match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock(self)),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) if start.elapsed() < patience => std::thread::sleep(PAUSE),
                Err(Errno::WOULDBLOCK) => {
                    return Err(SocketError::Busy(self.path.clone()));
                }
                Err(why) => return Err(SocketError::refused("lock the folder", &self.path, why)),
            }
        }
    }

    /// Whether its path still leads to this folder: it may have been removed since it was opened.
    pub(super) fn is_still_there(&self) -> bool {
        match (fstat(&self.file), statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW)) {
            (Ok(open), Ok(found)) => Id::of(&open) == Id::of(&found),
            _ => false,
        }
    }

    /// Removes the folder again if it was made here and is empty.
    pub(super) fn unmake(&self) {
        if self.made && self.is_still_there() {
            let _ = unlinkat(CWD, &self.path, AtFlags::REMOVEDIR);
        }
    }
}

/// Rejects a folder that others could use.
fn judge(folder: &Path, found: &Stat) -> Result<(), SocketError> {
    let path = folder.to_owned();
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => {}
        FileType::Symlink => return Err(SocketError::Link(path)),
        other => return Err(SocketError::NoFolder { folder: path, what: kind(other) }),
    }
    let own = own_uid();
    if found.st_uid != own {
        return Err(SocketError::Foreign { folder: path, uid: found.st_uid, own });
    }
    let mode = found.st_mode & 0o7777;
    if mode & 0o077 != 0 { Err(SocketError::Open { folder: path, mode }) } else { Ok(()) }
}

impl SocketError {
    pub(super) fn refused(what: &'static str, path: &Path, why: Errno) -> Self {
        Self::io(what, path, io::Error::from(why))
    }
}

// Why a process cannot listen on a path, or be reached there, in words for people.

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// A path without a name in a folder.
    #[error("{} names no socket: write a path that ends in the name of a file", shown(.0))]
    NoName(PathBuf),
    /// The folder is a symbolic link.
    #[error(
        "the folder {} of the socket is a symbolic link, which may lead anywhere tomorrow: name the folder it leads to \
         with --socket PATH, or remove the link",
        shown(.0)
    )]
    Link(PathBuf),
    /// There is something that is no folder.
    #[error(
        "{} is {what}, but the socket needs a folder there: choose another place with --socket PATH",
        shown(folder)
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// Its kind.
        what: &'static str,
    },
    /// The folder belongs to another user.
    #[error(
        "the folder {} of the socket belongs to user {uid}, and this is user {own}: choose a folder of your own with \
         --socket PATH",
        shown(folder)
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Its user.
        uid: u32,
        /// The user of this process.
        own: u32,
    },
    /// Others may look into the folder.
    #[error(
        "the folder {} of the socket is open to others (mode {mode:04o}): close it with \"chmod go= {}\", or choose \
         another with --socket PATH",
        shown(folder),
        shown(folder)
    )]
    Open {
        /// The folder.
        folder: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The folder was replaced by another one while the socket was made.
    #[error(
        "the folder {} of the socket was replaced in the meantime: another user can change \
             the folder above it",
        shown(.0)
    )]
    Changed(PathBuf),
    /// Another process keeps the lock of the folder.
    #[error(
        "another process keeps the folder {} of the socket locked, as an agent does for a moment when it starts or \
         ends: is one stopped (Ctrl-Z)?",
        shown(.0)
    )]
    Busy(PathBuf),
    /// There is something that is no socket.
    #[error(
        "{} is {what}, not a socket: it is left as it is; remove it, or choose another path with --socket PATH",
        shown(path)
    )]
    NotASocket {
        /// The path.
        path: PathBuf,
        /// Its kind.
        what: &'static str,
    },
    /// The socket is in use by a program that is no agent.
    #[error(
        "{} is a socket of another kind (no stream), and in use: choose another path with --socket PATH",
        shown(.0)
    )]
    OtherKind(PathBuf),
    /// A process listens already.
    #[error(
        "{} already listens on {}: stop it with \"numasim agent stop --socket {}\", or choose another path with \
         --socket PATH",
        who(*pid),
        shown(path),
        shown(path)
    )]
    Listens {
        /// The path.
        path: PathBuf,
        /// Its process; `None` if the system does not report it.
        pid: Option<u32>,
    },
    /// No process listens.
    #[error(
        "no agent listens on {}: start one with \"numasim agent\", or give its path with --socket PATH",
        shown(.0)
    )]
    Nobody(PathBuf),
    /// The operating system refused.
    #[error("cannot {what} {}: {source}", shown(path))]
    Refused {
        /// The attempt.
        what: &'static str,
        /// The path concerned.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl SocketError {
    pub(super) fn no_name(path: &Path) -> Self {
        Self::NoName(path.to_owned())
    }

    pub(super) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Refused { what, path: path.to_owned(), source }
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

fn who(pid: Option<u32>) -> String {
    pid.map_or_else(
        || "a program that does not answer".to_owned(),
        |pid| format!("the program with pid {pid}"),
    )
}

/// The kind of a file, for messages.
pub(super) fn kind(of: FileType) -> &'static str {
    match of {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Socket => "a socket",
        FileType::Unknown => "something unknown",
    }
}
