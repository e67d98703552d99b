//! `static`: every loop is distributed over all workers in contiguous parts, and no worker takes over iterations of another.

use numasim_graph::values::SchedulerKind::Static;
use numasim_graph::values::TreeTask;

use crate::common::*;
use crate::trees::*;

#[test]
fn the_iterations_of_a_loop_are_dealt_in_contiguous_parts() {
    // Six iterations of 1 s on four workers, floor(i x 4 / 6): 0 0 1 2 2 3. The root goes with the first one.
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    for _ in 0..6 {
        tree.child(root, 1.0, PLAIN);
    }
    let (run, records) = under(Static).run(&m2(), &tree.done());
    assert_eq!(workers(&records), [0, 0, 0, 1, 2, 2, 3]);
    assert_eq!(sockets(&records), [0, 0, 0, 0, 1, 1, 1]);
    near(run.makespan.value(), 3.0);
    // 7 s of 4 x 3 s.
    near(run.idle, 5.0 / 12.0);
}

#[test]
fn nobody_takes_over_from_anybody() {
    // Eight iterations, two for each worker; those of worker 0 take 3 s, the others 1 s: 6 s, and 6 + 3 x 2 s of 4 x 6 s.
    let mut tree = Tree::new();
    for seconds in [3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] {
        tree.root(seconds, PLAIN);
    }
    let mut setting = under(Static);
    setting.steal = true;
    let (run, records) = setting.run(&m2(), &tree.done());
    assert_eq!(workers(&records), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(run.steals, 0);
    near(run.makespan.value(), 6.0);
    near(run.idle, 0.5);
}

#[test]
fn behind_a_taskwait_there_is_another_loop() {
    // Four iterations 0 to 3, then two: floor(i x 4 / 2), 0 and 2.
    let mut tree = Tree::new();
    for _ in 0..4 {
        tree.root(1.0, PLAIN);
    }
    tree.after_all(1.0, PLAIN);
    tree.root(1.0, PLAIN);
    let (run, records) = under(Static).run(&m2(), &tree.done());
    assert_eq!(workers(&records), [0, 1, 2, 3, 0, 2]);
    near(run.makespan.value(), 2.0);
}

#[test]
fn loops_over_the_same_blocks_find_them_where_they_touched_them() {
    // Two loops of four tasks with 1 GFLOP on 1 GB each: two for each node with 20 GB/s, 0.1 s a loop, all local.
    let mut tree = Tree::new();
    let blocks = [(); 4].map(|()| tree.block(GB, None));
    for _ in 0..2 {
        let root = tree.after_all(0.0, PLAIN);
        for block in blocks {
            let accesses = [all(block, Inout, GB)];
            tree.add(0.1, &accesses, false, TreeTask { created_by: Some(root), ..PLAIN });
        }
    }
    let (run, records) = under(Static).run(&m2(), &tree.done());
    assert_eq!(workers(&records), [0, 0, 1, 2, 3, 0, 0, 1, 2, 3]);
    assert_eq!((run.traffic.dram_local, run.traffic.dram_remote), (8.0 * GB, 0.0));
    near(run.makespan.value(), 0.2);
}
