//! `arena-per-node`: an arena for each node; tasks for another node are enqueued there, all others stay where they are handed over.

use numasim_graph::values::SchedulerKind::ArenaPerNode;
use numasim_graph::values::{Submit, TreeTask};
use numasim_tasks::Source::{Own, Returned, Shared, Steal, Successor};

use crate::common::*;
use crate::trees::*;

#[test]
fn tasks_for_another_node_are_enqueued_there_and_all_else_is_spawned() {
    // Worker 0 sends 1 and 4 to node 1, and has 2, 3 and 5 in its deque, the youngest last.
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    for says in [affine(1), PLAIN, affine(0), affine(1), PLAIN] {
        tree.child(root, 1.0, says);
    }
    let (run, records) = under(ArenaPerNode).run(&nodes(2, 2), &tree.done());
    // 1 s: worker 0 takes the youngest, 5; workers 2 and 3 the oldest of their queue, 1 and 4; worker 1 then steals the oldest, 2.
    // 2 s: worker 0 takes 3.
    assert_eq!(workers(&records), [0, 2, 1, 0, 3, 0]);
    assert_eq!(sources(&records), [Own, Shared, Steal, Own, Shared, Own]);
    assert_eq!((run.shared, run.steals, run.remote_tasks, run.mailbox, run.revokes), (2, 1, 0, 0, 0));
    near(run.makespan.value(), 3.0);
}

#[test]
fn within_an_arena_the_order_is_that_of_tbb() {
    // One worker: the task that the root returned, the deque from its young end, then the enqueued tasks.
    let mut tree = Tree::new();
    let root = tree.root(1.0, TreeTask { returns: true, ..PLAIN });
    tree.child(root, 1.0, TreeTask { submit: Submit::Enqueue, ..PLAIN });
    for _ in 0..3 {
        tree.child(root, 1.0, PLAIN);
    }
    let (run, records) = under(ArenaPerNode).run(&nodes(1, 1), &tree.done());
    assert_eq!(order(&records), [(0, Own), (4, Returned), (3, Own), (2, Own), (1, Shared)]);
    near(run.makespan.value(), 5.0);
}

#[test]
fn nobody_leaves_an_arena() {
    // Four tasks of 1 s without a node: the worker of node 1 has none in its arena.
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    for _ in 0..4 {
        tree.child(root, 1.0, PLAIN);
    }
    let (run, records) = under(ArenaPerNode).run(&nodes(2, 1), &tree.done());
    assert_eq!(workers(&records), [0; 5]);
    near(run.makespan.value(), 5.0);
    // One of two workers.
    near(run.idle, 0.5);
}

#[test]
fn tasks_run_where_their_data_is_if_their_affinity_says_so() {
    // Two tasks of 1 GFLOP on separate blocks of 1 GB on each node: 10 GB/s each, 20 GB/s of each node, 0.1 s.
    let mut tree = Tree::new();
    let homes = [1, 0, 1, 0];
    let blocks = homes.map(|home| tree.block(GB, Some(home)));
    let root = tree.root(0.0, PLAIN);
    for (home, block) in homes.into_iter().zip(blocks) {
        tree.add(0.1, &[all(block, In, GB)], false, TreeTask { created_by: Some(root), ..affine(home) });
    }
    let (run, records) = under(ArenaPerNode).run(&m2(), &tree.done());
    assert_eq!(ran_on(&records), [0, 1, 0, 1, 0]);
    assert_eq!((run.traffic.dram_local, run.traffic.dram_remote), (4.0 * GB, 0.0));
    near(run.makespan.value(), 0.1);
}

#[test]
fn the_successor_is_one_that_stays() {
    // 2, 3 and 4 wait for 1. 2 belongs to node 1 and leaves; 3 is the lowest that stays: worker 0 continues with it, and then takes 4.
    let mut tree = Tree::new();
    let x = tree.block(0.0, None);
    let root = tree.root(1.0, PLAIN);
    let child = |says| TreeTask { created_by: Some(root), ..says };
    tree.add(1.0, &[all(x, Out, 0.0)], false, child(PLAIN));
    for says in [affine(1), PLAIN, PLAIN] {
        tree.add(1.0, &[all(x, In, 0.0)], false, child(says));
    }
    let (run, records) = under(ArenaPerNode).run(&nodes(2, 1), &tree.done());
    assert_eq!(workers(&records), [0, 0, 1, 0, 0]);
    assert_eq!(sources(&records), [Own, Own, Shared, Successor, Own]);
    near(run.makespan.value(), 4.0);
}

#[test]
fn what_leaves_is_not_returned_and_then_there_may_be_a_successor() {
    // 1 would return 3, which belongs to node 1: it is enqueued there. 2, which waits for 1, is its successor.
    let mut tree = Tree::new();
    let x = tree.block(0.0, None);
    let root = tree.root(1.0, PLAIN);
    let child = TreeTask { created_by: Some(root), ..PLAIN };
    let first = tree.add(1.0, &[all(x, Out, 0.0)], false, TreeTask { returns: true, ..child });
    tree.add(1.0, &[all(x, In, 0.0)], false, child);
    tree.child(first, 1.0, affine(1));
    let (_, records) = under(ArenaPerNode).run(&nodes(2, 1), &tree.done());
    assert_eq!((workers(&records), sources(&records)), (vec![0, 0, 0, 1], vec![Own, Own, Successor, Shared]));
}
