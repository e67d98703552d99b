//! The slow simulation by hand, on the machine M2: 2 nodes x 2 cores of 10 GFLOPS, 20 GB/s, links of 5 GB/s, max-min.

use numasim_graph::values::AccessMode::{In, Inout, Out};
use numasim_graph::values::BlockHome::{Interleaved, Node, Open};
use numasim_graph::values::{BlockHome, PagePlacement, SchedulerKind, TaskGraph};
use numasim_model::NodeId;
use numasim_model::machine::LastLevelCache;
use numasim_model::units::{GigabytesPerSecond, Megabytes, Seconds};
use numasim_tasks::{Run, TaskRecord, TasksError, Traffic, reference};

use crate::common::{Asked, Records, Tasks, m2, m2_with_caches};

fn answer(asked: &Asked) -> (Run, Vec<TaskRecord>) {
    let mut records = Records::default();
    let run = reference::simulate(&asked.question(), &mut records).expect("an answer");
    (run, records.by_task())
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} instead of {expected}");
}

#[track_caller]
fn assert_makespan(asked: &Asked, seconds: f64) {
    assert_near(answer(asked).0.makespan.value(), seconds);
}

/// A task of 1 GFLOP on 1 GB at each home, annotated with a socket.
fn readers(homes: &[(usize, usize)]) -> Asked {
    let mut tasks = Tasks::new();
    for &(socket, home) in homes {
        let x = tasks.block(1e9, Node(NodeId(home)));
        tasks.task_on(1.0, &[(x, In)], Some(socket), false);
    }
    let mut asked = Asked::free(m2(), tasks.0.finish());
    asked.scheduler.kind = SchedulerKind::Sa;
    asked
}

#[test]
fn an_empty_graph_takes_no_time() {
    let (run, _) = answer(&Asked::free(m2(), TaskGraph::default()));
    assert_eq!((run.makespan.value(), run.idle, run.steals), (0.0, 0.0, 0));
}

/// Test D-1 of the specification.
#[test]
fn a_task_is_as_fast_as_its_memory_and_its_link() {
    // Local it demands 10 GB/s and gets them; over a link of 5 GB/s it takes twice as long, two of them four times.
    assert_makespan(&readers(&[(0, 0)]), 0.1);
    assert_makespan(&readers(&[(0, 1)]), 0.2);
    assert_makespan(&readers(&[(0, 1), (0, 1)]), 0.4);
    // One remote at 5 GB/s, two local ones share 15 GB/s: 1 / 7.5 s. Then the remote one is alone: it had 5 GB/s all the time.
    let (run, records) = answer(&readers(&[(0, 1), (1, 1), (1, 1)]));
    assert_near(run.makespan.value(), 0.2);
    assert_near(records[1].end_s, 1.0 / 7.5);
    assert_near(records[2].end_s, 1.0 / 7.5);
    assert_eq!(run.traffic, Traffic { dram_local: 2e9, dram_remote: 1e9, ..Traffic::default() });
    // 0.2 + 2 x 0.1333 of 4 x 0.2 s.
    assert_near(run.idle, 1.0 - (0.2 + 2.0 / 7.5) / 0.8);
}

/// Test D-2: without FLOP a task demands the bandwidth of its core.
#[test]
fn a_task_without_flop_reads_as_fast_as_its_core_or_what_it_gets_alone() {
    let mut tasks = Tasks::new();
    let x = tasks.block(1e9, Open);
    tasks.task(0.0, &[(x, In)]);
    let graph = tasks.0.finish();
    let mut nodes = m2().nodes().to_vec();
    for node in &mut nodes {
        node.core_bandwidth = Some(GigabytesPerSecond::new(8.0));
    }
    let limited = m2().retuned(nodes, vec![GigabytesPerSecond::new(5.0); 4]).expect("a machine");
    assert_makespan(&Asked::free(limited, graph.clone()), 0.125);
    assert_makespan(&Asked::free(m2(), graph), 0.05);
}

/// Test D-3, with the correction that the writer's bytes count.
#[test]
fn what_a_cache_has_comes_from_there() {
    let run = |mb: f64, bytes: f64, reader: usize| {
        let mut tasks = Tasks::new();
        let x = tasks.block(bytes, Open);
        tasks.task_on(0.0, &[(x, Out)], Some(0), false);
        tasks.task_on(0.0, &[(x, In)], Some(reader), false);
        let mut asked = Asked::free(m2_with_caches(mb), tasks.0.finish());
        asked.scheduler.kind = SchedulerKind::Sa;
        answer(&asked).0
    };
    let written = Traffic { dram_local: 4e6, ..Traffic::default() };
    let own = run(10.0, 4e6, 0);
    assert_eq!(own.traffic, Traffic { llc_local: 4e6, ..written });
    assert_near(own.makespan.value(), 0.2e-3);
    // The other one: 4 MB over a link of 5 GB/s after 0.2 ms.
    let other = run(10.0, 4e6, 1);
    assert_eq!(other.traffic, Traffic { llc_remote: 4e6, ..written });
    assert_near(other.makespan.value(), 1e-3);
    // 12 MB are 1.2 times the cache: 0.3 of them are there.
    let large = run(10.0, 12e6, 0).traffic;
    assert_near(large.llc_local, 3.6e6);
    assert_near(large.dram_local, 20.4e6);
}

#[test]
fn a_write_takes_bytes_out_of_other_caches_and_distance_does_out_of_the_own() {
    // Caches of 8 MB. On node 0: write X (6 MB), write Y (6 MB); on node 1: read X, write X; on node 0: read X, read Y.
    let mut tasks = Tasks::new();
    let x = tasks.block(6e6, Open);
    let y = tasks.block(6e6, Open);
    let z = tasks.block(0.0, Open);
    for (socket, block, mode) in [(0, x, Out), (0, y, Out), (1, x, In), (1, x, Inout), (0, x, In), (0, y, In)]
    {
        // All wait for each other through z.
        tasks.task_on(0.0, &[(block, mode), (z, Inout)], Some(socket), false);
    }
    let mut asked = Asked::free(m2_with_caches(8.0), tasks.0.finish());
    asked.scheduler.kind = SchedulerKind::Sa;
    let (_, records) = answer(&asked);
    let mb = |record: &TaskRecord| {
        let Traffic { llc_local, llc_remote, dram_local, dram_remote } = record.traffic;
        [llc_local, llc_remote, dram_local, dram_remote].map(|bytes| bytes / 1e6)
    };
    let expected = [
        [0.0, 0.0, 6.0, 0.0],
        [0.0, 0.0, 6.0, 0.0],
        // Node 0 has touched 12 MB since it wrote X, one and a half caches: nothing of it is left.
        [0.0, 0.0, 0.0, 6.0],
        // A distance of 6, three quarters of the cache: three quarters hit. That adds 4.5.
        [4.5, 0.0, 0.0, 1.5],
        // Node 1 has written the whole block since. There the distance is 4.5, 9/16: 15/16 of it.
        [0.0, 6.0 * 15.0 / 16.0, 6.0 / 16.0, 0.0],
        // Y on node 0: 6 MB of Y and 6 of X since.
        [0.0, 0.0, 6.0, 0.0],
    ];
    for (record, expected) in records.iter().zip(expected) {
        for (found, expected) in mb(record).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected} MB in {record:?}");
        }
    }
}

#[test]
fn a_cache_may_have_a_bandwidth_for_each_core() {
    // X of 4 MB is written, then read with 1 MFLOP: 4 MB by 2 GB/s = 2 ms, more than 0.1 ms.
    let cache =
        LastLevelCache { size: Megabytes::new(10.0), core_bandwidth: Some(GigabytesPerSecond::new(2.0)) };
    let machine = m2().with_caches(vec![Some(cache); 2]).expect("caches");
    let mut tasks = Tasks::new();
    let x = tasks.block(4e6, Open);
    let y = tasks.block(1e6, Open);
    tasks.task(0.0, &[(x, Out)]);
    tasks.task(1e-3, &[(x, In)]);
    assert_makespan(&Asked::free(machine.clone(), tasks.0.graph().clone()), 0.2e-3 + 2e-3);
    // With 1 MB from memory it demands 2 GB/s x 1 / 4: the same 2 ms for all 5 MB; 0.1 ms of FLOP are less.
    tasks.task(1e-3, &[(x, In), (y, In)]);
    let graph = tasks.0.finish();
    let (run, records) = answer(&Asked::free(machine, graph));
    assert_near(records[2].end_s - records[2].start_s, 2e-3);
    assert_near(run.traffic.llc_local, 8e6);
}

#[test]
fn overheads_are_waited_for_and_the_master_creates_in_turn() {
    // Created after 1 and 2 us; overhead 3 us; work 0.1 s each, on separate workers.
    let mut tasks = Tasks::new();
    (0..2).for_each(|_| tasks.task(1.0, &[]));
    let mut asked = Asked::free(m2(), tasks.0.finish());
    asked.runtime.creation = Seconds::new(1e-6);
    asked.runtime.task = Seconds::new(3e-6);
    let (run, records) = answer(&asked);
    assert_near(records[1].start_s, 2e-6);
    assert_near(run.makespan.value(), 0.1 + 5e-6);
    // With one alive at a time the second is created after the first.
    asked.runtime.throttle = Some(1);
    assert_makespan(&asked, 0.2 + 8e-6);
}

#[test]
fn the_master_waits_where_it_is_told_to() {
    let mut tasks = Tasks::new();
    tasks.task_on(1.0, &[], None, true);
    tasks.task(2.0, &[]);
    tasks.task_on(1.0, &[], None, true);
    tasks.task(1.0, &[]);
    let (run, records) = answer(&Asked::free(m2(), tasks.0.finish()));
    assert_eq!(records.iter().map(|record| record.start_s).collect::<Vec<_>>(), [0.0, 0.0, 0.2, 0.2]);
    assert_near(run.makespan.value(), 0.3);
}

#[test]
fn pages_lie_where_the_placement_says() {
    let run = |placement, home: BlockHome, socket| {
        let mut tasks = Tasks::new();
        let x = tasks.block(8e6, home);
        tasks.task_on(0.0, &[(x, In)], Some(socket), false);
        let mut asked = Asked::free(m2(), tasks.0.finish());
        (asked.placement, asked.scheduler.kind) = (placement, SchedulerKind::Sa);
        let traffic = answer(&asked).0.traffic;
        (traffic.dram_local, traffic.dram_remote)
    };
    let (near, far, half) = ((8e6, 0.0), (0.0, 8e6), (4e6, 4e6));
    assert_eq!(run(PagePlacement::FirstTouch, Open, 1), near);
    assert_eq!(run(PagePlacement::FirstTouch, Node(NodeId(0)), 1), far);
    assert_eq!(run(PagePlacement::FirstTouch, Interleaved, 1), half);
    assert_eq!(run(PagePlacement::Interleave, Node(NodeId(1)), 1), half);
    assert_eq!(run(PagePlacement::Master, Node(NodeId(1)), 1), far);
    assert_eq!(run(PagePlacement::Numa, Open, 1), near);
}

/// With the placement `numa` a stolen task's new block is on the node where the task should have run.
#[test]
fn idle_workers_steal_the_oldest_task_and_pay_for_it() {
    let mut tasks = Tasks::new();
    for _ in 0..3 {
        let x = tasks.block(1e6, Open);
        tasks.task_on(1.0, &[(x, Out)], Some(0), false);
    }
    let mut asked = Asked::free(m2(), tasks.0.finish());
    (asked.scheduler.kind, asked.placement) = (SchedulerKind::Sa, PagePlacement::Numa);
    assert_makespan(&asked, 0.2);
    asked.steal = true;
    asked.runtime.steal = Seconds::new(1e-3);
    let (run, records) = answer(&asked);
    assert_eq!((run.steals, records[2].worker, records[2].stolen()), (1, 2, true));
    assert_near(run.makespan.value(), 0.101);
    assert_eq!(records[2].traffic.dram_remote, 1e6);
    assert_eq!(run.cut.expect("sockets").edges, 0);
}

/// Tests S-1 and S-2 of the specification.
#[test]
fn dep_goes_by_the_bytes_that_were_written_and_takes_turns_where_it_knows_nothing() {
    let sockets = |asked: &Asked| -> Vec<usize> {
        answer(asked).1.iter().map(|record| record.socket.expect("a socket").0).collect()
    };
    let mut tasks = Tasks::new();
    for _ in 0..8 {
        let x = tasks.block(1e6, Open);
        tasks.task(0.0, &[(x, Out)]);
    }
    let mut asked = Asked::free(m2(), tasks.0.finish());
    asked.scheduler.kind = SchedulerKind::Dep;
    assert_eq!(sockets(&asked), [0, 0, 1, 1, 0, 0, 1, 1]);
    // X of 3 MB on 1, Y of 2 MB on 0, and Z new: if Z is larger than X it is the turn of socket 0, otherwise X wins, also if both are
    // equal.
    for (mb, expected) in [(4.0, 0), (2.5, 1), (3.0, 1)] {
        let mut tasks = Tasks::new();
        let x = tasks.block(3e6, Node(NodeId(1)));
        let y = tasks.block(2e6, Node(NodeId(0)));
        let z = tasks.block(mb * 1e6, Open);
        tasks.task(0.0, &[(x, In), (y, In), (z, Out)]);
        let mut asked = Asked::free(m2(), tasks.0.finish());
        asked.scheduler.kind = SchedulerKind::Dep;
        assert_eq!(sockets(&asked), [expected], "{mb}");
    }
}

#[test]
fn a_worker_goes_on_with_the_task_that_its_last_one_made_ready() {
    // Ten tasks wait; the first one's successor is created last. In the queue it comes at the end; with the option immediately.
    let mut tasks = Tasks::new();
    let x = tasks.block(1.0, Open);
    tasks.task(1.0, &[(x, Out)]);
    (0..10).for_each(|_| tasks.task(1.0, &[]));
    tasks.task(1.0, &[(x, In)]);
    let mut asked = Asked::free(m2(), tasks.0.finish());
    // Four at a time: 12 tasks in 3 rounds; the last task is in the third.
    assert_near(answer(&asked).1[11].start_s, 0.2);
    asked.scheduler.immediate_successor = true;
    let (_, records) = answer(&asked);
    assert_near(records[11].start_s, 0.1);
    assert_eq!(records[11].worker, records[0].worker);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let mut tasks = Tasks::new();
    let x = tasks.block(1.0, Node(NodeId(7)));
    tasks.task(1.0, &[(x, In)]);
    let mut asked = Asked::free(m2(), tasks.0.finish());
    let refused = |asked: &Asked| reference::simulate(&asked.question(), &mut Records::default()).err();
    assert_eq!(refused(&asked), Some(TasksError::UnknownHome { block: 0, node: NodeId(7) }));
    asked.graph = TaskGraph::default();
    assert_eq!(refused(&asked), None);
    let mut tasks = Tasks::new();
    tasks.task(1.0, &[]);
    asked.graph = tasks.0.finish();
    asked.scheduler.kind = SchedulerKind::Sa;
    assert!(matches!(refused(&asked), Some(TasksError::NoSocket(_))));
}
