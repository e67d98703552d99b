//! Complete output as users see it.

use std::path::PathBuf;

use super::{config, run, run_text, stderr, stdout};

/// The text with the elapsed time taken out.
fn table(files: &[PathBuf], args: &[&str]) -> String {
    let output = run(files, args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    without_time(&stdout(&output))
}

/// `(0.01 s)` at the end of the verdict becomes `(TIME)`.
fn without_time(text: &str) -> String {
    let end = text.find(" s)\n").expect("the elapsed time");
    let start = text[..end].rfind('(').expect("the elapsed time");
    format!("{}(TIME){}", &text[..start], &text[end + 3..])
}

#[test]
fn scenarios_and_alternatives_of_the_paper_s_machine() {
    let args = ["--same-on-every-node", "--min-threads-per-node", "1"];
    insta::assert_snapshot!(table(&[config("paper/uneven-even-nodes.toml")], &args));
}

#[test]
fn a_memory_only_node_and_an_open_home() {
    let files = [config("machines/xeon-6787p-1s-snc2-cxl.toml"), config("workloads/paper-numa-bad.toml")];
    insta::assert_snapshot!(table(&files, &["--top", "2", "--model", "baseline-proportional"]));
}

#[test]
fn eight_nodes() {
    let files = [config("machines/opteron-8n.toml"), config("workloads/paper-mem-compute.toml")];
    insta::assert_snapshot!(table(&files, &["--objective", "total-gflops", "--top", "1"]));
}

#[test]
fn fair_with_a_baseline_that_breaks_a_restriction() {
    let args = ["--objective", "fair", "--same-on-every-node", "--min-threads-per-node", "1"];
    insta::assert_snapshot!(table(&[config("paper/table-iii.toml")], &args));
}

const ONE_CORE_MORE: &str = "\
[machine]
name = \"one node\"
nodes = 1
cores_per_node = 5
gflops_per_core = 10
bandwidth_gbs = 1000
[[app]]
name = \"long\"
arithmetic_intensity = 1
work_gflop = 400
[[app]]
name = \"short\"
arithmetic_intensity = 1
work_gflop = 100
";

#[test]
fn makespan_on_one_node() {
    let text = stdout(&run_text(ONE_CORE_MORE, &["--objective", "makespan"]));
    insta::assert_snapshot!(without_time(&text));
}
