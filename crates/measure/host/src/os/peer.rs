//! Who is at the other end of a Unix socket.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd as _};

/// A process at the other end, as the system knows it: what it says of itself does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its number here; `None` where it lives in a process namespace that is not seen from here.
    pub pid: Option<u32>,
    /// Its effective user when it connected (or began to listen); that of nobody (65534) where it is not known here.
    pub uid: u32,
}

/// The process that connected to this socket, or that listens where this socket is connected to (`SO_PEERCRED`,
/// unix(7)).
///
/// # Errors
/// What the system says: this is no Unix socket, or not connected.
pub fn of(socket: impl AsFd) -> io::Result<Peer> {
    let mut found = MaybeUninit::<libc::ucred>::zeroed();
    let mut bytes = libc::socklen_t::try_from(size_of::<libc::ucred>()).map_err(io::Error::other)?;
    // SAFETY: the kernel writes at most `bytes` bytes to `found`, which has room for them, and the length to `bytes`.
    let failed = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            found.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if failed != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: three integers, all of them zero before the call: any bits are a value.
    let found = unsafe { found.assume_init() };
    let nobody = u32::MAX; // SO_PEERCRED of a socket that is not connected says uid -1
    if found.uid == nobody {
        return Err(io::ErrorKind::NotConnected.into());
    }
    Ok(Peer { pid: u32::try_from(found.pid).ok().filter(|&pid| pid > 0), uid: found.uid })
}

/// The user as whom this process acts.
pub fn own_uid() -> u32 {
    // SAFETY: no arguments; it always succeeds.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_other_end_of_a_pair_is_this_process() {
        let (one, _other) = UnixStream::pair().expect("a pair of sockets");
        assert_eq!(of(&one).expect("a peer"), Peer { pid: Some(std::process::id()), uid: own_uid() });
    }

    #[test]
    fn what_is_not_connected_has_no_peer() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let listener =
            std::os::unix::net::UnixDatagram::bind(folder.path().join("socket")).expect("a socket");
        assert!(of(&listener).is_err());
        let file = std::fs::File::open(folder.path()).expect("a folder");
        assert!(of(&file).is_err());
    }
}
