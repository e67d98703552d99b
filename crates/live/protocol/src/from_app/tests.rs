//! Messages of applications in their written form, and the errors for invalid ones.

use super::*;
use crate::LARGEST;

fn parsed(line: &str) -> Result<FromApp, String> {
    FromApp::parse(line.as_bytes()).map_err(|error| error.to_string())
}

/// The error for `line`.
fn fault(line: &str) -> String {
    parsed(line).expect_err(line)
}

#[test]
fn every_message_is_read() {
    let hello = r#"{"type":"hello","version":1,"name":"a","control":"per-node","threads":[4,0]}"#;
    assert_eq!(parsed(hello), Ok(FromApp::Hello(Hello::new("a", Control::PerNode, vec![4, 0]))));
    for (word, control) in [("total", Control::Total), ("cores", Control::Cores), ("none", Control::None)] {
        let hello = hello.replace("per-node", word);
        assert_eq!(parsed(&hello), Ok(FromApp::Hello(Hello::new("a", control, vec![4, 0]))));
    }
    let status = AppStatus { running: vec![1, 2], blocked: vec![0, 1], progress: 7, ..AppStatus::idle(2) };
    let short = r#"{"type":"status","running":[1,2],"blocked":[0,1],"progress":7,"waiting":"none"}"#;
    assert_eq!(parsed(short), Ok(FromApp::Status(status.clone())));
    let more = r#"{"type":"status","running":[1,2],"blocked":[0,1],"progress":7,"waiting":"input","queued":0,"phase":1,"tasks":9}"#;
    let status =
        AppStatus { waiting: Waiting::Input, queued: Some(0), phase: 1, tasks: Some(9), ..status.clone() };
    assert_eq!(parsed(more), Ok(FromApp::Status(status)));
    assert_eq!(parsed(r#"{"type":"ack","seq":3}"#), Ok(FromApp::Ack { seq: 3 }));
    let refused = FromApp::Refused { seq: 3, text: "no".to_owned() };
    assert_eq!(parsed(r#"{"type":"refused","seq":3,"text":"no"}"#), Ok(refused));
    assert_eq!(parsed(r#"{"type":"bye"}"#), Ok(FromApp::Bye));
    assert_eq!(parsed(r#"{"type":"query"}"#), Ok(FromApp::Query));
    assert_eq!(parsed(r#"{"type":"stop"}"#), Ok(FromApp::Stop));
}

#[test]
fn what_is_written_is_what_people_read_in_the_protocol() {
    let hello = FromApp::Hello(Hello::new("a", Control::PerNode, vec![4, 0]));
    assert_eq!(
        hello.line(),
        "{\"type\":\"hello\",\"version\":1,\"name\":\"a\",\"control\":\"per-node\",\"threads\":[4,0]}\n"
    );
    assert_eq!(
        FromApp::Status(AppStatus::idle(1)).line(),
        "{\"type\":\"status\",\"running\":[0],\"blocked\":[0],\"progress\":0,\"waiting\":\"none\"}\n"
    );
    assert_eq!(FromApp::Bye.line(), "{\"type\":\"bye\"}\n");
}

#[test]
fn keys_that_nobody_knows_are_ignored() {
    assert_eq!(parsed(r#"{"pid":-1,"type":"ack","seq":3,"why":{"x":[]}}"#), Ok(FromApp::Ack { seq: 3 }));
}

#[test]
fn whole_numbers_go_up_to_2_to_the_53_minus_1() {
    assert_eq!(parsed(r#"{"type":"ack","seq":9007199254740991}"#), Ok(FromApp::Ack { seq: LARGEST }));
    assert_eq!(parsed(r#"{"type":"ack","seq":2.0}"#), Ok(FromApp::Ack { seq: 2 }), "JSON has one kind");
    for wrong in ["9007199254740992", "-1", "1.5", "1e300", "\"1\"", "null", "[1]", "true"] {
        let text = fault(&format!(r#"{{"type":"ack","seq":{wrong}}}"#));
        assert!(text.starts_with("ack: \"seq\" must be a whole number from 0 to 9007199254740991, not "));
    }
}

#[test]
fn every_way_of_json_to_write_a_whole_number_is_read_and_nothing_is_rounded() {
    let seq = |number: &str| parsed(&format!(r#"{{"type":"ack","seq":{number}}}"#));
    for (number, seq_is) in
        [("1e3", 1000), ("-0", 0), ("-0.0", 0), ("1.5e1", 15), ("30e-1", 3), ("9007199254740991.0", LARGEST)]
    {
        assert_eq!(seq(number), Ok(FromApp::Ack { seq: seq_is }), "{number}");
    }
    // 2^53 + 1 has no exact representation: 2^53 is also too large. 1e-400 is so small that it is read as 0.
    for wrong in ["9007199254740993", "9007199254740993.0", "-1e-3", "0.1e0", "18446744073709551616"] {
        assert!(seq(wrong).expect_err(wrong).starts_with("ack: \"seq\" must be a whole number"), "{wrong}");
    }
    assert_eq!(seq("1e-400"), Ok(FromApp::Ack { seq: 0 }));
}

#[test]
fn a_key_twice_is_an_error_in_every_message_and_wherever_it_is() {
    let twice = |key: &str| format!("the key \"{key}\" appears twice");
    for (line, key) in [
        (r#"{"type":"hello","version":1,"name":"a","name":"b","control":"total","threads":[4]}"#, "name"),
        (
            r#"{"type":"hello","version":1,"name":"a","na\u006de":"a","control":"total","threads":[4]}"#,
            "name",
        ),
        (r#"{"type":"hello","type":"hello","version":1,"name":"a","control":"total","threads":[4]}"#, "type"),
        (r#"{"type":"hello","version":2,"version":1,"name":"a","control":"total","threads":[4]}"#, "version"),
        (
            r#"{"type":"status","running":[1],"running":[1],"blocked":[0],"progress":0,"waiting":"none"}"#,
            "running",
        ),
        (r#"{"type":"ack","seq":1,"seq":2}"#, "seq"),
        (r#"{"type":"refused","seq":1,"text":"a","text":"b"}"#, "text"),
        (r#"{"type":"bye","type":"bye"}"#, "type"),
        (r#"{"type":"query","x":1,"x":1}"#, "x"),
        (r#"{"type":"stop","pid":{"x":[{"y":1,"y":1}]}}"#, "y"),
    ] {
        assert_eq!(fault(line), twice(key), "{line}");
    }
    // Shortened, and made visible.
    let long = "k".repeat(100);
    let shown = format!("the key \"{}... appears twice", "k".repeat(59));
    assert_eq!(fault(&format!(r#"{{"{long}":1,"{long}":2}}"#)), shown);
    assert_eq!(fault(r#"{"\u001b":1,"\u001b":2}"#), "the key \"\\u001b\" appears twice");
}

#[test]
fn what_is_no_message_is_said() {
    assert_eq!(fault("[1]"), "this line is no JSON object: a message is one, like {\"type\":\"bye\"}");
    assert!(fault("").starts_with("this line is not JSON: "));
    assert!(fault("hello").starts_with("this line is not JSON: "));
    assert!(fault(&"[".repeat(10_000)).starts_with("this line is not JSON: "), "no endless depth");
    assert_eq!(FromApp::parse(b"{\"type\":\"\xff\"}"), Err(ParseError::NoText));
    assert_eq!(fault("{}"), "\"type\" is missing: every message has one");
    assert_eq!(fault(r#"{"type":7}"#), "\"type\" must be text, not 7");
    assert_eq!(fault(r#"{"type":"set"}"#), "there is no message of type \"set\"");
    assert_eq!(fault(r#"{"type":"Hello"}"#), "there is no message of type \"Hello\"");
}

#[test]
fn each_key_of_a_hello_is_named_when_it_is_wrong_or_missing() {
    let hello = r#"{"type":"hello","version":1,"name":"a","control":"total","threads":[4]}"#;
    let with = |from: &str, to: &str| fault(&hello.replace(from, to));
    assert_eq!(
        with("\"version\":1", "\"version\":2"),
        "version 2 of the protocol is not spoken here, only version 1"
    );
    assert_eq!(
        fault(r#"{"type":"hello","version":3}"#),
        "version 3 of the protocol is not spoken here, only version 1"
    );
    assert_eq!(with("\"version\":1,", ""), "hello: \"version\" is missing");
    assert_eq!(with("\"name\":\"a\",", ""), "hello: \"name\" is missing");
    let needed = "hello: \"name\" must be 1 to 128 characters without control characters, not ";
    assert_eq!(with("\"a\"", "\"\""), format!("{needed}\"\""));
    assert_eq!(with("\"a\"", "\"a\\nb\""), format!("{needed}\"a\\nb\""));
    assert_eq!(
        with("\"a\"", &format!("\"{}\"", "ä".repeat(129))),
        format!("{needed}\"{}...", "ä".repeat(59))
    );
    assert!(parsed(&hello.replace("\"a\"", &format!("\"{}\"", "ä".repeat(128)))).is_ok());
    assert_eq!(with("\"a\"", "1"), "hello: \"name\" must be text, not 1");
    assert_eq!(
        with("total", "all"),
        "hello: \"control\" must be one of \"per-node\", \"total\", \"cores\", or \"none\", not \"all\""
    );
    let list = "hello: \"threads\" must be a list of whole numbers from 0 to 65536, not ";
    for wrong in ["4", "[65537]", "[-1]", "[[4]]", "\"4\"", "{}"] {
        assert_eq!(with("[4]", wrong), format!("{list}{wrong}"));
    }
    assert!(parsed(&hello.replace("[4]", "[65536]")).is_ok());
    assert_eq!(with("[4]", "[0,0]"), "hello: \"threads\" must be at least 1 in all, not [0,0]");
    assert_eq!(with("[4]", "[]"), "hello: \"threads\" must be at least 1 in all, not []");
}

#[test]
fn each_key_of_a_status_is_named_when_it_is_wrong_or_missing() {
    let status = r#"{"type":"status","running":[1],"blocked":[2],"progress":3,"waiting":"none","queued":4,"phase":5,"tasks":6}"#;
    for (key, value) in [("running", "[1]"), ("blocked", "[2]"), ("progress", "3"), ("waiting", "\"none\"")] {
        let text = fault(&status.replace(&format!("\"{key}\":{value},"), ""));
        assert_eq!(text, format!("status: \"{key}\" is missing"));
    }
    for (key, value) in [
        ("running", "[1]"),
        ("blocked", "[2]"),
        ("progress", "3"),
        ("waiting", "\"none\""),
        ("queued", "4"),
        ("phase", "5"),
        ("tasks", "6"),
    ] {
        let text = fault(&status.replace(&format!("\"{key}\":{value}"), &format!("\"{key}\":null")));
        assert!(text.starts_with(&format!("status: \"{key}\" must be ")), "{text}");
    }
}

#[test]
fn a_status_must_be_one_of_the_threads_that_there_are() {
    let status = |running: &[u32], blocked: &[u32]| AppStatus {
        running: running.to_vec(),
        blocked: blocked.to_vec(),
        ..AppStatus::idle(0)
    };
    let fault = |status: AppStatus| status.check(&[4, 2]).map_err(|error| error.to_string());
    assert_eq!(fault(status(&[4, 1], &[0, 1])), Ok(()));
    assert_eq!(
        fault(status(&[4], &[0, 1])),
        Err("status: \"running\" must be a list of 2, one number for each node, not [4]".to_owned())
    );
    assert_eq!(
        fault(status(&[4, 1], &[0, 1, 0])),
        Err("status: \"blocked\" must be a list of 2, one number for each node, not [0, 1, 0]".to_owned())
    );
    assert_eq!(
        fault(status(&[3, 3], &[0, 0])),
        Err("status: \"running\" must be at most 2 on node 1, running and blocked together, not [3, 3]"
            .to_owned())
    );
    assert_eq!(
        fault(status(&[4, 1], &[1, 0])),
        Err("status: \"blocked\" must be at most 4 on node 0, running and blocked together, not [1, 0]"
            .to_owned())
    );
}
