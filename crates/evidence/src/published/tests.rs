//! The figures that README and guide quote, and what a reader of a CSV promises.

use super::scaling::{Curve, Method};
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
fn three_points_of_a_load_curve_predict_the_others() {
    let curves = scaling::read(scaling::RRZE).expect("in order");
    let loads: Vec<Curve> = curves.into_iter().filter(|curve| curve.kernel == "load").collect();
    assert_eq!(loads.len(), 13);
    let judged = scaling::judge(&loads).expect("fits");
    let of = |method: Method, falling: bool| {
        let chosen =
            judged.iter().filter(|one| one.variant == method.variant() && (falling || !one.overloaded));
        tenths(chosen.flat_map(|one| &one.points).collect::<Vec<_>>())
    };
    assert_eq!(of(Method::Hard, true), [6.9, 21.4]);
    assert_eq!(of(Method::Knee, true), [3.8, 12.4]);
    assert_eq!(of(Method::Ecm, true), [2.8, 18.1]);
    // Without ThunderX2, the only one that is slower with all cores.
    assert_eq!(of(Method::Ecm, false), [2.1, 8.6]);
    assert_eq!(judged.iter().filter(|one| one.overloaded).count(), Method::ALL.len());
}

#[test]
fn each_row_of_table_iii_is_predicted_within_3_percent_by_the_others() {
    let judged = table_iii::judge().expect("fits");
    let ecm = one(&judged, "ecm", "two more from other machines");
    assert_eq!(tenths(&ecm.points), [1.2, 1.8]);
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
    assert_eq!(tenths(&plain.points), [17.2, 94.2]);
}

#[test]
fn the_loss_by_remote_readers_of_a_xeon_max_is_about_a_third() {
    assert!((co_run::remote_loss().expect("a fit") - 0.374).abs() < 2e-3);
    let judged = co_run::judge().expect("fits");
    assert_eq!(tenths(&one(&judged, "baseline-proportional", "no fit").points), [7.4, 12.2]);
}

const HEADER: &str = "machine_file,kernel,cores,bw_GBs,cores_per_numa_domain\n";

#[test]
fn a_curve_that_the_model_made_is_found_again() {
    // min(n x 10, 45) from 1 to 8 cores: fitted to 1, 4 and 8, all others come out.
    let row = |n: u32| {
        format!(
            "m,load,{n},{},8
",
            f64::from(n * 10).min(45.0)
        )
    };
    let rows = (1..=8).map(row).collect::<Vec<_>>().concat();
    let curves = scaling::read(&format!("{HEADER}{rows}m,load,9,99,8\n")).expect("in order");
    assert_eq!(curves[0].seen(), Some([1, 4, 8]));
    assert_eq!(curves[0].points.len(), 8, "a row beyond the domain");
    let judged = scaling::judge(&curves).expect("fits");
    let hard = judged.iter().find(|one| one.variant == Method::Hard.variant()).expect("judged");
    assert!(summary(&hard.points).expect("points").worst < 1e-6, "{hard:?}");
    assert_eq!((hard.points.len(), hard.fitted.len()), (5, 3));
}

#[test]
fn rows_that_mean_nothing_are_refused() {
    let why = |rows: &str| scaling::read(&format!("{HEADER}{rows}")).expect_err("refused")[0].message.clone();
    assert!(why("m,load,1,5,8\nm,load,1,6,8\n").contains("twice"));
    assert!(why("m,load,0,5,8\n").contains("`cores` is '0'"));
    assert!(why("m,load,1,0,8\n").contains("0 GB/s"));
    let missing = scaling::read("machine_file,cores\n").expect_err("refused");
    assert!(missing[0].message.contains("`kernel`, `bw_GBs`, `cores_per_numa_domain`"), "{missing:?}");
}
