//! `numasim tasks` on nested tasks: scenarios, where workers find their tasks, co-runners, and files in both directions.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{config_path, folder, run, stderr, stdout};

/// The runs of a file of `configs/tasks`.
fn runs(file: &str, more: &[&str]) -> Vec<Value> {
    let file = config_path(&format!("tasks/{file}.toml"));
    let output = run(&[&["tasks", &file, "--format", "json"], more].concat());
    let found: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    found["runs"].as_array().expect("a list").clone()
}

fn words<'v>(runs: &'v [Value], key: &str) -> Vec<&'v str> {
    runs.iter().map(|run| run[key].as_str().expect("a word")).collect()
}

#[test]
fn a_scenario_is_a_scheduler_and_a_placement() {
    let found = runs("npb-cg", &["--scenario", "noap-ft,noap-intl,ap-intl,nacs-intl,nacs-nadd"]);
    assert_eq!(words(&found, "scenario"), ["noap-ft", "noap-intl", "ap-intl", "nacs-intl", "nacs-nadd"]);
    assert_eq!(words(&found, "scheduler"), ["tbb", "tbb", "tbb", "tbb-numa", "tbb-numa"]);
    assert_eq!(words(&found, "placement"), ["master", "interleave", "interleave", "interleave", "nadd"]);
    // The affinity partitioner has mailboxes from the second time on; without it `tbb` has none.
    let mailbox: Vec<bool> = found.iter().map(|run| run["mailbox"].as_u64() > Some(0)).collect();
    assert_eq!(mailbox, [false, false, true, true, true]);
    assert_eq!(runs("npb-cg", &[])[0]["scenario"], Value::Null);
}

/// Half of the 16 blocks of each array go to node 1, over a link of 5 GB/s and at 1 us for each of their pages. `a` has blocks of
/// 12 x 400000 / 16 = 300000 B, 74 pages; the four vectors have blocks of 8 x 16000 / 16 = 8000 B, 2 pages.
#[test]
fn moved_pages_take_time() {
    let found = runs("npb-cg", &["--scenario", "nacs-intl,nacs-nadd"]);
    let seconds: Vec<f64> = found.iter().map(|run| run["migration_s"].as_f64().expect("a number")).collect();
    let wanted = 8.0 * (300_000.0 / 5e9 + 74e-6) + 32.0 * (8000.0 / 5e9 + 2e-6);
    assert!(seconds[0] == 0.0 && (seconds[1] - wanted).abs() < 1e-12, "{seconds:?}, not {wanted}");
}

#[test]
fn a_scenario_replaces_scheduler_and_placement() {
    let file = config_path("tasks/npb-cg.toml");
    for other in [["--scheduler", "fifo"], ["--placement", "numa"]] {
        let output = run(&["tasks", &file, "--scenario", "noap-ft", other[0], other[1]]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
    }
}

#[test]
fn the_table_shows_by_scenario_where_workers_found_their_tasks() {
    let text =
        stdout(&run(&["tasks", &config_path("tasks/npb-cg.toml"), "--scenario", "noap-intl,nacs-nadd"]));
    for words in
        ["Pages:   by scenario", "noap-intl", "How workers came by their tasks:", "mailbox", "migration"]
    {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let plain = stdout(&run(&["tasks", &config_path("tasks/cholesky.toml")]));
    assert!(!plain.contains("How workers came by"), "{plain}");
}

/// The master hands `main` to worker 0. It returns the half of its node, and spawns the other one, which waits in the mailbox of node 1. The
/// end has affinity 1 and is created on node 0: it is enqueued.
#[test]
fn a_trace_shows_where_the_worker_found_a_task() {
    let folder = folder();
    let path = folder.path().join("trace.csv");
    stdout(&run(&["tasks", &config_path("tasks/tree.toml"), "--trace", path.to_str().expect("UTF-8")]));
    let text = fs::read_to_string(&path).expect("written");
    let mut rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    rows.sort_by_key(|row| row[2]);
    let told: Vec<(&str, &str)> = rows.iter().map(|row| (row[5], row[row.len() - 1])).collect();
    assert_eq!(told, [("0", "own"), ("0", "returned"), ("1", "mailbox"), ("1", "shared")]);
    let one = &runs("tree", &[])[0];
    let counts = ["steals", "mailbox", "shared", "revokes", "remote_tasks"].map(|key| one[key].as_u64());
    assert_eq!(counts, [0, 1, 1, 0, 0].map(Some));
}

/// Two schedulers share two workers of each of two nodes: one each.
#[test]
fn co_runners_share_workers_under_tbb_alone() {
    let found = runs("loops", &["--scheduler", "tbb-numa,fifo"]);
    assert_eq!(found[0]["dealt"], serde_json::json!([[1, 1], [1, 1]]));
    assert!(found[0]["contender_tasks"].as_u64() > Some(0), "{}", found[0]);
    assert_eq!((&found[1]["dealt"], &found[1]["contender_tasks"]), (&Value::Null, &Value::from(0)));
    assert_eq!(found[0]["fallbacks"], Value::Null);
}

#[test]
fn tasks_of_zero_time_are_drawn() {
    let folder = folder();
    let path = folder.path().join("chart.svg");
    stdout(&run(&["tasks", &config_path("tasks/npb-mg.toml"), "--gantt", path.to_str().expect("UTF-8")]));
    let svg = fs::read_to_string(&path).expect("written");
    assert!(svg.contains("node 1") && !svg.contains("NaN") && !svg.contains("\"inf"));
}

#[test]
fn tree_programs_read_back_unchanged() {
    let machine = config_path("tasks/machines/sandy-bridge-2s.toml");
    for name in ["tree", "seismic", "ferret", "loops"] {
        let folder = folder();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let file = config_path(&format!("tasks/{name}.toml"));
        stdout(&run(&["tasks", &file, "--emit-graph", &path("first"), "-o", &path("first.txt")]));
        stdout(&run(&["tasks", &machine, "--graph", &path("first"), "--emit-graph", &path("second")]));
        for file in ["blocks.csv", "tasks.csv", "edges.csv"] {
            let text = |of: &str| fs::read_to_string(Path::new(&path(of)).join(file)).expect("written");
            assert_eq!(text("first"), text("second"), "{name}: {file}");
            assert!(
                file == "edges.csv"
                    || text("first").lines().next().is_some_and(|line| line.contains("created_by"))
            );
        }
    }
}

#[test]
fn an_affinity_in_a_csv_is_a_node_with_cores() {
    let folder = folder();
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file for the test");
    write("blocks.csv", "id,bytes\n");
    write("tasks.csv", "id,gflop,accesses,affinity\n0,1,,1\n1,1,,2\n");
    let machine = config_path("tasks/machines/sandy-bridge-2s.toml");
    let output = run(&["tasks", &machine, "--graph", folder.path().to_str().expect("UTF-8")]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).contains("tasks.csv:3:6"), "{}", stderr(&output));
}
