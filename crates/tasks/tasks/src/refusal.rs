//! Questions that nobody can answer, whoever simulates: refused before anything runs.

use numasim_graph::values::{BlockHome, BlockId, TaskGraph};
use numasim_model::{Machine, NodeId};

use crate::error::TasksError;
use crate::question::Question;

/// Whether a question makes sense.
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
