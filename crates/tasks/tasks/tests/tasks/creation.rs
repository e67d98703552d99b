//! Tree programs: tasks that tasks create. Workers of M2 do 10 GFLOPS, so that 10 GFLOP take a second; nothing else costs time.

use numasim_graph::values::{PagePlacement, SchedulerKind, TaskId, TreeTask};
use numasim_model::units::Seconds;
use numasim_tasks::{IdleReason, Source, TaskRecord, TasksError};

use crate::common::{GB, Graph, In, MB, Out, all, m2, nodes, under};

fn starts(records: &[TaskRecord]) -> Vec<f64> {
    records.iter().map(|record| record.start_s).collect()
}

#[test]
fn what_a_task_creates_exists_when_it_ends() {
    // Three children on four workers, all at the same time; creating them costs the creator nothing.
    let mut graph = Graph::new();
    let root = graph.task(10.0, &[]);
    (0..3).for_each(|_| _ = graph.child(root, 20.0, &[]));
    let mut setting = under(SchedulerKind::Fifo);
    setting.runtime.creation = Seconds::new(0.5);
    let (run, records) = setting.run(&m2(), &graph.done());
    // The master needs its half second only for the root.
    assert_eq!(starts(&records), [0.5, 1.5, 1.5, 1.5]);
    assert_eq!(run.makespan.value(), 3.5);
}

#[test]
fn a_task_waits_by_number_for_one_that_does_not_exist_yet() {
    // 0 creates 1, which writes X; 2, of the master, reads X, and is created long before 1.
    let mut graph = Graph::new();
    let x = graph.block(1.0, Some(0));
    let root = graph.task(10.0, &[]);
    graph.child(root, 10.0, &[all(x, Out, 0.0)]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    let (run, records) = under(SchedulerKind::Fifo).run(&m2(), &graph.done());
    assert_eq!(starts(&records), [0.0, 1.0, 2.0]);
    // Three workers wait for tasks that do not exist yet, or for parents, all the time: 1 of 4 is busy.
    assert_eq!((run.idle, run.idle_because(IdleReason::End)), (0.75, 0.25));
    assert_eq!(run.idle_because(IdleReason::Parents), 0.5);
}

#[test]
fn a_child_waits_for_its_parents_too() {
    // 1 takes two seconds and writes X; 0 ends after one and creates 2, which reads X.
    let mut graph = Graph::new();
    let x = graph.block(1.0, Some(0));
    let root = graph.task(10.0, &[]);
    graph.task(20.0, &[all(x, Out, 0.0)]);
    graph.child(root, 10.0, &[all(x, In, 0.0)]);
    let (_, records) = under(SchedulerKind::Fifo).run(&m2(), &graph.done());
    assert_eq!(starts(&records), [0.0, 0.0, 2.0]);
}

#[test]
fn a_taskwait_is_over_when_all_of_smaller_numbers_have_ended() {
    // 0 creates 1, and 3 after the task that waits. 3 takes long, but has a larger number.
    let mut graph = Graph::new();
    let root = graph.task(10.0, &[]);
    graph.child(root, 10.0, &[]);
    graph.after_all(10.0, &[]);
    graph.child(root, 90.0, &[]);
    let (run, records) = under(SchedulerKind::Fifo).run(&m2(), &graph.done());
    assert_eq!(starts(&records), [0.0, 1.0, 2.0, 1.0]);
    assert_eq!(run.makespan.value(), 10.0);
}

#[test]
fn the_throttle_stops_the_master_alone() {
    // Two may be alive. 0 nevertheless creates three children; the master's other tasks wait until one is left.
    let mut graph = Graph::new();
    let root = graph.task(10.0, &[]);
    for gflop in [10.0, 20.0, 30.0] {
        graph.child(root, gflop, &[]);
    }
    graph.task(50.0, &[]);
    graph.task(10.0, &[]);
    let mut setting = under(SchedulerKind::Fifo);
    setting.runtime.throttle = Some(2);
    let (_, records) = setting.run(&m2(), &graph.done());
    // At 0 the master creates 0 and 4. At 1 there are 4 and the children: four alive; at 2 three, at 3 two, at 4 one.
    assert_eq!(starts(&records), [0.0, 1.0, 1.0, 1.0, 0.0, 4.0]);
}

#[test]
fn the_master_creates_one_more_where_nothing_could_ever_run() {
    // One may be alive. 0 creates 2, which waits for 1, which the master may not create because 2 is alive.
    let mut graph = Graph::new();
    let x = graph.block(1.0, Some(0));
    let root = graph.task(10.0, &[]);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    graph.child(root, 10.0, &[all(x, In, 0.0)]);
    let mut setting = under(SchedulerKind::Fifo);
    setting.runtime.throttle = Some(1);
    setting.runtime.creation = Seconds::new(0.25);
    let (run, records) = setting.run(&m2(), &graph.done());
    // It begins when 0 has ended, at 1.25, and needs its time.
    assert_eq!(starts(&records), [0.25, 1.5, 2.5]);
    assert_eq!(run.makespan.value(), 3.5);
}

#[test]
fn children_come_in_the_order_of_their_places() {
    // One worker: dep decides in creation order, which is that of the places; fifo puts the tasks that became ready in one round by
    // number.
    let mut graph = Graph::new();
    let blocks: Vec<_> = (0..4).map(|_| graph.block(1.0, None)).collect();
    let root = graph.task(10.0, &[]);
    for (block, seq) in blocks.into_iter().zip([3, 2, 1, 0]) {
        let says = TreeTask { created_by: Some(root), seq: Some(seq), ..TreeTask::default() };
        graph.tree(10.0, &[all(block, Out, 1.0)], says);
    }
    let graph = graph.done();
    let (_, records) = under(SchedulerKind::Dep).run(&nodes(2, 2), &graph);
    let sockets: Vec<usize> = records.iter().filter_map(|record| record.socket).map(|node| node.0).collect();
    // Stride 2: the root has the first turn of socket 0, place 0 the second; places 1 and 2 are on 1, place 3 is on 0 again.
    assert_eq!(sockets, [0, 0, 1, 1, 0]);
    let (_, records) = under(SchedulerKind::Fifo).run(&nodes(1, 1), &graph);
    assert_eq!(starts(&records), [0.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_child_is_no_successor_but_stays_where_its_creator_ran_under_random_steal() {
    // Ten tasks wait in the queue of fifo; a child comes after them, also with immediate successors.
    let mut graph = Graph::new();
    let root = graph.task(10.0, &[]);
    (0..10).for_each(|_| _ = graph.task(10.0, &[]));
    graph.child(root, 10.0, &[]);
    let graph = graph.done();
    let mut setting = under(SchedulerKind::Fifo);
    setting.scheduler.immediate_successor = true;
    let (_, records) = setting.run(&nodes(1, 1), &graph);
    assert_eq!(records[11].start_s, 11.0);
    // There the newest task of the worker's queue comes first.
    let (_, records) = under(SchedulerKind::RandomSteal).run(&nodes(1, 1), &graph);
    let root_ends = records[0].end_s;
    assert_eq!((records[11].start_s, records[11].source), (root_ends, Source::Own));
}

#[test]
fn those_that_partition_refuse_trees() {
    let mut graph = Graph::new();
    let root = graph.task(10.0, &[]);
    graph.child(root, 10.0, &[]);
    let graph = graph.done();
    for scheduler in [SchedulerKind::RipDep, SchedulerKind::RipSp, SchedulerKind::RipMw] {
        let refused = under(scheduler).try_run(&m2(), &graph).err();
        assert_eq!(refused, Some(TasksError::Tree { scheduler, task: TaskId(1) }));
    }
    for scheduler in [SchedulerKind::Fifo, SchedulerKind::Dep, SchedulerKind::Heft, SchedulerKind::Tracked] {
        assert_eq!(under(scheduler).run(&m2(), &graph).0.makespan.value(), 2.0);
    }
}

#[test]
fn an_affinity_is_a_node_with_cores_and_a_hint_a_node() {
    let affine = |node| {
        let mut graph = Graph::new();
        let says = TreeTask { affinity: Some(numasim_model::NodeId(node)), ..TreeTask::default() };
        graph.tree(10.0, &[], says);
        under(SchedulerKind::Fifo).try_run(&m2(), &graph.done()).map(|(run, _)| run.remote_tasks)
    };
    // Worker 0 of node 0 takes it.
    assert_eq!((affine(0), affine(1)), (Ok(0), Ok(1)));
    assert!(matches!(affine(2), Err(TasksError::Affinity { task: TaskId(0), .. })));
    let mut graph = Graph::new();
    let x = graph.block(1.0, None);
    graph.hint(x, 2);
    let refused = under(SchedulerKind::Fifo).try_run(&m2(), &graph.done()).err();
    assert!(matches!(refused, Some(TasksError::UnknownHint { block: 0, .. })));
}

#[test]
fn blocks_are_moved_to_their_hints_before_the_first_task_is_created() {
    let mut graph = Graph::new();
    let (here, there, nowhere) = (graph.block(GB, None), graph.block(10.0 * MB, None), graph.block(MB, None));
    graph.hint(here, 0);
    graph.hint(there, 1);
    graph.task(0.0, &[all(there, In, 10.0 * MB), all(nowhere, In, MB)]);
    let graph = graph.done();
    let mut setting = under(SchedulerKind::Fifo);
    setting.placement = PagePlacement::Nadd;
    setting.runtime.creation = Seconds::new(0.5e-3);
    let (run, records) = setting.run(&m2(), &graph);
    // 10 MB by 5 GB/s are 2 ms; 2441.4 pages of 4096 B, 2442 started ones, 1 us each.
    let migration_s = 2e-3 + 2442e-6;
    assert!((run.migration.value() - migration_s).abs() < 1e-15, "{:?}", run.migration);
    assert!((records[0].start_s - migration_s - 0.5e-3).abs() < 1e-15);
    assert_eq!((run.traffic.dram_remote, run.traffic.dram_local), (10.0 * MB, MB));
    setting.placement = PagePlacement::Master;
    let (run, _) = setting.run(&m2(), &graph);
    assert_eq!((run.migration.value(), run.traffic.dram_remote), (0.0, 0.0));
}

#[test]
fn a_chain_of_a_million_creators_and_a_creator_of_a_million() {
    let count = 1_000_000;
    let mut chain = Graph::new();
    let mut last = chain.task(0.001, &[]);
    (1..count).for_each(|_| last = chain.child(last, 0.001, &[]));
    let mut setting = under(SchedulerKind::Fifo);
    setting.runtime.throttle = Some(1);
    let run = setting.run(&m2(), &chain.done()).0;
    assert!((run.makespan.value() - 100.0).abs() < 1e-3, "{:?}", run.makespan);
    let mut wide = Graph::new();
    let root = wide.task(0.001, &[]);
    (1..count).for_each(|_| _ = wide.child(root, 0.001, &[]));
    let run = setting.run(&m2(), &wide.done()).0;
    // 999,999 on four workers are 250,000 rounds.
    assert!((run.makespan.value() - 25.0001).abs() < 1e-3, "{:?}", run.makespan);
}
