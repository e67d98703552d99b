//! Placement of pages of blocks.

use crate::common::*;
use numasim_graph::values::PagePlacement;
use numasim_graph::values::SchedulerKind::{Dep, Sa};
use numasim_model::machine::Machine;
use numasim_model::units::GigabytesPerSecond;
use numasim_tasks::Traffic;

/// Node 1 writes X, which has no home, and Y, which is on node 0.
fn traffic(placement: PagePlacement) -> Traffic {
    let mut graph = Graph::new();
    let (x, y) = (graph.block(4e6, None), graph.block(2e6, Some(0)));
    graph.on(1, 0.0, &[all(x, Out, 4e6), all(y, Out, 2e6)]);
    let mut setting = under(Sa);
    setting.placement = placement;
    setting.run(&m2(), &graph.done()).0.traffic
}

#[test]
fn pages_are_where_the_placement_says() {
    let split = |dram_local, dram_remote| Traffic { dram_local, dram_remote, ..Traffic::default() };
    assert_eq!(traffic(PagePlacement::FirstTouch), split(4e6, 2e6));
    assert_eq!(traffic(PagePlacement::Numa), split(4e6, 2e6));
    // Half of everything on each node; all on the node of worker 0.
    assert_eq!(traffic(PagePlacement::Interleave), split(3e6, 3e6));
    assert_eq!(traffic(PagePlacement::Master), split(0.0, 6e6));
}

#[test]
fn reading_touches_too_and_the_home_stays() {
    let mut graph = Graph::new();
    let x = graph.block(4e6, None);
    graph.on(1, 0.0, &[all(x, In, 4e6)]);
    graph.on(0, 0.0, &[all(x, Out, 4e6)]);
    let (_, records) = under(Sa).run(&m2(), &graph.done());
    assert_eq!((records[0].traffic.dram_local, records[1].traffic.dram_remote), (4e6, 4e6));
}

#[test]
fn numa_places_at_the_socket_of_the_task_also_when_another_one_runs_it() {
    // One core each; both tasks belong to socket 0, the second is stolen by node 1.
    for (placement, remote) in [(PagePlacement::Numa, 4e6), (PagePlacement::FirstTouch, 0.0)] {
        let mut graph = Graph::new();
        for _ in 0..2 {
            let block = graph.block(4e6, None);
            graph.on(0, 1.0, &[all(block, Out, 4e6)]);
        }
        let mut setting = under(Sa);
        (setting.placement, setting.steal) = (placement, true);
        let (run, records) = setting.run(&nodes(2, 1), &graph.done());
        assert_eq!((run.steals, ran_on(&records)), (1, vec![0, 1]));
        assert_eq!(run.traffic.dram_remote, remote);
    }
}

#[test]
fn interleaved_blocks_lie_also_on_nodes_without_cores() {
    let links = vec![GigabytesPerSecond::new(5.0); 9];
    let machine = Machine::new("memory only", vec![node(2), node(0), node(1)], links).expect("a machine");
    let mut graph = Graph::new();
    let x = graph.interleaved(3e6);
    graph.task(0.0, &[all(x, In, 3e6)]);
    let y = graph.block(1e6, Some(1));
    graph.task(0.0, &[all(y, In, 1e6)]);
    let (run, records) = under(Dep).run(&machine, &graph.done());
    // A third on the local node; no home decides for the second, and the round continues with socket 0.
    assert_eq!((run.traffic.dram_local, run.traffic.dram_remote), (1e6, 3e6));
    assert_eq!(sockets(&records), [0, 0]);
    assert_eq!(run.nodes.iter().map(|node| node.tasks).collect::<Vec<_>>(), [2, 0, 0]);
}
