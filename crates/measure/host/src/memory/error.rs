//! Why memory cannot be had where it is wanted.

use super::size;

/// Why the data of threads cannot lie where it shall.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A node has too little free memory for the data that shall lie on it.
    #[error(
        "node {os_node} has {} of free memory, the data of this scenario needs {}",
        size(*.free_bytes), size(*.wanted_bytes)
    )]
    NotEnoughMemory {
        /// The operating system's number of the node.
        os_node: u32,
        /// Free now.
        free_bytes: u64,
        /// Needed.
        wanted_bytes: u64,
    },
    /// The machine has no such node, or this process may not use its memory.
    #[error("there is no memory on node {os_node} for this process; it may use the memory of {usable}")]
    NoSuchNode {
        /// The operating system's number of the node.
        os_node: u32,
        /// Nodes it may use, as a list of numbers.
        usable: String,
    },
    /// A limit on this process leaves too little memory, whatever the nodes have.
    #[error(
        "the memory limit of this process ({limit}) leaves {}, the data of this scenario needs {}",
        size(*.free_bytes), size(*.wanted_bytes)
    )]
    MemoryLimit {
        /// Where the limit is set.
        limit: String,
        /// Free below the limit.
        free_bytes: u64,
        /// Needed.
        wanted_bytes: u64,
    },
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was asked, in words.
        what: String,
        /// The answer.
        source: std::io::Error,
    },
}
