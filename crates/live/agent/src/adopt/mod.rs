//! Programs that do not know about the agent: the agent keeps their threads on the cores that an order names.
//!
//! They are never stopped, and their priority is left alone. Their former CPUs are restored at the end ([`Adopted::release`], also when
//! dropped), for all threads that were ever bound: also for those that left their control group, and for processes that they started.
//! After SIGKILL of the agent they keep the last order, as the system undoes none.

use std::io;

use binding::Binding;
use group::{Folder, Group};
pub use ledger::{Ledger, Wanted, WantedError, What};
use numasim_host::os::process::own_uid;
use numasim_model::cpus::ranges;
pub use process::{Became, Starting, Watch};
use process::{Process, Threads as _};
use rustix::io::Errno;

mod binding;
mod group;
mod ledger;
mod process;

// Why a process or group cannot be adopted, in words for people.

/// Why a process or group cannot be adopted.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// No process has this number.
    #[error("there is no process with pid {0}")]
    NoProcess(u32),
    /// The number of a thread that is not the main thread of its process.
    #[error("{0} is a thread of another process: give the pid of the process (Tgid in /proc/{0}/status)")]
    Thread(u32),
    /// It is the agent.
    #[error("pid {0} is this agent itself")]
    Oneself(u32),
    /// It is a thread of the kernel.
    #[error("pid {0} is a thread of the kernel: give the pid of a program")]
    Kernel(u32),
    /// It belongs to another user.
    #[error("the process with pid {pid} belongs to user {uid}, and this is user {own}")]
    Foreign {
        /// The number.
        pid: u32,
        /// Its user.
        uid: u32,
        /// The user of the agent.
        own: u32,
    },
    /// The system refuses.
    #[error("cannot look at the process with pid {pid}: {source}")]
    Refused {
        /// The number.
        pid: u32,
        /// The error of the system.
        source: io::Error,
    },
    /// A folder that cannot be adopted.
    #[error(transparent)]
    Group(#[from] GroupError),
}

/// Why a control group cannot be adopted.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// The path does not exist, or is no folder.
    #[error("there is no folder {0}: `cat /proc/PID/cgroup` says in which control group a process is")]
    NoFolder(String),
    /// A folder that is not one of cgroup v2.
    #[error(
        "{0} is no folder of cgroup v2: give one below the place where `findmnt -t cgroup2` says that it is"
    )]
    NotCgroup2(String),
    /// It belongs to another user.
    #[error(
        "the control group {folder} belongs to user {uid}, and this is user {own}: take one that is yours, such as that of `systemd-run --user --scope -p Delegate=yes COMMAND`"
    )]
    Foreign {
        /// As it was given.
        folder: String,
        /// Its user.
        uid: u32,
        /// The user of the agent.
        own: u32,
    },
    /// It contains all processes of the system.
    #[error("{0} is the root of all control groups: give one below it")]
    Root(String),
    /// It contains no process.
    #[error("no process is in the control group {0}: start the program in it first")]
    Empty(String),
    /// It contains the agent.
    #[error("this agent itself is in the control group {0}: start it outside")]
    Oneself(String),
    /// The system refuses.
    #[error("cannot look at the control group {folder}: {source}")]
    Refused {
        /// As it was given.
        folder: String,
        /// The error of the system.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests;

/// A process, or a whole control group, whose threads are put on cores. When dropped, it restores their former CPUs.
#[derive(Debug)]
pub struct Adopted {
    who: Who,
    /// The logical CPUs of each core, numbered through all nodes.
    cores: Vec<Vec<u32>>,
}

#[derive(Debug)]
enum Who {
    Process(Process, Binding),
    Group(Group<Folder>),
}

impl Adopted {
    /// Adopts a process or a control group; `cores` contains the logical CPUs of each core of the machine, as orders number them. One
    /// `ledger` serves everything that an agent adopts. Nothing changes before the first order.
    ///
    /// # Errors
    /// Every variant of [`AdoptError`].
    pub fn begin(what: &What, cores: Vec<Vec<u32>>, ledger: &Ledger) -> Result<Self, AdoptError> {
        match what {
            What::Process(pid) => Self::of(Process::open(*pid)?, cores, ledger),
            What::Group(folder) => {
                let shown = numasim_model::text::visible(&folder.display().to_string()).into_owned();
                Ok(Self { who: Who::Group(Group::begin(Folder::open(folder)?, &shown, ledger)?), cores })
            }
        }
    }

    fn of(process: Process, cores: Vec<Vec<u32>>, ledger: &Ledger) -> Result<Self, AdoptError> {
        let pid = process.pid();
        let binding = Binding::of_process(pid, &process, ledger)
            .map_err(|source| AdoptError::Refused { pid, source })?;
        Ok(Self { who: Who::Process(process, binding), cores })
    }

    /// The process number; a control group has none.
    pub fn pid(&self) -> Option<u32> {
        match &self.who {
            Who::Process(process, _) => Some(process.pid()),
            Who::Group(_) => None,
        }
    }

    /// The user of a process; for a control group the user that moves it.
    pub fn uid(&self) -> u32 {
        match &self.who {
            Who::Process(process, _) => process.uid(),
            Who::Group(_) => own_uid(),
        }
    }

    /// How the logical CPUs of a control group are set, in words for people; for a process there is only one way.
    pub fn way(&self) -> Option<String> {
        match &self.who {
            Who::Process(..) => None,
            Who::Group(group) => Some(group.way()),
        }
    }

    /// The present threads, by their numbers.
    ///
    /// # Errors
    /// The error of the system.
    pub fn threads(&self) -> io::Result<Vec<u32>> {
        match &self.who {
            Who::Process(process, _) => process.list(),
            Who::Group(group) => group.threads(),
        }
    }

    /// A descriptor that signals that [`Adopted::has_ended`] may have changed.
    pub fn watch(&self) -> Option<Watch<'_>> {
        match &self.who {
            Who::Process(process, _) => Some(Watch::readable(process.fd())),
            Who::Group(group) => group.changes().map(Watch::exceptional),
        }
    }

    /// Whether the process, or every process of the control group, has ended.
    pub fn has_ended(&self) -> bool {
        match &self.who {
            Who::Process(process, _) => process.has_ended(),
            Who::Group(group) => group.has_ended(),
        }
    }

    /// Puts every thread on all logical CPUs of these cores.
    ///
    /// # Errors
    /// Why the order cannot be carried out, in words for the output of the status: no core, a core that the machine does not have, or the
    /// error of the system. Then the last order stays in force.
    pub fn order(&mut self, cores: &[u32]) -> Result<(), String> {
        if cores.is_empty() {
            return Err("a process that knows nothing of the agent cannot be kept from all cores".into());
        }
        let mut cpus = Vec::new();
        for &core in cores {
            let of_core = usize::try_from(core).ok().and_then(|core| self.cores.get(core));
            cpus.extend(of_core.ok_or_else(|| format!("there is no core {core}"))?);
        }
        cpus.sort_unstable();
        cpus.dedup();
        let outcome = match &mut self.who {
            Who::Process(process, binding) => binding.order(process, &cpus),
            Who::Group(group) => group.order(&cpus),
        };
        outcome.map_err(|why| {
            let why = match why.raw_os_error() {
                // sched_setaffinity(2) then returns "Invalid argument".
                Some(code) if code == Errno::INVAL.raw_os_error() => {
                    "its control group allows none of them, or they are off-line".to_owned()
                }
                _ => why.to_string(),
            };
            format!("its threads cannot be put on processors {}: {why}", ranges(&cpus))
        })
    }

    /// Looks through its threads again: puts new ones, and those that went elsewhere, on the CPUs of the order.
    ///
    /// # Errors
    /// The error of the system, in words as those of [`Self::order`].
    pub fn look(&mut self) -> Result<(), String> {
        let outcome = match &mut self.who {
            Who::Process(process, binding) => binding.look(process),
            Who::Group(group) => group.look(),
        };
        outcome.map_err(|why| format!("its threads cannot be kept where they are: {why}"))
    }

    /// Restores the state before the first order: each thread gets its former CPUs. New threads get those that the main thread had; new
    /// processes in a control group get those that all its threads had together. A `cpuset.cpus` gets its former content.
    ///
    /// # Errors
    /// The number of threads whose CPUs cannot be restored, and why, in words for people.
    pub fn release(&mut self) -> Result<(), String> {
        let failures = match &mut self.who {
            Who::Process(process, binding) => binding.release(process),
            Who::Group(group) => group.release(),
        };
        let Some(first) = failures.first() else { return Ok(()) };
        let threads = if failures.len() == 1 { "thread keeps" } else { "threads keep" };
        Err(format!("{} {threads} the processors of the last order: {first}", failures.len()))
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        // Callers that want the error call it themselves.
        let _ = self.release();
    }
}
