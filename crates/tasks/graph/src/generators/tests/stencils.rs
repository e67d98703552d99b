//! Gauss-Seidel, Red-Black, Jacobi, integral histogram.

use crate::values::{AccessMode, Generator};
use numasim_model::ids::NodeId;

use super::{accesses, counts, flop, made, near, of_kind, sockets};
use crate::generate;

fn gauss_seidel(grid: u64, iterations: u64, control: u64, init: bool) -> Generator {
    Generator::GaussSeidel { grid, tile: 512, iterations, control, init }
}

/// Test G-2. One iteration of G x G tiles: each of the 2 G (G - 1) pairs of neighbours is one edge, and the last tile is 2 G - 1 tasks
/// after the first one; each further iteration begins 2 tasks later.
#[test]
fn gauss_seidel_has_the_published_counts_and_spans() {
    assert_eq!(counts(&gauss_seidel(8, 1, 0, false)), (64, 112, 15));
    assert_eq!(counts(&gauss_seidel(8, 3, 0, false)), (192, 688, 19));
    assert_eq!(counts(&gauss_seidel(8, 3, 0, true)), (256, 864, 20));
    assert_eq!(counts(&gauss_seidel(16, 20, 0, true)), (5376, 24_320, 70));
    // Control tasks access nothing.
    assert_eq!(counts(&gauss_seidel(16, 20, 1, true)), (5377, 24_320, 70));
    assert_eq!(counts(&gauss_seidel(1, 3, 0, false)), (3, 2, 3));
}

#[test]
fn a_tile_is_updated_and_the_borders_of_its_neighbours_are_read() {
    // 3 x 3 tiles of 512: 8 x 512^2 = 2097152 B; a border is 4096 B.
    let graph = made(&gauss_seidel(3, 1, 1, true));
    let (tile, halo) = (2_097_152.0, 4096.0);
    let read = |block| (block, AccessMode::In, tile, halo);
    // Task 0 is the control task, 1 to 9 write the tiles. The middle reads up, down, left, right.
    assert_eq!(accesses(&graph, 0), []);
    assert_eq!(accesses(&graph, 5), [(4, AccessMode::Out, tile, tile)]);
    let middle = (4, AccessMode::Inout, tile, 2.0 * tile);
    assert_eq!(accesses(&graph, 14), [middle, read(1), read(7), read(3), read(5)]);
    let corner = (2, AccessMode::Inout, tile, 2.0 * tile);
    assert_eq!(accesses(&graph, 12), [corner, read(5), read(1)]);
    // 4 T^2 for each of 9 tiles.
    near(flop(&graph), 9.0 * 4.0 * 512.0 * 512.0);
}

/// Above the diagonal is the second socket; paper 001 never divides among more than two, and one machine has only one.
#[test]
fn a_grid_is_divided_along_its_diagonal() {
    let generator = gauss_seidel(3, 1, 1, true);
    let graph = made(&generator);
    let tiles = [0, 2, 2, 0, 0, 2, 0, 0, 0];
    assert_eq!(sockets(&graph, 0..1), [0]);
    assert_eq!(sockets(&graph, 1..10), tiles);
    assert_eq!(sockets(&graph, 10..19), tiles);
    let one = generate(&generator, "one", &[NodeId(3)]).expect("a graph");
    assert_eq!(sockets(&one, 0..19), [3; 19]);
    let four = generate(&generator, "four", &[0, 1, 2, 3].map(NodeId)).expect("a graph");
    assert_eq!(sockets(&four, 10..19), [0, 1, 1, 0, 0, 1, 0, 0, 0]);
    let none = generate(&generator, "none", &[]).expect("a graph");
    assert!(none.tasks().all(|task| none.socket(task).is_none()));
}

#[test]
fn red_black_has_the_published_counts_and_its_order() {
    let generator = Generator::RedBlack { grid: 8, tile: 512, iterations: 3, control: 0, init: true };
    assert_eq!(counts(&generator), (256, 864, 7));
    let graph = made(&Generator::RedBlack { grid: 2, tile: 4, iterations: 1, control: 0, init: false });
    let order: Vec<u32> = (0..4).map(|task| accesses(&graph, task)[0].0).collect();
    assert_eq!(order, [0, 3, 1, 2]);
    assert_eq!((of_kind(&graph, "red"), of_kind(&graph, "black")), (2, 2));
}

#[test]
fn jacobi_has_the_published_counts() {
    let generator = Generator::Jacobi { blocks: 150, rows: 9600, columns: 8192, iterations: 10, init: true };
    assert_eq!(counts(&generator), (1652, 5850, 11));
    // 5 for each of 9600 x 8192 points, 10 times.
    near(flop(&made(&generator)), 10.0 * 5.0 * 9600.0 * 8192.0);
}

#[test]
fn jacobi_reads_a_row_of_each_neighbour_and_swaps_old_and_new() {
    // 3 blocks of 4 rows of 10 points: a row has 80 B, a block 320 B. Blocks: top 0, bottom 1, old 2 3 4, new 5 6 7.
    let graph = made(&Generator::Jacobi { blocks: 3, rows: 12, columns: 10, iterations: 2, init: true });
    let (read, write) = (AccessMode::In, AccessMode::Out);
    assert_eq!(accesses(&graph, 0), [(0, write, 80.0, 80.0)]);
    assert_eq!(accesses(&graph, 2), [(2, write, 320.0, 320.0)]);
    let row = |block| (block, read, 320.0, 80.0);
    let border = |block| (block, read, 80.0, 80.0);
    let (old, new) = ((2, read, 320.0, 320.0), (5, write, 320.0, 320.0));
    assert_eq!(accesses(&graph, 5), [border(0), row(3), old, new]);
    assert_eq!(accesses(&graph, 7), [row(3), border(1), (4, read, 320.0, 320.0), (7, write, 320.0, 320.0)]);
    // The second iteration reads the blocks that the first one wrote.
    let (old, new) = ((6, read, 320.0, 320.0), (3, write, 320.0, 320.0));
    assert_eq!(accesses(&graph, 9), [row(5), row(7), old, new]);
    // The bottom belongs to the last block: 2 mod 2.
    assert_eq!(sockets(&graph, 0..5), [0, 0, 0, 2, 0]);
    assert_eq!(sockets(&graph, 5..8), [0, 2, 0]);
}

/// First: a histogram of each tile (RAW from its image). Sums along rows: RAW from the tile and from its left neighbour, G (G - 1) of
/// them. Sums along columns: RAW from the tile and from the one above, and WAR from the sum to the right, which read the tile.
#[test]
fn an_integral_histogram_has_three_tasks_for_each_tile() {
    for g in [1_u32, 2, 5] {
        let generator = Generator::IntegralHistogram { grid: u64::from(g), tile: 256, bins: 32, init: true };
        // Image, histogram, g sums to the right, and in the last column g downwards.
        let span = 2 + 2 * g;
        let (tiles, pairs) = ((g * g) as usize, (g * (g - 1)) as usize);
        assert_eq!(counts(&generator), (4 * tiles, 3 * tiles + 3 * pairs, span));
    }
    let graph = made(&Generator::IntegralHistogram { grid: 2, tile: 256, bins: 32, init: false });
    let (pixels, all, border) = (65_536.0, 8_388_608.0, 32_768.0);
    let tile = |block| (block, AccessMode::Inout, all, 2.0 * all);
    // Blocks: 4 images, 4 histograms.
    assert_eq!(accesses(&graph, 1), [(1, AccessMode::In, pixels, pixels), (5, AccessMode::Out, all, all)]);
    assert_eq!(accesses(&graph, 4), [tile(4)]);
    assert_eq!(accesses(&graph, 7), [tile(7), (6, AccessMode::In, all, border)]);
    assert_eq!(accesses(&graph, 9), [tile(5)]);
    assert_eq!(accesses(&graph, 11), [tile(7), (5, AccessMode::In, all, border)]);
    assert_eq!(sockets(&graph, 0..12), [0, 2].repeat(6));
    // T^2 to count, bins T^2 for each of two sums.
    near(flop(&graph), 4.0 * pixels * 65.0);
}
