//! The profiling run: each setting by hand, and the whole run compared with the simulation.

use crate::common::*;
use numasim_graph::values::{Block, BlockHome, NewTask, TaskGraph, TaskGraphBuilder, TaskId, TreeTask};
use numasim_plan::profile::Setting::{self, Cache, Full, Normal, NumaFixed, NumaMovable};
use numasim_tasks::{Profiler, TasksError, profile};

#[derive(Default)]
struct Heard {
    timings: Vec<Vec<(Setting, f64)>>,
    stops: bool,
}

impl Profiler for Heard {
    fn timed(&mut self, task: TaskId, timings: &[(Setting, f64)]) {
        assert_eq!(task.0 as usize, self.timings.len(), "tasks come by number");
        self.timings.push(timings.to_vec());
    }

    fn stops(&self) -> bool {
        self.stops
    }
}

#[track_caller]
fn alike(found: &[(Setting, f64)], expected: &[(Setting, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((setting, seconds), (known, expected)) in found.iter().zip(expected) {
        assert_eq!(setting, known);
        near(*seconds, *expected);
    }
}

#[test]
fn each_setting_has_the_data_where_it_says() {
    let mut graph = Graph::new();
    let (x, y) = (graph.block(4.0 * MB, None), graph.block(12.0 * MB, Some(1)));
    graph.task(0.0, &[all(x, Inout, 4.0 * MB), all(y, In, 12.0 * MB)]);
    let mut heard = Heard::default();
    profile(&with_llc(m2(), 10.0, None), &graph.done(), &mut heard).expect("a profile");
    // 20 GB/s near, 5 GB/s over the link. X alone fits in the cache of 10 MB: only 12 MB are read then. With X near 12 of 16 MB come over
    // the link at 5 GB/s; with Y near 4 MB do, in the time in which 12 MB are read at 15 GB/s. In the whole run Y is at its home, far.
    let fixed = [2.4e-3, 0.8e-3];
    alike(
        &heard.timings[0],
        &[
            (Normal, 0.8e-3),
            (Cache(0), 0.6e-3),
            (NumaFixed(0), fixed[0]),
            (NumaFixed(1), fixed[1]),
            (NumaMovable(0), fixed[0]),
            (NumaMovable(1), fixed[1]),
            (Full, 2.4e-3),
        ],
    );
}

#[test]
fn on_one_node_far_is_near_and_without_a_cache_nothing_is_cached() {
    let mut graph = Graph::new();
    let x = graph.block(2.0 * GB, None);
    graph.task(1.0, &[all(x, In, 2.0 * GB)]);
    let mut heard = Heard::default();
    profile(&nodes(1, 2), &graph.done(), &mut heard).expect("a profile");
    // Demands 10 GFLOPS x 2 GB / 1 GFLOP = 20 GB/s: 0.1 s.
    let all_alike = [Normal, NumaFixed(0), NumaMovable(0), Full].map(|setting| (setting, 0.1));
    alike(&heard.timings[0], &all_alike);
}

/// `main` writes X (4 MB) and creates two tasks that compute on it.
fn tree() -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("tree");
    let (main, work) = (graph.kind("main"), graph.kind("work"));
    let block = Block { bytes: 4.0 * MB, home: BlockHome::Open };
    let x = graph.block(block, None).expect("a block");
    for (kind, gflop, mode, created_by) in
        [(main, 0.0, Out, None), (work, 0.01, In, Some(TaskId(0))), (work, 0.02, In, Some(TaskId(0)))]
    {
        let accesses = [all(x, mode, 4.0 * MB)];
        let task = NewTask { kind, gflop, accesses: &accesses, socket: None, taskwait: false, name: None };
        graph.tree_task(task, TreeTask { created_by, ..TreeTask::default() }).expect("a task");
    }
    graph.finish()
}

#[test]
fn in_the_whole_run_the_cache_keeps_what_the_task_before_wrote() {
    let mut heard = Heard::default();
    let machine = with_llc(m2(), 10.0, None);
    profile(&machine, &tree(), &mut heard).expect("a profile");
    let full = |task: usize| heard.timings[task].last().copied().expect("the whole run comes last");
    // 4 MB at 20 GB/s; then X is in the cache: 0.01 and 0.02 GFLOP at 10 GFLOPS.
    alike(&[full(0), full(1), full(2)], &[(Full, 0.2e-3), (Full, 1e-3), (Full, 2e-3)]);
    // Alone with cold caches the second also waits for its FLOP: 4 MB take 0.2 ms.
    alike(&heard.timings[1][..2], &[(Normal, 1e-3), (Cache(0), 1e-3)]);
}

#[test]
fn whoever_looks_on_may_stop_it() {
    let mut heard = Heard { stops: true, ..Heard::default() };
    assert_eq!(profile(&m2(), &tree(), &mut heard), Err(TasksError::Stopped));
    assert!(heard.timings.is_empty());
}
