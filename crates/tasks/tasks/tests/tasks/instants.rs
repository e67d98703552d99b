//! The master, and the order of one instant.

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, Sa};
use numasim_model::units::Seconds;

#[test]
fn the_master_creates_one_task_after_the_other() {
    // Created at 1, 2, 3 s; each computes for 10 s on a separate core.
    let mut setting = under(Fifo);
    setting.runtime.creation = Seconds::new(1.0);
    let mut graph = Graph::new();
    for _ in 0..3 {
        graph.task(100.0, &[]);
    }
    let (_, records) = setting.run(&m2(), &graph.done());
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert_eq!(starts, [1.0, 2.0, 3.0]);
}

#[test]
fn a_throttle_stops_the_master_until_a_task_ends() {
    // Two alive at most: at 1 and 2 s; the third begins when the first ends at 11 s, and is created at 12 s.
    let mut setting = under(Fifo);
    setting.runtime.creation = Seconds::new(1.0);
    setting.runtime.throttle = Some(2);
    let mut graph = Graph::new();
    for _ in 0..3 {
        graph.task(100.0, &[]);
    }
    let (_, records) = setting.run(&m2(), &graph.done());
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert_eq!(starts, [1.0, 2.0, 12.0]);
}

#[test]
fn a_taskwait_stops_the_master_until_all_tasks_have_ended() {
    // 1 s and 3 s; the third waits for both, and the fourth is created just after it.
    let mut graph = Graph::new();
    graph.task(10.0, &[]);
    graph.task(30.0, &[]);
    graph.after_all(10.0, &[]);
    graph.task(10.0, &[]);
    let (run, records) = under(Fifo).run(&m2(), &graph.done());
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert_eq!(starts, [0.0, 0.0, 3.0, 3.0]);
    assert_eq!(run.makespan.value(), 4.0);
}

#[test]
fn a_taskwait_at_the_beginning_and_at_the_end_is_one() {
    let mut graph = Graph::new();
    graph.after_all(10.0, &[]);
    graph.task(10.0, &[]);
    graph.after_all(10.0, &[]);
    assert_eq!(under(Fifo).run(&m2(), &graph.done()).0.makespan.value(), 2.0);
}

#[test]
fn tasks_are_taken_in_the_order_in_which_they_became_ready() {
    // One core. 0 takes 1 s, and 2 waits for it; 1 is ready from the beginning: 0, 1, 2. 3 is ready before 2 and comes before it.
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    graph.task(10.0, &[]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    graph.task(10.0, &[]);
    let (_, records) = under(Fifo).run(&nodes(1, 1), &graph.done());
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert_eq!(starts, [0.0, 1.0, 3.0, 2.0]);
}

#[test]
fn a_worker_runs_the_lowest_task_that_waited_for_its_last_one_alone() {
    // The same with the option: after 0 its worker runs 2 immediately; 1 and 3 wait.
    let mut setting = under(Fifo);
    setting.scheduler.immediate_successor = true;
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    graph.task(10.0, &[]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    let (_, records) = setting.run(&nodes(1, 1), &graph.done());
    let starts: Vec<f64> = records.iter().map(|record| record.start_s).collect();
    assert_eq!(starts, [0.0, 2.0, 1.0, 3.0]);
}

#[test]
fn ends_of_one_instant_come_together() {
    // 0 and 1 end at 1 s except for rounding (0.1 + 0.2 GB and 0.3 GB at 0.3 GB/s in sum). 2, which waits for both, and 3, which waits
    // for 1, are ready in that instant: 2 before 3 in the queue of the only worker of node 1.
    let mut graph = Graph::new();
    let (x, y) = (graph.block(0.0, None), graph.block(0.0, None));
    graph.on(0, 10.0 * (1.0 + 2e-10), &[all(x, Out, 0.0)]);
    graph.on(0, 10.0, &[all(y, Out, 0.0)]);
    graph.on(1, 10.0, &[all(x, In, 0.0), all(y, In, 0.0)]);
    graph.on(1, 10.0, &[all(y, In, 0.0)]);
    let two = numasim_model::Machine::new(
        "2 + 1",
        vec![node(2), node(1)],
        vec![numasim_model::units::GigabytesPerSecond::new(5.0); 4],
    );
    let (_, records) = under(Sa).run(&two.expect("a machine"), &graph.done());
    assert_eq!((records[2].start_s, records[3].start_s), (1.0, 2.0));
}

#[test]
fn many_creations_within_one_instant_take_as_long_as_they_do() {
    // After a task of 1e6 s an instant is 1 ms. Then 10,000 tasks of 1 us creation each: 10 ms.
    let mut setting = under(Fifo);
    setting.runtime.creation = Seconds::new(1e-6);
    let mut graph = Graph::new();
    graph.task(1e7, &[]);
    graph.after_all(0.0, &[]);
    for _ in 1..10_000 {
        graph.task(0.0, &[]);
    }
    let (run, _) = setting.run(&nodes(1, 1), &graph.done());
    let after = run.makespan.value() - 1e6;
    assert!((after - 0.01).abs() < 1.1e-3, "{after}");
}
