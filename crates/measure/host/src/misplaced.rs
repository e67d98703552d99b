//! A thread or its data that is not where it has to be.

use serde::{Deserialize, Serialize};

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
