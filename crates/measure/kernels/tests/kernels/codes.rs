//! Results are right, and wrong ones are detected.

use numasim_graph::generate;
use numasim_graph::values::{Generator, TaskGraph, TaskId};
use numasim_kernels::{Code, Fault, Store, Workspace, code};
use numasim_model::NodeId;
use proptest::prelude::*;

pub(crate) fn graph(generator: &Generator) -> TaskGraph {
    generate(generator, "test", &[NodeId(0), NodeId(1)]).expect("a graph")
}

/// Runs all tasks but `without`, one after the other.
fn run(graph: &TaskGraph, code: &dyn Code, without: Option<TaskId>) -> Store {
    let (store, mut work) = (Store::new(graph), Workspace::new());
    for task in graph.tasks().filter(|&task| Some(task) != without) {
        store.run(graph, code, task, &mut work).expect("no fault");
    }
    store
}

#[rustfmt::skip]
fn some() -> Vec<Generator> {
    vec![
        Generator::Cholesky { n: 1, tile: 1, init: true },
        Generator::Cholesky { n: 4, tile: 48, init: true },
        Generator::Cholesky { n: 3, tile: 70, init: false },
        Generator::Qr { n: 1, tile: 1, init: true },
        Generator::Qr { n: 4, tile: 40, init: true },
        Generator::Qr { n: 2, tile: 67, init: false },
        Generator::GaussSeidel { grid: 3, tile: 5, iterations: 4, control: 1, init: true },
        Generator::GaussSeidel { grid: 1, tile: 1, iterations: 2, control: 0, init: false },
        Generator::RedBlack { grid: 4, tile: 6, iterations: 3, control: 1, init: true },
        Generator::Jacobi { blocks: 3, rows: 12, columns: 7, iterations: 3, init: true },
        Generator::Jacobi { blocks: 2, rows: 2, columns: 1, iterations: 4, init: false },
        Generator::Stencil2d { n: 12, rows: 3, columns: 2, iterations: 5 },
        Generator::Stencil2d { n: 5, rows: 1, columns: 1, iterations: 2 },
    ]
}

#[test]
fn results_are_right() {
    for generator in some() {
        let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
        let verdict = code.check(&run(&graph, &*code, None));
        assert!(verdict.is_right(), "{generator:?}: {verdict:?}");
    }
}

#[test]
fn a_result_with_a_missing_task_is_wrong() {
    for generator in some() {
        let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
        for task in graph.tasks().filter(|&task| graph.gflop(task) > 0.0) {
            // A task may have nothing to do if its matrix is a single number: R of a number is that number. And the mean of zero borders
            // only is always 0.
            if matches!(generator, Generator::Qr { tile: 1, .. } | Generator::GaussSeidel { tile: 1, .. }) {
                continue;
            }
            let verdict = code.check(&run(&graph, &*code, Some(task)));
            assert!(!verdict.is_right(), "{generator:?} without {}: {verdict:?}", task.0);
        }
    }
}

#[test]
fn a_result_without_any_task_is_wrong() {
    for generator in some() {
        let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
        assert!(!code.check(&Store::new(&graph)).is_right(), "{generator:?}");
    }
}

#[test]
fn equal_runs_match_in_every_bit_and_others_differ() {
    let generator = Generator::Qr { n: 3, tile: 20, init: true };
    let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
    let (one, two) = (run(&graph, &*code, None), run(&graph, &*code, None));
    assert_eq!(one.difference(&two), None);
    let last = graph.tasks().next_back().expect("tasks");
    // The last task changes the tile at the end of the diagonal.
    let without = run(&graph, &*code, Some(last));
    assert_eq!(one.difference(&without).map(|block| block.0), Some(8));
    // 9 tiles of 20 x 20 with room for factors T.
    assert_eq!(one.bytes(), 9 * 8 * numasim_kernels::qr::elements(20) as u64);
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_rejected() {
    let mut tile = [1.0, 0.0, 2.0, 4.0];
    let fault = numasim_kernels::cholesky::potrf(2, &mut tile, &mut Workspace::new());
    // 4 - 2^2 = 0.
    assert_eq!(fault, Err(numasim_kernels::cholesky::NotPositive(1)));
}

#[test]
fn tasks_of_another_graph_are_rejected() {
    let generator = Generator::Qr { n: 2, tile: 4, init: false };
    let graph = graph(&generator);
    let other = code(&Generator::Cholesky { n: 3, tile: 4, init: false }).expect("kernels");
    let fault = Store::new(&graph).run(&graph, &*other, TaskId(0), &mut Workspace::new());
    assert_eq!(fault, Err(Fault::Accesses(TaskId(0))));
}

#[test]
fn generators_without_kernels_are_named() {
    let Err(none) =
        code(&Generator::Nstream { arrays: 1, array_bytes: 1_000_000, iterations: 1, init: true })
    else {
        panic!("nstream has none")
    };
    assert_eq!(
        none.to_string(),
        "the tasks of generator nstream have no kernels: those of cholesky, qr, gauss-seidel, red-black, jacobi, stencil2d have"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn matrices_of_any_size_are_factorised(n in 1..4_u64, tile in 2..80_u64) {
        for generator in [Generator::Cholesky { n, tile, init: false }, Generator::Qr { n, tile, init: false }] {
            let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
            let verdict = code.check(&run(&graph, &*code, None));
            prop_assert!(verdict.is_right(), "{generator:?}: {verdict:?}");
        }
    }

    #[test]
    fn grids_of_any_size_match_a_plain_code(
        rows in 1..5_u64, columns in 1..5_u64, height in 1..6_u64, iterations in 0..6_u64,
    ) {
        for generator in [
            Generator::Stencil2d { n: rows * columns * height, rows, columns, iterations: iterations.max(1) },
            Generator::Jacobi { blocks: rows, rows: rows * height, columns, iterations, init: true },
            Generator::GaussSeidel { grid: rows, tile: height, iterations, control: 1, init: true },
            Generator::RedBlack { grid: rows, tile: height, iterations, control: 0, init: true },
        ] {
            let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
            let verdict = code.check(&run(&graph, &*code, None));
            prop_assert!(verdict.is_right(), "{generator:?}: {verdict:?}");
        }
    }
}
