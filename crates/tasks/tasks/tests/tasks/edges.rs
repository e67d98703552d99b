//! Boundary cases of questions (section 7 of the specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::{self, Dep, Fifo, RandomSteal, Sa};
use numasim_graph::values::{TaskId, Ties};
use numasim_model::NodeId;
use numasim_tasks::{Run, TasksError};

const OURS: [SchedulerKind; 3] = [Fifo, Dep, RandomSteal];

#[test]
fn an_empty_graph_takes_no_time() {
    for kind in OURS {
        let (run, _) = under(kind).run(&m2(), &Graph::new().done());
        assert_eq!((run.makespan.value(), run.idle, run.traffic.total()), (0.0, 0.0, 0.0));
    }
}

#[test]
fn one_task_is_all_there_is() {
    for kind in OURS {
        let mut graph = Graph::new();
        graph.task(10.0, &[]);
        assert_eq!(under(kind).run(&m2(), &graph.done()).0.makespan.value(), 1.0);
    }
}

#[test]
fn a_block_that_nobody_writes_is_read_by_all_at_once() {
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    for _ in 0..4 {
        graph.task(10.0, &[all(x, In, 0.0)]);
    }
    assert_eq!(under(Fifo).run(&m2(), &graph.done()).0.makespan.value(), 1.0);
}

#[test]
fn tasks_without_work_take_no_time_however_many_wait_for_each_other() {
    // Zero bytes and zero FLOP: all within one instant.
    for kind in OURS {
        let mut graph = Graph::new();
        let x = graph.block(0.0, None);
        for _ in 0..1000 {
            graph.task(0.0, &[all(x, Inout, 0.0)]);
        }
        assert_eq!(under(kind).run(&m2(), &graph.done()).0.makespan.value(), 0.0);
    }
}

#[test]
fn so_few_bytes_that_they_cannot_be_told_from_none_count_as_none() {
    let mut graph = Graph::new();
    let x = graph.block(f64::MIN_POSITIVE, Some(0));
    graph.task(10.0, &[all(x, In, f64::MIN_POSITIVE)]);
    assert_eq!(under(Fifo).run(&m2(), &graph.done()).0.makespan.value(), 1.0);
}

#[test]
fn a_million_tasks_wait_for_one_and_one_for_a_million() {
    // 4 workers: 1 s, 250,000 s, 1 s.
    const WIDE: u32 = 1_000_000;
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    for _ in 0..WIDE {
        graph.task(10.0, &[all(x, In, 0.0)]);
    }
    graph.task(10.0, &[all(x, Out, 0.0)]);
    let (run, records) = under(Fifo).run(&m2(), &graph.done());
    assert_eq!(run.makespan.value(), f64::from(WIDE / 4 + 2));
    assert_eq!(records[WIDE as usize + 1].start_s, f64::from(WIDE / 4 + 1));
}

#[test]
fn there_may_be_more_sockets_than_tasks() {
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(10.0, &[]);
    assert_eq!(
        under(Dep).run(&nodes(8, 1), &graph.done()).0.makespan.value(),
        2.0,
        "the stride gives one socket both"
    );
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let mut graph = Graph::new();
    let blocks: Vec<_> = (0..16).map(|block| graph.block(MB * f64::from(1 + block % 3), None)).collect();
    for step in 0..400 {
        let (a, b) = (blocks[step * 7 % 16], blocks[(step * 5 + 3) % 16]);
        let accesses = if a == b { vec![all(a, Inout, MB)] } else { vec![all(a, Inout, MB), all(b, In, MB)] };
        graph.task(0.001, &accesses);
    }
    let graph = graph.done();
    for kind in OURS {
        let run = |seed| {
            let mut setting = under(kind);
            (setting.runtime.ties, setting.runtime.seed) = (Ties::Random, seed);
            setting.runtime.task_spread = 0.1;
            setting.run(&with_llc(m2(), 4.0, None), &graph)
        };
        assert_eq!(run(3), run(3), "{}", kind.as_str());
        assert_ne!(run(3).1, run(4).1, "{}", kind.as_str());
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let refused = |socket, home| -> Result<Run, TasksError> {
        let mut graph = Graph::new();
        let x = graph.block(MB, home);
        graph.add(1.0, &[all(x, In, MB)], socket, false);
        under(Sa).try_run(&m2(), &graph.done()).map(|(run, _)| run)
    };
    assert_eq!(refused(None, None), Err(TasksError::NoSocket(TaskId(0))));
    assert_eq!(refused(Some(2), None), Err(TasksError::NoCores { task: TaskId(0), node: NodeId(2) }));
    assert_eq!(refused(Some(0), Some(2)), Err(TasksError::UnknownHome { block: 0, node: NodeId(2) }));
}
