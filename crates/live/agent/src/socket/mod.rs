//! The socket at which applications connect to the agent: its permissions, and the rule that only one agent listens on it.
//!
//! A process that begins or stops listening on a path holds a lock on its folder meanwhile (`Folder::lock`). The system releases the lock
//! of a process that was killed, and no file is left behind that would have to be judged. Under the lock, a socket without a listener has
//! no owner, and of several agents that start at the same time exactly one finds no other.
//!
//! The mode of the socket is that of the open file before it has a name (`unix_bind` of Linux takes the mode of the socket's inode and
//! the umask). So the umask, which all threads of a process share, is left alone.

mod folder;
#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use numasim_host::os::process::{self, Peer};
use rustix::fs::{AtFlags, FileType, Mode, chmodat, fchmod, statat, unlinkat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};

pub use folder::SocketError;
use folder::{Folder, Id};

/// Applications that may wait for the agent to accept their connection, as far as the system allows (`somaxconn`).
const WAITING: i32 = 4096;
/// Number of attempts if processes that do not hold the lock change something in between.
const ATTEMPTS: usize = 16;
/// How long another agent may take to start or shut down.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the shutdown waits for the lock; the whole shutdown may take a second.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(300);

/// A socket on which this process listens. When dropped, it is removed as by [`Socket::remove`].
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    folder: Folder,
    /// The file of the listener. Its number is unique as long as the listener is open.
    file: Id,
    removed: bool,
}

/// The object at a path.
enum There {
    Nothing,
    /// A socket without a listener.
    Stale,
}

impl Socket {
    /// Listens at `path`, with a mode of 0600 from the first moment, in a folder that is made with 0700 if it is
    /// missing. The listener does not block.
    ///
    /// # Errors
    /// Every variant of [`SocketError`]; then nothing has changed.
    pub fn listen(path: &Path) -> Result<Self, SocketError> {
        let name = path.file_name().ok_or_else(|| SocketError::no_name(path))?;
        for _ in 0..ATTEMPTS {
            let folder = Folder::open(path)?;
            let outcome = folder.lock(PATIENCE).and_then(|_lock| {
                if !folder.is_still_there() {
                    return Ok(None);
                }
                match there(&folder, path)? {
                    There::Nothing => {}
                    There::Stale => unlinkat(folder.file(), name, AtFlags::empty())
                        .map_err(|why| SocketError::refused("replace", path, why))?,
                }
                bound(&folder, path)
            });
            match outcome {
                Ok(Some((listener, file))) => {
                    return Ok(Self { listener, path: path.to_owned(), folder, file, removed: false });
                }
                Ok(None) => {}
                Err(why) => {
                    folder.unmake();
                    return Err(why);
                }
            }
        }
        Err(SocketError::refused("make", path, Errno::AGAIN))
    }

    /// The listener to which applications connect. It does not block.
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// The path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the socket, if it is still the one that this process made; returns `false` if it is not. The folder stays, and existing
    /// connections stay open; new connections are impossible.
    pub fn remove(&mut self) -> bool {
        if std::mem::replace(&mut self.removed, true) {
            return false;
        }
        // Other agents replace only sockets without a listener, and this listener is open. So even without the lock only processes that
        // ignore the rules could come between the two calls.
        let _lock = self.folder.lock(PATIENCE_AT_THE_END);
        let Some(name) = self.path.file_name() else { return false };
        let ours = statat(self.folder.file(), name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|found| Id::of(&found) == self.file);
        ours && unlinkat(self.folder.file(), name, AtFlags::empty()).is_ok()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The object at `path`. A listening process, and anything that is not a socket, is an error.
fn there(folder: &Folder, path: &Path) -> Result<There, SocketError> {
    let name = path.file_name().ok_or_else(|| SocketError::no_name(path))?;
    let found = match statat(folder.file(), name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => found,
        Err(Errno::NOENT) => return Ok(There::Nothing),
        Err(why) => return Err(SocketError::refused("look at", path, why)),
    };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Socket => {}
        other => return Err(SocketError::NotASocket { path: path.to_owned(), what: folder::kind(other) }),
    }
    match connected(path) {
        Ok(stream) => {
            let pid = process::peer_of(&stream).ok().and_then(|peer| peer.pid);
            Err(SocketError::Listens { path: path.to_owned(), pid })
        }
        Err(Errno::CONNREFUSED) => Ok(There::Stale),
        // It has disappeared meanwhile.
        Err(Errno::NOENT) => Ok(There::Nothing),
        // The queue of connections that wait to be accepted is full, so a process listens.
        Err(Errno::AGAIN) => Err(SocketError::Listens { path: path.to_owned(), pid: None }),
        Err(Errno::PROTOTYPE) => Err(SocketError::OtherKind(path.to_owned())),
        Err(why) => Err(SocketError::refused("ask who listens at", path, why)),
    }
}

/// A connection to the process that listens at `path`; each read and write waits at most `patience`.
///
/// # Errors
/// No process listens, or the system refuses ([`SocketError::Nobody`], [`SocketError::Refused`]).
pub fn reach(path: &Path, patience: Duration) -> Result<UnixStream, SocketError> {
    let stream = connected(path).map_err(|why| match why {
        Errno::NOENT | Errno::CONNREFUSED => SocketError::Nobody(path.to_owned()),
        why => SocketError::refused("connect to", path, why),
    })?;
    let refused = |why| SocketError::io("connect to", path, why);
    stream.set_nonblocking(false).map_err(refused)?;
    stream.set_read_timeout(Some(patience)).map_err(refused)?;
    stream.set_write_timeout(Some(patience)).map_err(refused)?;
    Ok(stream)
}

fn connected(path: &Path) -> Result<UnixStream, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

/// A new listener at `path`, which must not exist; `None` if a process without the lock was faster.
fn bound(folder: &Folder, path: &Path) -> Result<Option<(UnixListener, Id)>, SocketError> {
    let refused = |why: Errno| SocketError::refused("make", path, why);
    let closed = Mode::RUSR | Mode::WUSR;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd =
        socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(refused)?;
    fchmod(&socket, closed).map_err(refused)?;
    let address = SocketAddrUnix::new(path).map_err(refused)?;
    match bind(&socket, &address) {
        Ok(()) => {}
        Err(Errno::ADDRINUSE | Errno::NOENT) => return Ok(None),
        Err(why) => return Err(refused(why)),
    }
    let Some(name) = path.file_name() else { return Err(SocketError::no_name(path)) };
    // Seen through the folder that was checked: this detects a folder that was put in its place.
    let found = statat(folder.file(), name, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|_| SocketError::Changed(folder.path().to_owned()))?;
    let undo = |why: SocketError| {
        let _ = unlinkat(folder.file(), name, AtFlags::empty());
        why
    };
    // The umask also removes rights of the user.
    if found.st_mode & 0o777 != 0o600 {
        chmodat(folder.file(), name, closed, AtFlags::empty()).map_err(|why| undo(refused(why)))?;
    }
    listen(&socket, WAITING).map_err(|why| undo(refused(why)))?;
    Ok(Some((socket.into(), Id::of(&found))))
}

/// The other end of a connection, as the system reports it.
///
/// # Errors
/// The error of the system.
pub fn peer_of(stream: &UnixStream) -> io::Result<Peer> {
    process::peer_of(stream)
}
