//! Measures the time of one decision.
//!
//! `cargo run --release -p numasim-policy --features examples --example decisions -- POLICY NODES CORES APPS...` prints, for each number of
//! applications, the seconds of the first decision, when all have arrived and nothing is known. No decision should take more than about a second on
//! 16 x 64 cores with 1000 applications.

use std::time::Instant;

use numasim_course::{Binding, Course, Dynamics, Phase, Pick, Scaling, Study, Wake, Work};
use numasim_model::machine::{Machine, Node};
use numasim_model::order::{Control, Waiting};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Seconds};
use numasim_model::{App, AppId, Data, Placement};
use numasim_policy::{AppView, PolicyName, Presence, View};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(policy), Some(nodes), Some(cores)) =
        (arguments.first(), number(&arguments, 1), number(&arguments, 2))
    else {
        eprintln!("usage: decisions POLICY NODES CORES APPS...");
        return;
    };
    let name: PolicyName = policy.parse().expect("the name of a policy");
    for apps in (3..arguments.len()).filter_map(|place| number(&arguments, place)) {
        let study = study(nodes, u32::try_from(cores).expect("few cores"), apps);
        let mut policy = name.make(&study).expect("a policy").expect("one that decides");
        let view = view(&study);
        let start = Instant::now();
        let decision = policy.decide(&view).expect("a decision");
        let seconds = start.elapsed().as_secs_f64();
        let why = decision.reasons.iter().flatten().next();
        println!(
            "{name}, {nodes} x {cores} cores, {apps} applications: {seconds:.3} s {}",
            why.map_or("", String::as_str)
        );
    }
}

fn number(arguments: &[String], place: usize) -> Option<usize> {
    arguments.get(place)?.parse().ok()
}

/// Applications of several intensities, each with one thread per core.
fn study(nodes: usize, cores: u32, apps: usize) -> Study {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(0.29),
        bandwidth: GigabytesPerSecond::new(2.5 * f64::from(cores)),
        ..Node::default()
    };
    let machine = Machine::uniform("bench", nodes, node, GigabytesPerSecond::new(12.0)).expect("a machine");
    let of = |a: usize| {
        let (data, intensity) = (Data::Placed(Placement::Local), FlopPerByte::new((1 + a % 7) as f64 / 32.0));
        let app = App { min_threads: 0, ..App::new(format!("app-{a}"), intensity, data.clone()) };
        let phase = Phase {
            arithmetic_intensity: intensity,
            data,
            owns_data: false,
            scaling: Scaling::Linear,
            io: Seconds::new(0.0),
            work: Some(Work::Divisible(Gflop::new(100.0 + a as f64))),
            total_given: false,
        };
        let course = Course {
            iterations: 1,
            phases: vec![phase],
            arrives: Seconds::new(0.0),
            threads: vec![cores; nodes],
            binding: Binding::Node,
            control: Control::PerNode,
            pick: Pick::Spread,
            task_spread: 0.0,
            task_jitter: 0.0,
            wake: Wake::default(),
            command: None,
        };
        (app, course)
    };
    let (apps, courses) = (0..apps).map(of).unzip();
    let dynamics = Dynamics { courses, ..Dynamics::default() };
    Study { at_rest: numasim_model::Study { apps, scenarios: Vec::new(), machine }, dynamics }
}

/// All applications are present, with all threads blocked.
fn view(study: &Study) -> View {
    let of = |(a, course): (usize, &Course)| AppView {
        entry: Some(AppId(a)),
        presence: Presence::There,
        control: course.control,
        threads: course.threads.clone(),
        running: vec![0; course.threads.len()],
        blocked: course.threads.clone(),
        progress: 0,
        waiting: Waiting::None,
        queued: Some(1),
        phase: 0,
        left: course.total_work(),
    };
    View { time: Seconds::new(0.0), apps: study.dynamics.courses.iter().enumerate().map(of).collect() }
}
