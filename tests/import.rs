//! `numasim import` as a person meets it: real output of other tools, and what is none.

use std::fs;
use std::process::Output;

use numasim_model::input::{SourceFile, read_study};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use crate::common::{self, repository};

fn numasim(args: &[&str]) -> Output {
    let mut command = common::numasim();
    command.args(args).current_dir(repository("tests/import")).output().expect("the program starts")
}

fn imported(args: &[&str]) -> String {
    let output = numasim(&[&["import"], args].concat());
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8 on standard output")
}

fn machine(text: String) -> Machine {
    read_study(&[SourceFile { name: "machine.toml".into(), text }])
        .expect("a machine file in order")
        .study
        .machine
}

/// Bandwidth of all controllers, then of all links.
fn bandwidths(machine: &Machine) -> Vec<f64> {
    let nodes = machine.nodes().iter().map(|node| node.bandwidth.value());
    let count = machine.node_count();
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (NodeId(from), NodeId(to))));
    let links = pairs.filter_map(|(from, to)| machine.link(from, to)).map(GigabytesPerSecond::value);
    nodes.chain(links).collect()
}

#[test]
fn the_matrix_of_a_machine_with_cxl_memory_is_that_of_its_machine_file() {
    let args = ["mlc", "mlc-epyc-9224-cxl.txt", "--cores-per-node", "12", "--gflops-per-core", "40"];
    let found = machine(imported(&args));
    let kept = fs::read_to_string(repository("configs/machines/epyc-9224-2s-nps2-cxl.toml"))
        .expect("a machine file");
    assert_eq!(bandwidths(&found), bandwidths(&machine(kept)));
    let cores: Vec<u32> = found.nodes().iter().map(|node| node.cores).collect();
    assert_eq!(cores, [12, 12, 12, 12, 0]);
}

#[test]
fn a_matrix_inside_of_other_output_is_found() {
    let args =
        ["mlc", "mlc-8269cy.txt", "--name", "8269CY", "--cores-per-node", "26", "--gflops-per-core", "80"];
    let text = imported(&args);
    assert!(text.starts_with("# Intel(R) Memory Latency Checker - v3.9\n"), "{text}");
    let machine = machine(text);
    assert_eq!(machine.name(), "8269CY");
    assert_eq!(bandwidths(&machine), [113.1394, 113.2492, 50.9234, 50.9166]);
}

#[test]
fn without_cores_the_file_is_a_skeleton_that_check_explains() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("machine.toml").display().to_string();
    imported(&["mlc", "mlc-8269cy.txt", "-o", &file]);
    let output = numasim(&["check", &file]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`cores` is missing in [[machine.node]]"), "{said}");
}

#[test]
fn one_table_of_several_is_selected() {
    let output = numasim(&["import", "mlc", "mlc-matrices.csv"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("choose one with --select") && said.contains("icelake_mlc.txt"), "{said}");
    let text = imported(&["mlc", "mlc-matrices.csv", "--select", "icelake"]);
    assert!(text.contains("[175.6909, 55.6768],"), "{text}");
}

#[test]
fn a_sweep_of_likwid_bench_is_a_csv_of_bandwidth_over_threads() {
    let text = imported(&["likwid", "likwid-bench-sweep.txt"]);
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows[0].starts_with("machine,kernel,threads,bandwidth_gbs,gflops,"), "{text}");
    assert!(
        rows[1].starts_with(",load,1,9.66809,0,") && rows[6].starts_with(",triad,2,34.72492,2.17031,"),
        "{text}"
    );
    assert!(
        text.contains("core_bandwidth_gbs = 9.66809; bandwidth_gbs = 19.84177 (largest, 2 threads)"),
        "{text}"
    );
}

#[test]
fn a_published_curve_suggests_the_figures_of_one_numa_node() {
    let text = imported(&["likwid", "likwid-kerncraft.csv", "--select", "Haswell"]);
    // 14 cores of two nodes of 7: the first node reaches 32.36 GB/s, both together more.
    assert!(
        text.contains("core_bandwidth_gbs = 12.79; bandwidth_gbs = 32.36 (largest, 7 threads)"),
        "{text}"
    );
    assert!(!text.contains("Broadwell"), "{text}");
}

#[test]
fn stream_is_a_csv_of_its_best_rates() {
    let text = imported(&["stream", "stream-i7-9700.txt"]);
    assert!(text.contains("\n,Triad,8,25.1043,") && text.contains("\n,Copy,8,22.9456,0,"), "{text}");
    // The first two rows of the table are 10254.6 MB/s and 10445 MB/s.
    let text = imported(&["stream", "stream-nes.csv"]);
    assert!(text.contains("\n,Copy,8,10.2546,0,,0,0,\"array_gb 05, mode amb\",,\n"), "{text}");
}

#[test]
fn what_another_tool_printed_is_refused_with_the_line_that_is_wrong() {
    for (kind, file) in
        [("mlc", "stream-i7-9700.txt"), ("likwid", "mlc-8269cy.txt"), ("stream", "likwid-bench-sweep.txt")]
    {
        let output = numasim(&["import", kind, file]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
        assert!(said.contains(&format!("--> {file}:1:1")) && said.contains("hint:"), "{said}");
    }
}

#[test]
fn more_memories_than_a_machine_has_nodes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [matrix, result] = ["matrix.csv", "machine.toml"].map(|name| folder.path().join(name));
    let columns: Vec<String> = (0..1025).map(|node| format!("to_mem{node}")).collect();
    let row = |node: usize| format!("{node}{}\n", ",1000".repeat(1025));
    fs::write(&matrix, format!("# MB/s\nfrom_node,{}\n{}{}", columns.join(","), row(0), row(1)))
        .expect("a file for the test");
    let output =
        numasim(&["import", "mlc", &matrix.display().to_string(), "-o", &result.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    assert!(
        said.contains("there are figures of 1025 memories; a machine has at most 1024 NUMA nodes"),
        "{said}"
    );
    assert!(!result.exists());
}

#[test]
fn a_damaged_line_is_shown_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let [damaged, result] = ["mlc.txt", "machine.toml"].map(|name| folder.path().join(name));
    let whole = fs::read_to_string(repository("tests/import/mlc-8269cy.txt")).expect("a sample");
    fs::write(&damaged, whole.replace("50916.6 113249.2", "50916.6 fast")).expect("a file for the test");
    let output =
        numasim(&["import", "mlc", &damaged.display().to_string(), "-o", &result.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("'fast' is not a positive number") && said.contains("mlc.txt:26:8"), "{said}");
    assert!(!result.exists());
}

#[cfg(not(feature = "hwloc"))]
#[test]
fn hwloc_is_named_where_it_is_missing() {
    let output = numasim(&["import", "hwloc", "mlc-8269cy.txt"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs hwloc"));
}

#[cfg(feature = "hwloc")]
#[test]
fn what_is_no_xml_of_hwloc_is_refused() {
    let output = numasim(&["import", "hwloc", "mlc-8269cy.txt"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("mlc-8269cy.txt: this is no topology of hwloc"), "{said}");
}
