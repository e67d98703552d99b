//! Messages of the agent in their written form, and the errors for invalid ones.

use super::*;

fn parsed(line: &str) -> Result<FromAgent, String> {
    FromAgent::parse(line.as_bytes()).map_err(|error| error.to_string())
}

fn set(seq: u64, order: Order) -> FromAgent {
    FromAgent::Set { seq, order }
}

#[test]
fn every_message_is_written_as_the_protocol_says_and_read_again() {
    let welcome =
        Welcome { version: Version, pid: 7, cores: vec![4, 4], hold: true, period_ms: 80.0, status_ms: 80.0 };
    for (message, line) in [
        (
            FromAgent::Welcome(welcome),
            r#"{"type":"welcome","version":1,"pid":7,"cores":[4,4],"hold":true,"period_ms":80.0,"status_ms":80.0}"#,
        ),
        (set(1, Order::PerNode(vec![2, 0])), r#"{"type":"set","seq":1,"per_node":[2,0]}"#),
        (set(2, Order::Total(0)), r#"{"type":"set","seq":2,"total":0}"#),
        (set(3, Order::Cores(vec![0, 5])), r#"{"type":"set","seq":3,"cores":[0,5]}"#),
        (FromAgent::Ping, r#"{"type":"ping"}"#),
        (FromAgent::Error { text: "e".to_owned() }, r#"{"type":"error","text":"e"}"#),
        (FromAgent::Refused { text: "r".to_owned() }, r#"{"type":"refused","text":"r"}"#),
    ] {
        assert_eq!(message.line(), format!("{line}\n"));
        assert_eq!(parsed(line), Ok(message));
    }
}

#[test]
fn a_set_has_exactly_one_order() {
    let fault = |line: &str| parsed(line).expect_err(line);
    assert_eq!(
        fault(r#"{"type":"set","seq":1}"#),
        "set: one of \"per_node\", \"total\", or \"cores\" is missing"
    );
    assert_eq!(
        fault(r#"{"type":"set","seq":1,"total":1,"per_node":[1]}"#),
        "set: \"total\" must be left out beside another order, not 1"
    );
    assert_eq!(
        fault(r#"{"type":"set","seq":1,"cores":[1,1]}"#),
        "set: \"cores\" must be ascending, not [1,1]"
    );
    assert_eq!(
        fault(r#"{"type":"set","seq":1,"total":4294967296}"#),
        "set: \"total\" must be at most 4294967295, not 4294967296"
    );
    assert_eq!(fault(r#"{"type":"set","total":1}"#), "set: \"seq\" is missing");
}

#[test]
fn a_welcome_of_another_version_names_both() {
    let text = parsed(r#"{"type":"welcome","version":2}"#).expect_err("another version");
    assert_eq!(text, "version 2 of the protocol is not spoken here, only version 1");
}

#[test]
fn keys_of_a_welcome_are_named() {
    let welcome =
        r#"{"type":"welcome","version":1,"pid":7,"cores":[4],"hold":true,"period_ms":0.0,"status_ms":80.0}"#;
    assert!(parsed(welcome).is_ok());
    for (key, value) in
        [("pid", "7"), ("cores", "[4]"), ("hold", "true"), ("period_ms", "0.0"), ("status_ms", "80.0")]
    {
        let text = parsed(&welcome.replace(&format!("\"{key}\":{value}"), &format!("\"{key}\":-1")))
            .expect_err("no such value");
        assert!(text.starts_with(&format!("welcome: \"{key}\" must be ")), "{text}");
    }
}
