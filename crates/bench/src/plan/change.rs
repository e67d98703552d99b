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
            Self::Nodes { scenario, .. } | Self::Threads { scenario, .. } | Self::Data { scenario, .. } => {
                scenario
            }
        }
    }

    /// The stable word for files and scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Nodes { .. } => "nodes",
            Self::Threads { .. } => "threads",
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
            Self::Data { app, from, to, .. } => write!(f, "data of '{app}' {from} -> {to}"),
        }
    }
}
