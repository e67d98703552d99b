//! Every kind of mistake in an input file: exit code 1, nothing on standard output, and a message that says what is
//! wrong, where, and what to write instead.
//!
//! Each file of `tests/broken` has the mistake it is named after; a folder there is one study of several files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{PROGRAM, repository, stderr};

fn check(folder: &Path, files: &[String]) -> Output {
    // A minute of processor time is a defect on every machine, however busy it is.
    Command::new("sh")
        .args(["-c", "ulimit -t 60; exec \"$@\"", "sh", PROGRAM, "check"])
        .args(files)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the program starts")
}

/// What is told about wrong files.
fn refusal(folder: &Path, files: &[String]) -> String {
    let output = check(folder, files);
    assert_eq!(output.status.code(), Some(1), "{files:?}");
    assert!(output.stdout.is_empty(), "{files:?} printed a result");
    stderr(&output)
}

/// The studies in `tests/broken`: a name and its files.
fn studies() -> Vec<(String, Vec<String>)> {
    let folder = folder();
    let mut studies: Vec<(String, Vec<String>)> = names(&folder)
        .into_iter()
        .map(|name| {
            let path = folder.join(&name);
            let files = if path.is_dir() {
                names(&path).into_iter().map(|file| format!("{name}/{file}")).collect()
            } else {
                vec![name.clone()]
            };
            (name.trim_end_matches(".toml").to_owned(), files)
        })
        .collect();
    studies.sort();
    studies
}

fn folder() -> PathBuf {
    repository("tests/broken")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder of broken files");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_mistake_is_shown_with_its_place_and_a_remedy() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/broken");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    let studies = studies();
    assert!(studies.len() > 100, "the files of tests/broken are missing");
    for (name, files) in studies {
        insta::assert_snapshot!(name, refusal(&folder(), &files));
    }
}

#[test]
fn absurd_input_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let brackets = |name: &str, count: usize| {
        fs::write(folder.path().join(name), "[".repeat(count)).expect("a file for the test");
    };
    brackets("ten-million.toml", 10_000_000);
    brackets("eight-million.toml", 8_000_000);
    fs::write(folder.path().join("value.toml"), format!("a = {}", "[{a=".repeat(500_000))).expect("a file");
    for (name, expected) in [
        ("ten-million.toml", "is too large: more than 8 MiB"),
        ("eight-million.toml", "the name of a table is missing"),
        ("value.toml", "nested too deeply"),
    ] {
        let message = refusal(folder.path(), &[name.to_owned()]);
        assert!(message.contains(expected), "{message}");
        assert!(message.len() < 2000, "{name}: {} bytes of message", message.len());
    }
}

#[test]
fn long_files_full_of_mistakes_or_tables_are_refused_with_a_place() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repeated = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text.repeat(400_001)).expect("a file for the test");
    };
    repeated("returns.toml", "\r");
    repeated("lines.toml", "=\n");
    repeated("commas.toml", "a=[,]\n");
    repeated("tables.toml", "[[app]]\n");
    for (name, expected) in [
        ("returns.toml", "--> returns.toml:1:1"),
        ("lines.toml", "--> lines.toml:1:1"),
        ("commas.toml", "--> commas.toml:1:4"),
        ("tables.toml", "--> tables.toml:400001:1"),
    ] {
        let message = refusal(folder.path(), &[name.to_owned()]);
        assert!(message.contains(expected), "{name}: {}", message.chars().take(1000).collect::<String>());
    }
}

#[test]
fn files_that_cannot_be_read_are_reported_together() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::create_dir(folder.path().join("configs")).expect("a folder for the test");
    let message = refusal(folder.path(), &["missing.toml".to_owned(), "configs".to_owned()]);
    assert!(message.contains("error: missing.toml does not exist"), "{message}");
    assert!(message.contains("error: configs is a directory"), "{message}");
    assert!(message.ends_with("error: 2 problems\n"), "{message}");
}
