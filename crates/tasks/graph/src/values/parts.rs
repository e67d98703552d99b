//! What a graph is made of: tasks and blocks by number, blocks and where they lie, accesses.

use numasim_model::ids::NodeId;

/// Most tasks, and most blocks, of a graph.
pub const MAX_TASKS: usize = 10_000_000;
/// Most accesses of all tasks together: what 2 GiB hold.
pub const MAX_ACCESSES: usize = 1 << 28;

/// A task, numbered from 0 in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A block of data, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A kind of task (`spmv`), numbered from 0 in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Where a block lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockHome {
    /// Not decided: where it is touched first.
    #[default]
    Open,
    /// On one node.
    Node(NodeId),
    /// The same part on every node.
    Interleaved,
}

/// A block of data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its size.
    pub bytes: f64,
    /// Where it lies.
    pub home: BlockHome,
}

/// What a task does with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// Reads it.
    In,
    /// Writes it.
    Out,
    /// Reads and writes it.
    Inout,
}

impl AccessMode {
    /// All, in the order in which those of a task in a TOML file count.
    pub const ALL: [Self; 3] = [Self::In, Self::Inout, Self::Out];

    /// The word for it in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Inout => "inout",
        }
    }

    /// Whether it reads.
    pub const fn reads(self) -> bool {
        matches!(self, Self::In | Self::Inout)
    }

    /// Whether it writes.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Out | Self::Inout)
    }
}

/// An access of a task to a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    /// Which block.
    pub block: BlockId,
    /// What it does with it.
    pub mode: AccessMode,
    /// Bytes that count in decisions.
    pub declared_bytes: f64,
    /// Bytes that take time. One access moves this, whatever its mode.
    pub moved_bytes: f64,
}
