//! What workers are told: how many of them may run, or which.

use numasim_model::ids::NodeId;

/// Which workers may run. It stays in force until the next order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// All of them.
    #[default]
    All,
    /// Option 1: this many in all. Those that are between two tasks block first, so the target is met as soon as that is
    /// possible without preemption.
    Total(usize),
    /// Option 3: this many on each node, in node order.
    PerNode(Vec<usize>),
    /// Option 2: those on these cores. Cores count through all nodes from 0.
    Cores(Vec<usize>),
}

/// Why an order cannot be followed. The last one stays in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// More threads than there are.
    #[error("{ordered} threads are ordered, there are {threads}")]
    TooMany {
        /// Ordered.
        ordered: usize,
        /// Workers of the pool.
        threads: usize,
    },
    /// More threads than a node has.
    #[error("{ordered} threads are ordered on {node}, which has {threads}")]
    TooManyOnNode {
        /// The node.
        node: NodeId,
        /// Ordered.
        ordered: usize,
        /// Workers there.
        threads: usize,
    },
    /// Another number of nodes.
    #[error("the order is for {ordered} nodes, there are {nodes}")]
    NodeCount {
        /// Nodes of the order.
        ordered: usize,
        /// Nodes of the pool.
        nodes: usize,
    },
    /// A core that does not exist.
    #[error("core {core} is ordered, there are {cores} (0 is the first)")]
    UnknownCore {
        /// Its number.
        core: usize,
        /// Cores of all nodes.
        cores: usize,
    },
}
