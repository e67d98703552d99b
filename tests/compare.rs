//! `numasim compare` as a user sees it: the paper's Table III, the names in messages, refusals, and its speed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{PROGRAM, numasim, repository, stderr, stdout};

fn compare(files: &[PathBuf], measured: &Path, more: &[&str]) -> Output {
    let mut command = numasim();
    command.arg("compare").args(files).arg("--measured").arg(measured).args(more);
    command.output().expect("the program starts")
}

fn table_iii(more: &[&str]) -> Output {
    let file = repository("configs/paper/table-iii-all.toml");
    compare(&[file], &repository("results/paper-table-iii/measured.csv"), more)
}

/// Table III with other measurements.
fn with_measured(csv: &str, more: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("measured.csv");
    fs::write(&file, csv).expect("a file for the test");
    compare(&[repository("configs/paper/table-iii-all.toml")], &file, more)
}

fn document(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("valid JSON")
}

/// Tenths of a percent.
fn rounded(error: &Value) -> f64 {
    (error.as_f64().expect("an error") * 1000.0).round() / 10.0
}

#[test]
fn errors_of_table_iii_are_those_of_the_published_figures() {
    let output = table_iii(&["--format", "json"]);
    assert_eq!(stderr(&output), "");
    let document = document(&output);
    assert_eq!((&document["schema"], &document["command"]), (&Value::from(1), &Value::from("compare")));
    // 23.2 / 22.82, 18.11875 / 18.14, 15.175 / 15.28, 13.984375 / 13.25 and 15.175 / 14.52
    let errors: Vec<f64> = (0..5).map(|s| rounded(&document["scenarios"][s]["error"])).collect();
    assert_eq!(errors, [1.7, -0.1, -0.7, 5.5, 4.5]);
    let totals = &document["summary"]["totals"];
    // mean and median of 1.67, 0.12, 0.69, 5.54 and 4.51; the 95th percentile is 4.51 + 0.8 x 1.03
    let summary =
        ["mean_absolute_error", "median_absolute_error", "p95_absolute_error", "worst_absolute_error"];
    assert_eq!(summary.map(|key| rounded(&totals[key])), [2.5, 1.7, 5.3, 5.5]);
    assert_eq!(totals["worst_scenario"], "NUMA-bad cross-node");
    assert_eq!(document["summary"]["apps"], Value::Null);
    assert_eq!(document["summary"]["regret"]["regret"], 0.0);
    // One app per node and NUMA-bad on-node are equal in the model: 9 pairs of 10 are ordered, all as measured.
    let tau = document["summary"]["kendall_tau_b"].as_f64().expect("five totals");
    assert!((tau - 9.0 / 90.0_f64.sqrt()).abs() < 1e-12, "{tau}");
}

#[test]
fn null_models_are_listed_with_the_model() {
    let found = document(&table_iii(&["--format", "json"]));
    let names: Vec<&Value> = (0..2).map(|i| &found["null_models"][i]["name"]).collect();
    assert_eq!(names, ["no-sharing", "equal-parts"]);
    // Each thread of AI 1/32 would do 0.29 GFLOPS alone, as the others: 80 x 0.29 = 23.2 in the first three scenarios, measured 22.82,
    // 18.14 and 15.28: 1.7, 27.9 and 51.8 %. Each would draw 9.28 GB/s, 20 of them 185.6 of the controller's 100,
    // and 5 of each of four applications 140.6; three of them and 17 that compute 32.8: that one decides nothing.
    assert_eq!(rounded(&found["null_models"][0]["worst"]), 75.1);
    assert_eq!(found["sharing"]["contended_scenarios"], 4);
    assert_eq!(found["sharing"]["verdict"], "too-few-scenarios");
}

/// Two cores of one node can draw 43.1 GB/s together, and the controller has 40.88: nothing is contended.
#[test]
fn two_cores_of_one_node_decide_nothing_about_sharing() {
    let folder = repository("results/2026-11-21-2-core-vm-model-versus-real");
    let (study, measured) = (folder.join("measured.study.toml"), folder.join("measured.csv"));
    let found = document(&compare(&[study], &measured, &["--format", "json"]));
    let errors = |of: &Value| [rounded(&of["mean"]), rounded(&of["worst"])];
    assert_eq!(errors(&found["null_models"][0]), [4.2, 8.1]);
    assert_eq!(errors(&found["null_models"][1]), [1.0, 2.6]);
    let totals = &found["summary"]["totals"];
    assert_eq!(
        [rounded(&totals["mean_absolute_error"]), rounded(&totals["worst_absolute_error"])],
        [1.1, 2.6]
    );
    assert_eq!(found["null_models"][0]["model_is"], "better");
    assert_eq!(found["null_models"][1]["model_is"], "no-better");
    assert_eq!(found["sharing"]["verdict"], "nothing-contended");
    let highest = found["sharing"]["highest_contention"].as_f64().expect("a ratio");
    assert!((highest - 43.1 / 40.88).abs() < 1e-9, "{highest}");
}

#[test]
fn the_table_shows_the_errors_and_what_they_mean() {
    insta::assert_snapshot!(stdout(&table_iii(&[])).replace(&repository("").display().to_string(), ""));
}

#[test]
fn the_results_in_the_repository_are_current() {
    let relative = |more: &[&str]| {
        let output = Command::new(PROGRAM)
            .args(["compare", "configs/paper/table-iii-all.toml"])
            .args(["--measured", "results/paper-table-iii/measured.csv"])
            .args(more)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(repository(""))
            .output()
            .expect("the program starts");
        stdout(&output)
    };
    for (format, file) in
        [("table", "comparison.txt"), ("json", "comparison.json"), ("csv", "comparison.csv")]
    {
        let kept = fs::read_to_string(repository("results/paper-table-iii").join(file)).expect("a result");
        assert_eq!(relative(&["--format", format]), kept, "{file} is out of date");
    }
}

#[test]
fn missing_and_unknown_measurements_are_named() {
    let output = with_measured(
        "scenario,app,gflops\n\"even 5,5,5,5\",,18\n\"even 5,5,5\",,9\n",
        &["--format", "json"],
    );
    let said = stderr(&output);
    assert!(said.contains("not measured: 'uneven 1,1,1,17', 'one app per node', 'NUMA-bad"), "{said}");
    assert!(
        said.contains("measured.csv:3: no file has a scenario 'even 5,5,5'; did you mean 'even 5,5,5,5'?"),
        "{said}"
    );
    let document = document(&output);
    assert_eq!(document["missing"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["unmatched"][0]["kind"], "unknown-scenario");
    assert_eq!(document["summary"]["regret"], Value::Null);
}

#[test]
fn applications_are_compared_if_they_were_measured() {
    // In one app per node each mem has a node to itself: 100 GB/s x 1/32 = 3.125 GFLOPS.
    let csv = "scenario,app,gflops,bandwidth_gbs,repetition\n\
               one app per node,mem-1,3,96,1\none app per node,mem-1,3.25,104,2\n";
    let output = with_measured(csv, &["--scenario", "one app per node", "--format", "json"]);
    assert!(stderr(&output).contains("not measured: 'mem-2 in one app per node'"), "{output:?}");
    let document = document(&output);
    let mem = &document["scenarios"][0]["apps"][0];
    assert_eq!(
        (&mem["predicted_gflops"], &mem["measured_gflops"]),
        (&Value::from(3.125), &Value::from(3.125))
    );
    assert_eq!((&mem["repetitions"], &mem["error"]), (&Value::from(2), &Value::from(0.0)));
    assert_eq!(
        (&mem["predicted_bandwidth_gbs"], &mem["measured_bandwidth_gbs"]),
        (&Value::from(100.0), &Value::from(100.0))
    );
    assert_eq!(document["scenarios"][0]["measured_gflops"], Value::Null);
    let table = stdout(&with_measured(csv, &["--scenario", "one app per node"]));
    // Spread: 3 and 3.25 have mean 3.125, squares 2 x 0.125^2 over 1, root 0.177: 5.7 %.
    assert!(table.contains("mem-1") && table.contains("5.7 % of 2") && table.contains("GB/s"), "{table}");
}

#[test]
fn an_empty_comparison_is_an_error_with_the_reason() {
    let output = with_measured("scenario,app,gflops\nevn,,1\n", &[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    assert!(said.contains("has no measurement of any of these scenarios"), "{said}");
    assert!(said.contains("the scenarios are: 'uneven 1,1,1,17'"), "{said}");
}

#[test]
fn a_mistake_in_the_measured_file_is_shown_at_its_place() {
    let output = with_measured("# by hand\nscenario,app,gflops\none app per node,,-15.28\n", &[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = stderr(&output);
    assert!(said.contains("`gflops` is -15.28, but cannot be negative"), "{said}");
    assert!(said.contains("measured.csv:3:19"), "{said}");
    assert!(said.contains("write GFLOPS, zero or more, such as 22.82"), "{said}");
}

#[test]
fn the_measured_file_is_not_replaced_by_the_result() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("measured.csv");
    let csv = "scenario,app,gflops\none app per node,,15.28\n";
    fs::write(&file, csv).expect("a file for the test");
    let name = file.display().to_string();
    let output = compare(&[repository("configs/paper/table-iii-all.toml")], &file, &["-o", &name]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).expect("still there"), csv);
}

/// 500 scenarios x 2 applications x 10 repetitions: 10,000 rows, in less than 100 MB of address space.
#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_rows_take_little_time_and_memory() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (study, measured) = (folder.path().join("study.toml"), folder.path().join("measured.csv"));
    let mut files = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 64\ngflops_per_core = 10.0\n\
                     bandwidth_gbs = 50.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.125\n[[app]]\nname = \"b\"\n\
                     arithmetic_intensity = 4\n"
        .to_owned();
    let mut rows = "scenario,app,gflops,bandwidth_gbs,repetition\n".to_owned();
    for scenario in 0..500 {
        let (a, b) = (1 + scenario % 32, 1 + scenario / 32);
        writeln!(files, "[[scenario]]\nname = \"s{scenario}\"\nthreads = {{ a = {a}, b = {b} }}")
            .expect("memory");
        for repetition in 1..=10 {
            for app in ["a", "b"] {
                writeln!(rows, "s{scenario},{app},{}.5,{}.25,{repetition}", scenario + 1, repetition)
                    .expect("memory");
            }
        }
    }
    fs::write(&study, files).expect("a file for the test");
    fs::write(&measured, rows).expect("a file for the test");
    // 0.05 s and 15 MB; a minute of processor time is a defect on every machine, however busy it is.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 100000 && ulimit -t 60 && exec \"$@\"", "sh", PROGRAM, "compare"])
        .args([study.as_path(), Path::new("--measured"), &measured])
        .args(["--format", "json"])
        .output()
        .expect("the program starts");
    let document = document(&output);
    assert_eq!(document["summary"]["apps"]["count"], 1000);
}
