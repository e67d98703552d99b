//! Simulations that can be followed by hand.

use crate::common::*;
use numasim_course::{Binding, Call, Os, Pick, PolicyChoice, Scaling};
use numasim_dynamic::{Controller, SimulateError, WaitsFor};
use numasim_model::AppId;
use numasim_model::order::{Control, Order};
use numasim_model::units::Seconds;

#[test]
fn an_application_gets_the_bandwidth_that_another_one_leaves_at_its_end() {
    // 8 cores, 32 GB/s. Baseline 4 GB/s; compute takes 1 each (40 GFLOPS); mem 4 each, 32 - 16 - 4 = 12 are left, 3 more
    // each: 7 GB/s, 3.5 GFLOPS x 4 = 14. compute ends at 400 / 40 = 10 s; mem has done 140, then 8 GB/s x 0.5 x 4 = 16 GFLOPS: 60 / 16.
    let mem = app("mem", 0.5, divisible(200.0), 1, 4);
    let compute = app("compute", 10.0, divisible(400.0), 1, 4);
    let run = run(&study(machine(1, 8), vec![mem, compute]), Controller::Nobody);
    assert_close(finished(&run, 1), 10.0);
    assert_close(finished(&run, 0), 13.75);
    assert_close(run.makespan.expect("finished").value(), 13.75);
    assert_close(run.apps[0].work.value(), 200.0);
    assert_close(run.apps[0].mean_threads, 4.0);
    assert_eq!(run.events, 4, "two arrivals, two ends");
}

#[test]
fn threads_block_at_the_end_of_their_tasks() {
    // 4 cores of 10 GFLOPS, tasks of 3, 4, 10, 10 GFLOP end at 0.3, 0.4, 1, 1 s; a command at 0.1 s.
    let study_with = |control, order: Order| {
        let (app, mut course) = app("a", 10.0, tasks(40, &[3.0, 4.0, 10.0, 10.0]), 1, 4);
        course.control = control;
        let mut study = study(machine(1, 4), vec![(app, course)]);
        study.dynamics.commands = vec![command(0.1, 0, order)];
        study
    };
    // Option 1: the first two to end block: 0.3 and 0.4.
    let total = run(&study_with(Control::Total, Order::Total(2)), Controller::Script);
    assert_close(total.reaction.max.value(), 0.3);
    // Option 2: threads 3 and 4, at 1 s.
    let cores = run(&study_with(Control::Cores, Order::Cores(vec![0, 1])), Controller::Script);
    assert_close(cores.reaction.max.value(), 0.9);
    assert_eq!((cores.commands, cores.core_moves), (1, 0));
}

#[test]
fn raising_is_immediate() {
    let (app, course) = app("a", 10.0, tasks(8, &[10.0]), 1, 4);
    let mut study = study(machine(1, 4), vec![(app, course)]);
    // Two threads from the beginning: tasks end at 1 and 2 s; at 2.5 s two more begin: 3 s + 3.5 s, then one each: 8 tasks:
    // 2 at 1, 2 at 2, 2 at 3, 2 at 3.5.
    study.dynamics.commands =
        vec![command(0.0, 0, Order::PerNode(vec![2])), command(2.5, 0, Order::PerNode(vec![4]))];
    let run = run(&study, Controller::Script);
    assert_close(finished(&run, 0), 3.5);
    assert_eq!((run.commands, run.core_moves), (2, 2));
    assert_close(run.reaction.max.value(), 0.0);
}

#[test]
fn an_order_per_node_leaves_other_nodes_alone() {
    // 2 nodes x 6 cores, tasks of 1 s; (4, 2) at 0.5: from 1 s on 4 and 2 run, 60 of 120 GFLOPS. 12 tasks at 1 s, then 6
    // each second: 24 tasks at 3 s.
    let (app, course) = app("a", 10.0, tasks(24, &[10.0]), 2, 6);
    let mut study = study(machine(2, 6), vec![(app, course)]);
    study.dynamics.commands = vec![command(0.5, 0, Order::PerNode(vec![4, 2]))];
    let run = run(&study, Controller::Script);
    assert_close(finished(&run, 0), 3.0);
    assert_close(run.reaction.max.value(), 0.5);
    // 12 threads for 1 s, 6 for 2 s.
    assert_close(run.apps[0].mean_threads, 8.0);
}

fn producer_consumer() -> numasim_course::Study {
    let (producer, mut course) = app("producer", 10.0, divisible(10.0), 1, 8);
    course.iterations = 100;
    let (consumer, mut other) = app("consumer", 10.0, divisible(20.0), 1, 8);
    other.iterations = 100;
    let mut study = study(machine(1, 8), vec![(producer, course), (consumer, other)]);
    study.dynamics.channels = vec![channel(0, 1, None)];
    study
}

#[test]
fn an_uncontrolled_producer_runs_ahead() {
    // 80 GFLOPS. Alone until 0.125 s, then 40 each: 0.125 + 99 x 0.25 = 24.875 s. The consumer has 24.75 x 40 = 990 GFLOP
    // then (49.5 items), and 1010 / 80 = 12.625 s more.
    let run = run(&producer_consumer(), Controller::Nobody);
    assert_close(finished(&run, 0), 24.875);
    assert_close(finished(&run, 1), 37.5);
    assert_eq!(run.channels[0].max_items, 51);
    assert_close(run.apps[1].waited_input.value(), 0.125);
}

#[test]
fn sharing_cores_has_its_price() {
    // 3 / (3 + 0.005 + 0.1) = 0.966184: 24.75 s become 25.616, the producer ends at 25.741, the consumer 12.625 s later.
    let mut study = producer_consumer();
    study.dynamics.os = Os::default();
    let run = run(&study, Controller::Nobody);
    assert!((finished(&run, 1) - 38.366).abs() < 5e-4);
    assert!((finished(&run, 0) - 25.741).abs() < 5e-4);
    // 16 threads share 8 cores while both run.
    assert!((run.apps[0].shared.value() - 8.0 * 25.616).abs() < 5e-3);
}

#[test]
fn a_bounded_channel_holds_the_producer_back() {
    // 4 threads each: the producer takes 0.25 s for an item, the consumer 0.5 s. Items 1 and 2 at 0.25 and 0.5, item k at
    // 1 + 0.5 (k - 3): the 100th at 49.5 s. The consumer ends at 0.25 + 100 x 0.5 = 50.25 with 4 threads.
    let mut study = producer_consumer();
    study.dynamics.channels = vec![channel(0, 1, Some(2))];
    for course in &mut study.dynamics.courses {
        course.threads = vec![4];
    }
    let run = run(&study, Controller::Nobody);
    assert_close(finished(&run, 0), 49.5);
    assert_close(finished(&run, 1), 50.25);
    assert_eq!(run.channels[0].max_items, 2);
}

#[test]
fn an_application_that_scales_badly_is_slower_on_each_thread() {
    // s = 0.1: S(4) = 1 / 0.325 = 3.0769: 30.769 GFLOPS in 10 s.
    let (app, mut course) = app("a", 10.0, divisible(1e6), 1, 4);
    course.phases[0].scaling = Scaling::Serial { fraction: 0.1 };
    let run =
        run_until(&study(machine(1, 8), vec![(app, course)]), Controller::Nobody, Some(10.0)).expect("runs");
    assert_close(run.apps[0].work.value(), 10.0 * 10.0 / 0.325);
    assert_eq!(run.makespan, None);
    assert_close(run.time.value(), 10.0);
}

#[test]
fn a_total_says_nothing_of_nodes() {
    // 4 nodes x 8, two applications of 8 threads in total. Packed: 16 threads on node 0, 80 GFLOPS. Spread: 2 of each on each node, 160.
    let gflops = |pick| {
        let apps = ["a", "b"].map(|name| {
            let (app, mut course) = app(name, 10.0, divisible(1e6), 4, 8);
            course.control = Control::Total;
            course.pick = pick;
            (app, course)
        });
        let mut study = study(machine(4, 8), apps.into());
        study.dynamics.commands = vec![command(0.0, 0, Order::Total(8)), command(0.0, 1, Order::Total(8))];
        run_until(&study, Controller::Script, Some(1.0)).expect("runs").work().value()
    };
    assert_close(gflops(Pick::Pack), 80.0);
    assert_close(gflops(Pick::Spread), 160.0);
}

#[test]
fn threads_that_sleep_leave_their_cores_to_others() {
    // Tasks of 10 ms and 10 ms of sleep on 8 cores: 8 threads 400 tasks/s; 16 in step 533.3/s; 24 600/s.
    let rate = |threads, seconds: f64| {
        let (app, mut course) = app("io", 10.0, tasks(1_000_000, &[0.1]), 1, threads);
        course.phases[0].io = Seconds::new(0.01);
        let run = run_until(&study(machine(1, 8), vec![(app, course)]), Controller::Nobody, Some(seconds));
        run.expect("runs").apps[0].work.value() / 0.1 / seconds
    };
    assert_close(rate(8, 2.0), 400.0);
    // Rounds of 30 ms: 100 of them.
    assert_close(rate(16, 3.0), 1600.0 / 3.0);
    // 24 on 8 cores for 30 ms, 10 ms of sleep: rounds of 40 ms.
    assert_close(rate(24, 4.0), 600.0);
    // Two applications, the second 10 ms later: one computes while the other sleeps.
    let apps = [0.0, 0.01].map(|arrives| {
        let (app, mut course) =
            app(if arrives > 0.0 { "late" } else { "early" }, 10.0, tasks(100_000, &[0.1]), 1, 8);
        course.phases[0].io = Seconds::new(0.01);
        course.arrives = Seconds::new(arrives);
        (app, course)
    });
    let run = run_until(&study(machine(1, 8), apps.into()), Controller::Nobody, Some(10.0)).expect("runs");
    assert_close(run.work().value(), 800.0);
}

#[test]
fn a_static_loop_waits_for_its_slowest_thread() {
    // 80 GFLOP on 8 cores of 10 GFLOPS, threads bound to cores, one core shared with an endless thread of another
    // application: 8 tasks of 10 GFLOP: the slowest 10 / 5 = 2 s. Tasks of 0.01: 80 / 75 = 1.067 s and a task's tail.
    let time = |work| {
        let (first, mut course) = app("loop", 10.0, work, 1, 8);
        course.binding = Binding::Core;
        let (second, mut other) = app("other", 10.0, divisible(1e6), 1, 1);
        other.binding = Binding::Core;
        other.control = Control::None;
        let run = run_until(
            &study(machine(1, 8), vec![(first, course), (second, other)]),
            Controller::Nobody,
            Some(9.0),
        );
        finished(&run.expect("runs"), 0)
    };
    assert_close(time(tasks(8, &[10.0])), 2.0);
    let fine = time(tasks(8000, &[0.01]));
    assert!((80.0 / 75.0..=80.0 / 75.0 + 0.002).contains(&fine), "{fine}");
}

#[test]
fn a_call_waits_for_its_return() {
    // main 40 GFLOP, then a call of 40 GFLOP, 10 iterations, 4 threads each: 10 x (1 + 1) = 20 s.
    let apps = ["main", "solver"].map(|name| {
        let (app, mut course) = app(name, 10.0, divisible(40.0), 1, 4);
        course.iterations = 10;
        (app, course)
    });
    let mut study = study(machine(1, 8), apps.into());
    study.dynamics.calls = vec![Call { from: AppId(0), to: AppId(1), every: 1 }];
    let run = run(&study, Controller::Nobody);
    assert_close(finished(&run, 0), 20.0);
    // The solver waits while main computes, main while the solver does.
    assert_close(run.apps[1].waited_call.value(), 10.0);
    assert_close(run.apps[0].waited_call.value(), 10.0);
}

#[test]
fn tasks_of_no_work_take_no_time() {
    let (app, mut course) = app("a", 10.0, tasks(100, &[0.0]), 1, 4);
    course.iterations = 10;
    let run = run(&study(machine(1, 4), vec![(app, course)]), Controller::Nobody);
    assert_eq!(run.makespan, Some(Seconds::new(0.0)));
    assert_eq!(run.apps[0].iterations, 10);
}

#[test]
fn a_deadlock_names_who_waits_for_whom() {
    let mut study = producer_consumer();
    study.dynamics.commands = vec![command(1.0, 0, Order::PerNode(vec![0]))];
    let Err(SimulateError::Deadlock(deadlock)) = run_until(&study, Controller::Script, None) else {
        panic!("the producer is blocked for ever")
    };
    let waits: Vec<WaitsFor> = deadlock.stuck.iter().map(|stuck| stuck.waits_for).collect();
    assert_eq!(waits, [WaitsFor::Threads, WaitsFor::Input(AppId(0))]);
}

#[test]
fn a_command_takes_its_time() {
    let (app, course) = app("a", 10.0, divisible(100.0), 1, 4);
    let mut study = study(machine(1, 4), vec![(app, course)]);
    study.dynamics.commands = vec![command(1.0, 0, Order::PerNode(vec![1]))];
    study.dynamics.policy = PolicyChoice { command_delay: Seconds::new(0.5), ..PolicyChoice::default() };
    // 40 GFLOPS for 1.5 s, then 10: 60 + 40 = 100 at 5.5 s.
    let run = run(&study, Controller::Script);
    assert_close(finished(&run, 0), 5.5);
    assert_close(run.reaction.mean.value(), 0.5);
}
