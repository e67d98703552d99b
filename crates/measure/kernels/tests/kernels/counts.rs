//! The work and accesses of tasks match those of the generators.

use numasim_graph::values::{BlockId, Generator};
use numasim_kernels::code;

use crate::codes::graph;

/// The ratio of operations that the kernels execute to those of the generator, minimum and maximum over all tasks that compute.
fn ratios(generator: &Generator) -> (f64, f64) {
    let (graph, code) = (graph(generator), code(generator).expect("kernels"));
    let ratio = |task| code.flop(&graph, task) / (graph.gflop(task) * 1e9);
    let computing = graph.tasks().filter(|&task| graph.gflop(task) > 0.0);
    for task in graph.tasks().filter(|&task| graph.gflop(task) == 0.0) {
        assert_eq!(code.flop(&graph, task), 0.0);
    }
    computing
        .map(ratio)
        .fold((f64::INFINITY, 0.0), |(least, most), ratio| (ratio.min(least), ratio.max(most)))
}

#[test]
fn operations_of_cholesky_match_the_generator() {
    // n^3 / 3 + n^2 / 2 over n^3 / 3 is 1 + 1.5 / n, n^2 (n + 1) over n^3 is 1 + 1 / n; n = 96.
    let (least, most) = ratios(&Generator::Cholesky { n: 4, tile: 96, init: true });
    assert!((least - 1.0).abs() < 1e-9 && (most - (1.0 + 1.5 / 96.0)).abs() < 1e-3, "{least} {most}");
}

#[test]
fn operations_of_grids_match_the_generator() {
    for generator in [
        Generator::GaussSeidel { grid: 3, tile: 8, iterations: 2, control: 1, init: true },
        Generator::RedBlack { grid: 3, tile: 8, iterations: 2, control: 1, init: true },
        Generator::Jacobi { blocks: 3, rows: 12, columns: 8, iterations: 2, init: true },
        Generator::Stencil2d { n: 12, rows: 3, columns: 2, iterations: 2 },
    ] {
        let (least, most) = ratios(&generator);
        assert!((least - 1.0).abs() < 1e-12 && (most - 1.0).abs() < 1e-12, "{generator:?}: {least} {most}");
    }
}

#[test]
fn narrow_blocks_of_reflections_need_fewer_operations() {
    // Tiles of 256 with blocks of 32 columns: between 2/3 (4/3 of 2, 2 of 3) and, as factors T of 32 columns remain, 0.85.
    let (least, most) = ratios(&Generator::Qr { n: 3, tile: 256, init: true });
    assert!(least > 2.0 / 3.0 - 0.07 && most < 0.9, "{least} {most}");
    // Tiles of 32 are one block: equal to the generator, except for terms of n^2, up to 3 / 32.
    let (least, most) = ratios(&Generator::Qr { n: 3, tile: 32, init: true });
    assert!(least > 1.0 - 3.0 / 32.0 && most < 1.0 + 3.0 / 32.0, "{least} {most}");
}

#[test]
fn block_sizes_match_the_generator() {
    for (generator, more) in [
        (Generator::Cholesky { n: 3, tile: 24, init: true }, 1.0),
        // 32 rows of factors T behind each tile of 64 rows.
        (Generator::Qr { n: 3, tile: 64, init: true }, 1.5),
        (Generator::GaussSeidel { grid: 3, tile: 8, iterations: 2, control: 1, init: true }, 1.0),
        (Generator::RedBlack { grid: 3, tile: 8, iterations: 2, control: 1, init: true }, 1.0),
        (Generator::Jacobi { blocks: 3, rows: 12, columns: 8, iterations: 2, init: true }, 1.0),
        (Generator::Stencil2d { n: 12, rows: 3, columns: 2, iterations: 2 }, 1.0),
    ] {
        let (graph, code) = (graph(&generator), code(&generator).expect("kernels"));
        for (number, block) in (0..).zip(graph.blocks()) {
            let bytes = 8.0 * code.fresh(BlockId(number)).len() as f64;
            assert_eq!(bytes, block.bytes * more, "{generator:?}, block {number}");
        }
    }
}
