//! The documented JSON, the CSV, and their destinations.

use serde_json::Value;

use super::{PAPER, assert_close, config, json_of, json_of_text, run, run_text, stderr, stdout};

/// One app, one node without cores, an interleaved and an open application.
const MIXED: &str = "\
[machine]
name = \"with CXL\"
bandwidth_matrix_gbs = [[40.0, 10.0, 8.0], [12.0, 40.0, 8.0], [1.0, 1.0, 20.0]]
[[machine.node]]
cores = 3
gflops_per_core = 5
[[machine.node]]
cores = 2
gflops_per_core = 4
[[machine.node]]
cores = 0
[[app]]
name = \"a\"
arithmetic_intensity = 0.5
work_gflop = 100
[[app]]
name = \"open\"
arithmetic_intensity = 1
data = { home = \"any\" }
work_gflop = 50
[[app]]
name = \"fixed\"
arithmetic_intensity = 2
data = { home = 1 }
work_gflop = 50
[[scenario]]
name = \"open home\"
threads = { a = [1, 1, 0], open = [1, 0, 0], fixed = [0, 1, 0] }
";

const OBJECTIVES: [&str; 4] = ["total-gflops", "fair", "geomean", "makespan"];

#[track_caller]
fn numbers(object: &Value, keys: &[&str]) {
    for key in keys {
        assert!(object[key].is_number(), "{key} is {}", object[key]);
    }
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list<'a>(object: &'a Value, key: &str) -> &'a Vec<Value> {
    object[key].as_array().unwrap_or_else(|| panic!("{key} is {}", object[key]))
}

/// Every key of a documented scenario object, of the documented type, on a machine with this many nodes.
fn check_scenario(scenario: &Value, nodes: usize, links: usize) {
    assert!(scenario["name"].is_string());
    numbers(scenario, &["total_gflops"]);
    let mut sum = 0.0;
    for app in list(scenario, "apps") {
        assert!(app["name"].is_string());
        numbers(app, &["gflops", "bandwidth_gbs"]);
        sum += number(&app["gflops"]);
        assert!(list(app, "threads").iter().all(Value::is_u64) && list(app, "threads").len() == nodes);
        let per_node: f64 = list(app, "gflops_per_node").iter().map(|g| number(g)).sum();
        assert_eq!(list(app, "gflops_per_node").len(), nodes);
        assert_close(&app["gflops"], per_node);
        assert!(app["home"].is_null() || app["home"].is_u64());
    }
    // for every objective and all weights: always the plain sum
    assert_close(&scenario["total_gflops"], sum);
    assert_eq!((list(scenario, "nodes").len(), list(scenario, "links").len()), (nodes, links));
    for (n, node) in list(scenario, "nodes").iter().enumerate() {
        assert_eq!(node["node"], n);
        numbers(node, &["capacity_gbs", "bandwidth_gbs", "remote_gbs"]);
        assert!(number(&node["bandwidth_gbs"]) <= number(&node["capacity_gbs"]) + 1e-9);
    }
    for link in list(scenario, "links") {
        assert!(link["from"].is_u64() && link["to"].is_u64() && link["from"] != link["to"]);
        numbers(link, &["capacity_gbs", "bandwidth_gbs"]);
    }
}

fn check_document(answer: &Value, objective: &str, nodes: usize, links: usize) {
    assert_eq!((&answer["schema"], &answer["command"]), (&1.into(), &"explore".into()));
    assert!(answer["machine"].is_string() && answer["cautions"].is_array());
    assert_eq!(
        (&answer["model"], &answer["objective"]),
        (&"baseline-proportional".into(), &objective.into())
    );
    numbers(answer, &["value", "bound", "gap", "elapsed_s"]);

    let (value, bound, gap) = (number(&answer["value"]), number(&answer["bound"]), number(&answer["gap"]));
    match answer["status"].as_str() {
        Some("optimal") => assert!(gap <= 1e-9 && answer["unproven"].is_null(), "{gap}"),
        Some("feasible") => assert!(answer["unproven"].is_string()),
        other => panic!("status {other:?}"),
    }
    let better = if objective == "makespan" { bound <= value } else { bound >= value };
    assert!(better || (value - bound).abs() <= 1e-9 * value.abs(), "bound {bound} of {value}");
    assert!((gap - ((bound - value) / bound).abs()).abs() <= 1e-12, "gap {gap}");
    let others = list(answer, "alternatives").iter().chain(list(answer, "baselines"));
    for scenario in others.chain(std::iter::once(&answer["best"])) {
        check_scenario(scenario, nodes, links);
    }
    assert_eq!(answer["best"]["value"], answer["value"]);
}

#[test]
fn every_documented_key_exists_for_every_objective() {
    for objective in OBJECTIVES {
        let answer = json_of_text(MIXED, &["--objective", objective]);
        // links: of each node with cores to each other node
        check_document(&answer, objective, 3, answer["best"]["links"].as_array().map_or(0, Vec::len));
        assert_eq!(answer["status"], "optimal");
        let names: Vec<&Value> = list(&answer, "baselines").iter().map(|b| &b["name"]).collect();
        // three applications, two nodes with cores: no allocation with one application per node
        assert_eq!(names, ["even", "open home"], "{objective}");
    }
}

#[test]
fn an_unproven_answer_has_a_reason_and_a_bound() {
    let files = [config("machines/opteron-8n.toml"), config("workloads/genomics.toml")];
    let answer = json_of(&files, &["--time-limit", "0.3", "--objective", "geomean"]);
    check_document(&answer, "geomean", 8, 56);
    if answer["status"] == "feasible" {
        assert_eq!(answer["unproven"], "time-limit");
    }
}

#[test]
fn an_open_home_in_a_baseline_takes_its_best_node() {
    let answer = json_of_text(MIXED, &[]);
    for baseline in list(&answer, "baselines") {
        let apps = list(baseline, "apps");
        assert!(apps[1]["home"].is_u64(), "{}", baseline["name"]);
        assert_eq!(apps[2]["home"], 1);
    }
    // one thread of `open` on node 0 wants 5 GB/s and gets them from node 0, not from the busy node 1
    let scenario = list(&answer, "baselines").last().expect("baselines");
    assert_close(&scenario["apps"][1]["gflops"], 5.0);
}

#[test]
fn baselines_are_even_one_app_per_node_and_the_scenarios() {
    let answer = json_of(&[config("paper/numa-bad.toml")], &[]);
    let figures: Vec<(&str, f64)> = list(&answer, "baselines")
        .iter()
        .map(|b| (b["name"].as_str().expect("a name"), number(&b["total_gflops"])))
        .collect();
    assert_eq!(
        figures,
        [
            ("even", 138.75),
            ("one app per node", 150.0),
            ("even 2,2,2,2", 138.75),
            ("one app per node, data local", 150.0)
        ]
    );
}

#[test]
fn a_scenario_equal_to_a_built_in_baseline_is_listed_once() {
    let answer = json_of(&[config("paper/uneven-even-nodes.toml")], &[]);
    let names: Vec<&Value> = list(&answer, "baselines").iter().map(|b| &b["name"]).collect();
    assert_eq!(names, ["even", "one app per node", "uneven 1,1,1,5", "even 2,2,2,2"]);
    // the same name, but a different placement: both
    let other = "[[scenario]]\nname = \"even\"\nthreads = { mem = 1 }\n";
    let answer = json_of_text(&format!("{PAPER}{other}"), &[]);
    let names: Vec<&Value> = list(&answer, "baselines").iter().map(|b| &b["name"]).collect();
    assert_eq!(names, ["even", "one app per node", "even"]);
}

#[test]
fn top_sets_the_number_of_alternatives() {
    for top in [0, 1, 5] {
        let answer = json_of_text(PAPER, &["--top", &top.to_string()]);
        assert_eq!(list(&answer, "alternatives").len(), top);
        for alternative in list(&answer, "alternatives") {
            assert!(alternative["value"].as_f64() <= answer["value"].as_f64());
            assert_ne!(alternative["apps"], answer["best"]["apps"]);
        }
    }
}

#[test]
fn csv_has_one_row_per_allocation_application_and_node() {
    let text = stdout(&run_text(PAPER, &["--objective", "total-gflops", "--format", "csv", "--top", "2"]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("role,objective,value,status,bound,"), "{}", lines[0]);
    // best, 2 alternatives, 2 baselines; 4 applications; 4 nodes
    assert_eq!(lines.len(), 1 + 5 * 4 * 4);
    let commas = |line: &str| line.matches(',').count();
    assert!(lines.iter().all(|line| commas(line) == commas(lines[0])));
    assert!(lines[1].starts_with("best,total-gflops,320,optimal,320,"), "{}", lines[1]);
}

#[test]
fn warnings_go_to_standard_error_alone() {
    let files = [config("machines/opteron-8n.toml"), config("workloads/paper-numa-bad.toml")];
    for format in ["table", "json", "csv"] {
        let output = run(&files, &["--format", format, "--model", "remote-first", "--no-idle-cores"]);
        assert!(stderr(&output).starts_with("warning: the best placement: remote reads"), "{format}");
        assert!(!stdout(&output).contains("warning:") && !stderr(&output).contains('\u{1b}'), "{format}");
    }
    assert_eq!(stderr(&run_text(PAPER, &[])), "");
}

#[test]
fn an_output_file_has_the_answer_and_is_untouched_without_one() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("best.csv");
    let name = file.to_str().expect("UTF-8");
    let output = run_text(PAPER, &["--format", "csv", "-o", name]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    let written = std::fs::read_to_string(&file).expect("written");
    assert_eq!(written, stdout(&run_text(PAPER, &["--format", "csv"])));
    let output = run_text(PAPER, &["--min-threads-per-node", "3", "-o", name]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), written);
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1, "a temporary file was left");
}

/// A memory of 30 GB/s next to the cores, and one of 10 over a link of 10; the application wants 4 x 20 GB/s.
const EXPANDER: &str = "\
[machine]
name = \"expander\"
bandwidth_matrix_gbs = [[30.0, 10.0], [1.0, 10.0]]
[[machine.node]]
cores = 4
gflops_per_core = 10
cpus = \"0-3\"
[[machine.node]]
cores = 0
[[app]]
name = \"scan\"
arithmetic_intensity = 0.5
data = DATA
[[scenario]]
name = \"by weight\"
threads = { scan = [4, 0] }
data = { scan = { fractions = [0.75, 0.25] } }
";

#[test]
fn chosen_fractions_are_data_in_json() {
    let explored = |data: &str, objective: &str| {
        json_of_text(&EXPANDER.replace("DATA", data), &["--objective", objective])
    };
    // 15 GFLOPS of 30 GB/s; spread evenly, both memories give 10 GB/s; 3/4 and 1/4 are 40 GB/s.
    for (data, gflops) in [("\"local\"", 15.0), ("\"interleave\"", 10.0), ("{ fractions = \"any\" }", 20.0)] {
        let found = explored(data, "total-gflops");
        assert_close(&found["value"], gflops);
        assert_eq!(found["status"], "optimal", "{data}");
    }
    let found = explored("{ fractions = \"any\" }", "total-gflops");
    let best = &found["best"]["apps"][0];
    assert_eq!(best["data"], serde_json::json!({ "fractions": [0.75, 0.25] }));
    assert_eq!(best["home"], Value::Null);
    // p is relative to the best fractions.
    let found = explored("{ fractions = \"any\" }", "geomean");
    assert_close(&found["value"], 1.0);
}
