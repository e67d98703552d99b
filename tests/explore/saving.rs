//! `explore --save` and `evaluate --save`: the saved file reads back as the printed answer. `explore --plot`: a drawing of
//! the answer.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{config_path, folder, numasim, stderr, stdout};

/// GFLOPS by scenario name.
fn totals(document: &Value) -> Vec<(String, f64)> {
    let scenarios = document["scenarios"].as_array().expect("scenarios");
    let total = |scenario: &Value| {
        let name = scenario["name"].as_str().expect("a name").to_owned();
        (name, scenario["total_gflops"].as_f64().expect("a number"))
    };
    scenarios.iter().map(total).collect()
}

#[test]
fn saved_answers_of_explore_evaluate_to_the_same_values() {
    let folder = folder();
    let saved = folder.path().join("best.toml");
    let file = config_path("paper/numa-bad.toml");
    let saved_name = saved.to_str().expect("UTF-8");
    let output = numasim()
        .args(["explore", &file, "--format", "json", "--save", saved_name])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let answer: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let text = fs::read_to_string(&saved).expect("saved");
    let output = numasim()
        .args(["evaluate", &file, saved_name, "--format", "json"])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}\n{text}", stderr(&output));
    let evaluated = totals(&serde_json::from_str(&stdout(&output)).expect("JSON"));
    let find = |name: &str| evaluated.iter().find(|(known, _)| known == name).expect("a scenario").1;
    assert_eq!(find("best"), answer["best"]["total_gflops"].as_f64().expect("a number"));
    for (i, other) in answer["alternatives"].as_array().expect("a list").iter().enumerate() {
        let total = other["total_gflops"].as_f64().expect("a number");
        assert_eq!(find(&format!("alternative {}", i + 1)), total, "{text}");
    }
    for baseline in answer["baselines"].as_array().expect("a list") {
        find(baseline["name"].as_str().expect("a name"));
    }
}

#[test]
fn the_best_is_drawn_with_its_threads() {
    let folder = folder();
    let (drawn, saved) = (folder.path().join("best.svg"), folder.path().join("best.toml"));
    let run = |plot: &Path, save: &Path| {
        numasim()
            .args(["explore", &config_path("paper/uneven-even-nodes.toml"), "--plot"])
            .arg(plot)
            .arg("--save")
            .arg(save)
            .output()
            .expect("the program starts")
    };
    let output = run(&drawn, &saved);
    assert!(output.status.success(), "{}", stderr(&output));
    let svg = fs::read_to_string(&drawn).expect("drawn");
    assert!(svg.starts_with("<svg") && svg.contains("best"), "{svg}");
    // No output replaces another one.
    let output = run(&folder.path().join("x.svg"), &folder.path().join("x.svg"));
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path().join("x.svg").exists());
}

#[test]
fn saved_scenarios_of_evaluate_include_static_work_and_homes() {
    let folder = folder();
    let saved = folder.path().join("scenarios.toml");
    let saved_name = saved.to_str().expect("UTF-8");
    let output = numasim()
        .args(["evaluate", &config_path("kernels/dmv.toml"), "--static-work", "--save", saved_name])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(&saved).expect("saved");
    let scenarios = text.matches("[[scenario]]").count();
    assert!(scenarios > 1 && text.matches("\nstatic = true\n").count() == scenarios, "{text}");
}

#[test]
fn the_file_of_the_result_is_not_the_saved_one() {
    let folder = folder();
    let both = folder.path().join("x.toml");
    let both = both.to_str().expect("UTF-8");
    for command in ["explore", "evaluate"] {
        let output = numasim()
            .args([command, &config_path("paper/numa-bad.toml"), "-o", both, "--save", both])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("-o and --save name the same file"), "{}", stderr(&output));
        assert!(!Path::new(both).exists());
    }
}
