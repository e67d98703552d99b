//! Codes whose tasks create tasks by other rules than loops: ferret, stencil2d and seismic.

use crate::values::{AccessMode, BlockId, Generator, Submit, TaskGraph, TaskId};

use super::{accesses, counts, flop, made, near, of_kind};

const READ: AccessMode = AccessMode::In;
const UPDATE: AccessMode = AccessMode::Inout;
const WRITE: AccessMode = AccessMode::Out;

fn creators(graph: &TaskGraph) -> Vec<Option<u32>> {
    graph.tasks().map(|task| graph.created_by(task).map(|creator| creator.0)).collect()
}

fn nodes(graph: &TaskGraph) -> Vec<Option<usize>> {
    graph.tasks().map(|task| graph.affinity(task).map(|node| node.0)).collect()
}

/// Two nodes: load, segment, extract, two parts of the database, rank, out. Queries are loaded one after the other.
#[test]
fn a_query_of_ferret_is_a_chain_with_a_step_on_each_node() {
    let graph = made(&Generator::Ferret { queries: 2, database: 1000, load_flop: 100 });
    let chain = ["load", "segment", "extract", "query-0", "query-1", "rank", "out"];
    assert_eq!(graph.tasks().map(|task| graph.type_name(task)).collect::<Vec<_>>(), chain.repeat(2));
    let first = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)];
    let second = [None, Some(7), Some(8), Some(9), Some(10), Some(11), Some(12)];
    assert_eq!(creators(&graph), [first, second].concat());
    assert_eq!(nodes(&graph)[..7], [None, None, None, Some(0), Some(2), None, None]);
    let detached = |task| graph.submit(task) == Submit::Detach;
    assert_eq!(
        graph.tasks().filter(|&task| detached(task)).map(|task| task.0).collect::<Vec<_>>(),
        [3, 4, 10, 11]
    );
    // A part has 500 B, of which 2 % are read, with 2 FLOP for each byte.
    assert_eq!(accesses(&graph, 4), [(50, READ, 10.0, 10.0)]);
    assert_eq!(accesses(&graph, 11), [(51, READ, 10.0, 10.0)]);
    near(flop(&graph), 2.0 * (100.0 + 1e7 + 5e7 + 1e7 + 2.0 * 20.0));
    assert_eq!(accesses(&graph, 7), [(100, UPDATE, 0.0, 0.0)]);
    assert_eq!(
        (graph.hint(BlockId(50)).map(|node| node.0), graph.block_name(BlockId(50))),
        (Some(2), Some("part-1-0"))
    );
    // Queries read the same data and wait only for their input: three loads, one after the other.
    assert_eq!(counts(&Generator::Ferret { queries: 3, database: 1000, load_flop: 0 }), (21, 2, 3));
}

const STENCIL: Generator = Generator::Stencil2d { n: 12, rows: 2, columns: 3, iterations: 2 };

/// 2 x 3 strands of 6 x 4 points: 6 tiles; 2 (2 x 2 + 3 x 1) = 14 directed pairs of neighbours with two halos each.
#[test]
fn stencil2d_has_tiles_and_two_halos_for_each_direction() {
    let graph = made(&STENCIL);
    assert_eq!((graph.blocks().len(), graph.task_count()), (6 + 28, 1 + 12));
    let bytes: Vec<f64> = graph.blocks().iter().map(|block| block.bytes).collect();
    assert_eq!(bytes[..6], [192.0; 6]);
    // Strand 0: down (4 points) and right (6). Strand 1: down, left, right.
    assert_eq!(bytes[6..16], [32.0, 32.0, 48.0, 48.0, 32.0, 32.0, 48.0, 48.0, 48.0, 48.0]);
    assert!((0..34).all(|block| graph.block_creator(BlockId(block)) == Some(TaskId(0))));
    let hints: Vec<usize> = (0..34).map(|block| graph.hint(BlockId(block)).expect("a hint").0).collect();
    assert_eq!((&hints[..6], hints[16 + 3], hints[16 + 4]), (&[0, 0, 0, 2, 2, 2][..], 0, 2));
}

/// Halos of strand 0: down 6, 7, right 8, 9; of 1: down 10, 11, left 12, 13, right 14, 15; of 2: down 16, 17, left 18, 19; of 3: up 20, 21,
/// right 22, 23; of 4: up 24, 25, left 26, 27, right 28, 29; of 5: up 30, 31, left 32, 33. The first of two is for even iterations.
#[test]
fn a_strand_reads_the_halos_of_its_neighbours_and_writes_those_of_the_next_iteration() {
    let graph = made(&STENCIL);
    let halo = |block, mode, bytes| (block, mode, bytes, bytes);
    let tile = |block| (block, UPDATE, 192.0, 384.0);
    assert_eq!(accesses(&graph, 0), []);
    let first =
        [halo(20, READ, 32.0), halo(12, READ, 48.0), tile(0), halo(7, WRITE, 32.0), halo(9, WRITE, 48.0)];
    assert_eq!(accesses(&graph, 1), first);
    let second =
        [halo(21, READ, 32.0), halo(13, READ, 48.0), tile(0), halo(6, WRITE, 32.0), halo(8, WRITE, 48.0)];
    assert_eq!(accesses(&graph, 7), second);
    // Strand 4: up 1, left 3, right 5.
    let middle = [
        halo(10, READ, 32.0),
        halo(22, READ, 48.0),
        halo(32, READ, 48.0),
        tile(4),
        halo(25, WRITE, 32.0),
        halo(27, WRITE, 48.0),
        halo(29, WRITE, 48.0),
    ];
    assert_eq!(accesses(&graph, 5), middle);
    let above = [None].into_iter().chain([Some(0); 6]).chain((1..7).map(Some));
    assert_eq!(creators(&graph), above.collect::<Vec<_>>());
    assert_eq!(nodes(&graph)[..7], [None, Some(0), Some(0), Some(0), Some(2), Some(2), Some(2)]);
    near(flop(&graph), 2.0 * 5.0 * 144.0);
}

/// The second iteration waits for itself and for each neighbour: 6 + 14. The third one does the same, and also writes the halos that the
/// same strand wrote two iterations before: 6 more.
#[test]
fn a_strand_waits_for_its_neighbours_of_the_iteration_before() {
    assert_eq!(counts(&STENCIL), (13, 20, 2));
    let three = Generator::Stencil2d { n: 12, rows: 2, columns: 3, iterations: 3 };
    assert_eq!(counts(&three), (19, 20 + 26, 3));
    let one = Generator::Stencil2d { n: 5, rows: 1, columns: 1, iterations: 4 };
    assert_eq!((counts(&one), made(&one).blocks().len()), ((5, 3, 4), 1));
    let none = Generator::Stencil2d { n: 12, rows: 2, columns: 3, iterations: 0 };
    assert_eq!(counts(&none), (1, 0, 1));
}

const SEISMIC: Generator = Generator::Seismic { n: 8, blocks: Some(2), strips: Some(2), iterations: 2 };

/// Four strips of 2 x 8 points. main 0; strips 1 to 4, stresses 5 to 8, velocities 9 to 12; the second iteration 13 to 24.
#[test]
fn a_strip_creates_the_next_one_and_its_two_sweeps() {
    let graph = made(&SEISMIC);
    assert_eq!((graph.task_count(), graph.blocks().len()), (1 + 3 * 4 * 2, 8));
    assert_eq!(["main", "strip", "stress", "velocity"].map(|kind| of_kind(&graph, kind)), [1, 8, 8, 8]);
    let children = |task| graph.children(TaskId(task)).iter().map(|child| child.0).collect::<Vec<_>>();
    assert_eq!([children(0), children(1), children(13)], [vec![1, 2, 3, 4], vec![13, 5, 9], vec![17, 21]]);
    assert_eq!(graph.misplaced(), None);
    let of_strips = [Some(0), Some(0), Some(2), Some(2)];
    assert_eq!(nodes(&graph), [&[None][..], &of_strips.repeat(6)].concat());
    let hints: Vec<usize> = (0..8).map(|block| graph.hint(BlockId(block)).expect("a hint").0).collect();
    assert_eq!(hints, [0, 0, 0, 0, 2, 2, 2, 2]);
    assert!((0..8).all(|block| graph.block_creator(BlockId(block)) == Some(TaskId(0))));
    near(flop(&graph), 2.0 * 2.0 * 10.0 * 64.0);
}

/// 16 points: 320 B of stress (blocks 0, 2, 4, 6), 128 B of velocity (1, 3, 5, 7). A row has 8 points: 160 B and 64 B.
#[test]
fn a_sweep_reads_a_row_of_the_strips_beside_it() {
    let graph = made(&SEISMIC);
    let velocity = |block, moved| (block, READ, 128.0, moved);
    assert_eq!(accesses(&graph, 1), []);
    assert_eq!(accesses(&graph, 5), [velocity(1, 128.0), velocity(3, 64.0), (0, UPDATE, 320.0, 640.0)]);
    let second = [velocity(1, 64.0), velocity(3, 128.0), velocity(5, 64.0), (2, UPDATE, 320.0, 640.0)];
    assert_eq!(accesses(&graph, 6), second);
    let stress = |block, moved| (block, READ, 320.0, moved);
    let last = [stress(4, 160.0), stress(6, 320.0), (7, UPDATE, 128.0, 256.0)];
    assert_eq!(accesses(&graph, 12), last);
}

/// One sweep after the other: each waits for the other one of the same strips. An iteration after the first: stress from the velocities
/// of three strips, also from its readers (10 pairs of neighbours, including the strip itself), and velocity likewise.
#[test]
fn sweeps_alternate() {
    let (tasks, edges, span) = counts(&SEISMIC);
    // The first stresses do not wait; each velocity waits for three stresses (3 x 4 - 2 = 10). Then 10 more for each sweep, and each
    // sweep for itself.
    assert_eq!((tasks, edges, span), (25, 10 + 10 + 4 + 10 + 4, 4));
    let none = Generator::Seismic { n: 8, blocks: Some(2), strips: Some(2), iterations: 0 };
    assert_eq!(counts(&none), (1, 0, 1));
}
