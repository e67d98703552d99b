//! Programs of loops, by hand; the codes of paper 003 that are loops.

use crate::values::{
    AccessMode, ArrayId, BlockId, Generator, LoopShape, Program, ProgramArray, ProgramLoop, Submit,
    TaskGraph, TaskId,
};
use numasim_model::ids::NodeId;

use super::{accesses, flop, made, near, of_kind};
use crate::{GenerateError, generate, generate_program};

fn each(name: &str, shape: LoopShape) -> ProgramLoop {
    let none = Vec::new;
    ProgramLoop {
        name: name.to_owned(),
        gflop: 12.0,
        inputs: none(),
        whole: none(),
        inout: none(),
        out: none(),
        shape,
    }
}

fn program(chunks: u64, repeat: u64, loops: Vec<ProgramLoop>) -> Program {
    let array = |name: &str| ProgramArray { name: name.to_owned(), bytes: 240.0 };
    Program { chunks: Some(chunks), repeat, arrays: ["a", "p", "r", "q"].map(array).to_vec(), loops }
}

/// For the nodes 0 and 2.
fn woven(program: &Program) -> TaskGraph {
    generate_program(program, "loops", &[NodeId(0), NodeId(2)]).expect("a graph")
}

fn affinities(graph: &TaskGraph) -> Vec<Option<usize>> {
    graph.tasks().map(|task| graph.affinity(task).map(|node| node.0)).collect()
}

fn children(graph: &TaskGraph, task: u32) -> Vec<u32> {
    graph.children(TaskId(task)).iter().map(|child| child.0).collect()
}

/// [0, 4): 0; [0, 2): 1; [0, 1): 2; [1, 2): 3; [2, 4): 4; [2, 3): 5; [3, 4): 6. The right halves come first. Chunks 0 and 1 are on node 0,
/// 2 and 3 on node 2.
#[test]
fn a_range_of_four_chunks_is_a_tree_of_seven_tasks() {
    let graph = woven(&program(4, 1, vec![each("sum", LoopShape::Range)]));
    assert_eq!(graph.task_count(), 7);
    assert_eq!([0, 1, 4].map(|task| children(&graph, task)), [[4, 1], [3, 2], [6, 5]]);
    let seqs: Vec<Option<u32>> = graph.tasks().map(|task| graph.seq(task)).collect();
    assert_eq!(seqs, [None, Some(1), Some(1), Some(0), Some(0), Some(1), Some(0)]);
    assert_eq!(affinities(&graph), [None, Some(0), Some(0), Some(0), Some(2), Some(2), Some(2)]);
    let kinds: Vec<&str> = graph.tasks().map(|task| graph.type_name(task)).collect();
    assert_eq!(kinds, ["split", "split", "sum", "sum", "split", "sum", "sum"]);
    let returning: Vec<bool> = graph.tasks().map(|task| graph.returns(task)).collect();
    assert_eq!(returning, [true, true, false, false, true, false, false]);
    let gflop: Vec<f64> = graph.tasks().map(|task| graph.gflop(task)).collect();
    assert_eq!(gflop, [0.0, 0.0, 3.0, 3.0, 0.0, 3.0, 3.0]);
    let waits: Vec<u32> = graph.tasks().filter(|&task| graph.taskwait(task)).map(|task| task.0).collect();
    assert_eq!(waits, [0]);
    assert!(graph.tasks().all(|task| graph.submit(task) == Submit::Spawn && graph.socket(task).is_none()));
    let keys: Vec<&str> = graph.replays().iter().map(|key| &**key).collect();
    assert_eq!(keys, ["sum/0-4", "sum/0-2", "sum/0-1", "sum/1-2", "sum/2-4", "sum/2-3", "sum/3-4"]);
    let hints: Vec<usize> = (0..4).map(|k| graph.hint(BlockId(k)).expect("a hint").0).collect();
    assert_eq!(hints, [0, 0, 2, 2]);
    assert_eq!((graph.block_name(BlockId(5)), graph.block_creator(BlockId(5))), (Some("p-1"), None));
}

/// [0, 3): 0; [0, 1): 1; [1, 3): 2; [1, 2): 3; [2, 3): 4. Of three chunks on two nodes the first two are on the first.
#[test]
fn a_range_that_cannot_be_halved_has_the_smaller_half_left() {
    let graph = woven(&program(3, 1, vec![each("sum", LoopShape::Range)]));
    assert_eq!([0, 2].map(|task| children(&graph, task)), [[2, 1], [4, 3]]);
    assert_eq!(affinities(&graph), [None, Some(0), None, Some(0), Some(2)]);
}

#[test]
fn a_list_has_a_root_and_a_piece_for_each_chunk() {
    let graph = woven(&program(4, 2, vec![each("gain", LoopShape::List)]));
    assert_eq!((graph.task_count(), of_kind(&graph, "list"), of_kind(&graph, "gain")), (10, 2, 8));
    assert_eq!([0, 5].map(|task| children(&graph, task)), [[1, 2, 3, 4], [6, 7, 8, 9]]);
    assert_eq!(affinities(&graph)[..5], [None, Some(0), Some(0), Some(2), Some(2)]);
    let waits: Vec<u32> = graph.tasks().filter(|&task| graph.taskwait(task)).map(|task| task.0).collect();
    assert_eq!(waits, [0, 5]);
    assert!(!graph.returns(TaskId(0)));
    // The same pieces of work in the next repetition.
    assert!((0..5).all(|task| graph.replay(TaskId(task)) == graph.replay(TaskId(task + 5))));
    assert_eq!(graph.replays().iter().map(|key| &**key).collect::<Vec<_>>()[..2], ["gain/0-4", "gain/0-1"]);
}

#[test]
fn one_chunk_is_one_piece_for_which_the_master_waits() {
    let graph = woven(&program(1, 1, vec![each("sum", LoopShape::Range), each("gain", LoopShape::List)]));
    let kinds: Vec<&str> = graph.tasks().map(|task| graph.type_name(task)).collect();
    assert_eq!(kinds, ["sum", "list", "gain"]);
    assert_eq!(
        (graph.taskwait(TaskId(0)), graph.returns(TaskId(0)), graph.gflop(TaskId(0))),
        (true, false, 12.0)
    );
    assert_eq!(affinities(&graph), [Some(0); 3]);
}

/// Three chunks of 80 B: a has blocks 0 to 2, p 3 to 5, r 6 to 8, q 9 to 11.
#[test]
fn a_piece_accesses_its_chunk_of_each_array_and_all_of_whole_ones() {
    let (array, mode) = (ArrayId, [AccessMode::In, AccessMode::Inout, AccessMode::Out]);
    let all = ProgramLoop {
        inputs: vec![array(0)],
        whole: vec![array(1)],
        inout: vec![array(2)],
        out: vec![array(3)],
        ..each("all", LoopShape::List)
    };
    let graph = woven(&program(3, 1, vec![all]));
    let of = |block, mode, times: f64| (block, mode, 80.0, 80.0 * times);
    let [read, update, write] = mode;
    let second = [
        of(1, read, 1.0),
        of(3, read, 1.0),
        of(4, read, 1.0),
        of(5, read, 1.0),
        of(7, update, 2.0),
        of(10, write, 1.0),
    ];
    assert_eq!(accesses(&graph, 2), second);
    assert_eq!((accesses(&graph, 0), graph.access_count()), (vec![], 3 * 6));
}

#[test]
fn without_nodes_there_are_no_hints_and_no_affinities() {
    let graph =
        generate_program(&program(4, 1, vec![each("sum", LoopShape::Range)]), "x", &[]).expect("a graph");
    assert!(graph.tasks().all(|task| graph.affinity(task).is_none()));
    assert_eq!(graph.hint(BlockId(0)), None);
}

/// Six loops of 2 c - 1 tasks. Accesses: the product 2 + c for each piece, the others 2, 2, 2, 1 and 2.
#[test]
fn npb_cg_has_six_loops() {
    let graph = made(&Generator::NpbCg { rows: 1000, nnz: 30_000, chunks: Some(16), repeat: 3 });
    assert_eq!((graph.task_count(), graph.blocks().len()), (3 * 6 * 31, 5 * 16));
    assert_eq!(graph.access_count(), 3 * (16 * (2 + 16) + 9 * 16));
    let kinds = ["spmv", "dot-pq", "axpy-z", "axpy-r", "dot-rr", "update"];
    assert_eq!(kinds.map(|kind| of_kind(&graph, kind)), [3 * 16; 6]);
    assert_eq!(of_kind(&graph, "split"), 3 * 6 * 15);
    near(flop(&graph), 3.0 * (2.0 * 30_000.0 + 5.0 * 2.0 * 1000.0));
    // a: 12 B for each non-zero; p: 8 B for each row, moved twice if it is changed.
    near(graph.blocks()[0].bytes, 12.0 * 30_000.0 / 16.0);
    let last = u32::try_from(graph.task_count()).expect("few") - 1;
    let (read, update) = (AccessMode::In, AccessMode::Inout);
    assert_eq!(accesses(&graph, last), [(79, read, 500.0, 500.0), (47, update, 500.0, 1000.0)]);
}

/// Grids of 8^4, 8^5 and 8^6 points: 2 loops down; psinv, and twice interp, resid and psinv up: 9 = 4 x 3 - 3.
#[test]
fn npb_mg_goes_down_the_grids_and_up_again() {
    let chunks = Some(4);
    let graph = made(&Generator::NpbMg { log2: 6, chunks, repeat: 2 });
    assert_eq!((graph.task_count(), graph.blocks().len()), (2 * 9 * 7, 4 * (1 + 2 * 3)));
    let mut order: Vec<&str> = Vec::new();
    for task in graph.tasks().filter(|&task| graph.type_name(task) != "split").take(9 * 4) {
        if order.last() != Some(&graph.type_name(task)) {
            order.push(graph.type_name(task));
        }
    }
    let expected =
        ["rprj3-6", "rprj3-5", "psinv-4", "interp-5", "resid-5", "psinv-5", "interp-6", "resid-6", "psinv-6"];
    assert_eq!(order, expected);
    let e = |level: i32| 8.0_f64.powi(level);
    let down = 20.0 * (e(5) + e(4));
    let up = 30.0 * (e(4) + e(5) + e(6)) + (8.0 + 21.0) * (e(5) + e(6));
    near(flop(&graph), 2.0 * (down + up));
    // v has blocks 0 to 3; then u and r of each grid: u-6 20 to 23, r-6 24 to 27. The last piece of resid-6 is the last task of its loop.
    let (read, write, size) = (AccessMode::In, AccessMode::Out, 8.0 * e(6) / 4.0);
    let of = |block, mode| (block, mode, size, size);
    assert_eq!(accesses(&graph, 8 * 7 - 1), [of(23, read), of(3, read), of(27, write)]);
    // Below the top r is changed: u-5 12 to 15, r-5 16 to 19.
    let size = 8.0 * e(5) / 4.0;
    let below = [(15, read, size, size), (19, AccessMode::Inout, size, 2.0 * size)];
    assert_eq!(accesses(&graph, 5 * 7 - 1), below);
}

#[test]
fn the_grids_of_npb_mg_can_be_computed_with() {
    let refused = |log2| {
        generate(&Generator::NpbMg { log2, chunks: Some(1), repeat: 1 }, "x", &[]).expect_err("no graph")
    };
    let range = |value| GenerateError::OutOfRange { parameter: "log2", value, least: 4, most: 20 };
    assert_eq!([refused(3), refused(21)], [range(3), range(21)]);
    // A single grid: there is none above or below.
    let one = made(&Generator::NpbMg { log2: 4, chunks: Some(1), repeat: 1 });
    assert_eq!((one.task_count(), one.type_name(TaskId(0))), (1, "psinv-4"));
}

#[test]
fn streamcluster_and_fluidanimate_are_lists() {
    let points = made(&Generator::Streamcluster { points: 1000, dims: 16, chunks: Some(8), repeat: 5 });
    assert_eq!((points.task_count(), points.access_count()), (5 * 9, 5 * 8));
    near(points.blocks()[0].bytes, 4.0 * 16.0 * 1000.0 / 8.0);
    near(flop(&points), 5.0 * 3.0 * 16.0 * 1000.0);
    let cells = made(&Generator::Fluidanimate { particles: 1000, chunks: Some(8), repeat: 5 });
    assert_eq!((cells.task_count(), cells.access_count()), (5 * 9 * 9, 5 * 9 * 8));
    near(cells.blocks()[0].bytes, 342.0 * 1000.0 / 8.0);
    // Seven steps of 10, two of 1200.
    near(flop(&cells), 5.0 * (7.0 * 10.0 + 2.0 * 1200.0) * 1000.0);
    near(cells.accesses(TaskId(1)).next().expect("an access").moved_bytes, 2.0 * 42_750.0);
}
