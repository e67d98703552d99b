//! Cases written by hand: processes, their groups, lists and counters.

use std::collections::BTreeMap;

use numasim_model::{NodeId, Placement};

use super::*;
use crate::formats::resctrl::Counters;

/// Two nodes of four logical CPUs; logical CPUs 0 and 1 are hardware threads of a core, and so on.
fn places() -> Places {
    Places {
        os_nodes: vec![0, 2],
        node_of: (0..8).map(|cpu| (cpu, cpu as usize / 4)).collect(),
        core_of: (0..8).map(|cpu| (cpu, cpu / 2 * 2)).collect(),
        domains: vec![1, 1],
        ..Places::default()
    }
}

fn process(pid: u32, name: &str, group: &str, threads: &[(u32, u32, u64)]) -> Process {
    let task = |&(tid, cpu, ticks): &(u32, u32, u64)| Task { tid, started: 1, cpu, ticks, vcpu: None };
    Process {
        pid,
        name: name.to_owned(),
        group: Some(GroupPath { path: group.to_owned(), unified: true }),
        tasks: threads.iter().map(task).collect(),
    }
}

fn moment(uptime_s: f64, processes: Vec<Process>, resctrl: Option<Vec<Group>>) -> Moment {
    Moment { uptime_s: Some(uptime_s), processes, resctrl, controllers: Vec::new() }
}

fn details(numa_maps: &str) -> Details {
    Details {
        command: b"x".to_vec(),
        numa_maps: Ok(numa_maps.to_owned()),
        allowed_cpus: None,
        allowed_mems: None,
    }
}

const SCOPE: &str = "/system.slice/docker-0123456789abcdef.scope";

fn run(before: &Moment, after: &Moment, details: &BTreeMap<u32, Details>) -> Running {
    let drafts = groups(Some(before), after, &Selection::default()).expect("nothing is asked for");
    applications(&drafts, Some(before), after, details, &BTreeMap::new(), &places(), false)
}

#[test]
fn processes_of_a_container_are_one_application_and_shared_memory_counts_once() {
    // 2 s: 200 ticks are one core. Thread 11 moved from node 0 to node 2; thread 12 used 9 ticks, less than 5
    // % of a core (10).
    let at = |ticks: [u64; 3], cpu: u32| {
        vec![
            process(10, "db", SCOPE, &[(10, 4, ticks[0])]),
            process(11, "db", SCOPE, &[(11, cpu, ticks[1]), (12, 5, ticks[2])]),
        ]
    };
    let (before, after) = (moment(5.0, at([0; 3], 0), None), moment(7.0, at([200, 10, 9], 6), None));
    let maps = |own: u32| {
        format!(
            "10 default heap anon={own} N2={own} kernelpagesize_kB=4\n20 default file=/dev/zero mapmax=2 N2=100 kernelpagesize_kB=4\n"
        )
    };
    let details = BTreeMap::from([(10, details(&maps(5))), (11, details(&maps(7)))]);
    let running = run(&before, &after, &details);
    let [app] = running.apps.as_slice() else { panic!("{running:?}") };
    assert_eq!((app.name.as_str(), app.pids.as_slice(), app.all_threads), ("db", &[10, 11][..], 3));
    assert_eq!(app.threads(2), Some(vec![0, 2]));
    // 5 + 7 + 100 pages of 4 KiB
    assert_eq!(app.data, Some(vec![0, 112 * 4096]));
    let (best, others) = app.data_class().expect("data and threads");
    assert_eq!(best.placement, Placement::Local);
    assert_eq!(others[0].placement, Placement::Home(NodeId(1)));
    assert!(app.notes.iter().any(|note| note.starts_with("1 of its busy threads moved")), "{:?}", app.notes);
    assert!((app.cores_used.unwrap_or(0.0) - 219.0 / 200.0).abs() < 1e-12);
}

#[test]
fn remote_data_has_a_home_and_names_are_unique() {
    let at = |ticks: u64| {
        vec![process(7, "a\nb", "/", &[(7, 0, ticks)]), process(8, "a\nb", "/", &[(8, 1, ticks)])]
    };
    let (before, after) = (moment(0.0, at(0), None), moment(1.0, at(100), None));
    let maps = "10 bind:2 heap anon=9 N2=9 kernelpagesize_kB=4\n";
    let running = run(&before, &after, &BTreeMap::from([(7, details(maps)), (8, details(maps))]));
    let names: Vec<&str> = running.apps.iter().map(|app| app.name.as_str()).collect();
    assert_eq!(names, ["a\\nb", "a\\nb-2"]);
    let (best, _) = running.apps[0].data_class().expect("data and threads");
    assert_eq!(best.placement, Placement::Home(NodeId(1)));
    assert!(
        running.unseen[0].starts_with("bandwidth is unknown: resctrl is not mounted"),
        "{:?}",
        running.unseen
    );
}

#[test]
fn bandwidth_is_that_of_groups_attributed_to_one_application() {
    let group = |monitor: &str, tasks: &[u32], bytes: Option<u64>| Group {
        monitor: Some(monitor.to_owned()),
        tasks: tasks.iter().copied().collect(),
        counters: BTreeMap::from([(0, Counters { local: bytes, total: bytes })]),
        ..Group::default()
    };
    let at = |ticks: u64| {
        let alone = |pid: u32| process(pid, "p", "/", &[(pid, 0, ticks)]);
        [1, 2, 3, 4].map(alone).to_vec()
    };
    let groups_at = |bytes: u64, word: Option<u64>| {
        Some(vec![
            group("one", &[1], Some(bytes)),
            group("two", &[2, 3], Some(bytes)),
            group("four", &[4], word),
        ])
    };
    let before = moment(0.0, at(0), groups_at(0, Some(0)));
    let after = moment(2.0, at(200), groups_at(3_000_000_000, None));
    let all: BTreeMap<u32, Details> = (1..5).map(|pid| (pid, details(""))).collect();
    let running = run(&before, &after, &all);
    let found: Vec<(&str, Option<f64>)> =
        running.apps.iter().map(|app| (app.name.as_str(), app.total_gbs)).collect();
    // 3 GB in 2 s; `two` is attributed to two processes, `four` cannot be read.
    assert_eq!(found, [("one", Some(1.5)), ("p", None), ("p-2", None), ("four", None)]);
    assert!(
        running.apps[1].notes[0].contains("`two` counts for other applications"),
        "{:?}",
        running.apps[1].notes
    );
}

#[test]
fn applications_are_selected_by_name_number_and_identifier() {
    let after =
        moment(1.0, vec![process(7, "a", SCOPE, &[(7, 0, 1)]), process(8, "b", "/", &[(8, 0, 1)])], None);
    let found = |word: &str| {
        let drafts = groups(None, &after, &Selection(vec![word.to_owned()]));
        drafts.map(|drafts| drafts.iter().map(|draft| draft.pids[0]).collect::<Vec<_>>())
    };
    for word in ["a", "7", "01234", SCOPE, "/sys/fs/cgroup/system.slice/docker-0123456789abcdef.scope"] {
        assert_eq!(found(word), Ok(vec![7]), "{word}");
    }
    assert_eq!(found("nothing"), Err(vec!["nothing".to_owned()]));
    assert_eq!(found("8"), Ok(vec![8]));
}

#[test]
fn guests_have_the_name_of_their_command_line_and_fill_cores() {
    let vcpus = |ticks: u64| {
        let mut qemu = process(9, "qemu-system-x86", "/", &[(9, 0, 0), (10, 2, ticks), (11, 3, ticks)]);
        qemu.tasks[1].vcpu = Some(0);
        qemu.tasks[2].vcpu = Some(1);
        vec![qemu]
    };
    let (before, after) = (moment(0.0, vcpus(0), None), moment(1.0, vcpus(100), None));
    let command = b"qemu-system-x86_64\0-name\0guest=web,debug-threads=on\0-S".to_vec();
    let maps = "7f0 bind:0 file=/dev/hugepages/x huge N0=3 kernelpagesize_kB=2048\n";
    let of = Details { command, ..details(maps) };
    let running = run(&before, &after, &BTreeMap::from([(9, of)]));
    let app = &running.apps[0];
    assert_eq!((app.name.as_str(), &app.kind), ("web", &Kind::Guest));
    assert_eq!(app.data, Some(vec![3 << 21, 0]));
    assert!(app.fills_cores(&places().core_of));
    let vcpus: Vec<_> = app.busy.iter().flatten().map(|thread| thread.vcpu).collect();
    assert_eq!(vcpus, [Some(0), Some(1)]);
}
