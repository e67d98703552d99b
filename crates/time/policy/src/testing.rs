//! Small machines, studies and views for the tests of this crate.

use numasim_course::{Binding, Channel, Course, Dynamics, Phase, Pick, Scaling, Study, Wake, Work};
use numasim_model::order::{Control, Waiting};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_model::{Allocation, App, AppId, Data, Machine, Node, Placement, Scenario};

use crate::view::Decision;
use crate::view::{AppView, Presence, View};

/// Nodes with this number of cores of 10 GFLOPS and 32 GB/s (the paper's node), links of 10 GB/s.
pub(crate) fn machine(cores: &[u32]) -> Machine {
    let node = |&cores: &u32| Node {
        cores,
        gflops_per_core: Gflops::new(if cores > 0 { 10.0 } else { 0.0 }),
        bandwidth: GigabytesPerSecond::new(32.0),
        ..Node::default()
    };
    let links = vec![GigabytesPerSecond::new(10.0); cores.len() * cores.len()];
    Machine::new("test", cores.iter().map(node).collect(), links).expect("a sound machine")
}

/// One application for each intensity, named a, b, c, ...: local data, a thread per core, divisible work.
pub(crate) fn study(machine: Machine, intensities: &[f64]) -> Study {
    let apps = intensities.iter().zip('a'..).map(|(&intensity, name)| {
        App::new(name.to_string(), FlopPerByte::new(intensity), Data::Placed(Placement::Local))
    });
    let course = |&intensity: &f64| Course {
        iterations: 1,
        phases: vec![Phase {
            arithmetic_intensity: FlopPerByte::new(intensity),
            data: Data::Placed(Placement::Local),
            owns_data: false,
            scaling: Scaling::Linear,
            io: Seconds::new(0.0),
            work: Some(Work::Divisible(Gflop::new(100.0))),
            total_given: false,
        }],
        arrives: Seconds::new(0.0),
        threads: machine.nodes().iter().map(|node| node.cores).collect(),
        binding: Binding::Node,
        control: Control::PerNode,
        pick: Pick::Spread,
        task_spread: 0.0,
        task_jitter: 0.0,
        wake: Wake::default(),
        command: None,
    };
    let dynamics = Dynamics { courses: intensities.iter().map(course).collect(), ..Dynamics::default() };
    Study { at_rest: numasim_model::Study { apps: apps.collect(), scenarios: Vec::new(), machine }, dynamics }
}

/// A channel from one application to another, without a limit.
pub(crate) fn channel(from: usize, to: usize) -> Channel {
    Channel { from: AppId(from), to: AppId(to), item: Megabytes::new(100.0), capacity: None }
}

/// A scenario of `study`, with its data.
pub(crate) fn scenario(study: &Study, name: &str, rows: &[Vec<u32>]) -> Scenario {
    let data = study.apps.iter().map(|app| app.data.clone()).collect();
    let allocation = Allocation::from_rows(rows).expect("equal rows");
    let smt = study.apps.iter().map(|app| app.smt).collect();
    Scenario { name: name.to_owned(), allocation, data, smt, static_work: false }
}

/// A present application with all its threads blocked, and 100 GFLOP left.
pub(crate) fn app(entry: usize, threads: &[u32]) -> AppView {
    AppView {
        entry: Some(AppId(entry)),
        presence: Presence::There,
        control: Control::PerNode,
        threads: threads.to_vec(),
        running: vec![0; threads.len()],
        blocked: threads.to_vec(),
        progress: 0,
        waiting: Waiting::None,
        queued: None,
        phase: 0,
        left: Some(Gflop::new(100.0)),
    }
}

/// The same with the given number of threads running on each node, and the others blocked.
pub(crate) fn with_running(app: AppView, running: &[u32]) -> AppView {
    let blocked = app.threads.iter().zip(running).map(|(threads, running)| threads - running).collect();
    AppView { running: running.to_vec(), blocked, ..app }
}

/// These applications at time 0.
pub(crate) fn view(apps: Vec<AppView>) -> View {
    View { time: Seconds::new(0.0), apps }
}

/// The decision.
pub(crate) fn rows(decision: &Decision) -> Vec<Option<Vec<u32>>> {
    decision.threads.clone()
}
