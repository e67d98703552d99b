//! Durations of tasks (D-1 and D-2 of the specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, Sa};
use numasim_model::machine::Machine;
use numasim_model::sharing_model::{Model, ModelKind};
use numasim_model::units::{GigabytesPerSecond, Seconds};

/// One task of 1 GFLOP and 1 GB on each of `sockets`, all data on node 0: when each ends.
fn ends(machine: &Machine, sockets: &[usize]) -> Vec<f64> {
    let mut graph = Graph::new();
    for &socket in sockets {
        let block = graph.block(GB, Some(0));
        graph.on(socket, 1.0, &[all(block, In, GB)]);
    }
    let (_, records) = under(Sa).run(machine, &graph.done());
    records.iter().map(|record| record.end_s).collect()
}

#[test]
fn a_task_with_local_data_computes_at_full_speed() {
    // 1 FLOP per byte: 10 GFLOPS demand 10 of 20 GB/s: 1 GB in 0.1 s.
    near(ends(&m2(), &[0])[0], 0.1);
}

#[test]
fn a_task_with_remote_data_has_what_the_link_has() {
    // 5 GB/s: 0.2 s. Two of them have 2.5 GB/s each: 0.4 s.
    near(ends(&m2(), &[1])[0], 0.2);
    for end in ends(&m2(), &[1, 1]) {
        near(end, 0.4);
    }
}

#[test]
fn local_and_remote_tasks_share_a_controller() {
    // The link caps the remote one at 5 GB/s, the local ones share 20 - 5: 7.5 each, 0.13333 s; the remote one 0.2 s.
    for kind in [ModelKind::BaselineProportional, ModelKind::MaxMin] {
        let machine = m2().with_sharing(Model { kind, ..Model::default() });
        let ends = ends(&machine, &[0, 0, 1]);
        near(ends[0], 1.0 / 7.5);
        near(ends[1], 1.0 / 7.5);
        near(ends[2], 0.2);
    }
}

#[test]
fn rates_change_when_the_set_of_working_tasks_does() {
    // Two remote tasks at 2.5 GB/s; the first has half the bytes and ends at 0.2 s. The other one has 0.5 GB left, at 5 GB/s: 0.3 s.
    let mut graph = Graph::new();
    let (x, y) = (graph.block(GB, Some(0)), graph.block(GB, Some(0)));
    graph.on(1, 0.5, &[all(x, In, 0.5 * GB)]);
    graph.on(1, 1.0, &[all(y, In, GB)]);
    let (run, records) = under(Sa).run(&m2(), &graph.done());
    near(records[0].end_s, 0.2);
    near(records[1].end_s, 0.3);
    // Two of four workers, 0.2 + 0.3 of 4 x 0.3 worker-seconds.
    near(run.idle, 1.0 - 0.5 / 1.2);
}

#[test]
fn a_task_without_flop_wants_the_ceiling_of_its_core() {
    // 1 GB at 8 GB/s: 0.125 s.
    let one = numasim_model::machine::Node { core_bandwidth: Some(GigabytesPerSecond::new(8.0)), ..node(2) };
    let machine = Machine::uniform("8 GB/s", 2, one, GigabytesPerSecond::new(5.0)).expect("a machine");
    let mut graph = Graph::new();
    let block = graph.block(GB, Some(0));
    graph.task(0.0, &[all(block, In, GB)]);
    near(under(Fifo).run(&machine, &graph.done()).0.makespan.value(), 0.125);
}

#[test]
fn a_task_without_flop_or_ceiling_has_what_there_is_alone() {
    // Half of 1 GB on the local node, half over the link of 5 GB/s: min(20 / 0.5, 5 / 0.5) = 10 GB/s, 0.1 s.
    let mut graph = Graph::new();
    let (here, there) = (graph.block(GB, Some(0)), graph.block(GB, Some(1)));
    graph.on(0, 0.0, &[all(here, In, 0.5 * GB), all(there, In, 0.5 * GB)]);
    near(under(Sa).run(&m2(), &graph.done()).0.makespan.value(), 0.1);
}

#[test]
fn overheads_draw_nothing_and_keep_the_worker_busy() {
    // Created at 0.5, fetched until 1.5; 5 GFLOP and 1 GB are 0.5 s of compute, demands 2 GB/s: 2.0 s. One of four workers busy for 1.5
    // of 2.
    let mut setting = under(Fifo);
    setting.runtime.creation = Seconds::new(0.5);
    setting.runtime.task = Seconds::new(1.0);
    let mut graph = Graph::new();
    let block = graph.block(GB, Some(0));
    graph.task(5.0, &[all(block, In, GB)]);
    let (run, records) = setting.run(&m2(), &graph.done());
    assert_eq!(records[0].start_s, 0.5);
    near(records[0].end_s, 2.0);
    near(run.idle, 1.0 - 1.5 / 8.0);
}

#[test]
fn a_task_in_its_overhead_is_no_thread_of_the_model() {
    // Fetching takes 1 s. Both begin to work at 1 s and share the link: 1.4 s. If the second is created at 0.2 s, the first has the link
    // alone from 1.0 to 1.2 and is done then; the second works from 1.2 to 1.4.
    for (creation_s, expected) in [(0.0, [1.4, 1.4]), (0.2, [1.4, 1.6])] {
        let mut setting = under(Sa);
        setting.runtime.task = Seconds::new(1.0);
        setting.runtime.creation = Seconds::new(creation_s);
        let mut graph = Graph::new();
        for _ in 0..2 {
            let block = graph.block(GB, Some(0));
            graph.on(1, 1.0, &[all(block, In, GB)]);
        }
        let (_, records) = setting.run(&m2(), &graph.done());
        near(records[0].end_s, expected[0]);
        near(records[1].end_s, expected[1]);
    }
}

#[test]
fn the_work_of_tasks_spreads_around_what_the_graph_says() {
    // 4000 tasks one after the other: the mean of their factors is 1 within 4 sigma = 4 x 0.53 / sqrt(4000) = 3.4 %.
    let mut setting = under(Fifo);
    setting.runtime.task_spread = 0.5;
    let mut graph = Graph::new();
    let block = graph.block(0.0, None);
    for _ in 0..4000 {
        graph.task(10.0, &[all(block, Inout, 0.0)]);
    }
    let graph = graph.done();
    let run = setting.run(&m2(), &graph).0;
    let mean = run.makespan.value() / 4000.0;
    assert!((mean - 1.0).abs() < 0.034 && mean != 1.0, "{mean}");
    setting.runtime.seed = 2;
    assert_ne!(setting.run(&m2(), &graph).0.makespan, run.makespan);
}
