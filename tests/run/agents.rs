//! Runs under an agent: one that the run starts, or an existing one.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use numasim_host::affinity::allowed;
use numasim_host::system::System;
use numasim_model::cpus::ranges;

use super::{MACHINE, PRODUCER_CONSUMER, ran, ran_on};
use crate::common::{folder, numasim, stderr, stdout, study};

#[test]
fn an_agent_of_the_run_decides_and_its_record_replays() {
    let ran = ran(PRODUCER_CONSUMER, &["--policy", "lead:1"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    let result = ran.result();
    assert_eq!((&result["ended"], &result["policy"]), (&"finished".into(), &"lead:1".into()));
    assert!(result["commands"].as_u64().is_some_and(|orders| orders > 0), "{result}");
    let record = ran.folder.join("agent.jsonl");
    let replay = numasim().args(["simulate", "--replay"]).arg(&record).output().expect("it starts");
    assert!(replay.status.success(), "{}", stderr(&replay));
    // No other application gets orders: each order names its application.
    let record = fs::read_to_string(&record).expect("a record");
    for app in ["\"producer\"", "\"consumer\""] {
        assert!(record.contains(app), "{app}");
    }
}

#[test]
fn applications_take_turns_as_the_agent_and_their_record_says_the_same_again() {
    let ran = ran(PRODUCER_CONSUMER, &["--policy", "lead:1", "--agent-in-apps"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    assert_eq!(stderr(&ran.output), "");
    let result = ran.result();
    assert_eq!((&result["ended"], &result["policy"]), (&"finished".into(), &"lead:1".into()));
    assert!(result["commands"].as_u64().is_some_and(|orders| orders > 0), "{result}");
    // The first one connects when all may start.
    assert!(result["agent_started_s"].as_f64().is_some_and(f64::is_finite), "{result}");
    let record = ran.folder.join("agent.jsonl");
    let turns = fs::read_to_string(&record).expect("a record");
    assert!(turns.lines().nth(1).is_some_and(|line| line.starts_with(r#"{"type":"turn","pid":"#)), "{turns}");
    let replay = numasim().args(["simulate", "--replay"]).arg(&record).output().expect("it starts");
    assert!(replay.status.success(), "{}", stderr(&replay));
    let mut compare = numasim();
    compare.arg("simulate").arg(&ran.kept.1).arg("--compare").arg(&ran.folder);
    let compared = compare.output().expect("it starts");
    assert!(compared.status.success(), "{}", stderr(&compared));
}

#[test]
fn a_program_that_is_moved_from_outside_needs_a_separate_agent() {
    let app = "[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ncommand = [\"true\"]\n";
    let ran = ran(app, &["--agent-in-apps"]);
    assert_eq!(ran.output.status.code(), Some(1));
    let said = stderr(&ran.output);
    assert!(said.contains("'a' follows commands by affinity alone, which needs a separate agent"), "{said}");
}

/// Prints its processors as soon as they differ from `all`, and exits once `other` has also done so.
fn moved(name: &str, other: &str, all: &[u32], folder: &Path) -> String {
    let (all, folder) = (ranges(all), folder.display());
    let script = format!(
        "mine() {{ sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status; }}; \
         while [ \"$(mine)\" = '{all}' ]; do sleep 0.02; done; mine; \
         touch '{folder}/{name}'; while [ ! -e '{folder}/{other}' ]; do sleep 0.02; done"
    );
    let script = serde_json::to_string(&script).expect("text");
    format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 1.0\ncommand = [\"sh\", \"-c\", {script}]\n")
}

#[test]
fn external_programs_share_the_cores_by_the_policy() {
    let host = System::host().node_cores(&allowed().expect("Linux tells"));
    let Some(cores) = host.first().and_then(|node| node.cores.get(..2)) else {
        println!("skipped: two cores are needed on the first node");
        return;
    };
    let folder = folder();
    let mut all = cores.concat();
    all.sort_unstable();
    let apps = moved("one", "two", &all, folder.path()) + &moved("two", "one", &all, folder.path());
    let machine = MACHINE.replace("cores_per_node = 1", "cores_per_node = 2");
    let ran = ran_on(&machine, &apps, &["--policy", "fair-share", "--until", "60"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    assert_eq!((ran.result()["ended"].as_str(), stderr(&ran.output).as_str()), (Some("finished"), ""));
    // Both begin on both cores, and have one each when both are present.
    let said = |file: &str| fs::read_to_string(ran.folder.join(file)).expect("a file").trim().to_owned();
    let mut now = [said("app-0.out"), said("app-1.out")];
    now.sort();
    let mut each = [ranges(&cores[0]), ranges(&cores[1])];
    each.sort();
    assert_eq!(now, each);
    let record = ran.folder.join("agent.jsonl");
    let replay = numasim().args(["simulate", "--replay"]).arg(&record).output().expect("it starts");
    assert!(replay.status.success(), "{}", stderr(&replay));
    let record = fs::read_to_string(&record).expect("a record");
    assert!(record.contains(r#"{"app":"one","#) && record.contains(r#"{"app":"two","#), "{record}");
}

#[test]
fn a_program_that_exits_at_once_and_one_without_control_are_no_mistake() {
    let apps = "\
[[app]]
name = \"short\"
arithmetic_intensity = 1.0
command = [\"true\"]
[[app]]
name = \"late\"
arithmetic_intensity = 1.0
arrives_s = 0.3
command = [\"true\"]
[[app]]
name = \"left-alone\"
arithmetic_intensity = 1.0
control = \"none\"
command = [\"sleep\", \"0.5\"]
";
    let ran = ran(apps, &["--policy", "fair-share"]);
    assert!(ran.output.status.success(), "{}", stderr(&ran.output));
    assert_eq!((ran.result()["ended"].as_str(), stderr(&ran.output).as_str()), (Some("finished"), ""));
    let record = fs::read_to_string(ran.folder.join("agent.jsonl")).expect("a record");
    // In the files at its beginning only.
    assert!(!record.lines().skip(1).any(|line| line.contains("left-alone")), "{record}");
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
fn an_existing_agent_is_used_and_top_shows_it() {
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
