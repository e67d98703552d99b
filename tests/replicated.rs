//! Replicated data through the whole program: hand tests E and L of the specification, and the commands that reject it.

use std::process::Output;

use serde_json::{Value, json};

use crate::common::{numasim, stderr, stdout, study};

/// Two nodes x 16 cores, a core 30 GB/s, L3 domains of 8 cores 50 GB/s, nodes 200 GB/s and 64 GiB; links of 20 GB/s. 2 + 2 threads on each node.
const NODES: &str = "\
[machine]
name = \"B twice\"
nodes = 2
cores_per_node = 16
gflops_per_core = 1000
bandwidth_gbs = 200
link_gbs = 20
core_bandwidth_gbs = 30
cores_per_l3 = 8
l3_read_gbs = 50
memory_gib = 64
cpus = [\"0-15\", \"16-31\"]
[[app]]
name = \"a\"
arithmetic_intensity = 1
work_gflop = 100
data = DATA
memory_gib = GIB
[[scenario]]
name = \"both\"
threads = { a = [[2, 2], [2, 2]] }
";

fn nodes(gib: u32, writes: &str) -> String {
    let app = format!("{gib}\n{writes}");
    NODES.replace("DATA", "\"replicated\"").replace("GIB", &app)
}

fn run(text: &str, args: &[&str]) -> Output {
    let (folder, file) = study(text);
    numasim().args(args).arg(file).current_dir(folder.path()).output().expect("the program starts")
}

fn document(text: &str, args: &[&str]) -> Value {
    let output = run(text, args);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("JSON")
}

#[track_caller]
fn assert_near(found: &Value, expected: f64) {
    let number = found.as_f64().expect("a number");
    assert!((number - expected).abs() < 1e-9 * expected, "{number} and not {expected}");
}

#[test]
fn writes_cost_a_link_and_the_memory_of_every_copy() {
    // Hand test L. Reads only: 50 GB/s in each of four domains. A quarter is written: 20 GB/s a thread, 5 of it also on the other node. A half: 4 threads
    // write 20 GB/s over the link.
    for (writes, gflops, node, remote) in [
        ("", 200.0, 100.0, 0.0),
        ("write_share = 0.25", 160.0, 100.0, 20.0),
        ("write_share = 0.5", 80.0, 60.0, 20.0),
    ] {
        for model in ["baseline-proportional", "max-min"] {
            let found = document(&nodes(40, writes), &["evaluate", "--model", model, "--format", "json"]);
            let scenario = &found["scenarios"][0];
            assert_near(&scenario["apps"][0]["gflops"], gflops);
            assert_near(&scenario["apps"][0]["bandwidth_gbs"], gflops);
            for of_node in scenario["nodes"].as_array().expect("nodes") {
                assert_near(&of_node["bandwidth_gbs"], node);
                let other = of_node["remote_gbs"].as_f64().expect("a number");
                assert!((other - remote).abs() < 1e-9, "{other}");
            }
        }
    }
}

#[test]
fn explore_stays_on_one_node_if_writes_cost_more_than_a_second_one_brings() {
    let found = document(
        &nodes(40, "write_share = 0.5"),
        &["explore", "--objective", "total-gflops", "--format", "json"],
    );
    assert_near(&found["value"], 100.0);
    assert_eq!((&found["status"], &found["bound"]), (&json!("optimal"), &found["value"]));
    let threads = &found["best"]["apps"][0]["threads"];
    assert!(*threads == json!([4, 0]) || *threads == json!([0, 4]), "{threads}");
    // F is those 100 GFLOPS as well.
    let fair =
        document(&nodes(40, "write_share = 0.5"), &["explore", "--objective", "fair", "--format", "json"]);
    assert_eq!((&fair["value"], &fair["status"]), (&json!(1.0), &json!("optimal")));
    let both = document(
        &nodes(40, "write_share = 0.25"),
        &["explore", "--objective", "total-gflops", "--format", "json"],
    );
    assert_near(&both["value"], 160.0);
    assert_eq!(both["status"], json!("optimal"));
}

#[test]
fn each_node_with_threads_needs_space_for_all_data() {
    // Hand test E: 80 GiB fit no node. Next to 30 GiB of `b`, which are local to its threads, 40 do not fit node 0.
    let output = run(&nodes(80, ""), &["evaluate"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("80 GiB") && message.contains("node 0") && message.contains("64 GiB"),
        "{message}"
    );
    let beside = nodes(40, "")
        + "[[app]]\nname = \"b\"\narithmetic_intensity = 1\nmemory_gib = 30\n[[scenario]]\nname = \"full\"\n\
           threads = { a = 1, b = [2, 0] }\n[[scenario]]\nname = \"fits\"\nthreads = { a = 1, b = [1, 1] }\n";
    let message = stderr(&run(&beside, &["evaluate", "--scenario", "full"]));
    assert!(
        message.contains("70 GiB") && message.contains("node 0") && message.contains("64 GiB"),
        "{message}"
    );
    assert!(run(&beside, &["evaluate", "--scenario", "fits"]).status.success());
}

#[test]
fn check_and_saved_files_contain_the_word() {
    let found = document(&nodes(40, ""), &["check", "--format", "json"]);
    assert!(found.to_string().contains("\"data\":\"replicated\""), "{found}");
    // A sweep and a scenario may also use it.
    let local = NODES.replace("DATA", "\"local\"").replace("GIB", "40\nwrite_share = 0.5");
    let output = run(&local, &["sweep", "--set", "app.a.data=local,replicated", "--format", "csv"]);
    let text = stdout(&output);
    let of = |word: &str| text.lines().find(|line| line.starts_with(word)).unwrap_or_default().to_owned();
    assert!(of("local").contains(",200,") && of("replicated").contains(",80,"), "{text}");
    let moved = local + "data = { a = \"replicated\" }\n";
    assert_near(&document(&moved, &["evaluate", "--format", "json"])["scenarios"][0]["total_gflops"], 80.0);
}

#[test]
fn commands_without_support_for_copies_reject_writes_by_name() {
    let written = nodes(40, "write_share = 0.5");
    for command in [&["simulate"][..], &["run", "-o", "out"], &["agent", "--socket", "a.sock"]] {
        let output = run(&written, command);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("replicated") && message.contains("'a'"), "{message}");
        assert!(message.contains("hint:"), "{message}");
    }
    // Copies that are only read are as fast as local data: one thread of 30 GB/s.
    assert!(run(&nodes(40, ""), &["simulate", "--format", "json"]).status.success());
}

#[test]
fn scripts_note_that_the_program_has_to_keep_the_copies() {
    let output = run(&nodes(40, "write_share = 0.25"), &["evaluate", "--emit", "numactl"]);
    let text = stdout(&output);
    assert!(text.contains("--localalloc") && text.contains("keep a copy on each"), "{text}");
}
