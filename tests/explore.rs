//! `numasim explore` as a user or a script sees it.

mod answers;
mod cautions;
mod enumeration;
mod fewest;
mod infeasible;
mod json;
mod machines;
mod models;
mod reference;
mod restrict;
mod saving;
mod stopping;
mod tables;

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{config, numasim, stderr, stdout, study};

/// `numasim explore FILES ARGS`, not started yet.
fn command(files: &[PathBuf], args: &[&str]) -> Command {
    let mut command = numasim();
    command.arg("explore").args(files).args(args);
    command
}

fn run(files: &[PathBuf], args: &[&str]) -> Output {
    command(files, args).output().expect("the program starts")
}

fn run_text(text: &str, args: &[&str]) -> Output {
    let (folder, file) = study(text);
    let name = PathBuf::from(file.file_name().expect("a name"));
    command(&[name], args).current_dir(folder.path()).output().expect("the program starts")
}

/// The JSON of a successful run.
fn parsed(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).expect("JSON alone on standard output")
}

fn json_of(files: &[PathBuf], args: &[&str]) -> Value {
    parsed(&run(files, &[args, &["--format", "json"]].concat()))
}

fn json_of_text(text: &str, args: &[&str]) -> Value {
    let (_folder, file) = study(text);
    json_of(&[file], args)
}

/// `threads[app][node]` of a scenario object.
fn threads(scenario: &Value) -> Vec<Vec<u64>> {
    let apps = scenario["apps"].as_array().expect("applications");
    let row = |app: &Value| {
        app["threads"].as_array().expect("a list").iter().map(|t| t.as_u64().expect("a count")).collect()
    };
    apps.iter().map(row).collect()
}

/// Close to a relative 1e-9, the precision that the search promises.
#[track_caller]
fn assert_close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() <= 1e-9 * expected.abs().max(1e-9), "{number} instead of {expected}");
}

/// The machine and the applications of the paper's first experiment without their scenarios.
const PAPER: &str = "\
[machine]
name = \"4 nodes x 8 cores\"
nodes = 4
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0
[[app]]
name = \"mem\"
instances = 3
arithmetic_intensity = 0.5
[[app]]
name = \"compute\"
arithmetic_intensity = 10.0
";

#[test]
fn a_scenario_of_static_work_counts_the_speed_of_its_slowest_threads() {
    let text = "[machine]\nname = \"two\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 100\nbandwidth_gbs = 60\nlink_gbs = 20\n\
                [[app]]\nname = \"a\"\narithmetic_intensity = 1\ndata = { home = 0 }\n\
                [[scenario]]\nname = \"loop\"\nthreads = { a = 2 }\nstatic = true\n";
    let found = json_of_text(text, &["--objective", "total-gflops"]);
    let baselines = found["baselines"].as_array().expect("a list");
    let value = |name: &str| &baselines.iter().find(|one| one["name"] == name).expect("a baseline")["value"];
    // The same threads: 60 GB/s shared by speed, and four as slow as the two that share the link of 20.
    assert_close(value("even"), 60.0);
    assert_close(value("loop"), 40.0);
    assert_close(&found["value"], 60.0);
    let told = stderr(&run_text(text, &[]));
    assert!(
        told.contains("scenario 'loop' divides work beforehand (static = true): its figures here are so"),
        "{told}"
    );
}
