//! `--trace` and `--replay`.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{config_path, folder, repository, run, stderr, stdout};

fn replay(file: &Path) -> Output {
    run(&["simulate", "--replay", &file.display().to_string()])
}

/// The recorded trace in the repository.
fn recorded() -> String {
    fs::read_to_string(repository("tests/simulate/lead.jsonl")).expect("a file of the repository")
}

/// The error message for the trace with this text.
#[track_caller]
fn refusal(text: &[u8]) -> String {
    let folder = folder();
    let file = folder.path().join("trace.jsonl");
    fs::write(&file, text).expect("a file for the test");
    let output = replay(&file);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{}", stderr(&output));
    stderr(&output).replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn every_policy_repeats_its_decisions() {
    let folder = folder();
    for (file, policies) in [
        ("producer-consumer-tasks.toml", &["static-even", "fair-share", "lead:3", "lend"][..]),
        ("four-applications.toml", &["marginal", "reexplore", "replan"]),
        ("library-call-slow-agent.toml", &["lend", "replan"]),
    ] {
        for policy in policies {
            let trace = folder.path().join(format!("{policy}.jsonl")).display().to_string();
            let file = config_path(&format!("dynamic/{file}"));
            stdout(&run(&["simulate", &file, "--policy", policy, "--trace", &trace]));
            let output = replay(Path::new(&trace));
            let said = stdout(&output);
            assert!(said.starts_with(&format!("Policy '{policy}', asked again for ")), "{said}");
            assert!(!said.contains(" 0 orders"), "{said}");
        }
    }
}

#[test]
fn the_recorded_trace_matches_todays_decisions() {
    let output = run(&[
        "simulate",
        "--format",
        "json",
        "--replay",
        &repository("tests/simulate/lead.jsonl").display().to_string(),
    ]);
    let printed: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let (decisions, actions) = (recorded().lines().count() - 1, recorded().matches("\"seq\"").count());
    assert_eq!(
        printed,
        serde_json::json!({
            "schema": 1, "command": "simulate", "replay": { "decisions": decisions, "actions": actions },
        })
    );
}

#[test]
fn a_trace_with_another_sharing_model_is_replayed_with_it() {
    let folder = folder();
    let trace = folder.path().join("t.jsonl").display().to_string();
    let file = config_path("dynamic/four-applications.toml");
    stdout(&run(&["simulate", &file, "--policy", "marginal", "--model", "max-min", "--trace", &trace]));
    assert!(fs::read_to_string(&trace).expect("written").contains("\"model\":\"max-min\""));
    stdout(&replay(Path::new(&trace)));
}

/// The record of an agent without files: its machine is the host, and its applications are those that connect.
#[test]
fn the_record_of_an_agent_without_files_is_also_replayed() {
    let start = r#"{"type":"start","schema":1,"program":"numasim 0.1.0","policy":"fair-share","period_ms":80.0,"cores":[4,0,2],"files":[]}"#;
    let app = |name: &str| {
        format!(
            r#"{{"name":"{name}","control":"per-node","threads":[4,0,2],"running":[0,0,0],"blocked":[4,0,2],"progress":0,"waiting":"none","queued":null,"phase":0}}"#
        )
    };
    let decision = |apps: &[&str], actions: &str| {
        let apps: Vec<String> = apps.iter().map(|name| app(name)).collect();
        format!(
            r#"{{"type":"decision","time_s":0.1,"apps":[{}],"gone":[],"actions":[{actions}]}}"#,
            apps.join(",")
        )
    };
    // y exits, and comes back: its counts restart.
    let lines = [
        start.to_owned(),
        decision(&["x"], r#"{"app":"x","seq":1,"per_node":[4,0,2]}"#),
        decision(
            &["x", "y"],
            r#"{"app":"x","seq":2,"per_node":[2,0,1]},{"app":"y","seq":1,"per_node":[2,0,1]}"#,
        ),
        decision(&["x"], r#"{"app":"x","seq":3,"per_node":[4,0,2]}"#),
        decision(
            &["x", "y"],
            r#"{"app":"x","seq":4,"per_node":[2,0,1]},{"app":"y","seq":1,"per_node":[2,0,1]}"#,
        ),
    ];
    let folder = folder();
    let file = folder.path().join("record.jsonl");
    fs::write(&file, lines.join("\n") + "\n").expect("a file for the test");
    assert!(stdout(&replay(&file)).contains("asked again for 4 decisions, sends the same 6 orders"));
}

#[test]
fn a_different_decision_is_shown_with_both() {
    let changed = recorded().replacen("\"seq\":1,\"per_node\":[8]", "\"seq\":1,\"per_node\":[7]", 1);
    let said = refusal(changed.as_bytes());
    assert!(
        said.starts_with("error: trace.jsonl:2: after 0 s policy 'lead:2' decides something else"),
        "{said}"
    );
    assert!(said.contains("recorded: {\"app\":\"producer\",\"seq\":1,\"per_node\":[7]}"), "{said}");
    assert!(said.contains("now:      {\"app\":\"producer\",\"seq\":1,\"per_node\":[8]}"), "{said}");
}

#[test]
fn an_incomplete_last_line_is_ignored_with_a_warning() {
    let text = recorded();
    let whole: Vec<&str> = text.lines().take(3).collect();
    let torn = format!("{}\n{}", whole.join("\n"), &text.lines().nth(3).expect("a line")[..40]);
    let folder = folder();
    let file = folder.path().join("trace.jsonl");
    fs::write(&file, torn).expect("a file for the test");
    let output = replay(&file);
    assert!(stdout(&output).contains("asked again for 2 decisions"));
    assert!(stderr(&output).contains("trace.jsonl:4: the last line does not end"), "{}", stderr(&output));
}

#[test]
fn broken_traces_are_refused_with_their_lines() {
    let text = recorded();
    let lines: Vec<&str> = text.lines().collect();
    let with = |second: &str| refusal(format!("{}\n{second}\n", lines[0]).as_bytes());
    assert!(refusal(b"").contains("trace.jsonl:1: this is no trace"));
    assert!(refusal(b"{}\n").contains("trace.jsonl:1: this is no trace"));
    assert!(refusal(b"[machine]\nname = \"x\"\n").contains("trace.jsonl:1: this is no trace"));
    assert!(refusal(format!("{}\n", lines[1]).as_bytes()).contains("its first line is no start"));
    assert!(with("nonsense").contains("trace.jsonl:2: this line is no decision"));
    assert!(with(lines[0]).contains("trace.jsonl:2: a second start"));
    assert!(with(&lines[1].replacen("[8]", "[8,8]", 1)).contains("`threads` of 'producer' has 2 entries"));
    let words = "unknown variant `sideways`, expected one of `total`, `cores`, `per-node`, `none`";
    assert!(with(&lines[1].replace("per-node", "sideways")).contains(words));
    let words = "unknown variant `godot`, expected one of `none`, `input`, `output`, `call`";
    assert!(with(&lines[1].replace("\"none\"", "\"godot\"")).contains(words));
    assert!(with(&lines[1].replace("\"phase\":0", "\"phase\":9")).contains("phase 9"));
    let twice = lines[1].replacen("\"consumer\"", "\"producer\"", 1);
    assert!(with(&twice).contains("'producer' is there twice"));
    let start = |from: &str, to: &str| {
        let changed = lines[0].replacen(from, to, 1);
        assert_ne!(changed, lines[0]);
        refusal(format!("{changed}\n").as_bytes())
    };
    assert!(start("\"schema\":1", "\"schema\":2").contains("its schema is 2, not 1"));
    assert!(start("lead:2", "leed").contains("there is no policy 'leed'"));
    assert!(start("\"cores\":[8]", "\"cores\":[9]").contains("`cores` are [9], those of its machine [8]"));
    assert!(start("iterations", "iterationz").contains("unknown key"));
    let mut latin = lines[0].as_bytes().to_vec();
    latin.extend(b"\n\xe9\n");
    assert!(refusal(&latin).contains("trace.jsonl:2: this line is not UTF-8 text"));
}

#[test]
fn damaged_traces_never_cause_a_fault() {
    let text = recorded();
    let second = text.find('\n').expect("lines") + 1;
    let end = second + text[second..].lines().take(2).map(|line| line.len() + 1).sum::<usize>();
    let folder = folder();
    let file = folder.path().join("trace.jsonl");
    for at in (second..end).step_by(23) {
        for byte in [b'9', b'"', b'-'] {
            let mut bytes = text.as_bytes()[..end].to_vec();
            bytes[at] = byte;
            fs::write(&file, &bytes).expect("a file for the test");
            let output = replay(&file);
            assert!(matches!(output.status.code(), Some(0 | 1)), "byte {at}: {}", stderr(&output));
        }
    }
}
