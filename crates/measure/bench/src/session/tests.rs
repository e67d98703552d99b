//! The whole pipeline from a plan to rows on disk, against a runner with exact numbers.

mod files;
mod mock;

use std::collections::BTreeMap;

use numasim_evidence::measured::{Figure, header, lines, summarise};
use numasim_model::Scenario;

use super::*;
use crate::plan;
use crate::plan::tests::{PAPER, host, study};
use mock::{Memory, Mock, Nobody, settings};

/// Two scenarios on one node of four cores: `pair` has two applications, `lone` one.
fn plan_of_two() -> Plan {
    let text = format!(
        "{PAPER}[[scenario]]\nname = \"pair\"\nthreads = {{ \"mem-1\" = [2,0,0,0], compute = [1,0,0,0] }}\n\
         [[scenario]]\nname = \"lone\"\nthreads = {{ \"mem-1\" = [1,0,0,0] }}\n"
    );
    let study = study(&text);
    let scenarios: Vec<&Scenario> =
        study.scenarios.iter().filter(|s| s.name == "pair" || s.name == "lone").collect();
    plan::make(&study, &scenarios, &host(&[4]), &plan::Options::default()).expect("fits")
}

fn session<'a>(plan: &'a Plan, settings: &'a Settings, repetitions: u32, doubts: &'a [Doubt]) -> Session<'a> {
    Session { plan, settings, repetitions, run: "00c0ffee", doubts }
}

/// Jobs in the order of the runner.
fn order_of(mock: &Mock) -> String {
    mock.asked.join(" ")
}

#[test]
fn fixed_measurements_make_exactly_these_lines() {
    let (plan, settings) = (plan_of_two(), settings());
    let doubts = [Doubt::Turbo];
    let (mut mock, mut sink) = (Mock::default(), Memory::default());
    let outcome =
        run(&session(&plan, &settings, 2, &doubts), Vec::new(), &mut mock, &mut sink, &mut Nobody::default());
    assert!(matches!(outcome.ended, Ended::Complete));
    assert_eq!(order_of(&mock), "pair lone lone pair");
    // Each thread counts 0.5 s. A thread of mem-1 (AI 1/2) moves 4 GB in it: 8 GB/s, 4 GFLOPS; the second one of `pair`
    // half of that. Triad (AI 8) moves 1 GB: 2 GB/s, 16 GFLOPS. A hundred-thousandth of the window is counting. The n-th
    // measurement is n seconds after 1970.
    let text = lines(&sink.rows).expect("rows");
    let mem = "mem-1,0,1,2,0:100,read,portable,0.5,0.5,6000000000,3000000000,12.0,6.0,2.0,4.0,50.0,0.001,0-1,1970-01-01T00:00:01.000Z,false,ok,,turbo no-huge-pages";
    let compute = "compute,0,1,1,0:100,triad,portable,8.0,0.5,1000000000,8000000000,2.0,16.0,16.0,16.0,50.0,0.001,2,1970-01-01T00:00:01.000Z,false,ok,,turbo no-huge-pages";
    let lone = "mem-1,0,1,1,0:100,read,portable,0.5,0.5,4000000000,2000000000,8.0,4.0,4.0,4.0,50.0,0.001,0,1970-01-01T00:00:02.000Z,false,ok,,turbo no-huge-pages";
    let expected = [format!("pair,{mem}"), format!("pair,{compute}"), format!("lone,{lone}")];
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found.len(), 6, "{text}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(*found, format!("00c0ffee,{expected}"));
    }
    assert_eq!(header().trim_end().split(',').count(), 25);
}

#[test]
fn the_summary_is_over_repetitions_and_nodes() {
    let (plan, settings) = (plan_of_two(), settings());
    // mem-1 is 1, 3 and 2 times as fast in the three repetitions of `lone`: 4, 12 and 8 GFLOPS.
    let speed = BTreeMap::from([(("lone".to_owned(), 1), 3), (("lone".to_owned(), 2), 2)]);
    let (mut mock, mut sink) = (Mock { speed, ..Mock::default() }, Memory::default());
    let outcome =
        run(&session(&plan, &settings, 3, &[]), Vec::new(), &mut mock, &mut sink, &mut Nobody::default());
    let summaries = summarise(&plan.expected_rows(), &outcome.rows);
    let of = |scenario: &str, app: Option<&str>| {
        let found = summaries.iter().find(|s| s.scenario == scenario && s.app.as_deref() == app);
        found.unwrap_or_else(|| panic!("{scenario} {app:?}: {summaries:?}")).clone()
    };
    let figure = |median, min, max, spread| Some(Figure { median, min, max, spread: Some(spread) });
    // Mean 8, deviations -4, 4, 0: sample standard deviation 4.
    assert_eq!(of("lone", Some("mem-1")).gflops, figure(8.0, 4.0, 12.0, 0.5));
    assert_eq!(of("pair", None).gflops, figure(22.0, 22.0, 22.0, 0.0));
    assert_eq!(of("pair", None).bandwidth_gbs, figure(14.0, 14.0, 14.0, 0.0));
    assert_eq!(of("pair", None).counting_percent, Some(1e-3));
    assert_eq!((of("pair", None).threads, of("pair", None).repetitions), (vec![(0, 3)], 3));
    assert!(
        summaries.iter().all(|s| s.scenario != "lone" || s.app.is_some()),
        "one application needs no sum"
    );
    let spread: Vec<&Repeated> = outcome.repeated.iter().filter(|r| r.scenario == "lone").collect();
    assert_eq!(spread[0].gflops, [4.0, 12.0, 8.0]);
    assert_eq!(spread[0].huge_pages, Some(0.5));
}

#[test]
fn a_misplaced_measurement_is_stored_and_repeated_once() {
    let (plan, settings) = (plan_of_two(), settings());
    // The first measurement of `pair` is misplaced, its repetition in place; `lone` stays misplaced in repetition 2.
    let mut mock = Mock { misplaced: vec![0, 3, 4], ..Mock::default() };
    let mut sink = Memory::default();
    let outcome =
        run(&session(&plan, &settings, 2, &[]), Vec::new(), &mut mock, &mut sink, &mut Nobody::default());
    assert!(matches!(outcome.ended, Ended::Complete), "the others are measured all the same");
    assert_eq!(order_of(&mock), "pair pair lone lone lone pair");
    let messages: Vec<(&str, u32, bool)> =
        outcome.misplaced.iter().map(|m| (m.scenario.as_str(), m.repetition, m.mended)).collect();
    assert_eq!(messages, [("pair", 1, true), ("lone", 2, false)]);
    assert_eq!(outcome.misplaced[1].problems, ["'mem-1' thread 0 ran on processor 3, bound to 0"]);
    assert_eq!(outcome.lost().count(), 1);
    let problems: Vec<&str> = sink.rows.iter().map(|row| row.problem.as_str()).collect();
    let (own, others) =
        ("thread 0 ran on processor 3, bound to 0", "other threads of this measurement were misplaced");
    assert_eq!(problems, [own, others, "", "", "", own, own, "", ""]);
    let wrong = sink.rows.iter().filter(|row| row.status == Status::Misplaced).count();
    assert_eq!(wrong, 4);
    // Misplaced rows do not count.
    let lone = summarise(&plan.expected_rows(), &sink.rows).into_iter().find(|s| s.scenario == "lone");
    assert_eq!(lone.map(|s| s.repetitions), Some(1));
}

#[test]
fn only_misplaced_measurements_are_repeated_on_resume() {
    let (plan, settings) = (plan_of_two(), settings());
    let mut first = Mock { misplaced: vec![2, 3], ..Mock::default() };
    let earlier = run(
        &session(&plan, &settings, 2, &[]),
        Vec::new(),
        &mut first,
        &mut Memory::default(),
        &mut Nobody::default(),
    );
    let mut second = Mock::default();
    let outcome = run(
        &session(&plan, &settings, 3, &[]),
        earlier.rows,
        &mut second,
        &mut Memory::default(),
        &mut Nobody::default(),
    );
    // `lone` of repetition 2 is repeated, then comes repetition 3.
    assert_eq!(order_of(&second), "lone pair lone");
    let summaries = summarise(&plan.expected_rows(), &outcome.rows);
    assert!(summaries.iter().all(|summary| summary.repetitions == 3), "{summaries:?}");
}

#[test]
fn ctrl_c_keeps_all_measurements() {
    let (plan, settings) = (plan_of_two(), settings());
    for mut mock in [Mock { interrupt_at: Some(3), ..Mock::default() }, Mock::default()] {
        let mut observer =
            Nobody { stop_after: mock.interrupt_at.is_none().then_some(3), ..Nobody::default() };
        let mut sink = Memory::default();
        let outcome =
            run(&session(&plan, &settings, 9, &[]), Vec::new(), &mut mock, &mut sink, &mut observer);
        assert!(matches!(outcome.ended, Ended::Interrupted));
        // pair, lone, lone: 2 + 1 + 1 rows.
        assert_eq!((sink.rows.len(), observer.kept), (4, 3));
    }
}

#[test]
fn an_unmeasurable_scenario_ends_the_run_and_is_named() {
    let (plan, settings) = (plan_of_two(), settings());
    let mut mock = Mock { no_memory_at: Some(1), ..Mock::default() };
    let mut sink = Memory::default();
    let outcome =
        run(&session(&plan, &settings, 2, &[]), Vec::new(), &mut mock, &mut sink, &mut Nobody::default());
    let Ended::Failed(error) = outcome.ended else { panic!("{:?}", outcome.ended) };
    assert_eq!(error.to_string(), "scenario 'lone' cannot be measured (repetition 1)");
    assert_eq!(sink.rows.len(), 2);
}

#[test]
fn a_disk_that_fills_up_ends_the_run_with_safe_rows() {
    let (plan, settings) = (plan_of_two(), settings());
    let mut sink = Memory { full_after: Some(2), ..Memory::default() };
    let outcome = run(
        &session(&plan, &settings, 5, &[]),
        Vec::new(),
        &mut Mock::default(),
        &mut sink,
        &mut Nobody::default(),
    );
    let Ended::Failed(error) = outcome.ended else { panic!("{:?}", outcome.ended) };
    assert!(error.to_string().ends_with("the 2 measurements before are safe there"), "{error}");
    assert_eq!(outcome.rows, sink.rows);
}

#[test]
fn a_measurement_of_other_threads_is_rejected() {
    let (plan, settings) = (plan_of_two(), settings());
    let mut mock = Mock { forgets_a_thread: true, ..Mock::default() };
    let outcome = run(
        &session(&plan, &settings, 1, &[]),
        Vec::new(),
        &mut mock,
        &mut Memory::default(),
        &mut Nobody::default(),
    );
    assert!(matches!(outcome.ended, Ended::Failed(SessionError::OtherThreads(_))), "{:?}", outcome.ended);
}

#[test]
fn ids_of_runs_differ() {
    let ids: std::collections::BTreeSet<String> = (0..50).map(|_| new_run_id()).collect();
    assert!(ids.len() == 50 && ids.iter().all(|id| id.len() == 16), "{ids:?}");
}
