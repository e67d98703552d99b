//! The threads of a process or control group, and what the system tells of each and does with it.

use numasim_host::os::thread::{affinity_of, bind_thread};
use numasim_host::system::{Allowed, Identity, Listed, System};
use rustix::io::Errno;
use std::io;

/// The threads of a process or control group. Lists of processors are ascending.
pub(super) trait Threads {
    /// Those that are in it now.
    fn list(&self) -> io::Result<Vec<u32>>;

    /// How many those are, if that takes less than to list them.
    fn count(&self) -> Option<u64> {
        None
    }

    /// The processors that a thread may use now.
    fn affinity(&self, thread: u32) -> io::Result<Vec<u32>> {
        affinity_of(thread)
    }

    fn bind(&self, thread: u32, cpus: &[u32]) -> io::Result<()> {
        bind_thread(thread, cpus)
    }

    /// Its process, and the processors that it may use, off-line ones too.
    fn allowed(&self, thread: u32) -> io::Result<Allowed> {
        System::host().allowed(thread)
    }

    /// Which one it is.
    fn identity(&self, thread: u32) -> io::Result<Identity> {
        System::host().thread(thread)
    }

    /// All processes of the system.
    fn table(&self) -> Vec<Listed> {
        System::host().table()
    }

    /// The threads of any process.
    fn of_process(&self, pid: u32) -> Vec<u32> {
        System::host().threads(pid)
    }

    /// Whether it is still that thread, and not another one of this number.
    fn is_alive(&self, thread: Identity) -> bool {
        self.identity(thread.number).is_ok_and(|now| now == thread)
    }
}

/// Whether a thread, process or control group is not there any more.
pub(super) fn is_gone(why: &io::Error) -> bool {
    [Errno::SRCH, Errno::NOENT, Errno::NODEV]
        .iter()
        .any(|gone| why.raw_os_error() == Some(gone.raw_os_error()))
}
