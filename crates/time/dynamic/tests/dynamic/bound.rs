//! No run ends before the lower bound.

use crate::common::*;
use crate::drawn::{anything, choices};
use numasim_course::{Scaling, Study};
use numasim_dynamic::{Bottleneck, Controller, Run, lower_bound};
use numasim_model::units::Seconds;
use numasim_model::{AppId, Data, NodeId, Placement};
use proptest::prelude::*;

fn bound(study: &Study) -> (f64, Bottleneck) {
    let bound = lower_bound(study, None, 1, &|| false).expect("an answer").expect("a bound");
    (bound.makespan.value(), bound.because_of)
}

#[test]
fn producer_and_consumer_have_3000_gflop_for_80_gflops() {
    // 1000 + 2000 GFLOP / 80 = 37.5 s, which a run without any policy reaches.
    let apps = [("producer", 10.0), ("consumer", 20.0)].map(|(name, gflop)| {
        let (app, mut course) = app(name, 10.0, divisible(gflop), 1, 8);
        course.iterations = 100;
        (app, course)
    });
    let mut study = study(machine(1, 8), apps.into());
    study.dynamics.channels = vec![channel(0, 1, None)];
    assert_eq!(bound(&study), (37.5, Bottleneck::Cores));
    assert_close(run(&study, Controller::Nobody).makespan.expect("finished").value(), 37.5);
}

#[test]
fn room_for_one_item_makes_them_take_turns() {
    // 4 threads each: 0.25 and 0.5 s: 10 x 0.75 s. All cores would need 300 / 80.
    let apps = [("producer", 10.0), ("consumer", 20.0)].map(|(name, gflop)| {
        let (app, mut course) = app(name, 10.0, divisible(gflop), 1, 4);
        course.iterations = 10;
        (app, course)
    });
    let mut study = study(machine(1, 8), apps.into());
    study.dynamics.channels = vec![channel(0, 1, Some(1))];
    assert_eq!(bound(&study), (7.5, Bottleneck::Path(AppId(1))));
}

#[test]
fn tasks_are_not_shorter_than_their_longest_and_sleep() {
    // 30 GFLOP on one core: 3 s, and 0.5 s of sleep.
    let (app, mut course) = app("a", 10.0, tasks(2, &[30.0, 10.0]), 1, 4);
    course.phases[0].io = Seconds::new(0.5);
    let study = study(machine(1, 4), vec![(app, course)]);
    assert_eq!(bound(&study), (3.5, Bottleneck::Path(AppId(0))));
    assert_close(finished(&run(&study, Controller::Nobody), 0), 3.5);
}

#[test]
fn the_best_number_of_threads_is_what_scaling_allows() {
    // S = 2 at 4 threads and more: 40 GFLOP at 20 GFLOPS.
    let (app, mut course) = app("a", 10.0, divisible(40.0), 1, 8);
    course.phases[0].scaling = Scaling::Table(vec![(1, 1.0), (4, 2.0)]);
    let study = study(machine(1, 8), vec![(app, course)]);
    assert_eq!(bound(&study), (2.0, Bottleneck::Path(AppId(0))));
    assert_close(finished(&run(&study, Controller::Nobody), 0), 2.0);
}

#[test]
fn data_of_several_applications_comes_from_one_memory() {
    // Two nodes, all data on node 1: 2 x 64 GB at 32 GB/s; each alone would take 2 s.
    let apps = ["a", "b"].map(|name| {
        let (app, mut course) = app(name, 0.5, divisible(32.0), 2, 8);
        course.phases[0].data = Data::Placed(Placement::Home(NodeId(1)));
        (app, course)
    });
    let study = study(machine(2, 8), apps.into());
    assert_eq!(bound(&study), (4.0, Bottleneck::Memory(NodeId(1))));
    assert!(run(&study, Controller::Nobody).makespan.expect("finished") >= Seconds::new(4.0));
}

#[test]
fn nothing_is_done_before_it_arrives() {
    // Two late ones of 40 GFLOP each for 40 GFLOPS: 5 + 2 s.
    let apps = ["a", "b"].map(|name| {
        let (app, mut course) = app(name, 10.0, divisible(40.0), 1, 4);
        course.arrives = Seconds::new(5.0);
        (app, course)
    });
    assert_eq!(bound(&study(machine(1, 4), apps.into())), (7.0, Bottleneck::Cores));
}

/// Whether a run is not shorter than the bound, except for rounding and 1 ns for each event.
fn is_kept(run: &Run, bound_s: f64) -> bool {
    run.makespan
        .is_none_or(|makespan| makespan.value() >= bound_s - 1e-9 * (bound_s + run.events as f64 + 1.0))
}

proptest! {
    #![proptest_config(crate::random::questions(1000))]

    #[test]
    fn no_run_ends_before_the_bound(mut choices in choices()) {
        let drawn = anything(&mut choices);
        let bound = lower_bound(&drawn.study, None, drawn.seed, &|| false);
        if let Ok(run) = drawn.fast() {
            let bound = bound.expect("an answer where there is a run").expect("a bound");
            prop_assert!(is_kept(&run, bound.makespan.value()), "{bound:?} {run:#?} {drawn:#?}");
        }
    }
}
