//! `numasim plan` as a user and a script see it: a profile by hand, its plan, and refusals.

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
fn the_pattern_places_the_blocks() {
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
fn hints_are_required_only_if_the_pattern_uses_them() {
    let folder = folder();
    profile(folder.path(), Some(("ptrace-aff-dbs.csv", None)));
    stdout(&plan(folder.path(), &[]));
    let refused = plan(folder.path(), &["--pattern", "hints"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("ptrace-aff-dbs.csv cannot be read"), "{}", stderr(&refused));
}

#[test]
fn mistakes_have_file_line_and_column_and_nothing_is_written() {
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
fn an_incomplete_line_and_a_profile_as_output_are_refused() {
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

/// Two nodes with two cores, and a stencil with the given number of iterations on four strands.
fn stencil(iterations: u32) -> String {
    format!(
        "[machine]\nname = \"M2\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10.0\nbandwidth_gbs = 20.0\nlink_gbs = 5.0\n\
         [graph]\ngenerator = \"stencil2d\"\nn = 256\nrows = 2\ncolumns = 2\niterations = {iterations}\n"
    )
}

/// A profile of three iterations and its plan by hints, in `folder`.
fn profiled(folder: &Path) {
    let file = folder.join("small.toml");
    fs::write(&file, stencil(3)).expect("a file for the test");
    let [file, profile, plan] =
        [file, folder.join("profile"), folder.join("plan")].map(|path| path.display().to_string());
    stdout(&run(&["profile", &file, "-o", &profile]));
    stdout(&run(&["plan", &profile, "--pattern", "hints", "-o", &plan]));
}

fn tuned(folder: &Path, study: &str, more: &[&str]) -> Output {
    let file = folder.join("large.toml");
    fs::write(&file, study).expect("a file for the test");
    let file = file.display().to_string();
    run(&[&["tasks", &file, "--placement", "numa", "--format", "json"], more].concat())
}

#[test]
fn a_plan_by_hints_of_three_iterations_equals_the_hints_for_forty() {
    let folder = folder();
    profiled(folder.path());
    let plan = folder.path().join("plan").display().to_string();
    let told = stdout(&tuned(folder.path(), &stencil(40), &["--scheduler", "hint,plan", "--plan", &plan]));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let makespan = |run: usize| told["runs"][run]["makespan_s"].as_f64().expect("a number");
    assert!(makespan(0) > 0.0 && makespan(0) == makespan(1), "{told}");
    // The four important columns of the profile: 1 root and 4 strands, 3 times.
    let raw = fs::read_to_string(folder.path().join("profile/ptrace-raw.csv")).expect("written");
    assert_eq!(raw.lines().filter(|line| line.contains(";full;-;")).count(), 13);
    assert!(raw.starts_with("main/0;;0;normal;-;0\nmain/0;;0;full;-;0\n"), "{raw}");
}

#[test]
fn unused_missing_or_larger_plans_are_refused() {
    let folder = folder();
    profiled(folder.path());
    let plan = folder.path().join("plan").display().to_string();
    let one_node = stencil(3).replace("nodes = 2", "nodes = 1");
    let cases = [
        (stencil(3), vec!["--scheduler", "plan"], "the scheduler plan needs a plan"),
        (stencil(3), vec!["--scheduler", "hint", "--plan", &plan], "no scheduler goes by --plan"),
        (stencil(3), vec!["--scheduler", "plan", "--plan", "nowhere"], "plan-tree.csv cannot be read"),
        (one_node, vec!["--scheduler", "plan", "--plan", &plan], "the machine has 1 node with cores"),
    ];
    for (study, more, said) in cases {
        let refused = tuned(folder.path(), &study, &more);
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(stderr(&refused).contains(said), "{said}: {}", stderr(&refused));
    }
}

#[test]
fn a_broken_plan_is_shown_at_the_error_and_nothing_runs() {
    let cases = [
        ("plan-tree.csv", Some("0;main/0;0;1\n0;0;strand/9;7\n"), "plan-tree.csv:2:14"),
        ("plan-tree.csv", Some("0;main/0;0;2\n"), "plan-tree.csv:2:1"),
        ("plan-dbs.csv", Some("0;0;0\n0;0;1\n"), "plan-dbs.csv:2:3"),
        ("plan-dbs.csv", None, "plan-dbs.csv cannot be read"),
    ];
    let folder = folder();
    profiled(folder.path());
    let plan = folder.path().join("plan").display().to_string();
    for (file, text, said) in cases {
        let path = folder.path().join("plan").join(file);
        let good = fs::read(&path).expect("written");
        match text {
            Some(text) => fs::write(&path, text).expect("a file for the test"),
            None => fs::remove_file(&path).expect("it is there"),
        }
        let refused = tuned(folder.path(), &stencil(3), &["--scheduler", "plan", "--plan", &plan]);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0), "{said}");
        assert!(stderr(&refused).contains(said), "{said}: {}", stderr(&refused));
        fs::write(&path, good).expect("a file for the test");
    }
}

/// The root and four strands three times, each with its tile and halos: under a plan of another program all follow their
/// hints.
#[test]
fn under_a_plan_of_another_program_all_are_fallbacks() {
    let folder = folder();
    fs::write(folder.path().join("plan-tree.csv"), "0;other/0;1;0\n").expect("a file for the test");
    fs::write(folder.path().join("plan-dbs.csv"), "").expect("a file for the test");
    let plan = folder.path().display().to_string();
    let told = stdout(&tuned(folder.path(), &stencil(3), &["--scheduler", "hint,plan", "--plan", &plan]));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["runs"][1]["fallbacks"]["tasks"], 13, "{told}");
    assert_eq!(told["runs"][1]["fallbacks"]["blocks"], told["graph"]["blocks"], "{told}");
    assert_eq!(told["runs"][1]["makespan_s"], told["runs"][0]["makespan_s"], "{told}");
}

#[test]
fn only_programs_that_begin_with_one_task_are_profiled() {
    let folder = folder();
    let file = folder.path().join("study.toml");
    let two = stencil(1).split("[graph]").next().expect("a machine").to_owned()
        + "[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";
    fs::write(&file, two).expect("a file for the test");
    let to = folder.path().join("profile");
    let refused = run(&["profile", &file.display().to_string(), "-o", &to.display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("task `a` and task `b` have no `created_by`"), "{}", stderr(&refused));
    assert!(!to.exists());
}

#[test]
fn the_plan_of_a_graph_keeps_its_promise() {
    let folder = folder();
    let machine = stencil(1).split("[graph]").next().expect("a machine").to_owned();
    let (machine_file, file) = (folder.path().join("machine.toml"), folder.path().join("graph.toml"));
    fs::write(&machine_file, machine).expect("a file for the test");
    fs::write(&file, "[graph]\ngenerator = \"gauss-seidel\"\ngrid = 4\ntile = 64\niterations = 3\n")
        .expect("a file");
    let [machine, graph, to] =
        [machine_file, file, folder.path().join("by-hand")].map(|path| path.display().to_string());
    let promised = stdout(&run(&["plan", &machine, &graph, "-o", &to, "--format", "json"]));
    let promised: Value = serde_json::from_str(&promised).expect("JSON");
    let kept = stdout(&run(&["tasks", &machine, "--graph", &to, "--scheduler", "sa", "--format", "json"]));
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(promised["makespan_s"], kept["runs"][0]["makespan_s"]);
    let number = |key: &str| promised[key].as_f64().expect("a number");
    assert!(number("gain") >= 1.0 && number("gain") <= number("gain_at_most"), "{promised}");
    let toml: toml::Table =
        fs::read_to_string(Path::new(&to).join("plan.toml")).expect("written").parse().expect("TOML");
    assert_eq!(toml["task"].as_array().map(Vec::len), Some(65));
}
