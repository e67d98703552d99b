//! Processes that must not outlive the one that starts them, and those that they leave behind.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The child is killed when the starting thread ends, has a process group of its own (Ctrl-C in a terminal reaches the
/// starting process alone, which ends its children itself), and inherits the open file `file` under its number.
pub fn prepare(command: &mut Command, file: RawFd) {
    let parent = std::process::id();
    let in_child = move || {
        // SAFETY: plain system calls, which may be made between fork and exec; nothing is allocated.
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

/// From now on processes whose parents ended are children of this process, if it started one of their ancestors (prctl(2),
/// `PR_SET_CHILD_SUBREAPER`): it can find them and has to [`reap`] them.
///
/// # Errors
/// What the system says.
pub fn take_orphans() -> io::Result<()> {
    // SAFETY: numbers only.
    let failed = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A child that has ended and was not asked how; it stays so. `None`: there is no such child.
pub fn ended_one() -> Option<u32> {
    ended(libc::P_ALL, 0)
}

/// Whether this child has ended; it can still be asked how.
pub fn has_ended(pid: u32) -> bool {
    ended(libc::P_PID, pid) == Some(pid)
}

fn ended(which: libc::idtype_t, pid: u32) -> Option<u32> {
    // SAFETY: a siginfo_t is numbers and pointers, for which zero is a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` lives through the call, which writes it.
    let failed = unsafe { libc::waitid(which, pid, &raw mut info, how) };
    if failed != 0 {
        return None;
    }
    // SAFETY: what waitid wrote is about a child, or all zeros: both have a number of a process.
    let found = unsafe { info.si_pid() };
    u32::try_from(found).ok().filter(|&pid| pid > 0)
}

/// Lets the system forget a child that has ended.
pub fn reap(pid: u32) {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return };
    let mut status = 0;
    // SAFETY: `status` lives through the call. That there is no such child is no mistake.
    unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
}
