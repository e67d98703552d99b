//! Why something cannot be adopted, in words for people.

use std::io;

/// Why something cannot be adopted.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// No process has this number.
    #[error("there is no process with pid {pid}")]
    NoProcess {
        /// The number.
        pid: u32,
    },
    /// The number of a thread that is not the first of its process.
    #[error("{pid} is a thread of another process: give the pid of the process (Tgid in /proc/{pid}/status)")]
    Thread {
        /// The number.
        pid: u32,
    },
    /// The agent.
    #[error("pid {pid} is this agent itself")]
    Oneself {
        /// The number.
        pid: u32,
    },
    /// A thread of the kernel.
    #[error("pid {pid} is a thread of the kernel: give the pid of a program")]
    Kernel {
        /// The number.
        pid: u32,
    },
    /// Somebody else's.
    #[error("the process with pid {pid} belongs to user {uid}, and this is user {own}")]
    Foreign {
        /// The number.
        pid: u32,
        /// Whose it is.
        uid: u32,
        /// Who we are.
        own: u32,
    },
    /// The system refuses.
    #[error("cannot look at the process with pid {pid}: {source}")]
    Refused {
        /// The number.
        pid: u32,
        /// The answer.
        source: io::Error,
    },
    /// A folder that cannot be adopted.
    #[error(transparent)]
    Group(#[from] GroupError),
}

/// Why a control group cannot be adopted.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// Nothing is there, or no folder.
    #[error("there is no folder {folder}: `cat /proc/PID/cgroup` says in which control group a process is")]
    NoFolder {
        /// As it was given.
        folder: String,
    },
    /// Something else than a folder of the system's.
    #[error(
        "{folder} is no folder of cgroup v2: give one below the place where `findmnt -t cgroup2` says that it is"
    )]
    NotCgroup2 {
        /// As it was given.
        folder: String,
    },
    /// Somebody else's.
    #[error(
        "the control group {folder} belongs to user {uid}, and this is user {own}: take one that is yours, such as that of `systemd-run --user --scope -p Delegate=yes COMMAND`"
    )]
    Foreign {
        /// As it was given.
        folder: String,
        /// Whose it is.
        uid: u32,
        /// Who we are.
        own: u32,
    },
    /// All processes of the system are in it.
    #[error("{folder} is the root of all control groups: give one below it")]
    Root {
        /// As it was given.
        folder: String,
    },
    /// Nobody is in it.
    #[error("no process is in the control group {folder}: start the program in it first")]
    Empty {
        /// As it was given.
        folder: String,
    },
    /// The agent is in it.
    #[error("this agent itself is in the control group {folder}: start it outside")]
    Oneself {
        /// As it was given.
        folder: String,
    },
    /// The system refuses.
    #[error("cannot look at the control group {folder}: {source}")]
    Refused {
        /// As it was given.
        folder: String,
        /// The answer.
        source: io::Error,
    },
}
