//! Graphs for this crate's tests.

use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, NewTask, TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
};

/// Tasks by their creators, each of which changes the same block of one byte.
pub(crate) fn tree(creators: &[Option<u32>]) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("tree");
    let kind = graph.kind("work");
    let block = graph.block(Block { bytes: 1.0, home: BlockHome::Open }, None).expect("a block");
    let change = Access { block, mode: AccessMode::Inout, declared_bytes: 1.0, moved_bytes: 1.0 };
    for &creator in creators {
        let task =
            NewTask { kind, gflop: 1.0, accesses: &[change], socket: None, taskwait: false, name: None };
        let tree = TreeTask { created_by: creator.map(TaskId), ..TreeTask::default() };
        graph.tree_task(task, tree).expect("a task");
    }
    graph.finish()
}
