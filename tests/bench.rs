//! `numasim bench` as a user or a script sees it. Tests that need no host are in `crates/measure/bench/src/session`, against a
//! runner with exact numbers.

#[cfg(feature = "hwloc")]
mod fitting;
#[cfg(all(feature = "hwloc", unix))]
#[path = "bench/keeping.rs"]
mod keeping;
#[cfg(feature = "hwloc")]
mod kernels;
#[cfg(feature = "hwloc")]
mod running;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::MutexGuard;

use crate::alone;
use crate::common::{config_path as config, folder, numasim, stderr};

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = numasim();
    command.arg("bench").args(args).current_dir(folder);
    command
}

fn bench(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the program starts")
}

/// The message if nothing can be measured.
#[track_caller]
fn refusal(folder: &Path, args: &[&str], code: i32) -> String {
    let output = bench(folder, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{}", stderr(&output));
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    stderr(&output)
}

/// A folder for one test, which also holds the lock on the processors.
struct Folder {
    folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Folder {
    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A folder with `study.toml`.
fn folder_with(study: &str) -> Folder {
    let alone = alone();
    let folder = folder();
    fs::write(folder.path().join("study.toml"), study).expect("a file for the test");
    Folder { folder, _alone: alone }
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn without_hwloc_one_line_explains_how_to_get_it() {
    let folder = folder();
    let message = refusal(folder.path(), &[&config("paper/table-iii.toml")], 1);
    assert!(message.starts_with("error: bench needs hwloc: install libhwloc-dev"), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn an_invalid_command_line_is_refused() {
    let folder = folder_with("");
    for args in [
        &["--repeat", "0"][..],
        &["--window", "0"],
        &["--window", "-1"],
        &["--warm-up", "x"],
        &["--isa", "sse"],
        &["--bind", "socket"],
        &["--memory-per-thread", "1"],
        &["--memory-per-thread", "16mib"],
        &["--resume"],
        &["--resume", "--dry-run", "-o", "r.csv"],
        &["--host-machine", "study.toml"],
        &["--format", "xml"],
    ] {
        refusal(folder.path(), &[&["study.toml"], args].concat(), 2);
    }
    refusal(folder.path(), &[], 2);
}
