//! The program as a user or a script sees it: exit codes, output streams, help.

#[path = "command_line/widths.rs"]
mod widths;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::{folder, numasim, run, stderr, stdout};

/// `completions bash` stands for any command with a result: it needs no input file.
fn write_to(file: &Path) -> Output {
    numasim().args(["completions", "bash", "-o"]).arg(file).output().expect("the program starts")
}

fn completions() -> String {
    stdout(&run(&["completions", "bash"]))
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["-h"], &["--version"], &["help", "explore"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_wrong_command_line_exits_with_2_and_prints_nothing_on_standard_output() {
    for args in [
        &[][..],
        &["--no-such-switch"],
        &["no-such-command"],
        &["evaluate"],
        &["explore", "a.toml", "--objective", "speed"],
        &["explore", "a.toml", "--time-limit", "-1"],
        &["explore", "a.toml", "--time-limit", "inf"],
        &["explore", "a.toml", "--threads", "0"],
        &["evaluate", "a.toml", "--format", "xml"],
        &["sweep", "a.toml"],
        &["sweep", "a.toml", "--set", "machine.link_gbs=1", "--objective", "fair"],
        &["sweep", "a.toml", "--set", "machine.link_gbs=1", "--shard", "0/4"],
        &["sweep", "a.toml", "--set", "machine.link_gbs=1", "--resume"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn an_unknown_switch_gets_a_suggestion() {
    assert!(stderr(&run(&["explore", "a.toml", "--objectve", "fair"])).contains("'--objective'"));
}

#[test]
fn a_wrong_question_is_exit_code_1_with_a_hint() {
    let output = run(&["man", "explor"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: there is no command explor\nhint: "), "{}", stderr(&output));
}

#[test]
fn the_output_file_equals_standard_output() {
    let folder = folder();
    let file = folder.path().join("numasim.bash");
    let output = write_to(&file);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(fs::read_to_string(&file).expect("written"), completions());
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1, "a temporary file was left");
}

#[test]
fn dash_as_output_file_is_standard_output() {
    assert_eq!(stdout(&run(&["completions", "bash", "-o", "-"])), completions());
}

#[test]
fn an_output_file_in_a_directory_that_does_not_exist_is_exit_code_1() {
    let folder = folder();
    let output = write_to(&folder.path().join("no/such/file"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("hint: there is no directory"), "{}", stderr(&output));
}

#[test]
fn a_directory_as_output_file_is_exit_code_1() {
    let folder = folder();
    let output = write_to(folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot write to"), "{}", stderr(&output));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn an_output_file_keeps_its_permissions() {
        let folder = folder();
        let file = folder.path().join("old");
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
        assert_eq!(write_to(&file).status.code(), Some(0));
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&file).expect("there"), completions());
    }

    #[test]
    fn a_symbolic_link_is_not_followed_and_its_target_is_named() {
        let folder = folder();
        for (name, exists) in [("old", true), ("new", false)] {
            let (link, target) = (folder.path().join(format!("to-{name}")), folder.path().join(name));
            if exists {
                fs::write(&target, "old").expect("written");
            }
            symlink(name, &link).expect("linked");
            let output = write_to(&link);
            assert_eq!(output.status.code(), Some(1));
            let message = stderr(&output);
            assert!(message.contains("it is a symbolic link\nhint: name the file itself: "), "{message}");
            assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
            assert_eq!(fs::read_to_string(&target).ok().as_deref(), exists.then_some("old"));
        }
    }

    #[test]
    fn standard_output_by_name_is_written_to_even_if_it_is_a_file() {
        let folder = folder();
        let path = folder.path().join("out");
        let file = fs::File::create(&path).expect("a file for the test");
        let output = numasim().args(["completions", "bash", "-o", "/dev/stdout"]).stdout(file).status();
        assert_eq!(output.expect("the program starts").code(), Some(0));
        assert_eq!(fs::read_to_string(&path).expect("there"), completions());
    }

    #[test]
    fn a_named_pipe_is_written_to_and_remains_a_pipe() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).expect("readable")
        });
        assert_eq!(write_to(&pipe).status.code(), Some(0));
        assert_eq!(reader.join().expect("read"), completions());
        assert!(!fs::metadata(&pipe).expect("there").is_file());
    }

    #[test]
    fn the_null_device_swallows_the_output_and_remains_a_device() {
        assert_eq!(write_to(Path::new("/dev/null")).status.code(), Some(0));
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }

    #[test]
    fn a_closed_pipe_ends_the_program_quietly() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output =
            numasim().args(["completions", "zsh"]).stdout(writer).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(stderr(&output), "");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_and_exit_code_1() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output =
            numasim().args(["completions", "bash"]).stdout(full).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).starts_with("error: cannot write to standard output\ncaused by: "));
        assert_eq!(write_to(Path::new("/dev/full")).status.code(), Some(1));
        for asked in [&["--help"][..], &["-V"], &["help", "sweep"], &["explore", "-h"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
            let output = numasim().args(asked).stdout(full).output().expect("the program starts");
            assert_eq!(output.status.code(), Some(1), "{asked:?}");
            assert!(stderr(&output).starts_with("error: cannot write to standard output\ncaused by: "));
        }
    }
}

#[test]
fn errors_have_colours_only_on_request_or_on_a_terminal() {
    assert!(!stderr(&run(&["man", "x"])).contains('\u{1b}'));
    assert!(stderr(&run(&["man", "x", "--color", "always"])).contains('\u{1b}'));
    let output = numasim().args(["man", "x"]).env("NO_COLOR", "1").output().expect("the program starts");
    assert!(!stderr(&output).contains('\u{1b}'));
}

#[test]
fn every_shell_has_completions_for_explore() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&run(&["completions", shell]));
        assert!(script.contains("same-on-every-node"), "{shell}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder();
    let dir = folder.path().join("man1");
    let output = numasim().args(["man", "--dir"]).arg(&dir).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for page in
        ["numasim", "numasim-evaluate", "numasim-explore", "numasim-sweep", "numasim-check", "numasim-detect"]
    {
        let text = fs::read_to_string(dir.join(format!("{page}.1"))).expect("the page was written");
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(stdout(&run(&["man", "explore"])).contains("whole"));
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn detect_without_hwloc_explains_how_to_get_it() {
    let output = run(&["detect"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).starts_with("error: detect needs hwloc: install libhwloc-dev"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stderr(&output).lines().count(), 1);
}

#[cfg(feature = "hwloc")]
#[test]
fn detect_with_hwloc_writes_a_machine_of_this_host() {
    let output = run(&["detect", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let host: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(host["nodes"][0]["cores"].as_u64() > Some(0), "{host}");
    assert!(stdout(&run(&["detect"])).contains("[machine]\nname = "));
}

#[test]
fn help_texts() {
    let all = "evaluate explore sweep simulate models calibrate bench validate compare fit profile-app report plot check detect import export catalog init schema \
               completions man snapshot advise";
    for command in [""].into_iter().chain(all.split_whitespace()) {
        let args: Vec<_> = [command, "--help"].into_iter().filter(|arg| !arg.is_empty()).collect();
        let name = if command.is_empty() { "numasim" } else { command };
        insta::assert_snapshot!(format!("help_{name}"), stdout(&run(&args)));
    }
}
