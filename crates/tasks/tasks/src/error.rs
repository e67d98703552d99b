//! Why a graph cannot be simulated.

use numasim_graph::GenerateError;
use numasim_graph::values::{SchedulerKind, TaskId};
use numasim_model::NodeId;

/// Why a graph cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TasksError {
    /// `sa` needs a socket for each task.
    #[error("task {} has no socket, which the scheduler sa needs", .0.0)]
    NoSocket(TaskId),
    /// A task should run on a node without cores, or one that does not exist.
    #[error("task {} should run on {node}, which has no cores", .task.0)]
    NoCores {
        /// The task.
        task: TaskId,
        /// Where it should run.
        node: NodeId,
    },
    /// The affinity of a task is a node without cores, or one that does not exist.
    #[error("the affinity of task {} is {node}, which has no cores", .task.0)]
    Affinity {
        /// The task.
        task: TaskId,
        /// What its affinity says.
        node: NodeId,
    },
    /// The home of a block is no node of the machine.
    #[error("block {block} lies on {node}, which the machine does not have")]
    UnknownHome {
        /// The block.
        block: u32,
        /// Its home.
        node: NodeId,
    },
    /// The node where the programmer wants a block is no node of the machine.
    #[error("the hint of block {block} is {node}, which the machine does not have")]
    UnknownHint {
        /// The block.
        block: u32,
        /// What the hint says.
        node: NodeId,
    },
    /// The home of a block is a node without memory.
    #[error("block {block} is placed on {node}, which has no memory")]
    NoMemory {
        /// The block.
        block: u32,
        /// Its home.
        node: NodeId,
    },
    /// Windows are those of a master that creates all tasks.
    #[error("the scheduler {} partitions what the master creates, but task {} is created by a task", .scheduler.as_str(), .task.0)]
    Tree {
        /// The scheduler.
        scheduler: SchedulerKind,
        /// The first task that a task creates.
        task: TaskId,
    },
    /// More edges than are dealt with.
    #[error("the graph has more than 2^32 edges")]
    TooManyEdges,
    /// The windows would never move on.
    #[error("`intersection` must be smaller than `window` under {}, it is {intersection} of {window}", .scheduler.as_str())]
    Intersection {
        /// The scheduler.
        scheduler: SchedulerKind,
        /// Tasks that stay.
        intersection: u32,
        /// Tasks of a window.
        window: u32,
    },
    /// Windows cannot be partitioned.
    #[error(transparent)]
    Partition(#[from] numasim_graph::partition::PartitionError),
    /// A task never ends: nothing moves its data.
    #[error("task {} never ends", .0.0)]
    NeverEnds(TaskId),
    /// `plan` goes by a plan.
    #[error("the scheduler plan needs a plan")]
    NoPlan,
    /// Somebody stopped it ([`crate::Observer::stops`]).
    #[error("stopped")]
    Stopped,
}

/// Why a job has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobError {
    /// The graph cannot be simulated, or somebody stopped it.
    #[error(transparent)]
    Simulated(#[from] TasksError),
    /// A graph with tasks of another size cannot be made.
    #[error("generator task-bench: {0}")]
    Generated(#[from] GenerateError),
}
