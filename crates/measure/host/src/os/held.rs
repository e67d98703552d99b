//! A process that is held on to: its number may become another's, what is open here does not.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::time::Duration;

use crate::system::{Identity, System};

/// See the module (pidfd_open(2)).
#[derive(Debug)]
pub struct Held {
    fd: OwnedFd,
}

impl Held {
    /// Of a child that was not asked how it ended: its number is nobody else's.
    ///
    /// # Errors
    /// What the system says.
    pub fn child(pid: u32) -> io::Result<Self> {
        let pid = libc::pid_t::try_from(pid).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))?;
        // SAFETY: numbers only.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the kernel has just opened it for this process.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// Of any process.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::NotFound`]: the number is another's by now.
    pub fn open(process: Identity) -> io::Result<Self> {
        let held = Self::child(process.number)?;
        // Looked at after it is held: what is there now is what is held.
        if System::host().listed(process.number)?.identity == process {
            Ok(held)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    /// Asks it to end.
    ///
    /// # Errors
    /// What the system says.
    pub fn terminate(&self) -> io::Result<()> {
        self.signal(libc::SIGTERM)
    }

    /// Ends it.
    ///
    /// # Errors
    /// What the system says.
    pub fn kill(&self) -> io::Result<()> {
        self.signal(libc::SIGKILL)
    }

    fn signal(&self, signal: libc::c_int) -> io::Result<()> {
        let nothing = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: an open descriptor and numbers; without information the kernel makes that of kill(2).
        let failed =
            unsafe { libc::syscall(libc::SYS_pidfd_send_signal, self.fd.as_raw_fd(), signal, nothing, 0) };
        if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Waits until one of them has ended, or the patience is over; or for no reason at all.
pub fn wait_for_any<'a>(processes: impl Iterator<Item = &'a Held>, patience: Duration) {
    let polled = |held: &Held| libc::pollfd { fd: held.fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut all: Vec<libc::pollfd> = processes.map(polled).collect();
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: as many descriptors as are told, and a time, which live through the call.
    unsafe {
        libc::ppoll(all.as_mut_ptr(), all.len() as libc::nfds_t, &raw const time, std::ptr::null());
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_ended_by_what_is_held_and_seen_to_end() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep");
        let identity = System::host().listed(child.id()).expect("alive").identity;
        let held = Held::open(identity).expect("ours");
        wait_for_any([&held].into_iter(), Duration::from_millis(1));
        assert!(!crate::os::child::has_ended(child.id()));
        held.terminate().expect("ours");
        while !crate::os::child::has_ended(child.id()) {
            wait_for_any([&held].into_iter(), Duration::from_secs(600));
        }
        assert_eq!(child.wait().expect("it can still be asked").signal(), Some(15));
        assert_eq!(held.kill().expect_err("it is gone").raw_os_error(), Some(libc::ESRCH));
    }

    #[test]
    fn a_number_that_is_another_ones_by_now_is_not_held() {
        let own = System::host().listed(std::process::id()).expect("alive").identity;
        let other = Identity { started: own.started + 1, ..own };
        assert_eq!(Held::open(other).expect_err("another").kind(), io::ErrorKind::NotFound);
        assert!(Held::open(Identity { number: u32::MAX, started: 0 }).is_err());
    }
}
