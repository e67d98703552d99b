//! Two programs that share the machine (T-3, T-5 of the specification): the distribution of the workers, and the mailboxes whose workers
//! have left.

use numasim_graph::values::SchedulerKind::{Tbb, TbbNuma};
use numasim_graph::values::TreeTask;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};
use numasim_tasks::Source::{Mailbox, Own, Steal};

use crate::common::*;
use crate::trees::*;

/// Node 0 with three workers, node 1 with one.
fn three_and_one() -> Machine {
    let links = vec![GigabytesPerSecond::new(5.0); 4];
    Machine::new("three and one", vec![node(3), node(1)], links).expect("a machine")
}

fn dealt(kind: numasim_graph::values::SchedulerKind, machine: &Machine, count: u32) -> Vec<Vec<u32>> {
    let mut tree = Tree::new();
    tree.root(1.0, PLAIN);
    let (run, _) = against(&contender(count, &[]), &under(kind), machine, &tree.done());
    run.contender.expect("contenders").dealt.expect("dealt workers")
}

#[test]
fn workers_are_dealt_as_the_specification_counts_them() {
    let two_by_four = nodes(2, 4);
    assert_eq!(dealt(TbbNuma, &two_by_four, 1), [[2, 2], [2, 2]]);
    assert_eq!(dealt(TbbNuma, &two_by_four, 2), [[2, 1], [1, 2], [1, 1]]);
    assert_eq!(dealt(Tbb, &two_by_four, 1), [[4, 0], [0, 4]]);
    let of_three = dealt(TbbNuma, &nodes(4, 8), 2);
    assert_eq!(of_three.iter().map(|of| of.iter().sum()).collect::<Vec<u32>>(), [11, 11, 10]);
}

/// Until 0.5 s four workers run a task each, one of them a repeated piece of work on worker 3. From 1 s on two workers are lent. At 1.5 s
/// worker 0 creates that piece, which is sent to worker 3 or its node, and continues with another task of 1 s.
fn piece_for_worker_3() -> numasim_graph::values::TaskGraph {
    let mut tree = Tree::new();
    let piece = TreeTask { replay: Some("piece"), affinity: Some(NodeId(1)), ..PLAIN };
    // Worker 0 takes the youngest, then the others the oldest in turn: workers 1, 2, 3, 0.
    for says in [PLAIN, PLAIN, piece, PLAIN] {
        tree.root(0.5, says);
    }
    let creator = tree.after_all(1.0, TreeTask { returns: true, ..PLAIN });
    tree.child(creator, 1.0, piece);
    tree.child(creator, 1.0, PLAIN);
    tree.done()
}

#[test]
fn a_standard_thief_passes_by_a_mailbox_whose_worker_has_left() {
    // Workers 0 and 1 stay. Worker 1 has nothing to do and leaves the piece alone, until worker 0 takes it back at 2.5 s.
    let lent = contender(1, &[(1.0, 99.0)]);
    let (run, records) = against(&lent, &partitioner(), &three_and_one(), &piece_for_worker_3());
    assert_eq!(workers(&records)[..4], [1, 2, 3, 0]);
    assert_eq!((records[5].worker, records[5].source, records[5].revoked), (0, Own, true));
    near(run.makespan.value(), 3.5);
    // Two workers, 2.5 s, tasks of 0.1 s.
    assert_eq!((run.revokes, run.contender.expect("contenders").tasks), (1, 50));
}

#[test]
fn a_thief_of_tbb_numa_takes_it() {
    // Workers 0 and 2 stay, none of node 1: no worker is expected there.
    let lent = contender(1, &[(1.0, 99.0)]);
    let (run, records) = against(&lent, &under(TbbNuma), &three_and_one(), &piece_for_worker_3());
    assert_eq!((records[5].worker, records[5].source), (2, Steal));
    near(run.makespan.value(), 2.5);
    assert_eq!((run.revokes, run.remote_tasks), (0, 1));
    // The first time the piece runs on its worker or node. 4 tasks of 0.5 s, 3 of 1 s, and two workers lent for 1.5 s, of 4 x 2.5 s.
    near(run.idle, 1.0 - (2.0 + 3.0 + 3.0) / 10.0);
}

#[test]
fn a_thief_of_tbb_numa_waits_for_a_worker_that_is_expected() {
    // Worker 3 of node 1 is dealt back to the program at 2.05 s, and its task for the contender ends at 2.1 s: meanwhile it is expected,
    // and the piece that is created at 2.06 s is not stolen by worker 2.
    let mut tree = Tree::new();
    let creator = tree.root(2.06, TreeTask { returns: true, ..PLAIN });
    tree.child(creator, 1.0, affine(1));
    tree.child(creator, 1.0, PLAIN);
    let lent = contender(1, &[(1.0, 2.05)]);
    let (run, records) = against(&lent, &under(TbbNuma), &three_and_one(), &tree.done());
    assert_eq!((records[1].worker, records[1].source), (3, Mailbox));
    near(records[1].start_s, 2.1);
    near(run.makespan.value(), 3.1);
    // Workers 1 and 3 ran 11 tasks each.
    assert_eq!(run.contender.expect("contenders").tasks, 22);
}

#[test]
fn a_worker_leaves_only_when_it_has_nothing_of_its_own() {
    // Worker 1 steals task 0 and creates two tasks at 1 s; it runs both before it leaves, although it is lent from 0.5 s on. Worker 0 is
    // busy until 9 s.
    let mut tree = Tree::new();
    let creator = tree.root(1.0, PLAIN);
    tree.root(9.0, PLAIN);
    for _ in 0..2 {
        tree.child(creator, 1.0, PLAIN);
    }
    let (run, records) = against(&contender(1, &[(0.5, 99.0)]), &under(Tbb), &nodes(1, 2), &tree.done());
    assert_eq!(workers(&records), [1, 0, 1, 1]);
    // From 3 to 9 s worker 1 runs tasks of 0.1 s.
    assert_eq!(run.contender.expect("contenders").tasks, 60);
    near(run.makespan.value(), 9.0);
    near(run.idle, 0.0);
}

#[test]
fn whoever_joins_gets_the_lowest_free_mailbox() {
    // Workers 2 and 3 leave at 1 s; worker 3 has its contender's task end with that of worker 2, and both come back at 2 s: worker 2 is
    // connected to mailbox 2 again.
    let mut tree = Tree::new();
    let piece = |key| TreeTask { replay: Some(key), ..PLAIN };
    for key in ["a", "b", "c", "d"] {
        tree.root(0.5, piece(key));
    }
    // 3 s: all four again, by worker 0, which continues with a long one.
    let creator = tree.after_all(2.5, TreeTask { returns: true, ..PLAIN });
    for key in ["a", "b", "c"] {
        tree.child(creator, 1.0, piece(key));
    }
    tree.child(creator, 5.0, piece("d"));
    let lent = contender(1, &[(1.0, 2.0)]);
    let (run, records) = against(&lent, &partitioner(), &nodes(1, 4), &tree.done());
    assert_eq!(workers(&records), [1, 2, 3, 0, 0, 1, 2, 3, 0]);
    assert_eq!(sources(&records)[5..8], [Mailbox; 3]);
    assert_eq!(run.contender.expect("contenders").tasks, 20);
}
