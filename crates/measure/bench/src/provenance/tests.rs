//! A provenance survives being written and read; other data is rejected.

use std::time::{Duration, UNIX_EPOCH};

use numasim_model::cpus::CpuList;
use numasim_study::topology::HostNode;

use super::*;
use numasim_kernels::loops::Isa;

fn example() -> Provenance {
    let settings = Settings {
        isa: Isa::Avx512,
        warm_up: Duration::from_millis(200),
        window: Duration::from_secs(1),
        bytes_per_thread: 1 << 28,
        processes: false,
    };
    let host = HostTopology {
        name: "box".into(),
        source: "hwloc".into(),
        nodes: vec![
            HostNode {
                os_index: 0,
                cores: 2,
                cpus: CpuList::new(vec![0, 1]).ok(),
                memory_bytes: Some(1 << 30),
                ..HostNode::default()
            },
            HostNode { os_index: 4, ..HostNode::default() },
        ],
        ..HostTopology::default()
    };
    Provenance {
        schema: SCHEMA,
        run: "5f0c".into(),
        tool: Tool {
            name: "numasim".into(),
            version: "0.1.0".into(),
            features: vec!["hwloc".into()],
            profile: "release".into(),
        },
        command: vec!["numasim".into(), "bench".into(), "a b.toml".into()],
        started_utc: utc(UNIX_EPOCH),
        ended_utc: None,
        facts: Facts { host_name: Some("box".into()), turbo: Some(true), ..Facts::default() },
        nodes: nodes(&host),
        settings: Measuring::new(&settings, 10, "core"),
        inputs: vec![Input::new("a b.toml", "[machine]\n")],
        fitted: Vec::new(),
        observed: Vec::new(),
        doubts: Vec::new(),
    }
}

#[test]
fn a_written_provenance_reads_back_unchanged() {
    let mut written = example();
    written.doubt(&[Doubt::Turbo, Doubt::NumaBalancing, Doubt::Turbo]);
    let read = read(&written.to_json()).expect("just written");
    assert_eq!(read, written);
    let codes: Vec<&str> = read.doubts.iter().map(|doubt| doubt.code.as_str()).collect();
    assert_eq!(codes, ["turbo", "numa-balancing"]);
    assert_eq!(read.nodes[0].cpus.as_deref(), Some("0-1"));
    assert_eq!(read.settings.warm_up_s, 0.2);
}

#[test]
fn keys_of_a_later_version_are_ignored() {
    let mut json: serde_json::Value = serde_json::from_str(&example().to_json()).expect("JSON");
    json["weather"] = "fine".into();
    json["facts"]["room_temperature_c"] = 21.into();
    json["settings"]["mood"] = serde_json::Value::Null;
    assert_eq!(read(&json.to_string()).expect("same schema"), example());
}

#[test]
fn another_schema_is_rejected_by_its_number() {
    let recorded = read(r#"{"schema": 2}"#).expect_err("not ours").to_string();
    assert!(recorded.starts_with("its schema is 2, but this version of numasim reads 1"), "{recorded}");
}

#[test]
fn other_data_than_a_provenance_is_rejected_with_the_reason() {
    for (json, reason) in [("", "EOF"), ("{}", "schema"), (r#"{"schema": 1}"#, "run"), ("[1", "EOF")] {
        let recorded = read(json).expect_err(json).to_string();
        assert!(
            recorded.starts_with("not a provenance of numasim:") && recorded.contains(reason),
            "{recorded}"
        );
    }
}

#[test]
fn a_modified_input_is_rejected() {
    let json = example().to_json().replace("[machine]", "[machines]");
    let recorded = read(&json).expect_err("changed").to_string();
    assert!(recorded.starts_with("the text of its input 'a b.toml' was changed"), "{recorded}");
}

#[test]
fn the_hash_matches_the_standard() {
    // FIPS 180-2, appendix B.1; the hash of the empty text is the output of `sha256sum /dev/null`.
    assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn times_have_milliseconds_and_stay_within_rfc_3339() {
    // 2026-11-21T09:52:06Z is 1,795,254,726 s after 1970 (date -u -d @1795254726).
    let time = UNIX_EPOCH + Duration::from_millis(1_795_254_726_123);
    assert_eq!(utc(time), "2026-11-21T09:52:06.123Z");
    assert_eq!(utc(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
    assert_eq!(utc(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(1 << 40)), "9999-12-31T23:59:59.000Z");
}
