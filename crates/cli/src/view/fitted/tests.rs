//! Output of a fit for people and programs.

use std::sync::Arc;

use numasim_ask::document;
use numasim_ask::fit::Fitted;
use numasim_course::Study;
use numasim_evidence::fit::{Observed, Parameter, by_solver, fit, predict_others};
use numasim_study::SourceFile;

use super::*;
use crate::view::Style;

const ALL: &str = include_str!("../../../../../configs/paper/table-iii-all.toml");

/// A fit of some keys to Table III; the scenarios after the first `used` ones are not used.
fn shown(keys: &[&str], used: usize) -> (String, serde_json::Value, String) {
    let file = SourceFile { name: "all.toml".into(), text: ALL.to_owned() };
    let study: Study = numasim_ask::reading::read_study(&[file]).expect("in order").study;
    let measured = [22.82, 18.14, 15.28, 13.25, 14.52];
    let observed: Vec<Observed> = (0..measured.len())
        .map(|scenario| Observed { scenario, app: None, gflops: measured[scenario] })
        .collect();
    let free: Vec<Parameter> =
        keys.iter().map(|key| Parameter::read(&study.machine, key).expect("a key")).collect();
    let predict = by_solver(&study);
    let fit = fit(&study, &observed[..used], &free, true, &predict).expect("a fit");
    let others = predict_others(&study, &fit.machine, &observed[used..], &predict).expect("predicted");
    let measured = "x.csv".to_owned();
    let fitted = Fitted { study: Arc::new(study.clone()), measured, fit, others, warnings: Vec::new() };
    (table(&fitted, &Style::default()), document::value(&fitted), fitted.csv())
}

#[test]
fn the_table_says_what_is_known_and_what_the_fit_is_worth() {
    let (table, ..) = shown(&["gflops_per_core", "bandwidth_gbs", "link_gbs", "core_bandwidth_gbs"], 5);
    insta::assert_snapshot!(table);
}

#[test]
fn what_was_not_used_is_shown_as_predicted() {
    let (table, json, csv) = shown(&["gflops_per_core", "bandwidth_gbs"], 1);
    assert!(table.contains("Not used by the fit, and predicted:"), "{table}");
    assert!(table.contains("as many parameters as measurements"), "{table}");
    let used: Vec<bool> = json["observations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["used"].as_bool().expect("a word"))
        .collect();
    assert_eq!(used, [true, false, false, false, false]);
    assert_eq!(csv.lines().filter(|line| line.starts_with("predicted,")).count(), 4);
    assert_eq!(csv.lines().filter(|line| line.starts_with("figure,")).count(), 2);
}

#[test]
fn what_is_not_determined_has_no_value() {
    let (table, json, _) = shown(&["bandwidth_gbs", "link_gbs"], 1);
    // Only the uneven run: all data is local, and no application lacks bandwidth.
    assert!(table.contains("nothing measured depends on link_gbs"), "{table}");
    assert_eq!(json["figures"][1]["status"], "no-influence");
    assert!(json["figures"][1]["value"].is_null());
}
