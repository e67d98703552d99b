//! `numasim explore --sensitivity` as a user or a script sees it.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::common::{config, numasim, stdout, study};

/// The machine and the applications of the paper's first experiment.
const PAPER: &str = "\
[machine]
name = \"4 nodes x 8 cores\"
nodes = 4
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
link_gbs = 10.0
[[app]]
name = \"mem\"
instances = 3
arithmetic_intensity = 0.5
[[app]]
name = \"compute\"
arithmetic_intensity = 10.0
";

/// One node of 2 cores, no core idle: the application with the larger intensity takes both, each core with 4 GB/s.
const TWO_KINDS: &str = "\
[machine]
name = \"one node\"
nodes = 1
cores_per_node = 2
gflops_per_core = 10
bandwidth_gbs = 8
[[app]]
name = \"low\"
arithmetic_intensity = 1.0
min_threads = 0
[[app]]
name = \"high\"
arithmetic_intensity = 1.5
min_threads = 0
";

/// `numasim explore FILES --sensitivity ARGS`.
fn run(files: &[PathBuf], args: &[&str]) -> Output {
    let mut command = numasim();
    command.arg("explore").args(files).arg("--sensitivity").args(args);
    command.output().expect("the program starts")
}

fn run_text(text: &str, args: &[&str]) -> Output {
    let (_folder, file) = study(text);
    run(&[file], args)
}

/// The sum, whose gains are GFLOPS.
const SUM: &[&str] = &["--objective", "total-gflops"];

/// The part that `--sensitivity` adds to the table.
fn section(output: &Output) -> String {
    let text = stdout(output);
    let start = text.find("Gain from more of each resource").expect("the section");
    let text = &text[start..];
    let words = ["\nMore threads gain", "\nAlmost as good", "\nBest"];
    let end = words.iter().filter_map(|words| text.find(words)).min().expect("the answer in words");
    text[..end].to_owned()
}

fn json(text: &str, args: &[&str]) -> Value {
    let output = run_text(text, &[args, &["--format", "json"]].concat());
    serde_json::from_str(&stdout(&output)).expect("JSON alone on standard output")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

#[track_caller]
fn assert_close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() <= 1e-5 * expected.abs().max(1e-4), "{number} instead of {expected}");
}

#[test]
fn table_of_the_paper_s_machine() {
    insta::assert_snapshot!(section(&run_text(PAPER, &[SUM, &["--min-threads-per-node", "1"]].concat())));
}

#[test]
fn table_with_ends_of_ranges() {
    let files = [config("machines/xeon-gold-6138-4s.toml"), config("workloads/genomics.toml")];
    insta::assert_snapshot!(section(&run(&files, &["--objective", "geomean"])));
}

#[test]
#[ignore = "long: .ci/run runs it"]
fn table_of_different_nodes_that_read_each_other() {
    let files = [config("machines/xeon-gold-6140-2s.toml"), config("workloads/data-center.toml")];
    insta::assert_snapshot!(section(&run(&files, SUM)));
}

#[test]
fn the_json_has_gains_and_ranges_in_units() {
    let answer = json(TWO_KINDS, &[SUM, &["--no-idle-cores"]].concat());
    let found = &answer["sensitivity"];
    assert_eq!(found["complete"], true);
    assert_eq!(found["gain_unit"], "GFLOPS");
    assert!(found["better"].is_null());
    // 8 GB/s x 1.5 = 12 GFLOPS; 9 GB/s: 13.5. A third core gets no more bandwidth. Peaks are not reached.
    let widening = list(&found["widening"]);
    let of = |key: &str| widening.iter().find(|one| one["key"] == key).unwrap_or_else(|| panic!("{key}"));
    assert_close(&of("bandwidth_gbs")["gain"], 1.5);
    assert_eq!(of("bandwidth_gbs")["nodes"], serde_json::json!([0]));
    assert_eq!((&of("cores")["step"], &of("cores")["gain"]), (&"+1 core".into(), &0.0.into()));
    // `high` loses to `low` (AI 1) at AI 1: factor 2/3; there both threads are those of `low`.
    let high = list(&found["inputs"]).iter().find(|input| input["apps"][0] == "high").expect("the input");
    assert_eq!((&high["key"], &high["unit"]), (&"arithmetic_intensity".into(), &"FLOP/byte".into()));
    assert_close(&high["value"], 1.5);
    assert_close(&high["low"], 1.0);
    assert_close(&high["low_factor"], 1.0 / 1.5);
    assert_eq!(high["low_winner"]["apps"][0]["threads"], serde_json::json!([2]));
    assert!(high["high"].is_null() && high["high_winner"].is_null());
    for error in ["-0.2", "-0.1", "0.1", "0.2"] {
        assert_eq!(high["lost"][error], 0.0, "{error}");
    }
}

#[test]
fn without_the_switch_the_key_is_absent() {
    let (_folder, file) = study(TWO_KINDS);
    let mut command = numasim();
    let output =
        command.args(["explore", "--format", "json"]).arg(file).output().expect("the program starts");
    assert!(!stdout(&output).contains("sensitivity"));
}

#[test]
fn a_shorter_makespan_is_a_gain_in_seconds() {
    let text = TWO_KINDS.replace("min_threads = 0", "work_gflop = 40");
    let answer = json(&text, &["--objective", "makespan"]);
    // One thread each, 4 GB/s each: 4 and 6 GFLOPS, 10 s. With 9 GB/s `high` still wants no more than 6.67, `low` gets
    // 4.5: 40 / 4.5 = 8.889 s.
    assert_close(&answer["value"], 10.0);
    assert_eq!(answer["sensitivity"]["gain_unit"], "s");
    let memory = list(&answer["sensitivity"]["widening"]).iter().find(|one| one["key"] == "bandwidth_gbs");
    assert_close(&memory.expect("the controller")["gain"], 10.0 - 40.0 / 4.5);
    assert!(list(&answer["sensitivity"]["inputs"]).iter().any(|input| input["key"] == "work_gflop"));
}

#[test]
fn csv_has_one_row_for_each_resource_and_input() {
    let text = stdout(&run_text(TWO_KINDS, &[SUM, &["--no-idle-cores", "--format", "csv"]].concat()));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
    let rows: Vec<csv::StringRecord> =
        reader.records().map(|row| row.expect("as long as the header")).collect();
    let kinds: Vec<&str> = rows.iter().map(|row| &row[at("kind")]).collect();
    // controller, core, peak; two intensities, controller, peak
    assert_eq!(kinds, [vec!["widening"; 3], vec!["input"; 4]].concat());
    let high = rows.iter().find(|row| &row[at("figure")] == "AI of high").expect("the input");
    assert_eq!(&high[at("low_winner")], "low: 2; high: 0");
    let low: f64 = high[at("low")].parse().expect("a number");
    assert!((low - 1.0).abs() < 1e-5);
}

#[test]
fn a_script_does_not_contain_it() {
    let output = run_text(TWO_KINDS, &["--emit", "numactl"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_time_is_reported_not_hidden() {
    let output = run_text(PAPER, &["--time-limit", "0"]);
    let text = section(&output).replace('\n', " ");
    assert!(text.contains("24 resources are missing"), "{text}");
    assert!(text.contains("inputs are missing"), "{text}");
}

#[test]
fn the_number_of_threads_does_not_change_the_answer() {
    let files = [config("machines/opteron-8n.toml"), config("workloads/hpc-node.toml")];
    let with = |threads: &str| section(&run(&files, &[SUM, &["--threads", threads]].concat()));
    assert_eq!(with("1"), with("3"));
}

#[test]
fn the_time_limit_holds_for_the_search_and_the_analysis_together() {
    // 80 resources and a hundred inputs, each with a local search: half a minute without a limit.
    let machine = "[machine]\nname = \"m\"\nnodes = 8\ncores_per_node = 16\ngflops_per_core = 10.0\nbandwidth_gbs = 50.0\nlink_gbs = 7.0\n";
    let app = |app: u32| {
        let (intensity, data) =
            (0.03 + f64::from(app), if app.is_multiple_of(2) { "interleave" } else { "local" });
        format!("[[app]]\nname = \"a{app}\"\narithmetic_intensity = {intensity}\ndata = \"{data}\"\n")
    };
    let text = format!("{machine}{}", (0..100).map(app).collect::<Vec<_>>().concat());
    let text = section(&run_text(&text, &["--time-limit", "0.5"])).replace('\n', " ");
    assert!(text.contains("resources are missing") && text.contains("inputs are missing"), "{text}");
}
