//! How a run ends before its time: nothing is left.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::{MACHINE, is_there, ran};
use crate::common::{eventually, numasim, stderr, study};

/// A run that would take long, once its application runs.
fn long_run(folder: &Path, file: &Path) -> Child {
    let mut command = numasim();
    command.args(["run", "--no-agent", "--memory-per-thread", "1MiB"]).arg(file).arg("-o").arg(folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    eventually("nothing runs", || {
        fs::read_to_string(folder.join("app-1.out")).is_ok_and(|text| text.ends_with('\n'))
    });
    child
}

const LONG: &str = "\
[[app]]
name = \"ours\"
arithmetic_intensity = 4.0
iterations = 1000000
work_gflop = 1000000.0
[[app]]
name = \"theirs\"
arithmetic_intensity = 1.0
command = [\"sh\", \"-c\", \"echo $$; exec sleep 1000\"]
";

#[test]
fn signals_end_a_run_whole() {
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let (kept, file) = study(&format!("{MACHINE}{LONG}"));
        let folder = kept.path().join("run");
        let child = long_run(&folder, &file);
        let sent =
            std::process::Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
        assert!(sent.expect("sh").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "signal {number}: {}", stderr(&output));
        let result = fs::read_to_string(folder.join("result.json")).expect("a result");
        let result: Value = serde_json::from_str(&result).expect("JSON");
        assert_eq!(result["ended"], "interrupted");
        let pid = fs::read_to_string(folder.join("app-1.out")).expect("a file");
        assert!(!is_there(&pid), "the program is left");
    }
}

#[test]
fn a_run_that_is_killed_takes_its_processes_with_it() {
    let (kept, file) = study(&format!("{MACHINE}{LONG}"));
    let folder = kept.path().join("run");
    let mut child = long_run(&folder, &file);
    let pid = fs::read_to_string(folder.join("app-1.out")).expect("a file");
    assert!(is_there(&pid));
    child.kill().expect("killed");
    child.wait().expect("it ends");
    eventually("the program is left", || !is_there(&pid));
}

#[test]
fn an_end_in_time_is_no_failure() {
    let ran = ran(LONG, &["--no-agent", "--until", "0.2"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!((&result["ended"], &result["makespan_s"]), (&"until".into(), &Value::Null));
}

#[test]
fn an_application_that_may_not_run_at_all_sees_the_end_too() {
    let two = "\
[[app]]
name = \"runs\"
arithmetic_intensity = 4.0
iterations = 1000
tasks = 4
work_gflop = 1000.0
[[app]]
name = \"parked\"
arithmetic_intensity = 4.0
iterations = 1000
tasks = 4
work_gflop = 1000.0
[[scenario]]
name = \"one\"
threads = { runs = 1, parked = 0 }
";
    let ran = ran(two, &["--policy", "static:one", "--until", "0.5"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    // Nobody had to end it by force: it has said where its data lay, and has taken leave of the agent.
    assert!(ran.result()["apps"][1]["pages"].is_array(), "{}", ran.result());
    assert!(!stderr(&ran.output).contains("lost"), "{}", stderr(&ran.output));
}
