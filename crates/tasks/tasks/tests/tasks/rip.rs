//! `rip-dep`, `rip-sp`, `rip-mw`: windows, the price of partitioning, and tasks after the first window (S-6, S-7 and S-9 of the
//! specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Dep, RipDep, RipMw, RipSp};
use numasim_graph::values::{Partitioner, SchedulerKind, TaskGraph, Ties};
use numasim_model::units::Seconds;
use numasim_tasks::{Observer, Question, TaskRecord, TasksError, simulate};

/// Windows with this number of tasks that cost nothing.
fn windows(kind: SchedulerKind, window: u32) -> Setting {
    let mut setting = under(kind);
    setting.scheduler.window = window;
    setting.scheduler.partition_ns_per_vertex_edge = Some(0.0);
    setting
}

/// Tasks that write a block of 1 MB each, then this number of tasks that change one of them each, in turn.
fn writers(first: usize, then: usize) -> TaskGraph {
    let mut graph = Graph::new();
    let blocks: Vec<_> = (0..first).map(|_| graph.block(MB, None)).collect();
    for &block in &blocks {
        graph.task(1.0, &[all(block, Out, MB)]);
    }
    for task in 0..then {
        graph.task(1.0, &[all(blocks[task % first], Inout, MB)]);
    }
    graph.done()
}

/// Sizes of windows, and when they are partitioned.
#[derive(Default)]
struct Windows(Vec<(usize, f64, f64)>);

impl Observer for Windows {
    fn ended(&mut self, _: &TaskRecord) {}

    fn partitioned(&mut self, tasks: usize, start_s: f64, end_s: f64) {
        self.0.push((tasks, start_s, end_s));
    }
}

fn partitioned(setting: &Setting, graph: &TaskGraph) -> Vec<(usize, f64, f64)> {
    let machine = m2();
    let question = Question {
        placement: setting.placement,
        steal: setting.steal,
        ..Question::new(&machine, graph, &setting.scheduler, &setting.runtime)
    };
    let mut windows = Windows::default();
    simulate(&question, &mut windows).expect("an answer");
    windows.0
}

fn sizes(setting: &Setting, graph: &TaskGraph) -> Vec<usize> {
    partitioned(setting, graph).into_iter().map(|(tasks, ..)| tasks).collect()
}

/// S-6. The window contains A, which writes Y (3 MB), and W, which writes X (1 MB): no edges, so they go to 0 and 1. P reads Y and
/// changes X: 3 MB favour 0. A reader of X: the table contains 1, where X was written first; its parent is on 0.
#[test]
fn a_reader_follows_the_first_writer_or_its_parent() {
    let mut graph = Graph::new();
    let (x, y) = (graph.block(MB, None), graph.block(3.0 * MB, None));
    graph.task(1.0, &[all(y, Out, 3.0 * MB)]);
    graph.task(1.0, &[all(x, Out, MB)]);
    graph.task(1.0, &[all(y, In, 3.0 * MB), all(x, Inout, MB)]);
    graph.task(1.0, &[all(x, In, MB)]);
    let graph = graph.done();
    assert_eq!(sockets(&windows(RipDep, 2).run(&m2(), &graph).1), [0, 1, 0, 1]);
    assert_eq!(sockets(&windows(RipSp, 2).run(&m2(), &graph).1), [0, 1, 0, 0]);
}

/// S-7.
#[test]
fn a_window_of_all_tasks_leaves_no_difference() {
    let graph = writers(16, 80);
    for ties in Ties::ALL {
        let run = |kind| {
            let mut setting = windows(kind, 96);
            setting.runtime.ties = ties;
            setting.run(&m2(), &graph)
        };
        let (dep, sp, mw) = (run(RipDep), run(RipSp), run(RipMw));
        assert_eq!(dep, mw);
        assert_eq!(dep, sp);
        // 16 independent chains: none is cut.
        assert_eq!(dep.0.cut.map(|cut| cut.edges), Some(0));
    }
}

/// S-9. 4 tasks and no edges at 1 ms each: the master partitions for 4 ms, and nothing begins before. Then it creates the others, which
/// have sockets immediately.
#[test]
fn no_task_begins_before_the_first_partition_is_finished() {
    let mut setting = windows(RipDep, 4);
    setting.scheduler.partition_ns_per_vertex_edge = Some(1e6);
    setting.runtime.creation = Seconds::new(1e-3);
    let graph = writers(4, 2);
    let (run, records) = setting.run(&m2(), &graph);
    // Created at 1, 2, 3, 4 ms; partitioned until 8 ms; created at 9 and 10 ms.
    near(run.partition.value(), 4e-3);
    assert_eq!(partitioned(&setting, &graph).len(), 1);
    for record in &records[..4] {
        near(record.start_s, 8e-3);
    }
    // The first two have one worker each, of 2 x 2; the others wait for one: 0.1 s of work.
    assert!(records[4..].iter().all(|record| record.start_s > 0.1));
    // Under `dep` the first one begins as soon as it is created.
    let mut dep = setting.clone();
    dep.scheduler.kind = Dep;
    near(dep.run(&m2(), &graph).1[0].start_s, 1e-3);
}

/// 3 tasks and 2 edges; with old dependencies the first one is also a parent of the third: 3 edges.
#[test]
fn edges_cost_as_much_as_tasks() {
    let graph = writers(1, 2);
    for (old, price_ms) in [(false, 5.0), (true, 6.0)] {
        let mut setting = windows(RipMw, 3);
        setting.scheduler.partition_ns_per_vertex_edge = Some(1e6);
        setting.scheduler.old_dependencies = old;
        near(setting.run(&m2(), &graph).0.partition.value(), price_ms * 1e-3);
    }
}

#[test]
fn tasks_that_were_ready_first_are_taken_first() {
    // One core on each node, all in one window: the sockets' queues are in the order in which tasks became ready, that of creation.
    let graph = writers(8, 0);
    let (_, records) = windows(RipDep, 8).run(&nodes(2, 1), &graph);
    assert_eq!(sockets(&records), [0, 0, 0, 0, 1, 1, 1, 1]);
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert!(starts[..4].is_sorted() && starts[4..].is_sorted() && starts[0] == starts[4], "{starts:?}");
}

#[test]
fn windows_are_complete_with_their_tasks_at_barriers_and_at_the_end() {
    // 3 + 1 tasks in the first window; later windows of `rip-mw` have 3, one of which stays from the previous window: 2 new ones each.
    let mut sliding = windows(RipMw, 3);
    sliding.scheduler.initial_extra = 1;
    sliding.scheduler.intersection = 1;
    assert_eq!(sizes(&sliding, &writers(4, 5)), [4, 3, 3, 2]);
    // Only the first one counts for the others.
    for kind in [RipDep, RipSp] {
        let mut setting = sliding.clone();
        setting.scheduler.kind = kind;
        assert_eq!(sizes(&setting, &writers(4, 5)), [4]);
    }
    assert_eq!(sizes(&windows(RipDep, 100), &writers(4, 5)), [9]);
    let mut graph = Graph::new();
    graph.task(1.0, &[]);
    graph.task(1.0, &[]);
    graph.after_all(1.0, &[]);
    let graph = graph.done();
    assert_eq!(sizes(&windows(RipDep, 100), &graph), [2]);
    assert_eq!(sizes(&windows(RipMw, 100), &graph), [2, 1]);
    assert_eq!(sizes(&windows(RipMw, 100), &Graph::new().done()), Vec::<usize>::new());
    // A barrier before anything was created completes nothing.
    let mut graph = Graph::new();
    graph.after_all(1.0, &[]);
    graph.task(1.0, &[]);
    assert_eq!(sizes(&windows(RipDep, 100), &graph.done()), [2]);
}

#[test]
fn a_master_that_may_create_no_more_partitions_what_there_is() {
    for kind in [RipDep, RipSp, RipMw] {
        let mut setting = windows(kind, 100);
        setting.runtime.throttle = Some(3);
        let (run, _) = setting.run(&m2(), &writers(4, 5));
        assert!(run.makespan.value() > 0.0);
        assert_eq!(sizes(&setting, &writers(4, 5))[0], 3);
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    let mut setting = windows(RipMw, 4);
    setting.scheduler.intersection = 4;
    let error = setting.try_run(&m2(), &writers(4, 0)).expect_err("no new task in any window");
    assert_eq!(error, TasksError::Intersection { scheduler: RipMw, intersection: 4, window: 4 });
    // It has no effect on the others.
    setting.scheduler.kind = RipDep;
    setting.run(&m2(), &writers(4, 0));
}

#[cfg(not(feature = "metis"))]
#[test]
fn a_partitioner_that_is_not_built_in_is_refused() {
    let mut setting = windows(RipDep, 4);
    setting.scheduler.partitioner = Partitioner::Metis;
    let error = setting.try_run(&m2(), &writers(4, 0)).expect_err("no METIS");
    assert!(error.to_string().contains("--features metis"), "{error}");
}

#[cfg(feature = "metis")]
#[test]
fn metis_keeps_chains_together_too() {
    let mut setting = windows(RipDep, 96);
    setting.scheduler.partitioner = Partitioner::Metis;
    let (run, _) = setting.run(&m2(), &writers(16, 80));
    assert_eq!(run.cut.map(|cut| cut.edges), Some(0));
}
