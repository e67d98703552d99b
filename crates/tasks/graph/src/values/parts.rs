//! What a graph is made of: tasks and blocks by number, blocks and where they lie, accesses, what tasks of tree programs say beside their
//! work (papers 003 and 000), and why something is no graph.

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

/// A piece of work that comes again: tasks of one key are the same piece, numbered from 0 in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplayId(pub u32);

numasim_model::words! {
    /// How a worker hands a task over that is ready.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Submit {
        /// To the young end of its own deque.
        #[default]
        Spawn = "spawn",
        /// To the end of a shared queue.
        Enqueue = "enqueue",
        /// Enqueued where its affinity is another node than that of the worker, else spawned: the detached subtrees of TBB-NUMA.
        Detach = "detach",
    }
}

/// What a task to be added says of the tree; the default is a task of the master that says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTask<'a> {
    /// The earlier task that creates it when it ends; `None`: the master.
    pub created_by: Option<TaskId>,
    /// Its place among the tasks of its creator; `None`: they come in the order of their numbers.
    pub seq: Option<u32>,
    /// The node where its data is, for schedulers that look at that.
    pub affinity: Option<NodeId>,
    /// How it is handed over.
    pub submit: Submit,
    /// Whether the worker that ran it goes on with the last task that it hands over.
    pub returns: bool,
    /// The piece of work that it is.
    pub replay: Option<&'a str>,
}

/// Why a block or a task cannot be added, or a graph is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// More tasks or blocks than are dealt with.
    #[error("more than {MAX_TASKS} tasks or blocks")]
    TooManyTasks,
    /// More accesses than are dealt with.
    #[error("more than {MAX_ACCESSES} accesses of tasks to blocks")]
    TooManyAccesses,
    /// A size or an amount of work that is below 0 or no finite number.
    #[error("{what} is {value}, which is no finite number of at least 0")]
    NotANumber {
        /// What it is of: `the size of a block`.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A task accesses a block that there is not.
    #[error("there is no block {}", .0.0)]
    UnknownBlock(BlockId),
    /// A task accesses a block twice; `inout` says that it reads and writes it.
    #[error("block {} is accessed twice; `inout` reads and writes it", .0.0)]
    BlockTwice(BlockId),
    /// Who creates a task, or a block, is no task so far.
    #[error("it is created by task {}, which is no earlier task", .0.0)]
    CreatorNotEarlier(TaskId),
    /// Only the master waits.
    #[error("`taskwait` is for tasks that the master creates; this one is created by task {}", .0.0)]
    TaskwaitOfChild(TaskId),
    /// Tasks of the master come in the order of their numbers.
    #[error("`seq` is for tasks that a task creates; this one is created by the master")]
    SeqOfMaster,
    /// Either all tasks of a creator say their place, or none does.
    #[error("some of the tasks that task {} creates have a `seq`, and some have none", .0.0)]
    SeqMixed(TaskId),
    /// Two tasks have the same place.
    #[error("two tasks that task {} creates have the `seq` {seq}", .creator.0)]
    SeqRepeated {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
    /// No task has a place below that of another one.
    #[error("no task that task {} creates has the `seq` {seq}, though one has a larger one", .creator.0)]
    SeqMissing {
        /// Who creates them.
        creator: TaskId,
        /// The place.
        seq: u32,
    },
}
