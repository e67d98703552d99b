//! Closed-form gains if tasks wait for memory (S-10 of the specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, Sa};
use numasim_graph::values::Ties;
use numasim_model::machine::{Machine, Node};
use numasim_model::sharing_model::{Model, Parameters};
use numasim_model::units::GigabytesPerSecond;

const TASKS: usize = 100_000;

/// Sockets of 4 cores with ample bandwidth, whose threads have 10 outstanding lines at 100 ns x `ratio(from, memory)`.
fn machine(sockets: usize, ratio: impl Fn(usize, usize) -> f64) -> Machine {
    let wide = Node { bandwidth: GigabytesPerSecond::new(1e3), ..node(4) };
    let latencies = (0..sockets * sockets).map(|pair| 100.0 * ratio(pair / sockets, pair % sockets));
    let parameters = Parameters { outstanding_lines: Some(10.0), ..Parameters::default() };
    Machine::uniform("latency", sockets, wide, GigabytesPerSecond::new(1e3))
        .expect("a machine")
        .with_latencies_ns(latencies.collect())
        .expect("latencies")
        .with_sharing(Model { parameters, ..Model::default() })
}

/// The ratio of the times of tasks of one block each: in one queue, and on the socket of their block.
fn gain(machine: &Machine, sockets: usize) -> f64 {
    let mut graph = Graph::new();
    // The same number on each socket, in an order unrelated to that of the queue.
    let mut homes: Vec<usize> = (0..TASKS).map(|task| task % sockets).collect();
    let mut number = 1_u64;
    for place in (1..TASKS).rev() {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        homes.swap(place, (number >> 33) as usize % (place + 1));
    }
    for socket in homes {
        let block = graph.block(MB, Some(socket));
        graph.on(socket, 0.0, &[all(block, In, MB)]);
    }
    let graph = graph.done();
    let time = |kind| {
        let mut setting = under(kind);
        setting.runtime.ties = Ties::Random;
        setting.run(machine, &graph).0.makespan.value()
    };
    time(Fifo) / time(Sa)
}

#[test]
fn perfect_placement_gains_the_mean_latency() {
    let far = |times: f64| move |from: usize, memory: usize| if from == memory { 1.0 } else { times };
    // Sandy Bridge: (1 + 1.68) / 2. UV100, other IRU: (1 + 3) / 2. POWER8: (1 + 1.40 + 2 x 1.95) / 4.
    let power8 = |from: usize, memory: usize| match (from == memory, from / 2 == memory / 2) {
        (true, _) => 1.0,
        (_, true) => 1.40,
        _ => 1.95,
    };
    for (gain, expected) in [
        (gain(&machine(2, far(1.68)), 2), 1.34),
        (gain(&machine(2, far(3.0)), 2), 2.0),
        (gain(&machine(4, power8), 4), 1.575),
    ] {
        assert!((gain / expected - 1.0).abs() < 0.01, "{gain} is not {expected}");
    }
}
