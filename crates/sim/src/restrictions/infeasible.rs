//! Why a question has no answer.

use numasim_model::NodeId;
use numasim_model::units::Gibibytes;

/// A restriction that makes the question impossible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Infeasible {
    /// More threads wanted than there are cores.
    #[error("`min_threads` of all applications add up to {wanted}, but the machine has {cores} cores")]
    MinThreads {
        /// Sum of `min_threads`.
        wanted: u64,
        /// Cores of the machine.
        cores: u64,
    },
    /// More threads of an application wanted than there are cores on its nodes.
    #[error("{app} has `min_threads` {wanted}, but its `nodes` have {cores} cores")]
    TooFewAllowed {
        /// The application.
        app: String,
        /// Its `min_threads`.
        wanted: u32,
        /// Cores of the nodes that may hold its threads.
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
        node: NodeId,
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
    /// A node that nobody may use, yet every core has to be used.
    #[error("no idle cores: no application may use {0} (`nodes`)")]
    NobodyOnNode(NodeId),
    /// Data that lies still whatever the threads do is more than a node has.
    #[error("{node} would hold {needed} of data, but has {there} of memory (`memory_gib`)")]
    Memory {
        /// The node.
        node: NodeId,
        /// Data that lies there.
        needed: Gibibytes,
        /// Its memory.
        there: Gibibytes,
    },
    /// No node is large enough for data that lies in one place.
    #[error(
        "{app} has {needed} of data in one place, more than any node has: {node}, the largest, has {there} (`memory_gib`)"
    )]
    NoNodeForHome {
        /// The application.
        app: String,
        /// What has to lie on one node.
        needed: Gibibytes,
        /// The node with the most memory.
        node: NodeId,
        /// Its memory.
        there: Gibibytes,
    },
    /// More data than memory.
    #[error(
        "the applications have {needed} of data together, but the nodes have {there} of memory (`memory_gib`)"
    )]
    AllMemory {
        /// All data.
        needed: Gibibytes,
        /// All memory.
        there: Gibibytes,
    },
    /// No allocation was found whose data fits; the one with least too much does not, either.
    #[error(
        "in no allocation does the data fit (`memory_gib`): where least is missing, {node} would hold {needed}, but has {there}"
    )]
    NoMemoryAnywhere {
        /// The node with most too much.
        node: NodeId,
        /// Data that would lie there.
        needed: Gibibytes,
        /// Its memory.
        there: Gibibytes,
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
    /// No number of threads that an application may have is a multiple of what it wants.
    #[error(
        "{app} has a multiple of {step} threads on every node, but it may have only {min} to {max} in all"
    )]
    MultipleMissesRange {
        /// The application.
        app: String,
        /// What its threads on a node are a multiple of.
        step: u32,
        /// Fewest threads allowed.
        min: u32,
        /// Most threads allowed.
        max: u32,
    },
    /// The nodes that an application may use together hold too few of its threads.
    #[error("{app} needs {wanted} threads, but {} hold only {cores} of them", in_words(*nodes, *step))]
    TooFewOnNodes {
        /// The application.
        app: String,
        /// The fewest threads that it may have.
        wanted: u32,
        /// The most nodes that may have threads of it.
        nodes: usize,
        /// What its threads on a node are a multiple of.
        step: u32,
        /// The most threads of it that they hold.
        cores: u64,
    },
    /// Few nodes for an application that has to be on more.
    #[error("{app} may be on at most {most} nodes, but has to be on each of {nodes}")]
    MaxNodesEverywhere {
        /// The application.
        app: String,
        /// The most nodes that may have threads of it.
        most: usize,
        /// The nodes that have to have some.
        nodes: usize,
    },
    /// Somebody has to be where an application is alone.
    #[error("{app} has its nodes for itself, but {other} has to be on {node}, too")]
    ExclusiveEverywhere {
        /// The application whose nodes are its own.
        app: String,
        /// Who has to be there as well.
        other: String,
        /// A node where both have to be.
        node: NodeId,
    },
    /// More nodes needed than there are.
    #[error("nodes of their own: the applications need {needed} nodes, {nodes} have cores")]
    ExclusiveNodes {
        /// Nodes needed at least.
        needed: usize,
        /// Nodes with cores.
        nodes: usize,
    },
    /// Each restriction alone is possible, all together are not.
    #[error("no allocation satisfies all restrictions together: {}", .0.join(", "))]
    Together(Vec<String>),
    /// Somebody never ends.
    #[error("in every allocation some application makes no progress, so no makespan is finite: {}", .0.join(", "))]
    NoFiniteMakespan(Vec<String>),
}

/// `2 nodes`, `2 nodes in multiples of 4`.
fn in_words(nodes: usize, step: u32) -> String {
    let noun = if nodes == 1 { "node" } else { "nodes" };
    let multiples = if step > 1 { format!(" in multiples of {step}") } else { String::new() };
    format!("{nodes} {noun}{multiples}")
}
