//! How agents exit, and the state that the next one finds.

use super::*;

#[test]
fn signals_shut_it_down_cleanly() {
    for signal in ["TERM", "INT", "HUP"] {
        let mut agent = Agent::new(&[]);
        let mut app = agent.application();
        agent.signal(signal);
        while app.hears() != Value::Null {}
        assert_eq!(agent.end(), (String::new(), String::new()), "{signal}");
    }
}

#[test]
fn stop_returns_when_the_socket_is_gone() {
    let agent = Agent::new(&[]);
    let mut app = agent.application();
    assert_eq!(agent.stop(), (String::new(), String::new()));
    while app.hears() != Value::Null {}
}

#[test]
fn a_second_agent_names_the_first_and_leaves_it() {
    let agent = Agent::new(&[]);
    let folder = folder();
    let record = folder.path().join("record.jsonl");
    let second = program()
        .args(["agent", "--socket"])
        .arg(agent.path())
        .arg("--record")
        .arg(&record)
        .output()
        .expect("the program starts");
    let said = refusal(&second, 1);
    assert!(said.contains(&format!("pid {}", agent.child.id())), "{said}");
    assert!(!record.exists(), "nothing is left behind");
    agent.application();
    agent.stop();
}

#[test]
fn after_a_kill_the_next_agent_takes_over_and_learns_the_state_from_applications() {
    let mut first = Agent::new(&[]);
    let mut app = first.application();
    first.signal("KILL");
    first.child.wait().expect("an end");
    while app.hears() != Value::Null {}
    assert!(first.path().exists(), "no process was left to remove it");
    let mut second = program()
        .args(["agent", "study.toml", "--socket", "own/agent.sock"])
        .current_dir(first.folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(second.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("text");
    assert_eq!(line, "listening on own/agent.sock\n");
    assert_eq!(first.status()["apps"], serde_json::json!([]));
    first.application();
    assert_eq!(stdout(&first.ask(&["stop"])), "");
    assert!(second.wait().expect("an end").success());
}

#[test]
fn nobody_is_there() {
    let folder = folder();
    let path = folder.path().join("agent.sock");
    for question in ["status", "stop"] {
        let said = refusal(&ask(&path, &[question]), 1);
        assert!(said.contains(&path.display().to_string()), "{said}");
    }
}

#[test]
fn an_agent_with_an_unread_pipe_continues() {
    let folder = folder();
    std::fs::write(folder.path().join("study.toml"), MACHINE).expect("a file");
    let agent = Agent::start(folder, &[], &mut program());
    // Each refusal is a line that stays in the pipe: 64 KiB and the lines of the agent are far less than these.
    for _ in 0..5000 {
        let mut client = agent.connect();
        client.say("x");
        assert_eq!(client.hears()["type"], "refused");
    }
    assert_eq!(agent.status()["closed"]["refused"], 5000);
    assert_eq!(stdout(&agent.ask(&["stop"])), "");
}
