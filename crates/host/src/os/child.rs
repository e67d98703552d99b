//! Processes that must not outlive the one that starts them.

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
