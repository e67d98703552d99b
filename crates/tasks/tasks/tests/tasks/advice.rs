//! The best nodes of tasks and blocks of any graph: the predicted times are those of the simulation.

use crate::common::*;
use numasim_graph::values::{BlockHome, RuntimeSettings, SchedulerKind, TaskId, Ties};
use numasim_model::NodeId;
use numasim_tasks::{TasksError, advise};

/// Four chains of eight tasks, each on a separate block of 1 GB that it reads and writes.
fn chains() -> numasim_graph::values::TaskGraph {
    let mut graph = Graph::new();
    let blocks = [(); 4].map(|()| graph.block(1.0 * GB, None));
    for _ in 0..8 {
        for block in blocks {
            graph.task(1.0, &[all(block, Inout, 1.0 * GB)]);
        }
    }
    graph.block(1.0 * GB, None);
    graph.done()
}

fn runtime() -> RuntimeSettings {
    RuntimeSettings { ties: Ties::Random, ..under(SchedulerKind::Fifo).runtime }
}

#[test]
fn chains_stay_where_their_data_is_and_nobody_can_be_faster() {
    let graph = chains();
    let advice = advise(&m2(), &graph, &runtime(), &|| false).expect("advice");
    // Two chains on each node, 10 GB/s for each core: 8 x 0.1 s, which is also the time that all cores need for 32 GFLOP.
    near(advice.makespan.value(), 0.8);
    near(advice.bound.makespan.value(), 0.8);
    assert!(advice.before.value() > 0.8, "{}", advice.before);
    let again = under(SchedulerKind::Sa).run(&m2(), &advice.graph).0;
    near(again.makespan.value(), 0.8);
    assert_eq!(again.traffic.dram_remote, 0.0);
    // A block that no task accesses has no home.
    assert_eq!(advice.graph.blocks().last().map(|block| block.home), Some(BlockHome::Open));
    assert!(advice.graph.tasks().all(|task| advice.graph.socket(task).is_some()));
}

#[test]
fn homes_that_somebody_gives_stay() {
    let mut graph = Graph::new();
    let here = graph.block(1.0 * GB, Some(1));
    graph.task(1.0, &[all(here, In, 1.0 * GB)]);
    let advice = advise(&m2(), &graph.done(), &runtime(), &|| false).expect("advice");
    assert_eq!(advice.graph.blocks()[0].home, BlockHome::Node(NodeId(1)));
    // 0.1 s with local data, 0.2 s across the link.
    near(advice.makespan.value(), 0.1);
    assert_eq!(advice.graph.socket(TaskId(0)), Some(NodeId(1)));
}

#[test]
fn an_empty_graph_takes_no_time_and_whoever_waits_may_stop() {
    let advice = advise(&m2(), &Graph::new().done(), &runtime(), &|| false).expect("advice");
    assert_eq!((advice.makespan.value(), advice.bound.makespan.value()), (0.0, 0.0));
    let mut graph = Graph::new();
    for _ in 0..5000 {
        graph.task(1.0, &[]);
    }
    assert_eq!(advise(&m2(), &graph.done(), &runtime(), &|| true), Err(TasksError::Stopped));
}
