//! `numasim explore` as a person or a script meets it.

#[path = "explore/answers.rs"]
mod answers;
#[path = "explore/enumeration.rs"]
mod enumeration;
#[path = "explore/infeasible.rs"]
mod infeasible;
#[path = "explore/json.rs"]
mod json;
#[path = "explore/reference.rs"]
mod reference;
#[path = "explore/stopping.rs"]
mod stopping;
#[path = "explore/tables.rs"]
mod tables;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A file of the folder `configs`.
fn config(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../configs").join(name)
}

/// `numasim explore FILES ARGS`, not started yet.
fn command(files: &[PathBuf], args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numasim"));
    command
        .arg("explore")
        .args(files)
        .args(args)
        .stdin(Stdio::null())
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn run(files: &[PathBuf], args: &[&str]) -> Output {
    command(files, args).output().expect("the program starts")
}

/// A file with this text in a folder of its own.
fn study(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("study.toml");
    fs::write(&file, text).expect("a file for the test");
    (folder, file)
}

fn run_text(text: &str, args: &[&str]) -> Output {
    let (folder, file) = study(text);
    let name = PathBuf::from(file.file_name().expect("a name"));
    command(&[name], args).current_dir(folder.path()).output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on standard output")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}

/// The JSON of a run that ends well.
fn parsed(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("JSON alone on standard output")
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
