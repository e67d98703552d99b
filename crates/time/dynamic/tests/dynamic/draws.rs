//! Random draws: the time of tasks, and the threads that wake.

use numasim_course::Wake;
use numasim_dynamic::{Controller, Question, Run, Silent, simulate};
use numasim_model::order::{Control, Order};
use numasim_model::units::Seconds;
use proptest::prelude::*;

use crate::agreement::is_close;
use crate::common::*;
use crate::drawn::{Chooser, Drawn, anything, choices};

fn with_seed<'a>(study: &'a numasim_course::Study, controller: Controller<'a>, seed: u64) -> Run {
    let question = Question { study, controller, data: None, seed, until: None };
    simulate(question, &mut Silent, &|| false).expect("runs")
}

/// `apps` applications whose `threads` threads compute for 10 ms and sleep for 10 ms, `tasks_each` tasks each, on 2 cores.
/// The second application arrives 10 ms after the first.
fn io(apps: usize, threads: u32, tasks_each: u64, jitter: f64) -> numasim_course::Study {
    let one = |number: usize| {
        let (app, mut course) = app(&format!("io-{number}"), 1e9, tasks(tasks_each, &[0.1]), 1, threads);
        course.phases[0].io = Seconds::new(0.01);
        course.arrives = Seconds::new(0.01 * number as f64);
        course.task_jitter = jitter;
        (app, course)
    };
    study(machine(1, 2), (0..apps).map(one).collect())
}

fn tasks_per_second(run: &Run, tasks: f64) -> f64 {
    tasks / run.makespan.expect("finished").value()
}

#[test]
fn jitter_takes_threads_out_of_step() {
    // In step, 4 threads on 2 cores compute for 20 ms and sleep for 10 ms: 4 / 30 ms = 133.3 tasks a second. Two applications of 2
    // threads, one of which computes while the other one sleeps: 200.
    assert!(
        (tasks_per_second(&with_seed(&io(1, 4, 4000, 0.0), Controller::Nobody, 1), 4000.0) - 133.3).abs()
            < 0.1
    );
    assert!(
        (tasks_per_second(&with_seed(&io(2, 2, 2000, 0.0), Controller::Nobody, 1), 4000.0) - 200.0).abs()
            < 0.2
    );
    // Out of step both are a closed network of a station with 2 cores that are shared (S = 10 ms) and a delay (Z = 10 ms). Its
    // throughput depends on the means alone (Baskett, Chandy, Muntz and Palacios 1975): the probability of n threads at the
    // cores is proportional to S^n / (1 x 2 x .. min(n, 2) ..) x Z^(4 - n) / (4 - n)!: 1/24, 1/6, 1/4, 1/4, 1/8, in all 5/6.
    // (1/6 x 1 + (1/4 + 1/4 + 1/8) x 2) / (5/6) = 1.7 busy cores: 170 tasks a second.
    for jitter in [0.3, 1.0] {
        for (apps, threads) in [(1, 4), (2, 2)] {
            let study = io(apps, threads, 40_000 / apps as u64, jitter);
            let rate = tasks_per_second(&with_seed(&study, Controller::Nobody, 1), 40_000.0);
            assert!((rate - 170.0).abs() < 2.5, "{apps} applications, jitter {jitter}: {rate}");
        }
    }
}

#[test]
fn jitter_changes_times_and_neither_work_nor_their_mean() {
    // 40,000 tasks of 10 GFLOP at 10 GFLOPS on one core: 40,000 s, with a standard deviation of 0.5 x 200 = 100 s.
    let (app, mut course) = app("a", 1e9, tasks(40_000, &[10.0]), 1, 1);
    course.task_jitter = 0.5;
    let study = study(machine(1, 1), vec![(app, course)]);
    let run = with_seed(&study, Controller::Nobody, 1);
    assert_close(run.apps[0].work.value(), 400_000.0);
    assert!((finished(&run, 0) - 40_000.0).abs() < 400.0, "{}", finished(&run, 0));
    assert!(finished(&with_seed(&study, Controller::Nobody, 2), 0) != finished(&run, 0));
}

#[test]
fn work_is_done_evenly_over_the_time_of_a_task_with_jitter() {
    // Half of the time of the only task: 5 of its 10 GFLOP, however long it takes.
    let (app, mut course) = app("a", 1e9, tasks(1, &[10.0]), 1, 1);
    course.task_jitter = 0.5;
    let study = study(machine(1, 1), vec![(app, course)]);
    let whole = finished(&run(&study, Controller::Nobody), 0);
    assert!((whole - 1.0).abs() > 1e-3, "{whole}");
    let half = run_until(&study, Controller::Nobody, Some(whole / 2.0)).expect("an answer");
    assert_close(half.apps[0].work.value(), 5.0);
}

#[test]
fn randomly_woken_threads_lie_on_the_same_node_as_often_as_chance_says() {
    // 2 nodes of 2 cores, 32 GB/s each; 0.1 FLOP/byte: a node computes 3.2 GFLOPS however many threads it has. All threads
    // block at 0 s, and 2 of 4 wake at 1 s. On different nodes 6.4 GFLOP take 1 s, on the same node 2 s: 2 of the 6 pairs.
    let study_with = |wake| {
        let (app, mut course) = app("a", 0.1, divisible(6.4), 2, 2);
        (course.control, course.wake) = (Control::Total, wake);
        let mut study = study(machine(2, 2), vec![(app, course)]);
        study.dynamics.commands = vec![command(0.0, 0, Order::Total(0)), command(1.0, 0, Order::Total(2))];
        study
    };
    // In order: the first thread of each node.
    assert_close(finished(&run(&study_with(Wake::InOrder), Controller::Script), 0), 2.0);
    let study = study_with(Wake::Random);
    let on_one_node = (0..600).filter(|&seed| {
        let end = finished(&with_seed(&study, Controller::Script, seed), 0);
        assert!((end - 2.0).abs() < 1e-9 || (end - 3.0).abs() < 1e-9, "{end}");
        end > 2.5
    });
    // 200 of 600, with a standard deviation of 11.5.
    let count = on_one_node.count();
    assert!((150..250).contains(&count), "{count}");
}

proptest! {
    #![proptest_config(crate::random::questions(200))]

    #[test]
    fn waking_at_random_changes_nothing_without_orders(mut choices in choices()) {
        let mut drawn = anything(&mut choices);
        drawn.chooser = Chooser::Nobody;
        let wake = |drawn: &mut Drawn, wake| {
            drawn.study.dynamics.courses.iter_mut().for_each(|course| course.wake = wake);
        };
        wake(&mut drawn, Wake::InOrder);
        let in_order = drawn.fast();
        wake(&mut drawn, Wake::Random);
        prop_assert_eq!(in_order, drawn.fast());
    }

    #[test]
    fn the_work_of_tasks_does_not_depend_on_jitter(mut choices in choices()) {
        let mut drawn = anything(&mut choices);
        drawn.until_s = None;
        let work = |drawn: &Drawn| drawn.fast().map(|run| run.apps.iter().map(|app| app.work.value()).collect::<Vec<_>>());
        drawn.study.dynamics.courses.iter_mut().for_each(|course| course.task_jitter = 0.0);
        let without = work(&drawn);
        drawn.study.dynamics.courses.iter_mut().for_each(|course| course.task_jitter = 0.3);
        // Another course of events may end in a deadlock.
        if let (Ok(without), Ok(with)) = (without, work(&drawn)) {
            for (a, b) in without.into_iter().zip(with) {
                prop_assert!(is_close(a, b), "{a} {b}");
            }
        }
    }
}
