//! Idle workers take tasks from the queues of others.

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Fifo, RandomSteal, Sa};
use numasim_graph::values::Ties;
use numasim_model::units::Seconds;

#[test]
fn the_oldest_task_of_the_nearest_socket_is_stolen() {
    // One core on each of three sockets; 0 and 1 have queues of 3. Socket 2 is nearer to 1, and steals 4, the second of its queue: the
    // worker of socket 1 takes 3. Without distances it steals from 0.
    let distances = vec![10.0, 20.0, 30.0, 20.0, 10.0, 15.0, 30.0, 15.0, 10.0];
    let near = nodes(3, 1).with_distances(distances).expect("distances");
    for (machine, stolen) in [(near, 4), (nodes(3, 1), 1)] {
        let mut graph = Graph::new();
        for socket in [0, 0, 0, 1, 1, 1] {
            graph.on(socket, 10.0, &[]);
        }
        let mut setting = under(Sa);
        setting.steal = true;
        setting.runtime.steal = Seconds::new(0.25);
        let (run, records) = setting.run(&machine, &graph.done());
        assert_eq!((records[stolen].node.0, records[stolen].start_s), (2, 0.0));
        // It costs 0.25 s more. At 1 s the workers of the two sockets take their next tasks, and at 1.25 s the last is stolen: 1.25 +
        // 0.25 + 1.
        assert_eq!((records[stolen].end_s, run.steals, run.makespan.value()), (1.25, 2, 2.5));
    }
}

#[test]
fn own_tasks_come_before_stealing() {
    // Worker 0 of socket 0 is asked first, but does not steal before the others have checked their queues.
    let mut graph = Graph::new();
    graph.on(1, 10.0, &[]);
    let mut setting = under(Sa);
    setting.steal = true;
    let (run, records) = setting.run(&nodes(2, 1), &graph.done());
    assert_eq!((run.steals, ran_on(&records)), (0, vec![1]));
}

#[test]
fn nothing_is_stolen_on_one_node_or_under_fifo() {
    for (kind, sockets) in [(Sa, 1), (Fifo, 2)] {
        let mut graph = Graph::new();
        for _ in 0..9 {
            graph.on(0, 10.0, &[]);
        }
        let mut setting = under(kind);
        setting.steal = true;
        assert_eq!(setting.run(&nodes(sockets, 2), &graph.done()).0.steals, 0);
    }
}

#[test]
fn random_steal_keeps_children_with_their_worker_until_somebody_is_idle() {
    // The master gives 0 to worker 0. Its two children go to worker 0's queue: it runs the newest, 2, and the only other worker steals 1.
    let mut graph = Graph::new();
    let x = graph.block(0.0, None);
    graph.task(10.0, &[all(x, Out, 0.0)]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    graph.task(10.0, &[all(x, In, 0.0)]);
    let (run, records) = under(RandomSteal).run(&nodes(2, 1), &graph.done());
    assert_eq!((run.steals, ran_on(&records), run.makespan.value()), (1, vec![0, 1, 0], 2.0));
    assert!(run.cut.is_none());
}

#[test]
fn random_steal_draws_victims_by_the_seed() {
    let mut graph = Graph::new();
    for task in 0..40 {
        graph.task(f64::from(1 + task % 7), &[]);
    }
    let graph = graph.done();
    let mut setting = under(RandomSteal);
    setting.runtime.ties = Ties::Random;
    let of_seed = |seed| {
        let mut setting = setting.clone();
        setting.runtime.seed = seed;
        setting.run(&nodes(4, 2), &graph)
    };
    assert_eq!(of_seed(5), of_seed(5));
    assert!((1..20).any(|seed| of_seed(seed).1 != of_seed(0).1));
}
