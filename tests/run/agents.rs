//! Runs under an agent: one of their own, or one that is there.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::{MACHINE, PRODUCER_CONSUMER, ran};
use crate::common::{numasim, stderr, stdout, study};

#[test]
fn an_agent_of_the_run_decides_and_its_record_says_the_same_again() {
    let ran = ran(PRODUCER_CONSUMER, &["--policy", "lead:1"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!((&result["ended"], &result["policy"]), (&"finished".into(), &"lead:1".into()));
    assert!(result["commands"].as_u64().is_some_and(|orders| orders > 0), "{result}");
    let record = ran.folder.join("agent.jsonl");
    let replay = numasim().args(["simulate", "--replay"]).arg(&record).output().expect("it starts");
    assert!(replay.status.success(), "{}", stderr(&replay));
    // Nobody else is asked: each application was told by its name.
    let record = fs::read_to_string(&record).expect("a record");
    for app in ["\"producer\"", "\"consumer\""] {
        assert!(record.contains(app), "{app}");
    }
}

#[test]
fn a_program_of_its_own_runs_beside_the_agent_which_does_not_move_it() {
    let apps = "\
[[app]]
name = \"own\"
arithmetic_intensity = 1.0
command = [\"true\"]
";
    let ran = ran(apps, &["--policy", "fair-share"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    assert!(stderr(&ran.output).contains("'own' is a program of its own"), "{}", stderr(&ran.output));
}

#[test]
fn the_best_placement_is_chosen_written_and_applied() {
    let apps = "[[app]]\nname = \"a\"\narithmetic_intensity = 4.0\nwork_gflop = 0.02\n";
    let ran = ran(apps, &["--explore"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    assert_eq!(ran.result()["policy"], "static:explored");
    let placement = ran.folder.join("placement.toml");
    let evaluated = numasim().arg("evaluate").arg(&ran.kept.1).arg(&placement).output().expect("it starts");
    assert!(stdout(&evaluated).contains("explored"), "{}", stderr(&evaluated));
    let record = fs::read_to_string(ran.folder.join("agent.jsonl")).expect("a record");
    assert!(record.contains("\"policy\":\"static:explored\""), "{record}");
}

#[test]
fn an_agent_that_is_there_is_used_and_top_shows_it() {
    let (kept, file) = study(&format!("{MACHINE}{PRODUCER_CONSUMER}"));
    let socket = kept.path().join("agent").join("agent.sock");
    let mut agent = numasim();
    agent.arg("agent").arg(&file).args(["--policy", "fair-share", "--socket"]).arg(&socket);
    let mut agent = agent.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the agent starts");
    let mut said = BufReader::new(agent.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it listens");
    assert!(line.starts_with("listening on "), "{line}");

    let folder = kept.path().join("run");
    let output = numasim()
        .args(["run", "--memory-per-thread", "1MiB"])
        .arg(&file)
        .arg("--socket")
        .arg(&socket)
        .arg("-o")
        .arg(&folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!folder.join("agent.jsonl").exists(), "the record is that agent's affair");
    let top = numasim().args(["top", "--once", "--socket"]).arg(&socket).output().expect("it starts");
    let shown = stdout(&top);
    assert!(shown.contains("policy fair-share") && shown.contains("2 ended, 0 lost, 0 refused"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");

    let stop = numasim().args(["agent", "stop", "--socket"]).arg(&socket).status().expect("it starts");
    assert!(stop.success());
    agent.wait().expect("it ends");
    let nobody = numasim().args(["top", "--once", "--socket"]).arg(&socket).output().expect("it starts");
    assert_eq!(nobody.status.code(), Some(1));
    assert!(stderr(&nobody).contains("no agent answers at "), "{}", stderr(&nobody));
}
