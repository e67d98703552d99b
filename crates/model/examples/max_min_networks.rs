//! Random networks with the rates of `max-min`, as text, for comparison with another solver.
//!
//! `cargo run --release -p numasim-model --features examples --example max_min_networks > networks.txt`, then
//! `results/simgrid-max-min/compare.cpp`. The format, one network after the other:
//!
//! - `network NAME NANOSECONDS`: its name and the time of one of our solves;
//! - `c BOUND`: a controller or link in GB/s, numbered from 0;
//! - `v COUNT BOUND RATE (RESOURCE WEIGHT)...`: number of equal threads, the demand of each, our rate for
//!   each (GB/s), and the fractions of its data on each resource.

use std::fmt::Write as _;
use std::time::Instant;

use numasim_model::machine::{Machine, Node};
use numasim_model::sharing::Solver;
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Access, AppId, Demand, Model, ModelKind, NodeId, Placement};

/// Number of random networks, in addition to those of the paper.
const NETWORKS: u64 = 2000;
/// Number of solves for one time measurement.
const SOLVES: u32 = 20_000;

fn main() {
    let threads = [5; 16];
    print(&table_iii("4x20, NUMA-bad cross-node", 1.0 / 16.0, Placement::Home(NodeId(0))), &threads);
    print(&table_iii("4x20, one interleaved", 1.0 / 16.0, Placement::Interleave), &threads);
    let mut random = Random(20);
    for number in 0..NETWORKS {
        let (case, threads) = random_case(number, &mut random);
        print(&case, &threads);
    }
}

struct Case {
    name: String,
    machine: Machine,
    demands: Vec<Demand>,
}

fn demand(intensity: f64, placement: Placement) -> Demand {
    Demand::new(FlopPerByte::new(intensity), Access::Read, placement)
}

/// The paper's server and its NUMA-bad scenario.
fn table_iii(name: &str, intensity: f64, placement: Placement) -> Case {
    let node = Node {
        cores: 20,
        gflops_per_core: Gflops::new(0.29),
        bandwidth: GigabytesPerSecond::new(100.0),
        ..Node::default()
    };
    let machine = Machine::uniform("4x20", 4, node, GigabytesPerSecond::new(10.0)).expect("a machine");
    let mem = || demand(1.0 / 32.0, Placement::Local);
    let demands = vec![mem(), mem(), mem(), demand(intensity, placement)];
    Case { name: name.to_owned(), machine, demands }
}

fn random_case(number: u64, random: &mut Random) -> (Case, Vec<u32>) {
    let (nodes, apps) = (1 + random.below(4), 1 + random.below(4));
    let cores = u32::try_from(apps + random.below(8)).expect("few");
    let node = |random: &mut Random| Node {
        cores,
        gflops_per_core: Gflops::new(random.between(1.0, 10.0)),
        bandwidth: GigabytesPerSecond::new(random.between(5.0, 100.0)),
        ..Node::default()
    };
    let all = (0..nodes).map(|_| node(random)).collect();
    let links = (0..nodes * nodes).map(|_| GigabytesPerSecond::new(random.between(1.0, 40.0))).collect();
    let machine = Machine::new("random", all, links).expect("a machine");
    let demands = (0..apps)
        .map(|_| {
            let placement = match random.below(4) {
                0 => Placement::Home(NodeId(random.below(nodes))),
                1 => Placement::Interleave,
                2 => {
                    let parts: Vec<f64> = (0..nodes).map(|_| random.between(0.1, 1.0)).collect();
                    let sum: f64 = parts.iter().sum();
                    Placement::Fractions(parts.into_iter().map(|part| part / sum).collect())
                }
                _ => Placement::Local,
            };
            demand(random.between(0.05, 4.0), placement)
        })
        .collect();
    let most = cores / u32::try_from(apps).expect("few");
    let threads =
        (0..nodes * apps).map(|_| u32::try_from(random.below(most as usize + 1)).expect("few")).collect();
    (Case { name: format!("random {number}"), machine, demands }, threads)
}

fn print(case: &Case, threads: &[u32]) {
    let machine = case.machine.clone().with_sharing(Model::from(ModelKind::MaxMin));
    let solver = Solver::new(&machine, &case.demands);
    let mut workspace = solver.workspace();
    let start = Instant::now();
    for _ in 0..SOLVES {
        solver.solve(std::hint::black_box(threads), &mut workspace);
    }
    println!(
        "network {} {:.1}",
        case.name.replace(' ', "_"),
        start.elapsed().as_nanos() as f64 / f64::from(SOLVES)
    );
    let count = machine.node_count();
    for memory in machine.node_ids() {
        println!("c {:?}", machine.node(memory).bandwidth.value());
    }
    for from in machine.node_ids() {
        for to in machine.node_ids() {
            println!("c {:?}", machine.link(from, to).map_or(1e12, GigabytesPerSecond::value));
        }
    }
    for (app, demand) in case.demands.iter().enumerate() {
        for from in machine.node_ids() {
            let group = solver.demand_per_thread().cell(AppId(app), from);
            if threads[group] == 0 {
                continue;
            }
            let mut uses = String::new();
            for memory in machine.node_ids() {
                let fraction = demand.placement.fraction(&machine, from, memory);
                if fraction > 0.0 {
                    let _ = write!(uses, " {} {fraction:?}", memory.0);
                    if memory != from {
                        let _ = write!(uses, " {} {fraction:?}", count + from.0 * count + memory.0);
                    }
                }
            }
            let (demand_gbs, rate) =
                (solver.demand_per_thread()[group], workspace.bandwidth_per_thread()[group]);
            println!("v {} {demand_gbs:?} {rate:?}{uses}", threads[group]);
        }
    }
}

/// `SplitMix64`: small, and the same everywhere. S. Vigna, public domain.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 to `end` - 1.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("below a usize")
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}
