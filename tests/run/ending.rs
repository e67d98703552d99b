//! Early ends of a run: nothing remains.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::{MACHINE, is_there, ran};
use crate::common::{eventually, folder, numasim, stderr, stdout, study};

/// A long run, once its application runs.
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
fn signals_end_a_run_completely() {
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
fn an_application_without_allowed_threads_also_sees_the_end() {
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
    // No application had to be killed: it has reported the place of its data, and has disconnected from the agent.
    assert!(ran.result()["apps"][1]["pages"].is_array(), "{}", ran.result());
    assert!(!stderr(&ran.output).contains("lost"), "{}", stderr(&ran.output));
}

/// A program that leaves three processes behind, and writes their numbers into `pids` of a folder before it exits or continues: one in
/// its group, one in a separate session, and one in a separate session that ignores SIGTERM and whose parents have exited.
fn leaves_behind(folder: &Path, then: &str) -> String {
    let pids = folder.join("pids");
    let pids = pids.display();
    let script = format!(
        "sleep 1000 & echo $! >>{pids}; setsid sleep 1001 & echo $! >>{pids}; \
         (setsid sh -c 'trap \"\" TERM; echo $$ >>{pids}; while :; do sleep 0.1; done' &); \
         while [ \"$(wc -l <{pids})\" -lt 3 ]; do sleep 0.02; done; {then}"
    );
    let script = serde_json::to_string(&script).expect("text");
    format!("[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ncommand = [\"sh\", \"-c\", {script}]\n")
}

/// Whether none of the processes of [`leaves_behind`] is left.
fn are_gone(folder: &Path) -> bool {
    let pids = fs::read_to_string(folder.join("pids")).expect("numbers");
    assert_eq!(pids.lines().count(), 3, "{pids}");
    !pids.lines().any(is_there)
}

#[test]
fn processes_outside_their_group_are_also_ended() {
    for (then, code, told) in
        [("exit 0", 0, ""), ("exit 3", 1, "application 'a' ended with exit code 3; all others were ended")]
    {
        let kept = folder();
        let ran = ran(&leaves_behind(kept.path(), then), &["--no-agent"]);
        assert_eq!(ran.output.status.code(), Some(code), "{}", stderr(&ran.output));
        assert!(stderr(&ran.output).contains(told), "{}", stderr(&ran.output));
        assert!(are_gone(kept.path()), "{then}: a process is left");
    }
}

#[test]
fn an_interrupted_run_reports_that_nothing_is_left_only_if_true() {
    let kept = folder();
    let (study_folder, file) = study(&format!("{MACHINE}{}", leaves_behind(kept.path(), "exec sleep 1002")));
    let mut command = numasim();
    command.args(["run", "--policy", "fair-share"]).arg(&file).arg("-o").arg(study_folder.path().join("run"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    eventually("nothing runs", || {
        fs::read_to_string(kept.path().join("pids")).is_ok_and(|pids| pids.lines().count() == 3)
    });
    let sent = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(sent.expect("sh").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("no process is left"), "{}", stderr(&output));
    assert!(are_gone(kept.path()));
}

#[test]
fn processes_older_than_the_run_are_left_alone() {
    // The shell becomes the run, so that its children are children of the run; one of them loses its parents to it.
    let kept = folder();
    let (study_folder, file) = study(&format!("{MACHINE}{}", leaves_behind(kept.path(), "exit 0")));
    let strangers = kept.path().join("strangers");
    let script = format!(
        "sleep 1003 >/dev/null 2>&1 & echo $! >>{0}; \
         sh -c '(sleep 1 && exec sleep 1004) & echo $! >>{0}; sleep 0.3' >/dev/null 2>&1 & \
         while [ \"$(wc -l <{0})\" -lt 2 ]; do sleep 0.02; done; exec \"$0\" \"$@\"",
        strangers.display()
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &script, crate::common::PROGRAM, "run", "--no-agent"])
        .arg(&file)
        .arg("-o")
        .arg(study_folder.path().join("run"))
        .output()
        .expect("sh");
    let pids = fs::read_to_string(&strangers).expect("numbers");
    let are_there = pids.lines().all(is_there);
    for pid in pids.lines() {
        let killed = std::process::Command::new("sh").args(["-c", &format!("kill -KILL {pid}")]).status();
        assert!(killed.expect("sh").success());
    }
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(are_there, "a process of others was ended");
    assert!(are_gone(kept.path()), "a process of the run is left");
}

/// A program that ignores the request to exit: the end of the run takes two seconds.
const DEAF: &str = "\
[[app]]
name = \"deaf\"
arithmetic_intensity = 1.0
command = [\"sh\", \"-c\", \"trap '' TERM; while :; do sleep 0.1; done\"]
[[app]]
name = \"ours\"
arithmetic_intensity = 4.0
iterations = 1000000
work_gflop = 1000000.0
";

fn milliseconds(time: &Value) -> i64 {
    // 2026-11-21T09:52:06.123Z: all runs of a test are within an hour.
    let text = time.as_str().expect("a time");
    let number = |range| text.get(range).and_then(|digits: &str| digits.parse::<i64>().ok()).expect("digits");
    (number(14..16) * 60 + number(17..19)) * 1000 + number(20..23)
}

#[test]
fn the_time_for_ending_is_not_part_of_the_run() {
    let ran = ran(DEAF, &["--policy", "fair-share", "--until", "0.5"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!((&result["ended"], &result["time_s"]), (&"until".into(), &0.5.into()));
    assert!(stdout(&ran.output).contains("Not finished at --until, 0.5000 s"), "{}", stdout(&ran.output));
    let timeline = fs::read_to_string(ran.folder.join("timeline.csv")).expect("a timeline");
    let times = timeline.lines().skip(1).filter_map(|line| line.split(',').next()?.parse::<f64>().ok());
    assert!(times.fold(0.0, f64::max) < 0.5, "{timeline}");
    let provenance = fs::read_to_string(ran.folder.join("provenance.json")).expect("a provenance");
    let provenance: Value = serde_json::from_str(&provenance).expect("JSON");
    let took = milliseconds(&provenance["ended_utc"]) - milliseconds(&provenance["started_utc"]);
    // Both are rounded down to a millisecond; over a full hour.
    assert!([499, 500, 501].contains(&took.rem_euclid(3_600_000)), "{took} ms");
    // All work is of the half second: GFLOP / GFLOPS is the time for which it was present.
    let ours = &result["apps"][1];
    let (gflop, gflops) = (ours["gflop"].as_f64(), ours["mean_gflops"].as_f64());
    let there =
        gflop.expect("a number") / gflops.expect("a number") + ours["arrived_s"].as_f64().expect("one");
    assert!((there - 0.5).abs() < 1e-9 || gflop == Some(0.0), "{there}");
    for key in ["idle_s", "blocked_s"] {
        assert!(ours[key].as_f64().is_some_and(|seconds| seconds <= 0.5 + 1e-9), "{ours}");
    }
    // Orders to applications that are being ended do not count for the run.
    let record = fs::read_to_string(ran.folder.join("agent.jsonl")).expect("a record");
    let lines = record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let started = result["agent_started_s"].as_f64().expect("a number");
    let in_time = lines.filter(|line| line["time_s"].as_f64().is_some_and(|at| at + started <= 0.5));
    let orders: usize = in_time.filter_map(|line| line["actions"].as_array().map(Vec::len)).sum();
    assert_eq!(result["commands"].as_u64(), u64::try_from(orders).ok(), "{record}");
}

#[test]
fn a_run_with_finished_applications_ends_with_the_last_of_them() {
    let apps = "[[app]]\nname = \"a\"\narithmetic_intensity = 4.0\nwork_gflop = 0.02\n";
    let ran = ran(apps, &["--no-agent", "--until", "600"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!(result["ended"], "finished");
    assert!(result["makespan_s"].is_number(), "{result}");
    assert_eq!(
        (&result["time_s"], &result["apps"][0]["finished_s"]),
        (&result["makespan_s"], &result["makespan_s"])
    );
}
