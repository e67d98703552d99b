//! Gauss-Seidel on 8 x 8 tiles: sockets by column (S-3); and the smallest cut is not the fastest (S-4).

use crate::common::*;
use numasim_graph::values::SchedulerKind::{Dep, Sa};
use numasim_graph::values::{Access, TaskGraph};
use numasim_model::NodeId;

const SIDE: usize = 8;

/// One iteration, tile by tile: each task writes its tile and reads those above, below, left and right. It declares whole tiles and moves
/// no bytes: each task computes for 1 s.
fn sweep(
    graph: &mut Graph,
    tiles: &[numasim_graph::values::BlockId],
    socket: impl Fn(usize, usize) -> usize,
) {
    for i in 0..SIDE {
        for j in 0..SIDE {
            let access = |block, mode| Access { moved_bytes: 0.0, ..all(block, mode, MB) };
            let mut accesses = vec![access(tiles[SIDE * i + j], Inout)];
            let neighbours = [(i.wrapping_sub(1), j), (i + 1, j), (i, j.wrapping_sub(1)), (i, j + 1)];
            for (i, j) in neighbours.into_iter().filter(|&(i, j)| i < SIDE && j < SIDE) {
                accesses.push(access(tiles[SIDE * i + j], In));
            }
            graph.on(socket(i, j), 10.0, &accesses);
        }
    }
}

fn tiles(graph: &mut Graph) -> Vec<numasim_graph::values::BlockId> {
    (0..SIDE * SIDE).map(|_| graph.block(MB, None)).collect()
}

/// Figure 2.4 of paper 001: with one control task first, each row of tiles begins one column before the stride of 2.
#[test]
fn dep_gives_each_row_the_same_columns() {
    let mut graph = Graph::new();
    let blocks = tiles(&mut graph);
    graph.task(0.0, &[]);
    for &block in &blocks {
        graph.task(0.0, &[all(block, Out, MB)]);
    }
    sweep(&mut graph, &blocks, |_, _| 0);
    let (_, records) = under(Dep).run(&m2(), &graph.done());
    let sockets = sockets(&records);
    for row in sockets[1..].chunks(SIDE) {
        assert_eq!(row, [0, 1, 1, 0, 0, 1, 1, 0]);
    }
}

fn one_sweep(socket: impl Fn(usize, usize) -> usize) -> TaskGraph {
    let mut graph = Graph::new();
    let blocks = tiles(&mut graph);
    sweep(&mut graph, &blocks, socket);
    graph.done()
}

/// An argument of section 2.3.4 of paper 001; computed by hand-written queues: 34, 36, 39 and 42 s with one core on each of two sockets,
/// cuts of 32, 14, 8 and 8 of 112 edges.
#[test]
fn the_smallest_cut_is_not_the_fastest() {
    let by_dep = |_, j: usize| [0, 1, 1, 0, 0, 1, 1, 0][j];
    let machine = nodes(2, 1);
    let of = |graph: &TaskGraph| {
        let (run, records) = under(Sa).run(&machine, graph);
        let cut = run.cut.expect("sockets");
        assert!(records.iter().all(|record| record.socket == Some(record.node)));
        // Each edge carries one tile.
        assert!(cut.bytes > 0.0 && records[0].node == NodeId(0));
        (run.makespan.value(), cut.edges)
    };
    assert_eq!(of(&one_sweep(by_dep)), (34.0, 32));
    assert_eq!(of(&one_sweep(|i, j| usize::from(j > i))), (36.0, 14));
    assert_eq!(of(&one_sweep(|_, j| j / 4)), (39.0, 8));
    assert_eq!(of(&one_sweep(|i, _| i / 4)), (42.0, 8));
}
