//! `--record`, and its replay.

use serde_json::json;

use super::*;

fn replay(file: &Path, more: &[&str]) -> Output {
    program().args(["simulate", "--replay"]).arg(file).args(more).output().expect("the program starts")
}

#[test]
fn a_record_holds_every_view_and_order_and_replays_to_the_same_decisions() {
    let agent = Agent::new(&["--policy", "fair-share", "--period-ms", "0", "--record", "r.jsonl"]);
    let record = agent.folder.path().join("r.jsonl");
    let mut app = agent.application();
    assert_eq!(app.hears(), json!({"type":"set","seq":1,"per_node":[4,4]}));
    app.say(&IDLE.replace("\"none\"", "\"input\""));
    assert_eq!(app.hears(), json!({"type":"set","seq":2,"per_node":[0,0]}));
    app.say(r#"{"type":"bye"}"#);
    while app.hears() != Value::Null {}
    let mut again = agent.application();
    assert_eq!(again.hears(), json!({"type":"set","seq":1,"per_node":[4,4]}));
    // Each line is written when the event happens.
    let lines: Vec<Value> = std::fs::read_to_string(&record)
        .expect("a record")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        lines[0],
        json!({"type":"start","schema":1,"program":concat!("numasim ", env!("CARGO_PKG_VERSION")),"policy":"fair-share",
            "period_ms":0.0,"cores":[4,4],"files":[{"path":"study.toml","text":MACHINE}]})
    );
    let decision = |line: &Value| {
        assert_eq!(line["type"], "decision");
        assert!(line["time_s"].as_f64().is_some_and(|time| time >= 0.0));
        (line["apps"].clone(), line["gone"].clone(), line["actions"].clone())
    };
    let seen = |waiting: &str| {
        json!([{"name":"a","control":"per-node","threads":[4,4],"running":[0,0],"blocked":[4,4],"progress":0,
            "waiting":waiting,"queued":null,"phase":0}])
    };
    let set = |seq: u64, threads: [u32; 2]| json!([{"app":"a","seq":seq,"per_node":threads}]);
    let decisions: Vec<_> = lines[1..].iter().map(decision).collect();
    assert_eq!(
        decisions,
        [
            (seen("none"), json!([]), set(1, [4, 4])),
            (seen("input"), json!([]), set(2, [0, 0])),
            (json!([]), json!([]), json!([])),
            (seen("none"), json!([]), set(1, [4, 4])),
        ]
    );
    let kept = agent.folder.path().to_owned();
    let said = stdout(&replay(&record, &["--format", "json"]));
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["replay"], json!({"decisions":4,"actions":3}));
    // Another decision than the recorded one is found.
    let text = std::fs::read_to_string(&record).expect("a record");
    let wrong = kept.join("wrong.jsonl");
    std::fs::write(&wrong, text.replacen("\"per_node\":[0,0]", "\"per_node\":[0,1]", 1)).expect("a file");
    let said = refusal(&replay(&wrong, &[]), 1);
    assert!(said.contains("wrong.jsonl:3"), "{said}");
    agent.stop();
}

#[test]
fn every_policy_replays_the_record_of_an_agent() {
    let app = |name| {
        format!("[[app]]\nname = \"{name}\"\narithmetic_intensity = 1.0\niterations = 9\nwork_gflop = 9.0\n")
    };
    let text = format!(
        "{MACHINE}{}{}[[channel]]\nfrom = \"p\"\nto = \"c\"\nitem_mb = 1.0\n[[scenario]]\nname = \"s\"\nthreads = {{ p = [1, 2], c = [3, 2] }}\n",
        app("p"),
        app("c")
    );
    for policy in [
        "static-even",
        "static:s",
        "fair-share",
        "lead:2",
        "lend",
        "oversubscribe:1",
        "marginal",
        "reexplore",
        "replan",
    ] {
        let agent = Agent::with(&text, &["--policy", policy, "--period-ms", "5", "--record", "r.jsonl"]);
        let record = agent.folder.path().join("r.jsonl");
        let mut apps = [("p", agent.connect()), ("c", agent.connect())];
        for (name, app) in &mut apps {
            app.say(&HELLO.replace("\"a\"", &format!("\"{name}\"")).replace("per-node", "cores"));
            assert_eq!(app.hears()["type"], "welcome");
        }
        for progress in 0..4 {
            for (name, app) in &mut apps {
                let waiting = if (progress == 2) == (*name == "p") { "none" } else { "input" };
                app.say(&format!(
                    r#"{{"type":"status","running":[1,1],"blocked":[0,2],"progress":{progress},"waiting":"{waiting}","queued":{}}}"#,
                    progress % 2
                ));
            }
            eventually("it is seen", || {
                let text = std::fs::read_to_string(&record).expect("a record");
                text.matches(&format!("\"progress\":{progress},")).count() >= 2
            });
        }
        let said = stdout(&replay(&record, &[]));
        agent.stop();
        assert!(said.starts_with(&format!("Policy '{policy}', asked again for ")), "{said}");
        assert!(!said.contains(" 0 orders"), "{policy}: {said}");
    }
}

#[test]
fn a_full_file_ends_the_record_but_not_the_agent() {
    let folder = folder();
    std::fs::write(folder.path().join("study.toml"), MACHINE).expect("a file");
    // 2 blocks of 512 bytes (1024 in bash): the start fits, a hundred decisions do not.
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -f 2; exec \"$0\" \"$@\"", crate::common::PROGRAM])
        .env_remove("NUMASIM_AGENT");
    let mut agent = Agent::start(folder, &["--period-ms", "0", "--record", "r.jsonl"], &mut limited);
    let mut app = agent.application();
    for progress in 0..30 {
        app.say(&IDLE.replace("\"progress\":0", &format!("\"progress\":{progress}")));
    }
    let said = agent.says();
    assert!(said.starts_with("warning: the record r.jsonl ends here: "), "{said}");
    agent.status();
    let record = std::fs::read_to_string(agent.folder.path().join("r.jsonl")).expect("a record");
    assert!(record.ends_with('\n') && record.lines().count() > 1, "whole lines: {record}");
    agent.stop();
}

#[test]
fn a_record_alone_is_made_once_and_only_of_files_that_applications_read() {
    let folder = crate::common::folder();
    let record = folder.path().join("agent.jsonl");
    let make = |files: &[&str]| {
        let mut command = crate::common::numasim();
        command.arg("agent").args(files).args(["--policy", "lend", "--record-only", "--record"]).arg(&record);
        command.output().expect("it starts")
    };
    let tasks = make(&[&crate::common::config_path("tasks/streamcluster.toml")]);
    assert_eq!((tasks.status.code(), record.exists()), (Some(1), false));
    let said = crate::common::stderr(&tasks);
    assert!(
        said.contains("unknown table `graph`") && said.contains("leave out the tables of tasks"),
        "{said}"
    );
    let made = make(&[]);
    assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
    let text = std::fs::read_to_string(&record).expect("a record");
    assert!(text.starts_with(r#"{"type":"start","schema":1,"#) && text.lines().count() == 1, "{text}");
    assert_eq!(make(&[]).status.code(), Some(1), "it exists");
}
