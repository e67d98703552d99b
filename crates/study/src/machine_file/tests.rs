//! The text of machine files, line by line.

use numasim_model::cpus::CpuList;

use super::*;
use crate::topology::{Cache, Counting, Firmware, Unusable, UnusableThing, Why};

/// Nodes with 64 GB each; of two nodes of 8 cores, node 1 has logical CPUs 8-15.
fn host(cores: &[u32]) -> HostTopology {
    let mut host = HostTopology::from_cores("a \"box\"", cores);
    host.source = "hwloc".into();
    for node in &mut host.nodes {
        node.memory_bytes = Some(64_000_000_000);
    }
    host
}

fn settings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn has_line(text: &str, line: &str) {
    assert!(text.lines().any(|found| found == line), "no line {line:?} in\n{text}");
}

fn local(host: &mut HostTopology, gbs: &[f64]) {
    for (node, &gbs) in host.nodes.iter_mut().zip(gbs) {
        node.firmware = Some(Firmware {
            seen_from_os_nodes: vec![node.os_index],
            read_bandwidth_gbs: Some(gbs),
            read_latency_ns: Some(10),
            write_latency_ns: Some(10),
            ..Firmware::default()
        });
    }
}

#[test]
fn equal_nodes_are_written_as_a_uniform_machine() {
    let text = skeleton(&host(&[20, 20, 20, 20]));
    let expected = [
        "[machine]",
        r#"name = "a \"box\"""#,
        r#"source = "hwloc""#,
        "nodes = 4",
        "cores_per_node = 20",
        r#"cpus = ["0-19", "20-39", "40-59", "60-79"]"#,
        "memory_gib = 59.60",
    ];
    assert_eq!(settings(&text), expected);
    for unknown in ["# gflops_per_core = ?", "# bandwidth_gbs = ?", "# link_gbs = ?"] {
        let line = text.lines().find(|line| line.starts_with(unknown)).expect(unknown);
        assert!(line.contains("numasim calibrate"), "{line}");
    }
}

#[test]
fn one_node_needs_no_link() {
    assert!(!skeleton(&host(&[2])).contains("link_gbs"));
}

#[test]
fn a_memory_only_node_is_written_node_by_node() {
    let text = skeleton(&host(&[8, 0]));
    let nodes = &settings(&text)[3..];
    let header = |n| format!("[[machine.node]]  # NUMA node {n} of the operating system");
    let memory_only = "gflops_per_core = 0.0  # memory only";
    let cpus = r#"cpus = "0-7""#;
    // 64 GB are 59.60 GiB.
    let memory = "memory_gib = 59.60";
    assert_eq!(nodes, [&header(0), "cores = 8", memory, cpus, &header(1), "cores = 0", memory_only, memory]);
    assert!(text.contains("# bandwidth_matrix_gbs = [\n#   [?, ?],\n#   [?, ?],\n# ]\n"), "{text}");
}

/// Node 0 with 60 GB/s; the cores of node 1 have no memory; node 2 is memory only.
fn without_memory(given: Given) -> String {
    let mut host = host(&[8, 8, 0]);
    host.nodes[1].memory_bytes = Some(0);
    skeleton_with(&host, given)
}

#[test]
fn cores_without_memory_have_no_controller() {
    let text = without_memory(Given::default());
    has_line(&text, "memory_gib = 0  # no memory: all data of its cores is on other nodes");
    assert!(
        text.contains("# bandwidth_matrix_gbs = [\n#   [?, 0, ?],\n#   [?, 0, ?],\n#   [?, 0, ?],\n# ]\n"),
        "{text}"
    );
}

#[test]
fn given_values_are_used_and_only_the_others_are_open() {
    let text = without_memory(Given { bandwidth_gbs: Some(60.0), link_gbs: Some(15.0), ..Given::default() });
    // The bandwidth of a memory without cores is not one of a memory for its own cores.
    let matrix = "bandwidth_matrix_gbs = [\n    [60.0, 0.0, 15.0],\n    [15.0, 0.0, 15.0],\n    [0.0, 0.0, \"?\"],\n]\n";
    assert!(text.contains(matrix), "{text}");
    assert!(text.contains("source = \"given to numasim import, --bandwidth-gbs and --link-gbs\""), "{text}");
    let text = without_memory(Given { link_gbs: Some(15.0), ..Given::default() });
    assert!(text.contains("    [\"?\", 0.0, 15.0],\n"), "{text}");
    assert!(text.contains("source = \"given to numasim import, --link-gbs\""), "{text}");
}

#[test]
fn nodes_whose_numbers_have_gaps_are_written_one_by_one() {
    let mut host = host(&[2, 2]);
    host.nodes[1].os_index = 8;
    let text = skeleton(&host);
    let found: Vec<&str> = settings(&text).into_iter().filter(|line| line.starts_with("os_node")).collect();
    assert_eq!(found, ["os_node = 0", "os_node = 8"]);
}

#[test]
fn unusable_parts_are_reported() {
    let mut host = host(&[2, 0]);
    let forbidden = CpuList::parse("2-3").expect("valid");
    host.nodes[1].unusable_cpus = Some(forbidden.clone());
    host.unusable = vec![Unusable { what: UnusableThing::Cpus(forbidden), why: Why::Mask }];
    let text = skeleton(&host);
    has_line(
        &text,
        "# Not in this file: processors 2-3: not in the CPU affinity mask of this process (taskset, batch job, container)",
    );
    has_line(&text, "gflops_per_core = 0.0  # memory only: its processors 2-3 cannot be used");
}

#[test]
fn distances_are_a_separate_key_and_not_a_bandwidth() {
    let mut host = host(&[2, 2]);
    host.distances = Some(vec![vec![10, 21], vec![21, 10]]);
    let text = skeleton(&host);
    assert!(
        text.contains(
            "no bandwidths (row: node of the core, column: node of the memory):\ndistance_matrix = [\n    [10, 21],\n    [21, 10],\n]\n"
        ),
        "{text}"
    );
    assert!(text.contains("# bandwidth_gbs = ?"), "{text}");
}

#[test]
fn equal_firmware_values_are_a_comment_with_their_source() {
    let mut host = host(&[2, 2]);
    local(&mut host, &[42.949_672_96, 42.949_672_96]);
    let text = skeleton(&host);
    assert!(
        text.contains("\n# bandwidth_gbs = 42.95  # GB/s: firmware (HMAT), not measured; to measure it: "),
        "{text}"
    );
    has_line(&text, "# firmware (HMAT), not measured: each node read 42.95 GB/s, latency 10 ns");
    assert!(!settings(&text).iter().any(|line| line.contains("bandwidth")), "{text}");
}

#[test]
fn different_firmware_values_are_reported_node_by_node() {
    let mut host = host(&[2, 2]);
    local(&mut host, &[40.0, 20.0]);
    let text = skeleton(&host);
    assert!(text.contains("\n# bandwidth_gbs = ?"), "{text}");
    has_line(
        &text,
        "# firmware (HMAT), not measured: read 40.00 GB/s, latency 10 ns; read 20.00 GB/s, latency 10 ns",
    );
}

#[test]
fn the_firmware_reports_a_memory_only_node_only_for_its_nearest_cores() {
    let mut host = host(&[2, 2, 0]);
    local(&mut host, &[40.0, 40.0, 2.5]);
    host.nodes[2].firmware.as_mut().expect("set").seen_from_os_nodes = vec![0];
    let text = skeleton(&host);
    // The cores of node 0 read node 2 with 2.5 GB/s; the firmware reports nothing about those of node 1.
    assert!(text.contains("#   [40.00, ?, 2.50],\n#   [?, 40.00, ?],\n#   [?, ?, ?],\n"), "{text}");
    has_line(
        &text,
        "# firmware (HMAT), not measured: read 2.50 GB/s, latency 10 ns, from the cores of node 0",
    );
}

fn on_sockets(mut host: HostTopology, sockets: &[u32]) -> HostTopology {
    for (node, &package) in host.nodes.iter_mut().zip(sockets) {
        node.sockets = vec![package];
    }
    host
}

#[test]
fn equal_sockets_have_a_shorthand_that_stays_open() {
    let text = skeleton(&on_sockets(host(&[4, 4, 4, 4]), &[0, 0, 1, 1]));
    has_line(&text, "# sockets: 0 has nodes 0-1, 1 has nodes 2-3");
    has_line(&text, "# sockets = 2");
    assert!(
        text.contains("\n# socket_link_gbs = ?  ") && text.contains("\n# shared_link_gbs = ?  "),
        "{text}"
    );
    assert!(!text.contains("[[machine.shared_link]]"), "{text}");
}

#[test]
fn interleaved_sockets_have_a_table_that_stays_open() {
    let text = skeleton(&on_sockets(host(&[4, 4, 4, 4]), &[0, 1, 0, 1]));
    let table =
        "# [[machine.shared_link]]\n# name = \"sockets 0 and 1\"\n# gbs = ?\n# between = [[0, 2], [1, 3]]\n";
    assert!(text.ends_with(table), "{text}");
    assert!(!text.contains("# sockets = "), "{text}");
}

#[test]
fn sockets_of_one_node_share_nothing() {
    let text = skeleton(&on_sockets(host(&[4, 4]), &[0, 1]));
    has_line(&text, "# sockets: 0 has node 0, 1 has node 1");
    assert!(!text.contains("shared_link") && !text.contains("# sockets = "), "{text}");
}

#[test]
fn many_pairs_of_sockets_are_counted_but_not_all_written() {
    // 5 sockets with one node with cores and one memory-only node each: 10 pairs.
    let text = skeleton(&on_sockets(host(&[4, 0, 4, 0, 4, 0, 4, 0, 4, 0]), &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]));
    assert_eq!(text.matches("# [[machine.shared_link]]").count(), 6);
    assert!(text.ends_with("# ... and so on: 10 pairs of sockets in all\n"), "{text}");
}

#[test]
fn with_smt_the_file_explains_its_cores() {
    let mut host = host(&[4]);
    host.counting = Counting::HardwareThreads;
    assert!(skeleton(&host).contains("# A core of this file is one hardware thread (--smt)"));
}

#[test]
fn caches_are_a_comment() {
    let mut host = host(&[4]);
    host.caches = vec![
        Cache { level: 1, bytes: 32 << 10, cores: 1, count: 4 },
        Cache { level: 3, bytes: 8 << 20, cores: 4, count: 1 },
    ];
    has_line(&skeleton(&host), "# caches: L1 32 KiB per core, L3 8 MiB for 4 cores (1 of them)");
}

#[test]
fn control_characters_of_a_name_are_escaped() {
    assert_eq!(quoted("a\tb\\"), r#""a\u0009b\\""#);
}
