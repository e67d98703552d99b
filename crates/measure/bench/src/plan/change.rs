//! What scaling to a host changed, so that nobody takes the result for the scenario of the file.

use std::fmt;

use numasim_model::Placement;
use numasim_model::ids::NodeId;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Nodes of the file lie on other nodes of the host.
    Nodes {
        /// The scenario.
        scenario: String,
        /// Where each node of the file went; the place in the list is its number.
        to: Vec<NodeId>,
    },
    /// An application has its threads elsewhere, or fewer.
    Threads {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// Threads on each node of the file.
        from: Vec<u32>,
        /// Threads on each node of the host.
        to: Vec<u32>,
    },
    /// A link that several pairs of nodes use together joins other nodes, or none.
    SharedLink {
        /// The scenario.
        scenario: String,
        /// Its name.
        name: String,
        /// The nodes of the host on its two sides; `None` where it is left out, because a node would be on both.
        joins: Option<[Vec<NodeId>; 2]>,
    },
    /// Data lies elsewhere.
    Data {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// As the file says it.
        from: Placement,
        /// On the nodes of the host.
        to: Placement,
    },
}

impl Change {
    /// The scenario that was changed.
    pub fn scenario(&self) -> &str {
        match self {
            Self::Nodes { scenario, .. }
            | Self::Threads { scenario, .. }
            | Self::SharedLink { scenario, .. }
            | Self::Data { scenario, .. } => scenario,
        }
    }

    /// The stable word for files and scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Nodes { .. } => "nodes",
            Self::Threads { .. } => "threads",
            Self::SharedLink { .. } => "shared link",
            Self::Data { .. } => "data",
        }
    }
}

/// What changed, without the name of the scenario.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes { to, .. } => {
                let each = to.iter().enumerate().map(|(from, to)| format!("{from} -> {}", to.0));
                write!(f, "nodes {}", each.collect::<Vec<_>>().join(", "))
            }
            Self::Threads { app, from, to, .. } => write!(f, "threads of '{app}' {from:?} -> {to:?}"),
            Self::SharedLink { name, joins: None, .. } => write!(f, "shared link '{name}' left out"),
            Self::SharedLink { name, joins: Some([from, to]), .. } => {
                let numbers = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect::<Vec<_>>();
                write!(f, "shared link '{name}' joins {:?} and {:?}", numbers(from), numbers(to))
            }
            Self::Data { app, from, to, .. } => write!(f, "data of '{app}' {from} -> {to}"),
        }
    }
}
