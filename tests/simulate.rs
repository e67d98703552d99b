//! `numasim simulate` as a user and a script see it: values by hand, policies side by side, timelines, traces, and refusals.

mod bounds;
mod data;
mod hand;
mod pictures;
mod refused;
mod traces;

use std::process::Output;

use serde_json::Value;

use crate::common::{config_path, folder, numasim, run, stderr, stdout, study};

/// The paper's node: 8 cores of 10 GFLOPS, 32 GB/s; sharing cores costs nothing.
const NODE: &str = "\
[machine]
name = \"1 node x 8 cores\"
nodes = 1
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
[os]
switch_us = 0.0
refill_ms = 0.0
";

/// A producer with 10 GFLOP and a consumer with 20 in each of 100 iterations.
const PRODUCER_CONSUMER: &str = "\
[[app]]
name = \"producer\"
arithmetic_intensity = 10.0
iterations = 100
work_gflop = 1000.0
[[app]]
name = \"consumer\"
arithmetic_intensity = 10.0
iterations = 100
work_gflop = 2000.0
[[channel]]
from = \"producer\"
to = \"consumer\"
item_mb = 100.0
";

fn simulate(text: &str, more: &[&str]) -> Output {
    let (_folder, file) = study(text);
    numasim().arg("simulate").arg(&file).args(more).output().expect("the program starts")
}

/// The runs of a simulation.
#[track_caller]
fn runs(output: &Output) -> Vec<Value> {
    let document: Value = serde_json::from_str(&stdout(output)).expect("JSON");
    document["runs"].as_array().expect("a list").clone()
}

/// The one run of a simulation.
#[track_caller]
fn one(text: &str, more: &[&str]) -> Value {
    let output = simulate(text, &[&["--format", "json"], more].concat());
    let runs = runs(&output);
    assert_eq!(runs.len(), 1);
    runs[0].clone()
}

/// The one run of a file of `configs/dynamic`.
#[track_caller]
fn shipped(name: &str, more: &[&str]) -> Value {
    let file = config_path(&format!("dynamic/{name}"));
    runs(&run(&[&["simulate", &file, "--format", "json"], more].concat()))[0].clone()
}

#[track_caller]
fn close(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{value}, not {expected}");
}

#[test]
fn several_policies_are_shown_side_by_side_with_ratios_to_the_first() {
    let text = format!("{NODE}{PRODUCER_CONSUMER}");
    let printed = stdout(&simulate(&text, &["--policy", "none", "--policy", "lead:2"]));
    let line = |name: &str| {
        let line = printed.lines().find(|line| line.starts_with(name)).expect("a row");
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // The same speed, and 2 items of 100 MB instead of 51.
    assert_eq!(line("none")[1..3], ["37.50", "1.000"], "{printed}");
    assert_eq!(line("lead:2")[1..3], ["37.50", "1.000"], "{printed}");
    assert!(line("none").contains(&"5100.0".to_owned()), "{printed}");
    assert!(line("lead:2").contains(&"200.0".to_owned()), "{printed}");
}

#[test]
fn seeds_count_from_the_first_and_each_has_an_object() {
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 10.0\ntasks = 64\nwork_gflop = 64.0\ntask_spread = 0.5\n";
    let text = format!("{NODE}{app}");
    let more = ["--runs", "3", "--seed", "7", "--format", "json"];
    let runs = runs(&simulate(&text, &[&more[..], &["--policy", "none", "--policy", "fair-share"]].concat()));
    let asked: Vec<(&str, u64)> = runs
        .iter()
        .map(|run| (run["policy"].as_str().expect("text"), run["seed"].as_u64().expect("a number")))
        .collect();
    assert_eq!(
        asked,
        [("none", 7), ("none", 8), ("none", 9), ("fair-share", 7), ("fair-share", 8), ("fair-share", 9)]
    );
    assert_ne!(runs[0]["makespan_s"], runs[1]["makespan_s"], "another seed, other tasks");
    let printed = stdout(&simulate(&text, &["--runs", "3"]));
    assert!(printed.contains("spread") && printed.contains("Means over 3 seeds"), "{printed}");
}

#[test]
fn the_keys_of_a_run_come_in_the_documented_order() {
    let run = one(&format!("{NODE}{PRODUCER_CONSUMER}"), &["--policy", "lead"]);
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let documented = [
        "policy",
        "seed",
        "makespan_s",
        "events",
        "apps",
        "channels",
        "commands",
        "core_moves",
        "reaction_s",
    ];
    assert_eq!(keys(&run)[..documented.len()], documented);
    let of_app = [
        "name",
        "arrived_s",
        "finished_s",
        "iterations",
        "gflop",
        "mean_threads",
        "wait_input_s",
        "wait_output_s",
    ];
    assert_eq!(keys(&run["apps"][0])[..of_app.len()], of_app);
    assert_eq!(keys(&run["channels"][0])[..5], ["from", "to", "max_items", "mean_items", "max_mb"]);
    assert_eq!(keys(&run["reaction_s"])[..2], ["mean", "max"]);
    assert_eq!(run["policy"], "lead:2", "the policy has its argument");
}

#[test]
fn the_timeline_has_a_row_for_each_change() {
    let folder = folder();
    let file = folder.path().join("timeline.csv");
    let text = format!("{NODE}{PRODUCER_CONSUMER}").replace("100\n", "2\n").replace("1000.0", "20.0");
    let text = text.replace("2000.0", "40.0");
    let path = file.display().to_string();
    let output = simulate(&text, &["--policy", "none", "--timeline", &path]);
    assert!(stdout(&output).contains("Makespan"));
    let timeline = std::fs::read_to_string(&file).expect("written");
    // The producer alone 10 / 80 s, then 4 cores each: 10 / 40 s; then the consumer: 20 - 10 GFLOP and 20 at 80 GFLOPS.
    let expected = "\
time_s,app,node,running,busy,idle,blocked,gflops,gbs,items
0,producer,0,8,8,0,0,80,8,0
0,consumer,0,0,0,8,0,0,0,0
0.125,producer,0,8,4,0,0,40,4,1
0.125,consumer,0,8,4,0,0,40,4,0
0.375,producer,0,0,0,0,0,0,0,2
0.375,consumer,0,8,8,0,0,80,8,0
0.5,producer,0,0,0,0,0,0,0,1
0.75,producer,0,0,0,0,0,0,0,0
0.75,consumer,0,0,0,0,0,0,0,0
";
    assert_eq!(timeline, expected);
}

#[test]
fn a_timeline_requires_a_single_simulation() {
    let (text, timeline) = (format!("{NODE}{PRODUCER_CONSUMER}"), "/dev/null");
    for more in [&["--runs", "2"][..], &["--policy", "none", "--policy", "lead"]] {
        let output = simulate(&text, &[more, &["--timeline", timeline]].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("--timeline is of one simulation, and these are 2"));
    }
}

/// Sends SIGINT after a second and a half; returns the output until its exit.
#[cfg(unix)]
fn interrupted(mut command: std::process::Command) -> Output {
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("there is kill").success());
    child.wait_with_output().expect("it ends")
}

#[cfg(unix)]
#[test]
fn ctrl_c_works_while_everything_happens_at_one_instant() {
    // Every event takes zero time, and there is nearly no end of them.
    for work in ["tasks = 1\nwork_gflop = 0.0", "tasks = 1000000000\ntask_gflop = 0.0"] {
        let app =
            format!("[[app]]\nname = \"a\"\narithmetic_intensity = 10.0\niterations = 1000000000\n{work}\n");
        let (_folder, file) = study(&format!("{NODE}{app}"));
        let mut command = numasim();
        command.arg("simulate").arg(&file).args(["--format", "json"]);
        let output = interrupted(command);
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(document["runs"][0]["partial"], true);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_simulated_part_and_marks_it_as_partial() {
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 10.0\niterations = 10\ntasks = 1000000000\ntask_gflop = 0.001\n";
    let (folder, file) = study(&format!("{NODE}{app}"));
    let timeline = folder.path().join("t.csv");
    let mut command = numasim();
    command.arg("simulate").arg(&file).args(["--format", "json", "--timeline"]).arg(&timeline);
    let output = interrupted(command);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let run = &document["runs"][0];
    assert!(run["partial"] == true && run["makespan_s"].is_null(), "{run}");
    assert!(run["apps"][0]["gflop"].as_f64().expect("a number") > 0.0);
    assert!(stderr(&output).contains("of simulated time"), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&timeline).expect("written").starts_with("time_s,"));
}

#[test]
fn unfinished_applications_have_null_and_a_warning() {
    let output = simulate(&format!("{NODE}{PRODUCER_CONSUMER}"), &["--until", "10", "--format", "json"]);
    let run = runs(&output)[0].clone();
    assert!(run["makespan_s"].is_null() && run["apps"][0]["finished_s"].is_null());
    // 0.125 s x 80 + 9.875 x 40.
    close(&run["apps"][0]["gflop"], 405.0);
    assert_eq!(run["partial"], false);
    assert!(
        stderr(&output).contains("2 applications are not finished at --until 10 s"),
        "{}",
        stderr(&output)
    );
}
