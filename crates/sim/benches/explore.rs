//! How long does a search take, from the paper's machine to large ones?
//!
//! Run with `cargo bench -p numasim-sim`. The questions are the files of `configs/paper` and `configs/scale`.
//! `brute_force` tries every allocation of a machine small enough for that, next to `explore` on the same one.

use divan::Bencher;
use numasim_model::sharing::Solver;
use numasim_model::units::Gflop;
use numasim_model::{App, Machine, Placement, Study};
use numasim_sim::search::{Settings, Unattended, explore};
use numasim_sim::{Objective, Problem, Restrictions};
use numasim_study::{SourceFile, read_study};

fn main() {
    divan::main();
}

const OBJECTIVES: [Objective; 4] =
    [Objective::TotalGflops, Objective::Fair, Objective::Geomean, Objective::Makespan];

fn study(text: &str) -> Study {
    let file = SourceFile { name: "bench.toml".to_owned(), text: text.to_owned() };
    read_study(&[file]).expect("a valid file").study
}

/// The question in a file. If the file gives no work for the makespan, each application has 1000 GFLOP.
fn problem(machine: &Machine, apps: &[App], objective: Objective) -> Problem {
    let with_work = |app: &App| App { work: app.work.or(Some(Gflop::new(1000.0))), ..app.clone() };
    let apps: Vec<App> = apps.iter().map(with_work).collect();
    Problem::new(machine, &apps, objective, Restrictions::default()).expect("a possible question")
}

fn bench(bencher: Bencher, text: &str, objective: Objective) {
    let study = study(text);
    let problem = problem(&study.machine, &study.apps, objective);
    let settings = Settings { top: 0, ..Settings::default() };
    bencher.bench_local(|| explore(&problem, &settings, &Unattended).expect("an answer"));
}

/// The paper's Figure 2: 4 nodes x 8 cores, 4 applications.
#[divan::bench(args = OBJECTIVES)]
fn paper_4x8(bencher: Bencher, objective: Objective) {
    bench(bencher, include_str!("../../../configs/paper/uneven-even-nodes.toml"), objective);
}

/// The paper's Table III machine, 4 nodes x 20 cores, with an open home.
#[divan::bench(args = OBJECTIVES, sample_count = 10)]
fn paper_4x20_open_home(bencher: Bencher, objective: Objective) {
    bench(bencher, include_str!("../../../configs/scale/4x20-open-home.toml"), objective);
}

/// 8 nodes x 16 cores, 6 applications, one open home.
#[divan::bench(args = OBJECTIVES, sample_count = 3)]
fn eight_by_16(bencher: Bencher, objective: Objective) {
    bench(bencher, include_str!("../../../configs/scale/8x16.toml"), objective);
}

/// 8 nodes x 64 cores, 8 applications.
#[divan::bench(args = OBJECTIVES, sample_count = 10)]
fn eight_by_64(bencher: Bencher, objective: Objective) {
    bench(bencher, include_str!("../../../configs/scale/8x64.toml"), objective);
}

/// 16 different nodes x 32 cores, 8 applications.
#[divan::bench(args = OBJECTIVES, sample_count = 3)]
fn sixteen_by_32(bencher: Bencher, objective: Objective) {
    bench(bencher, include_str!("../../../configs/scale/16x32.toml"), objective);
}

/// The paper's applications on 2 of its nodes: 495^2 = 245,025 allocations.
fn two_nodes_study() -> Study {
    let text = include_str!("../../../configs/paper/uneven-even-nodes.toml");
    let text = text.split("[[scenario]]").next().expect("the part before the scenarios");
    study(&text.replace("nodes = 4", "nodes = 2"))
}

#[divan::bench(args = OBJECTIVES)]
fn two_nodes_explore(bencher: Bencher, objective: Objective) {
    let study = two_nodes_study();
    let problem = problem(&study.machine, &study.apps, objective);
    let settings = Settings { top: 0, ..Settings::default() };
    bencher.bench_local(|| explore(&problem, &settings, &Unattended).expect("an answer"));
}

/// Every allocation once, on one core, with the same fast solver.
#[divan::bench(args = OBJECTIVES, sample_count = 5)]
fn two_nodes_brute_force(bencher: Bencher, objective: Objective) {
    let study = two_nodes_study();
    let problem = problem(&study.machine, &study.apps, objective);
    bencher.bench_local(|| best_of_all(&problem));
}

fn best_of_all(problem: &Problem) -> f64 {
    let demands: Vec<_> = problem.apps().iter().map(|app| app.demand(Placement::Local)).collect();
    let solver = Solver::new(problem.machine(), &demands);
    let mut workspace = solver.workspace();
    let fillings = fillings(8, 4);
    let mut best = f64::NEG_INFINITY;
    let mut threads = [0; 8];
    for left in &fillings {
        for right in &fillings {
            for a in 0..4 {
                (threads[2 * a], threads[2 * a + 1]) = (left[a], right[a]);
            }
            if (0..4).all(|a| left[a] + right[a] >= 1) {
                solver.solve(&threads, &mut workspace);
                best = best.max(problem.goal().score(workspace.gflops()));
            }
        }
    }
    best
}

/// All ways to give at most `cores` threads to `apps` applications.
fn fillings(cores: u32, apps: usize) -> Vec<Vec<u32>> {
    let Some(rest) = apps.checked_sub(1) else { return vec![Vec::new()] };
    let with = |threads: u32| {
        fillings(cores - threads, rest).into_iter().map(move |tail| [vec![threads], tail].concat())
    };
    (0..=cores).flat_map(with).collect()
}
