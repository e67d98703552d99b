//! The status object in the form in which people and programs read it.

use super::*;

fn status() -> AgentStatus {
    AgentStatus {
        schema: SCHEMA,
        command: AgentStatus::COMMAND.to_owned(),
        pid: 7,
        socket: "/run/agent.sock".to_owned(),
        machine: "M".to_owned(),
        cores: vec![4, 4],
        policy: "lead:2".to_owned(),
        period_ms: 80.0,
        status_ms: 80.0,
        dry_run: false,
        uptime_s: 1.5,
        load: Some(vec![0.1, 0.9]),
        closed: Closed { bye: 1, lost: 2, refused: 3 },
        apps: vec![AppEntry {
            name: "a".to_owned(),
            pid: 8,
            uid: 9,
            control: Control::PerNode,
            threads: vec![4, 4],
            state: State::New,
            running: None,
            blocked: None,
            progress: None,
            waiting: None,
            queued: None,
            tasks: None,
            status_age_ms: None,
            target: Some(Order::PerNode(vec![2, 2])),
            seq: 1,
            acked: 0,
            refused: None,
        }],
    }
}

#[test]
fn keys_stand_in_the_documented_order() {
    assert_eq!(
        status().line(),
        concat!(
            r#"{"schema":1,"command":"agent status","pid":7,"socket":"/run/agent.sock","machine":"M","cores":[4,4],"policy":"lead:2","#,
            r#""period_ms":80.0,"status_ms":80.0,"dry_run":false,"uptime_s":1.5,"load":[0.1,0.9],"#,
            r#""closed":{"bye":1,"lost":2,"refused":3},"apps":["#,
            r#"{"name":"a","pid":8,"uid":9,"control":"per-node","threads":[4,4],"state":"new","running":null,"blocked":null,"#,
            r#""progress":null,"waiting":null,"queued":null,"tasks":null,"status_age_ms":null,"target":{"per_node":[2,2]},"#,
            r#""seq":1,"acked":0,"refused":null}]}"#,
            "\n"
        )
    );
}

#[test]
fn what_is_written_is_read_again() {
    let status = status();
    assert_eq!(AgentStatus::parse(status.line().as_bytes()), Ok(status));
}

#[test]
fn another_schema_is_named() {
    let line = AgentStatus { schema: 2, ..status() }.line();
    assert_eq!(AgentStatus::parse(line.as_bytes()), Err("its schema is 2, not 1".to_owned()));
    assert!(AgentStatus::parse(b"{}").is_err());
}
