//! Output of the state of an agent for people.

use numasim_protocol::{Closed, SCHEMA};

use super::*;

fn app(name: &str) -> AppEntry {
    AppEntry {
        name: name.to_owned(),
        pid: 4711,
        uid: 1000,
        control: Control::PerNode,
        threads: vec![4, 4],
        state: State::Ok,
        running: Some(vec![2, 1]),
        blocked: Some(vec![2, 2]),
        progress: Some(1234),
        waiting: Some(Waiting::None),
        queued: Some(3),
        tasks: None,
        status_age_ms: Some(12.0),
        target: Some(Order::PerNode(vec![2, 2])),
        seq: 3,
        acked: 3,
        refused: None,
    }
}

fn status(apps: Vec<AppEntry>) -> AgentStatus {
    AgentStatus {
        schema: SCHEMA,
        command: AgentStatus::COMMAND.to_owned(),
        pid: 815,
        socket: "/run/user/1000/numasim/agent.sock".to_owned(),
        machine: "paper".to_owned(),
        cores: vec![4, 4],
        policy: "lead:2".to_owned(),
        period_ms: 80.0,
        status_ms: 80.0,
        dry_run: false,
        uptime_s: 12.34,
        load: Some(vec![0.1, 0.953]),
        closed: Closed { bye: 2, lost: 1, refused: 0 },
        apps,
    }
}

fn shown(status: &AgentStatus) -> String {
    let style = Style { color: false, unicode: true, width: Some(80), markdown: false };
    let text = table(status, &style);
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.starts_with("Agent:")), "{text}");
    text
}

#[test]
fn applications_of_every_kind() {
    let producer = AppEntry { waiting: Some(Waiting::Output), ..app("producer") };
    let new = AppEntry {
        state: State::New,
        control: Control::Total,
        running: None,
        blocked: None,
        progress: None,
        waiting: None,
        target: None,
        seq: 0,
        acked: 0,
        ..app("new")
    };
    let adopted = AppEntry {
        state: State::Adopted,
        control: Control::Cores,
        target: Some(Order::Cores(vec![0, 1, 2, 6])),
        running: None,
        blocked: None,
        progress: None,
        waiting: None,
        ..app("solver")
    };
    let free = AppEntry { control: Control::None, target: None, seq: 0, acked: 0, ..app("free") };
    let silent = AppEntry { state: State::Stale, status_age_ms: Some(3500.0), ..app("silent") };
    let stubborn = AppEntry { refused: Some("no such\u{202e} thread".to_owned()), ..app("stubborn") };
    let slow = AppEntry { target: Some(Order::Total(5)), seq: 4, ..app("slow") };
    let all = vec![producer, new, adopted, free, silent, stubborn, slow];
    insta::assert_snapshot!(shown(&status(all)));
}

#[test]
fn nobody_is_there() {
    let alone = AgentStatus { load: None, dry_run: true, period_ms: 0.0, uptime_s: 9000.0, ..status(vec![]) };
    insta::assert_snapshot!(shown(&alone));
}
