//! Graphs and windows at the accepted extremes: a fan of a million tasks, windows of one task.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{MACHINE, json, near};
use crate::common::{PROGRAM, folder, stdout};

/// 0.001 GFLOP take 0.1 ms; one, then 10^6 on four cores, then one that waits for all of them: 0.1 ms x (1 + 250,000 + 1). Two edges per task
/// of the fan, though the last one waits for a million: work that grows with their square would take days.
#[test]
fn a_fan_of_a_million_tasks_takes_seconds() {
    let folder = folder();
    let mut tasks = "id,gflop,accesses\n0,0.001,out:0\n".to_owned();
    for task in 1..=1_000_000 {
        writeln!(tasks, "{task},0.001,in:0").expect("memory does not fail");
    }
    tasks.push_str("1000001,0.001,inout:0\n");
    for (name, text) in [("machine.toml", MACHINE), ("blocks.csv", "id,bytes\n0,0\n"), ("tasks.csv", &tasks)]
    {
        fs::write(folder.path().join(name), text).expect("a file for the test");
    }
    // Minutes of processor time are a defect on every machine, even a busy one.
    let output = Command::new("sh")
        .args(["-c", "ulimit -t 120; exec \"$@\"", "sh", PROGRAM, "tasks", "machine.toml", "--graph", "."])
        .args(["--scheduler", "fifo,dep", "--steal", "--format", "json"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let found: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    for run in found["runs"].as_array().expect("a list") {
        assert!(near(&run["makespan_s"], 25.0002), "{run}");
    }
    assert_eq!(found["runs"].as_array().map(Vec::len), Some(2));
}

/// Two tasks in sequence, 0.1 s each, and two independent ones: 0.2 s for any choice of the window.
#[test]
fn a_window_may_have_one_task() {
    let text = format!(
        "{MACHINE}[scheduler]\nwindow = 1\nintersection = 0\npartition_ns_per_vertex_edge = 0.0\n\
         [[block]]\nname = \"X\"\nmb = 0.0\n\
         [[task]]\nname = \"a\"\ngflop = 1.0\nout = [\"X\"]\n[[task]]\nname = \"b\"\ngflop = 1.0\nin = [\"X\"]\n\
         [[task]]\nname = \"c\"\ngflop = 1.0\n[[task]]\nname = \"d\"\ngflop = 1.0\n"
    );
    let found = json(&text, &["--scheduler", "rip-dep,rip-sp,rip-mw", "--steal"]);
    let runs = found["runs"].as_array().expect("a list");
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert!(near(&run["makespan_s"], 0.2), "{run}");
    }
}
