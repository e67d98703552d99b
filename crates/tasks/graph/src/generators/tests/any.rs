//! Properties of all generators, for any parameters. A debug assertion compares the size of the graph with the announced one.

use crate::values::{Generator, Pattern, TaskBench};
use numasim_model::ids::NodeId;
use proptest::prelude::*;

use crate::generate;

/// With initial tasks and not too large.
fn any_generator() -> impl Strategy<Value = Generator> {
    let small = || 1..7_u64;
    let few = || 0..4_u64;
    let init = true;
    let bench =
        (prop::sample::select(Pattern::ALL.to_vec()), 1..20_u64, 1..20_u64, any::<prop::sample::Index>());
    let bench = bench.prop_map(|(pattern, width, steps, radix)| {
        let radix = radix.index(usize::try_from(width).expect("small") + 1) as u64;
        Generator::TaskBench(TaskBench { pattern, width, steps, radix, flop: 1, bytes: 1 })
    });
    let grid = (small(), small(), few(), few(), any::<bool>());
    prop_oneof![
        grid.prop_map(move |(grid, tile, iterations, control, rows)| if rows {
            Generator::GaussSeidel { grid, tile, iterations, control, init }
        } else {
            Generator::RedBlack { grid, tile, iterations, control, init }
        }),
        (small(), small(), small(), few()).prop_map(move |(blocks, each, columns, iterations)| {
            Generator::Jacobi { blocks, rows: blocks * each, columns, iterations, init }
        }),
        (small(), small(), small(), few()).prop_map(move |(blocks, each, nnz_per_row, iterations)| {
            Generator::Cg { blocks, rows: blocks * each, nnz_per_row, iterations, init }
        }),
        (small(), small(), small())
            .prop_map(move |(grid, tile, bins)| { Generator::IntegralHistogram { grid, tile, bins, init } }),
        (small(), small(), few()).prop_map(move |(arrays, array_bytes, iterations)| {
            Generator::Nstream { arrays, array_bytes, iterations, init }
        }),
        (small(), small(), 0..3_u32).prop_map(move |(n, tile, which)| match which {
            0 => Generator::Qr { n, tile, init },
            1 => Generator::Cholesky { n, tile, init },
            _ => Generator::Smi { n, tile, init },
        }),
        bench,
    ]
}

proptest! {
    #![proptest_config(crate::random::questions(512))]

    #[test]
    fn what_is_read_was_written_before(generator in any_generator(), sockets in 0..5_usize) {
        let sockets: Vec<NodeId> = (0..sockets).map(|socket| NodeId(2 * socket + 1)).collect();
        let graph = generate(&generator, "any", &sockets).expect("a graph");
        let mut written = vec![false; graph.blocks().len()];
        for task in graph.tasks() {
            for access in graph.accesses(task) {
                let block = access.block.0 as usize;
                prop_assert!(written[block] || !access.mode.reads(), "{:?} reads {:?}", task, access.block);
                prop_assert_eq!(access.declared_bytes, graph.blocks()[block].bytes);
                prop_assert!(access.moved_bytes <= 2.0 * access.declared_bytes);
            }
            for access in graph.accesses(task).filter(|access| access.mode.writes()) {
                written[access.block.0 as usize] = true;
            }
            let annotation = graph.socket(task);
            prop_assert!(annotation.map_or(sockets.is_empty(), |node| sockets.contains(&node)));
            prop_assert!(graph.type_name(task) != "init" || graph.gflop(task) == 0.0);
        }
    }
}

/// Programs whose tasks create tasks, not too large.
fn any_tree_program() -> impl Strategy<Value = Generator> {
    let small = || 1..7_u64;
    let (few, chunks) = (|| 0..4_u64, || (1..20_u64).prop_map(Some));
    prop_oneof![
        (small(), small(), chunks(), few()).prop_map(|(rows, nnz, chunks, repeat)| Generator::NpbCg {
            rows,
            nnz,
            chunks,
            repeat
        }),
        (4..8_u64, chunks(), few()).prop_map(|(log2, chunks, repeat)| Generator::NpbMg {
            log2,
            chunks,
            repeat
        }),
        (small(), small(), chunks(), few()).prop_map(|(points, dims, chunks, repeat)| {
            Generator::Streamcluster { points, dims, chunks, repeat }
        }),
        (small(), chunks(), few()).prop_map(|(particles, chunks, repeat)| Generator::Fluidanimate {
            particles,
            chunks,
            repeat
        }),
        (few(), small()).prop_map(|(queries, database)| Generator::Ferret {
            queries,
            database,
            load_flop: 1000
        }),
        (small(), small(), small(), few()).prop_map(|(each, rows, columns, iterations)| {
            Generator::Stencil2d { n: each * rows * columns, rows, columns, iterations }
        }),
        (small(), small(), small(), few()).prop_map(|(each, blocks, strips, iterations)| {
            let n = each * blocks * strips;
            Generator::Seismic { n, blocks: Some(blocks), strips: Some(strips), iterations }
        }),
    ]
}

proptest! {
    #![proptest_config(crate::random::questions(256))]

    #[test]
    fn tasks_are_created_by_earlier_ones_near_blocks_that_are_hinted_alike(
        generator in any_tree_program(),
        sockets in 1..5_usize,
    ) {
        let sockets: Vec<NodeId> = (0..sockets).map(|socket| NodeId(2 * socket + 1)).collect();
        let graph = generate(&generator, "any", &sockets).expect("a graph");
        prop_assert_eq!(graph.misplaced(), None);
        for (number, block) in (0..).zip(graph.blocks()) {
            let hint = graph.hint(crate::values::BlockId(number));
            // The input of ferret has no bytes and no hint.
            let is_input = block.bytes == 0.0 && hint.is_none();
            prop_assert!(is_input || (block.bytes > 0.0 && hint.is_some_and(|node| sockets.contains(&node))));
        }
        for task in graph.tasks() {
            prop_assert!(graph.created_by(task).is_none_or(|creator| creator < task));
            prop_assert!(!graph.taskwait(task) || graph.created_by(task).is_none());
            prop_assert!(graph.affinity(task).is_none_or(|node| sockets.contains(&node)));
            // The data that a task changes is on its node.
            for access in graph.accesses(task) {
                prop_assert!(access.moved_bytes <= 2.0 * access.declared_bytes);
                if access.mode.writes() {
                    prop_assert_eq!(graph.hint(access.block), graph.affinity(task));
                }
            }
        }
        // The children of all tasks, and the tasks of the master, are all tasks.
        let children: usize = graph.tasks().map(|task| graph.children(task).len()).sum();
        let of_master = graph.tasks().filter(|&task| graph.created_by(task).is_none()).count();
        prop_assert_eq!(children + of_master, graph.task_count());
    }
}
