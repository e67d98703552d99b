//! `numasim fit` as a user sees it: the paper's Table III fitted as its authors did, machine files, refusals.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{numasim, repository, stderr};

fn run(command: &str, args: &[&Path], more: &[&str]) -> Output {
    numasim().arg(command).args(args).args(more).output().expect("the program starts")
}

/// A fit to the measured values of Table III.
fn table_iii(more: &[&str]) -> Output {
    let file = repository("configs/paper/table-iii-all.toml");
    let measured = repository("results/paper-table-iii/measured.csv");
    run("fit", &[&file, Path::new("--measured"), &measured], more)
}

fn document(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("valid JSON")
}

/// An error in tenths of a percent.
fn rounded(error: &Value) -> f64 {
    (error.as_f64().expect("an error") * 1000.0).round() / 10.0
}

#[test]
fn fitted_to_the_even_run_as_the_authors_did_the_other_runs_are_predicted() {
    let args = ["--free", "bandwidth_gbs", "--scenario", "even 5,5,5,5", "--format", "json"];
    let fit = document(&table_iii(&args));
    // 4 (1.45 + (B - 1.45) / 32) = 18.14 gives B = 100.17: the authors write 100.
    let value = fit["figures"][0]["value"].as_f64().expect("a value");
    assert!((value - 100.17).abs() < 1e-6, "{value}");
    assert_eq!(fit["summary"]["left_out"], Value::Null);
    let messages: Vec<(&str, f64)> = fit["observations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["scenario"].as_str().expect("a name"), rounded(&one["error"])))
        .collect();
    // 23.20 / 22.82; (5.8 + 3 B / 32) / 15.28; (0.1328125 B + 0.703125) / 13.25; (5.8 + 3 B / 32) / 14.52.
    let expected = [
        ("even 5,5,5,5", 0.0),
        ("uneven 1,1,1,17", 1.7),
        ("one app per node", -0.6),
        ("NUMA-bad cross-node", 5.7),
        ("NUMA-bad on-node", 4.6),
    ];
    assert_eq!(messages, expected);
    assert_eq!(fit["summary"]["not_used"]["count"], 4);
}

#[test]
fn the_link_follows_from_the_cross_node_run_once_the_bandwidth_fits_the_bad_applications() {
    let args = ["--free", "bandwidth_gbs,link_gbs", "--scenario", "NUMA-bad cross-node", "--scenario"];
    let fit = document(&table_iii(&[&args[..], &["NUMA-bad on-node", "--format", "json"]].concat()));
    // On-node: 5.8 + 3 B / 32 = 14.52; cross-node: 0.1328125 B + 0.0703125 L = 13.25.
    let value = |figure: usize| fit["figures"][figure]["value"].as_f64().expect("a value");
    assert!((value(0) - 93.013_333_3).abs() < 1e-4, "{}", value(0));
    assert!((value(1) - 12.752_592_6).abs() < 1e-4, "{}", value(1));
    assert_eq!(fit["summary"]["degrees_of_freedom"], 0);
}

#[test]
fn a_bound_assumes_that_the_other_values_are_fixed() {
    // B = 98.10 from the four runs without a link, off by 1.7, -1.4, -1.9 and 3.3 %: scatter sqrt(0.00191 / 3) = 0.0252,
    // and 95 % reach 3.182 x 0.0252 = 8.0 %. Cross-node: 0.1328125 B + 0.0703125 L = 13.25 has L = 3.1, and 8.0 % more is
    // L = 3.1 + 0.080 x 13.25 / 0.0703125 = 18.2. The paper's 10 is one of those smaller values.
    let fit = document(&table_iii(&["--free=bandwidth_gbs,link_gbs", "--format", "json"]));
    assert_eq!(fit["figures"][1]["status"], "at-most");
    let bound = fit["figures"][1]["value"].as_f64().expect("a bound");
    assert!((18.1..18.4).contains(&bound), "{bound}");
    let text = String::from_utf8(table_iii(&["--free=bandwidth_gbs,link_gbs"]).stdout).expect("UTF-8");
    assert!(text.contains("at most 18.25 with the other parameters as fitted: the"), "{text}");
    assert!(text.contains("measurements do not tell smaller values apart"), "{text}");
}

#[test]
fn a_machine_file_of_the_fit_predicts_what_the_fit_predicts() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let machine = folder.path().join("fitted.toml");
    let path = machine.to_str().expect("a name");
    let args = ["--free=gflops_per_core,bandwidth_gbs", "--emit-machine", path, "--format", "json"];
    let fit = document(&table_iii(&args));
    let text = fs::read_to_string(&machine).expect("the machine file");
    assert!(text.contains("bandwidth_gbs = { kind = \"estimated\", source = \"numasim fit: "), "{text}");
    // Applications and scenarios of the file, without its machine.
    let all = fs::read_to_string(repository("configs/paper/table-iii-all.toml")).expect("a file");
    let study = folder.path().join("study.toml");
    fs::write(&study, &all[all.find("[[app]]").expect("applications")..]).expect("written");
    let evaluated = document(&run("evaluate", &[&machine, &study], &["--format", "json"]));
    for (one, scenario) in fit["observations"]
        .as_array()
        .expect("a list")
        .iter()
        .zip(evaluated["scenarios"].as_array().expect("a list"))
    {
        let (fitted, read) = (&one["predicted_gflops"], &scenario["total_gflops"]);
        let (fitted, read) = (fitted.as_f64().expect("a number"), read.as_f64().expect("a number"));
        // The file has six digits.
        assert!((fitted / read - 1.0).abs() < 1e-5, "{one} {scenario}");
    }
}

#[test]
fn no_machine_file_is_written_if_values_act_only_together() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let machine = folder.path().join("fitted.toml");
    let path = machine.to_str().expect("a name");
    let args = ["--free=gflops_per_core,bandwidth_gbs", "--scenario=even 5,5,5,5", "--emit-machine", path];
    let output = table_iii(&args);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("only a combination of"), "{}", stderr(&output));
    assert!(!machine.exists());
    // Without the file they are named.
    let output = table_iii(&args[..2]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success() && text.contains("acts only together with bandwidth_gbs"), "{text}");
}

#[test]
fn failures_to_fit_suggest_a_correction() {
    for (args, code, messages) in [
        (&["--free=bandwith_gbs"][..], 1, "did you mean bandwidth_gbs?"),
        (&["--free=app.mem.arithmetic_intensity"], 1, "as for sweep --set"),
        (&["--free=link_gbs,machine.link_gbs"], 1, "link_gbs is free twice"),
        (&["--free=link_gbs", "--scenario=evn 5,5,5,5"], 1, "did you mean 'even 5,5,5,5'?"),
        (&[], 2, "--free"),
    ] {
        let output = table_iii(args);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stderr(&output).contains(messages), "{}", stderr(&output));
    }
}

#[test]
fn measurements_of_other_scenarios_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let measured = folder.path().join("measured.csv");
    fs::write(&measured, "scenario,app,gflops\nevn 5,,18\n").expect("written");
    let file = repository("configs/paper/table-iii-all.toml");
    let output = run("fit", &[&file, Path::new("--measured"), &measured], &["--free=bandwidth_gbs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("evn 5"), "{}", stderr(&output));
}
