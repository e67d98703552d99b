//! The programmer's annotations about NUMA nodes, in the form of every library: the `socket` of paper 001 becomes the `affinity` of
//! papers 003 and 000, and vice versa.

use numasim_graph::values::{Access, BlockId, NewTask, TaskGraph, TaskGraphBuilder, TreeTask};
use numasim_model::NodeId;

use crate::common::Failure;

/// The same graph with both. A task of a tree program without an annotation gets the socket of its creator, or without one that of the
/// master, because `sa` needs a socket for each task.
pub(crate) fn annotated(graph: &TaskGraph, nodes: &[NodeId]) -> Result<TaskGraph, Failure> {
    if !graph.is_tree() {
        return with_affinities(graph);
    }
    let master = nodes.first().copied();
    let mut sockets: Vec<Option<NodeId>> = Vec::with_capacity(graph.task_count());
    for task in graph.tasks() {
        let creator = graph.created_by(task).and_then(|creator| *sockets.get(creator.0 as usize)?);
        sockets.push(graph.socket(task).or_else(|| graph.affinity(task)).or(creator).or(master));
    }
    let home = |block: BlockId| graph.blocks().get(block.0 as usize).map(|block| block.home);
    Ok(graph.placed(
        |task| sockets.get(task.0 as usize).copied().flatten(),
        |block| home(block).unwrap_or_default(),
    ))
}

/// A graph created by the master, whose annotations are sockets.
fn with_affinities(graph: &TaskGraph) -> Result<TaskGraph, Failure> {
    let mut builder = TaskGraphBuilder::new(graph.name());
    for (id, &block) in (0..).map(BlockId).zip(graph.blocks()) {
        builder.block(block, graph.block_name(id))?;
    }
    for task in graph.tasks() {
        let accesses: Vec<Access> = graph.accesses(task).collect();
        let kind = builder.kind(graph.type_name(task));
        let socket = graph.socket(task);
        let new = NewTask {
            kind,
            gflop: graph.gflop(task),
            accesses: &accesses,
            socket,
            taskwait: graph.taskwait(task),
            name: graph.task_name(task),
        };
        builder.tree_task(new, TreeTask { affinity: socket, ..TreeTask::default() })?;
    }
    Ok(builder.finish())
}
