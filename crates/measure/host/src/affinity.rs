//! Threads on logical CPUs: binds the calling thread and queries its position. Systems other than Linux return errors.

use std::io;

use numasim_model::cpus::CpuList;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use crate::os;
#[cfg(target_os = "linux")]
use numasim_model::cpus::ranges;

/// The reason why a thread cannot be bound.
#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// The process may not use these logical CPUs, or they do not exist or are offline.
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
    /// The system call failed.
    #[error("cannot bind a thread to processor {cpus}: {source}")]
    Refused {
        /// The requested logical CPUs, as a list.
        cpus: String,
        /// The error.
        source: io::Error,
    },
}

/// Binds the calling thread to these logical CPUs and reads the result back.
///
/// Only logical CPUs that the thread could use before are accepted: a restriction at program start (`taskset`, a batch system) is intended,
/// even if the operating system would allow more.
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
    // The system call leaves out a logical CPU that went offline in the meantime, without an error.
    not_in(&os::thread::affinity().map_err(refused)?)
}

/// The logical CPUs that the calling thread may use.
///
/// # Errors
/// [`AffinityError::Refused`] if the operating system does not report them.
#[cfg(target_os = "linux")]
pub fn allowed() -> Result<Vec<u32>, AffinityError> {
    os::thread::affinity().map_err(|source| AffinityError::Refused { cpus: "none".into(), source })
}

/// The logical CPU that the calling thread is on now.
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

/// Not supported.
///
/// # Errors
/// Always [`AffinityError::Refused`].
#[cfg(not(target_os = "linux"))]
pub fn allowed() -> Result<Vec<u32>, AffinityError> {
    Err(AffinityError::Refused { cpus: "none".into(), source: io::ErrorKind::Unsupported.into() })
}

/// A thread or its data was not in its planned place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Misplaced {
    /// It ran on a logical CPU it was not bound to.
    #[error("ran on processor {seen}, bound to {wanted}")]
    Thread {
        /// The logical CPU on which it was seen.
        seen: u32,
        /// Its planned logical CPUs, as a list.
        wanted: String,
    },
    /// Pages are on another node.
    #[error("{pages} of {all} pages are on node {seen}, planned on {wanted}")]
    Pages {
        /// Number of these pages.
        pages: u64,
        /// Number of all pages.
        all: u64,
        /// Their location: the operating system's number of the node.
        seen: u32,
        /// Their planned location.
        wanted: String,
    },
    /// Pages that no node holds.
    #[error("{pages} of {all} pages are not in memory")]
    Absent {
        /// Number of these pages.
        pages: u64,
        /// Number of all pages.
        all: u64,
    },
}

impl Misplaced {
    /// Number of affected pages; 0 for a thread.
    pub const fn pages(&self) -> u64 {
        match self {
            Self::Thread { .. } => 0,
            Self::Pages { pages, .. } | Self::Absent { pages, .. } => *pages,
        }
    }
}
