//! A study that SimGrid can also simulate, and our answer: see `results/simgrid-simulation/`.
//!
//! `cargo run --release -p numasim-dynamic --features examples --example simgrid_study -- NAME study` writes the study as text, `... NAME
//! ours` simulates it and prints seconds of the wall clock, events, and when each application is finished. The text, one line each:
//!
//! - `node CORES GFLOPS GBS`: per core, of the controller; nodes are numbered from 0;
//! - `link FROM TO GBS`: cores of one node read memory of another;
//! - `app KIND HOME LIMIT THREADS`: KIND `comm` moves bytes, LIMIT is GB/s of one thread, from the node HOME or (`local`) its own; KIND
//!   `exec` computes. THREADS on each node;
//! - `task SIZE`: bytes or floating-point operations of the next task of the last application.

use std::time::Instant;

use numasim_course::{Binding, Course, Dynamics, Phase, Pick, Scaling, Study, Wake, Work};
use numasim_dynamic::{Controller, Question, Run, Silent, simulate};
use numasim_model::machine::{Machine, Node};
use numasim_model::order::Control;
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Seconds};
use numasim_model::{App, Data, Model, ModelKind, NodeId, Placement};

const NODES: usize = 4;
const CORES: u32 = 20;
const GFLOPS: f64 = 0.29;
const CONTROLLER_GBS: f64 = 100.0;
const LINK_GBS: f64 = 10.0;
/// Number of tasks of each application.
const TASKS: usize = 5000;
/// An intensity so high that memory never limits a thread.
const COMPUTES_ONLY: f64 = 1e9;

/// An application: its intensity, the placement of its data, and the sizes of its tasks in bytes (or operations).
struct Application {
    intensity: f64,
    home: Option<usize>,
    sizes: Vec<u64>,
}

fn applications(name: &str) -> Vec<Application> {
    let app = |number: u64, intensity, home| {
        let mean = if intensity == COMPUTES_ONLY { 29_000_000 } else { 100_000_000 };
        let mut random = Random(number);
        // Half the mean to one and a half, in whole bytes.
        let sizes = (0..TASKS).map(|_| mean / 2 + random.next() % mean).collect();
        Application { intensity, home, sizes }
    };
    if name == "local" {
        let intensities = [1.0 / 32.0, 1.0 / 16.0, 1.0 / 8.0, COMPUTES_ONLY];
        (0..).zip(intensities).map(|(number, intensity)| app(number, intensity, None)).collect()
    } else {
        (0..4).map(|number| app(number, 1.0 / 32.0, (number == 3).then_some(0))).collect()
    }
}

struct Random(u64);

impl Random {
    /// The generator SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn study(applications: &[Application]) -> Study {
    let node = Node {
        cores: CORES,
        gflops_per_core: Gflops::new(GFLOPS),
        bandwidth: GigabytesPerSecond::new(CONTROLLER_GBS),
        ..Node::default()
    };
    let machine = Machine::uniform("4 x 20", NODES, node, GigabytesPerSecond::new(LINK_GBS))
        .expect("a machine")
        .with_sharing(Model::default().with_kind(ModelKind::MaxMin));
    let of = |(number, app): (usize, &Application)| {
        let data = Data::Placed(app.home.map_or(Placement::Local, |home| Placement::Home(NodeId(home))));
        let intensity = FlopPerByte::new(app.intensity);
        let is_exec = app.intensity == COMPUTES_ONLY;
        let gflop = |&size: &u64| Gflop::new(size as f64 * if is_exec { 1e-9 } else { app.intensity * 1e-9 });
        let work = Work::Tasks { count: app.sizes.len() as u64, each: app.sizes.iter().map(gflop).collect() };
        let described = App::new(format!("app-{number}"), intensity, data.clone());
        let phase = Phase {
            arithmetic_intensity: intensity,
            data,
            owns_data: false,
            scaling: Scaling::Linear,
            io: Seconds::new(0.0),
            work: Some(work),
            total_given: false,
        };
        let course = Course {
            iterations: 1,
            phases: vec![phase],
            arrives: Seconds::new(0.0),
            threads: vec![CORES / 4; NODES],
            binding: Binding::Node,
            control: Control::PerNode,
            pick: Pick::Spread,
            task_spread: 0.0,
            task_jitter: 0.0,
            wake: Wake::default(),
            command: None,
        };
        (described, course)
    };
    let (apps, courses) = applications.iter().enumerate().map(of).unzip();
    let at_rest = numasim_model::Study { machine, apps, scenarios: Vec::new() };
    Study { at_rest, dynamics: Dynamics { courses, ..Dynamics::default() } }
}

fn run(study: &Study) -> Run {
    let question = Question { study, controller: Controller::Nobody, data: None, seed: 0, until: None };
    simulate(question, &mut Silent, &|| false).expect("an answer")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, what] = arguments.as_slice() else { panic!("NAME study|ours") };
    let applications = applications(name);
    let study = study(&applications);
    if what == "ours" {
        let begin = Instant::now();
        let run = run(&study);
        println!("seconds {:.9}", begin.elapsed().as_secs_f64());
        println!("events {}", run.events);
        for app in &run.apps {
            println!("finished {:.12}", app.finished.map_or(f64::NAN, Seconds::value));
        }
        return;
    }
    for from in 0..NODES {
        println!("node {CORES} {GFLOPS} {CONTROLLER_GBS}");
        for to in (0..NODES).filter(|&to| to != from) {
            println!("link {from} {to} {LINK_GBS}");
        }
    }
    for app in &applications {
        let kind = if app.intensity == COMPUTES_ONLY { "exec" } else { "comm" };
        let home = app.home.map_or("local".to_owned(), |home| home.to_string());
        println!("app {kind} {home} {} {}", GFLOPS / app.intensity, CORES / 4);
        for size in &app.sizes {
            println!("task {size}");
        }
    }
}
