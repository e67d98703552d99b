//! Nodes with cores and without memory (`memory_gib = 0`), from the file to the output of every command.

use serde_json::{Value, json};

use crate::common::{numasim, repository, stderr, stdout};

/// 2 nodes x 4 cores of 10 GFLOPS; node 0 has 64 GB/s, node 1 no memory and a link of 16 GB/s.
const STUDY: &str = "tests/memory/two-nodes.toml";

fn run(args: &[&str]) -> std::process::Output {
    numasim().args(args).current_dir(repository("")).output().expect("the program starts")
}

fn printed(args: &[&str]) -> String {
    stdout(&run(args))
}

fn document(args: &[&str]) -> Value {
    serde_json::from_str(&printed(&[args, &["--format", "json"]].concat())).expect("JSON")
}

#[test]
fn local_data_of_a_node_without_memory_comes_over_its_link() {
    let all = document(&["evaluate", STUDY]);
    // far: four threads on node 1 want 80 GB/s; the link lets 16 through, 8 GFLOPS.
    let far = &all["scenarios"][0];
    assert_eq!((&far["apps"][0]["gflops"], &far["apps"][0]["bandwidth_gbs"]), (&json!(8.0), &json!(16.0)));
    assert_eq!(far["nodes"][1]["capacity_gbs"], json!(0.0));
    assert_eq!(far["nodes"][1]["bandwidth_gbs"], json!(0.0));
    let links: Vec<_> =
        far["links"].as_array().expect("links").iter().map(|link| (&link["from"], &link["to"])).collect();
    assert_eq!(links, [(&json!(1), &json!(0))]);
    // both: the ports of memory 0 are filled evenly; the link has its 16 of 64, the own threads the other 48: 24 + 8 GFLOPS.
    assert_eq!(all["scenarios"][1]["total_gflops"], json!(32.0));
}

#[test]
fn explore_puts_the_memory_bound_application_next_to_the_memory() {
    // Two threads of mem have 20 of 64 GB/s each, all others compute: 8 cores x 10 GFLOPS.
    let found = document(&["explore", STUDY, "--objective", "total-gflops"]);
    assert_eq!((&found["status"], &found["value"]), (&json!("optimal"), &json!(80.0)));
    let threads = |app: usize, node: usize| found["best"]["apps"][app]["threads"][node].clone();
    assert_eq!((threads(0, 1), threads(1, 1)), (json!(0), json!(4)), "{found}");
    // Under the fair goal an open home goes to the only memory.
    let open =
        printed(&["explore", "tests/memory/open-home.toml", "--objective", "fair", "--format", "json"]);
    let open: Value = serde_json::from_str(&open).expect("JSON");
    assert_eq!((&open["best"]["apps"][0]["home"], &open["status"]), (&json!(0), &json!("optimal")));
}

#[test]
fn check_names_the_memory_of_such_a_node() {
    insta::assert_snapshot!("check_no_memory", printed(&["check", STUDY]));
    let read = document(&["check", STUDY]);
    assert_eq!(read["machine"]["nodes"][1]["local_memory"], json!(0));
    assert_eq!(read["machine"]["doubts"], json!([]));
}

#[test]
fn pictures_and_tables_show_no_memory() {
    insta::assert_snapshot!("evaluate_no_memory", printed(&["evaluate", STUDY, "--scenario", "far"]));
}

#[test]
fn emitted_commands_bind_memory_to_the_node_of_the_data() {
    for (kind, expected) in
        [("numactl", "--membind=0"), ("hwloc", "--membind node:0"), ("slurm", "mask_mem:0x1")]
    {
        let text = printed(&["evaluate", STUDY, "--scenario", "far", "--emit", kind]);
        assert!(text.contains(expected), "{kind}: {text}");
        assert!(!text.contains("membind=1") && !text.contains("node:1 "), "{kind}: {text}");
    }
    let text = printed(&["evaluate", STUDY, "--scenario", "far", "--emit", "cgroup"]);
    assert!(!text.contains("cpuset.mems\n1") && !text.contains("\"1\" > "), "{text}");
}

#[test]
fn sweeps_change_existing_values_and_put_no_data_on_such_a_node() {
    let swept = |set: &str| run(&["sweep", STUDY, "--scenario", "far", "--set", set]);
    assert!(stdout(&swept("machine.bandwidth_gbs=32,64")).contains("\n32,far,ok,48,8,40,"));
    for (set, said) in [
        ("app.mem.data=home:1", "node 1 has no memory"),
        ("machine.node.1.bandwidth_gbs=5", "node 1 has no memory"),
        ("machine.bandwidth_matrix_gbs.0.1=5", "node 1 has no memory"),
    ] {
        let output = swept(set);
        assert_eq!(output.status.code(), Some(1), "{set}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{set}: {}", stderr(&output));
    }
}

#[test]
fn work_on_such_a_node_is_limited_by_its_link() {
    // 80 GFLOP at 8 GFLOPS.
    let file = "tests/memory/over-time.toml";
    assert_eq!(document(&["simulate", file])["runs"][0]["makespan_s"], json!(10.0));
    for policy in ["fair-share", "marginal", "replan", "reexplore"] {
        let output = run(&["simulate", file, "--policy", policy]);
        assert_eq!(output.status.code(), Some(0), "{policy}: {}", stderr(&output));
    }
}

#[test]
fn blocks_that_such_a_node_touches_first_lie_on_the_nearest_memory() {
    // Two tasks on node 1, one after the other, with 640 MB each over the link of 16 GB/s: 2 x 40 ms and the overheads. Interleaved over all memories,
    // which is one, and where the master is, the same.
    let file = "tests/memory/tasks.toml";
    for placement in ["first-touch", "interleave", "master", "numa"] {
        let ran = document(&["tasks", file, "--scheduler", "sa", "--placement", placement]);
        let makespan = ran["runs"][0]["makespan_s"].as_f64().expect("a time");
        assert!((makespan - 0.08).abs() < 1e-4, "{placement}: {ran}");
    }
    for scheduler in
        ["fifo", "dep", "rip-dep", "rip-sp", "rip-mw", "heft", "tracked", "tbb", "tbb-numa", "random-steal"]
    {
        for placement in ["first-touch", "interleave", "numa"] {
            let output = run(&["tasks", file, "--scheduler", scheduler, "--placement", placement]);
            assert_eq!(output.status.code(), Some(0), "{scheduler} {placement}: {}", stderr(&output));
        }
    }
}

#[test]
fn every_other_command_accepts_such_a_machine() {
    for args in [
        &["explore", STUDY, "--sensitivity", "--time-limit", "5"][..],
        &["explore", STUDY, "--pareto", "total-gflops,fair"],
        &["explore", STUDY, "--objective", "fair"],
        &["evaluate", STUDY, "--explain"],
        &["evaluate", STUDY, "--format", "csv"],
        &["export", "hwloc", STUDY],
        &["discriminate", STUDY],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains("NaN") && !text.contains("inf "), "{args:?}: {text}");
    }
}
