//! Parameters that make no graph.

use crate::values::{Generator, Pattern, TaskBench};

use crate::{GenerateError, generate};

fn refused(generator: &Generator) -> GenerateError {
    generate(generator, "test", &[]).expect_err("no graph")
}

#[test]
fn parameters_that_do_not_divide_are_named() {
    let jacobi = Generator::Jacobi { blocks: 7, rows: 9600, columns: 8, iterations: 1, init: true };
    assert_eq!(
        refused(&jacobi).to_string(),
        "`rows` = 9600 cannot be dealt into `blocks` = 7 equal parts: write a multiple of 7"
    );
    let cg = Generator::Cg { blocks: 31, rows: 3_000_000, nnz_per_row: 27, iterations: 1, init: true };
    let whole = GenerateError::DoesNotDivide { whole: "rows", value: 3_000_000, parts: "blocks", count: 31 };
    assert_eq!(refused(&cg), whole);
}

#[test]
fn what_must_not_be_zero_is_named() {
    let bench = |width, steps| {
        let pattern = Pattern::Trivial;
        Generator::TaskBench(TaskBench { pattern, width, steps, radix: 0, flop: 0, bytes: 0 })
    };
    let (iterations, init, control, chunks) = (1, true, 0, Some(1));
    let cases = [
        (Generator::GaussSeidel { grid: 0, tile: 1, iterations, control, init }, "grid"),
        (Generator::RedBlack { grid: 1, tile: 0, iterations, control, init }, "tile"),
        (Generator::Jacobi { blocks: 0, rows: 1, columns: 1, iterations, init }, "blocks"),
        (Generator::Jacobi { blocks: 1, rows: 0, columns: 1, iterations, init }, "rows"),
        (Generator::Jacobi { blocks: 1, rows: 1, columns: 0, iterations, init }, "columns"),
        (Generator::Cg { blocks: 0, rows: 1, nnz_per_row: 1, iterations, init }, "blocks"),
        (Generator::Cg { blocks: 1, rows: 0, nnz_per_row: 1, iterations, init }, "rows"),
        (Generator::Cg { blocks: 1, rows: 1, nnz_per_row: 0, iterations, init }, "nnz_per_row"),
        (Generator::IntegralHistogram { grid: 1, tile: 1, bins: 0, init }, "bins"),
        (Generator::Nstream { arrays: 0, array_bytes: 1, iterations, init }, "arrays"),
        (Generator::Nstream { arrays: 1, array_bytes: 0, iterations, init }, "mb"),
        (Generator::Qr { n: 0, tile: 1, init }, "n"),
        (Generator::Cholesky { n: 1, tile: 0, init }, "tile"),
        (Generator::Smi { n: 0, tile: 1, init }, "n"),
        (Generator::NpbCg { rows: 0, nnz: 1, chunks, repeat: 1 }, "rows"),
        (Generator::NpbCg { rows: 1, nnz: 0, chunks, repeat: 1 }, "nnz"),
        (Generator::NpbCg { rows: 1, nnz: 1, chunks: Some(0), repeat: 1 }, "chunks"),
        (Generator::Streamcluster { points: 0, dims: 1, chunks, repeat: 1 }, "points"),
        (Generator::Streamcluster { points: 1, dims: 0, chunks, repeat: 1 }, "dims"),
        (Generator::Fluidanimate { particles: 0, chunks, repeat: 1 }, "particles"),
        (Generator::Ferret { queries: 1, database: 0, load_flop: 0 }, "database"),
        (Generator::Stencil2d { n: 0, rows: 1, columns: 1, iterations }, "n"),
        (Generator::Stencil2d { n: 1, rows: 0, columns: 1, iterations }, "rows"),
        (Generator::Stencil2d { n: 1, rows: 1, columns: 0, iterations }, "columns"),
        (Generator::Seismic { n: 0, blocks: chunks, strips: chunks, iterations }, "n"),
        (Generator::Seismic { n: 1, blocks: Some(0), strips: chunks, iterations }, "blocks"),
        (Generator::Seismic { n: 1, blocks: chunks, strips: Some(0), iterations }, "strips"),
        (bench(0, 1), "width"),
        (bench(1, 0), "steps"),
    ];
    for (generator, parameter) in cases {
        assert_eq!(refused(&generator), GenerateError::Zero(parameter), "{generator:?}");
    }
}

/// No iterations and no initial tasks: only the blocks.
#[test]
fn no_iterations_make_no_tasks() {
    let none = Generator::GaussSeidel { grid: 4, tile: 8, iterations: 0, control: 0, init: false };
    let graph = generate(&none, "none", &[]).expect("a graph");
    assert_eq!((graph.task_count(), graph.blocks().len(), graph.name()), (0, 16, "none"));
}

/// Counted, not made: each of these would need hours or the whole memory.
#[test]
fn too_many_tasks_are_refused_before_they_are_made() {
    let (init, control) = (true, 1);
    let most = u64::MAX;
    let grid = Generator::GaussSeidel { grid: 1000, tile: 8, iterations: 10, control, init };
    assert_eq!(refused(&grid), GenerateError::TooManyTasks(11_000_001.0));
    assert_eq!(refused(&grid).to_string(), "this makes 11000001 tasks; at most 10000000 are dealt with");
    // 391 (391 + 1) (2 x 391 + 1) / 6 = 20001996.
    let qr = Generator::Qr { n: 391, tile: 8, init: false };
    assert_eq!(refused(&qr), GenerateError::TooManyTasks(20_001_996.0));
    // 3 x 400 x 401 x 402 / 6.
    let smi = Generator::Smi { n: 400, tile: 8, init: false };
    assert_eq!(refused(&smi), GenerateError::TooManyTasks(32_240_400.0));
    let blocks = Generator::Nstream { arrays: 5_000_000, array_bytes: 1, iterations: 0, init };
    assert_eq!(refused(&blocks), GenerateError::TooManyBlocks(15e6));
    // Each of 20000 products reads all of p: 20000 x 20016 + 2 x 20001.
    let cg = Generator::Cg { blocks: 20_000, rows: 20_000, nnz_per_row: 1, iterations: 1, init: false };
    assert_eq!(refused(&cg), GenerateError::TooManyAccesses(400_360_002.0));
    for generator in [
        Generator::GaussSeidel { grid: most, tile: most, iterations: most, control: most, init },
        Generator::Jacobi { blocks: most, rows: most, columns: most, iterations: most, init },
        Generator::Cg { blocks: most, rows: most, nnz_per_row: most, iterations: most, init },
        Generator::IntegralHistogram { grid: most, tile: most, bins: most, init },
        Generator::Nstream { arrays: most, array_bytes: most, iterations: most, init },
        Generator::Qr { n: most, tile: most, init },
        Generator::Cholesky { n: most, tile: most, init },
        Generator::Smi { n: most, tile: most, init },
    ] {
        assert!(matches!(refused(&generator), GenerateError::TooManyTasks(_)), "{generator:?}");
    }
    for pattern in Pattern::ALL {
        for (width, steps) in [(1, most), (4, 4_000_000), (10_000_000, 100)] {
            let bench = TaskBench { pattern, width, steps, radix: 1, flop: 1, bytes: most };
            let bench = Generator::TaskBench(bench);
            // The domain of 10^7 x 100 has only 2 x (1 + ... + 50) tasks, and a tree 1 + 2 + 4 ... as long as it grows.
            if width > 4 && pattern == Pattern::Dom {
                assert!(generate(&bench, "dom", &[]).is_ok_and(|graph| graph.task_count() == 2550));
            } else {
                assert!(matches!(refused(&bench), GenerateError::TooManyTasks(_)), "{bench:?}");
            }
        }
    }
}

/// Counted, not made, even if a product of two parameters overflows.
#[test]
fn too_many_tasks_of_loops_and_strands_are_refused_before_they_are_made() {
    let most = u64::MAX;
    // 2 x 10^6 - 1 tasks, six loops.
    let cg = Generator::NpbCg { rows: 1, nnz: 1, chunks: Some(1_000_000), repeat: 1 };
    assert_eq!(refused(&cg), GenerateError::TooManyTasks(11_999_994.0));
    // 20000 pieces read all 20000 blocks of p.
    let whole = Generator::NpbCg { rows: 1, nnz: 1, chunks: Some(20_000), repeat: 1 };
    assert_eq!(refused(&whole), GenerateError::TooManyAccesses(400_220_000.0));
    for generator in [
        Generator::NpbCg { rows: most, nnz: most, chunks: Some(most), repeat: most },
        Generator::NpbMg { log2: 20, chunks: Some(most), repeat: 1 },
        Generator::Streamcluster { points: most, dims: most, chunks: Some(4), repeat: most },
        Generator::Fluidanimate { particles: most, chunks: Some(most), repeat: most },
        Generator::Ferret { queries: most, database: most, load_flop: most },
        Generator::Stencil2d { n: most, rows: most, columns: most, iterations: most },
        Generator::Stencil2d { n: 1 << 40, rows: 1 << 20, columns: 1 << 10, iterations: 1 },
        Generator::Seismic { n: most, blocks: Some(1), strips: Some(most), iterations: most },
    ] {
        assert!(matches!(refused(&generator), GenerateError::TooManyTasks(_)), "{generator:?}");
    }
    let empty = Generator::Fluidanimate { particles: 1, chunks: Some(20_000_000), repeat: 0 };
    assert_eq!(refused(&empty), GenerateError::TooManyBlocks(2e7));
}

#[test]
fn what_a_machine_should_say_must_be_said() {
    let (n, iterations) = (8, 1);
    let cases = [
        (Generator::NpbMg { log2: 4, chunks: None, repeat: 1 }, "chunks"),
        (Generator::Seismic { n, blocks: None, strips: Some(1), iterations }, "blocks"),
        (Generator::Seismic { n, blocks: Some(1), strips: None, iterations }, "strips"),
    ];
    for (generator, parameter) in cases {
        assert_eq!(refused(&generator), GenerateError::Open(parameter));
    }
    let seismic = Generator::Seismic { n, blocks: Some(3), strips: Some(2), iterations };
    let whole = GenerateError::DoesNotDivide { whole: "n", value: 8, parts: "strips", count: 6 };
    assert_eq!(refused(&seismic), whole);
    let stencil = Generator::Stencil2d { n, rows: 2, columns: 3, iterations };
    let whole = GenerateError::DoesNotDivide { whole: "n", value: 8, parts: "columns", count: 3 };
    assert_eq!(refused(&stencil), whole);
}

#[test]
fn a_radix_beyond_the_width_is_refused() {
    for pattern in [Pattern::Nearest, Pattern::Spread, Pattern::RandomNearest] {
        let bench = TaskBench { pattern, width: 4, steps: 2, radix: 5, flop: 1, bytes: 1 };
        let error = refused(&Generator::TaskBench(bench));
        assert_eq!(error.to_string(), "`radix` = 5 is more than `width` = 4");
    }
}
