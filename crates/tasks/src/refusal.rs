//! Questions that nobody can answer, whoever simulates: refused before anything runs.

use numasim_model::NodeId;
use numasim_model::graph::{BlockHome, BlockId};

use crate::error::TasksError;
use crate::question::Question;

/// Whether a question makes sense.
///
/// # Errors
/// [`TasksError::UnknownHome`], [`TasksError::UnknownHint`], [`TasksError::NoCores`], [`TasksError::Tree`].
pub(crate) fn check(question: &Question<'_>) -> Result<(), TasksError> {
    let Question { machine, graph, scheduler, .. } = *question;
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
    }
    if !graph.says_more() {
        return Ok(());
    }
    for task in graph.tasks() {
        let has_cores = |node: NodeId| is_there(node) && machine.node(node).cores > 0;
        if let Some(node) = graph.affinity(task).filter(|&node| !has_cores(node)) {
            return Err(TasksError::NoCores { task, node });
        }
        if scheduler.kind.partitions() && graph.created_by(task).is_some() {
            return Err(TasksError::Tree { scheduler: scheduler.kind, task });
        }
    }
    Ok(())
}
