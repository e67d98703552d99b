//! Handwritten cases: systems, processes and their pages.

use std::fs;

use clap::Parser;
use numasim_model::NodeId;

use super::*;
use crate::args::{Cli, Command};

fn args(words: &[&str]) -> ProfileAppArgs {
    let all = ["numasim", "profile-app"].iter().chain(words);
    match Cli::try_parse_from(all).expect("a command line").command {
        Command::ProfileApp(args) => args,
        other => panic!("{other:?}"),
    }
}

/// A host with logical CPUs 0-3 on node 0 and 4-7 on node 1, and process 7 with threads on these logical CPUs, each with its time.
fn host(numa_maps: &str, threads: &[(u32, u64)]) -> (tempfile::TempDir, System) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("sys/devices/system/node/node0/cpulist", "0-3\n");
    write("sys/devices/system/node/node1/cpulist", "4-7\n");
    write("proc/7/comm", "solver\n");
    write("proc/7/numa_maps", numa_maps);
    for (number, (cpu, ticks)) in (7..).zip(threads) {
        let zeros = |count: usize| vec!["0"; count].join(" ");
        write(
            &format!("proc/7/task/{number}/stat"),
            &format!("{number} (solver) R {} {ticks} 0 {} {cpu} 0\n", zeros(10), zeros(23)),
        );
    }
    let system = System::at(folder.path());
    (folder, system)
}

fn placed(numa_maps: &str, threads: &[(u32, u64)]) -> Placed {
    let (_folder, system) = host(numa_maps, threads);
    read(&args(&["--pid", "7"]), None, &Counted::default(), &system).expect("a process")
}

#[test]
fn the_threads_that_work_and_the_pages_of_a_process_tell_its_placement() {
    // Three threads on node 0 and one on node 1; the thread on logical CPU 5 only waits and does not count.
    let threads = [(0, 100), (1, 90), (2, 95), (6, 100), (5, 1)];
    let found = |pages: &str| {
        let placed = placed(&format!("7f00 default anon=4 {pages} kernelpagesize_kB=4\n"), &threads);
        assert_eq!(placed.notes, ["4 of 5 threads have worked, and count"]);
        assert_eq!(placed.process.as_deref(), Some("solver"));
        let data = placed.data.expect("pages");
        (data.verdict, data.resident.map(|resident| resident.data))
    };
    let told = |pages: &str| match found(pages).0 {
        Verdict::Told { best, .. } => best.placement,
        other => panic!("{other:?}"),
    };
    assert_eq!(told("N0=300 N1=100"), Placement::Local);
    assert_eq!(told("N1=400"), Placement::Home(NodeId(1)));
    assert_eq!(told("N0=200 N1=200"), Placement::Interleave);
    assert_eq!(found("N1=400").1, Some(400 * 4096));
}

#[test]
fn a_policy_to_interleave_decides_where_pages_look_alike() {
    let even = [(0, 100), (4, 100)];
    let maps = |policy: &str| format!("7f00 {policy} anon=400 N0=200 N1=200 kernelpagesize_kB=4\n");
    let verdict = |policy: &str| placed(&maps(policy), &even).data.expect("pages").verdict;
    assert!(matches!(verdict("default"), Verdict::Equal(classes) if classes.len() == 2));
    assert!(
        matches!(verdict("interleave:0-1"), Verdict::Told { best, .. } if best.placement == Placement::Interleave)
    );
}

#[test]
fn data_on_a_node_that_the_machine_lacks_is_refused() {
    let (_folder, system) = host("7f00 default anon=4 N3=4 kernelpagesize_kB=4\n", &[(0, 1)]);
    let refused = read(&args(&["--pid", "7"]), None, &Counted::default(), &system).expect_err("node 3");
    assert_eq!(refused.message(), "there is data on NUMA node 3, and the nodes of the machine are 0, 1");
}
