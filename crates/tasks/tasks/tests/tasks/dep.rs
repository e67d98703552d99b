//! `dep`: the sockets of tasks (S-1, S-2 and S-6 of the specification).

use crate::common::*;
use numasim_graph::values::SchedulerKind::Dep;

#[test]
fn tasks_without_data_go_round_by_twos() {
    let mut graph = Graph::new();
    for _ in 0..8 {
        let block = graph.block(MB, None);
        graph.task(1.0, &[all(block, Out, MB)]);
    }
    let (_, records) = under(Dep).run(&m2(), &graph.done());
    assert_eq!(sockets(&records), [0, 0, 1, 1, 0, 0, 1, 1]);
}

#[test]
fn what_is_not_allocated_wins_only_where_it_is_the_most() {
    // X of 3 MB on socket 0, Y of 2 MB on socket 1, and each of three tasks writes a new Z. Of 4 MB: 4 / 3 / 2, the round robin, two on 0 and
    // the next on 1. Of 2.5 MB: socket 0. Of 3 MB: a tie, which the socket wins.
    for (z, expected) in [(4.0, vec![0, 0, 1]), (2.5, vec![0, 0, 0]), (3.0, vec![0, 0, 0])] {
        let mut graph = Graph::new();
        let (x, y) = (graph.block(3.0 * MB, Some(0)), graph.block(2.0 * MB, Some(1)));
        for _ in 0..3 {
            let z_block = graph.block(z * MB, None);
            let accesses = [all(x, In, 3.0 * MB), all(y, In, 2.0 * MB), all(z_block, Out, z * MB)];
            graph.task(1.0, &accesses);
        }
        let (_, records) = under(Dep).run(&m2(), &graph.done());
        assert_eq!(sockets(&records), expected, "Z = {z} MB");
    }
}

#[test]
fn a_block_stays_where_it_was_written_first() {
    // X is first written on socket 1 (Y, of 2 MB there, decides). P writes it on socket 0, because Z of 3 MB is there. A reader of X goes
    // to 1.
    let mut graph = Graph::new();
    let (y, z) = (graph.block(2.0 * MB, Some(1)), graph.block(3.0 * MB, Some(0)));
    let x = graph.block(MB, None);
    graph.task(1.0, &[all(y, In, 2.0 * MB), all(x, Out, MB)]);
    graph.task(1.0, &[all(z, In, 3.0 * MB), all(x, Inout, MB)]);
    graph.task(1.0, &[all(x, In, MB)]);
    let (_, records) = under(Dep).run(&m2(), &graph.done());
    assert_eq!(sockets(&records), [1, 0, 1]);
}

#[test]
fn equal_sockets_are_drawn_or_the_lowest() {
    let mut graph = Graph::new();
    let (x, y) = (graph.block(MB, Some(0)), graph.block(MB, Some(1)));
    for _ in 0..64 {
        graph.task(1.0, &[all(x, In, MB), all(y, In, MB)]);
    }
    let graph = graph.done();
    let mut setting = under(Dep);
    assert_eq!(sockets(&setting.run(&m2(), &graph).1), vec![0; 64]);
    setting.runtime.ties = numasim_graph::values::Ties::Random;
    let ones = sockets(&setting.run(&m2(), &graph).1).iter().sum::<usize>();
    // 32 expected, sigma 4.
    assert!((16..=48).contains(&ones), "{ones}");
}
