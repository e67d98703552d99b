//! Comparisons of small files with values calculated by hand.

use numasim_model::{Placement, Scenario, Study};
use numasim_study::{SourceFile, read_study};

use super::super::{Comparison, Mismatch, Missing, compare, read_measured};

/// One node of 4 cores at 1 GFLOPS, with enough memory bandwidth for all: a thread does 1 GFLOPS, and reads 1
/// / intensity GB/s.
const STUDY: &str = r#"
[machine]
name = "one node"
nodes = 1
cores_per_node = 4
gflops_per_core = 1.0
bandwidth_gbs = 100.0
[[app]]
name = "a"
instances = 2
arithmetic_intensity = 0.5
[[app]]
name = "b"
arithmetic_intensity = 2
[[scenario]]
name = "two"
threads = { a-1 = 1, b = 1 }
[[scenario]]
name = "three"
threads = { a-1 = 1, b = 2 }
[[scenario]]
name = "four"
threads = { a-1 = 1, a-2 = 1, b = 2 }
"#;

fn study() -> Study {
    read_study(&[SourceFile { name: "study.toml".into(), text: STUDY.into() }]).expect("in order").study
}

fn compared(csv: &str) -> Comparison {
    let study = study();
    let asked: Vec<&Scenario> = study.scenarios.iter().collect();
    let placements = vec![Placement::Local; study.apps.len()];
    let measurements = read_measured(csv).expect("in order");
    compare(&study, &asked, &measurements, |scenario| {
        numasim_model::evaluate(&study.machine, &study.apps, &placements, &scenario.allocation)
    })
    .expect("the scenarios fit the machine")
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn errors_are_relative_to_the_measured_value() {
    // predicted 2, 3, 4; measured 2.5, 3, 3.2: errors -0.2, 0, +0.25
    let found = compared("scenario,app,gflops\ntwo,,2.5\nthree,,3\nfour,,3.2\n");
    let errors: Vec<f64> = found
        .scenarios
        .iter()
        .map(|scenario| scenario.total.as_ref().and_then(|total| total.gflops.error).expect("measured"))
        .collect();
    assert!(close(errors[0], -0.2) && close(errors[1], 0.0) && close(errors[2], 0.25), "{errors:?}");
    let totals = found.totals.expect("measured");
    assert_eq!((totals.count, totals.worst_scenario.as_str(), totals.worst_app), (3, "four", None));
    // mean of 0.2, 0 and 0.25 is 0.15; the 95th percentile is 0.2 + 0.9 x 0.05
    assert!(close(totals.mean, 0.15) && close(totals.median, 0.2) && close(totals.p95, 0.245));
    assert!(close(totals.worst, 0.25) && close(totals.mean_signed, 0.05 / 3.0));
    assert_eq!((found.apps, found.missing.len()), (None, 0));
}

#[test]
fn the_median_of_the_repetitions_counts_and_their_spread_is_reported() {
    let found = compared("scenario,app,gflops,repetition\ntwo,,3,1\ntwo,,1,2\ntwo,,2,3\n");
    let total = found.scenarios[0].total.as_ref().expect("measured");
    let measured = total.gflops.measured;
    assert_eq!((measured.median, measured.min, measured.max, measured.repetitions), (2.0, 1.0, 3.0, 3));
    // mean 2, squares 1 + 1 + 0 over 2, root 1: 1 / 2
    assert_eq!((measured.relative, total.gflops.error), (Some(0.5), Some(0.0)));
    assert_eq!(measured.interval, None);
}

#[test]
fn a_total_is_the_sum_of_the_applications_in_each_repetition_if_all_were_measured() {
    let csv = "scenario,app,gflops,bandwidth_gbs,repetition\n\
               two,a-1,1,2,1\ntwo,b,1,0.5,1\ntwo,a-1,3,6,2\ntwo,b,1,0.5,2\ntwo,b,9,9,3\n";
    let found = compared(csv);
    let two = &found.scenarios[0];
    let total = two.total.as_ref().expect("both applications");
    // repetitions 1 + 1 and 3 + 1: median 3; the third has no a-1
    assert_eq!((total.gflops.measured.median, total.gflops.measured.repetitions), (3.0, 2));
    // predicted: 1 / 0.5 + 1 / 2; measured (2.5 + 6.5) / 2
    let bandwidth = total.bandwidth_gbs.expect("measured");
    assert_eq!((bandwidth.predicted, bandwidth.measured.median), (2.5, 4.5));
    let names: Vec<&str> = two.apps.iter().map(|app| app.name.as_str()).collect();
    assert_eq!(names, ["a-1", "b"]);
    assert_eq!(found.apps.expect("measured").count, 2);
}

#[test]
fn regret_is_the_loss_by_trusting_the_model() {
    // The model prefers four, predicted 4 and measured 3; three was measured best: (3.75 - 3) / 3.75
    let found = compared("scenario,app,gflops\ntwo,,2\nthree,,3.75\nfour,,3\n");
    let regret = found.regret.expect("three totals");
    assert_eq!((regret.preferred.as_str(), regret.best.as_str()), ("four", "three"));
    assert!(close(regret.relative, 0.2));
    // In the same order: two-three, two-four; not: three-four. (2 - 1) / 3
    assert!(close(found.kendall_tau_b.expect("three totals"), 1.0 / 3.0));
    // two and three place a-1 and b, four also places a-2: one choice, in which the model picks the best.
    assert_eq!((found.choices.len(), found.choices[0].scenarios), (1, 2));
    assert_eq!(found.choices[0].regret.relative, 0.0);
}

#[test]
fn a_single_total_has_no_order_and_no_regret() {
    let found = compared("scenario,app,gflops\ntwo,,2\n");
    assert_eq!((found.regret, found.kendall_tau_b), (None, None));
    let whole = |name: &str| Missing { scenario: name.into(), app: None };
    assert_eq!(found.missing, [whole("three"), whole("four")]);
}

#[test]
fn a_missing_application_is_named() {
    let found = compared("scenario,app,gflops\ntwo,b,1\n");
    assert_eq!(found.missing[0], Missing { scenario: "two".into(), app: Some("a-1".into()) });
    assert_eq!(found.scenarios[0].total, None);
}

#[test]
fn measurements_that_cannot_be_compared_are_named_with_the_reason() {
    let csv = "scenario,app,gflops\ntow,,1\ntwo,c,1\ntwo,a-3,1\ntwo,a,1\ntwo,a-2,1\nzzzzzz,,1\n";
    let found = compared(csv);
    let why: Vec<(usize, Mismatch)> = found.unmatched.into_iter().map(|one| (one.line, one.why)).collect();
    let expected = [
        (2, Mismatch::UnknownScenario(Some("two".into()))),
        (3, Mismatch::UnknownApp(None)),
        (4, Mismatch::UnknownApp(Some("a-1".into()))),
        (5, Mismatch::SeveralInstances(vec!["a-1".into(), "a-2".into()])),
        (6, Mismatch::NoThreads),
        (7, Mismatch::UnknownScenario(None)),
    ];
    assert_eq!(why, expected);
}

#[test]
fn a_measurement_with_other_threads_is_not_compared() {
    let csv = "scenario,app,node,repetition,threads,bandwidth_gbs,gflops,fitted,status\n\
               two,a-1,0,1,2,4,2,true,ok\ntwo,b,0,1,1,0.5,1,true,ok\n";
    let found = compared(csv);
    let why = Mismatch::OtherThreads { node: 0, measured: 2, wanted: 1, fitted: true };
    assert_eq!((found.unmatched.len(), &found.unmatched[0].why), (1, &why));
    assert_eq!(found.scenarios[0].total, None);
}

#[test]
fn measurements_of_zero_have_no_relative_error() {
    let found = compared("scenario,app,gflops\ntwo,,0\n");
    assert_eq!(found.scenarios[0].total.as_ref().expect("measured").gflops.error, None);
    assert_eq!(found.totals, None);
}
