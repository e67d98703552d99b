//! `numasim bench` as a person or a script meets it. What needs no host is tested in `crates/bench/src/session`, against
//! a runner with exact numbers.

#[cfg(feature = "hwloc")]
#[path = "bench/fitting.rs"]
mod fitting;
#[cfg(all(feature = "hwloc", unix))]
#[path = "bench/keeping.rs"]
mod keeping;
#[cfg(feature = "hwloc")]
#[path = "bench/running.rs"]
mod running;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file of the folder `configs`.
fn config(name: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("configs").join(name).display().to_string()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numasim"));
    command
        .arg("bench")
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("COLUMNS", "100")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn bench(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on standard error")
}

/// What is told where nothing can be measured.
#[track_caller]
fn refusal(folder: &Path, args: &[&str], code: i32) -> String {
    let output = bench(folder, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{}", stderr(&output));
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    stderr(&output)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// A folder that one test has, and with it the processors: two measurements at once would starve each other.
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
    static MEASURING: Mutex<()> = Mutex::new(());
    // A test that failed leaves nothing behind that another one could stumble over.
    let alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = folder();
    fs::write(folder.path().join("study.toml"), study).expect("a file for the test");
    Folder { folder, _alone: alone }
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn without_hwloc_one_line_says_how_to_get_it() {
    let folder = folder();
    let told = refusal(folder.path(), &[&config("paper/table-iii.toml")], 1);
    assert!(told.starts_with("error: bench needs hwloc: install libhwloc-dev"), "{told}");
    assert_eq!(told.lines().count(), 1);
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
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
