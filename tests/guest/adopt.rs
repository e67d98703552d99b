//! `numasim agent --adopt` in the guest: threads of unaware programs move, and get their processors back.

use std::panic::catch_unwind;

use serde_json::json;

use super::results::Guest;
use super::threads::{Thread, app, counted, threads};

/// Shared by two: on each node the first core to `spin`, the second one to `many`.
const TWO: [&[u32]; 2] = [&[0, 2, 4, 6], &[1, 3, 5, 7]];
/// With a third one: node 0 to both, node 1 to the third and `spin`, node 2 to `many` and the third, node 3 to both; of each node's cores
/// the lowest to the first in the order of the files.
const THREE: [&[u32]; 2] = [&[0, 2, 6], &[1, 4, 7]];

fn where_they_may_run(guest: &Guest, step: &str) -> Vec<(String, Vec<u32>)> {
    threads(guest, step).into_iter().map(|Thread { name, cpus, .. }| (name, cpus)).collect()
}

fn moving(guest: &Guest) {
    moved(guest, "adopt");
}

fn moved(guest: &Guest, job: &str) {
    for (look, expected) in [("two", TWO), ("three", THREE), ("left", TWO)] {
        let status = guest.json(&format!("{job}-{look}-status"));
        for (name, cpus) in ["spin", "many"].into_iter().zip(expected) {
            let entry = app(&status, name);
            assert_eq!((&entry["state"], &entry["refused"]), (&json!("adopted"), &json!(null)), "{entry}");
            assert_eq!(entry["target"]["cores"], json!(cpus), "{look}: order of '{name}'");
            for thread in threads(guest, &format!("{job}-{look}-{name}")) {
                assert_eq!(thread.cpus, cpus, "{look}: a thread of '{name}' is elsewhere");
            }
        }
        if look == "three" {
            let entry = app(&status, "late");
            assert_eq!(entry["target"]["per_node"], json!([0, 1, 1, 0]), "{entry}");
            assert_eq!(entry["acked"], entry["seq"], "{entry}");
        }
    }
}

fn restoring(guest: &Guest) {
    let spin = where_they_may_run(guest, "adopt-before-spin");
    assert_eq!(spin.iter().map(|(_, cpus)| cpus.clone()).collect::<Vec<_>>(), [(0..6).collect::<Vec<_>>()]);
    let workers = threads(guest, "adopt-before-many").into_iter().filter(Thread::is_worker);
    assert_eq!(counted(workers.map(|worker| worker.node())), (0..4).map(|node| (node, 2)).collect());
    for name in ["spin", "many"] {
        let (before, after) = (format!("adopt-before-{name}"), format!("adopt-after-{name}"));
        assert_eq!(
            where_they_may_run(guest, &before),
            where_they_may_run(guest, &after),
            "a thread of '{name}' has not what it had"
        );
    }
    guest.done("adopt-stop");
    guest.done("adopt-agent");
}

/// The contents of the file `cpuset.cpus` at each look.
const CPUSETS: [(&str, [&str; 2]); 5] = [
    ("before", ["0-5", ""]),
    ("two", ["0,2,4,6", "1,3,5,7"]),
    ("three", ["0,2,6", "1,4,7"]),
    ("left", ["0,2,4,6", "1,3,5,7"]),
    // Linux removes no list from a group with processes: the group gets the list that was in effect.
    ("after", ["0-5", "0-7"]),
];

fn groups(guest: &Guest) {
    moved(guest, "cgroup");
    for (look, expected) in CPUSETS {
        for (name, cpus) in ["spin", "many"].into_iter().zip(expected) {
            let step = format!("cgroup-{look}-{name}");
            assert_eq!(guest.done(&format!("{step}-cpuset")).trim_end(), cpus, "{look}: cpuset of '{name}'");
            assert_eq!(threads(guest, &step).len(), 2, "{step}");
        }
    }
    for (name, cpus) in [("spin", 0..6), ("many", 0..8)] {
        for look in ["before", "after"] {
            for thread in threads(guest, &format!("cgroup-{look}-{name}")) {
                assert_eq!(thread.cpus, cpus.clone().collect::<Vec<_>>(), "{look}: a process of '{name}'");
            }
        }
    }
    guest.done("cgroup-stop");
    guest.done("cgroup-agent");
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn control_groups_make_room_by_their_cpusets_and_get_them_back() {
    groups(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn adopted_threads_make_room_for_arrivals_and_take_it_back() {
    moving(&Guest::read("agent"));
}

#[test]
#[ignore = "needs the results of .ci/guest"]
fn every_adopted_thread_gets_its_processors_back() {
    restoring(&Guest::read("agent"));
}

type Judge = fn(&Guest);

#[test]
#[ignore = "needs the results of .ci/guest"]
fn a_misplaced_thread_is_detected() {
    let wrong: [(Judge, &str, &str, &str, &str); 8] = [
        (moving, "adopt-two-spin", "\t0,2,4,6\t", "\t0-7\t", "two: a thread of 'spin' is elsewhere"),
        (moving, "adopt-three-many", "\t1,4,7\t", "\t1,3,5,7\t", "three: a thread of 'many' is elsewhere"),
        (moving, "adopt-left-many", "\t1,3,5,7\t", "\t1,4,7\t", "left: a thread of 'many' is elsewhere"),
        (restoring, "adopt-after-spin", "\t0-5\t", "\t0-7\t", "a thread of 'spin' has not what it had"),
        (restoring, "adopt-after-many", "\t4-5\t", "\t0-7\t", "a thread of 'many' has not what it had"),
        (groups, "cgroup-three-spin", "\t0,2,6\t", "\t0-7\t", "three: a thread of 'spin' is elsewhere"),
        (groups, "cgroup-left-many-cpuset", "1,3,5,7", "1,4,7", "left: cpuset of 'many'"),
        (groups, "cgroup-after-spin", "\t0-5\t", "\t0-7\t", "after: a process of 'spin'"),
    ];
    for (judge, step, from, to, seen) in wrong {
        let mut guest = Guest::read("agent");
        guest.alter(step, from, to);
        let said = catch_unwind(|| judge(&guest)).expect_err(seen);
        let said = said.downcast_ref::<String>().map_or("", String::as_str);
        assert!(said.contains(seen), "{seen}: {said}");
    }
}
