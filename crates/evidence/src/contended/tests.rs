//! Scenarios of synthetic machines.

use numasim_study::{SourceFile, read_study};

use super::*;

/// A machine of `nodes` nodes of `cores` cores, 100 GB/s each, 12 GB/s per thread; links of 20 GB/s.
fn study(nodes: usize, cores: u32, more: &str) -> Study {
    let file = |name: &str, text: String| SourceFile { name: name.into(), text };
    let machine = file(
        "m.toml",
        format!(
            "[machine]\nname = \"m\"\nnodes = {nodes}\ncores_per_node = {cores}\ngflops_per_core = 40\nbandwidth_gbs = 100\n\
             core_bandwidth_gbs = 12\n{more}"
        ),
    );
    let alone = read_study(std::slice::from_ref(&machine)).expect("a machine").study.machine;
    read_study(&[machine, file("s.toml", scenarios(&alone))]).expect("no problems").study
}

fn named(study: &Study, question: &str) -> usize {
    study.scenarios.iter().filter(|scenario| scenario.name.starts_with(question)).count()
}

#[test]
fn two_cores_hardly_contend_and_the_outlook_reports_it() {
    let study = study(1, 2, "");
    // One thread of each: six pairs. 2 x 12 of 100 GB/s.
    assert_eq!(study.scenarios.len(), 6);
    let outlook = outlook(&study);
    assert_eq!((outlook.contended, outlook.choices), (0, 0));
    assert!((outlook.highest.expect("six").1.ratio - 0.24).abs() < 1e-12);
}

#[test]
fn all_cores_of_a_node_oversubscribe_it() {
    let study = study(1, 16, "");
    // 1, 4, 8, 12 and 15 threads of the first of each pair.
    assert_eq!(study.scenarios.len(), 30);
    let outlook = outlook(&study);
    // 16 x 12 = 192 of 100 GB/s, for the 20 scenarios of four pairs that memory limits. A computing thread
    // consumes 40 / 16 = 2.5 GB/s (one GB/s of triad counts as one of reads here): 130 GB/s are reached with
    // 12 and 15 of 16 threads next to it, in two pairs.
    assert_eq!((outlook.contended, outlook.choices), (24, 24));
    assert_eq!(outlook.highest.map(|(_, contention)| contention.ratio), Some(1.92));
}

#[test]
fn two_nodes_read_each_memory_from_both_sides() {
    let study = study(2, 8, "link_gbs = 20\n");
    assert_eq!(named(&study, "two sources"), 2);
    // Half or all of 8 threads local to the data, 1, 2, 4, 6, 7 and 8 on the other node.
    assert_eq!(named(&study, "steps"), 12);
    assert_eq!((named(&study, "part"), named(&study, "both ways")), (5, 1));
    let outlook = outlook(&study);
    // The link has 20 GB/s, eight threads request 96.
    assert!(outlook.highest.is_some_and(|(_, contention)| contention.ratio >= 4.8));
    assert_eq!(outlook.scenarios, 30 + 20);
}

#[test]
fn four_nodes_have_every_pair_on_every_memory() {
    let study = study(4, 20, "link_gbs = 20\n");
    assert_eq!(named(&study, "two sources"), 4 * 6);
    assert_eq!(named(&study, "both ways"), 3 + 1);
    let all = study.scenarios.iter().find(|scenario| scenario.name == "both ways: all nodes").expect("it");
    let threads: u64 = (0..study.apps.len()).map(|app| all.allocation.total(AppId(app))).sum();
    assert_eq!(threads, 80);
}

#[test]
fn the_scenarios_of_eight_nodes_fit_into_an_hour() {
    let study = study(8, 8, "link_gbs = 20\n");
    assert_eq!(named(&study, "two sources"), 28);
    // Ten repetitions of a second with 0.3 s before each, and half a second to start: 18 s per scenario; an
    // hour less a quarter for the calibration.
    assert!(study.scenarios.len() * 18 < 45 * 60, "{}", study.scenarios.len());
    let outlook = outlook(&study);
    assert!(outlook.contended * 2 > outlook.scenarios, "{outlook:?}");
}

#[test]
fn memories_without_cores_are_read_and_have_no_threads() {
    let text = "[machine]\nname = \"m\"\nbandwidth_matrix_gbs = [[40.0, 20.0], [0.0, 30.0]]\n[[machine.node]]\ncores = 4\n\
                gflops_per_core = 40.0\ncore_bandwidth_gbs = 12.0\n[[machine.node]]\ncores = 0\n";
    let file = |name: &str, text: String| SourceFile { name: name.into(), text };
    let machine = file("m.toml", text.into());
    let alone = read_study(std::slice::from_ref(&machine)).expect("a machine").study.machine;
    let study = read_study(&[machine, file("s.toml", scenarios(&alone))]).expect("no problems").study;
    assert_eq!((named(&study, "two sources"), named(&study, "steps"), named(&study, "both ways")), (0, 0, 0));
    assert_eq!(named(&study, "part"), 5);
}
