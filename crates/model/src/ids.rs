//! Ids of nodes and applications. Each kind is a separate type, so a node is never used as an application.

use std::fmt;

/// A NUMA node, numbered from 0 in the order of the machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct NodeId(pub usize);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// An application instance (`mem-2`), numbered from 0 in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppId(pub usize);

/// A number that identifies a row of a table.
pub trait Id: Copy {
    /// The id with this number.
    fn new(number: usize) -> Self;
    /// Its number.
    fn number(self) -> usize;
}

impl Id for AppId {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

impl Id for NodeId {
    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}
