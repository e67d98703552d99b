//! Policies with a period, very small and very large times, and simulations that are stopped.

use std::cell::Cell;

use numasim_course::{PolicyChoice, Study};
use numasim_dynamic::{
    Controller, Ending, Question, Run, Silent, SimulateError, lower_bound, reference, simulate,
};
use numasim_model::units::Seconds;
use numasim_policy::PolicyName;

use crate::agreement::differences;
use crate::common::*;

fn with_policy<T>(study: &Study, name: &str, answer: impl FnOnce(Question) -> T) -> T {
    let name: PolicyName = name.parse().expect("a name");
    let mut policy = name.make(study).expect("a policy").expect("one that decides");
    let controller = Controller::Policy(policy.as_mut());
    answer(Question { study, controller, data: None, seed: 1, until: None })
}

fn fast(study: &Study, name: &str) -> Result<Run, SimulateError> {
    with_policy(study, name, |question| simulate(question, &mut Silent, &|| false))
}

/// 40 GFLOP on 4 cores of 10 GFLOPS, asked every `period_s`.
fn second(period_s: f64, delay_s: f64) -> Study {
    let mut study = study(machine(1, 4), vec![app("a", 10.0, divisible(40.0), 1, 4)]);
    let (period, command_delay) = (Seconds::new(period_s), Seconds::new(delay_s));
    study.dynamics.policy = PolicyChoice { period, command_delay, ..PolicyChoice::default() };
    study
}

#[test]
fn ticks_that_change_nothing_are_counted_and_cost_nothing() {
    // Arrival, order, end, and the ticks at 0, 1 us, ..., 1 s.
    let run = fast(&second(1e-6, 0.0), "fair-share").expect("an answer");
    assert_close(finished(&run, 0), 1.0);
    assert_eq!(run.events, 3 + 1_000_001);
    let slow = with_policy(&second(1e-3, 0.0), "fair-share", reference::simulate).expect("an answer");
    let fast = fast(&second(1e-3, 0.0), "fair-share").expect("an answer");
    assert_eq!(differences(&fast, &slow), [""; 0]);
}

#[test]
fn an_order_that_takes_a_thousand_ticks_is_no_deadlock() {
    // Threads begin when the first order arrives, after 5 s; 1 s of work.
    let study = second(1e-3, 5.0);
    let run = fast(&study, "fair-share").expect("an answer");
    assert_close(finished(&run, 0), 6.0);
    let slow = with_policy(&study, "fair-share", reference::simulate).expect("an answer");
    assert_eq!(differences(&run, &slow), [""; 0]);
}

#[test]
fn a_tick_just_an_instant_before_an_end_takes_it_along_or_leaves_it() {
    // Ends at 0.1, 0.2, ... s, and ticks 1 ns before each of them.
    let (app, mut course) = app("a", 10.0, divisible(4.0), 1, 4);
    course.iterations = 100;
    let mut study = study(machine(1, 4), vec![(app, course)]);
    study.dynamics.policy.period = Seconds::new(1e-9);
    let run = fast(&study, "lend").expect("an answer");
    assert!((finished(&run, 0) - 10.0).abs() < 2e-7);
}

#[test]
fn a_period_below_the_length_of_an_instant_is_refused() {
    for period_s in [1e-33, 0.9e-9] {
        let study = second(period_s, 0.0);
        assert!(matches!(fast(&study, "lend"), Err(SimulateError::PeriodTooShort { .. })));
        let slow = with_policy(&study, "lend", reference::simulate);
        assert!(matches!(slow, Err(SimulateError::PeriodTooShort { .. })));
        // If no policy is asked, it does not matter.
        assert_close(finished(&run(&study, Controller::Nobody), 0), 1.0);
    }
    assert_close(finished(&fast(&second(1e-9, 0.0), "lend").expect("an answer"), 0), 1.0);
}

#[test]
fn an_application_may_arrive_late_and_work_for_long() {
    // 31 years, and beyond all digits: tasks of 1 s and of 1 ns are over some time after.
    for arrives_s in [1e9, 1e18, 1e300] {
        for (work, period_s) in [(tasks(8, &[10.0]), 0.0), (tasks(8, &[1e-8]), 0.08), (divisible(1e-9), 0.08)]
        {
            let (app, mut course) = app("a", 10.0, work, 1, 4);
            course.arrives = Seconds::new(arrives_s);
            course.iterations = 3;
            let mut study = study(machine(1, 4), vec![(app, course)]);
            study.dynamics.policy.period = Seconds::new(period_s);
            let run = fast(&study, "lend").expect("an answer");
            let took = finished(&run, 0) - arrives_s;
            assert!((0.0..=7.0 + 1e-15 * arrives_s).contains(&took), "{took}");
        }
    }
    // A core that works for 30 years, next to an application that works a second at a time.
    let long = app("long", 10.0, divisible(1e10), 1, 1);
    let (short, mut course) = app("short", 10.0, tasks(1, &[10.0]), 1, 1);
    course.arrives = Seconds::new(9e8);
    course.iterations = 100;
    let run = run(&study(machine(1, 4), vec![long, (short, course)]), Controller::Nobody);
    assert!((finished(&run, 1) - 9e8 - 100.0).abs() < 1e-4);
    assert_close(finished(&run, 0), 1e9);
}

#[test]
fn whoever_stops_is_heard_within_an_instant() {
    let stopped = |study: &Study| {
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 2;
        let question = Question { study, controller: Controller::Nobody, data: None, seed: 1, until: None };
        simulate(question, &mut Silent, &stop).expect("an answer")
    };
    // Iterations without work, and tasks that take no time: all at 0 s, and almost endlessly.
    for work in [divisible(0.0), tasks(1 << 53, &[0.0])] {
        let (app, mut course) = app("a", 10.0, work, 1, 4);
        course.iterations = 1 << 53;
        let run = stopped(&study(machine(1, 4), vec![(app, course)]));
        assert_eq!((run.ending, run.makespan), (Ending::Stopped, None));
    }
}

#[test]
fn a_bound_is_not_drawn_for_ever() {
    let (app, mut course) = app("a", 10.0, tasks(1 << 53, &[1.0]), 1, 4);
    course.task_spread = 0.5;
    let mut study = study(machine(1, 4), vec![(app, course)]);
    assert_eq!(lower_bound(&study, None, 1, &|| false), Ok(None));
    study.dynamics.courses[0].phases[0].work = Some(tasks(50_000_000, &[1.0]));
    assert_eq!(lower_bound(&study, None, 1, &|| true), Ok(None));
}
