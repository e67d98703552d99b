//! What an application can be told about its threads, the three options of paper 002, section II, and what it waits for: the words of
//! files, traces and the protocol between applications and an agent.

use serde::{Deserialize, Serialize};

crate::words! {
    /// Which orders an application can follow: the words of files, of traces and of the protocol.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Control {
        /// How many threads in all.
        Total = "total",
        /// The threads of which cores.
        Cores = "cores",
        /// How many threads on each node.
        #[default]
        PerNode = "per-node",
        /// None.
        /// It cannot be controlled (section IV).
        None = "none",
    }
}

/// How many threads may run, and where; whole each time, not a difference. Files, traces and the protocol have it as one of three keys.
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
    /// Which control an application needs to follow it.
    pub const fn control(&self) -> Control {
        match self {
            Self::Total(_) => Control::Total,
            Self::PerNode(_) => Control::PerNode,
            Self::Cores(_) => Control::Cores,
        }
    }
}

crate::words! {
    /// What an application without an iteration under way waits for, or one that is in a call.
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
        /// To be called, or for the return of its own call.
        Call = "call",
    }
}
