//! Moves, refusals to move, and their reasons.

use numasim_course::{Scaling, Work};
use numasim_model::units::{Gflop, Seconds};

use super::*;
use crate::testing::{app, machine, rows, study, view, with_running};
use crate::view::AppView;
use numasim_model::order::Waiting;

fn left(app: AppView, gflop: f64) -> AppView {
    AppView { left: Some(Gflop::new(gflop)), ..app }
}

fn threads(study: &Study, apps: Vec<AppView>) -> (Vec<u32>, Vec<Option<String>>) {
    let decision = Replan::new(study).decide(&view(apps)).expect("a decision");
    let totals = rows(&decision).iter().flatten().map(|row| row.iter().sum()).collect();
    (totals, decision.reasons)
}

/// A memory-bound and a compute-bound application on 8 cores, both begun.
fn mixed() -> Study {
    study(machine(&[8]), &[0.5, 10.0])
}

#[test]
fn cores_go_to_the_application_that_would_end_last() {
    // Both are compute-bound, 100 and 300 GFLOP at 40 each: 2.5 s, then 200 at 80: 5 s in total = 400 / 80, in any order. So nothing
    // moves. If the second one cannot use more than 4 cores, 300 / 40 = 7.5 s for any number of cores of the first one.
    let study = study(machine(&[8]), &[10.0, 10.0]);
    let even = |gflop| {
        vec![left(with_running(app(0, &[8]), &[4]), 100.0), left(with_running(app(1, &[8]), &[4]), gflop)]
    };
    assert_eq!(threads(&study, even(300.0)), (vec![4, 4], vec![None, None]));
    // At most 6 cores: 300 / 60 = 5 s at best, and only if it has them from the beginning.
    let mut limited = study.clone();
    limited.apps[1].max_threads = Some(6);
    limited.dynamics.courses[1].phases[0].scaling = Scaling::Table(vec![(1, 1.0), (6, 6.0)]);
    let (dealt, said) = threads(&limited, even(300.0));
    assert_eq!(dealt, [2, 6]);
    assert_eq!(
        said[0].as_deref().map(|said| said.starts_with("2 cores from a to b: as many GFLOPS for 5 s")),
        Some(true),
        "{said:?}"
    );
    assert_eq!(said[0], said[1]);
}

#[test]
fn a_memory_bound_application_does_not_keep_cores_that_only_wait() {
    // A thread of mem demands 20 of 32 GB/s. With one core it has 10 GFLOPS, 200 / 10 = 20 s; the other one does 20 x 70 = 1400 of 4000,
    // then 2600 / 80 = 32.5: 52.5 s. With more cores for mem, the same work takes more core-seconds.
    let apps = |of_compute| {
        let mem = left(with_running(app(0, &[8]), &[4]), 200.0);
        vec![mem, left(with_running(app(1, &[8]), &[4]), of_compute)]
    };
    let (dealt, said) = threads(&mixed(), apps(4000.0));
    assert_eq!(dealt, [1, 7]);
    // 10 + 70 against 14 + 40; staying is 200 / 14 = 14.286 s, then (4000 - 571.4) / 80 = 42.857: 57.143.
    let why =
        "3 cores from a to b: 26 GFLOPS more for 20 s, costs 0.1 ms of 3 threads; all is done 4.64 s earlier";
    assert_eq!(said[1].as_deref(), Some(why));
    // With 400 GFLOP the controller decides: 400 / 10 + 200 / 0.5 GB at 32 GB/s are 13.75 s with 4 + 4 as with 2 + 6.
    assert_eq!(threads(&mixed(), apps(400.0)), (vec![4, 4], vec![None, None]));
}

#[test]
fn nothing_moves_if_the_end_is_nearer_than_the_gain() {
    // The same with 0.02 GFLOP left for each: all is done in about 2 ms; a command takes 1 s.
    let apps =
        || vec![left(with_running(app(0, &[8]), &[4]), 0.02), left(with_running(app(1, &[8]), &[4]), 0.02)];
    let mut slow = mixed();
    slow.dynamics.policy.command_delay = Seconds::new(1.0);
    assert_eq!(threads(&slow, apps()), (vec![4, 4], vec![None, None]));
}

#[test]
fn threads_in_long_tasks_are_not_worth_waiting_for() {
    // b scales no further than one thread (10 GFLOPS, 2 s for 20 GFLOP); a has 4 of 8 cores and 30 left: 0.75 s. A gain before
    // the end would require waiting for half a task of b, 5 s.
    let mut study = study(machine(&[8]), &[10.0, 10.0]);
    study.dynamics.courses[1].phases[0].work = Some(Work::Tasks { count: 4, each: vec![Gflop::new(100.0)] });
    let apps =
        vec![left(with_running(app(0, &[8]), &[4]), 30.0), left(with_running(app(1, &[8]), &[4]), 400.0)];
    // 430 GFLOP at 80: 5.375 s for any distribution; only the waiting would cost.
    assert_eq!(threads(&study, apps).0, [4, 4]);
}

#[test]
fn arrivals_begin_and_waiting_applications_give_up_cores() {
    let study = study(machine(&[8]), &[10.0, 10.0]);
    // All blocked: something must begin.
    let (dealt, said) = threads(&study, vec![app(0, &[8]), app(1, &[8])]);
    assert_eq!(dealt.iter().sum::<u32>(), 8);
    assert!(dealt.iter().all(|&threads| threads > 0), "{dealt:?}");
    assert!(
        said[0].as_deref().is_some_and(|said| said.starts_with("8 cores to a and b: 80 GFLOPS more")),
        "{said:?}"
    );
    // The first one waits.
    let waits = AppView { waiting: Waiting::Call, ..with_running(app(0, &[8]), &[4]) };
    let (dealt, said) = threads(&study, vec![waits, with_running(app(1, &[8]), &[4])]);
    assert_eq!(dealt, [0, 8]);
    assert_eq!(said[0].as_deref(), Some("waits for call: 4 cores free"));
    let begins =
        "4 cores to b: 40 GFLOPS more for 1.25 s, costs 0.1 ms of 4 threads; all is done 1.25 s earlier";
    assert_eq!(said[1].as_deref(), Some(begins));
}

#[test]
fn unknown_work_is_shared_by_gflops() {
    // No end is known: the most GFLOPS, 1 + 7 = 10 + 70.
    let unknown = |entry| AppView { left: None, ..app(entry, &[8]) };
    assert_eq!(threads(&mixed(), vec![unknown(0), unknown(1)]).0, [1, 7]);
}

#[test]
fn a_question_that_the_search_refuses_still_gets_a_decision() {
    let study = study(machine(&[2]), &[10.0, 10.0, 10.0]);
    let (dealt, _) = threads(&study, (0..3).map(|entry| app(entry, &[2])).collect());
    assert_eq!(dealt.iter().sum::<u32>(), 2);
}

#[test]
fn never_worse_than_fair_share_by_its_own_prediction() {
    let mut dice = 1_u64;
    let mut draw = |below: u32| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(dice >> 33).unwrap_or(0) % below
    };
    for _ in 0..60 {
        let count = 1 + draw(4);
        let apps = count as usize;
        let intensities: Vec<f64> = (0..apps).map(|_| [0.1, 0.5, 2.0, 10.0][draw(4) as usize]).collect();
        let study = study(machine(&[4, 6]), &intensities);
        let one = |entry: usize, draw: &mut dyn FnMut(u32) -> u32| {
            let running = [draw(1 + 4 / count), draw(1 + 6 / count)];
            left(with_running(app(entry, &[4, 6]), &running), f64::from(draw(500)))
        };
        let view = view((0..apps).map(|entry| one(entry, &mut draw)).collect());
        let mut policy = Replan::new(&study);
        let decision = policy.decide(&view).expect("a decision");
        let members = policy.search.known.members(&view);
        let mut rates = Rates::default();
        let mut outlook =
            Outlook::new(&policy.search.known, &policy.search.network, &view, &members, &mut rates);
        let decided: Rows = decision.threads.into_iter().flatten().collect();
        let fair = outlook.fair_share();
        let (fair, decided) = (outlook.predict(&fair), outlook.predict(&decided));
        assert!(!fair.beats(&decided), "{fair:?} {decided:?}");
    }
}

#[test]
fn threads_without_a_task_are_given_to_other_applications() {
    // a: no task left to begin, 2 of 4 threads still run; c has called a library: no task and no thread. b gets the other six.
    let study = study(machine(&[8]), &[10.0, 10.0, 10.0]);
    let ends = AppView { queued: Some(0), running: vec![2], ..with_running(app(0, &[8]), &[4]) };
    let called = AppView { queued: Some(0), ..app(2, &[8]) };
    let (dealt, said) = threads(&study, vec![left(ends, 10.0), app(1, &[8]), called]);
    assert_eq!(dealt, [2, 6, 0]);
    assert!(
        said[1].as_deref().is_some_and(|said| said.starts_with("6 cores to b: 60 GFLOPS more")),
        "{said:?}"
    );
}

/// A producer and a consumer of 10 and 20 GFLOP an item, with the given number of 100 done, on 8 cores of 10 GFLOPS.
fn pair(produced: u64, finished: u64, threads: [u32; 2]) -> Vec<AppView> {
    let of = |entry, progress: u64, gflop, threads| {
        let begun = AppView { progress, ..with_running(app(entry, &[8]), &[threads]) };
        left(begun, gflop * (100 - progress) as f64)
    };
    vec![of(0, produced, 10.0, threads[0]), of(1, finished, 20.0, threads[1])]
}

fn with_channel() -> Study {
    let mut study = study(machine(&[8]), &[10.0, 10.0]);
    study.dynamics.channels = vec![crate::testing::channel(0, 1)];
    for (course, work) in study.dynamics.courses.iter_mut().zip([10.0, 20.0]) {
        course.iterations = 100;
        course.phases[0].work = Some(Work::Divisible(Gflop::new(work)));
    }
    study
}

#[test]
fn a_producer_that_is_ahead_leaves_its_cores_to_the_consumer() {
    // 12 - 10 = 2 items are between them.
    let (dealt, said) = threads(&with_channel(), pair(12, 10, [7, 1]));
    assert_eq!(dealt, [0, 8]);
    assert_eq!(said[0].as_deref(), Some("2 items ahead of b: 0 cores that no other application can use"));
    // A consumer that cannot use more than 5 cores leaves 3, up to 4 items.
    let mut limited = with_channel();
    limited.apps[1].max_threads = Some(5);
    assert_eq!(threads(&limited, pair(12, 10, [7, 1])).0, [3, 5]);
    assert_eq!(threads(&limited, pair(14, 10, [3, 5])).0, [0, 5]);
}

#[test]
fn a_consumer_is_no_faster_than_its_producer() {
    // One item is between them. 7 + 1 cores: 7 and 0.5 items a second, after 1 / 6.5 s there are two, and then the producer counts as
    // fast as the consumer: 99.5 items at 0.5 a second. Evenly 4 and 2 a second. 3 + 5 cores: 3 and 2.5.
    let dealt = threads(&with_channel(), pair(11, 10, [7, 1])).0;
    assert_eq!(dealt, [3, 5]);
}

#[test]
fn work_for_more_than_a_day_has_no_end() {
    // 80 GFLOPS x 86,400 s = 6.9e6 GFLOP. Half a day of work each: equal shares end earliest, because both are done at the same time...
    // with one tenth of the first one serial. Ten days: the end does not count, and 1 + 7 cores have 80 GFLOPS instead of 70.8.
    let mut study = study(machine(&[8]), &[10.0, 10.0]);
    study.dynamics.courses[0].phases[0].scaling = Scaling::Serial { fraction: 0.1 };
    let both = |gflop| vec![left(app(0, &[8]), gflop), left(app(1, &[8]), gflop)];
    assert!(threads(&study, both(3.4e6)).0[0] >= 4);
    assert_eq!(threads(&study, both(6.9e7)).0, [1, 7]);
}
