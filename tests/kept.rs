//! Files of users: no command replaces its inputs, and folders are written completely or not at all.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::common::{config_path, folder, numasim, repository, run, stderr};

mod killed;
mod limits;
mod whole;

/// Files and folders in `from`, copied.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the test");
    for entry in fs::read_dir(from).expect("a folder of the repository") {
        let entry = entry.expect("an entry");
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("a file for the test");
        }
    }
}

/// Names and contents of the files below a folder, sorted.
pub(crate) fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            all.push((path.display().to_string(), fs::read(&path).expect("a file")));
        }
    }
    all.sort();
    all
}

fn in_folder(folder: &Path, args: &[&str]) -> Output {
    numasim().current_dir(folder).args(args).output().expect("the program starts")
}

/// A run, a graph, a profile, a plan, a sweep in shards, a folder for a page, and single files: everything that
/// commands read.
fn everything() -> tempfile::TempDir {
    let folder = folder();
    let at = folder.path();
    copy(&repository("results/2026-11-23-2-core-vm-run"), &at.join("run"));
    copy(&repository("results/paper-table-iii"), &at.join("page"));
    fs::write(at.join("machine.toml"), whole::MACHINE).expect("a file for the test");
    fs::write(at.join("stencil.toml"), whole::stencil(2)).expect("a file for the test");
    fs::copy(config_path("paper/table-iii.toml"), at.join("study.toml")).expect("a file for the test");
    for made in [
        "tasks stencil.toml --emit-graph graph",
        "profile stencil.toml -o profile",
        "plan profile -o plan",
        "sweep study.toml --set machine.link_gbs=1..2:1 --submit slurm --shards 2 --folder sweep --dry-run",
    ] {
        let made = in_folder(at, &made.split(' ').collect::<Vec<_>>());
        assert!(made.status.success(), "{}", stderr(&made));
    }
    folder
}

#[test]
fn no_output_replaces_a_file_of_a_folder_that_is_read() {
    let folder = everything();
    let at = folder.path();
    let before = content(at);
    let cases = [
        ("simulate run/study.toml --compare run/lead-1", "run/lead-1", &["-o", "--timeline", "--trace"][..]),
        ("tasks machine.toml --graph graph", "graph", &["-o", "--trace"]),
        ("tasks stencil.toml --scheduler plan --plan plan", "plan", &["-o", "--trace"]),
        ("report page", "page", &["-o"]),
        ("sweep --collect sweep", "sweep", &["-o"]),
    ];
    for (command, read, outputs) in cases {
        for entry in fs::read_dir(at.join(read)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            for output in outputs {
                let path = format!("{read}/{name}");
                let args: Vec<&str> = command.split(' ').chain([*output, &path]).collect();
                let refused = in_folder(at, &args);
                let said = stderr(&refused);
                assert_eq!(refused.status.code(), Some(1), "{args:?}: {said}");
                assert!(
                    said.contains("a folder that this command reads")
                        || said.contains("is also an input file"),
                    "{args:?}: {said}"
                );
                assert!(said.contains(&format!("hint: give {output} ")), "{args:?}: {said}");
            }
        }
    }
    // Folders as outputs that contain the input files.
    for (args, name) in [
        ("plan machine.toml --graph graph -o graph", "graph/"),
        ("tasks machine.toml --graph graph --emit-graph graph", "graph/"),
    ] {
        let refused = in_folder(at, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(1), "{args}");
        assert!(stderr(&refused).contains(name), "{args}: {}", stderr(&refused));
    }
    assert!(content(at) == before, "a file was changed");
}

#[test]
fn a_new_timeline_is_not_written_where_the_next_comparison_would_read_it() {
    let folder = everything();
    let at = folder.path();
    fs::remove_file(at.join("run/lead-1/timeline.csv")).expect("removed");
    let args =
        ["simulate", "run/study.toml", "--compare", "run/lead-1", "--timeline", "run/lead-1/timeline.csv"];
    let refused = in_folder(at, &args);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(!at.join("run/lead-1/timeline.csv").exists());
    // Another new name is fine, and so is recreating a page.
    let args = ["simulate", "run/study.toml", "--compare", "run/lead-1", "-o", "run/lead-1/compared.txt"];
    let done = in_folder(at, &args);
    assert!(done.status.success(), "{}", stderr(&done));
    for _ in 0..2 {
        let done = in_folder(at, &["report", "page", "-o", "page/report.html"]);
        assert!(done.status.success(), "{}", stderr(&done));
    }
}

#[test]
fn an_input_is_recognised_by_every_name() {
    let folder = everything();
    let at = folder.path();
    fs::hard_link(at.join("study.toml"), at.join("second.toml")).expect("linked");
    fs::hard_link(at.join("run/lead-1/result.json"), at.join("second.json")).expect("linked");
    fs::hard_link(at.join("graph/edges.csv"), at.join("second.csv")).expect("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink("graph", at.join("link")).expect("linked");
    let before = content(at);
    let mut cases = vec![
        "evaluate study.toml -o second.toml",
        "evaluate study.toml --save page/../second.toml",
        "simulate run/study.toml --compare run/lead-1 -o second.json",
        "simulate run/study.toml --compare run/lead-1 --trace second.json",
        "tasks machine.toml --graph graph -o second.csv",
    ];
    if cfg!(unix) {
        cases.push("tasks machine.toml --graph graph -o link/tasks.csv");
        cases.push("tasks machine.toml --graph link -o graph/tasks.csv");
        cases.push("tasks machine.toml --graph link --emit-graph graph");
    }
    for args in cases {
        let refused = in_folder(at, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(1), "{args}: {}", stderr(&refused));
    }
    assert!(content(at) == before, "a file was changed");
}

#[cfg(unix)]
#[test]
fn files_behind_standard_input_and_output_are_recognised() {
    let folder = folder();
    let file = folder.path().join("study.toml");
    fs::copy(config_path("paper/table-iii.toml"), &file).expect("a file for the test");
    let before = fs::read(&file).expect("there");
    let stdin = fs::File::open(&file).expect("there");
    let refused =
        numasim().args(["evaluate", "-", "-o"]).arg(&file).stdin(stdin).output().expect("the program starts");
    assert!(stderr(&refused).contains("is also an input file"), "{}", stderr(&refused));
    // `numasim evaluate study.toml >> study.toml`
    let stdout = fs::OpenOptions::new().append(true).open(&file).expect("there");
    let refused = numasim().arg("evaluate").arg(&file).stdout(stdout).output().expect("the program starts");
    assert!(stderr(&refused).contains("which is also an input file"), "{}", stderr(&refused));
    assert_eq!(fs::read(&file).expect("there"), before);
}

#[test]
fn two_outputs_have_two_files() {
    let folder = everything();
    let at = folder.path();
    fs::create_dir(at.join("new")).expect("a folder for the test");
    for (args, said) in [
        (
            "explore study.toml --save new/x.svg --plot new/../new/x.svg",
            "--save and --plot name the same file",
        ),
        ("evaluate study.toml --save x -o x", "-o and --save name the same file"),
        ("simulate run/study.toml --timeline x --trace x", "--timeline and --trace name the same file"),
        (
            "fit study.toml --measured page/measured.csv --free machine.link_gbs --emit-machine x -o x",
            "-o and --emit-machine name",
        ),
        ("discriminate study.toml --emit-scenarios x -o x", "-o and --emit-scenarios name the same file"),
        (
            "tasks stencil.toml --emit-graph new -o new/tasks.csv",
            "new/tasks.csv is also written for another output",
        ),
        ("tasks stencil.toml --emit-graph x --trace x", "--trace and --emit-graph name the same file"),
        (
            "sweep study.toml --set machine.link_gbs=1,2 -o x.svg --plot x.svg",
            "-o and --plot name the same file",
        ),
    ] {
        let refused = in_folder(at, &args.split(' ').collect::<Vec<_>>());
        assert_eq!(refused.status.code(), Some(1), "{args}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(said), "{args}: {}", stderr(&refused));
    }
    assert_eq!(content(&at.join("new")).len(), 0);
    assert!(!at.join("x").exists() && !at.join("x.svg").exists());
}

#[test]
fn invalid_output_paths_are_refused_before_any_work() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("file"), "mine").expect("a file for the test");
    let study = config_path("paper/table-iii.toml");
    for path in ["file/x", "nowhere/x", ".", "file/"] {
        let refused = in_folder(at, &["evaluate", &study, "-o", path]);
        assert_eq!(refused.status.code(), Some(1), "{path}: {}", stderr(&refused));
        assert!(stderr(&refused).contains("cannot write to"), "{path}: {}", stderr(&refused));
    }
    for path in ["file", "file/below"] {
        let refused = in_folder(at, &["man", "--dir", path]);
        assert_eq!(refused.status.code(), Some(1), "{path}: {}", stderr(&refused));
    }
    assert_eq!(fs::read_to_string(at.join("file")).expect("there"), "mine");
    assert_eq!(content(at).len(), 1);
    assert!(run(&["man", "--dir", &at.join("new/man").display().to_string()]).status.success());
}
