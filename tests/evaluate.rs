//! `numasim evaluate` as a user sees it: selection of scenarios, refusals, warnings.

use std::process::Output;

use crate::common::{numasim, stderr, stdout, study};

const MACHINE: &str = "\
[machine]
name = \"test\"
nodes = 4
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 30.0
link_gbs = 30.0
[[app]]
name = \"mem\"
instances = 3
arithmetic_intensity = 0.5
[[app]]
name = \"bad app\"
arithmetic_intensity = 1
data = { home = \"any\" }
";

const LOCAL: &str = "\
[[scenario]]
name = \"without the bad one\"
threads = { mem = 2 }
";

const OPEN: &str = "\
[[scenario]]
name = \"open\"
threads = { mem = 1, \"bad app\" = 1 }
";

/// All data of `bad app` on node 1; its links carry all that node has.
const STARVED: &str = "\
[[scenario]]
name = \"starved\"
threads = { mem = 1, \"bad app\" = 5 }
data = { \"bad app\" = { home = 1 } }
";

fn evaluate(text: &str, more: &[&str]) -> Output {
    let (_folder, file) = study(text);
    numasim().arg("evaluate").arg(&file).args(more).output().expect("the program starts")
}

/// Exit code 1, nothing on standard output; returns standard error.
fn refusal(text: &str, more: &[&str]) -> String {
    let output = evaluate(text, more);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    stderr(&output)
}

#[test]
fn files_without_a_scenario_are_refused_with_a_working_example() {
    let said = refusal(MACHINE, &[]);
    assert!(said.contains("there is no [[scenario]] in the files"), "{said}");
    let from = said.find("[[scenario]]\n").expect("an example");
    let to = said.rfind("hint:").expect("a second hint");
    let output = evaluate(&format!("{MACHINE}{}", &said[from..to]), &[]);
    assert!(output.status.success(), "the example in the hint is refused: {output:?}");
}

#[test]
fn a_machine_alone_is_refused_without_a_broken_example() {
    let machine = MACHINE.split("[[app]]").next().expect("the machine");
    let said = refusal(machine, &[]);
    assert!(said.contains("there is no [[app]] and no [[scenario]] in the files"), "{said}");
    assert!(!said.contains("threads ="), "{said}");
}

#[test]
fn an_unknown_scenario_is_refused_with_the_nearest_name() {
    let said = refusal(&format!("{MACHINE}{LOCAL}"), &["--scenario", "without the bad"]);
    assert!(said.contains("there is no scenario 'without the bad'"), "{said}");
    assert!(said.contains("did you mean 'without the bad one'?"), "{said}");
}

#[test]
fn an_open_home_is_refused_and_the_override_in_the_hint_works() {
    let said = refusal(&format!("{MACHINE}{OPEN}"), &[]);
    assert!(said.contains("the home of the data of `bad app` is open"), "{said}");
    // The line of `data = { home = "any" }` in the file, and the scenario that needs the home.
    assert!(said.contains("study.toml:15:8\n") && said.contains("evaluated in this scenario"), "{said}");
    let hint = "data = { \"bad app\" = { home = 0 } }";
    assert!(said.contains(hint) && said.contains("numasim explore"), "{said}");
    assert!(evaluate(&format!("{MACHINE}{OPEN}{hint}\n"), &[]).status.success());
}

#[test]
fn an_open_home_without_threads_needs_no_decision() {
    let output = evaluate(&format!("{MACHINE}{LOCAL}"), &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("valid JSON");
    assert_eq!(document["scenarios"][0]["apps"][3]["home"], serde_json::Value::Null);
    // per node 6 threads of AI 0.5 share 30 GB/s: 15 GFLOPS
    assert_eq!(document["scenarios"][0]["total_gflops"], 60.0);
}

#[test]
fn starved_threads_cause_a_warning_on_standard_error_alone() {
    let output = evaluate(&format!("{MACHINE}{STARVED}"), &["--format", "json", "--model", "remote-first"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with("warning: scenario 'starved': remote reads starve the threads of node 1:"),
        "{said}"
    );
    assert!(
        said.contains("use the default model, baseline-proportional, which treats both equally."),
        "{said}"
    );
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("valid JSON");
    assert_eq!(document["scenarios"][0]["warnings"][0]["node"], 1);
}

#[test]
fn the_model_in_the_warning_starves_no_thread() {
    let text = format!("{MACHINE}{STARVED}");
    let output = evaluate(&text, &["--format", "json"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("valid JSON");
    // Three links and the local port are four equal parts of 30 GB/s; node 1's own threads want 3 x 20 + 5 x 10.
    let node = &document["scenarios"][0]["nodes"][1];
    let own = node["bandwidth_gbs"].as_f64().unwrap_or(0.0) - node["remote_gbs"].as_f64().unwrap_or(0.0);
    assert!((own - 7.5).abs() < 1e-9, "{own}");
}

#[test]
fn scenarios_follow_the_order_of_the_files_and_end_with_a_comparison() {
    let text = stdout(&evaluate(
        &format!("{MACHINE}{LOCAL}{STARVED}"),
        &["--scenario", "starved", "--scenario", "without the bad one", "--scenario", "starved"],
    ));
    assert_eq!(text.lines().filter(|line| line.starts_with("━━ ")).count(), 2, "two headings: {text}");
    assert!(text.find("━━ without the bad one") < text.find("━━ starved"), "{text}");
    let comparison: Vec<&str> = text.lines().rev().take(4).collect();
    assert!(comparison[3].starts_with("scenario"), "{text}");
}

#[test]
fn a_single_scenario_has_no_comparison() {
    let text = stdout(&evaluate(&format!("{MACHINE}{LOCAL}"), &[]));
    assert!(!text.contains("of best"), "{text}");
}

#[test]
fn json_contains_the_worked_calculation_on_request() {
    let output = evaluate(&format!("{MACHINE}{LOCAL}"), &["--format", "json", "--explain"]);
    let document: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("valid JSON");
    let explanation = document["scenarios"][0]["explanation"].as_str().expect("a text");
    assert!(explanation.contains("4 * 15 = 60"), "{explanation}");
}

/// A matrix on node 0 whose rows are distributed statically.
const STATIC: &str = "\
[[app]]
name = \"rows\"
arithmetic_intensity = 0.5
data = { home = 0 }
[[scenario]]
name = \"static\"
threads = { rows = [8, 2, 0, 0] }
static = true
";

#[test]
fn static_work_is_as_fast_as_its_slowest_thread() {
    // Two ports of 30 GB/s: 15 each. Node 0: 15 / 8 = 1.875 for each of 8 threads; node 1: 7.5 for each of 2. 10 x 1.875 x 0.5 = 9.375 GFLOPS, 18.75 GB/s.
    let text = format!("{MACHINE}{STATIC}");
    let json = |text: &str, more: &[&str]| -> serde_json::Value {
        let output = evaluate(text, &[&["--format", "json"], more].concat());
        serde_json::from_str(&stdout(&output)).expect("valid JSON")
    };
    let document = json(&text, &[]);
    let scenario = &document["scenarios"][0];
    assert_eq!((&scenario["static_work"], &scenario["total_gflops"]), (&true.into(), &9.375.into()));
    let rows = &scenario["apps"][4];
    assert_eq!(rows["slowest_node"], 0);
    assert_eq!(rows["bottleneck_per_node"][1], "slowest-thread");
    assert_eq!(scenario["nodes"][0]["bandwidth_gbs"], 18.75);
    // The same with the switch; without either, 30 x 0.5.
    let shared = text.replace("static = true", "static = false");
    assert_eq!(json(&shared, &["--static-work"]), document);
    let shared = &json(&shared, &[])["scenarios"][0];
    assert_eq!((&shared["total_gflops"], shared.get("static_work")), (&15.0.into(), None));

    let table = stdout(&evaluate(&text, &["--explain"]));
    assert!(table.contains("slowest thread (on node 0) on node"), "{table}");
    assert!(table.contains("rows: 10 threads * 0.9375 (a thread on node 0) = 9.375 GFLOPS"), "{table}");
    assert!(stdout(&evaluate(&text, &["--format", "csv"])).contains(",slowest-thread,"));
}

#[test]
fn copies_are_shown_in_gigabytes_per_second() {
    let machine = MACHINE.split("[[app]]").next().expect("a machine");
    let copy = "[[app]]\nname = \"copy\"\nkernel = \"memcpy\"\n[[scenario]]\nname = \"all\"\nthreads = { copy = 2 }\n\
                [[scenario]]\nname = \"one node\"\nthreads = { copy = [2, 0, 0, 0] }\n";
    let text = stdout(&evaluate(&format!("{machine}{copy}"), &[]));
    // 4 x 30.
    assert!(text.contains(" 120.0 GB/s "), "{text}");
    assert!(text.contains("scenario   GB/s  of best"), "{text}");
}

#[test]
fn an_unknown_model_is_a_wrong_command_line() {
    let output = evaluate(&format!("{MACHINE}{LOCAL}"), &["--model", "wishful"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("baseline-proportional"));
}

#[test]
fn explain_shows_what_threads_of_each_l3_domain_draw() {
    let text = "[machine]\nname = \"one\"\nnodes = 1\ncores_per_node = 8\ncores_per_l3 = 4\nl3_read_gbs = 50\ncore_bandwidth_gbs = 30\n\
        gflops_per_core = 1000\nbandwidth_gbs = 200\n[[app]]\nname = \"a\"\narithmetic_intensity = 1\n\
        [[scenario]]\nname = \"s\"\nthreads = { a = [[4, 1]] }\n";
    let table = stdout(&evaluate(text, &["--explain"]));
    assert!(table.contains("first each L3 domain splits l3_read_gbs among its threads"), "{table}");
    // Four threads of a full domain have 12.5 GB/s each, the one in the other all it wants.
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.contains("its own controller"))
        .map(|line| line.split_whitespace().rev().take(4).collect())
        .collect();
    assert_eq!(rows, [["12.50", "12.50", "30.00", "4"], ["30.00", "30.00", "30.00", "1"]], "{table}");
}
