//! QR, Cholesky, inverse of a symmetric matrix.

use crate::values::{AccessMode, Generator, TaskGraph};

use super::{accesses, counts, flop, made, near, of_kind, sockets};

const TILE: u64 = 512;

fn qr(n: u64, init: bool) -> Generator {
    Generator::Qr { n, tile: TILE, init }
}

fn cholesky(n: u64, init: bool) -> Generator {
    Generator::Cholesky { n, tile: TILE, init }
}

fn smi(n: u64, init: bool) -> Generator {
    Generator::Smi { n, tile: TILE, init }
}

/// Blocks of the accesses of some tasks, the last one being changed.
fn blocks(graph: &TaskGraph, tasks: std::ops::Range<u32>) -> Vec<Vec<u32>> {
    tasks.map(|task| accesses(graph, task).iter().map(|access| access.0).collect()).collect()
}

fn kinds(graph: &TaskGraph) -> Vec<&str> {
    graph.tasks().map(|task| graph.type_name(task)).collect()
}

/// Test G-2: n (n + 1) (2 n + 1) / 6 tasks, span 4 n - 3.
#[test]
fn qr_has_the_published_counts_and_spans() {
    assert_eq!(counts(&qr(1, false)), (1, 0, 1));
    assert_eq!(counts(&qr(4, false)), (30, 60, 13));
    assert_eq!(counts(&qr(16, false)), (1496, 4080, 61));
    let graph = made(&qr(16, true));
    assert_eq!(graph.task_count(), 1496 + 256);
    // n, n (n - 1) / 2 twice, and the sum of the squares below n: 16, 120, 120, 1240.
    let found = ["geqrt", "unmqr", "tsqrt", "tsmqr"].map(|kind| of_kind(&graph, kind));
    assert_eq!(found, [16, 120, 120, 1240]);
    let cube = 512.0_f64.powi(3);
    near(flop(&graph), cube * (2.0 * 16.0 + 3.0 * 120.0 + 10.0 / 3.0 * 120.0 + 5.0 * 1240.0));
}

#[test]
fn qr_of_two_by_two_tiles_in_its_order() {
    // Tiles 00 01 10 11 are blocks 0 to 3.
    let graph = made(&qr(2, false));
    assert_eq!(kinds(&graph), ["geqrt", "unmqr", "tsqrt", "tsmqr", "geqrt"]);
    assert_eq!(blocks(&graph, 0..5), [&[0][..], &[0, 1], &[0, 2], &[2, 1, 3], &[3]]);
    let (read, update) = (AccessMode::In, AccessMode::Inout);
    let bytes = 8.0 * 512.0 * 512.0;
    let changed = |block| (block, update, bytes, 2.0 * bytes);
    assert_eq!(accesses(&graph, 1), [(0, read, bytes, bytes), changed(1)]);
    assert_eq!(accesses(&graph, 2), [changed(0), changed(2)]);
    assert_eq!(accesses(&graph, 3), [(2, read, bytes, bytes), changed(1), changed(3)]);
    // The row of the last tile; initial tasks are on the socket of their tile.
    assert_eq!(sockets(&graph, 0..5), [0, 0, 2, 2, 2]);
    assert_eq!(sockets(&made(&qr(2, true)), 0..4), [0, 0, 2, 2]);
}

/// Test G-2: n (n + 1) (n + 2) / 6 tasks, span 3 n - 2.
#[test]
fn cholesky_has_the_published_counts_and_spans() {
    assert_eq!(counts(&cholesky(1, false)), (1, 0, 1));
    assert_eq!(counts(&cholesky(4, false)), (20, 30, 10));
    assert_eq!(counts(&cholesky(16, false)), (816, 2040, 46));
    assert_eq!(made(&cholesky(16, true)).task_count(), 816 + 136);
}

/// A matrix of order N = n T: the sum over all tasks is exactly N^3 / 3; each of the two other stages takes as much.
#[test]
fn dense_work_is_that_of_the_whole_matrix() {
    for n in [1_u32, 2, 5, 16] {
        let order = f64::from(n) * 512.0;
        near(flop(&made(&cholesky(u64::from(n), true))), order.powi(3) / 3.0);
        near(flop(&made(&smi(u64::from(n), true))), order.powi(3));
    }
}

#[test]
fn cholesky_of_three_by_three_tiles_in_its_order() {
    // Tiles 00, 10, 11, 20, 21, 22 are blocks 0 to 5.
    let graph = made(&cholesky(3, false));
    let expected = ["potrf", "trsm", "trsm", "syrk", "gemm", "syrk", "potrf", "trsm", "syrk", "potrf"];
    assert_eq!(kinds(&graph), expected);
    let first = [&[0][..], &[0, 1], &[0, 3], &[1, 2], &[3, 1, 4], &[3, 5]];
    assert_eq!(blocks(&graph, 0..6), first);
    assert_eq!(blocks(&graph, 6..10), [&[2][..], &[2, 4], &[4, 5], &[5]]);
    assert_eq!(sockets(&graph, 0..10), [0, 2, 2, 0, 0, 2, 0, 0, 2, 2]);
}

#[test]
fn smi_has_2448_tasks_and_three_stages() {
    assert_eq!(made(&smi(16, false)).task_count(), 2448);
    let graph = made(&smi(16, true));
    assert_eq!(graph.task_count(), 2448 + 136);
    let names = ["potrf", "trsm", "syrk", "gemm", "trtri", "trmm", "lauum"];
    // trsm: 120 of Cholesky, 120 below and 120 left of the diagonal; gemm: 560 in each stage.
    assert_eq!(names.map(|kind| of_kind(&graph, kind)), [16, 360, 240, 1680, 16, 120, 16]);
}

#[test]
fn smi_of_two_by_two_tiles_in_its_order() {
    // Tiles 00, 10, 11 are blocks 0 to 2.
    let graph = made(&smi(2, false));
    let expected = [
        ("potrf", &[0][..]),
        ("trsm", &[0, 1]),
        ("syrk", &[1, 2]),
        ("potrf", &[2]),
        // The inverse of the triangle.
        ("trsm", &[0, 1]),
        ("trtri", &[0]),
        ("trsm", &[2, 1]),
        ("trtri", &[2]),
        // The product.
        ("lauum", &[0]),
        ("syrk", &[1, 0]),
        ("trmm", &[2, 1]),
        ("lauum", &[2]),
    ];
    let found: Vec<_> = kinds(&graph).into_iter().zip(blocks(&graph, 0..12)).collect();
    let found: Vec<_> = found.iter().map(|(kind, blocks)| (*kind, blocks.as_slice())).collect();
    assert_eq!(found, expected);
}

/// The stages on numbers: tiles of 1 x 1, where `trsm` divides, `trtri` inverts and so on, make the inverse of the matrix.
#[test]
fn smi_inverts_a_matrix_of_numbers() {
    let n = 4;
    let number = |i: usize, j: usize| i * (i + 1) / 2 + j;
    // Symmetric and positive definite: large on the diagonal.
    let entry = |i: usize, j: usize| if i == j { 5.0 + i as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) };
    let mut tile: Vec<f64> = (0..n).flat_map(|i| (0..=i).map(move |j| entry(i, j))).collect();
    let graph = made(&smi(n as u64, false));
    // Cholesky, then the work of each kind in the second and third stage; minus signs and sides as in LAPACK's dtrtri and dlauum.
    let stage_tasks = graph.task_count() / 3;
    for (at, task) in graph.tasks().enumerate() {
        let b: Vec<usize> = accesses(&graph, task.0).iter().map(|access| access.0 as usize).collect();
        let last = *b.last().expect("a tile");
        let stage = at / stage_tasks;
        tile[last] = match (graph.type_name(task), stage, b.as_slice()) {
            ("potrf", 0, [_]) => tile[last].sqrt(),
            ("syrk", 0, [ik, _]) => tile[last] - tile[*ik] * tile[*ik],
            ("gemm", 0, [ik, jk, _]) => tile[last] - tile[*ik] * tile[*jk],
            // Below the diagonal of column k with a minus sign, left of it without.
            ("trsm", 1, [kk, ik])
                if (0..n).any(|k| *kk == number(k, k) && (k + 1..n).any(|i| *ik == number(i, k))) =>
            {
                -tile[last] / tile[*kk]
            }
            ("trsm", _, [kk, _]) => tile[last] / tile[*kk],
            ("gemm", 1, [ik, kj, _]) => tile[last] + tile[*ik] * tile[*kj],
            ("trtri", 1, [_]) => 1.0 / tile[last],
            ("syrk", 2, [ki, _]) => tile[last] + tile[*ki] * tile[*ki],
            ("gemm", 2, [ki, kj, _]) => tile[last] + tile[*ki] * tile[*kj],
            ("trmm", 2, [kk, _]) => tile[last] * tile[*kk],
            ("lauum", 2, [_]) => tile[last] * tile[last],
            other => unreachable!("{other:?}"),
        };
    }
    let inverse = |i: usize, j: usize| if i >= j { tile[number(i, j)] } else { tile[number(j, i)] };
    for i in 0..n {
        for j in 0..n {
            let product: f64 = (0..n).map(|k| entry(i, k) * inverse(k, j)).sum();
            let unit = if i == j { 1.0 } else { 0.0 };
            assert!((product - unit).abs() < 1e-12, "row {i}, column {j}: {product}");
        }
    }
}
