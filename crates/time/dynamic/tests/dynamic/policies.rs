//! Policies by name in simulated time, by hand.

use numasim_course::{Binding, Call, Os, Scaling, Study};
use numasim_dynamic::{Controller, Run};
use numasim_model::AppId;
use numasim_model::order::Control;
use numasim_model::units::Seconds;
use numasim_policy::PolicyName;

use crate::common::*;

fn run_with(study: &Study, name: &str, until_s: Option<f64>) -> Run {
    let name: PolicyName = name.parse().expect("a name");
    let mut policy = name.make(study).expect("a policy").expect("one that decides");
    run_until(study, Controller::Policy(policy.as_mut()), until_s).expect("an answer")
}

fn makespan(run: &Run) -> f64 {
    run.makespan.expect("all finished").value()
}

/// Test T4 of the studies: 100 iterations of 10 and 20 GFLOP, compute-bound on one node of 8 cores, an item for each iteration.
fn producer_and_consumer(capacity: Option<u64>) -> Study {
    let mut apps =
        vec![app("producer", 10.0, divisible(10.0), 1, 8), app("consumer", 10.0, divisible(20.0), 1, 8)];
    for (_, course) in &mut apps {
        course.iterations = 100;
    }
    let mut study = study(machine(1, 8), apps);
    study.dynamics.channels = vec![channel(0, 1, capacity)];
    study
}

#[test]
fn a_producer_that_is_led_is_as_fast_and_stays_two_items_ahead() {
    // Two items on 8 cores take 0.25 s, consuming two takes 0.5 s: 50 x 0.75. A bounded buffer with half of the cores each: 49.875 s.
    let led = run_with(&producer_and_consumer(None), "lead:2", None);
    assert_close(makespan(&led), 37.5);
    assert_eq!(led.channels[0].max_items, 2);
    let even = run_with(&producer_and_consumer(Some(2)), "static-even", None);
    assert_close(makespan(&even), 49.875);
    assert_eq!(even.channels[0].max_items, 2);
    // Applications that do not wait share the cores: no core is idle.
    assert_close(makespan(&run_with(&producer_and_consumer(None), "fair-share", None)), 37.5);
}

#[test]
fn policies_that_compute_let_no_producer_run_ahead() {
    // No core is idle: 3000 / 80 = 37.5 s. marginal makes a producer pause at two items; replan does the same, unless it finds a pace at
    // which both can continue. Policies that ignore channels let 93 items pile up.
    for name in ["marginal", "replan"] {
        let run = run_with(&producer_and_consumer(None), name, None);
        assert_close(makespan(&run), 37.5);
        assert!(run.channels[0].max_items <= 3, "{name}: {}", run.channels[0].max_items);
    }
}

#[test]
fn threads_that_find_no_task_are_lent_at_the_end_of_an_iteration() {
    // 64 tasks in each iteration: with 7 threads the last of ten rounds has one. Six cores that idle for that time would cost 100 x 6 x
    // 10 / 640 s = 9.4 s of a core, more than a second of all eight, for the producer alone.
    let mut study = producer_and_consumer(None);
    for (course, work) in study.dynamics.courses.iter_mut().zip([10.0, 20.0]) {
        course.phases[0].work = Some(tasks(64, &[work / 64.0]));
    }
    for name in ["marginal", "replan"] {
        let run = run_with(&study, name, None);
        assert!(makespan(&run) < 37.5 * 1.01, "{name}: {}", makespan(&run));
        assert!(run.channels[0].max_items <= 4, "{name}: {}", run.channels[0].max_items);
    }
}

#[test]
fn a_sublinear_application_leaves_its_cores_to_a_linear_one() {
    // One application is one tenth serial, the other linear: 1 + 7 cores, 80 GFLOPS; even 30.769 + 40.
    let mut study = study(
        machine(1, 8),
        vec![app("serial", 10.0, divisible(1e9), 1, 8), app("linear", 10.0, divisible(1e9), 1, 8)],
    );
    study.dynamics.courses[0].phases[0].scaling = Scaling::Serial { fraction: 0.1 };
    for name in ["marginal", "replan"] {
        assert_close(run_with(&study, name, Some(10.0)).work().value(), 800.0);
    }
    let even = run_with(&study, "static-even", Some(10.0)).work().value();
    assert!((even - 707.692_307_7).abs() < 1e-6, "{even}");
}

/// Test T7: 10 iterations of 40 GFLOP, each followed by a call of 40 GFLOP.
fn library() -> Study {
    let mut apps = vec![app("main", 10.0, divisible(40.0), 1, 8), app("solver", 10.0, divisible(40.0), 1, 8)];
    for (_, course) in &mut apps {
        course.iterations = 10;
    }
    let mut study = study(machine(1, 8), apps);
    study.dynamics.calls = vec![Call { from: AppId(0), to: AppId(1), every: 1 }];
    study
}

#[test]
fn a_library_that_borrows_is_twice_as_fast_and_a_slow_agent_costs() {
    assert_close(makespan(&run_with(&library(), "static-even", None)), 20.0);
    // A caller waits until the call returns: all cores for the solver.
    for name in ["fair-share", "lead:2", "oversubscribe:1", "lend", "marginal", "reexplore", "replan"] {
        assert_close(makespan(&run_with(&library(), name, None)), 10.0);
    }
    // Ticks of 80 ms: 0.5 -> 0.56, 1.06 -> 1.12, so that 10 x 1.12 - 0.06.
    let mut slow = library();
    slow.dynamics.policy.period = Seconds::new(0.08);
    assert_close(makespan(&run_with(&slow, "lend", None)), 11.14);
}

#[test]
fn a_caller_waits_also_for_the_last_tasks_of_what_it_called() {
    // Two cores of 10 GFLOPS, tasks of 1 GFLOP, 40 in each iteration of both: 3 x (20 x 0.1 + 20 x 0.1) s. Half of the cores for each
    // would be 3 x (2 + 4) s.
    let mut apps =
        vec![app("main", 10.0, tasks(40, &[1.0]), 1, 2), app("solver", 10.0, tasks(40, &[1.0]), 1, 2)];
    for (_, course) in &mut apps {
        course.iterations = 3;
    }
    let mut study = study(machine(1, 2), apps);
    study.dynamics.calls = vec![Call { from: AppId(0), to: AppId(1), every: 1 }];
    let run = run_with(&study, "fair-share", None);
    assert_close(makespan(&run), 12.0);
    assert_close(run.apps[0].waited_call.value(), 6.0);
}

#[test]
fn cores_are_given_out_beside_those_of_threads_that_are_told_a_number() {
    // Four cores each. The threads of a are bound to cores 0 to 3, so that b has 4 to 7: 400 GFLOP at 40 GFLOPS.
    let (a, mut of_a) = app("a", 10.0, divisible(400.0), 1, 8);
    let (b, mut of_b) = app("b", 10.0, divisible(400.0), 1, 8);
    of_a.binding = Binding::Core;
    (of_b.binding, of_b.control) = (Binding::Core, Control::Cores);
    let study = study(machine(1, 8), vec![(a, of_a), (b, of_b)]);
    assert_close(makespan(&run_with(&study, "fair-share", None)), 10.0);
}

#[test]
fn knowing_the_work_that_is_left_ends_earlier() {
    // A thread of mem demands 20 of 32 GB/s: with one core 10 GFLOPS and 20 s; compute 7 cores, 1400 GFLOP by then, then 2600 / 80: 52.5
    // s. Half of the cores each: 14 and 40 GFLOPS, 14.286 s, then 3428.6 / 80: 57.143 s.
    let mut study = study(
        machine(1, 8),
        vec![app("mem", 0.5, divisible(200.0), 1, 8), app("compute", 10.0, divisible(4000.0), 1, 8)],
    );
    assert_close(
        makespan(&run_with(&study, "fair-share", None)),
        100.0 / 7.0 + (4000.0 - 4000.0 / 7.0) / 80.0,
    );
    assert_close(makespan(&run_with(&study, "replan", None)), 52.5);
    assert_close(makespan(&run_with(&study, "reexplore", None)), 52.5);
    // If the memory-bound one takes longer, maximising the present GFLOPS is misleading: 1 + 7 cores until compute ends at 400 / 70 =
    // 5.714 s, then 2000 - 57.1 at 16: 127.14 s. With about 6 + 2 cores it has all the bandwidth from the beginning: 400 / 10 + 2000 /
    // 0.5 = 4040 GB at 32 GB/s: 126.25 s.
    let works = [2000.0, 400.0];
    for (course, work) in study.dynamics.courses.iter_mut().zip(works) {
        course.phases[0].work = Some(divisible(work));
    }
    assert_close(
        makespan(&run_with(&study, "reexplore", None)),
        400.0 / 70.0 + (2000.0 - 400.0 / 7.0) / 16.0,
    );
    assert_close(makespan(&run_with(&study, "replan", None)), 126.25);
}

#[test]
fn replan_moves_less_where_commands_are_slow() {
    // Work for 2.5 s and commands that take 5 s: after the first one only cores of applications that leave are moved.
    let of = |delay: f64| {
        let apps = vec![app("a", 0.5, divisible(20.0), 1, 8), app("b", 10.0, divisible(100.0), 1, 8)];
        let mut study = study(machine(1, 8), apps);
        study.dynamics.os = Os::default();
        study.dynamics.policy.command_delay = Seconds::new(delay);
        run_with(&study, "replan", None)
    };
    assert!(of(5.0).commands <= 3, "{}", of(5.0).commands);
    assert!(makespan(&of(0.0)) < makespan(&of(0.1)));
}

#[test]
fn every_policy_ends_every_study() {
    for (study, name) in [(producer_and_consumer(None), "items"), (library(), "library")] {
        for policy in ["fair-share", "lead:2", "lend", "oversubscribe:1", "marginal", "reexplore", "replan"] {
            let run = run_with(&study, policy, None);
            assert!(run.makespan.is_some(), "{name} {policy}");
        }
    }
}
