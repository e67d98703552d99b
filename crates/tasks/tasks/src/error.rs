//! Why a graph cannot be simulated.

use numasim_graph::GenerateError;
use numasim_graph::values::{BlockHome, BlockId, SchedulerKind, TaskGraph, TaskId};
use numasim_model::{Machine, NodeId};

use crate::question::Question;

/// Why a graph cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TasksError {
    /// `sa` needs a socket for each task.
    #[error("task {} has no socket, which the scheduler sa needs", .0.0)]
    NoSocket(TaskId),
    /// A task must run on a node without cores, or on one that does not exist.
    #[error("task {} should run on {node}, which has no cores", .task.0)]
    NoCores {
        /// The task.
        task: TaskId,
        /// The node.
        node: NodeId,
    },
    /// The affinity of a task is a node without cores, or one that does not exist.
    #[error("the affinity of task {} is {node}, which has no cores", .task.0)]
    Affinity {
        /// The task.
        task: TaskId,
        /// Its affinity.
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
        /// Its hint.
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
    /// Windows need a master that creates all tasks.
    #[error("the scheduler {} partitions what the master creates, but task {} is created by a task", .scheduler.as_str(), .task.0)]
    Tree {
        /// The scheduler.
        scheduler: SchedulerKind,
        /// The first task that a task creates.
        task: TaskId,
    },
    /// More edges than the limit.
    #[error("the graph has more than 2^32 edges")]
    TooManyEdges,
    /// The windows would never move on.
    #[error("`intersection` must be smaller than `window` under {}, it is {intersection} of {window}", .scheduler.as_str())]
    Intersection {
        /// The scheduler.
        scheduler: SchedulerKind,
        /// Tasks that stay in the next window.
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
    /// The scheduler `plan` needs a plan.
    #[error("the scheduler plan needs a plan")]
    NoPlan,
    /// The observer stopped it ([`crate::Observer::stops`]).
    #[error("stopped")]
    Stopped,
}

/// Why a job has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobError {
    /// The graph cannot be simulated, or the simulation was stopped.
    #[error(transparent)]
    Simulated(#[from] TasksError),
    /// A graph with tasks of another size cannot be made.
    #[error("generator task-bench: {0}")]
    Generated(#[from] GenerateError),
}

// Invalid questions, which are rejected before anything runs.

/// Whether a question is valid.
///
/// # Errors
/// [`TasksError::UnknownHome`], [`TasksError::UnknownHint`], [`TasksError::Affinity`], [`TasksError::Tree`].
pub(crate) fn check(question: &Question<'_>) -> Result<(), TasksError> {
    let Question { machine, graph, scheduler, .. } = *question;
    check_blocks(machine, graph)?;
    if !graph.says_more() {
        return Ok(());
    }
    for task in graph.tasks() {
        let has_cores = |node: NodeId| machine.nodes().get(node.0).is_some_and(|node| node.cores > 0);
        if let Some(node) = graph.affinity(task).filter(|&node| !has_cores(node)) {
            return Err(TasksError::Affinity { task, node });
        }
        if scheduler.kind.partitions() && graph.created_by(task).is_some() {
            return Err(TasksError::Tree { scheduler: scheduler.kind, task });
        }
    }
    Ok(())
}

/// Whether all homes and hints of blocks are nodes of the machine, and the homes have memory. A hint at a node without memory means the
/// memory that this node uses.
///
/// # Errors
/// [`TasksError::UnknownHome`], [`TasksError::UnknownHint`], [`TasksError::NoMemory`].
pub(crate) fn check_blocks(machine: &Machine, graph: &TaskGraph) -> Result<(), TasksError> {
    let is_there = |node: NodeId| node.0 < machine.node_count();
    for (block, home) in (0..).zip(graph.blocks().iter().map(|block| block.home)) {
        if let BlockHome::Node(node) = home
            && !is_there(node)
        {
            return Err(TasksError::UnknownHome { block, node });
        }
        if let Some(node) = graph.hint(BlockId(block)).filter(|&node| !is_there(node)) {
            return Err(TasksError::UnknownHint { block, node });
        }
        if let BlockHome::Node(node) = home
            && !machine.has_memory(node)
        {
            return Err(TasksError::NoMemory { block, node });
        }
    }
    Ok(())
}

// Whether a graph and its simulations fit in memory, determined before the first of them begins.

/// Maximum memory for a graph and its simulations, in bytes: 4 GiB.
const MOST_BYTES: f64 = (4_u64 << 30) as f64;

/// Bytes per item of each kind.
struct Price {
    task: f64,
    block: f64,
    access: f64,
    edge: f64,
}

/// For the graph and its edges, regardless of the number of simulations.
const GRAPH: Price = Price { task: 40.0, block: 16.0, access: 8.0, edge: 4.0 };
/// For one simulation: measured (10^6 tasks with a block and two accesses each: 200 B for a task with its block, accesses and edges),
/// rounded up.
const SIMULATION: Price = Price { task: 110.0, block: 80.0, access: 16.0, edge: 0.0 };

/// Size of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    tasks: usize,
    blocks: usize,
    accesses: usize,
    edges: usize,
}

/// A graph and one simulation do not fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a graph of {} tasks, {} blocks, {} accesses and {} edges may need {gib:.1} GiB of memory; at most {:.0} GiB are taken",
    counts.tasks, counts.blocks, counts.accesses, counts.edges, MOST_BYTES / (1_u64 << 30) as f64
)]
pub struct TooLarge {
    counts: Counts,
    gib: f64,
}

impl Counts {
    /// The size of a graph; `edges`: those that are known so far.
    pub(crate) fn of(graph: &TaskGraph, edges: usize) -> Self {
        let (tasks, blocks) = (graph.task_count(), graph.blocks().len());
        Self { tasks, blocks, accesses: graph.access_count(), edges }
    }

    fn bytes(self, price: &Price) -> f64 {
        price.task * self.tasks as f64
            + price.block * self.blocks as f64
            + price.access * self.accesses as f64
            + price.edge * self.edges as f64
    }

    /// Number of simulations that fit at a time, at least one.
    ///
    /// # Errors
    /// Not even one fits.
    pub(crate) fn at_a_time(self) -> Result<usize, TooLarge> {
        let (of_graph, each) = (self.bytes(&GRAPH), self.bytes(&SIMULATION));
        if of_graph + each > MOST_BYTES {
            return Err(TooLarge { counts: self, gib: (of_graph + each) / (1_u64 << 30) as f64 });
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 1; more than usize::MAX are as many"
        )]
        let fit = if each > 0.0 { ((MOST_BYTES - of_graph) / each) as usize } else { usize::MAX };
        Ok(fit.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_simulations_run_at_a_time_as_there_is_room_for() {
        // 10^6 tasks with a block and two accesses each, and 10^6 edges: 40 + 16 + 2 x 8 + 4 = 76 MB, and 110 + 80 + 2 x 16 = 222 MB for
        // each simulation: (4295 - 76) / 222 = 19.004.
        let million = 1_000_000;
        let counts = Counts { tasks: million, blocks: million, accesses: 2 * million, edges: million };
        assert_eq!(counts.at_a_time().ok(), Some(19));
        assert_eq!(Counts::default().at_a_time().ok(), Some(usize::MAX));
    }

    #[test]
    fn what_needs_more_than_four_gib_is_refused_with_what_it_needs() {
        // 10^7 tasks with ten accesses each: 400 + 10^8 x 8 B = 1.2 GB, and 1100 + 10^8 x 16 B = 2.7 GB: 3.9 of 4.29 GB. With 2 x 10^7 edges
        // more, and 10^7 blocks of 96 B: 4.94 GB are 4.6 GiB.
        let tasks = 10_000_000;
        let fits = Counts { tasks, accesses: 10 * tasks, ..Counts::default() };
        assert_eq!(fits.at_a_time().ok(), Some(1));
        let refused = Counts { blocks: tasks, edges: 2 * tasks, ..fits }.at_a_time().expect_err("too much");
        let expected = "a graph of 10000000 tasks, 10000000 blocks, 100000000 accesses and 20000000 edges may need 4.6 GiB of memory; \
                        at most 4 GiB are taken";
        assert_eq!(refused.to_string(), expected);
    }
}
