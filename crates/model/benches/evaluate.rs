//! Measures the time of one evaluation of the paper's 4 x 20-core scenarios (Table III) on one core.
//!
//! Run with `cargo bench -p numasim-model`. The target is 2 million evaluations per second for the default,
//! half a million for every other model. The first output is the cost of one evaluation under `ecm` with the
//! usual penalties relative to the default: the median of rounds in which both run in turn, and its 95 %
//! interval by order statistics. The target is at most 3. Results: 3.2 with local data, which nearly meets
//! it, 8.1 with one home, 18 with interleaved data (29 November 2026).

use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use numasim_model::machine::{Machine, Node};
use numasim_model::sharing::{Parameter, Solver};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Access, Demand, Model, ModelKind, NodeId, Placement};

fn main() {
    ratios();
    divan::main();
}

/// Even threads, with the data of the last application in a different place each time.
fn ratios() {
    const ROUNDS: usize = 101;
    const EVALUATIONS: usize = 100; // less than a time slice of a busy host
    let ecm = Model::from(ModelKind::Ecm);
    for (name, placement) in [
        ("local", Placement::Local),
        ("home on node 0", Placement::Home(NodeId(0))),
        ("interleaved", Placement::Interleave),
    ] {
        let seconds = |model| {
            let solver = solver_under(model, 1.0 / 16.0, placement.clone());
            let mut workspace = solver.workspace();
            move || {
                let start = Instant::now();
                for _ in 0..EVALUATIONS {
                    solver.solve(divan::black_box(&[5; 16]), &mut workspace);
                    divan::black_box(workspace.gflops()[0]);
                }
                start.elapsed().as_secs_f64()
            }
        };
        let (mut default, mut other) = (seconds(Model::default()), seconds(ecm));
        let mut ratios: Vec<f64> = (0..=ROUNDS).map(|_| other() / default()).collect();
        ratios.remove(0); // the caches are warm from here on
        ratios.sort_by(f64::total_cmp);
        // Ranks (101 -+ 1.96 sqrt 101) / 2.
        let [low, median, high] = [40, 50, 60].map(|rank| ratios[rank]);
        println!("ecm / default, {name}: {median:.2} ({low:.2} to {high:.2})");
    }
}

/// The paper's server: 4 nodes x 20 cores, 0.29 GFLOPS, 100 GB/s, links 10 GB/s (section III-B).
fn table_iii_machine() -> Machine {
    let node = Node {
        cores: 20,
        gflops_per_core: Gflops::new(0.29),
        bandwidth: GigabytesPerSecond::new(100.0),
        ..Node::default()
    };
    Machine::uniform("paper, Table III", 4, node, GigabytesPerSecond::new(10.0)).expect("a valid machine")
}

fn solver(last_intensity: f64, last_placement: Placement) -> Solver {
    solver_under(Model::default(), last_intensity, last_placement)
}

fn solver_under(model: Model, last_intensity: f64, last_placement: Placement) -> Solver {
    let demand = |intensity, placement| Demand::new(FlopPerByte::new(intensity), Access::Read, placement);
    let mem = || demand(1.0 / 32.0, Placement::Local);
    let machine = table_iii_machine().with_sharing(model);
    Solver::new(&machine, &[mem(), mem(), mem(), demand(last_intensity, last_placement)])
}

fn bench(bencher: Bencher, solver: &Solver, threads: &[u32]) {
    let mut workspace = solver.workspace();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        solver.solve(divan::black_box(threads), &mut workspace);
        workspace.gflops()[0]
    });
}

/// Uneven 1,1,1,17: all data local.
#[divan::bench]
fn uneven_all_local(bencher: Bencher) {
    let threads: Vec<u32> = [[1; 4], [1; 4], [1; 4], [17; 4]].concat();
    bench(bencher, &solver(1.0, Placement::Local), &threads);
}

/// Even 5,5,5,5 with a NUMA-bad application at home on node 0: links and a contended controller.
#[divan::bench]
fn numa_bad_cross_node(bencher: Bencher) {
    bench(bencher, &solver(1.0 / 16.0, Placement::Home(NodeId(0))), &[5; 16]);
}

/// Even 5,5,5,5 with the last application interleaved over all nodes: every link in use.
#[divan::bench]
fn interleaved(bencher: Bencher) {
    bench(bencher, &solver(1.0 / 16.0, Placement::Interleave), &[5; 16]);
}

/// The same three questions under each model; the default is included only for comparison.
mod models {
    use super::{Bencher, Model, ModelKind, NodeId, Parameter, Placement, bench, solver_under};

    fn named(name: &str) -> Model {
        Model::from(ModelKind::from_word(name).expect("a model"))
    }

    #[divan::bench(args = ModelKind::ALL.map(ModelKind::as_str))]
    fn uneven_all_local(bencher: Bencher, name: &str) {
        let threads: Vec<u32> = [[1; 4], [1; 4], [1; 4], [17; 4]].concat();
        bench(bencher, &solver_under(named(name), 1.0, Placement::Local), &threads);
    }

    #[divan::bench(args = ModelKind::ALL.map(ModelKind::as_str))]
    fn numa_bad_cross_node(bencher: Bencher, name: &str) {
        bench(bencher, &solver_under(named(name), 1.0 / 16.0, Placement::Home(NodeId(0))), &[5; 16]);
    }

    #[divan::bench(args = ModelKind::ALL.map(ModelKind::as_str))]
    fn interleaved(bencher: Bencher, name: &str) {
        bench(bencher, &solver_under(named(name), 1.0 / 16.0, Placement::Interleave), &[5; 16]);
    }

    /// With a soft knee at the controllers and, for ecm, a penalty: the most expensive corrections.
    #[divan::bench(args = ModelKind::ALL.map(ModelKind::as_str))]
    fn interleaved_soft(bencher: Bencher, name: &str) {
        let soft = [(Parameter::SaturationKnee, 0.1), (Parameter::EcmPenalty, 0.5)];
        let set = |model: Model, (parameter, value)| model.with(parameter, value).expect("in range");
        let model = soft.into_iter().fold(named(name), set);
        bench(bencher, &solver_under(model, 1.0 / 16.0, Placement::Interleave), &[5; 16]);
    }
}
