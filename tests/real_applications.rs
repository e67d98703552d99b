//! Applications described by what people measure, as a person asks about them: rates, threads with limits, shares of writes, overheads.

use serde_json::Value;

use crate::common::{numasim, stderr, stdout, study};

const ONE_NODE: &str = "\
[machine]
name = \"1 node x 8 cores\"
nodes = 1
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
";

const SHARED: &str = "\
[[app]]
name = \"db\"
thread_gbs = 3.0
rate = { unit = \"queries/s\", per_gb = 100.0 }
[[app]]
name = \"reader\"
arithmetic_intensity = 0.5
[[scenario]]
name = \"half each\"
threads = { db = 4, reader = 4 }
";

/// Four nodes without a limit of memory, and an application that loses something on several of them.
fn overhead(keys: &str) -> String {
    format!(
        "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 8\ngflops_per_core = 10.0\nbandwidth_gbs = 1000.0\nlink_gbs = 1000.0\n\
         [[app]]\nname = \"a\"\narithmetic_intensity = 10.0\n{keys}\n"
    )
}

fn asked(command: &str, text: &str, more: &[&str]) -> Value {
    let (_folder, file) = study(text);
    let output = numasim().arg(command).arg(&file).args(more).args(["--format", "json"]).output();
    let output = output.expect("the program starts");
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
}

#[track_caller]
fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((value - expected).abs() <= 1e-4, "{value} is not {expected}");
}

#[test]
fn a_rate_stands_in_the_place_of_gflops() {
    // 4 + 4 of 32 GB/s: `db` has its 12 GB/s, 1200 queries/s, the reader the other 20, 10 GFLOPS.
    let document = asked("evaluate", &format!("{ONE_NODE}{SHARED}"), &[]);
    let scenario = &document["scenarios"][0];
    let (db, reader) = (&scenario["apps"][0], &scenario["apps"][1]);
    near(&db["rate"], 1200.0);
    near(&db["rate_per_node"][0], 1200.0);
    near(&db["bandwidth_gbs"], 12.0);
    assert_eq!((&db["rate_unit"], &db["gflops"]), (&Value::from("queries/s"), &Value::Null));
    assert_eq!(db["gflops_per_node"], Value::Null);
    near(&reader["gflops"], 10.0);
    assert_eq!(reader.get("rate"), None);
    near(&scenario["total_gflops"], 10.0);
}

#[test]
fn tables_and_csv_name_the_unit() {
    let (_folder, file) = study(&format!("{ONE_NODE}{SHARED}"));
    let text = |more: &[&str]| {
        stdout(&numasim().arg("evaluate").arg(&file).args(more).output().expect("the program starts"))
    };
    assert!(text(&[]).contains("1200.0 queries/s"), "{}", text(&[]));
    let csv = text(&["--format", "csv"]);
    let header = csv.lines().next().expect("a header");
    assert!(header.ends_with("scenario_total_gflops,rate,rate_unit"), "{header}");
    assert!(csv.lines().any(|line| line.ends_with(",10,1200,queries/s")), "{csv}");
}

#[test]
fn objectives_that_add_up_flop_name_those_that_do_not() {
    let (_folder, file) = study(&format!("{ONE_NODE}{SHARED}"));
    for objective in ["total-gflops", "makespan"] {
        let output = numasim().arg("explore").arg(&file).args(["--objective", objective]).output();
        let output = output.expect("the program starts");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        let said = stderr(&output);
        assert!(said.contains("db") && said.contains("--objective geomean"), "{said}");
    }
    let document = asked("explore", &format!("{ONE_NODE}{SHARED}"), &["--objective", "geomean"]);
    assert_eq!(document["status"], "optimal");
    near(&document["alone_gflops"]["db"], 2400.0);
}

#[test]
fn simulations_refuse_what_they_cannot_follow() {
    for (text, key) in [
        (format!("{ONE_NODE}{SHARED}"), "rate"),
        (overhead("node_overhead = 0.12\nwork_gflop = 10.0"), "node_overhead"),
    ] {
        let (_folder, file) = study(&text);
        let output = numasim().arg("simulate").arg(&file).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        assert!(said.contains(&format!("has `{key}`, which simulate does not support")), "{said}");
    }
}

#[test]
fn explore_stays_on_one_node_where_several_cost_something() {
    let of = |keys: &str| asked("explore", &overhead(keys), &["--objective", "geomean"]);
    // All nodes: 320 / 1.24, which is also what it has alone.
    let all = of("node_overhead = 0.12");
    near(&all["best"]["total_gflops"], 258.0645);
    near(&all["alone_gflops"]["a"], 258.0645);
    let threads = &of("node_overhead = 0.12\nmax_threads = 8")["best"]["apps"][0]["threads"];
    let used = threads.as_array().expect("a list").iter().filter(|one| **one != 0).count();
    assert_eq!(used, 1, "{threads}");
    // At 2.0 two nodes have 160 / 3.
    let alone = of("node_overhead = 2.0");
    near(&alone["alone_gflops"]["a"], 80.0);
    near(&alone["best"]["total_gflops"], 80.0);
}

#[test]
fn a_thread_that_draws_more_than_a_memory_is_doubted() {
    let fast = format!("{ONE_NODE}[[app]]\nname = \"a\"\narithmetic_intensity = 1\nthread_gbs = 300\n");
    let (_folder, file) = study(&fast);
    let output = numasim().arg("check").arg(&file).output().expect("the program starts");
    assert!(stderr(&output).contains("`thread_gbs` is 300 GB/s"), "{}", stderr(&output));
}
