//! NStream and conjugate gradients.

use crate::values::{AccessMode, Generator};

use super::{accesses, counts, flop, made, near, of_kind, sockets};

/// Each triad waits for the previous one; with initial tasks all of them also wait for that of their array: 2 I - 1 edges.
#[test]
fn nstream_is_a_chain_for_each_array() {
    let nstream = |init| Generator::Nstream { arrays: 64, array_bytes: 16_000_000, iterations: 20, init };
    assert_eq!(counts(&nstream(false)), (64 * 20, 64 * 19, 20));
    assert_eq!(counts(&nstream(true)), (64 * 21, 64 * 39, 21));
    let graph = made(&nstream(true));
    let (read, update, write) = (AccessMode::In, AccessMode::Inout, AccessMode::Out);
    // The second array: blocks 3, 4 and 5. 32 B move for each element: a twice.
    assert_eq!(accesses(&graph, 1), [(3, write, 16e6, 16e6), (4, write, 16e6, 16e6), (5, write, 16e6, 16e6)]);
    assert_eq!(accesses(&graph, 65), [(3, update, 16e6, 32e6), (4, read, 16e6, 16e6), (5, read, 16e6, 16e6)]);
    // 2e6 elements, 2 FLOP for each.
    near(flop(&graph), 64.0 * 20.0 * 4e6);
    assert_eq!(sockets(&graph, 0..4), [0, 2, 0, 2]);
    assert_eq!(sockets(&graph, 64..67), [0, 2, 0]);
}

fn cg(blocks: u64, iterations: u64, init: bool) -> Generator {
    Generator::Cg { blocks, rows: 3_000_000, nnz_per_row: 27, iterations, init }
}

#[test]
fn cg_has_182_tasks_in_an_iteration() {
    let one = made(&cg(30, 1, false));
    assert_eq!(one.task_count(), 182);
    let kinds = ["spmv", "dot-pq", "alpha", "axpy-x", "axpy-g", "dot-gg", "beta", "update-p"];
    assert_eq!(kinds.map(|kind| of_kind(&one, kind)), [30, 30, 1, 30, 30, 30, 1, 30]);
    assert_eq!(made(&cg(30, 30, true)).task_count(), 30 + 30 * 182);
    // Products: 2 for each of 27 x 3e6 non-zeros. Two sums and three updates: 2 for each row.
    near(flop(&made(&cg(30, 30, true))), 30.0 * (2.0 * 27.0 * 3e6 + 5.0 * 2.0 * 3e6));
}

/// B blocks, one iteration after the initial tasks. RAW: each product from all B initial tasks; the first sum from its product and, for
/// p, from the initial task; alpha from B sums; the update of x from alpha and the initial task (one edge for x and p), that of g from
/// alpha, the product and the initial task; the second sum from the update of g; beta from B sums; the update of p from beta, the update
/// of g and the initial task, and WAR from all B products, the first sum and the update of x, which read p.
#[test]
fn cg_has_the_edges_of_its_formulas() {
    for b in [1, 3, 30] {
        let edges = b * b + 2 * b + b + 2 * b + 3 * b + b + b + (3 * b + b * b + 2 * b);
        // initial task, product, sum, alpha, update of g, sum, beta, update of p.
        let expected = (b + 6 * b + 2, edges, 8);
        assert_eq!(counts(&cg(b as u64, 1, true)), expected, "{b} blocks");
    }
}

#[test]
fn cg_moves_what_the_table_says() {
    // 3 blocks of a million rows. Of block b: 7 b + matrix 0, x 1, g 2, p 3, q 4, pq 5, gg 6; alpha 21, beta 22.
    let graph = made(&cg(3, 1, true));
    let (read, write, update) = (AccessMode::In, AccessMode::Out, AccessMode::Inout);
    let (matrix, vector) = (12.0 * 27e6, 8e6);
    let of = |block, mode| (block, mode, vector, vector);
    let number = |block, mode| (block, mode, 8.0, 8.0);
    let changed = |block| (block, update, vector, 2.0 * vector);
    assert_eq!(accesses(&graph, 1), [(7, write, matrix, matrix), of(8, write), of(9, write), of(10, write)]);
    let product = [(7, read, matrix, matrix), of(3, read), of(10, read), of(17, read), of(11, write)];
    assert_eq!(accesses(&graph, 4), product);
    assert_eq!(accesses(&graph, 7), [of(10, read), of(11, read), number(12, write)]);
    assert_eq!(accesses(&graph, 9), [number(5, read), number(12, read), number(19, read), number(21, write)]);
    assert_eq!(accesses(&graph, 11), [number(21, read), of(10, read), changed(8)]);
    assert_eq!(accesses(&graph, 14), [number(21, read), of(11, read), changed(9)]);
    assert_eq!(accesses(&graph, 17), [of(9, read), number(13, write)]);
    assert_eq!(
        accesses(&graph, 19),
        [number(6, read), number(13, read), number(20, read), number(22, write)]
    );
    assert_eq!(accesses(&graph, 21), [number(22, read), of(9, read), changed(10)]);
    assert_eq!(sockets(&graph, 0..9), [0, 2, 0].repeat(3));
    assert_eq!(sockets(&graph, 9..11), [0, 0]);
    assert_eq!(sockets(&graph, 19..23), [0, 0, 2, 0]);
}
