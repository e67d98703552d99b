//! `heft` and `tracked`: schedulers with the information of other runtimes.

use crate::common::*;
use numasim_graph::values::PagePlacement;
use numasim_graph::values::SchedulerKind::{Dep, Fifo, Heft, Tracked};
use numasim_model::units::Seconds;

/// Three readers of Y, one after the other; no task writes Y. The table of `dep` never contains it: 0, 1, 0 with stride 1. In reality it
/// is on node 0 since the first one touched it.
#[test]
fn tracked_knows_where_pages_are() {
    let mut graph = Graph::new();
    let y = graph.block(MB, None);
    for _ in 0..3 {
        graph.after_all(1.0, &[all(y, In, MB)]);
    }
    let graph = graph.done();
    for (kind, expected) in [(Dep, [0, 1, 0]), (Tracked, [0, 0, 0])] {
        let mut setting = under(kind);
        setting.scheduler.stride = 1;
        assert_eq!(sockets(&setting.run(&m2(), &graph).1), expected, "{}", kind.as_str());
    }
}

/// The file sets homes on node 1; with `master` all pages are on node 0 in spite of that.
#[test]
fn tracked_goes_by_the_pages_and_not_by_the_file() {
    let mut graph = Graph::new();
    let x = graph.block(MB, Some(1));
    graph.task(1.0, &[all(x, Inout, MB)]);
    let graph = graph.done();
    let mut setting = under(Tracked);
    assert_eq!(sockets(&setting.run(&m2(), &graph).1), [1]);
    setting.placement = PagePlacement::Master;
    assert_eq!(sockets(&setting.run(&m2(), &graph).1), [0]);
}

/// Tasks without data, 10 GFLOP is 1 s: two alone, and a chain of three that is created after them. On two cores `fifo` takes the two
/// first: 1 + 3 s. The chain is the longest way to the end: 3 s.
#[test]
fn heft_takes_the_longest_way_first() {
    let mut graph = Graph::new();
    let link = graph.block(0.0, None);
    graph.task(10.0, &[]);
    graph.task(10.0, &[]);
    for _ in 0..3 {
        graph.task(10.0, &[all(link, Inout, 0.0)]);
    }
    let graph = graph.done();
    near(under(Fifo).run(&nodes(1, 2), &graph).0.makespan.value(), 4.0);
    near(under(Heft).run(&nodes(1, 2), &graph).0.makespan.value(), 3.0);
}

/// A block of 1 GB on node 1 and one core on each node. A task with 1 GFLOP on it takes 0.1 s there and 0.2 s elsewhere (link 5 GB/s).
/// The first two run there; the third would end there after 0.3 s, elsewhere after 0.2.
#[test]
fn heft_weighs_waiting_against_distance() {
    let ran = |tasks: usize| {
        let mut graph = Graph::new();
        let x = graph.block(GB, Some(1));
        for _ in 0..tasks {
            graph.task(1.0, &[all(x, In, GB)]);
        }
        let (run, records) = under(Heft).run(&nodes(2, 1), &graph.done());
        (run.makespan.value(), sockets(&records).iter().sum::<usize>())
    };
    assert_eq!(ran(1), (0.1, 1));
    let (makespan_s, on_node_1) = ran(3);
    near(makespan_s, 0.2);
    assert_eq!(on_node_1, 2);
}

/// For a writer and a reader that is equally fast on any node, the data decides: both on the node that the first one touches.
#[test]
fn heft_keeps_readers_where_the_plan_writes() {
    let mut graph = Graph::new();
    let x = graph.block(GB, None);
    graph.task(1.0, &[all(x, Out, GB)]);
    graph.task(1.0, &[all(x, In, GB)]);
    let (run, records) = under(Heft).run(&m2(), &graph.done());
    assert_eq!(sockets(&records), [0, 0]);
    near(run.makespan.value(), 0.2);
}

/// Creating a task takes the master 1 s. It creates one, which takes 0.1 s and creates four of 1 s when it ends: all four exist at 1.1 s,
/// one for each core. If they counted as tasks of the master, one a second, one core would be enough for all of them.
#[test]
fn heft_knows_that_children_are_there_when_their_creator_ends() {
    let mut graph = Graph::new();
    let root = graph.task(1.0, &[]);
    for _ in 0..4 {
        graph.child(root, 10.0, &[]);
    }
    let mut setting = under(Heft);
    setting.runtime.creation = Seconds::new(1.0);
    let (run, records) = setting.run(&m2(), &graph.done());
    near(run.makespan.value(), 2.1);
    assert_eq!(sockets(&records).iter().filter(|&&socket| socket == 1).count(), 2);
}
