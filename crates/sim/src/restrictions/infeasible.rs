//! Why a question has no answer.

/// A restriction that makes the question impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Infeasible {
    /// More threads wanted than there are cores.
    #[error("`min_threads` of all applications add up to {wanted}, but the machine has {cores} cores")]
    MinThreads {
        /// Sum of `min_threads`.
        wanted: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// The per-node minimum does not fit a node.
    #[error("{per_node} threads of each of {apps} applications do not fit {node}, which has {cores} cores")]
    MinPerNode {
        /// The minimum.
        per_node: u32,
        /// Applications.
        apps: usize,
        /// The first node that is too small.
        node: numasim_model::NodeId,
        /// Its cores.
        cores: u32,
    },
    /// Whole nodes, yet everybody on every node.
    #[error(
        "at most one application on a node contradicts {per_node} threads of each of {apps} applications on every node"
    )]
    WholeNodesMinPerNode {
        /// The minimum.
        per_node: u32,
        /// Applications.
        apps: usize,
    },
    /// Whole nodes and the same number on every node: only one application can run.
    #[error(
        "at most one application on a node, with the same number on every node, leaves room for one application; {apps} need threads"
    )]
    WholeNodesSame {
        /// Applications that need a thread.
        apps: usize,
    },
    /// Fewer nodes than applications that need one.
    #[error(
        "at most one application on a node: the applications need {needed} whole nodes, {nodes} have cores"
    )]
    TooFewNodes {
        /// Nodes needed at least.
        needed: usize,
        /// Nodes with cores.
        nodes: usize,
    },
    /// The per-node minimum exceeds what an application may have.
    #[error("{app} may have at most {max} threads, but {per_node} on each of {nodes} nodes are {total}")]
    MaxBelowMinPerNode {
        /// The application.
        app: String,
        /// Its `max_threads`.
        max: u32,
        /// The minimum.
        per_node: u32,
        /// Nodes with cores.
        nodes: usize,
        /// The product.
        total: u64,
    },
    /// Not enough threads to use every core.
    #[error(
        "no idle cores: the applications may have {allowed} threads in total, but the machine has {cores} cores"
    )]
    IdleCores {
        /// Sum of `max_threads`.
        allowed: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// The same number everywhere cannot fill nodes of different size.
    #[error(
        "no idle cores with the same number on every node needs nodes of equal size; they have {smallest} to {largest} cores"
    )]
    IdleCoresOnUnequalNodes {
        /// Cores of the smallest node.
        smallest: u32,
        /// Cores of the largest node.
        largest: u32,
    },
    /// The same number everywhere, in steps of the number of nodes, misses the range of an application.
    #[error(
        "the same number on every node gives {app} a multiple of {nodes} threads, but it may have only {min} to {max}"
    )]
    SameMissesRange {
        /// The application.
        app: String,
        /// Nodes with cores.
        nodes: usize,
        /// Fewest threads allowed.
        min: u32,
        /// Most threads allowed.
        max: u32,
    },
    /// Each restriction alone is possible, all together are not.
    #[error("no allocation satisfies all restrictions together: {}", .0.join(", "))]
    Together(Vec<String>),
    /// Somebody never ends.
    #[error("in every allocation some application makes no progress, so no makespan is finite: {}", .0.join(", "))]
    NoFiniteMakespan(Vec<String>),
}
