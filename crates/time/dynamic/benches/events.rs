//! Number of simulated events per second.
//!
//! Run with `cargo bench -p numasim-dynamic`; items are events. The aim is 300,000 events/s on 4 x 20 cores with 4 applications and
//! 20,000 on 16 x 64 cores with 1000. The allocations listed do not grow with the number of events.

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use numasim_course::{Binding, Course, Dynamics, Phase, Pick, Scaling, Study, Wake, Work};
use numasim_dynamic::{Controller, Question, Run, Silent, simulate};
use numasim_engine::SimTime;
use numasim_model::machine::{Machine, Node};
use numasim_model::order::Control;
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond, Seconds};
use numasim_model::{App, Data, Placement};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Applications with tasks of different lengths and intensities on the paper's node (section III-B: 0.29 GFLOPS a core).
fn study(
    (nodes, cores): (usize, u32),
    apps: usize,
    threads: impl Fn(usize, usize) -> u32,
    placement: impl Fn(usize) -> Placement,
    iterations: u64,
    tasks: u64,
) -> Study {
    let node = Node {
        cores,
        gflops_per_core: Gflops::new(0.29),
        bandwidth: GigabytesPerSecond::new(2.5 * f64::from(cores)),
        ..Node::default()
    };
    let machine = Machine::uniform("bench", nodes, node, GigabytesPerSecond::new(12.0)).expect("a machine");
    let of = |a: usize| {
        let data = Data::Placed(placement(a));
        let intensity = FlopPerByte::new(1.0 / 32.0 * (1 + a % 7) as f64);
        let app = App::new(format!("app-{a}"), intensity, data.clone());
        // Lengths that do not divide each other, so that ends do not coincide.
        let each =
            (0..17).map(|k| Gflop::new(0.003 * (1.0 + 0.061 * ((k * 7 + a * 3) % 17) as f64))).collect();
        let phase = Phase {
            arithmetic_intensity: intensity,
            data,
            owns_data: false,
            scaling: Scaling::Linear,
            io: Seconds::new(0.0),
            work: Some(Work::Tasks { count: tasks, each }),
            total_given: false,
        };
        let course = Course {
            iterations,
            phases: vec![phase],
            arrives: Seconds::new(0.0),
            threads: (0..nodes).map(|node| threads(a, node)).collect(),
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

fn run(study: &Study) -> Run {
    let question = Question {
        study,
        controller: Controller::Nobody,
        data: None,
        seed: 0,
        until: SimTime::from_seconds(1e6),
    };
    simulate(question, &mut Silent, &|| false).expect("runs")
}

fn bench(bencher: Bencher, study: &Study) {
    let events = run(study).events;
    bencher.counter(ItemsCount::new(events)).bench_local(|| run(study).events);
}

/// 5 threads of each application on each node, as many as cores; long iterations.
#[divan::bench(sample_count = 10)]
fn four_applications_local(bencher: Bencher) {
    bench(bencher, &study((4, 20), 4, |_, _| 5, |_| Placement::Local, 10, 10_000));
}

/// Iterations of 25 tasks on 20 threads: counts of running threads change at almost every event.
#[divan::bench(sample_count = 10)]
fn four_applications_in_short_iterations(bencher: Bencher) {
    bench(bencher, &study((4, 20), 4, |_, _| 5, |_| Placement::Local, 4000, 25));
}

/// The same with data on all nodes.
#[divan::bench(sample_count = 10)]
fn four_applications_interleaved_in_short_iterations(bencher: Bencher) {
    bench(bencher, &study((4, 20), 4, |_, _| 5, |_| Placement::Interleave, 4000, 25));
}

/// Two of four with data on all nodes.
#[divan::bench(sample_count = 10)]
fn four_applications_half_interleaved_in_short_iterations(bencher: Bencher) {
    let placement = |a| if a < 2 { Placement::Interleave } else { Placement::Local };
    bench(bencher, &study((4, 20), 4, |_, _| 5, placement, 1000, 25));
}

/// Each application has as many threads as cores exist: four times too many.
#[divan::bench(sample_count = 10)]
fn four_applications_over_subscribed(bencher: Bencher) {
    bench(bencher, &study((4, 20), 4, |_, _| 20, |_| Placement::Local, 100, 1000));
}

/// One thread of each application on some node, endless tasks.
#[divan::bench(sample_count = 3)]
fn thousand_applications_of_a_thread(bencher: Bencher) {
    bench(bencher, &study((16, 64), 1000, |a, node| u32::from(a % 16 == node), |_| Placement::Local, 10, 30));
}

/// 64 threads of each application on each node, short iterations.
#[divan::bench(sample_count = 1)]
fn thousand_applications_over_subscribed(bencher: Bencher) {
    bench(bencher, &study((16, 64), 1000, |_, _| 4, |_| Placement::Local, 2, 100));
}
