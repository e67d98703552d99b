//! Threads on processors: binding the calling thread and seeing where it is. Other systems than Linux refuse.

use std::io;

use numasim_model::cpus::CpuList;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use crate::os;
#[cfg(target_os = "linux")]
use numasim_model::cpus::ranges;

/// Why a thread cannot be bound.
#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// The process may not use these processors, or they do not exist or are offline.
    #[error(
        "processor {missing} cannot be used: this process may use {allowed} (other processors do not exist, are \
         offline, or are excluded by taskset, a container or a batch system)"
    )]
    NotAllowed {
        /// Wanted, but not allowed, as a list.
        missing: String,
        /// Allowed, as a list.
        allowed: String,
    },
    /// The operating system refused.
    #[error("cannot bind a thread to processor {cpus}: {source}")]
    Refused {
        /// The processors wanted, as a list.
        cpus: String,
        /// The answer.
        source: io::Error,
    },
}

/// Binds the calling thread to these processors and reads the result back.
///
/// Only processors that the thread could use before are accepted: whoever started the program with fewer
/// (`taskset`, a batch system) meant it, even where the kernel would allow more.
///
/// # Errors
/// Every variant of [`AffinityError`].
#[cfg(target_os = "linux")]
pub fn bind_this_thread(cpus: &CpuList) -> Result<(), AffinityError> {
    let refused = |source| AffinityError::Refused { cpus: cpus.to_string(), source };
    let not_in = |allowed: &[u32]| {
        let missing: Vec<u32> =
            cpus.as_slice().iter().copied().filter(|cpu| allowed.binary_search(cpu).is_err()).collect();
        let error = AffinityError::NotAllowed { missing: ranges(&missing), allowed: ranges(allowed) };
        if missing.is_empty() { Ok(()) } else { Err(error) }
    };
    let before = os::thread::affinity().map_err(refused)?;
    not_in(&before)?;
    os::thread::set_affinity(cpus.as_slice()).map_err(refused)?;
    // A processor that went offline meanwhile is left out without an error.
    not_in(&os::thread::affinity().map_err(refused)?)
}

/// The processors that the calling thread may use.
///
/// # Errors
/// [`AffinityError::Refused`] if the operating system does not tell.
#[cfg(target_os = "linux")]
pub fn allowed() -> Result<Vec<u32>, AffinityError> {
    os::thread::affinity().map_err(|source| AffinityError::Refused { cpus: "none".into(), source })
}

/// The processor that the calling thread is on now.
#[cfg(target_os = "linux")]
pub fn current() -> u32 {
    os::thread::current_cpu()
}

/// Binds nothing.
///
/// # Errors
/// Always [`AffinityError::Refused`].
#[cfg(not(target_os = "linux"))]
pub fn bind_this_thread(cpus: &CpuList) -> Result<(), AffinityError> {
    Err(AffinityError::Refused { cpus: cpus.to_string(), source: io::ErrorKind::Unsupported.into() })
}

/// Nobody tells.
///
/// # Errors
/// Always [`AffinityError::Refused`].
#[cfg(not(target_os = "linux"))]
pub fn allowed() -> Result<Vec<u32>, AffinityError> {
    Err(AffinityError::Refused { cpus: "none".into(), source: io::ErrorKind::Unsupported.into() })
}

/// A thread or its data was not where the plan wanted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Misplaced {
    /// It ran on a processor it was not bound to.
    #[error("ran on processor {seen}, bound to {wanted}")]
    Thread {
        /// Where it was seen.
        seen: u32,
        /// Where it had to be, as a list of processors.
        wanted: String,
    },
    /// Pages lie on another node.
    #[error("{pages} of {all} pages are on node {seen}, planned on {wanted}")]
    Pages {
        /// How many.
        pages: u64,
        /// Of how many.
        all: u64,
        /// Where they are: the operating system's number of the node.
        seen: u32,
        /// Where they had to be.
        wanted: String,
    },
    /// Pages that no node holds.
    #[error("{pages} of {all} pages are not in memory")]
    Absent {
        /// How many.
        pages: u64,
        /// Of how many.
        all: u64,
    },
}

impl Misplaced {
    /// How many pages it is about; 0 of a thread.
    pub const fn pages(&self) -> u64 {
        match self {
            Self::Thread { .. } => 0,
            Self::Pages { pages, .. } | Self::Absent { pages, .. } => *pages,
        }
    }
}
