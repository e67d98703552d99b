//! Shared code of all tests of the program: starting it, files of the repository, folders, and its output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_numasim");

/// The program as a script starts it, in a fixed environment: no input, no colours, 100 columns.
pub(crate) fn numasim() -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .stdin(Stdio::null())
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// The finished program with these arguments.
pub(crate) fn run(args: &[&str]) -> Output {
    numasim().args(args).output().expect("the program starts")
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A file of the folder `configs`.
pub(crate) fn config(name: &str) -> PathBuf {
    repository("configs").join(name)
}

/// A file of the folder `configs`, as an argument.
pub(crate) fn config_path(name: &str) -> String {
    config(name).display().to_string()
}

/// An empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// A file `study.toml` with this text, in a new folder.
pub(crate) fn study(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = folder();
    let file = folder.path().join("study.toml");
    fs::write(&file, text).expect("a file for the test");
    (folder, file)
}

/// Longer than any step takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until the condition holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The output of a successful run.
#[track_caller]
pub(crate) fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on standard output")
}

/// Messages, warnings and progress.
#[track_caller]
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}
