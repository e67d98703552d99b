//! The runtime of paper 000 by the programmer's hints: FIFO queues, and no worker steals from another node.

use numasim_graph::values::SchedulerKind::Hint;
use numasim_graph::values::TreeTask;
use numasim_tasks::Source::{Own, Shared, Steal};

use crate::common::*;
use crate::trees::*;

#[test]
fn tasks_go_to_their_node_and_the_oldest_comes_first() {
    // Worker 0 creates two tasks for node 1 and three for its node or none; worker 1 steals the oldest of these.
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    for says in [affine(1), PLAIN, affine(0), affine(1), PLAIN] {
        tree.child(root, 1.0, says);
    }
    let (run, records) = under(Hint).run(&nodes(2, 2), &tree.done());
    // 1 s: worker 0 takes 2, workers 2 and 3 the shared 1 and 4; then worker 1 steals 3. 2 s: worker 0 takes 5.
    assert_eq!(workers(&records), [0, 2, 0, 1, 3, 0]);
    assert_eq!(sources(&records), [Own, Shared, Own, Steal, Shared, Own]);
    assert_eq!((run.shared, run.steals, run.remote_tasks, run.mailbox, run.revokes), (2, 1, 0, 0, 0));
    near(run.makespan.value(), 3.0);
}

#[test]
fn nobody_steals_from_another_node() {
    let mut tree = Tree::new();
    let root = tree.root(1.0, TreeTask { returns: true, ..PLAIN });
    for _ in 0..4 {
        tree.child(root, 1.0, PLAIN);
    }
    let (run, records) = under(Hint).run(&nodes(2, 1), &tree.done());
    // `returns` has no effect here.
    assert_eq!((workers(&records), sources(&records)), (vec![0; 5], vec![Own; 5]));
    near(run.makespan.value(), 5.0);
}
