//! What an application can be told about its threads: the three options of paper 002, section II.

use serde::{Deserialize, Serialize};

use crate::ids::AppId;
use crate::units::Seconds;

/// Which orders an application can follow: the words of files, of traces and of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Option 1: how many threads in all.
    Total,
    /// Option 2: which cores' threads, one by one.
    Cores,
    /// Option 3: how many threads on each node.
    #[default]
    PerNode,
    /// None: it cannot be controlled (section IV).
    None,
}

impl Control {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [Self::Total, Self::Cores, Self::PerNode, Self::None];

    /// The word for it in files and in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Cores => "cores",
            Self::PerNode => "per-node",
            Self::None => "none",
        }
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

/// A `[[command]]` of a file, for one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// When it is given.
    pub at: Seconds,
    /// To whom.
    pub app: AppId,
    /// What it says; of the kind that the application can follow, and no more threads than it has.
    pub order: Order,
}
