//! From a draft to a graph: the order of tasks, then blocks for order without data.

use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, GraphError, NewTask, TaskGraph, TaskGraphBuilder,
};
use numasim_model::text::visible;
use numasim_study::{Place, Problem, ProblemKind};

use super::draft::Draft;
use super::{control, order};
use crate::problems::NO_TASKS;

/// The graph of a draft. Names are written so that nothing in them is hidden.
///
/// # Errors
/// No tasks, tasks that wait for each other in a circle, or more than a graph may have.
pub(super) fn assemble(mut draft: Draft, name: &str) -> Result<TaskGraph, Vec<Problem>> {
    if draft.tasks.is_empty() {
        let problem = Problem::new(ProblemKind::EmptyFile, NO_TASKS).at(Place::whole(0), "");
        return Err(vec![problem]);
    }
    let order = order::topological(&draft).map_err(|problem| vec![*problem])?;
    control::add(&mut draft).map_err(|problem| vec![*problem])?;
    graph(&draft, &order, name)
        .map_err(|error| vec![Problem::new(ProblemKind::Limit, error.to_string()).at(Place::whole(0), "")])
}

fn graph(draft: &Draft, order: &[u32], name: &str) -> Result<TaskGraph, GraphError> {
    let mut graph = TaskGraphBuilder::new(visible(name));
    for (name, bytes) in &draft.blocks {
        let name = Some(visible(name)).filter(|name| !name.is_empty());
        graph.block(Block { bytes: *bytes, home: BlockHome::Open }, name.as_deref())?;
    }
    let mut accesses: Vec<Access> = Vec::new();
    for task in order.iter().filter_map(|&task| draft.tasks.get(task as usize)) {
        accesses.clear();
        accesses.extend(task.accesses.iter().map(|&(block, mode, declared_bytes)| {
            let times = if mode == AccessMode::Inout { 2.0 } else { 1.0 };
            Access { block: BlockId(block), mode, declared_bytes, moved_bytes: times * declared_bytes }
        }));
        let kind = graph.kind(&visible(&task.kind));
        let (gflop, accesses) = (task.gflop, accesses.as_slice());
        let name = Some(visible(&task.name)).filter(|name| !name.is_empty());
        let name = name.as_deref();
        graph.task(NewTask { kind, gflop, accesses, socket: None, taskwait: false, name })?;
    }
    Ok(graph.finish())
}
