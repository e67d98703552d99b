//! `numasim init`: by the command line, and with answers as a user types them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{folder, numasim, stderr, stdout};

/// Runs it in a folder; the answers come from a pipe, which then closes.
fn init(folder: &Path, args: &[&str], answers: &str) -> Output {
    let mut child = numasim()
        .arg("init")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that needs no answer may have exited.
    let _ = child.stdin.take().expect("a pipe").write_all(answers.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).expect("a study")
}

/// `check` and `evaluate` accept the study; returns the warnings of `check`.
#[track_caller]
fn is_accepted(folder: &Path, file: &str) -> String {
    let run = |command: &str| {
        numasim().args([command, file]).current_dir(folder).output().expect("the program starts")
    };
    stdout(&run("evaluate"));
    let checked = run("check");
    stdout(&checked);
    stderr(&checked)
}

#[test]
fn a_study_of_a_machine_of_the_catalogue() {
    let folder = folder();
    let args = ["--machine", "@graviton3", "--app", "solver=spmv", "--app", "train=8", "--app", "scan"];
    let output = init(folder.path(), &args, "");
    insta::assert_snapshot!("next", stdout(&output));
    insta::assert_snapshot!("graviton3", read(folder.path(), "study.toml"));
    assert_eq!(is_accepted(folder.path(), "study.toml"), "");
}

#[test]
fn every_machine_of_the_catalogue_makes_a_study_that_is_accepted() {
    let folder = folder();
    let list =
        stdout(&numasim().args(["catalog", "machines", "--format", "csv"]).output().expect("it starts"));
    let mut names: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    names.dedup();
    assert!(names.len() >= 28, "{names:?}");
    for name in names {
        stdout(&init(folder.path(), &["--machine", name, "--force"], ""));
        is_accepted(folder.path(), "study.toml");
    }
}

#[test]
fn a_study_of_this_host_lists_its_assumptions() {
    let folder = folder();
    let output = init(folder.path(), &["--from-host", "new/folder"], "");
    stdout(&output);
    let warning = stderr(&output);
    assert!(warning.contains("are assumed, not those of this host"), "{warning}");
    let text = read(folder.path(), "new/folder/study.toml");
    for line in ["gflops_per_core = { kind = \"assumed\"", "numasim calibrate"] {
        assert!(text.contains(line), "{text}");
    }
    is_accepted(folder.path(), "new/folder/study.toml");
}

#[test]
fn questions_go_to_standard_error() {
    let folder = folder();
    let answers = "@opteron-8\n@opteron-8n\nsolver\nspmv\nindex\n0\n0.09\n\n";
    let output = init(folder.path(), &["-o", "mine.toml"], answers);
    stdout(&output);
    insta::assert_snapshot!("asked", stderr(&output));
    let text = read(folder.path(), "mine.toml");
    assert!(text.contains("name = \"index\"\narithmetic_intensity = 0.09 "), "{text}");
    is_accepted(folder.path(), "mine.toml");
}

#[test]
fn all_values_in_brackets_can_be_accepted() {
    let folder = folder();
    // This host has one node or several: the question about links appears in both cases.
    let output = init(folder.path(), &[], "\n\n\n\n\n\n\n");
    stdout(&output);
    let text = read(folder.path(), "study.toml");
    assert!(text.contains("name = \"solver\""), "{text}");
    is_accepted(folder.path(), "study.toml");
}

#[test]
fn answers_that_end_early_leave_no_file() {
    let folder = folder();
    for answers in ["", "@opteron-8n\n", "@opteron-8n\nsolver\n"] {
        let output = init(folder.path(), &["new"], answers);
        assert_eq!(output.status.code(), Some(1), "{answers:?}");
        assert!(stderr(&output).contains("nothing was written"), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0, "{answers:?}");
    }
}

#[test]
fn only_force_replaces_a_file() {
    let folder = folder();
    fs::write(folder.path().join("study.toml"), "mine").expect("a file for the test");
    let args = ["--machine", "@graviton3"];
    let output = init(folder.path(), &args, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("study.toml is there already\nhint: --force replaces it"),
        "{}",
        stderr(&output)
    );
    assert_eq!(read(folder.path(), "study.toml"), "mine");
    stdout(&init(folder.path(), &[&args[..], &["--force"]].concat(), ""));
    assert!(read(folder.path(), "study.toml").contains("AWS Graviton3"));
}

#[test]
fn mistakes_are_reported_before_anything_is_written() {
    let folder = folder();
    for (args, message) in [
        (&["--machine", "@graviton5"][..], "did you mean @graviton2"),
        (&["--machine", "none.toml"], "none.toml does not exist"),
        (&["--machine", "@hpc-node"], "[machine]"),
        (&["--machine", "@graviton3", "--app", "a=spnv"], "did you mean 'spmv'?"),
        (&["--machine", "@graviton3", "--app", "a=1", "--app", "a=2"], "study.toml:"),
    ] {
        let output = init(folder.path(), args, "");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0, "{args:?}");
    }
}

#[test]
fn a_study_may_go_to_standard_output() {
    let folder = folder();
    let text = stdout(&init(folder.path(), &["--machine", "@graviton3", "-o", "-"], ""));
    assert!(text.starts_with("# A study, written by numasim init."), "{text}");
    assert!(!text.contains("Wrote"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn an_application_that_is_only_like_a_template_does_not_have_all_its_data_on_one_node() {
    let folder = folder();
    let args = ["--machine", "@graviton3", "--app", "postgres=scan", "--app", "spark=scan", "-o", "-"];
    let text = stdout(&init(folder.path(), &args, ""));
    let assumed = "data = \"interleave\"  # assumed; on one node, as scan of @data-center has it: data = { home = \"any\" }\n";
    assert_eq!(text.matches(assumed).count(), 2, "{text}");
    // The scenario contains them if the files do.
    assert!(text.ends_with("threads = { postgres = 32, spark = 32 }\n"), "{text}");
    // The application is unchanged from the catalogue, with a remark.
    let text = stdout(&init(folder.path(), &["--machine", "@graviton3", "--app", "scan", "-o", "-"], ""));
    assert!(
        text.contains("data = { home = \"any\" }  # on one node, as scan of @data-center has it; "),
        "{text}"
    );
}
