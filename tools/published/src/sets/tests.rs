//! The values that README and guide quote, and the guarantees of the CSV reader.

use super::scaling::{Curve, Method};
use super::totals::Of;
use super::*;

/// Mean and worst in tenths of a percent.
fn tenths<'p>(points: impl IntoIterator<Item = &'p Point>) -> [f64; 2] {
    let summary = summary(points).expect("points");
    [summary.mean, summary.worst].map(|error| (1000.0 * error).round() / 10.0)
}

fn one<'j>(judged: &'j [Judged], model: &str, variant: &str) -> &'j Judged {
    judged.iter().find(|one| one.model == model && one.variant == variant).expect("judged")
}

#[test]
fn four_points_of_a_curve_predict_the_others() {
    let judged = scaling::carried().expect("fits");
    let of = |of: Of, kernel: Option<&str>, method: Method| {
        let found = totals::totals(&judged, of).into_iter();
        let mut found =
            found.filter(|total| total.kernel.as_deref() == kernel && total.variant == method.variant());
        let total = found.next().expect("a total");
        [total.pooled.mean, total.pooled.worst, total.of_machines]
            .map(|error| (1000.0 * error).round() / 10.0)
    };
    let tests = Of::Role(Role::Tests);
    assert_eq!(of(Of::All, Some("load"), Method::Hard), [6.8, 24.4, 5.8]);
    assert_eq!(of(Of::Role(Role::Chose), None, Method::Ecm), [1.3, 6.6, 1.5]);
    assert_eq!(of(tests, None, Method::Hard), [4.2, 28.9, 3.7]);
    assert_eq!(of(tests, None, Method::Knee), [3.0, 16.2, 2.3]);
    assert_eq!(of(tests, None, Method::RECOMMENDED), [2.8, 16.4, 2.1]);
    // All methods are judged by the same points.
    let points = |method: Method| -> usize {
        judged.iter().filter(|one| one.variant == method.variant()).map(|one| one.points.len()).sum()
    };
    assert_eq!(Method::ALL.map(points), [512; 3]);
}

#[test]
fn half_of_the_machines_chose_and_the_other_half_tests() {
    // In alphabetical order they take turns.
    let mut machines: Vec<String> =
        scaling::read(scaling::RRZE).expect("in order").into_iter().map(|curve| curve.machine).collect();
    machines.sort_unstable();
    machines.dedup();
    let every_other: Vec<&str> = machines.iter().step_by(2).map(String::as_str).collect();
    assert_eq!((machines.len(), every_other), (8, scaling::CHOSE.to_vec()));
}

/// A curve with these GB/s of 1, 2, 3, ... cores.
pub(super) fn curve(gbs: &[f64]) -> Curve {
    Curve {
        machine: "m".to_owned(),
        threads_per_core: 1,
        kernel: "load".to_owned(),
        domain: u32::try_from(gbs.len()).expect("few"),
        points: (1..).zip(gbs.iter().copied()).collect(),
        unsteady: Vec::new(),
    }
}

#[test]
fn a_saturated_curve_is_seen_at_a_quarter_and_a_super_linear_start_at_two_cores() {
    let counts = |gbs: &[f64]| curve(gbs).seen().expect("enough counts").counts;
    assert_eq!(counts(&[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]), [1, 4, 6, 8]);
    // Half has 99.5 % of all: three quarters would add nothing.
    assert_eq!(counts(&[30.0, 60.0, 80.0, 99.5, 99.8, 100.0, 100.0, 100.0]), [1, 2, 4, 8]);
    // Two cores have 2.1 times the bandwidth of one: one is seen, not fitted.
    let seen = curve(&[10.0, 21.0, 31.0, 42.0, 52.0, 63.0, 73.0, 80.0]).seen().expect("enough counts");
    assert_eq!(seen.counts, [1, 2, 4, 6, 8]);
    assert_eq!(seen.fitted().collect::<Vec<_>>(), [2, 4, 6, 8]);
    assert_eq!(curve(&[10.0, 20.0, 30.0, 40.0]).seen(), None, "nothing would be left to predict");
}

#[test]
fn the_median_of_repetitions_is_judged_and_a_wide_spread_is_named() {
    let header = "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain";
    let curves =
        scaling::read(&format!("{header}\nm,load,1,10,4\nm,load,2,20,4\nm,load,2,26,4\nm,load,1,10.5,4\n"));
    let curves = curves.expect("in order");
    assert_eq!(curves[0].points.values().copied().collect::<Vec<_>>(), [10.25, 23.0]);
    let named: Vec<String> = curves[0].unsteady.iter().map(ToString::to_string).collect();
    assert_eq!(named, ["repetitions at 2 differ: 20.0 to 26.0 GB/s"]);
    let ends = scaling::read(&format!(
        "{header},min_GBs,max_GBs\nm,load,1,10,4,9.9,10\nm,load,2,20,4,14.9,20\nm,load,3,30,4,,\n"
    ));
    let ends = ends.expect("in order");
    assert_eq!(ends[0].points.values().copied().collect::<Vec<_>>(), [10.0, 20.0, 30.0]);
    let named: Vec<String> = ends[0].unsteady.iter().map(ToString::to_string).collect();
    assert_eq!(named, ["repetitions at 2 differ: 14.9 to 20.0 GB/s"]);
    let remote = scaling::read(&format!("{header},memory_node\nm,load,1,10,4,1\n")).expect_err("remote data");
    assert!(remote[0].message.contains("takes all of them for local"), "{remote:?}");
}

#[test]
fn a_curve_that_falls_is_reported() {
    let fall = curve(&[10.0, 20.0, 25.0, 24.0, 22.5]).falls().expect("falls");
    assert!((fall.loss() - 0.1).abs() < 1e-12);
    assert_eq!(fall.to_string(), "falls by 10.0 %, from 25.0 GB/s with 3 cores to 22.5 with 5");
    assert_eq!(curve(&[10.0, 20.0, 25.0, 24.8, 24.6]).falls(), None, "1.6 % is noise");
}

#[test]
fn the_best_of_many_tries_predicts_each_row_of_table_iii_within_5_percent() {
    let judged = table_iii::judge().expect("fits");
    let ecm = one(&judged, "ecm", "two more from other machines");
    assert_eq!(tenths(&ecm.points), [1.9, 4.2]);
    assert_eq!(tenths(&one(&judged, "baseline-proportional", "as the paper").points), [6.0, 16.1]);
    assert_eq!(ecm.points.len(), 5);
}

#[test]
fn two_readers_of_one_memory_are_predicted_from_the_matrix() {
    let judged = readers::judge().expect("in order");
    let [two, four] = readers::runs().expect("in order");
    assert_eq!((two.len(), four.len()), (224, 560));
    // 0 and 2 on 0: the link 2->0 lets 3.0628 GB/s through, the slower one; 2 x 3.0628 = 6.1256 (measured: 6.34)
    let plain = one(&judged, "max-min", "no fit");
    let point = plain.points.iter().find(|point| point.name == "0-2 on 0").expect("a run");
    assert!((point.predicted - 6.1256).abs() < 1e-9, "{point:?}");
    assert_eq!(tenths(&plain.points), [7.9, 29.9]);
    let advised = one(&judged, "ecm", "as advised");
    assert_eq!(tenths(&advised.points), [2.8, 12.2]);
    // The three sets of a method follow each other; those of four nodes test.
    let four_nodes = |model: &str| {
        let mut ports = judged.iter().filter(|one| one.model == model && one.variant == "shared ports");
        let four = ports.find(|one| one.role == Role::Tests).expect("judged");
        tenths(&four.points)
    };
    for model in ["baseline-proportional", "max-min"] {
        assert_eq!(four_nodes(model), [14.9, 72.4], "{model}");
    }
    assert_eq!(four_nodes("ecm"), [15.6, 72.2]);
}

#[test]
fn the_loss_by_remote_readers_of_a_xeon_max_is_about_a_third() {
    assert!((co_run::remote_loss().expect("a fit") - 0.374).abs() < 2e-3);
    let judged = co_run::judge().expect("fits");
    assert_eq!(tenths(&one(&judged, "baseline-proportional", "no fit").points), [7.4, 12.2]);
}

#[test]
fn a_link_saturates_softly() {
    let judged = links::judge().expect("fits");
    let of = |role: Role, model: &str, variant: &str| {
        let mut found = judged.iter().filter(|one| one.role == role);
        tenths(&found.find(|one| one.model == model && one.variant == variant).expect("judged").points)
    };
    assert_eq!(of(Role::Chose, "baseline-proportional", "no fit"), [17.3, 41.4]);
    assert_eq!(of(Role::Chose, "ecm", "as advised"), [5.2, 28.1]);
    assert_eq!(of(Role::Tests, "baseline-proportional", "no fit"), [10.5, 35.1]);
    assert_eq!(of(Role::Tests, "ecm", "as advised"), [2.7, 15.4]);
}

const HEADER: &str = "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\n";

#[test]
fn a_curve_made_by_the_model_is_recovered() {
    // min(n x 10, 45) from 1 to 8 cores: b1 from one core and B from all of them predict the others.
    let row = |n: u32| {
        format!(
            "m,load,{n},{},8
",
            f64::from(n * 10).min(45.0)
        )
    };
    let rows = (1..=8).map(row).collect::<Vec<_>>().concat();
    let curves = scaling::read(&format!("{HEADER}{rows}m,load,9,99,8\n")).expect("in order");
    assert_eq!(curves[0].seen().expect("enough").counts, [1, 4, 6, 8]);
    assert_eq!(curves[0].points.len(), 8, "a row beyond the domain");
    let judged = scaling::judge(&curves).expect("fits");
    let hard = judged.iter().find(|one| one.variant == Method::Hard.variant()).expect("judged");
    assert!(summary(&hard.points).expect("points").worst < 1e-6, "{hard:?}");
    assert_eq!((hard.points.len(), hard.fitted.len()), (4, 4));
}

#[test]
fn invalid_rows_are_refused() {
    let why = |rows: &str| scaling::read(&format!("{HEADER}{rows}")).expect_err("refused")[0].message.clone();
    assert!(why("m,load,0,5,8\n").contains("`cores` is '0'"));
    assert!(why("m,load,1,0,8\n").contains("0 GB/s"));
    let missing = scaling::read("machine_file,cores\n").expect_err("refused");
    assert!(missing[0].message.contains("`kernel`, `bw_GBs`, `cores_per_numa_domain`"), "{missing:?}");
}
