//! Other processes: children with their descendants, processes that are held by a file descriptor, and the peer of a socket.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::system::{Identity, System};

/// Prepares a child process. It is killed when the starting thread exits. It has a separate process group: Ctrl-C in a terminal reaches
/// only the starting process, which terminates its children itself. It inherits the open file `file` under its number.
pub fn prepare(command: &mut Command, file: RawFd) {
    let parent = std::process::id();
    let in_child = move || {
        // SAFETY: plain system calls that are allowed between fork and exec; nothing is allocated.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0
                || libc::fcntl(file, libc::F_SETFD, 0) != 0
            {
                return Err(io::Error::last_os_error());
            }
            // The parent may have died before the first call.
            if u32::try_from(libc::getppid()) != Ok(parent) {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls that are safe after fork, and allocates nothing.
    unsafe { command.process_group(0).pre_exec(in_child) };
}

/// From now on orphaned descendants become children of this process (prctl(2), `PR_SET_CHILD_SUBREAPER`): it can find them and has to
/// [`reap`] them.
///
/// # Errors
/// The error of the system.
pub fn take_orphans() -> io::Result<()> {
    // SAFETY: numbers only.
    let failed = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A child that has exited and was not waited for; it stays so. `None`: there is no such child.
pub fn ended_one() -> Option<u32> {
    ended(libc::P_ALL, 0)
}

/// Whether this child has exited; its status can still be queried.
pub fn has_ended(pid: u32) -> bool {
    ended(libc::P_PID, pid) == Some(pid)
}

fn ended(which: libc::idtype_t, pid: u32) -> Option<u32> {
    // SAFETY: a siginfo_t consists of numbers and pointers, for which zero is a valid value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` lives through the call, which writes it.
    let failed = unsafe { libc::waitid(which, pid, &raw mut info, how) };
    if failed != 0 {
        return None;
    }
    // SAFETY: the result of waitid is about a child, or all zeros: both contain a process ID.
    let found = unsafe { info.si_pid() };
    u32::try_from(found).ok().filter(|&pid| pid > 0)
}

/// Reaps a child that has exited.
pub fn reap(pid: u32) {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return };
    let mut status = 0;
    // SAFETY: `status` lives through the call. A missing child is not an error.
    unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
}

/// Asks every process of the group that this child leads to exit.
pub fn terminate_group(leader: u32) {
    signal(leader, libc::SIGTERM);
}

/// Kills every process of the group that this child leads, if there is any.
pub fn kill_group(leader: u32) {
    signal(leader, libc::SIGKILL);
}

fn signal(leader: u32, signal: libc::c_int) {
    // 0 and 1 would mean this process's own group and all processes.
    if let Some(leader) = libc::pid_t::try_from(leader).ok().filter(|&leader| leader > 1) {
        // SAFETY: numbers only. An empty group is not an error.
        unsafe { libc::kill(-leader, signal) };
    }
}

/// See the module (pidfd_open(2)).
#[derive(Debug)]
pub struct Held {
    fd: OwnedFd,
}

impl Held {
    /// Holds a child that was not waited for, so that its ID cannot be reused.
    ///
    /// # Errors
    /// The error of the system.
    pub fn child(pid: u32) -> io::Result<Self> {
        let pid = libc::pid_t::try_from(pid).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))?;
        // SAFETY: numbers only.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let fd = i32::try_from(fd).ok().filter(|&fd| fd >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the kernel has just opened it for this process.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// Holds any process.
    ///
    /// # Errors
    /// The error of the system; [`io::ErrorKind::NotFound`]: another process has the ID by now.
    pub fn open(process: Identity) -> io::Result<Self> {
        let held = Self::child(process.number)?;
        // Checked after it is held: the process that exists now is the one that is held.
        if System::host().listed(process.number)?.identity == process {
            Ok(held)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    /// Asks it to exit.
    ///
    /// # Errors
    /// The error of the system.
    pub fn terminate(&self) -> io::Result<()> {
        self.signal(libc::SIGTERM)
    }

    /// Kills it.
    ///
    /// # Errors
    /// The error of the system.
    pub fn kill(&self) -> io::Result<()> {
        self.signal(libc::SIGKILL)
    }

    fn signal(&self, signal: libc::c_int) -> io::Result<()> {
        let nothing = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: an open descriptor and numbers; without signal information the kernel uses that of kill(2).
        let failed =
            unsafe { libc::syscall(libc::SYS_pidfd_send_signal, self.fd.as_raw_fd(), signal, nothing, 0) };
        if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Waits until one of them has exited, or the time is over; may also wake up spuriously.
pub fn wait_for_any<'a>(processes: impl Iterator<Item = &'a Held>, patience: Duration) {
    let polled = |held: &Held| libc::pollfd { fd: held.fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut all: Vec<libc::pollfd> = processes.map(polled).collect();
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: the given number of descriptors, and a time, which live through the call.
    unsafe {
        libc::ppoll(all.as_mut_ptr(), all.len() as libc::nfds_t, &raw const time, std::ptr::null());
    }
}

/// The whole output of a pipe; output before an error is shown to people.
pub fn read_all(pipe: Option<impl io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// Describes how a process exited, with the last line of its error output.
pub fn how_it_ended(status: ExitStatus, errors: &str) -> String {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by signal {signal}"),
        (None, Some(0)) => "ended before it was finished".to_owned(),
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    match errors.trim().lines().next_back() {
        Some(last) => format!("{how}: {}", last.chars().take(200).collect::<String>()),
        None => how,
    }
}

/// The process at the other end, as the system reports it: its own claims do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its ID here; `None` if it lives in a process namespace that is not visible from here.
    pub pid: Option<u32>,
    /// Its effective user when it connected (or started to listen); that of the overflow user (65534) if it is not known here.
    pub uid: u32,
}

/// The process that connected to this socket, or that listens at its other end (`SO_PEERCRED`, unix(7)).
///
/// # Errors
/// The error of the system: this is not a Unix socket, or not connected.
pub fn peer_of(socket: impl AsFd) -> io::Result<Peer> {
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
    // SAFETY: three integers, all of them zero before the call: any bits are a valid value.
    let found = unsafe { found.assume_init() };
    let nobody = u32::MAX; // SO_PEERCRED of a socket that is not connected reports uid -1
    if found.uid == nobody {
        return Err(io::ErrorKind::NotConnected.into());
    }
    Ok(Peer { pid: u32::try_from(found.pid).ok().filter(|&pid| pid > 0), uid: found.uid })
}

/// The effective user of this process.
pub fn own_uid() -> u32 {
    // SAFETY: no arguments; it always succeeds.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_process_can_be_killed_and_waited_for() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep");
        let identity = System::host().listed(child.id()).expect("alive").identity;
        let held = Held::open(identity).expect("ours");
        wait_for_any([&held].into_iter(), Duration::from_millis(1));
        assert!(!crate::os::process::has_ended(child.id()));
        held.terminate().expect("ours");
        while !crate::os::process::has_ended(child.id()) {
            wait_for_any([&held].into_iter(), Duration::from_secs(600));
        }
        assert_eq!(child.wait().expect("it can still be asked").signal(), Some(15));
        assert_eq!(held.kill().expect_err("it is gone").raw_os_error(), Some(libc::ESRCH));
    }

    #[test]
    fn a_reused_process_id_is_not_held() {
        let own = System::host().listed(std::process::id()).expect("alive").identity;
        let other = Identity { started: own.started + 1, ..own };
        assert_eq!(Held::open(other).expect_err("another").kind(), io::ErrorKind::NotFound);
        assert!(Held::open(Identity { number: u32::MAX, started: 0 }).is_err());
    }
}

#[cfg(test)]
mod peer_tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_other_end_of_a_pair_is_this_process() {
        let (one, _other) = UnixStream::pair().expect("a pair of sockets");
        assert_eq!(peer_of(&one).expect("a peer"), Peer { pid: Some(std::process::id()), uid: own_uid() });
    }

    #[test]
    fn an_unconnected_socket_has_no_peer() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let listener =
            std::os::unix::net::UnixDatagram::bind(folder.path().join("socket")).expect("a socket");
        assert!(peer_of(&listener).is_err());
        let file = std::fs::File::open(folder.path()).expect("a folder");
        assert!(peer_of(&file).is_err());
    }
}
