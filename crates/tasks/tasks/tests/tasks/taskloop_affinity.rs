//! `taskloop-affinity`: a ready task goes to a worker near the largest of its data.

use numasim_graph::values::SchedulerKind::TaskloopAffinity;
use numasim_graph::values::{Access, Submit, TreeTask};
use numasim_model::machine::Machine;
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_tasks::Source::{Own, Steal};

use crate::common::*;
use crate::trees::*;

#[test]
fn tasks_go_to_the_workers_near_their_largest_block_in_turn() {
    // Four children read 3 MB on node 1 and 2 MB on node 0, and compute for 1 s: 1 and 3 go to worker 2, 2 and 4 to worker 3.
    let mut tree = Tree::new();
    let (y, x) = (tree.block(2.0 * MB, Some(0)), tree.block(3.0 * MB, Some(1)));
    let root = tree.root(1.0, PLAIN);
    for _ in 0..4 {
        let reads = [all(y, In, 2.0 * MB), all(x, In, 3.0 * MB)];
        tree.add(1.0, &reads, false, TreeTask { created_by: Some(root), ..PLAIN });
    }
    let (run, records) = under(TaskloopAffinity).run(&m2(), &tree.done());
    // 1 s: workers 2 and 3 take their youngest, 3 and 4. Then worker 0 steals the oldest of worker 2, worker 1 that of worker 3.
    assert_eq!(workers(&records), [0, 0, 1, 2, 3]);
    assert_eq!(sources(&records), [Own, Steal, Steal, Own, Own]);
    assert_eq!((run.steals, run.shared, run.mailbox), (2, 0, 0));
    near(run.makespan.value(), 2.0);
    // Two tasks on each node: 2 x 2 + 2 x 3 MB are local.
    assert_eq!((run.traffic.dram_local, run.traffic.dram_remote), (10.0 * MB, 10.0 * MB));
}

/// The worker that runs the only child of a task on worker 0.
fn child_of_worker_0(machine: &Machine, tree: Tree, accesses: &[Access]) -> u32 {
    let mut tree = tree;
    let root = tree.root(1.0, PLAIN);
    tree.add(1.0, accesses, false, TreeTask { created_by: Some(root), ..PLAIN });
    workers(&under(TaskloopAffinity).run(machine, &tree.done()).1)[1]
}

#[test]
fn of_equal_blocks_the_first_access_counts() {
    for (first, worker) in [(0, 0), (1, 2)] {
        let mut tree = Tree::new();
        let blocks = [first, 1 - first].map(|home| all(tree.block(MB, Some(home)), In, MB));
        assert_eq!(child_of_worker_0(&m2(), tree, &blocks), worker);
    }
}

#[test]
fn data_that_is_nowhere_or_where_nobody_works_tells_nothing() {
    // Nodes 0 and 2 have a core each, node 1 has none.
    let mut without = node(0);
    without.gflops_per_core = Gflops::new(0.0);
    let links = vec![GigabytesPerSecond::new(5.0); 9];
    let machine = Machine::new("memory", vec![node(1), without, node(1)], links).expect("a machine");
    for (home, worker) in [(None, 0), (Some(0), 0), (Some(1), 0), (Some(2), 1)] {
        let mut tree = Tree::new();
        let block = all(tree.block(MB, home), In, MB);
        assert_eq!(child_of_worker_0(&machine, tree, &[block]), worker, "{home:?}");
    }
    assert_eq!(child_of_worker_0(&machine, Tree::new(), &[]), 0);
}

#[test]
fn a_block_counts_from_the_node_that_touched_it_first() {
    // 1 goes to worker 2, near 9 MB on node 1, and touches W there. 2 waits for it: worker 2 hands it over, and W is local to it.
    let mut tree = Tree::new();
    let (w, x) = (tree.block(8.0 * MB, None), tree.block(9.0 * MB, Some(1)));
    let root = tree.root(1.0, PLAIN);
    let child = TreeTask { created_by: Some(root), ..PLAIN };
    tree.add(1.0, &[all(w, Out, 8.0 * MB), all(x, In, 9.0 * MB)], false, child);
    tree.add(1.0, &[all(w, In, 8.0 * MB)], false, child);
    let (run, records) = under(TaskloopAffinity).run(&m2(), &tree.done());
    assert_eq!((workers(&records), sources(&records)), (vec![0, 2, 2], vec![Own; 3]));
    assert_eq!(run.traffic.dram_remote, 0.0);
    near(run.makespan.value(), 3.0);
}

#[test]
fn the_youngest_comes_first_and_returning_and_enqueuing_mean_nothing() {
    let mut tree = Tree::new();
    let root = tree.root(1.0, TreeTask { returns: true, ..PLAIN });
    tree.child(root, 1.0, TreeTask { submit: Submit::Enqueue, ..PLAIN });
    tree.child(root, 1.0, affine(0));
    tree.child(root, 1.0, PLAIN);
    let (run, records) = under(TaskloopAffinity).run(&nodes(1, 1), &tree.done());
    assert_eq!(order(&records), [(0, Own), (3, Own), (2, Own), (1, Own)]);
    near(run.makespan.value(), 4.0);
}
