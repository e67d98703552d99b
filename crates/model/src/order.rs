//! Orders to an application about its threads (the three options of paper 002, section II), and the reasons
//! for which it waits. These are the words of files, traces and the protocol between applications and an
//! agent.

use serde::{Deserialize, Serialize};

crate::words! {
    /// The kind of order that an application can follow, in the words of files, traces and the protocol.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Control {
        /// The total number of threads.
        Total = "total",
        /// The cores whose threads run.
        Cores = "cores",
        /// The number of threads on each node.
        #[default]
        PerNode = "per-node",
        /// None.
        /// It cannot be controlled (section IV).
        None = "none",
    }
}

/// Number and place of the threads that may run; always absolute, never a difference. Files, traces and the
/// protocol write it as one of three keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// On all nodes together.
    Total(u32),
    /// On each node; one entry per node.
    PerNode(Vec<u32>),
    /// Threads of these cores, ascending, numbered through all nodes from 0.
    Cores(Vec<u32>),
}

impl Order {
    /// The control that an application needs to follow this order.
    pub const fn control(&self) -> Control {
        match self {
            Self::Total(_) => Control::Total,
            Self::PerNode(_) => Control::PerNode,
            Self::Cores(_) => Control::Cores,
        }
    }
}

crate::words! {
    /// The reason for which an application without a running iteration waits, or one that is inside a call.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Waiting {
        /// It does not wait.
        #[default]
        None = "none",
        /// For an item of a channel.
        Input = "input",
        /// For room in a channel.
        Output = "output",
        /// For a call, or for the return of a call that it made.
        Call = "call",
    }
}
