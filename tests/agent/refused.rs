//! Arguments and files with which no agent starts.

use super::*;

/// The message for these arguments, in a folder with a `study.toml` of this text; no file is created.
#[track_caller]
fn said(text: &str, args: &[&str], code: i32) -> String {
    let folder = folder();
    std::fs::write(folder.path().join("study.toml"), text).expect("a file");
    let output = program()
        .args(["agent", "--socket", "own/agent.sock"])
        .args(args)
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    let said = refusal(&output, code);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "nothing is left behind: {left:?}");
    said
}

#[test]
fn wrong_command_lines() {
    for args in [
        &["--period-ms", "0.5"][..],
        &["--period-ms", "60001"],
        &["--period-ms", "-1"],
        &["--period-ms", "soon"],
        &["--policy", "fairest"],
        &["--adopt", "name"],
        &["--adopt", "name=pid"],
    ] {
        said("", args, 2);
    }
    let folder = folder();
    let path = folder.path().join("agent.sock");
    refusal(&ask(&path, &["status", "--format", "csv"]), 2);
}

#[test]
fn wrong_files_policies_and_records() {
    let shown = |text: &str, args: &[&str]| said(text, args, 1);
    assert!(shown("", &["missing.toml"]).contains("missing.toml"));
    assert!(shown("", &["status.toml"]).contains("status.toml"));
    assert!(shown("[[app]]\nnaem = 1\n", &["study.toml"]).contains("study.toml:2:1"));
    assert!(shown("", &["--policy", "script"]).starts_with("error: policy 'script' is for simulations"));
    for policy in ["marginal", "reexplore", "replan"] {
        let said = shown("[policy]\nname = \"lend\"\n", &["study.toml", "--policy", policy]);
        assert!(
            said.starts_with(&format!("error: policy '{policy}' computes, and no file has a [machine]")),
            "{said}"
        );
    }
    assert!(shown("[policy]\nname = \"script\"\n", &["study.toml"]).contains("policy 'script'"));
    assert!(shown("[policy]\nperiod_ms = 0.5\n", &["study.toml"]).contains("every 0.5 ms"));
    assert!(shown("", &["--policy", "static:s"]).contains("there is no scenario 's'"));
    assert!(shown("", &["--record", "study.toml"]).contains("study.toml exists already"));
    assert!(shown("", &["--record", "no/such/folder.jsonl"]).contains("no/such/folder.jsonl"));
    let own = std::process::id();
    let adopted = format!("x={own}");
    let said = shown(MACHINE, &["study.toml", "--adopt", &adopted]);
    assert!(said.contains("the [machine] of the files is not confirmed to be this host"), "{said}");
    assert!(said.contains("hint: add --this-host"), "{said}");
    let larger = MACHINE.replace("cores_per_node = 4", "cores_per_node = 60000");
    let said = shown(&larger, &["study.toml", "--this-host"]);
    assert!(said.contains("node 0 of machine 'M' has 60000 cores: this host has "), "{said}");
}

#[test]
fn a_path_that_is_too_long() {
    let folder = folder();
    let path = folder.path().join("x".repeat(108));
    for command in [&[][..], &["status"], &["stop"]] {
        assert!(refusal(&ask(&path, command), 1).contains("107"));
    }
}

#[test]
fn a_file_called_status_is_given_with_its_folder() {
    let folder = folder();
    std::fs::write(folder.path().join("status"), "[[app]]\nnaem = 1\n").expect("a file");
    let output = program()
        .args(["agent", "./status", "--socket", "own/agent.sock"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(refusal(&output, 1).contains("./status:2:1"));
}
