//! L3 domains and hardware threads in the guest of 2 nodes with 2 domains of 2 cores with 2 threads: found, and programs in them.

use super::bench::rows;
use super::results::{Guest, list};
use serde_json::json;

#[test]
#[ignore = "needs the results of .ci/guest"]
fn l3_domains_and_hardware_threads_are_found_and_in_the_machine_file() {
    let guest = Guest::read("domains");
    let host = guest.json("domains-json");
    assert_eq!(list(&host, "nodes", "cores"), [4, 4]);
    assert_eq!(list(&host, "nodes", "cpus"), ["0,2,4,6", "8,10,12,14"]);
    assert_eq!(list(&host, "nodes", "second_cpus"), ["1,3,5,7", "9,11,13,15"]);
    for node in 0..2 {
        let domains = [2 * node, 2 * node + 1].map(|cache| json!({ "cache": cache, "cores": 2 }));
        assert_eq!(host["nodes"][node]["l3"], json!(domains));
    }
    let file = guest.done("domains-file");
    for line in ["threads_per_core = 2", "cores_per_l3 = 2"] {
        assert!(file.lines().any(|found| found == line), "{line}: {file}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn an_emitted_script_binds_to_the_cores_of_a_domain_and_to_both_threads_of_a_core() {
    let guest = Guest::read("domains");
    let apps = &guest.json("domains-evaluate")["scenarios"][0]["apps"];
    assert_eq!(apps[0]["threads_per_l3"], json!([[0, 2], [1, 0]]));
    assert_eq!((&apps[1]["threads_per_l3"], &apps[1]["cores"]), (&json!([[4, 0], [0, 2]]), &json!([2, 1])));
    guest.done("domains-run");
    // The second domain of node 0 has the processors 4 to 7, those of node 1 8 to 11 and 12 to 15.
    assert_eq!(guest.done("domains-one"), "4,6,8\n");
    assert_eq!(guest.done("domains-both"), "0-3,12-13\n");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn threads_of_a_measurement_are_in_their_domains() {
    let rows = rows(&Guest::read("domains"), "domains-bench");
    assert_eq!(rows.len(), 4, "two applications, measured twice");
    for row in rows {
        let (node, cpus) = if row["app"] == "packed" { ("0", "4,6") } else { ("1", "8,12") };
        assert_eq!((row["status"].as_str(), row["problem"].as_str()), ("ok", ""), "{row:?}");
        assert_eq!((row["node"].as_str(), row["cpus"].as_str()), (node, cpus), "{row:?}");
    }
}
