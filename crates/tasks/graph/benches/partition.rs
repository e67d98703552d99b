//! The time to partition a window, compared with METIS on the same one, and the cost of the partition.
//!
//! Run with `cargo bench -p numasim-graph --features metis --bench partition [-- CODE]`: a table of windows of the codes of paper 001,
//! one or two iterations with the initial tasks, of growing size. Times are the least of several calls, ns per task and edge with bytes;
//! costs are sums of bytes x distance beyond those of one socket. METIS is timed alone, with its graph already built, and in addition
//! when called through this crate.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "sizes of small windows, and weights that are made to fit"
)]

use std::time::Instant;

use numasim_graph::generate;
use numasim_graph::partition::{Sockets, Window, WindowGraph, Writers, cost, partition};
use numasim_graph::values::{Generator, Partitioner, Ties};
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond};

/// Nodes of 8 cores, two in a package: distance 10 to the local one, 20 in the package, 40 elsewhere (the firmware of the POWER8 of the
/// paper).
fn machine(nodes: usize) -> Machine {
    let node = Node {
        cores: 8,
        gflops_per_core: Gflops::new(20.0),
        bandwidth: GigabytesPerSecond::new(50.0),
        ..Node::default()
    };
    let machine = Machine::uniform("bench", nodes, node, GigabytesPerSecond::new(15.0)).expect("a machine");
    let mut distances = Vec::new();
    for from in 0..nodes {
        for to in 0..nodes {
            distances.push(if from == to {
                10.0
            } else if from / 2 == to / 2 {
                20.0
            } else {
                40.0
            });
        }
    }
    machine.with_distances(distances).expect("distances")
}

/// Programs with about `tasks` tasks.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of tasks, not large")]
fn programs(tasks: u64) -> Vec<Generator> {
    let init = true;
    let root = |per: u64| (tasks / per).isqrt().max(2);
    let cube = |per: f64| ((tasks as f64 * per).cbrt().round() as u64).max(2);
    vec![
        Generator::GaussSeidel { grid: root(3), tile: 512, iterations: 2, control: 1, init },
        Generator::RedBlack { grid: root(3), tile: 512, iterations: 2, control: 1, init },
        Generator::Jacobi { blocks: tasks / 3, rows: 64 * (tasks / 3), columns: 8192, iterations: 2, init },
        Generator::Cg { blocks: tasks / 16, rows: 1000 * (tasks / 16), nnz_per_row: 27, iterations: 2, init },
        Generator::IntegralHistogram { grid: root(4), tile: 256, bins: 32, init },
        Generator::Nstream { arrays: tasks / 5, array_bytes: 16_000_000, iterations: 2, init },
        Generator::Qr { n: cube(3.0), tile: 512, init },
        Generator::Cholesky { n: cube(6.0), tile: 512, init },
    ]
}

fn window(generator: &Generator, machine: &Machine) -> WindowGraph {
    let sockets: Vec<_> = machine.compute_nodes().collect();
    let graph = generate(generator, "window", &sockets).expect("a graph");
    let mut writers = Writers::new(graph.blocks().len());
    let mut edges = Vec::new();
    for task in graph.tasks() {
        let parents = writers.add(&graph, task).iter().filter(|parent| parent.bytes > 0.0);
        edges.extend(parents.map(|parent| (parent.task.0, task.0, parent.bytes)));
    }
    WindowGraph::new(graph.task_count(), &edges)
}

/// The least of several times, ns: longer ones come from other load on the machine.
fn least_ns(mut call: impl FnMut()) -> f64 {
    let (mut least, mut calls) = (f64::INFINITY, 0);
    let all = Instant::now();
    while calls < 5 || (calls < 100 && all.elapsed().as_millis() < 60) {
        let start = Instant::now();
        call();
        least = least.min(start.elapsed().as_nanos() as f64);
        calls += 1;
    }
    least
}

fn main() {
    // Arguments that cargo adds begin with dashes.
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!(
        "{:2} {:>7} {:>8} {:20} {:>9} {:>10} {:>9} {:>6} {:>10} {:>10} {:>6}",
        "S",
        "tasks",
        "edges",
        "code",
        "own ns/te",
        "METIS ns",
        "C alone",
        "time",
        "own cost",
        "METIS",
        "ratio"
    );
    let mut alone: Vec<f64> = Vec::new();
    for nodes in [2, 4, 8] {
        let machine = machine(nodes);
        let sockets = Sockets::of(&machine);
        for tasks in [150, 500, 1000, 2000, 5000] {
            let programs = programs(tasks).into_iter();
            for generator in programs.filter(|program| program.as_str().contains(&only)) {
                let graph = window(&generator, &machine);
                let size = (graph.task_count() + graph.edge_count()) as f64;
                let window = Window {
                    graph: &graph,
                    sockets: &sockets,
                    fixed: &[],
                    ties: Ties::Random,
                    seed: 1,
                    number: 0,
                };
                let here = cost(&graph, &sockets, &vec![0; graph.task_count()]).weighted;
                let of = |partitioner| {
                    let parts = partition(&window, partitioner).expect("a partition");
                    let ns = least_ns(|| drop(partition(&window, partitioner))) / size;
                    (ns, cost(&graph, &sockets, &parts).weighted - here)
                };
                let own = of(Partitioner::Recursive);
                print!(
                    "{nodes:2} {:7} {:8} {:20} {:9.1}",
                    graph.task_count(),
                    graph.edge_count(),
                    generator.as_str(),
                    own.0
                );
                #[cfg(feature = "metis")]
                {
                    let metis = of(Partitioner::Metis);
                    let c_alone = c_alone_ns(&graph, nodes) / size;
                    alone.push(c_alone);
                    print!(" {:10.1} {c_alone:9.1} {:6.2}", metis.0, own.0 / c_alone);
                    print!(" {:10.3e} {:10.3e} {:6.3}", own.1, metis.1, own.1 / metis.1);
                }
                println!();
            }
        }
    }
    alone.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (alone.first(), alone.last()) {
        println!(
            "METIS alone: median {:.1} ns per task and edge, {least:.1} to {most:.1}",
            alone[alone.len() / 2]
        );
    }
}

/// METIS itself, with its graph already built.
#[cfg(feature = "metis")]
fn c_alone_ns(graph: &WindowGraph, parts: usize) -> f64 {
    let (starts, ends, bytes) = graph.adjacency();
    let number = |value: &usize| metis::Idx::try_from(*value).expect("small");
    let starts: Vec<metis::Idx> = starts.iter().map(number).collect();
    let ends: Vec<metis::Idx> = ends.iter().map(|&end| end as metis::Idx).collect();
    // METIS adds up weights in 32 bits.
    let total: f64 = bytes.iter().sum();
    let scale = (1e9 / total).min(1.0);
    let weights: Vec<metis::Idx> = bytes.iter().map(|bytes| ((bytes * scale) as metis::Idx).max(1)).collect();
    let mut found = vec![0; graph.task_count()];
    least_ns(|| {
        metis::Graph::new(1, parts as metis::Idx, &starts, &ends)
            .expect("a graph")
            .set_adjwgt(&weights)
            .set_option(metis::option::UFactor(50))
            .set_option(metis::option::Seed(1))
            .part_kway(&mut found)
            .expect("parts");
    })
}
