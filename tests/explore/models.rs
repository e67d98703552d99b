//! `explore --models`: the placement that is good under each of several models.

use std::fs;

use serde_json::Value;

use super::{PAPER, config, json_of_text, run_text, stderr, stdout};
use crate::common::{folder, numasim};

/// The applications of the paper on two nodes of four cores.
fn small() -> String {
    PAPER.replacen("nodes = 4", "nodes = 2", 1).replacen("cores_per_node = 8", "cores_per_node = 4", 1)
}

/// The loss of an allocation under each model.
fn regrets(object: &Value) -> Vec<f64> {
    object.as_object().expect("an object").values().map(|regret| regret.as_f64().expect("a number")).collect()
}

fn worst(object: &Value) -> f64 {
    regrets(object).into_iter().fold(0.0, f64::max)
}

#[test]
fn the_robust_placement_loses_least_and_the_best_of_a_model_loses_nothing_there() {
    let answer = json_of_text(&small(), &["--models", "all", "--objective", "geomean"]);
    let robust = &answer["robust"];
    assert_eq!((robust["status"].as_str(), regrets(&robust["regrets"]).len()), (Some("optimal"), 6));
    assert_eq!(robust["worst_regret"].as_f64(), Some(worst(&robust["regrets"])));
    assert!(robust["bound"].as_f64() <= robust["worst_regret"].as_f64());
    assert_eq!(robust["best"]["name"], "robust");
    let others = robust["others"].as_object().expect("an object");
    for (name, other) in others {
        let own = name.strip_prefix("best of ");
        assert!(
            own.is_none_or(|model| other[model].as_f64().is_some_and(|lost| lost.abs() < 1e-9)),
            "{name}: {other}"
        );
        assert!(worst(other) >= worst(&robust["regrets"]) - 1e-9, "{name}: {other}");
    }
    assert!(others.contains_key("even") && others.contains_key("best of max-min"), "{others:?}");
}

#[test]
fn the_first_name_is_the_model_of_the_answer() {
    let answer = json_of_text(&small(), &["--models", "max-min,baseline-proportional"]);
    assert_eq!(answer["model"], "max-min");
    let same = json_of_text(&small(), &["--models", "baseline-proportional,ecm", "--model", "max-min"]);
    assert_eq!((same["model"].as_str(), regrets(&same["robust"]["regrets"]).len()), (Some("max-min"), 3));
    assert_eq!(same["value"], answer["value"]);
}

#[test]
fn a_model_that_does_not_support_the_machine_is_left_out_of_all_and_an_error_by_name() {
    let limited = small().replacen("link_gbs", "read_gbs = 30.0\nlink_gbs", 1);
    let answer = json_of_text(&limited, &["--models", "all"]);
    let robust = &answer["robust"];
    let left_out = robust["left_out"].as_array().expect("a list");
    assert_eq!((left_out.len(), regrets(&robust["regrets"]).len()), (3, 3), "{robust}");
    assert!(left_out[0]["reason"].as_str().is_some_and(|reason| reason.contains("read_gbs")), "{left_out:?}");
    let refused = run_text(&limited, &["--models", "max-min,proportional"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("the model proportional has no reading of `read_gbs`"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn an_unknown_model_is_a_command_line_error() {
    let refused = run_text(&small(), &["--models", "max-min,fast"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("'fast' is no model"), "{}", stderr(&refused));
}

#[test]
fn the_table_shows_each_loss_under_each_model() {
    let text = stdout(&run_text(&small(), &["--models", "all", "--objective", "geomean"]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Robust: at most"), "{text}");
    assert!(words.contains("whichever of 6 models is right"), "{text}");
    assert!(text.contains("loses, %"), "{text}");
}

#[test]
fn the_robust_placement_is_saved_with_the_others() {
    let folder = folder();
    let saved = folder.path().join("best.toml");
    let file = config("paper/numa-bad.toml");
    let output = numasim()
        .arg("explore")
        .arg(&file)
        .args(["--models", "all", "--time-limit", "2", "--save"])
        .arg(&saved)
        .output();
    assert!(output.expect("the program starts").status.success());
    let text = fs::read_to_string(&saved).expect("saved");
    assert!(text.contains("name = \"robust\""), "{text}");
    let output = numasim().arg("evaluate").arg(&file).arg(&saved).args(["--scenario", "robust"]).output();
    assert!(output.expect("the program starts").status.success(), "{text}");
}
