//! A process that is held on to, with its threads and the processes that it starts: its number may become another's, what is open here
//! does not.

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
    /// `/proc/PID`; nothing in it when the process has ended, never that of another one.
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
        // What was read is of the process that is still there: its number was nobody else's meanwhile.
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
    /// What it was started with; empty where nobody can see it now.
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
        // A folder has a link for each one in it, and two of its own (proc_task_getattr of fs/proc/base.c).
        #[allow(clippy::useless_conversion, reason = "not on every processor")]
        let links = u64::from(status.st_nlink);
        Some(links)
    }
}

// A process whose place another program takes later: from then on it is adopted, and not before.

/// A process that waits for its time to become the program that it stands for (execve(2) keeps the number).
#[derive(Debug)]
pub struct Starting {
    process: Process,
    /// What it was started with itself.
    command_line: Vec<u8>,
}

/// What has become of it.
#[derive(Debug)]
pub enum Became {
    /// It still waits.
    Nothing(Starting),
    /// The program.
    Program(Adopted),
    /// It has ended.
    Ended,
}

impl Starting {
    /// Of a process; `None` where it has ended already.
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

    /// What tells at once when it has ended.
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
        // While one program takes the place of another there is none to be seen.
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

// What is waited for, so that the end of something adopted is seen at once.

/// A descriptor that tells when something adopted may have ended. It stays quiet again once that was looked at.
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

    /// For `poll`.
    pub(crate) fn polled(&self) -> PollFd<'a> {
        PollFd::from_borrowed_fd(self.fd, self.tells_by)
    }
}

// Processes that adopted ones started. They follow no order, but begin with that of the thread that started them.

/// How often they are looked for: one whose parents end sooner is not known to descend from them.
const EVERY: Duration = Duration::from_secs(1);
/// Looking for them takes at most this part of a processor.
const PART: u32 = 200;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Children {
    known: BTreeSet<Identity>,
    /// By the clock of the system.
    next_ns: u64,
}

impl Children {
    /// Looks for them, if it is time; `is_adopted` names the processes that are adopted.
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

    /// Looks for them now; those that live.
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

// The threads of a process or control group, and what the system tells of each and does with it.

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
