//! Why a machine cannot be built.

use super::node::{MAX_CORES_PER_NODE, MAX_NODES};
use crate::ids::NodeId;

/// Why a machine cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// No node at all, or more than [`MAX_NODES`].
    #[error("a machine has 1 to {MAX_NODES} NUMA nodes, this one has {0}")]
    NodeCount(usize),
    /// Every node is memory-only.
    #[error("no NUMA node has a core")]
    NoCores,
    /// No node has memory.
    #[error("no NUMA node has memory")]
    NoMemory,
    /// A node has neither cores nor memory.
    #[error("{0} has neither cores nor memory")]
    Nothing(NodeId),
    /// A node has more than [`MAX_CORES_PER_NODE`] cores.
    #[error("{node} has {cores} cores; at most {MAX_CORES_PER_NODE} are supported")]
    TooManyCores {
        /// The node.
        node: NodeId,
        /// Its cores.
        cores: u32,
    },
    /// A bandwidth or peak is no figure ([`crate::bounds`]): zero, negative, tiny, huge or not finite.
    #[error("{what} of {node} must be {must}, not {value:?}")]
    OutOfBounds {
        /// Which figure.
        what: &'static str,
        /// The node (of a link: where its core is).
        node: NodeId,
        /// What it must be.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// What a shared link carries is no figure ([`crate::bounds`]).
    #[error("the bandwidth of the shared link {name} must be {must}, not {value:?}")]
    SharedLinkBandwidth {
        /// The link.
        name: String,
        /// What it must be.
        must: String,
        /// The offending value.
        value: f64,
    },
    /// The groups of a shared link make no sense.
    #[error("the shared link {name} has {why} in its groups")]
    SharedLinkGroup {
        /// The link.
        name: String,
        /// What is wrong with them.
        why: &'static str,
    },
    /// Two shared links have the same name.
    #[error("two shared links are named {0}")]
    SharedLinkTwice(String),
    /// A matrix of figures of pairs of nodes has the wrong shape.
    #[error("{nodes} nodes need {nodes} x {nodes} {what}, got {got}")]
    PairCount {
        /// What it has, such as latencies.
        what: &'static str,
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
    /// There are not as many last-level caches as nodes.
    #[error("{nodes} nodes have {nodes} last-level caches or none, not {got}")]
    CacheCount {
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
    /// The link table has the wrong shape.
    #[error("{nodes} nodes need {nodes} x {nodes} link bandwidths, got {got}")]
    LinkCount {
        /// Nodes of the machine.
        nodes: usize,
        /// Entries given.
        got: usize,
    },
}
