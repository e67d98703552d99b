//! Priorities of tasks: the schedulers that take urgent tasks first.

use crate::common::*;
use numasim_graph::values::{SchedulerKind, TaskGraph};

/// Tasks without data, 10 GFLOP is 1 s: two alone, and a chain of three that is created after them.
fn two_and_a_chain(priority_of_chain: f64) -> TaskGraph {
    let mut graph = Graph::new();
    let link = graph.block(0.0, None);
    for _ in 0..2 {
        graph.on(0, 10.0, &[]);
    }
    for _ in 0..3 {
        let task = graph.on(0, 10.0, &[all(link, Inout, 0.0)]);
        graph.prioritise(task, priority_of_chain);
    }
    graph.done()
}

/// On two cores the two tasks go first, then the chain: 1 + 3 s. A chain that is more urgent begins immediately: 3 s.
#[test]
fn urgent_tasks_are_taken_first() {
    use SchedulerKind::{Dep, Fifo, RipDep, RipMw, RipSp, Sa, Tracked};
    for kind in [Fifo, Sa, Dep, Tracked, RipDep, RipSp, RipMw] {
        assert!(kind.follows_priorities());
        let makespan = |priority| {
            let (run, _) = under(kind).run(&nodes(1, 2), &two_and_a_chain(priority));
            run.makespan.value() - run.partition.value()
        };
        near(makespan(0.0), 4.0);
        near(makespan(-1.0), 4.0);
        near(makespan(1.0), 3.0);
    }
}

#[test]
fn other_schedulers_do_as_without_priorities() {
    for kind in SchedulerKind::ALL {
        if kind.follows_priorities() || kind == SchedulerKind::Plan {
            continue;
        }
        let ran = |priority| under(kind).run(&nodes(1, 2), &two_and_a_chain(priority));
        assert_eq!(ran(1.0), ran(0.0), "{}", kind.as_str());
    }
}

/// A thief takes the most urgent task, not the oldest. Three tasks of 1 s on node 0 with one core, priorities 0, 1, 2: its worker takes the
/// last one, the worker of node 1 steals the second, the first one waits for node 0.
#[test]
fn a_thief_takes_the_most_urgent_task() {
    let mut graph = Graph::new();
    for priority in [0.0, 1.0, 2.0] {
        let task = graph.on(0, 10.0, &[]);
        graph.prioritise(task, priority);
    }
    let mut setting = under(SchedulerKind::Sa);
    setting.steal = true;
    assert_eq!(ran_on(&setting.run(&nodes(2, 1), &graph.done()).1), [0, 1, 0]);
}
