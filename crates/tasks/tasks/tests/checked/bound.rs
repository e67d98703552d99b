//! Lower bounds by hand, on the machine M2: 4 cores of 10 GFLOPS, 2 memories of 20 GB/s, links of 5 GB/s.

use numasim_graph::values::AccessMode::{In, Inout, Out};
use numasim_graph::values::BlockHome::{Interleaved, Node, Open};
use numasim_graph::values::{PagePlacement, TaskId};
use numasim_model::NodeId;
use numasim_model::units::Seconds;
use numasim_tasks::bound::{Limit, lower_bound};
use numasim_tasks::{Silent, reference};

use crate::common::{Asked, Tasks, m2, m2_with_caches};

fn bound(asked: &Asked) -> (f64, Limit) {
    let bound = lower_bound(&asked.question(), &asked.dependencies());
    (bound.makespan.value(), bound.because_of)
}

#[track_caller]
fn assert_bound(asked: &Asked, seconds: f64, because_of: Limit) {
    let (found, why) = bound(asked);
    assert!((found - seconds).abs() <= 1e-12 * seconds, "{found} instead of {seconds}, {why:?}");
    assert_eq!(why, because_of);
}

#[test]
fn no_tasks_take_no_time() {
    assert_eq!(bound(&Asked::free(m2(), Tasks::new().0.finish())), (0.0, Limit::Nothing));
}

#[test]
fn much_to_compute_takes_all_flop_by_all_peaks() {
    // 8 tasks of 1 GFLOP: 8 / (4 x 10) = 0.2 s; one alone 0.1 s.
    let mut tasks = Tasks::new();
    (0..8).for_each(|_| tasks.task(1.0, &[]));
    assert_bound(&Asked::free(m2(), tasks.0.finish()), 0.2, Limit::Compute);
}

#[test]
fn a_chain_takes_its_flop_by_the_largest_peak() {
    // Three tasks write the same block one after the other: 0.1 + 0.2 + 0.3 s; in total 6 GFLOP / 40 = 0.15 s.
    let mut tasks = Tasks::new();
    let x = tasks.block(1.0, Open);
    (1..=3).for_each(|gflop| tasks.task(f64::from(gflop), &[(x, Inout)]));
    assert_bound(&Asked::free(m2(), tasks.0.finish()), 0.6, Limit::Chain(TaskId(2)));
}

#[test]
fn without_caches_all_bytes_come_from_the_memories() {
    // 8 tasks move 1 GB each from blocks that may be anywhere: 8 / (2 x 20) = 0.2 s. One alone: 1 / 20 = 0.05 s. Four workers with two
    // tasks each: 0.1 s.
    let mut tasks = Tasks::new();
    for _ in 0..8 {
        let x = tasks.block(1e9, Open);
        tasks.task(0.0, &[(x, In)]);
    }
    assert_bound(&Asked::free(m2(), tasks.0.finish()), 0.2, Limit::Memories);
}

#[test]
fn bytes_with_a_home_come_from_there() {
    // 3 x 1 GB on node 1 by 20 GB/s: 0.15 s, although all memories would deliver them in 0.1 s, including the fourth.
    let mut tasks = Tasks::new();
    for home in [Node(NodeId(1)), Node(NodeId(1)), Node(NodeId(1)), Open] {
        let x = tasks.block(1e9, home);
        tasks.task(0.0, &[(x, In)]);
    }
    let asked = Asked::free(m2(), tasks.0.finish());
    assert_bound(&asked, 0.15, Limit::Memory(NodeId(1)));
    // All on node 0: 4 GB by 20 GB/s.
    assert_bound(&Asked { placement: PagePlacement::Master, ..asked }, 0.2, Limit::Memory(NodeId(0)));
}

#[test]
fn half_of_an_interleaved_block_comes_over_the_link() {
    // 1 GB: 0.5 GB over 5 GB/s.
    let mut tasks = Tasks::new();
    let x = tasks.block(1e9, Interleaved);
    tasks.task(0.0, &[(x, In)]);
    assert_bound(&Asked::free(m2(), tasks.0.finish()), 0.1, Limit::Chain(TaskId(0)));
}

#[test]
fn a_task_with_data_on_both_nodes_waits_for_the_link_wherever_it_runs() {
    // 1 GB on each node: one of them over the link, 0.2 s; the chain of two 0.4 s.
    let mut tasks = Tasks::new();
    let x = tasks.block(1e9, Node(NodeId(0)));
    let y = tasks.block(1e9, Node(NodeId(1)));
    (0..2).for_each(|_| tasks.task(0.0, &[(x, Inout), (y, Inout)]));
    assert_bound(&Asked::free(m2(), tasks.0.finish()), 0.4, Limit::Chain(TaskId(1)));
}

#[test]
fn with_a_cache_only_the_first_access_surely_comes_from_memory() {
    // X of 4 MB is written, read and read again: 4 MB by 20 GB/s = 0.2 ms, in a cache of 10 MB and of 3 MB. Without caches the chain of two
    // is 0.4 ms.
    let graph = || {
        let mut tasks = Tasks::new();
        let x = tasks.block(4e6, Open);
        tasks.task(0.0, &[(x, Out)]);
        tasks.task(0.0, &[(x, In)]);
        tasks.task(0.0, &[(x, In)]);
        tasks.0.finish()
    };
    assert_bound(&Asked::free(m2_with_caches(10.0), graph()), 0.2e-3, Limit::Chain(TaskId(0)));
    assert_bound(&Asked::free(m2_with_caches(3.0), graph()), 0.2e-3, Limit::Chain(TaskId(0)));
    assert_bound(&Asked::free(m2(), graph()), 0.4e-3, Limit::Chain(TaskId(1)));
}

#[test]
fn with_a_cache_a_block_that_many_read_comes_from_memory_once() {
    // 8 tasks read X of 400 MB on node 1, far more than the cache: two at a time may share it. 0.4 GB by 20 GB/s = 20 ms; without caches 8
    // times that.
    let graph = || {
        let mut tasks = Tasks::new();
        let x = tasks.block(400e6, Node(NodeId(1)));
        (0..8).for_each(|_| tasks.task(0.0, &[(x, In)]));
        tasks.0.finish()
    };
    assert_bound(&Asked::free(m2_with_caches(10.0), graph()), 20e-3, Limit::Memory(NodeId(1)));
    assert_bound(&Asked::free(m2(), graph()), 160e-3, Limit::Memory(NodeId(1)));
    // All four workers take a task in one instant, so that the second one of each node finds everything in the cache.
    let asked = Asked::free(m2_with_caches(10.0), graph());
    let run = reference::simulate(&asked.question(), &mut Silent).expect("an answer");
    assert!(run.traffic.llc_local > 0.0 && run.makespan.value() >= 20e-3);
}

#[test]
fn the_master_creates_one_task_after_the_other() {
    // 100 tasks x 10 us, and the last one takes 2 us. 100 x 2 us fit into 4 workers x 50 us.
    let mut tasks = Tasks::new();
    (0..100).for_each(|_| tasks.task(0.0, &[]));
    let mut asked = Asked::free(m2(), tasks.0.finish());
    asked.runtime.creation = Seconds::new(10e-6);
    asked.runtime.task = Seconds::new(2e-6);
    assert_bound(&asked, 1002e-6, Limit::Creation(TaskId(99)));
    // The workers take most of the time: 10 us, then 100 x 80 us / 4.
    asked.runtime.task = Seconds::new(80e-6);
    assert_bound(&asked, 2010e-6, Limit::Workers);
}

#[test]
fn throttle_and_taskwait_hold_the_master_up() {
    // Tasks of 0.1 s. With one alive at a time: 3 x (10 us + 0.1 s). With a taskwait before the third: 2 x 10 us + 0.1 s, then as much as one.
    let graph = |taskwait| {
        let mut tasks = Tasks::new();
        (0..2).for_each(|_| tasks.task(1.0, &[]));
        tasks.task_on(1.0, &[], None, taskwait);
        tasks.0.finish()
    };
    let mut asked = Asked::free(m2(), graph(false));
    asked.runtime.creation = Seconds::new(10e-6);
    assert_bound(&asked, 30e-6 + 0.1, Limit::Creation(TaskId(2)));
    asked.runtime.throttle = Some(1);
    assert_bound(&asked, 0.3 + 30e-6, Limit::Creation(TaskId(2)));
    // Two alive: the third is created when the first has ended.
    asked.runtime.throttle = Some(2);
    assert_bound(&asked, 0.2 + 20e-6, Limit::Creation(TaskId(2)));
    asked.graph = graph(true);
    asked.runtime.throttle = None;
    assert_bound(&asked, 0.2 + 30e-6, Limit::Creation(TaskId(2)));
}

#[test]
fn spread_work_counts_as_it_is_spread() {
    // One task: the bound is its time, for any random variation.
    let mut tasks = Tasks::new();
    let x = tasks.block(1e9, Open);
    tasks.task(0.0, &[(x, Out)]);
    let mut asked = Asked::free(m2(), tasks.0.finish());
    assert_bound(&asked, 0.05, Limit::Chain(TaskId(0)));
    asked.runtime.task_spread = 0.5;
    let run = reference::simulate(&asked.question(), &mut Silent).expect("an answer");
    let factor = run.traffic.total() / 1e9;
    assert!((factor - 1.0).abs() > 1e-3, "{factor}");
    assert_bound(&asked, 0.05 * factor, Limit::Chain(TaskId(0)));
}
