//! Studies by hand, and checks of every run.

use numasim_course::{
    Binding, Channel, Command, Course, Dynamics, Os, Phase, Pick, Scaling, Study, Wake, Work,
};
use numasim_dynamic::{Controller, Question, Run, Silent, SimulateError, simulate};
use numasim_engine::SimTime;
use numasim_model::machine::{Machine, Node};
use numasim_model::order::{Control, Order};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Megabytes, Seconds};
use numasim_model::{App, AppId, Data, Placement};

/// `nodes` nodes of `cores` cores of 10 GFLOPS, 32 GB/s each: the paper's node; links of 10 GB/s.
pub(crate) fn machine(nodes: usize, cores: u32) -> Machine {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(32.0),
        ..Node::default()
    };
    Machine::uniform("M", nodes, node, GigabytesPerSecond::new(10.0)).expect("a machine")
}

/// An application of one phase on a machine of `nodes` nodes with `threads` threads each.
pub(crate) fn app(name: &str, intensity: f64, work: Work, nodes: usize, threads: u32) -> (App, Course) {
    let data = Data::Placed(Placement::Local);
    let app = App::new(name, FlopPerByte::new(intensity), data.clone());
    let phase = Phase {
        arithmetic_intensity: FlopPerByte::new(intensity),
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
        threads: vec![threads; nodes],
        binding: Binding::Node,
        control: Control::PerNode,
        pick: Pick::Spread,
        task_spread: 0.0,
        task_jitter: 0.0,
        wake: Wake::default(),
        command: None,
    };
    (app, course)
}

/// GFLOP in one pool.
pub(crate) fn divisible(gflop: f64) -> Work {
    Work::Divisible(Gflop::new(gflop))
}

/// `count` tasks of these GFLOP.
pub(crate) fn tasks(count: u64, each: &[f64]) -> Work {
    Work::Tasks { count, each: each.iter().copied().map(Gflop::new).collect() }
}

/// Shared cores cost nothing.
pub(crate) fn free_os() -> Os {
    Os { switch: Seconds::new(0.0), refill: Seconds::new(0.0), ..Os::default() }
}

pub(crate) fn study(machine: Machine, apps: Vec<(App, Course)>) -> Study {
    let (apps, courses) = apps.into_iter().unzip();
    let dynamics = Dynamics { courses, os: free_os(), ..Dynamics::default() };
    Study { at_rest: numasim_model::Study { apps, scenarios: Vec::new(), machine }, dynamics }
}

pub(crate) fn channel(from: usize, to: usize, capacity: Option<u64>) -> Channel {
    Channel { from: AppId(from), to: AppId(to), item: Megabytes::new(100.0), capacity }
}

pub(crate) fn command(at_s: f64, app: usize, order: Order) -> Command {
    Command { at: Seconds::new(at_s), app: AppId(app), order }
}

pub(crate) fn run_until<'a>(
    study: &'a Study,
    controller: Controller<'a>,
    until_s: Option<f64>,
) -> Result<Run, SimulateError> {
    let until = until_s.and_then(SimTime::from_seconds);
    simulate(Question { study, controller, data: None, seed: 1, until }, &mut Silent, &|| false)
}

pub(crate) fn run<'a>(study: &'a Study, controller: Controller<'a>) -> Run {
    run_until(study, controller, None).expect("an answer")
}

pub(crate) fn finished(run: &Run, app: usize) -> f64 {
    run.apps[app].finished.expect("finished").value()
}

/// Equal except for rounding.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-9), "{found} is not {expected}");
}
