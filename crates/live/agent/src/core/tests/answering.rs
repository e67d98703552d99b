//! Answers of the agent.

use super::super::testing::{Agent, MACHINE, app};

fn fair() -> Agent {
    Agent::new(MACHINE, "fair-share", 80)
}

/// The only answer to `line` as the first one of a connection, which must then be closed.
fn refusal(agent: &mut Agent, line: &str) -> String {
    agent.connect(9).line(9, line);
    assert_eq!(agent.closed.pop(), Some(9), "{line}");
    refused(agent, 9)
}

/// The text of the refusal that was sent last.
fn refused(agent: &mut Agent, id: u64) -> String {
    let heard = agent.heard(id);
    let last: serde_json::Value = serde_json::from_str(heard.last().expect("an answer")).expect("JSON");
    assert_eq!(last["type"], "refused", "{last}");
    last["text"].as_str().expect("text").to_owned()
}

fn error(agent: &mut Agent, id: u64, line: &str) -> String {
    agent.heard(id);
    agent.line(id, line);
    let heard = agent.heard(id);
    let last: serde_json::Value = serde_json::from_str(heard.last().expect("an answer")).expect("JSON");
    assert_eq!(last["type"], "error", "{last}");
    assert!(!agent.closed.contains(&id), "the connection stays");
    last["text"].as_str().expect("text").to_owned()
}

#[test]
fn a_hello_is_answered_by_a_welcome() {
    let mut agent = fair();
    agent.hello(1, "a", "per-node", &[4, 4]);
    assert_eq!(
        agent.heard(1),
        [
            r#"{"type":"welcome","version":1,"pid":7,"cores":[4,4],"hold":true,"period_ms":80.0,"status_ms":80.0}"#
        ]
    );
}

#[test]
fn nobody_is_held_without_control_without_decisions_or_in_a_dry_run() {
    let holds = |mut agent: Agent, control: &str| {
        agent.hello(1, "a", control, &[4, 4]);
        agent.heard(1).pop().expect("a welcome").contains(r#""hold":true"#)
    };
    assert!(holds(fair(), "total"));
    assert!(!holds(fair(), "none"));
    assert!(!holds(Agent::new(MACHINE, "none", 80), "total"));
    assert!(!holds(Agent::with(MACHINE, "fair-share", 80, true), "total"));
}

#[test]
fn statuses_come_with_the_period_within_bounds() {
    for (period, status) in [(0, "80.0"), (1, "20.0"), (80, "80.0"), (500, "500.0"), (60_000, "1000.0")] {
        let mut agent = Agent::new(MACHINE, "fair-share", period);
        agent.hello(1, "a", "total", &[4, 4]);
        let welcome = agent.heard(1).remove(0);
        assert!(welcome.ends_with(&format!(r#""period_ms":{period}.0,"status_ms":{status}}}"#)), "{welcome}");
    }
}

#[test]
fn a_first_line_that_is_no_hello_is_refused_and_closed() {
    let mut agent = fair();
    let begins = |text: String, with: &str| assert!(text.starts_with(with), "{text}");
    begins(refusal(&mut agent, "nonsense"), "the first line must be a hello: this line is not JSON: ");
    begins(
        refusal(&mut agent, r#"{"type":"hi"}"#),
        "the first line must be a hello: there is no message of type \"hi\"",
    );
    begins(refusal(&mut agent, r#"{"type":"bye"}"#), "the first line must be a hello, a query or a stop");
    begins(
        refusal(&mut agent, r#"{"type":"hello","version":1,"control":"total","threads":[4,4]}"#),
        "the first line must be a hello: hello: \"name\" is missing",
    );
    assert_eq!(agent.shown().closed.refused, 4);
    assert_eq!(agent.reports.len(), 4);
    assert!(agent.reports[2].starts_with("refused: a connection (pid 109): the first line must be a hello"));
}

#[test]
fn no_hello_within_two_seconds_is_refused() {
    let mut agent = fair();
    agent.at(100).connect(1).at(2099);
    assert_eq!(agent.closed, [0; 0]);
    agent.at(2100);
    assert_eq!(agent.closed, [1]);
    assert_eq!(refused(&mut agent, 1), "no hello within 2 s");
}

#[test]
fn another_version_is_refused_with_both() {
    assert_eq!(
        refusal(&mut fair(), r#"{"type":"hello","version":2,"name":"a"}"#),
        "version 2 of the protocol is not spoken here, only version 1"
    );
}

#[test]
fn a_name_that_is_connected_is_refused_with_its_pid() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]).hello(2, "a", "total", &[4, 4]);
    assert_eq!(refused(&mut agent, 2), "the name 'a' is taken by pid 101");
    assert_eq!(agent.reports, ["refused: 'a' (pid 102): the name 'a' is taken by pid 101"]);
    agent.end(1).hello(3, "a", "total", &[4, 4]);
    assert_eq!(agent.closed, [2, 1], "free again");
}

#[test]
fn threads_must_fit_the_nodes() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4]);
    assert_eq!(refused(&mut agent, 1), "\"threads\" has 1 entry, and the machine has 2 nodes");
    let without =
        MACHINE.replacen("cores = 4\ngflops_per_core = 10.0", "cores = 0\ngflops_per_core = 0.0", 1);
    let mut agent = Agent::new(&without, "fair-share", 80);
    agent.hello(1, "a", "total", &[1, 4]);
    assert_eq!(refused(&mut agent, 1), "\"threads\" has 1 on node 0, which has no cores");
}

#[test]
fn a_scenario_must_not_ask_for_more_threads() {
    let text = format!("{MACHINE}{}[[scenario]]\nname = \"s\"\nthreads = {{ a = [1, 3] }}\n", app("a"));
    let mut agent = Agent::new(&text, "static:s", 80);
    agent.hello(1, "a", "per-node", &[4, 2]);
    let text = refused(&mut agent, 1);
    assert!(text.starts_with("scenario 's' gives a 3 threads on node 1, but it has 2"), "{text}");
    agent.hello(2, "a", "per-node", &[1, 3]).hello(3, "b", "per-node", &[1, 1]);
    assert_eq!(agent.closed, [1], "as many as it asks for are enough, and strangers get none");
}

#[test]
fn who_computes_needs_an_entry() {
    for policy in ["marginal", "reexplore"] {
        let mut agent = Agent::new(&format!("{MACHINE}{}", app("a")), policy, 80);
        agent.hello(1, "a", "total", &[4, 4]).hello(2, "b", "total", &[4, 4]);
        assert_eq!(agent.closed, [2]);
        let why = format!("policy '{policy}' computes, and the files of the agent have no [[app]] named 'b'");
        assert_eq!(refused(&mut agent, 2), why);
    }
}

#[test]
fn a_line_that_is_too_long_is_refused() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]);
    agent.core.line_too_long(super::super::ConnectionId(1));
    agent.at(0);
    assert_eq!(refused(&mut agent, 1), "a line of more than 65536 bytes");
    assert_eq!(agent.reports, ["refused: 'a' (pid 101): a line of more than 65536 bytes"]);
    assert_eq!(agent.shown().apps, [], "and it is gone");
}

#[test]
fn more_than_a_hundred_lines_a_second_are_refused() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]);
    for _ in 0..99 {
        agent.status(1, 0, "none");
    }
    assert_eq!(agent.closed, [0; 0], "a hello and 99 statuses");
    agent.status(1, 0, "none");
    assert_eq!(agent.closed, [1]);
    assert_eq!(refused(&mut agent, 1), "more than 100 lines a second");
}

#[test]
fn answers_to_orders_are_free() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]).status(1, 0, "none").at(80);
    assert_eq!(agent.sets(1), [r#"{"type":"set","seq":1,"total":8}"#]);
    for _ in 0..300 {
        agent.line(1, r#"{"type":"ack","seq":1}"#).line(1, r#"{"type":"refused","seq":1,"text":"no"}"#);
    }
    assert_eq!(agent.closed, [0; 0]);
    // Acknowledging an order that was never sent costs a permission: 100 + 8 - 2 = 98 are left and filled up to 100.
    for _ in 0..101 {
        agent.line(1, r#"{"type":"ack","seq":2}"#);
    }
    assert_eq!(agent.closed, [1]);
}

#[test]
fn the_connection_stays_after_what_is_no_message() {
    let text = format!("{MACHINE}{}", app("a"));
    let mut agent = Agent::new(&text, "fair-share", 80);
    agent.hello(1, "a", "total", &[4, 4]);
    assert!(error(&mut agent, 1, "{").starts_with("this line is not JSON: "));
    assert!(error(&mut agent, 1, "7").starts_with("this line is no JSON object"));
    assert_eq!(error(&mut agent, 1, r#"{"type":"hurry"}"#), "there is no message of type \"hurry\"");
    assert_eq!(error(&mut agent, 1, r#"{"type":"ack"}"#), "ack: \"seq\" is missing");
    assert_eq!(error(&mut agent, 1, r#"{"type":"ack","seq":1}"#), "\"seq\": an order 1 was never sent");
    assert_eq!(error(&mut agent, 1, r#"{"type":"ack","seq":0}"#), "\"seq\": an order 0 was never sent");
    let hello = r#"{"type":"hello","version":1,"name":"b","control":"total","threads":[4,4]}"#;
    assert_eq!(error(&mut agent, 1, hello), "a second hello: one is enough");
    let status = |running: &str, phase: u64| {
        format!(
            r#"{{"type":"status","running":{running},"blocked":[0,0],"progress":0,"waiting":"none","phase":{phase}}}"#
        )
    };
    assert_eq!(
        error(&mut agent, 1, &status("[0,0]", 1)),
        "\"phase\": there is no phase 1: 'a' has 1 phase, from 0"
    );
    assert!(error(&mut agent, 1, &status("[0]", 0)).starts_with("status: \"running\" must be a list of 2"));
    assert!(
        error(&mut agent, 1, &status("[0,5]", 0))
            .starts_with("status: \"running\" must be at most 4 on node 1")
    );
    assert_eq!(error(&mut agent, 1, r#"{"type":"query"}"#), "a query or a stop needs a separate connection");
    agent.heard(1);
    agent.bytes(1, b"\xff\xfe");
    assert_eq!(agent.heard(1), [r#"{"type":"error","text":"this line is not UTF-8 text"}"#]);
    assert_eq!(agent.shown().apps[0].state, numasim_protocol::State::New, "none of these was a status");
}

#[test]
fn a_stranger_may_be_in_any_phase() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]);
    agent.heard(1);
    agent.line(1, r#"{"type":"status","running":[0,0],"blocked":[0,0],"progress":0,"waiting":"none","phase":9007199254740991}"#);
    assert_eq!(agent.heard(1), [""; 0]);
}

#[test]
fn more_connections_than_4096_are_refused() {
    let mut agent = fair();
    for id in 1..=4096 {
        agent.connect(id);
    }
    assert_eq!(agent.closed, [0; 0]);
    agent.connect(5000);
    assert_eq!(agent.closed, [5000]);
    assert_eq!(refused(&mut agent, 5000), "4096 connections are open, no more are taken");
    agent.end(7).connect(5001);
    assert_eq!(agent.closed, [5000, 7]);
}

#[test]
fn who_hears_nothing_for_250_ms_is_pinged() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]).connect(2).line(2, r#"{"type":"query"}"#).connect(3);
    agent.heard(1);
    agent.heard(2);
    agent.at(249);
    assert_eq!(agent.heard(1), [""; 0]);
    agent.at(250);
    assert_eq!(agent.heard(1), [r#"{"type":"ping"}"#]);
    agent.at(499);
    assert_eq!(agent.heard(1), [""; 0]);
    agent.at(500);
    assert_eq!(agent.heard(1), [r#"{"type":"ping"}"#]);
    assert_eq!(agent.heard(2), [""; 0], "who asks is answered, and nothing else");
    assert_eq!(agent.heard(3), [""; 0]);
}

#[test]
fn a_query_may_be_repeated_and_nothing_else_may_follow() {
    let mut agent = fair();
    agent.connect(1).line(1, r#"{"type":"query"}"#).line(1, r#"{"type":"query"}"#);
    let heard = agent.heard(1);
    assert_eq!(heard.len(), 2);
    for line in heard {
        assert_eq!(numasim_protocol::AgentStatus::parse(line.as_bytes()), Ok(agent.shown()));
    }
    for other in [r#"{"type":"stop"}"#, r#"{"type":"bye"}"#, "x"] {
        agent.connect(2).line(2, r#"{"type":"query"}"#).line(2, other);
        assert!(refused(&mut agent, 2).starts_with("after a query only queries may follow"), "{other}");
    }
    assert_eq!(agent.ended_by, None);
    agent.end(1);
    assert_eq!(agent.shown().closed.lost, 0, "who asked may go");
}

#[test]
fn stop_ends_the_agent() {
    let mut agent = fair();
    agent.connect(1).line(1, r#"{"type":"stop"}"#);
    assert_eq!(agent.ended_by, Some(1));
    assert_eq!(agent.closed, [0; 0], "it is closed last, by whoever ends everything");
}

#[test]
fn connections_are_counted_by_how_they_end() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]).line(1, r#"{"type":"bye"}"#);
    agent.hello(2, "b", "total", &[4, 4]).end(2);
    agent.connect(3).end(3);
    agent.hello(4, "c", "total", &[4]);
    agent.hello(5, "d", "total", &[4, 4]);
    agent.core.cut_off(super::super::Peer { pid: None, uid: 7 }, "user 7 is not user 1000");
    agent.at(0);
    let closed = agent.shown().closed;
    assert_eq!((closed.bye, closed.lost, closed.refused), (1, 1, 2));
    assert_eq!(agent.closed, [1, 2, 3, 4]);
    assert_eq!(
        agent.reports,
        [
            "lost: 'b' (pid 102): the connection ended without a bye",
            "refused: 'c' (pid 104): \"threads\" has 1 entry, and the machine has 2 nodes",
            "refused: a connection (process unknown): user 7 is not user 1000",
        ]
    );
}

#[test]
fn names_cannot_hide_what_a_person_reads() {
    let mut agent = fair();
    agent.hello(1, "a\u{202e}b", "total", &[4, 4]).end(1);
    assert!(!agent.reports[0].contains('\u{202e}'), "{}", agent.reports[0]);
}

#[test]
fn a_word_that_is_refused_cannot_hide_either() {
    let mut agent = fair();
    // JSON passes DEL through unescaped, and the refusal quotes the word.
    let hello = "{\"type\":\"hello\",\"version\":1,\"name\":\"a\",\"pid\":101,\"control\":\"\u{7f}total\",\"threads\":[4,4]}";
    agent.connect(1).line(1, hello);
    assert!(agent.reports[0].ends_with("not \"\\u{7f}total\""), "{}", agent.reports[0]);
}

#[test]
fn what_comes_after_a_bye_or_a_refusal_is_ignored() {
    let mut agent = fair();
    agent.hello(1, "a", "total", &[4, 4]).line(1, r#"{"type":"bye"}"#);
    agent.heard(1);
    agent.status(1, 0, "none").line(1, "nonsense").end(1);
    assert_eq!(agent.heard(1), [""; 0]);
    assert_eq!(agent.shown().closed.lost, 0);
}
