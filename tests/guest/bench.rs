//! `numasim bench` in the guest: each page and each thread at the place of the scenario, and refusals with a reason.

use std::collections::BTreeMap;

use super::results::Guest;

type Row = BTreeMap<String, String>;

pub(super) fn rows(guest: &Guest, run: &str) -> Vec<Row> {
    guest.done(run);
    let text = guest.done(&format!("{run}-rows"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.expect("a row of strings")).collect()
}

/// Node, threads and data of each application in each scenario of `placements.toml`.
type Expected = (&'static str, &'static str, &'static [(u32, u32, &'static str)]);

const PLACEMENTS: [Expected; 6] = [
    ("NUMA-perfect", "mem", &[(0, 1, "0:100"), (1, 1, "1:100"), (2, 1, "2:100"), (3, 1, "3:100")]),
    ("NUMA-perfect", "bad", &[(0, 1, "0:100"), (1, 1, "1:100"), (2, 1, "2:100"), (3, 1, "3:100")]),
    ("NUMA-bad cross-node", "mem", &[(0, 1, "0:100"), (1, 1, "1:100"), (2, 1, "2:100"), (3, 1, "3:100")]),
    ("NUMA-bad cross-node", "bad", &[(0, 1, "0:100"), (1, 1, "0:100"), (2, 1, "0:100"), (3, 1, "0:100")]),
    ("NUMA-bad on-node", "mem", &[(1, 2, "1:100"), (2, 2, "2:100"), (3, 2, "3:100")]),
    ("NUMA-bad on-node", "bad", &[(0, 2, "0:100")]),
];

/// Only on the guest with a memory-only fifth node.
const FAR: [Expected; 2] = [
    (
        "data on the memory-only node",
        "mem",
        &[(0, 1, "0:100"), (1, 1, "1:100"), (2, 1, "2:100"), (3, 1, "3:100")],
    ),
    (
        "data on the memory-only node",
        "bad",
        &[(0, 1, "4:100"), (1, 1, "4:100"), (2, 1, "4:100"), (3, 1, "4:100")],
    ),
];

#[test]
#[ignore = "needs the results of .ci/guest"]
fn every_page_and_thread_of_the_papers_placements_is_in_place() {
    for (name, more) in [("four", &[][..]), ("five", &FAR[..])] {
        let guest = Guest::read(name);
        for run in ["bench-threads", "bench-processes", "bench-node"] {
            let rows = rows(&guest, run);
            let mut expected = 0;
            for (scenario, app, nodes) in PLACEMENTS.iter().chain(more) {
                for (node, threads, data) in *nodes {
                    for repetition in ["1", "2"] {
                        expected += 1;
                        let wanted = [
                            ("scenario", *scenario),
                            ("app", *app),
                            ("node", &node.to_string()),
                            ("repetition", repetition),
                        ];
                        let found: Vec<&Row> = rows
                            .iter()
                            .filter(|row| wanted.iter().all(|(key, value)| row[*key] == *value))
                            .collect();
                        let [row] = found.as_slice() else { panic!("{name}, {run}: {wanted:?}: {found:?}") };
                        judge(row, *node, *threads, data, run);
                    }
                }
            }
            assert_eq!(rows.len(), expected, "{name}, {run}: unrequested rows");
            let runs: std::collections::BTreeSet<&String> = rows.iter().map(|row| &row["run"]).collect();
            assert_eq!(runs.len(), 1, "{name}, {run}: {runs:?}");
        }
    }
}

fn judge(row: &Row, node: u32, threads: u32, data: &str, run: &str) {
    assert_eq!((row["status"].as_str(), row["problem"].as_str()), ("ok", ""), "{run}: {row:?}");
    assert_eq!(
        (row["threads"].as_str(), row["data"].as_str()),
        (threads.to_string().as_str(), data),
        "{row:?}"
    );
    assert_eq!(row["fitted"], "false", "{row:?}");
    // Node n has the processors 2n and 2n + 1.
    let cpus = numasim_model::cpus::CpuList::parse(&row["cpus"]).expect("processors");
    assert!(cpus.as_slice().iter().all(|cpu| cpu / 2 == node), "{row:?}");
    if run != "bench-node" {
        assert_eq!(cpus.as_slice().len(), threads as usize, "a core for each thread: {row:?}");
    }
    for counted in ["traffic_bytes", "work_flop"] {
        assert!(row[counted].parse::<f64>().is_ok_and(|count| count > 0.0), "{row:?}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn memory_that_would_spill_to_another_node_is_refused_with_node_and_bytes() {
    for name in ["four", "five"] {
        let guest = Guest::read(name);
        let refused = guest.step("bench-spill");
        assert_eq!(refused.code, 1, "{}{}", refused.out, refused.err);
        assert!(refused.err.contains("error: "), "{}", refused.err);
        let number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        assert!(refused.err.split("node ").skip(1).any(number), "it names the node: {}", refused.err);
        // It reports the missing amount, with a unit.
        let (free, needed) = (" MiB of free memory, ", "the data of this scenario needs 4 GiB");
        assert!(refused.err.contains(free) && refused.err.contains(needed), "{}", refused.err);
        let rows = guest.done("bench-spill-rows");
        assert!(rows.lines().count() <= 1, "something was measured: {rows}");
    }
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_scenario_whose_processors_are_masked_is_refused_with_the_node() {
    let refused = Guest::read("four").step("bench-masked");
    assert_eq!(refused.code, 1, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("node 3"), "{}", refused.err);
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn arrays_of_real_kernels_are_local_or_at_home() {
    // A misplaced page makes its row `misplaced` with both nodes.
    const DATA: [(&str, [&str; 4]); 5] = [
        ("rows by node", ["0:100", "1:100", "2:100", "3:100"]),
        ("rows on node 2", ["2:100"; 4]),
        ("rows interleaved", ["0:25 1:25 2:25 3:25"; 4]),
        ("source on node 0", ["0:100", "0:50 1:50", "0:50 2:50", "0:50 3:50"]),
        ("source on each node", ["0:100", "1:100", "2:100", "3:100"]),
    ];
    let guest = Guest::read("four");
    let rows = rows(&guest, "bench-kernels");
    assert_eq!(rows.len(), 5 * 4 * 2);
    for (scenario, nodes) in DATA {
        for (node, data) in (0..).zip(nodes) {
            let own: Vec<&Row> = rows
                .iter()
                .filter(|row| row["scenario"] == scenario && row["node"] == node.to_string())
                .collect();
            assert_eq!(own.len(), 2, "{scenario}, node {node}");
            for row in own {
                judge_placed(row, node, data);
            }
        }
    }
    // New memory is touched once; nothing else is missing while it is timed.
    let origin: serde_json::Value =
        serde_json::from_str(&guest.done("bench-kernels-origin")).expect("a provenance");
    for one in origin["observed"].as_array().expect("a list") {
        let [counted, expected] =
            ["page_faults", "expected_page_faults"].map(|key| one[key].as_u64().expect("a count"));
        // In addition to the data: pages scanned by automatic NUMA balancing. New memory has a thousand for each
        // thread.
        assert!(counted.abs_diff(expected) <= 256, "{one}");
        let new = one["scenario"] == "source on each node";
        assert_eq!(one["expected_page_faults"].as_u64() > Some(0), new, "{one}");
    }
}

fn judge_placed(row: &Row, node: u32, data: &str) {
    assert_eq!((row["status"].as_str(), row["problem"].as_str()), ("ok", ""), "{row:?}");
    assert_eq!((row["threads"].as_str(), row["data"].as_str()), ("1", data), "{row:?}");
    let cpus = numasim_model::cpus::CpuList::parse(&row["cpus"]).expect("processors");
    assert!(cpus.as_slice().iter().all(|cpu| cpu / 2 == node), "{row:?}");
}
