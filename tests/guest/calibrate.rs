//! `numasim calibrate` in the guest: every node and every ordered pair of nodes has a separate value.

use serde_json::{Value, json};

use super::results::{Guest, list};

fn positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|value| value > 0.0 && value.is_finite())
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn every_node_and_every_link_is_measured_also_to_memory_without_cores() {
    let guest = Guest::read("five");
    guest.done("calibrate");
    let machine = &guest.json("calibrate-check")["machine"];
    assert_eq!(
        list(machine, "nodes", "cpus"),
        [json!("0-1"), json!("2-3"), json!("4-5"), json!("6-7"), json!(null)]
    );
    for node in machine["nodes"].as_array().expect("nodes") {
        assert!(positive(&node["bandwidth_gbs"]), "{node}");
        let cores = node["node"] != 4;
        assert_eq!(
            (positive(&node["gflops_per_core"]), positive(&node["core_bandwidth_gbs"])),
            (cores, cores),
            "{node}"
        );
    }
    // From each of four nodes to each of the four others; none from the node without cores.
    let links = machine["links"].as_array().expect("links");
    let expected: Vec<(u64, u64)> =
        (0..4).flat_map(|from| (0..5).filter(move |&to| to != from).map(move |to| (from, to))).collect();
    let found: Vec<(u64, u64)> = links
        .iter()
        .map(|link| (link["from"].as_u64().expect("a node"), link["to"].as_u64().expect("a node")))
        .collect();
    assert_eq!(found, expected);
    assert!(links.iter().all(|link| positive(&link["bandwidth_gbs"])), "{links:?}");
    for figure in ["gflops_per_core", "core_bandwidth_gbs", "bandwidth_matrix_gbs"] {
        let known = &machine["provenance"][figure];
        assert_eq!(known["kind"], "measured", "{figure}");
        assert!(known["uncertainty_percent"].as_f64() >= Some(0.0), "{figure}: {known}");
    }
    // The warnings about such a machine are in the file.
    let file = guest.done("calibrate-file");
    for doubt in ["numa-balancing", "virtual-machine", "few-repetitions"] {
        assert!(file.contains(&format!("\n# doubt: {doubt}: ")), "{doubt}: {file}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn the_calibrated_file_is_complete_for_the_papers_placements() {
    let evaluated = Guest::read("five").json("calibrate-evaluate");
    let scenarios = evaluated["scenarios"].as_array().expect("scenarios");
    assert_eq!(scenarios.len(), 4);
    assert!(scenarios.iter().all(|scenario| positive(&scenario["total_gflops"])), "{evaluated}");
}
