//! Deques, mailboxes, shared queues, reflection and detached tasks (T-1, T-2, T-4, T-6 of the specification).

use numasim_graph::values::SchedulerKind::{Tbb, TbbNuma};
use numasim_graph::values::{PagePlacement, Submit, TreeTask};
use numasim_model::Machine;
use numasim_model::units::{GigabytesPerSecond, Seconds};
use numasim_tasks::Source::{Mailbox, Own, Returned, Shared, Steal, Successor};

use crate::common::*;
use crate::trees::*;

const ENQUEUED: TreeTask<'static> = TreeTask { submit: Submit::Enqueue, ..PLAIN };
const RETURNS: TreeTask<'static> = TreeTask { returns: true, ..PLAIN };

/// One node with two workers. Worker 1 sends task C (3) to worker 0 and continues with a long one. Worker 0 then has A (5) and B (6) in
/// its deque, C in its mailbox, D (7) in the shared queue and R (8) that its task returned. `sent`: the attribute that sends C to worker
/// 0.
fn t_1(setting: &Setting, sent: TreeTask<'_>) {
    let mut tree = Tree::new();
    tree.root(0.1, TreeTask { replay: sent.replay, ..PLAIN });
    // Worker 0 takes the youngest, task 2; worker 1 steals the other.
    let one = tree.after_all(0.1, RETURNS);
    let zero = tree.root(0.1, RETURNS);
    tree.child(one, 0.1, sent);
    tree.child(one, 9.0, PLAIN);
    for says in [PLAIN, PLAIN, ENQUEUED, PLAIN] {
        tree.child(zero, 0.1, says);
    }
    let (run, records) = setting.run(&nodes(1, 2), &tree.done());
    let first = [(0, Own), (1, Steal), (2, Own), (4, Returned)];
    let of_worker_0 = [(8, Returned), (6, Own), (5, Own), (3, Mailbox), (7, Shared)];
    let taken = order(&records);
    assert_eq!(taken[..4], first);
    assert_eq!(taken[4..], of_worker_0);
    assert_eq!((run.steals, run.mailbox, run.shared, run.revokes, run.remote_tasks), (1, 1, 1, 0, 0));
    near(run.makespan.value(), 0.2 + 9.0);
}

#[test]
fn a_worker_looks_everywhere_in_order() {
    let mut numa = under(TbbNuma);
    // Otherwise C would come last, and worker 1 would continue with it.
    numa.scheduler.reflection = false;
    t_1(&numa, affine(0));
    t_1(&partitioner(), TreeTask { replay: Some("c"), ..PLAIN });
}

/// One worker on each of two nodes: worker 0 unfolds two halves of 1 s with affinity for nodes 0 and 1.
fn halves(returns: bool, reflection: bool) -> [u64; 4] {
    let mut tree = Tree::new();
    let root = tree.root(0.0, TreeTask { returns, ..PLAIN });
    tree.child(root, 1.0, affine(0));
    tree.child(root, 1.0, affine(1));
    let mut setting = under(TbbNuma);
    setting.scheduler.reflection = reflection;
    let (run, _) = setting.run(&nodes(2, 1), &tree.done());
    near(run.makespan.value(), 1.0);
    [run.mailbox, run.steals, run.revokes, run.remote_tasks]
}

#[test]
fn by_reflection_both_halves_run_where_they_belong() {
    assert_eq!(halves(true, true), [1, 0, 0, 0]);
    assert_eq!(halves(false, true), [1, 0, 0, 0]);
}

#[test]
fn in_the_other_order_none_does() {
    // Half 1 is returned to worker 0, worker 1 steals half 0, because mailbox 0 is not idle.
    assert_eq!(halves(true, false), [0, 1, 0, 2]);
    // Both are spawned: worker 0 takes half 1 back.
    assert_eq!(halves(false, false), [0, 1, 1, 2]);
}

#[test]
fn reflection_looks_at_what_is_below_a_task() {
    // The halves have no affinity themselves, but their children do. Worker 0 continues with the half of node 0 although it comes first;
    // the other one waits in its deque only, and is stolen.
    let mut tree = Tree::new();
    let root = tree.root(0.0, RETURNS);
    for node in [0, 1] {
        let half = tree.child(root, 0.5, PLAIN);
        tree.child(half, 1.0, affine(node));
    }
    let (run, records) = under(TbbNuma).run(&nodes(2, 1), &tree.done());
    assert_eq!(sources(&records), [Own, Returned, Own, Steal, Own]);
    assert_eq!((workers(&records), run.remote_tasks), (vec![0, 0, 0, 1, 1], 0));
}

#[test]
fn a_task_for_another_node_is_detached() {
    // T-4: a pipeline on one worker per node.
    let mut tree = Tree::new();
    let detached = |node| TreeTask { submit: Submit::Detach, ..affine(node) };
    let root = tree.root(1.0, PLAIN);
    let first = tree.child(root, 1.0, PLAIN);
    let second = tree.child(first, 1.0, detached(0));
    tree.child(second, 1.0, detached(1));
    let graph = tree.done();
    let (run, records) = under(TbbNuma).run(&nodes(2, 1), &graph);
    assert_eq!(sources(&records), [Own, Own, Own, Shared]);
    assert_eq!((workers(&records), run.remote_tasks), (vec![0, 0, 0, 1], 0));
    let (run, records) = under(Tbb).run(&nodes(2, 1), &graph);
    assert_eq!(sources(&records), [Own; 4]);
    assert_eq!((workers(&records), run.remote_tasks), (vec![0; 4], 1));
}

#[test]
fn a_detached_task_goes_to_an_idle_worker_of_its_node_before_all_others() {
    // Worker 0 is first in order and idle, but the task is for node 1.
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    tree.child(root, 1.0, TreeTask { submit: Submit::Enqueue, ..affine(1) });
    let (_, records) = under(TbbNuma).run(&nodes(2, 1), &tree.done());
    assert_eq!((workers(&records), sources(&records)), (vec![0, 1], vec![Own, Shared]));
}

#[test]
fn queues_of_other_nodes_come_before_stealing() {
    // Worker 1 has no task in its queues: it takes the task that is enqueued for node 2, whose worker is busy, and only then steals.
    let mut tree = Tree::new();
    let busy = tree.root(0.5, PLAIN);
    tree.child(busy, 9.0, affine(2));
    let root = tree.child(busy, 1.0, RETURNS);
    tree.child(root, 1.0, TreeTask { submit: Submit::Enqueue, ..affine(2) });
    tree.child(root, 1.0, PLAIN);
    tree.child(root, 1.0, PLAIN);
    let (run, records) = under(TbbNuma).run(&nodes(3, 1), &tree.done());
    // 0.5: worker 0 takes task 2, its youngest, worker 2 finds task 1 in its mailbox. 1.5: task 5 is returned, worker 1 takes task 3.
    assert_eq!(workers(&records), [0, 2, 0, 1, 0, 0]);
    assert_eq!(sources(&records), [Own, Mailbox, Own, Shared, Own, Returned]);
    assert_eq!((run.shared, run.steals, run.remote_tasks), (1, 0, 1));
}

#[test]
fn the_lowest_that_waited_for_a_task_alone_is_its_successor() {
    // Tasks 1, 2 and 3 write three blocks; 4 and 5, which task 0 also creates, read the block that task 1 writes: 4 is its successor,
    // before the youngest of the deque.
    let mut tree = Tree::new();
    let block = tree.block(0.0, Some(0));
    let root = tree.root(1.0, PLAIN);
    let of_root = |says: TreeTask<'static>| TreeTask { created_by: Some(root), ..says };
    tree.add(1.0, &[all(block, Out, 0.0)], false, of_root(PLAIN));
    for _ in 0..2 {
        tree.add(1.0, &[all(block, In, 0.0)], false, of_root(PLAIN));
    }
    let (_, records) = under(Tbb).run(&nodes(1, 1), &tree.done());
    assert_eq!(order(&records), [(0, Own), (1, Own), (2, Successor), (3, Own)]);
}

#[test]
fn tasks_of_the_master_are_worker_0_s_and_nobody_s_successors() {
    // Task 1 waits for task 0, which worker 1 runs: it goes to the deque of worker 0, which is idle.
    let mut tree = Tree::new();
    let block = tree.block(0.0, Some(0));
    tree.add(1.0, &[all(block, Out, 0.0)], false, PLAIN);
    tree.root(1.0, PLAIN);
    tree.add(1.0, &[all(block, In, 0.0)], false, PLAIN);
    let (_, records) = under(Tbb).run(&nodes(1, 2), &tree.done());
    assert_eq!((workers(&records), sources(&records)), (vec![1, 0, 0], vec![Steal, Own, Own]));
}

#[test]
fn only_stealing_costs_the_time_to_steal() {
    let mut tree = Tree::new();
    let root = tree.root(1.0, PLAIN);
    for _ in 0..2 {
        tree.child(root, 1.0, PLAIN);
    }
    let mut setting = under(Tbb);
    setting.runtime.steal = Seconds::new(0.5);
    let (run, records) = setting.run(&nodes(1, 2), &tree.done());
    assert_eq!(sources(&records), [Own, Steal, Own]);
    near(records[1].end_s, 1.0 + 0.5 + 1.0);
    near(records[2].end_s, 2.0);
    assert_eq!(run.steals, 1);
}

#[test]
fn the_affinity_partitioner_sends_work_where_it_ran_last() {
    // The first time task 1 is stolen by worker 1. The second time it waits in mailbox 1, and worker 1 finds it although worker 0 has
    // taken only its younger sibling.
    let mut tree = Tree::new();
    let says = |key| TreeTask { replay: Some(key), ..PLAIN };
    for round in 0..2 {
        let root = if round == 0 { tree.root(1.0, PLAIN) } else { tree.after_all(1.0, PLAIN) };
        tree.child(root, 1.0, says("one"));
        tree.child(root, 1.0, says("two"));
    }
    let graph = tree.done();
    let (run, records) = partitioner().run(&nodes(1, 2), &graph);
    assert_eq!(sources(&records), [Own, Steal, Own, Own, Mailbox, Own]);
    assert_eq!((workers(&records), run.mailbox, run.revokes), (vec![0, 1, 0, 0, 1, 0], 1, 0));
    let (run, _) = under(Tbb).run(&nodes(1, 2), &graph);
    assert_eq!((run.mailbox, run.steals), (0, 2));
}

#[test]
fn data_of_one_node_makes_four_nodes_four_times_as_slow() {
    // T-6: 4 nodes x 2 cores, 20 GB/s each, wide links: 8 x 1 GB from one memory take 0.4 s, from all of them 0.1 s.
    let wide = Machine::uniform("wide", 4, node(2), GigabytesPerSecond::new(1000.0)).expect("a machine");
    let mut tree = Tree::new();
    let root = tree.root(0.0, PLAIN);
    for number in 0..8 {
        let block = tree.block(GB, Some(number / 2));
        let says = TreeTask { created_by: Some(root), ..affine(number / 2) };
        tree.add(0.0, &[all(block, In, GB)], false, says);
    }
    let graph = tree.done();
    let makespan = |placement| {
        let setting = Setting { placement, ..under(TbbNuma) };
        let (run, _) = setting.run(&wide, &graph);
        assert_eq!(run.remote_tasks, 0);
        run.makespan.value()
    };
    near(makespan(PagePlacement::Master), 0.4);
    near(makespan(PagePlacement::FirstTouch), 0.1);
    near(makespan(PagePlacement::Interleave), 0.1);
}
