//! `numasim plan` as a person and a script meet it: a profile by hand, its plan, and what is refused.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{folder, run, stderr, stdout};

/// Four iterations of a creator with one worker each (the path of paper 000): workers read one of two blocks.
const PROFILE: [(&str, &str); 7] = [
    ("ptrace-meta.csv", "2\n"),
    (
        "ptrace-edt.csv",
        "0;main/0\n1;creator/0\n2;worker/1\n3;creator/0\n4;worker/1\n5;creator/0\n6;worker/1\n7;creator/0\n8;worker/1\n",
    ),
    ("ptrace-new.csv", "0;0;1\n1;0;3\n1;1;2\n3;0;5\n3;1;4\n5;0;7\n5;1;6\n7;0;8\n"),
    ("ptrace-dbs.csv", "0;;;100;0;0\n1;;;100;0;1\n"),
    ("ptrace-acc.csv", "worker/1;;2;0;;;1\nworker/1;;4;0;;;1\nworker/1;;6;0;;;1\nworker/1;;8;0;;;0\n"),
    (
        "ptrace-raw.csv",
        "worker/1;;2;numa_fixed;0;1\nworker/1;;4;numa_fixed;0;1\nworker/1;;8;numa_fixed;0;1\nworker/1;;2;full;-;1e-3\n",
    ),
    ("ptrace-aff-dbs.csv", "0;1;1\n1;1;0\n"),
];

/// Writes the profile into a folder, with other text in a file; `None` leaves it out.
fn profile(folder: &Path, other: Option<(&str, Option<&str>)>) {
    for (name, text) in PROFILE {
        let text = match other {
            Some((file, text)) if file == name => text,
            _ => Some(text),
        };
        if let Some(text) = text {
            fs::write(folder.join(name), text).expect("a file for the test");
        }
    }
}

fn plan(folder: &Path, more: &[&str]) -> Output {
    let (from, to) = (folder.display().to_string(), folder.join("plan").display().to_string());
    run(&[&["plan", &from, "-o", &to], more].concat())
}

#[test]
fn a_profile_of_four_iterations_is_a_plan_of_four_classes() {
    // P-1: 9 tasks; the worker of the last creator has place 0, the others 1.
    let folder = folder();
    profile(folder.path(), None);
    let told: Value =
        serde_json::from_str(&stdout(&plan(folder.path(), &["--format", "json"]))).expect("JSON");
    let expected = serde_json::json!({
        "schema": 1, "command": "plan", "pattern": "block", "nodes": 2, "tasks": 9, "classes": 4, "no_opinion": 2,
        "blocks": 2, "block_classes": 2
    });
    assert_eq!(told, expected);
    let written = |name: &str| fs::read_to_string(folder.path().join("plan").join(name)).expect("written");
    assert_eq!(written("plan-dbs.csv"), "0;0;0\n0;1;1\n");
    assert_eq!(
        written("plan-tree.csv"),
        "0;main/0;-1;1\n0;0;creator/0;1\n1;creator/0;-1;3\n1;0;creator/0;1\n1;0;worker/1;3\n1;1;worker/1;2\n\
         2;worker/1;1;0\n3;worker/1;0;0\n"
    );
    let toml: toml::Table = written("plan.toml").parse().expect("TOML");
    let path = "(main/0, 0, creator/0):(creator/0, 0, creator/0)*:(creator/0, 1, worker/1)";
    assert_eq!(toml["class"][2]["path"].as_str(), Some(path));
    assert_eq!(toml["class"][2]["work_s"].as_float(), Some(1e-3));
}

#[test]
fn the_pattern_says_where_blocks_lie() {
    let folder = folder();
    profile(folder.path(), None);
    for (pattern, nodes) in
        [("block", "0;0;0\n0;1;1\n"), ("cyclic", "0;0;0\n0;1;1\n"), ("hints", "0;0;1\n0;1;0\n")]
    {
        stdout(&plan(folder.path(), &["--pattern", pattern]));
        let dbs = fs::read_to_string(folder.path().join("plan/plan-dbs.csv")).expect("written");
        assert_eq!(dbs, nodes, "{pattern}");
    }
}

#[test]
fn hints_are_needed_only_where_they_are_asked_for() {
    let folder = folder();
    profile(folder.path(), Some(("ptrace-aff-dbs.csv", None)));
    stdout(&plan(folder.path(), &[]));
    let refused = plan(folder.path(), &["--pattern", "hints"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("ptrace-aff-dbs.csv cannot be read"), "{}", stderr(&refused));
}

#[test]
fn what_is_wrong_has_file_line_and_column_and_nothing_is_written() {
    let cases = [
        ("ptrace-meta.csv", None, "ptrace-meta.csv cannot be read"),
        ("ptrace-new.csv", Some("0;0;1\n0;0;1\n"), "ptrace-new.csv:2:5"),
        ("ptrace-edt.csv", Some("0;main/0\n1;creator\n"), "ptrace-edt.csv:2:3"),
        ("ptrace-raw.csv", Some("worker/1;;2;full;-;nan\r\n"), "ptrace-raw.csv:1:20"),
        ("ptrace-acc.csv", Some("worker/1;;2;0;;;9"), "ptrace-acc.csv:1:17"),
        ("ptrace-dbs.csv", Some("0;;;100;0;0\n\u{fffd};;;1;0;1\n"), "ptrace-dbs.csv:2:1"),
    ];
    for (file, text, place) in cases {
        let folder = folder();
        profile(folder.path(), Some((file, text)));
        let refused = plan(folder.path(), &[]);
        assert_eq!(refused.status.code(), Some(1), "{file}");
        assert!(stderr(&refused).contains(place), "{file}: {}", stderr(&refused));
        assert!(refused.stdout.is_empty() && !folder.path().join("plan").exists(), "{file}");
    }
    let folder = folder();
    profile(folder.path(), None);
    fs::write(folder.path().join("ptrace-new.csv"), b"0;0;1\n\xff\n").expect("a file for the test");
    let refused = plan(folder.path(), &[]);
    assert!(
        stderr(&refused).contains("ptrace-new.csv:2: this line is no UTF-8 text"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_line_without_end_and_a_profile_as_output_are_refused() {
    let folder = folder();
    let long = "0;".repeat(600_000);
    profile(folder.path(), Some(("ptrace-edt.csv", Some(&long))));
    let refused = plan(folder.path(), &[]);
    assert!(
        stderr(&refused).contains("ptrace-edt.csv:1: this line is longer than 1 MiB"),
        "{}",
        stderr(&refused)
    );
    fs::write(folder.path().join("plan"), "a file").expect("a file for the test");
    let refused = plan(folder.path(), &[]);
    assert!(stderr(&refused).contains("is no folder"), "{}", stderr(&refused));
}
