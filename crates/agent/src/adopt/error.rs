//! Why a process cannot be adopted, in words for people.

use std::io;

/// Why a process cannot be adopted.
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
}
