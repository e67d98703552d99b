//! A handle of a process, with its threads and the processes that it starts. The process number may be reused for another process; the
//! descriptors that are open here stay those of this process.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use numasim_host::os::process::own_uid;
use numasim_host::os::thread::{affinity_of, bind_thread};
use numasim_host::os::thread::{now_ns, thread_cpu_ns};
use numasim_host::system::{Allowed, Identity, Listed, System, descendants};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::adopt::AdoptError;
use crate::adopt::{Adopted, Ledger};

/// See the module.
#[derive(Debug)]
pub(super) struct Process {
    pid: u32,
    uid: u32,
    /// Readable when all threads have ended.
    ended: OwnedFd,
    /// `/proc/PID`; empty when the process has ended, never that of another process.
    folder: OwnedFd,
}

impl Process {
    pub(super) fn open(pid: u32) -> Result<Self, AdoptError> {
        if pid == std::process::id() {
            return Err(AdoptError::Oneself(pid));
        }
        let refused = |source: io::Error| AdoptError::Refused { pid, source };
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(AdoptError::NoProcess(pid))?;
        let ended = pidfd_open(number, PidfdFlags::empty()).map_err(|why| match why {
            Errno::SRCH => AdoptError::NoProcess(pid),
            Errno::INVAL | Errno::NOENT => AdoptError::Thread(pid),
            why => refused(why.into()),
        })?;
        let gone = |why: Errno| match why {
            Errno::NOENT | Errno::SRCH => AdoptError::NoProcess(pid),
            why => refused(why.into()),
        };
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let folder =
            openat(CWD, format!("/proc/{pid}"), flags | OFlags::DIRECTORY, Mode::empty()).map_err(gone)?;
        let status = openat(&folder, "status", flags, Mode::empty()).map_err(gone)?;
        let status = io::read_to_string(File::from(status)).map_err(refused)?;
        let own = own_uid();
        let users = users(&status).ok_or_else(|| refused(io::ErrorKind::InvalidData.into()))?;
        if let Some(&uid) = users.iter().find(|&&uid| uid != own) {
            return Err(AdoptError::Foreign { pid, uid, own });
        }
        let of_kernel = System::host().listed(pid).is_ok_and(|listed| listed.of_kernel);
        let process = Self { pid, uid: own, ended, folder };
        // The data is from the process that still exists: its number was not reused meanwhile.
        if process.has_ended() {
            Err(AdoptError::NoProcess(pid))
        } else if of_kernel {
            Err(AdoptError::Kernel(pid))
        } else {
            Ok(process)
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) fn uid(&self) -> u32 {
        self.uid
    }

    pub(super) fn fd(&self) -> &OwnedFd {
        &self.ended
    }

    pub(super) fn has_ended(&self) -> bool {
        let mut fds = [PollFd::new(&self.ended, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }
}

impl Process {
    /// Its command line; empty if it is not visible now.
    pub(super) fn command_line(&self) -> Vec<u8> {
        let file =
            openat(&self.folder, "cmdline", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map(File::from);
        let mut line = Vec::new();
        let read = file.map_err(io::Error::from).and_then(|mut file| file.read_to_end(&mut line));
        if read.is_ok() { line } else { Vec::new() }
    }
}

/// The real, effective and saved user of `/proc/PID/status` (proc(5)).
fn users(status: &str) -> Option<Vec<u32>> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    let users: Vec<u32> = line.split_whitespace().take(3).map(str::parse).collect::<Result<_, _>>().ok()?;
    (users.len() == 3).then_some(users)
}

impl Threads for Process {
    fn list(&self) -> io::Result<Vec<u32>> {
        let mut threads = Vec::new();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        for entry in Dir::new(openat(&self.folder, "task", flags, Mode::empty())?)? {
            // `.` and `..` are no numbers.
            threads.extend(entry?.file_name().to_str().ok().and_then(|name| name.parse::<u32>().ok()));
        }
        Ok(threads)
    }

    fn count(&self) -> Option<u64> {
        let status = statat(&self.folder, "task", AtFlags::empty()).ok()?;
        // The folder has a link for each thread in it, and two more (proc_task_getattr of fs/proc/base.c).
        #[allow(clippy::useless_conversion, reason = "not on every processor")]
        let links = u64::from(status.st_nlink);
        Some(links)
    }
}

// A process that another program replaces later: it is adopted from then on, and not before.

/// A process that waits before it becomes the intended program (execve(2) keeps the number).
#[derive(Debug)]
pub struct Starting {
    process: Process,
    /// Its initial command line.
    command_line: Vec<u8>,
}

/// The result of a look at it.
#[derive(Debug)]
pub enum Became {
    /// It still waits.
    Nothing(Starting),
    /// It is the program now.
    Program(Adopted),
    /// It has ended.
    Ended,
}

impl Starting {
    /// Holds a process that is still waiting; `None` if it has ended already.
    ///
    /// # Errors
    /// Those of [`Adopted::begin`] other than [`AdoptError::NoProcess`].
    pub fn begin(pid: u32) -> Result<Option<Self>, AdoptError> {
        match Process::open(pid) {
            Ok(process) => Ok(Some(Self { command_line: process.command_line(), process })),
            Err(AdoptError::NoProcess(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its user.
    pub fn uid(&self) -> u32 {
        self.process.uid()
    }

    /// A descriptor that signals when it has ended.
    pub fn watch(&self) -> Watch<'_> {
        Watch::readable(self.process.fd())
    }

    /// Looks at it; `cores` and `ledger` as for [`Adopted::begin`].
    ///
    /// # Errors
    /// The system does not let the program be adopted.
    pub fn look(self, cores: &[Vec<u32>], ledger: &Ledger) -> Result<Became, AdoptError> {
        if self.process.has_ended() {
            return Ok(Became::Ended);
        }
        let now = self.process.command_line();
        // While one program replaces another, neither is visible.
        if now.is_empty() || now == self.command_line {
            return Ok(Became::Nothing(self));
        }
        match Adopted::of(self.process, cores.to_vec(), ledger) {
            Ok(adopted) => Ok(Became::Program(adopted)),
            Err(AdoptError::Refused { source, .. }) if is_gone(&source) => Ok(Became::Ended),
            Err(error) => Err(error),
        }
    }
}

// Descriptors to wait for, so that the end of an adopted process is noticed immediately.

/// A descriptor that signals that an adopted process or group may have ended. It is quiet again after a look.
#[derive(Debug)]
pub struct Watch<'a> {
    fd: BorrowedFd<'a>,
    tells_by: PollFlags,
}

impl<'a> Watch<'a> {
    /// A process (pidfd_open(2)).
    pub(super) fn readable(fd: &'a impl AsFd) -> Self {
        Self { fd: fd.as_fd(), tells_by: PollFlags::IN }
    }

    /// The events of a control group, which can be read at any time.
    pub(super) fn exceptional(fd: BorrowedFd<'a>) -> Self {
        Self { fd, tells_by: PollFlags::PRI }
    }

    /// The descriptor for `poll`.
    pub(crate) fn polled(&self) -> PollFd<'a> {
        PollFd::from_borrowed_fd(self.fd, self.tells_by)
    }
}

// Processes that adopted ones started. They follow no order, but begin with the CPUs of the thread that started them.

/// Interval of the search: if the parents of a process end sooner, it is not known to descend from them.
const EVERY: Duration = Duration::from_secs(1);
/// The search takes at most this fraction of a logical CPU.
const PART: u32 = 200;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Children {
    known: BTreeSet<Identity>,
    /// By the system clock.
    next_ns: u64,
}

impl Children {
    /// Looks for them, if it is time; `is_adopted` identifies the processes that are adopted.
    pub(super) fn look(&mut self, threads: &impl Threads, is_adopted: impl Fn(u32) -> bool) {
        if now_ns() < self.next_ns {
            return;
        }
        let before = thread_cpu_ns();
        self.find(threads, is_adopted);
        let took = Duration::from_nanos(thread_cpu_ns().saturating_sub(before));
        let pause = EVERY.max(took * PART);
        self.next_ns = now_ns().saturating_add(u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Looks for them now; returns those that are alive.
    pub(super) fn find(
        &mut self,
        threads: &impl Threads,
        is_adopted: impl Fn(u32) -> bool,
    ) -> &BTreeSet<Identity> {
        let table = threads.table();
        let is_root = |one: &Identity| is_adopted(one.number) || self.known.contains(one);
        let mut now: BTreeSet<Identity> =
            descendants(&table, is_root, |_| false).iter().map(|one| one.identity).collect();
        now.extend(table.iter().map(|one| one.identity).filter(|one| self.known.contains(one)));
        self.known = now;
        &self.known
    }
}

// The threads of a process or control group, with the system calls on each.

/// The threads of a process or control group. Lists of logical CPUs are ascending.
pub(super) trait Threads {
    /// The present threads.
    fn list(&self) -> io::Result<Vec<u32>>;

    /// Their number, if that takes less time than listing them.
    fn count(&self) -> Option<u64> {
        None
    }

    /// The logical CPUs that a thread may use now.
    fn affinity(&self, thread: u32) -> io::Result<Vec<u32>> {
        affinity_of(thread)
    }

    fn bind(&self, thread: u32, cpus: &[u32]) -> io::Result<()> {
        bind_thread(thread, cpus)
    }

    /// Its process, and the logical CPUs that it may use, including off-line ones.
    fn allowed(&self, thread: u32) -> io::Result<Allowed> {
        System::host().allowed(thread)
    }

    /// The identity of a thread.
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

    /// Whether this thread is still alive; another thread with its number does not count.
    fn is_alive(&self, thread: Identity) -> bool {
        self.identity(thread.number).is_ok_and(|now| now == thread)
    }
}

/// Whether a thread, process or control group no longer exists.
pub(super) fn is_gone(why: &io::Error) -> bool {
    [Errno::SRCH, Errno::NOENT, Errno::NODEV]
        .iter()
        .any(|gone| why.raw_os_error() == Some(gone.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_users_of_a_process_are_read() {
        assert_eq!(users("Name:\tUid: 7\nUid:\t1\t2\t3\t4\nGid:\t9\t9\t9\t9\n"), Some(vec![1, 2, 3]));
        for wrong in ["", "Uid:\n", "Uid:\t1\t2\n", "Uid:\t1\t-2\t3\t4\n", "Gid:\t1\t2\t3\n"] {
            assert_eq!(users(wrong), None, "{wrong:?}");
        }
    }
}
