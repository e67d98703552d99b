//! Stored attributes of tree programs, and rejected ones.

use super::super::super::{Access, AccessMode, Block, BlockHome};
use super::*;

fn builder() -> TaskGraphBuilder {
    let mut graph = TaskGraphBuilder::new("tree");
    graph.kind("work");
    graph
}

/// Adds a task without accesses.
fn add(graph: &mut TaskGraphBuilder, tree: TreeTask<'_>) -> Result<TaskId, GraphError> {
    let kind = graph.kind("work");
    let task = NewTask { kind, gflop: 1.0, accesses: &[], socket: None, taskwait: false, name: None };
    graph.tree_task(task, tree)
}

fn by(creator: u32) -> TreeTask<'static> {
    TreeTask { created_by: Some(TaskId(creator)), ..TreeTask::default() }
}

fn at(creator: u32, seq: u32) -> TreeTask<'static> {
    TreeTask { seq: Some(seq), ..by(creator) }
}

#[test]
fn what_was_said_of_a_tree_comes_out() {
    let mut graph = builder();
    add(&mut graph, TreeTask::default()).expect("a task");
    let said = TreeTask {
        affinity: Some(NodeId(3)),
        submit: Submit::Detach,
        returns: true,
        replay: Some("loop-1"),
        ..at(0, 1)
    };
    let second = add(&mut graph, said).expect("a task");
    let third = add(&mut graph, TreeTask { replay: Some("loop-1"), ..at(0, 0) }).expect("a task");
    let graph = graph.try_finish().expect("a graph");
    assert!(graph.is_tree());
    assert_eq!(graph.children(TaskId(0)), [third, second]);
    assert_eq!((graph.created_by(second), graph.seq(second)), (Some(TaskId(0)), Some(1)));
    assert_eq!((graph.affinity(second), graph.submit(second)), (Some(NodeId(3)), Submit::Detach));
    assert_eq!((graph.returns(second), graph.returns(third)), (true, false));
    assert_eq!((graph.replay(second), graph.replay(third)), (Some(ReplayId(0)), Some(ReplayId(0))));
    assert_eq!(graph.replays().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["loop-1"]);
    assert_eq!((graph.created_by(TaskId(0)), graph.seq(TaskId(0))), (None, None));
    assert_eq!((graph.affinity(third), graph.submit(third)), (None, Submit::Spawn));
}

#[test]
fn without_places_tasks_of_a_creator_come_by_number() {
    let mut graph = builder();
    add(&mut graph, TreeTask::default()).expect("a task");
    for creator in [0, 0, 1, 0, 1] {
        add(&mut graph, by(creator)).expect("a task");
    }
    let graph = graph.try_finish().expect("a graph");
    assert_eq!(graph.children(TaskId(0)), [1, 2, 4].map(TaskId));
    assert_eq!(graph.children(TaskId(1)), [3, 5].map(TaskId));
    assert_eq!(graph.children(TaskId(5)), []);
    assert_eq!((graph.seq(TaskId(4)), graph.seq(TaskId(5))), (Some(2), Some(1)));
    assert!(!graph.gives_seq(TaskId(4)));
}

#[test]
fn places_are_all_there_once_or_not_given_at_all() {
    let finish = |places: &[Option<u32>]| {
        let mut graph = builder();
        add(&mut graph, TreeTask::default()).expect("a task");
        for &seq in places {
            add(&mut graph, TreeTask { seq, ..by(0) }).expect("a task");
        }
        graph.try_finish().err()
    };
    let creator = TaskId(0);
    assert_eq!(finish(&[Some(1), Some(0), Some(2)]), None);
    assert_eq!(finish(&[None, None]), None);
    assert_eq!(finish(&[Some(1), None]), Some(GraphError::SeqMixed(creator)));
    assert_eq!(finish(&[Some(1), Some(0), Some(1)]), Some(GraphError::SeqRepeated { creator, seq: 1 }));
    assert_eq!(finish(&[Some(0), Some(2)]), Some(GraphError::SeqMissing { creator, seq: 1 }));
    assert_eq!(finish(&[Some(u32::MAX - 1)]), Some(GraphError::SeqMissing { creator, seq: 0 }));
}

#[test]
fn a_creator_is_an_earlier_task_and_only_the_master_waits() {
    let mut graph = builder();
    assert_eq!(add(&mut graph, by(0)), Err(GraphError::CreatorNotEarlier(TaskId(0))));
    let seq_alone = TreeTask { seq: Some(0), ..TreeTask::default() };
    assert_eq!(add(&mut graph, seq_alone), Err(GraphError::SeqOfMaster));
    add(&mut graph, TreeTask::default()).expect("a task");
    let kind = graph.kind("work");
    let waits = NewTask { kind, gflop: 1.0, accesses: &[], socket: None, taskwait: true, name: None };
    assert_eq!(graph.tree_task(waits, by(0)), Err(GraphError::TaskwaitOfChild(TaskId(0))));
    assert_eq!(graph.graph().task_count(), 1);
}

#[test]
fn blocks_have_creators_and_hints() {
    let mut graph = builder();
    let block = Block { bytes: 1.0, home: BlockHome::Open };
    let blocks: Vec<BlockId> = (0..3).map(|_| graph.block(block, None).expect("a block")).collect();
    let read = Access { block: blocks[1], mode: AccessMode::In, declared_bytes: 1.0, moved_bytes: 1.0 };
    let kind = graph.kind("work");
    for accesses in [&[][..], &[read], &[read]] {
        let task = NewTask { kind, gflop: 1.0, accesses, socket: None, taskwait: false, name: None };
        graph.task(task).expect("a task");
    }
    graph.block_created_by(blocks[2], TaskId(2)).expect("both are there");
    graph.block_hint(blocks[1], NodeId(1)).expect("it is there");
    assert_eq!(graph.block_created_by(blocks[0], TaskId(3)), Err(GraphError::CreatorNotEarlier(TaskId(3))));
    assert_eq!(graph.block_hint(BlockId(9), NodeId(0)), Err(GraphError::UnknownBlock(BlockId(9))));
    let graph = graph.finish();
    assert_eq!(
        blocks.iter().map(|&block| graph.hint(block)).collect::<Vec<_>>(),
        [None, Some(NodeId(1)), None]
    );
    assert_eq!(graph.block_creators(), [0, 1, 2].map(TaskId));
    assert_eq!((graph.block_creator(blocks[1]), graph.block_creator(blocks[2])), (None, Some(TaskId(2))));
    assert!(!graph.is_tree());
}

#[test]
fn a_task_that_says_something_takes_16_bytes() {
    assert_eq!((size_of::<Record>(), size_of::<Option<Box<Tree>>>()), (16, size_of::<usize>()));
}
