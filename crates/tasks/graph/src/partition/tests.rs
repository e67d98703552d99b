//! Windows whose partition is known by hand.

use crate::values::{Partitioner, Ties};

use super::*;

/// Two sockets with the same number of cores.
fn two() -> Sockets {
    Sockets::given(&[2, 2], &[10.0, 20.0, 20.0, 10.0])
}

fn ask(graph: &WindowGraph, sockets: &Sockets, fixed: &[Option<u32>], ties: Ties) -> Vec<u32> {
    let window = Window { graph, sockets, fixed, ties, seed: 1, number: 0 };
    partition(&window, Partitioner::Recursive).expect("a partition")
}

fn sizes(parts: &[u32], sockets: usize) -> Vec<usize> {
    (0..sockets).map(|socket| parts.iter().filter(|&&part| part as usize == socket).count()).collect()
}

/// Figure 3.6 of paper 001: Jacobi with 12 blocks (64 B) and 2 borders (1 B), a window of 18 tasks: borders 0 and 1, initial tasks 2 to
/// 13, and computations 14 to 17, which read their block and both neighbours, the first one the border. 18 / 2 = 9 with 5 % more is still
/// 9. 10 tasks have edges; one of them has to be on the other side, and the border is the cheapest: one edge of 1 B is cut.
#[test]
fn the_window_of_figure_3_6_is_cut_at_a_border() {
    let block = |b: u32| 2 + b;
    let mut edges = vec![(0, 14, 1.0)];
    for compute in 0..4_u32 {
        // Of neighbouring blocks it declares one row here, of its block all rows.
        edges.extend((compute > 0).then(|| (block(compute - 1), 14 + compute, 1.0)));
        edges.push((block(compute), 14 + compute, 64.0));
        edges.push((block(compute + 1), 14 + compute, 1.0));
    }
    let all: Vec<(u32, u32, f64)> =
        edges.iter().map(|&(from, to, _)| (from, to, if from == 0 { 1.0 } else { 64.0 })).collect();
    let graph = WindowGraph::new(18, &all);
    for ties in Ties::ALL {
        let parts = ask(&graph, &two(), &[], ties);
        let cost = cost(&graph, &two(), &parts);
        assert_eq!((sizes(&parts, 2), cost.cut_edges, cost.cut_bytes), (vec![9, 9], 1, 1.0), "{parts:?}");
        // Both borders are together with the initial tasks of blocks 5 to 11.
        let with_border: Vec<u32> = (0..18).filter(|&task| parts[task as usize] == parts[0]).collect();
        assert_eq!(with_border, [0, 1, 7, 8, 9, 10, 11, 12, 13]);
    }
    // With one row declared of neighbours other cuts are as cheap.
    let graph = WindowGraph::new(18, &edges);
    let parts = ask(&graph, &two(), &[], Ties::Order);
    assert_eq!((sizes(&parts, 2), cost(&graph, &two(), &parts).cut_bytes), (vec![9, 9], 1.0));
}

/// Triads of 2k arrays: init a, b, c, then two iterations that read all three (old values of a from the previous one).
#[test]
fn equal_components_stay_whole_and_are_shared_out_evenly() {
    for (arrays, sockets) in [(2, 2), (10, 2), (40, 2), (150, 2), (16, 4), (100, 4)] {
        let machine = Sockets::given(&vec![4; sockets], &{
            let mut distances = vec![20.0; sockets * sockets];
            (0..sockets).for_each(|socket| distances[socket * sockets + socket] = 10.0);
            distances
        });
        // Tasks in the order of creation: 3 initial ones for each array, then the iterations of all.
        let init = |array: u32, of: u32| 3 * array + of;
        let triad = |array: u32, iteration: u32| 3 * arrays + iteration * arrays + array;
        let mut edges = Vec::new();
        for array in 0..arrays {
            edges.extend((0..3).map(|of| (init(array, of), triad(array, 0), 16e6)));
            edges.push((triad(array, 0), triad(array, 1), 16e6));
            edges.extend((1..3).map(|of| (init(array, of), triad(array, 1), 16e6)));
        }
        let graph = WindowGraph::new(5 * arrays as usize, &edges);
        for ties in Ties::ALL {
            let parts = ask(&graph, &machine, &[], ties);
            assert_eq!(cost(&graph, &machine, &parts).cut_edges, 0, "{arrays} arrays on {sockets}");
            assert_eq!(sizes(&parts, sockets), vec![5 * arrays as usize / sockets; sockets]);
        }
    }
}

#[test]
fn without_edges_sockets_get_consecutive_groups() {
    let uneven = Sockets::given(&[1, 3], &[10.0, 20.0, 20.0, 10.0]);
    let graph = WindowGraph::new(8, &[]);
    for ties in Ties::ALL {
        assert_eq!(ask(&graph, &uneven, &[], ties), [0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(ask(&graph, &two(), &[None, Some(1), Some(1), None], ties), [0, 1, 1, 0, 0, 0, 1, 1]);
    }
    assert_eq!(ask(&WindowGraph::new(0, &[]), &two(), &[], Ties::Order), [0_u32; 0]);
}

/// Two fixed tasks on different sockets, each with a chain of three: the chains go to the socket of their fixed task.
#[test]
fn fixed_tasks_stay_and_pull_their_neighbours() {
    let edges = [(0, 2, 1.0), (2, 4, 1.0), (4, 6, 1.0), (1, 3, 1.0), (3, 5, 1.0), (5, 7, 1.0)];
    let graph = WindowGraph::new(8, &edges);
    for (first, second) in [(0, 1), (1, 0)] {
        let parts = ask(&graph, &two(), &[Some(first), Some(second)], Ties::Random);
        assert_eq!(parts, [first, second].repeat(4));
    }
}

/// Four sockets in two packages, (0, 2) and (1, 3): a ring of four groups of three tasks. Neighbours in the ring share 10 B, of which as
/// few as possible should cross between the packages: 2 of the 4 connections must.
#[test]
fn groups_that_share_data_go_to_near_sockets() {
    let far = 40.0;
    let distances = [10.0, far, 20.0, far, far, 10.0, far, 20.0, 20.0, far, 10.0, far, far, 20.0, far, 10.0];
    let sockets = Sockets::given(&[2; 4], &distances);
    let mut edges = Vec::new();
    for group in 0..4_u32 {
        let of = |member| 3 * group + member;
        edges.extend([(of(0), of(1), 100.0), (of(1), of(2), 100.0), (of(2), of(0), 100.0)]);
        // Heavier between 0 and 1, and between 2 and 3.
        edges.push((of(2), (3 * group + 3) % 12, if group % 2 == 0 { 10.0 } else { 9.0 }));
    }
    let graph = WindowGraph::new(12, &edges);
    for ties in Ties::ALL {
        let parts = ask(&graph, &sockets, &[], ties);
        let cost = cost(&graph, &sockets, &parts);
        // 12 x 100 x 10 within, 2 x 10 x 20 in a package, 2 x 9 x 40 across.
        assert_eq!(cost.weighted, 12_000.0 + 400.0 + 720.0, "{parts:?}");
    }
}

/// A ring of 40 equal tasks, not in creation order: any two opposite edges are a best cut.
#[test]
fn the_same_seed_gives_the_same_parts() {
    let edges: Vec<(u32, u32, f64)> = (0..40).map(|task| (task, (task + 7) % 40, 1.0)).collect();
    let (graph, sockets) = (WindowGraph::new(40, &edges), two());
    let ask = |ties, seed, number| {
        let window = Window { graph: &graph, sockets: &sockets, fixed: &[], ties, seed, number };
        partition(&window, Partitioner::Recursive).expect("a partition")
    };
    assert_eq!(ask(Ties::Random, 1, 0), ask(Ties::Random, 1, 0));
    let others = |ties| (2..10).filter(|&other| ask(ties, other, 0) != ask(ties, 1, 0)).count();
    let windows = |ties| (2..10).filter(|&other| ask(ties, 1, other) != ask(ties, 1, 0)).count();
    assert!(others(Ties::Random) > 0 && windows(Ties::Random) > 0);
    assert_eq!((others(Ties::Order), windows(Ties::Order)), (0, 0));
}

#[test]
fn a_machine_without_cores_has_no_partition() {
    let graph = WindowGraph::new(1, &[]);
    let sockets = Sockets::given(&[], &[]);
    let window =
        Window { graph: &graph, sockets: &sockets, fixed: &[], ties: Ties::Order, seed: 1, number: 0 };
    assert_eq!(partition(&window, Partitioner::Recursive), Err(PartitionError::NoSockets));
}

/// A grid of 40 x 25 in 4 parts: METIS cuts about 79 edges (two cuts through the middle would be 65).
#[cfg(feature = "metis")]
#[test]
fn metis_cuts_a_grid_with_few_edges() {
    let (columns, rows) = (40_u32, 25_u32);
    let at = |row: u32, column: u32| row * columns + column;
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            edges.extend((column > 0).then(|| (at(row, column - 1), at(row, column), 1.0)));
            edges.extend((row > 0).then(|| (at(row - 1, column), at(row, column), 1.0)));
        }
    }
    let graph = WindowGraph::new(1000, &edges);
    let mut distances = vec![20.0; 16];
    (0..4).for_each(|socket| distances[5 * socket] = 10.0);
    let sockets = Sockets::given(&[4; 4], &distances);
    let window =
        Window { graph: &graph, sockets: &sockets, fixed: &[], ties: Ties::Order, seed: 1, number: 0 };
    for partitioner in Partitioner::ALL {
        let parts = partition(&window, partitioner).expect("a partition");
        let cut = cost(&graph, &sockets, &parts).cut_edges;
        assert!((60..=95).contains(&cut), "{}: {cut}", partitioner.as_str());
    }
}

/// METIS draws from numbers that all threads share.
#[cfg(feature = "metis")]
#[test]
fn metis_finds_the_same_parts_beside_other_threads() {
    let edges: Vec<(u32, u32, f64)> = (0..600)
        .map(|task| (task % 200, (7 * task + task / 200 + 1) % 200, f64::from(task % 3 + 1)))
        .collect();
    let (graph, sockets) = (WindowGraph::new(200, &edges), two());
    let ask = |seed| {
        let window =
            Window { graph: &graph, sockets: &sockets, fixed: &[], ties: Ties::Random, seed, number: 0 };
        partition(&window, Partitioner::Metis).expect("a partition")
    };
    let alone = ask(5);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| (0..50).for_each(|_| assert_eq!(ask(5), alone)));
        }
    });
}

/// METIS alone prints lines on standard output if a subset is left without tasks.
#[cfg(feature = "metis")]
#[test]
#[ignore = "asked by the next test, in a process of its own"]
fn small_windows_by_metis() {
    for tasks in 2..=64_u32 {
        for sockets in [2_usize, 3, 4, 5, 7, 8, 16] {
            let mut distances = vec![20.0; sockets * sockets];
            (0..sockets).for_each(|socket| distances[socket * sockets + socket] = 10.0);
            // Equal sockets, and one that is larger than all others together.
            let uneven: Vec<u32> = (0..sockets).map(|socket| if socket == 0 { 24 } else { 1 }).collect();
            for cores in [vec![2; sockets], uneven] {
                let sockets = Sockets::given(&cores, &distances);
                let star: Vec<_> = (1..tasks).map(|task| (0, task, 1.0)).collect();
                let chain: Vec<_> = (1..tasks).map(|task| (task - 1, task, 64.0)).collect();
                let pairs: Vec<_> = (0..tasks / 2).map(|pair| (2 * pair, 2 * pair + 1, 8.0)).collect();
                let mesh: Vec<_> = (0..3 * tasks)
                    .map(|edge| {
                        (edge % tasks, (7 * edge + edge / tasks + 1) % tasks, f64::from(edge % 5 + 1))
                    })
                    .collect();
                for edges in [star, chain, pairs, mesh] {
                    let graph = WindowGraph::new(tasks as usize, &edges);
                    for seed in 0..4 {
                        let window = Window {
                            graph: &graph,
                            sockets: &sockets,
                            fixed: &[],
                            ties: Ties::Random,
                            seed,
                            number: 0,
                        };
                        let parts = partition(&window, Partitioner::Metis).expect("a partition");
                        assert_eq!(parts.len(), tasks as usize);
                    }
                }
            }
        }
    }
}

/// Its output would mix with the results of the program.
#[cfg(feature = "metis")]
#[test]
fn metis_prints_nothing() {
    let test = std::env::current_exe().expect("the tests have a file");
    let name = "partition::tests::small_windows_by_metis";
    let output = std::process::Command::new(test)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output()
        .expect("the tests start");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert!(!said.contains("***"), "{said}");
}

#[cfg(not(feature = "metis"))]
#[test]
fn metis_is_refused_where_it_is_not_built_in() {
    let graph = WindowGraph::new(2, &[(0, 1, 1.0)]);
    let window = Window { graph: &graph, sockets: &two(), fixed: &[], ties: Ties::Order, seed: 1, number: 0 };
    assert_eq!(partition(&window, Partitioner::Metis), Err(PartitionError::NotBuilt(Partitioner::Metis)));
}

/// A chain of tasks of 3, 1, 1 and 1 s with the fewest bytes in its middle: by number two and two, by time one and three.
#[test]
fn a_long_task_weighs_as_much_as_the_short_ones_together() {
    let edges = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 2.0)];
    let sockets = Sockets::given(&[1, 1], &[10.0, 20.0, 20.0, 10.0]);
    let parts = |graph: &WindowGraph| {
        let window = Window { graph, sockets: &sockets, fixed: &[], ties: Ties::Order, seed: 0, number: 0 };
        let parts = partition(&window, Partitioner::Recursive).expect("a partition");
        let first = parts[0];
        parts.into_iter().map(|part| part == first).collect::<Vec<_>>()
    };
    assert_eq!(parts(&WindowGraph::new(4, &edges)), [true, true, false, false]);
    let timed = WindowGraph::timed(&[3.0, 1.0, 1.0, 1.0], &edges);
    assert_eq!((timed.weight(0), timed.weight(1)), (1000, 333));
    assert_eq!(parts(&timed).iter().filter(|&&first| first).count() % 2, 1);
}
