//! Guaranteed properties, on random studies; and properties that do not hold, each with an example.

use crate::agreement::{differences, is_close};
use crate::common::*;
use crate::drawn::{Chooser, Drawn, anything, choices};
use numasim_course::Wake;
use numasim_course::{Dynamics, Scaling, Study};
use numasim_dynamic::invariants::violations;
use numasim_dynamic::{Controller, Observer, Question, Run, Silent, SimulateError, Snapshot, simulate};
use numasim_engine::SimTime;
use numasim_model::AppId;
use numasim_model::machine::{Machine, Node};
use numasim_model::units::{Gflops, GigabytesPerSecond, Seconds};
use proptest::prelude::*;

/// Sums up speeds over time, and checks the cores of every node.
#[derive(Default)]
struct Meter {
    cores: Vec<u32>,
    apps: usize,
    since: f64,
    gflops: Vec<f64>,
    /// Per application: GFLOP.
    work: Vec<f64>,
    instants: u64,
    crowded: Option<String>,
}

impl Meter {
    fn of(study: &Study) -> Self {
        let cores = study.machine.nodes().iter().map(|node| node.cores).collect();
        let apps = study.apps.len();
        Self { cores, apps, gflops: vec![0.0; apps], work: vec![0.0; apps], ..Self::default() }
    }

    fn pass_to(&mut self, time_s: f64) {
        for (work, gflops) in self.work.iter_mut().zip(&self.gflops) {
            *work += gflops * (time_s - self.since);
        }
        self.since = time_s;
    }
}

impl Observer for Meter {
    fn looks(&self) -> bool {
        true
    }

    fn instant(&mut self, snapshot: &dyn Snapshot) {
        self.pass_to(snapshot.time().value());
        self.instants += 1;
        self.gflops.fill(0.0);
        for (node, &cores) in self.cores.iter().enumerate() {
            let mut busy = 0.0;
            for app in 0..self.apps {
                let counts = snapshot.counts(AppId(app), node);
                busy += counts.busy;
                self.gflops[app] += snapshot.gflops(AppId(app), node);
            }
            if busy > f64::from(cores) * (1.0 + 1e-9) {
                self.crowded =
                    Some(format!("{busy} of {cores} cores of node {node} at {:?}", snapshot.time()));
            }
        }
    }
}

fn observed(drawn: &Drawn, meter: &mut Meter) -> Result<Run, SimulateError> {
    drawn.ask(|question| simulate(question, meter, &|| false))
}

/// The same study with its applications in another order: application i becomes `place[i]`.
fn permuted(study: &Study, place: &[usize]) -> Study {
    let moved = |app: AppId| AppId(place[app.0]);
    let mut other = study.clone();
    for (from, &to) in place.iter().enumerate() {
        other.apps[to] = study.apps[from].clone();
        other.dynamics.courses[to] = study.dynamics.courses[from].clone();
    }
    let Dynamics { channels, calls, commands, .. } = &mut other.dynamics;
    for channel in channels {
        (channel.from, channel.to) = (moved(channel.from), moved(channel.to));
    }
    for call in calls {
        (call.from, call.to) = (moved(call.from), moved(call.to));
    }
    for command in commands {
        command.app = moved(command.app);
    }
    other
}

/// One application with local data and divisible work, which scales.
fn alone(nodes: &[(u32, f64)], intensity: f64, work: f64, scaling: &Scaling) -> f64 {
    let machine = Machine::new(
        "M",
        nodes
            .iter()
            .map(|&(cores, gbs)| Node {
                cores,
                gflops_per_core: Gflops::new(10.0),
                bandwidth: GigabytesPerSecond::new(gbs),
                ..Node::default()
            })
            .collect(),
        vec![GigabytesPerSecond::new(10.0); nodes.len() * nodes.len()],
    );
    let (app, mut course) = app("a", intensity, divisible(work), nodes.len(), 1);
    course.threads = nodes.iter().map(|&(cores, _)| cores).collect();
    course.phases[0].scaling = scaling.clone();
    finished(&run(&study(machine.expect("a machine"), vec![(app, course)]), Controller::Nobody), 0)
}

proptest! {
    #![proptest_config(crate::random::questions(500))]

    #[test]
    fn work_is_conserved_and_cores_are_not_used_twice(mut choices in choices()) {
        let mut drawn = anything(&mut choices);
        // The GFLOPS at a moment are those without jitter, so only their mean over many tasks is the work.
        drawn.study.dynamics.courses.iter_mut().for_each(|course| course.task_jitter = 0.0);
        let mut meter = Meter::of(&drawn.study);
        if let Ok(run) = observed(&drawn, &mut meter) {
            prop_assert_eq!(violations(&drawn.study, &run), []);
            prop_assert_eq!(&meter.crowded, &None);
            meter.pass_to(run.time.value());
            for (app, measured) in run.apps.iter().zip(&meter.work) {
                // Each end may come a nanosecond too early: at 40 GFLOPS 4e-8 GFLOP.
                let error = 1e-9 * app.work.value() + 4e-8 * run.events as f64;
                prop_assert!((app.work.value() - measured).abs() <= error, "{} {measured}", app.work.value());
            }
        }
    }

    #[test]
    fn who_looks_on_changes_nothing(mut choices in choices()) {
        let drawn = anything(&mut choices);
        prop_assert_eq!(observed(&drawn, &mut Meter::of(&drawn.study)), drawn.fast());
    }

    #[test]
    fn the_order_of_applications_changes_nothing(mut choices in choices(), turn in 0..5_usize) {
        let mut drawn = anything(&mut choices);
        // Callers of one instant, random draws and policies go by file order.
        drawn.study.dynamics.calls.clear();
        for course in &mut drawn.study.dynamics.courses {
            (course.task_spread, course.task_jitter, course.wake) = (0.0, 0.0, Wake::InOrder);
        }
        if matches!(drawn.chooser, Chooser::Whim(_) | Chooser::Named(_)) {
            drawn.chooser = Chooser::Script;
        }
        let apps = drawn.study.apps.len();
        let place: Vec<usize> = (0..apps).map(|app| (app + turn) % apps).collect();
        let other = Drawn { study: permuted(&drawn.study, &place), ..drawn.clone() };
        match (drawn.fast(), other.fast()) {
            (Ok(run), Ok(mut moved)) => {
                moved.apps = place.iter().map(|&to| moved.apps[to].clone()).collect();
                let differences = differences(&run, &moved);
                prop_assert!(differences.is_empty(), "{differences:#?} {drawn:#?}");
            }
            (Err(_), Err(_)) => {}
            (a, b) => prop_assert!(false, "{a:?} {b:?}"),
        }
    }

    #[test]
    fn room_that_is_never_needed_is_as_no_limit(mut choices in choices()) {
        let drawn = anything(&mut choices);
        let with = |capacity: Option<u64>| {
            let mut other = drawn.clone();
            for channel in &mut other.study.dynamics.channels {
                channel.capacity = channel.capacity.or(capacity);
            }
            other.fast()
        };
        prop_assert_eq!(with(None), with(Some(1_000_000)));
    }

    #[test]
    fn tasks_take_at_most_a_task_longer_than_divisible_work(
        threads in 1..9_u32, count in 1..40_u64, gflop in 0.1..5.0_f64, intensity in 0.05..10.0_f64,
    ) {
        let time = |work| {
            let app = app("a", intensity, work, 1, threads);
            finished(&run(&study(machine(1, 8), vec![app]), Controller::Nobody), 0)
        };
        let (in_tasks, divided) = (time(tasks(count, &[gflop])), time(divisible(gflop * count as f64)));
        // A task with all threads at work: min(10 GFLOPS, 32 GB/s / threads x intensity).
        let task = gflop / (32.0 / f64::from(threads) * intensity).min(10.0);
        prop_assert!(in_tasks >= divided * (1.0 - 1e-9) - 1e-9, "{in_tasks} {divided}");
        prop_assert!(in_tasks <= divided + task + 1e-9 * (1.0 + divided), "{in_tasks} {divided} {task}");
    }

    #[test]
    fn one_application_alone_is_never_slower_with_more(
        nodes in prop::collection::vec((1..9_u32, 1.0..40.0_f64), 1..4), intensity in 0.05..10.0_f64,
        more_cores in 0..3_u32, wider in 1.0..2.0_f64,
        scaling in prop::sample::select(vec![
            Scaling::Linear,
            Scaling::Serial { fraction: 0.2 },
            Scaling::Serial { fraction: 1.0 },
            Scaling::Table(vec![(1, 1.0), (3, 2.0), (6, 2.0)]),
        ]),
    ) {
        // Linear: more of everything. Scaling counts threads of all nodes alike: if memory limits some of them, one more thread may
        // contribute less than its share.
        let more_cores = if scaling == Scaling::Linear { more_cores } else { 0 };
        let more: Vec<(u32, f64)> = nodes.iter().map(|&(cores, gbs)| (cores + more_cores, gbs * wider)).collect();
        let (before, after) = (alone(&nodes, intensity, 100.0, &scaling), alone(&more, intensity, 100.0, &scaling));
        prop_assert!(after <= before * (1.0 + 1e-9), "{before} {after}");
    }
}

#[test]
fn more_cores_may_make_the_last_application_later() {
    // a has one thread, b one per core; both demand 20 GB/s for 10 GFLOPS of each core; 32 GB/s. 44 and 24 GFLOP. 2 cores: 16 GB/s each,
    // 8 GFLOPS: b ends at 3 s, a has 20 left at 10: 5 s. 4 cores, b with 3 threads: 8 GB/s each: b 12 GFLOPS, 2 s; a has 36 left: 2 + 3.6
    // s.
    let makespan = |cores: u32| {
        let apps = vec![app("a", 0.5, divisible(44.0), 1, 1), app("b", 0.5, divisible(24.0), 1, cores - 1)];
        run(&study(machine(1, cores), apps), Controller::Nobody).makespan.expect("finished").value()
    };
    assert_close(makespan(2), 5.0);
    assert_close(makespan(4), 5.6);
}

#[test]
fn more_cores_may_slow_one_application_down_that_scales_badly() {
    // Node 0: one core, its memory does not matter. Node 1: one core, then two, at 1 GB/s for 1 GFLOP/byte. S = 1 + 0.1 (n - 1). 2
    // threads: efficiency 0.55: 5.5 + min(5.5, 1) = 6.5 GFLOPS. 3 threads: 0.4: 4 + min(8, 1) = 5 GFLOPS. (intensity 1: node 0 demands
    // 5.5 GB/s of 100)
    let scaling = Scaling::Table(vec![(1, 1.0), (11, 2.0)]);
    assert_close(alone(&[(1, 100.0), (1, 1.0)], 1.0, 65.0, &scaling), 10.0);
    assert_close(alone(&[(1, 100.0), (2, 1.0)], 1.0, 65.0, &scaling), 13.0);
}

#[test]
fn a_long_run_is_exact() {
    // 300,000 iterations of producer and consumer, one item between them: 3e5 x (0.25 + 0.5) s, 6e5 ends.
    let apps = [("producer", 10.0), ("consumer", 20.0)].map(|(name, gflop)| {
        let (app, mut course) = app(name, 10.0, divisible(gflop), 1, 4);
        course.iterations = 300_000;
        (app, course)
    });
    let mut study = study(machine(1, 8), apps.into());
    study.dynamics.channels = vec![channel(0, 1, Some(1))];
    let run = run(&study, Controller::Nobody);
    assert_close(finished(&run, 1), 225_000.0);
    assert_eq!(run.events, 600_002);
}

#[test]
fn iterations_of_random_length_wait_for_the_slowest_at_a_barrier() {
    // 16 tasks of mean 1 s on 16 cores, lognormal with a coefficient of variation of 0.1: the largest of 16 normal variables is
    // 1.766 standard deviations above the mean on average; of these here exp(0.0998 x 1.766 - 0.005) = 1.187, and a little (1 %) for
    // the curve of exp. The sum of 20,000 is within 0.1 %.
    let (app, mut course) = app("ranks", 1e9, tasks(16, &[10.0]), 1, 16);
    course.iterations = 20_000;
    course.task_spread = 0.1;
    let study = study(machine(1, 16), vec![(app, course)]);
    let question =
        Question { study: &study, controller: Controller::Nobody, data: None, seed: 1, until: None };
    let run = simulate(question, &mut Silent, &|| false).expect("runs");
    let mean = run.makespan.expect("finished").value() / 20_000.0;
    assert!((1.187..1.2).contains(&mean), "{mean}");
    // One rank alone: the mean.
    assert!(is_close(run.apps[0].iterations as f64, 20_000.0));
}

#[test]
fn time_that_is_asked_for_ends_a_run_and_what_ends_then_counts() {
    let app = app("a", 10.0, divisible(40.0), 1, 4);
    let study = study(machine(1, 4), vec![app]);
    let until = SimTime::from_seconds(1.0);
    let question = Question { study: &study, controller: Controller::Nobody, data: None, seed: 1, until };
    let run = simulate(question, &mut Silent, &|| false).expect("runs");
    assert_eq!(run.makespan, Some(Seconds::new(1.0)));
}

#[test]
fn a_barrier_waits_for_the_largest_of_uniform_times() {
    // 16 tasks of 10 to 12 GFLOP at 10 GFLOPS: 1 to 1.2 s. The largest of N uniform numbers is N / (N + 1) on average: 1 + 0.2 x 16 / 17 =
    // 1.18824. A standard deviation of it is 0.2 x 0.0525; the mean of 4000 is within 0.1 % by 7 of them. Each iteration is a phase.
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (app, mut course) = app("ranks", 1e9, divisible(0.0), 1, 16);
    let phase = |_: usize| {
        let times: Vec<f64> = (0..16).map(|_| 10.0 + 2.0 * uniform()).collect();
        numasim_course::Phase { work: Some(tasks(16, &times)), ..course.phases[0].clone() }
    };
    course.phases = (0..4000).map(phase).collect();
    let run = run(&study(machine(1, 16), vec![(app, course)]), Controller::Nobody);
    let mean = finished(&run, 0) / 4000.0;
    assert!((mean - 1.188_24).abs() < 0.001_188, "{mean}");
}

#[test]
fn more_bandwidth_may_make_the_last_application_later() {
    // 2 cores. c (1 thread, 3.2 GFLOP) is limited by memory, and d (2 threads, 20 GFLOP) begins after it. a (1 thread, 20 GFLOP) is
    // followed by e, which sleeps 2 s and needs no core. 16 GB/s: c 1.6 GFLOPS, 2 s next to a, which ends at 2 s; d has both cores, 3 s;
    // e ends at 4 s. 32 GB/s: c ends at 1 s; a and d share: 3 threads on 2 cores, 6.67 GFLOPS each; a's other 10 GFLOP take 1.5 s; e ends
    // at 4.5 s.
    let makespan = |gbs: f64| {
        let node =
            Node { bandwidth: GigabytesPerSecond::new(gbs), ..*machine(1, 2).node(numasim_model::NodeId(0)) };
        let machine = Machine::new("M", vec![node], vec![GigabytesPerSecond::new(1.0)]).expect("a machine");
        let computes = 1e12;
        let mut sleeps = app("e", computes, tasks(1, &[0.0]), 1, 1);
        sleeps.1.phases[0].io = Seconds::new(2.0);
        let apps = vec![
            app("a", computes, divisible(20.0), 1, 1),
            sleeps,
            app("c", 0.1, divisible(3.2), 1, 1),
            app("d", computes, divisible(20.0), 1, 2),
        ];
        let mut study = study(machine, apps);
        study.dynamics.channels = vec![channel(0, 1, None), channel(2, 3, None)];
        run(&study, Controller::Nobody).makespan.expect("finished").value()
    };
    assert_close(makespan(16.0), 4.0);
    assert_close(makespan(32.0), 4.5);
}
