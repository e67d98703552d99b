//! Patterns of Task Bench: counts of edges in closed form, and single relations by hand.

use super::super::task_bench::{reads_of, row_ends};
use super::{accesses, made, sockets};
use crate::Dependencies;
use crate::values::{Generator, Pattern, TaskBench};

fn bench(pattern: Pattern, width: u64, steps: u64, radix: u64) -> TaskBench {
    TaskBench { pattern, width, steps, radix, flop: 1_000_000, bytes: 64 }
}

/// Tasks and edges of the graph.
fn made_counts(bench: &TaskBench) -> (u64, u64) {
    let graph = made(&Generator::TaskBench(bench.clone()));
    let dependencies = Dependencies::of(&graph).expect("few edges");
    (graph.task_count() as u64, dependencies.edge_count() as u64)
}

/// W tasks in each of T rows; the number of edges between two rows, multiplied by the number of pairs of rows.
#[test]
fn full_rows_have_edges_in_closed_form() {
    for (w, t) in [(1, 4), (2, 3), (3, 5), (8, 9), (13, 4)] {
        let steps = t - 1;
        let check = |pattern, radix, edges: u64| {
            let found = made_counts(&bench(pattern, w, t, radix));
            assert_eq!(found, (w * t, edges), "{pattern:?}, {w} x {t}, radix {radix}");
        };
        check(Pattern::Trivial, 0, 0);
        check(Pattern::NoComm, 0, w * steps);
        check(Pattern::Stencil, 0, (3 * w - 2) * steps);
        // A ring of two has two pairs that meet twice.
        check(Pattern::StencilPeriodic, 0, w * w.min(3) * steps);
        check(Pattern::AllToAll, 0, w * w * steps);
        // Distances 1, 2, 4 ... below w in turn; w - d pairs have the distance d, and each is an edge both ways.
        let distances: Vec<u64> = (0..8).map(|set| 1 << set).filter(|&d| d < w).collect();
        let of_row = |step: u64| {
            let set = usize::try_from(step).expect("small").checked_rem(distances.len());
            w + 2 * set.map_or(0, |set| w - distances[set])
        };
        check(Pattern::Fft, 0, (0..steps).map(of_row).sum());
        for radix in 1..=w {
            // r / 2 to the left and (r - 1) / 2 to the right; at the ends 1 + 2 + ... of them are outside.
            let (left, right) = (radix / 2, (radix - 1) / 2);
            let outside = left * (left + 1) / 2 + right * (right + 1) / 2;
            check(Pattern::Nearest, radix, (w * radix - outside) * steps);
            check(Pattern::Spread, radix, w * radix * steps);
        }
        check(Pattern::Nearest, 0, 0);
        check(Pattern::Spread, 0, 0);
        check(Pattern::RandomNearest, 0, 0);
    }
}

/// T >= 2 W - 1 rows. Growing: 2 t edges to row t = 1 .. W - 1, W (W - 1) in total, and as many while it shrinks; in between 2 W - 1 for
/// each row. Tasks: W for each row except W (W - 1) that the two corners lack.
#[test]
fn a_domain_grows_and_shrinks() {
    for (w, t) in [(1, 5), (2, 3), (3, 5), (4, 20)] {
        let edges = 2 * w * (w - 1) + (t + 1 - 2 * w) * (2 * w - 1);
        assert_eq!(made_counts(&bench(Pattern::Dom, w, t, 0)), (w * t - w * (w - 1), edges), "{w} x {t}");
    }
    let dom = bench(Pattern::Dom, 3, 5, 0);
    let rows: Vec<_> = (0..5).map(|step| row_ends(&dom, step)).collect();
    assert_eq!(rows, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]);
    assert_eq!(reads_of(&dom, 1, 1), [0]);
    assert_eq!(reads_of(&dom, 3, 1), [0, 1]);
}

/// 1, 2, 4 ... tasks up to the width, each of which waits for one.
#[test]
fn a_tree_doubles_until_it_is_as_wide_as_it_may_be() {
    let tree = bench(Pattern::Tree, 6, 5, 0);
    // 1 + 2 + 4 + 6 + 6.
    assert_eq!(made_counts(&tree), (19, 18));
    assert_eq!((reads_of(&tree, 2, 3), reads_of(&tree, 4, 5)), (vec![1], vec![2]));
}

/// `spread` with radix 3 on 9 points: 0, 3 and 6 further, the last two shifted by 0, 1 and 2 in turn.
#[test]
fn relations_are_those_of_the_definition() {
    let spread = bench(Pattern::Spread, 9, 5, 3);
    assert_eq!(reads_of(&spread, 3, 1), [1, 4, 7]);
    assert_eq!(reads_of(&spread, 1, 1), [1, 5, 8]);
    assert_eq!(reads_of(&spread, 2, 1), [0, 1, 6]);
    let fft = bench(Pattern::Fft, 8, 5, 0);
    let sets: Vec<_> = (1..5).map(|step| reads_of(&fft, step, 3)).collect();
    assert_eq!(sets, [vec![2, 3, 4], vec![1, 3, 5], vec![3, 7], vec![2, 3, 4]]);
    let nearest = bench(Pattern::Nearest, 9, 2, 4);
    assert_eq!((reads_of(&nearest, 1, 4), reads_of(&nearest, 1, 0)), (vec![2, 3, 4, 5], vec![0, 1]));
}

/// Itself always, a quarter of the other candidates, none outside of the radix; three sets take turns.
#[test]
fn drawn_relations_are_a_quarter_of_the_nearest() {
    let random = bench(Pattern::RandomNearest, 1000, 9, 21);
    let mut others = 0;
    for point in 0..1000 {
        let found = reads_of(&random, 1, point);
        assert!(found.contains(&point) && found.iter().all(|other| other.abs_diff(point) <= 10));
        assert_eq!(found, reads_of(&random, 4, point), "the sets repeat after three rows");
        others += found.len() - 1;
    }
    // 20 candidates for each of 1000 points less 110 outside: a quarter is 4972; one in 10^9 draws is more than 366 off.
    assert!((4606..=5338).contains(&others), "{others}");
    assert_ne!(reads_of(&random, 1, 500), reads_of(&random, 2, 500));
}

#[test]
fn a_task_writes_its_block_and_reads_those_it_depends_on() {
    let graph = made(&Generator::TaskBench(bench(Pattern::Stencil, 4, 2, 0)));
    let blocks: Vec<u32> = accesses(&graph, 5).iter().map(|access| access.0).collect();
    assert_eq!(blocks, [0, 1, 2, 5]);
    assert!(accesses(&graph, 5).iter().all(|access| (access.2, access.3) == (64.0, 64.0)));
    assert!(graph.tasks().all(|task| graph.gflop(task) == 1e-3));
    assert_eq!(sockets(&graph, 0..8), [0, 0, 2, 2, 0, 0, 2, 2]);
}
