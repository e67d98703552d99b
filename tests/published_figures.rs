//! Every number that the paper prints for its model, from the program as a user starts it.
//!
//! Paper: J. Dokulil, S. Benkner, "NUMA-aware CPU core allocation in cooperating dynamic applications", section III.

use crate::common::{config_path, run};

/// File of the folder `configs/paper`, scenario, GFLOPS as printed in the paper or before its rounding.
const FIGURES: [(&str, &str, f64, f64); 10] = [
    // The text and Tables I and II.
    ("uneven-even-nodes", "uneven 1,1,1,5", 254.0, 0.0),
    ("uneven-even-nodes", "even 2,2,2,2", 140.0, 0.0),
    ("uneven-even-nodes", "one app per node", 128.0, 0.0),
    // Figure 3 and the text, which prints 138.
    ("numa-bad", "even 2,2,2,2", 138.75, 0.0),
    ("numa-bad", "one app per node, data local", 150.0, 0.0),
    // Table III, two digits after the point; it cuts 18.125 and rounds 15.175.
    ("table-iii", "uneven 1,1,1,17", 23.20, 0.01),
    ("table-iii", "even 5,5,5,5", 18.12, 0.01),
    ("table-iii", "one app per node", 15.18, 0.01),
    ("table-iii-numa-bad", "NUMA-bad cross-node", 13.98, 0.01),
    ("table-iii-numa-bad", "NUMA-bad on-node", 15.18, 0.01),
];

fn evaluate(file: &str, more: &[&str]) -> String {
    let path = config_path(&format!("paper/{file}.toml"));
    let output = run(&[&["evaluate", &path], more].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{file} {more:?}: {errors}");
    assert_eq!(errors, "", "{file} {more:?} warns");
    String::from_utf8(output.stdout).expect("UTF-8 on standard output")
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn json_has_the_totals_of_the_paper() {
    for (file, scenario, printed, tolerance) in FIGURES {
        let text = evaluate(file, &["--scenario", scenario, "--format", "json"]);
        let document: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(document["scenarios"][0]["name"], scenario);
        let total = document["scenarios"][0]["total_gflops"].as_f64().expect("a number");
        assert!((total - printed).abs() <= tolerance + 1e-9, "{scenario}: {total} is not {printed}");
    }
}

#[test]
fn the_papers_literal_rule_has_the_totals_of_the_paper_too() {
    for (file, scenario, printed, tolerance) in FIGURES {
        let text = evaluate(file, &["--scenario", scenario, "--format", "json", "--model", "remote-first"]);
        let document: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        let total = document["scenarios"][0]["total_gflops"].as_f64().expect("a number");
        assert!((total - printed).abs() <= tolerance + 1e-9, "{scenario}: {total} is not {printed}");
    }
}

/// All numbers but one: with equal threads instead of remote first, node 0 of the NUMA-bad scenario gives each of its 14
/// readers 60/14 = 4.286 GB/s. 14 of them, 6 of intensity 0.5 and 8 of 1: 12.86 + 34.29; nodes 1 to 3 have 90 in all.
#[test]
fn max_min_has_the_totals_of_the_paper_without_priorities() {
    for (file, scenario, printed, tolerance) in FIGURES {
        let text = evaluate(file, &["--scenario", scenario, "--format", "json", "--model", "max-min"]);
        let document: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        let total = document["scenarios"][0]["total_gflops"].as_f64().expect("a number");
        let expected = if (file, scenario) == ("numa-bad", "even 2,2,2,2") { 960.0 / 7.0 } else { printed };
        assert!((total - expected).abs() <= tolerance + 1e-9, "{scenario}: {total} is not {expected}");
    }
}

#[test]
fn tables_show_the_totals_of_the_paper() {
    for (file, scenario, printed, tolerance) in FIGURES {
        let text = evaluate(file, &["--scenario", scenario]);
        let heading = text.lines().find(|line| line.contains(scenario)).expect("a heading");
        let before_unit = heading.split(" GFLOPS").next().expect("a unit");
        let shown: f64 = before_unit.rsplit(' ').next().expect("a total").parse().expect("a number");
        assert!((shown - printed).abs() <= tolerance + 1e-9, "{scenario}: {heading}");
    }
}

/// Titles and figures of Tables I and II as the paper prints them; `|` separates its two columns.
const TABLE_I: &str = "\
arithmetic intensity (AI) 0.5 | 10
number of instances 3 | 1
threads per NUMA node 1 | 5
peak memory bandwidth per thread (peak GFLOPS / AI) 10/0.5 = 20 | 10/10 = 1
peak memory bandwidth per instance (per-thread * #threads) 20 * 1 = 20 | 1 * 5 = 5
total memory bandwidth of all instances (per-instance * #instances) 20 * 3 = 60 | 5 * 1 = 5
total required bandwidth 60 + 5 = 65
baseline GB/s per thread (total GB/s / #cores) 32/8 = 4
allocated baseline per thread (min(peak, baseline)) min(20, 4) = 4 | min(1, 4) = 1
allocated node GB/s (Σ #apps * #threads * GB/s per thread) 3 * 1 * 4 + 1 * 5 * 1 = 17
remaining node GB/s 32 - 17 = 15
still required GB/s per thread (peak - allocated) 20 - 4 = 16 | 1 - 1 = 0
still required GB/s 3 * 1 * 16 + 1 * 5 * 0 = 48
remainder given to a thread (remaining node GB/s / unsatisfied threads) 15/(3 * 1) = 5
total allocated to each thread (baseline + split remainder) 4 + 5 = 9 | 1 + 0 = 1
GFLOPS per thread (allocated GB/s * AI) 9 * 0.5 = 4.5 | 1 * 10 = 10
GFLOPS per application (#threads * per-thread) 1 * 4.5 = 4.5 | 5 * 10 = 50
total GFLOPS per node 3 * 4.5 + 1 * 50 = 63.5
total GFLOPS 4 * 63.5 = 254";

const TABLE_II: &str = "\
arithmetic intensity (AI) 0.5 | 10
number of instances 3 | 1
threads per NUMA node 2 | 2
peak memory bandwidth per thread (peak GFLOPS / AI) 10/0.5 = 20 | 10/10 = 1
peak memory bandwidth per instance (per-thread * #threads) 20 * 2 = 40 | 1 * 2 = 2
total memory bandwidth of all instances (per-instance * #instances) 40 * 3 = 120 | 2 * 1 = 2
total required bandwidth 120 + 2 = 122
baseline GB/s per thread (total GB/s / #cores) 32/8 = 4
allocated baseline per thread (min(peak, baseline)) min(20, 4) = 4 | min(1, 4) = 1
allocated node GB/s (Σ #apps * #threads * GB/s per thread) 3 * 2 * 4 + 1 * 2 * 1 = 26
remaining node GB/s 32 - 26 = 6
still required GB/s per thread (peak - allocated) 20 - 4 = 16 | 1 - 1 = 0
still required GB/s 3 * 2 * 16 + 1 * 2 * 0 = 96
remainder given to a thread (remaining node GB/s / unsatisfied threads) 6/(3 * 2) = 1
total allocated to each thread (baseline + split remainder) 4 + 1 = 5 | 1 + 0 = 1
GFLOPS per thread (allocated GB/s * AI) 5 * 0.5 = 2.5 | 1 * 10 = 10
GFLOPS per application (#threads * per-thread) 2 * 2.5 = 5 | 2 * 10 = 20
total GFLOPS per node 3 * 5 + 1 * 20 = 35
total GFLOPS 4 * 35 = 140";

#[test]
fn explain_reproduces_tables_i_and_ii_row_by_row() {
    for (scenario, table) in [("uneven 1,1,1,5", TABLE_I), ("even 2,2,2,2", TABLE_II)] {
        // On paper the rows fold at 100 columns; in JSON there is room for their titles.
        let json = evaluate("uneven-even-nodes", &["--scenario", scenario, "--explain", "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let text = json["scenarios"][0]["explanation"].as_str().expect("the calculation");
        let words =
            |line: &str| line.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
        let shown: Vec<String> = text.lines().map(words).collect();
        let first =
            shown.iter().position(|line| line.starts_with("arithmetic intensity")).expect("the table");
        let rows: Vec<String> = table.lines().map(words).collect();
        assert_eq!(shown[first..first + rows.len()], rows, "{scenario}");
    }
}

#[test]
fn tables_look_like_this() {
    for file in ["uneven-even-nodes", "numa-bad", "table-iii", "table-iii-numa-bad"] {
        snapshot(file, &evaluate(file, &[]));
    }
    snapshot("numa-bad-in-colour", &evaluate("numa-bad", &["--color", "always"]));
}

#[test]
fn programs_read_this() {
    for file in ["uneven-even-nodes", "numa-bad"] {
        snapshot(&format!("{file}.json"), &evaluate(file, &["--format", "json"]));
        snapshot(&format!("{file}.csv"), &evaluate(file, &["--format", "csv"]));
    }
}
