//! The output of `numasim` inside the guests of `.ci/guest`: nodes, cores, masks, every page of a measurement, the effect of an
//! agent on threads, and the processors of programs under an emitted script.
//!
//! Ignored without `.ci/guest`, which boots the guests and puts the folder with their results into `NUMASIM_GUEST_LOGS`.
//! How a guest is made is in `tests/guest/`.

mod adopt;
mod bench;
mod calibrate;
mod domains;
mod emit;
mod preload;
mod results;
mod run;
mod snapshot;
mod threads;

use results::{Guest, list};
use serde_json::{Value, json};

/// Distances of `tests/guest/boot.sh` between the nodes with cores.
const DISTANCES: [[u64; 4]; 4] = [[10, 12, 21, 31], [12, 10, 31, 21], [21, 31, 10, 12], [31, 21, 12, 10]];

#[test]
#[ignore = "needs the results of .ci/guest"]
fn four_nodes_of_two_cores_have_distances_and_firmware_bandwidths() {
    let host = Guest::read("four").json("json");
    assert_eq!(list(&host, "nodes", "os_index"), [0, 1, 2, 3]);
    assert_eq!(list(&host, "nodes", "cores"), [2, 2, 2, 2]);
    assert_eq!(list(&host, "nodes", "cpus"), ["0-1", "2-3", "4-5", "6-7"]);
    assert_eq!(host["distances"], json!(DISTANCES));
    assert_eq!((&host["this_host"], &host["unusable"]), (&json!(true), &json!([])));
    for node in 0..4 {
        // 40960 MiB/s and 10 ns in boot.sh, for the node's local cores; values between nodes are not available.
        let expected = json!({ "seen_from_os_nodes": [node], "read_bandwidth_gbs": 42.949_672_96,
                               "write_bandwidth_gbs": 42.949_672_96, "read_latency_ns": 10, "write_latency_ns": 10 });
        assert_eq!(host["nodes"][node]["firmware"], expected);
        let bytes = host["nodes"][node]["memory_bytes"].as_f64().expect("known");
        // The kernel reserves a part of 1 GiB.
        assert!((0.85..=1.0).contains(&(bytes / 1_073_741_824.0)), "node {node}: {bytes}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_fifth_node_without_processors_is_memory_only() {
    let guest = Guest::read("five");
    let host = guest.json("json");
    assert_eq!(list(&host, "nodes", "os_index"), [0, 1, 2, 3, 4]);
    assert_eq!(list(&host, "nodes", "cores"), [2, 2, 2, 2, 0]);
    assert_eq!(host["nodes"][4]["cpus"], Value::Null);
    assert_eq!(host["nodes"][4]["unusable_cpus"], Value::Null);
    assert_eq!(host["distances"][4], json!([40, 40, 40, 40, 10]));
    // 2560 MiB/s from its nearest cores, those of node 0.
    assert_eq!(host["nodes"][4]["firmware"]["read_bandwidth_gbs"], json!(2.684_354_56));
    assert_eq!(host["nodes"][4]["firmware"]["seen_from_os_nodes"], json!([0]));
    let table = guest.step("table").out;
    let last = table.split("[[machine.node]]").last().expect("nodes");
    assert!(last.contains("\ncores = 0\ngflops_per_core = 0.0  # memory only"), "{table}");
    // Row of node 0: its own memory, and that of node 4.
    assert!(table.contains("#   [42.95, ?, ?, ?, 2.68],\n#   [?, 42.95, ?, ?, ?],"), "{table}");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_machine_with_one_node_is_also_found() {
    let host = Guest::read("one").json("json");
    assert_eq!(list(&host, "nodes", "cpus"), ["0-1"]);
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn the_printed_file_is_a_machine_after_filling_in_the_values() {
    for name in ["four", "five", "one"] {
        let guest = Guest::read(name);
        let skeleton = guest.step("check-skeleton");
        assert_eq!(skeleton.code, 1, "{name}: {}", skeleton.err);
        let errors: Vec<&str> = skeleton.err.lines().filter(|line| line.starts_with("error")).collect();
        let (last, errors) = errors.split_last().expect("something is missing");
        assert!(last.ends_with(" in 1 file"), "{name}: {last}");
        assert!(
            !errors.is_empty() && errors.iter().all(|line| line.contains("missing")),
            "{name}: {errors:?}"
        );
        guest.done("check-filled");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn evaluate_and_explore_accept_the_machine_and_put_no_thread_on_the_memory_only_node() {
    for (name, nodes, scenarios) in [("four", 4, 3), ("five", 5, 4)] {
        let guest = Guest::read(name);
        let evaluated = guest.json("evaluate");
        assert_eq!(evaluated["scenarios"].as_array().map(Vec::len), Some(scenarios));
        for scenario in evaluated["scenarios"].as_array().expect("scenarios") {
            assert!(scenario["total_gflops"].as_f64() > Some(0.0), "{name}: {scenario}");
        }
        let explored = guest.json("explore");
        assert_eq!(explored["status"], "optimal", "{name}");
        for app in explored["best"]["apps"].as_array().expect("applications") {
            let threads = app["threads"].as_array().expect("a list");
            assert_eq!(threads.len(), nodes);
            assert!(nodes == 4 || threads[4] == 0, "{name}: {app}");
        }
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_mask_without_the_processors_of_a_node_leaves_its_memory_and_reports_it() {
    for name in ["four", "five"] {
        let guest = Guest::read(name);
        let host = guest.json("masked");
        assert_eq!(list(&host, "nodes", "cores")[..4], [2, 2, 2, 0]);
        assert_eq!(host["nodes"][3]["unusable_cpus"], "6-7");
        assert_eq!(host["unusable"].as_array().map(Vec::len), Some(1));
        assert_eq!(
            (&host["unusable"][0]["cpus"], &host["unusable"][0]["why"]),
            (&json!("6-7"), &json!("not-in-mask"))
        );
        assert!(
            guest
                .step("masked")
                .err
                .starts_with("note: not used: processors 6-7: not in the CPU affinity mask")
        );
        let table = guest.done("masked-table");
        assert!(
            table.contains("\n# Not in this file: processors 6-7: not in the CPU affinity mask"),
            "{table}"
        );
        assert!(
            table.contains("gflops_per_core = 0.0  # memory only: its processors 6-7 cannot be used"),
            "{table}"
        );
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_cgroup_leaves_its_nodes_and_processors() {
    let host = Guest::read("four").json("in-cgroup");
    assert_eq!(list(&host, "nodes", "os_index"), [0, 1]);
    assert_eq!(list(&host, "nodes", "cpus"), ["0-1", "2-3"]);
    assert_eq!(list(&host, "unusable", "why"), ["not-in-cgroup", "not-in-cgroup"]);
    assert_eq!(host["unusable"][0]["cpus"], "4-7");
    assert_eq!(host["unusable"][1]["os_nodes"], json!([2, 3]));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn an_offline_processor_is_no_core() {
    let guest = Guest::read("four");
    let host = guest.json("offline");
    assert_eq!(list(&host, "nodes", "cpus"), ["0-1", "2-3", "4-5", "6"]);
    assert_eq!((&host["unusable"][0]["cpus"], &host["unusable"][0]["why"]), (&json!("7"), &json!("offline")));
    assert_eq!(guest.step("offline").err.trim_end(), "note: not used: processor 7: offline");
}
