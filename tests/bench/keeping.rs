//! Files of users: inputs, results of older runs, links, and the remains of a killed run.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use super::running::{rows, run, small, wait_for_rows};
use super::{Path, bench, command, folder_with, fs, refusal, stderr};

/// Every file of a folder with its text.
fn everything(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("an entry"));
    let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), read(&entry.path()))).collect()
}

#[test]
fn an_input_is_never_replaced_by_a_file_next_to_the_result() {
    let folder = folder_with("");
    fs::remove_file(folder.path().join("study.toml")).expect("removed");
    fs::write(folder.path().join("r2.study.toml"), small()).expect("a file for the test");
    let message = refusal(folder.path(), &["r2.study.toml", "-o", "r2.csv"], 1);
    assert!(message.contains("r2.study.toml is also an input file"), "{message}");
    let left = everything(folder.path());
    assert_eq!(left, BTreeMap::from([("r2.study.toml".to_owned(), small())]));
}

#[test]
fn a_run_that_measures_nothing_leaves_everything_as_it_was() {
    let folder = folder_with(&small());
    for name in ["r3.provenance.json", "r3.study.toml"] {
        fs::write(folder.path().join(name), "of an older run").expect("a file for the test");
    }
    let before = everything(folder.path());
    // This exceeds the memory of every node.
    let args = ["study.toml", "-o", "r3.csv", "--memory-per-thread", "1000GiB"];
    let message = refusal(folder.path(), &args, 1);
    assert!(message.contains("of free memory"), "{message}");
    assert_eq!(everything(folder.path()), before);
}

#[test]
fn files_of_an_older_run_are_replaced_once_something_is_measured() {
    let folder = folder_with(&small());
    for name in ["r.provenance.json", "r.study.toml"] {
        fs::write(folder.path().join(name), "of an older run").expect("a file for the test");
    }
    assert_eq!(run(folder.path(), &["--repeat", "1", "-o", "r.csv"]).status.code(), Some(0));
    let left = everything(folder.path());
    let names: Vec<&str> = left.keys().map(String::as_str).collect();
    assert_eq!(names, ["r.csv", "r.provenance.json", "r.study.toml", "study.toml"]);
    assert!(left["r.provenance.json"].contains("\"schema\"") && left["r.study.toml"].contains("[machine]"));
}

#[test]
fn a_result_without_a_row_starts_over_and_one_with_pending_provenance_continues() {
    let folder = folder_with(&small());
    let path = |name: &str| folder.path().join(name);
    assert_eq!(run(folder.path(), &["--repeat", "1", "-o", "r.csv"]).status.code(), Some(0));
    let whole = fs::read_to_string(path("r.csv")).expect("the result");
    let header = whole.lines().next().expect("a header").to_owned() + "\n";

    // Killed between its first row and the renaming of its provenance; the provenance of an older run is next to it.
    let known = fs::read_to_string(path("r.provenance.json")).expect("beside it");
    fs::rename(path("r.provenance.json"), path("r.provenance.json.partial")).expect("renamed");
    let id = rows(&path("r.csv"))[0]["run"].clone();
    fs::write(path("r.provenance.json"), known.replace(&id, "0123456789abcdef"))
        .expect("a file for the test");
    let output = run(folder.path(), &["--repeat", "2", "-o", "r.csv", "--resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(fs::read_to_string(path("r.csv")).expect("the result").starts_with(&whole));
    assert!(fs::read_to_string(path("r.provenance.json")).expect("beside it").contains(&id));

    // Killed before its first row: another run starts in this file, regardless of its neighbours.
    for begun in ["", &header[..20], &header] {
        fs::write(path("r.csv"), begun).expect("a file for the test");
        let output = run(folder.path(), &["--repeat", "1", "-o", "r.csv", "--resume"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let found = rows(&path("r.csv"));
        assert!(found.len() == 2 && found[0]["run"] != id, "{found:?}");
        assert!(fs::read_to_string(path("r.provenance.json")).expect("beside it").contains(&found[0]["run"]));
    }
    assert_eq!(everything(folder.path()).len(), 4, "nothing else is left");
}

#[test]
fn the_second_of_two_runs_reports_that_the_first_has_the_file() {
    let folder = folder_with(&small());
    let args =
        ["study.toml", "--window", "0.05", "--warm-up", "0", "--memory-per-thread", "8MiB", "-o", "r.csv"];
    let mut first = command(folder.path(), &[&args[..], &["--repeat", "1000"]].concat())
        .spawn()
        .expect("the program starts");
    wait_for_rows(&folder.path().join("r.csv"), 1);
    for more in [&[][..], &["--resume"]] {
        let message = bench(folder.path(), &[&args[..], more].concat());
        assert_eq!(message.status.code(), Some(1));
        assert!(
            stderr(&message).contains("error: another numasim is writing r.csv\n"),
            "{}",
            stderr(&message)
        );
    }
    first.kill().and_then(|()| first.wait()).expect("killed");
}

#[test]
fn links_next_to_the_result_are_not_followed() {
    for name in ["r.csv", "r.provenance.json", "r.study.toml", "r.provenance.json.partial"] {
        let folder = folder_with(&small());
        fs::write(folder.path().join("victim"), "mine").expect("a file for the test");
        symlink("victim", folder.path().join(name)).expect("linked");
        for more in [&[][..], &["--resume"]] {
            let message = refusal(folder.path(), &[&["study.toml", "-o", "r.csv"], more].concat(), 1);
            assert!(
                message.contains(&format!("cannot write to {name}\ncaused by: it is a symbolic link")),
                "{message}"
            );
        }
        assert_eq!(fs::read_to_string(folder.path().join("victim")).expect("there"), "mine");
    }
}
