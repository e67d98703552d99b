//! Handwritten snapshots, read back as studies.

use std::collections::BTreeMap;

use numasim_evidence::app_profile::placement::{Candidate, Verdict};
use numasim_evidence::running::{BusyThread, Kind};
use numasim_model::Data;
use numasim_model::units::{Gibibytes, GigabytesPerSecond};
use numasim_sim::Objective;
use numasim_sim::search::Unattended;

use super::*;
use crate::advise::advise;

/// Two nodes of 4 cores; `kind` is the origin of bandwidths and peaks.
fn machine(kind: &str, more: &str) -> String {
    format!(
        "[machine]\nname = \"box\"\nnodes = 2\ncores_per_node = 4\ngflops_per_core = 10\nbandwidth_gbs = 40\nlink_gbs = 10\n{more}\
         [machine.provenance]\nbandwidth_gbs = {{ kind = \"{kind}\" }}\nlink_gbs = {{ kind = \"{kind}\" }}\n"
    )
}

fn places() -> Places {
    Places {
        os_nodes: vec![0, 1],
        node_of: (0..8).map(|cpu| (cpu, cpu as usize / 4)).collect(),
        core_of: (0..8).map(|cpu| (cpu, cpu)).collect(),
        domains: vec![1, 1],
        node_of_cache: BTreeMap::from([(0, 0), (1, 1)]),
        ..Places::default()
    }
}

/// An application with busy threads on these logical CPUs and its data on these nodes.
fn app(
    name: &str,
    cpus: &[u32],
    data: [u64; 2],
    placement: Placement,
    total_gbs: Option<f64>,
) -> Application {
    let busy = |(tid, &cpu): (u32, &u32)| BusyThread {
        pid: 100,
        tid,
        cpu,
        node: Some(cpu as usize / 4),
        domain: None,
        vcpu: None,
        share: 1.0,
    };
    Application {
        name: name.to_owned(),
        kind: Kind::Process,
        group: Some("/".to_owned()),
        pids: vec![100],
        busy: Some((100..).zip(cpus).map(busy).collect()),
        all_threads: cpus.len(),
        cores_used: Some(cpus.len() as f64),
        data: Some(data.to_vec()),
        data_source: Some("numa_maps of its processes"),
        class: Some(Verdict::Told {
            best: Candidate { placement, residual: 0.0, open: 0 },
            others: Vec::new(),
        }),
        local_gbs: total_gbs,
        total_gbs,
        monitors: vec![name.to_owned()],
        allowed_cpus: None,
        allowed_mems: None,
        notes: vec!["a\nnote".to_owned()],
    }
}

fn taken(machine: String, apps: Vec<Application>) -> Snapshot {
    let running =
        Running { seconds: Some(2.0), apps, cores_used: Some(vec![4.0, 0.0]), ..Running::default() };
    snapshot(Seen {
        running,
        machine,
        by_hardware_threads: None,
        places: places(),
        facts: HostFacts::default(),
    })
    .expect("a machine")
}

const GIB_BYTES: u64 = 1 << 30;

#[test]
fn a_snapshot_is_a_study_that_can_be_read_and_evaluated() {
    let local = app("say \"hi\" $(x)", &[0, 1, 4], [2 * GIB_BYTES, GIB_BYTES], Placement::Local, Some(6.0));
    let far = app("far", &[5], [GIB_BYTES, 0], Placement::Home(NodeId(0)), None);
    let found = taken(machine("measured", ""), vec![local, far]);
    let input =
        Input::read(&[("s.toml", &found.study)]).unwrap_or_else(|why| panic!("{why:?}\n{}", found.study));
    let [first, second] = input.study.apps.as_slice() else { panic!("two applications") };
    assert_eq!((first.name.as_str(), first.min_threads, first.max_threads), ("say \"hi\" $(x)", 3, Some(3)));
    assert_eq!(first.thread_gbs.map(GigabytesPerSecond::value), Some(2.0));
    assert_eq!(first.memory.map(Gibibytes::value), Some(3.0));
    assert_eq!(second.data, Data::Placed(Placement::Home(NodeId(0))));
    // 40 GB/s of 4 cores
    assert_eq!(second.thread_gbs.map(GigabytesPerSecond::value), Some(10.0));
    let now = &input.study.scenarios[0];
    assert_eq!((now.name.as_str(), now.allocation.row(numasim_model::AppId(0))), ("now", &[2, 1][..]));
    assert!(found.study.contains("# Not seen: a\\nnote."), "{}", found.study);
    let words: Vec<&str> =
        found.apps.iter().filter_map(|app| Some(app.demand.as_ref()?.kind.as_str())).collect();
    assert_eq!(words, ["measured", "assumed"]);
}

#[test]
fn more_busy_threads_than_cores_leave_todays_placement_out() {
    let many = app("many", &[0, 0, 1, 1, 2, 3], [GIB_BYTES, 0], Placement::Local, None);
    let found = taken(machine("measured", ""), vec![many]);
    assert!(!found.has_now && Input::read(&[("s.toml", &found.study)]).is_ok(), "{}", found.study);
    assert!(
        found.unseen.iter().any(|said| said.starts_with("today's placement does not fit")),
        "{:?}",
        found.unseen
    );
}

/// `far` has four threads on node 1 and its data on node 0: the link carries 9.5 of its 10 GB/s, a core consumes up to 10.
fn held_back(kind: &str) -> Snapshot {
    let far = app("far", &[4, 5, 6, 7], [GIB_BYTES, 0], Placement::Home(NodeId(0)), Some(9.5));
    let near = app("near", &[0], [GIB_BYTES, 0], Placement::Local, Some(1.0));
    taken(machine(kind, "core_bandwidth_gbs = 10\n"), vec![far, near])
}

#[test]
fn a_full_link_is_seen_and_the_move_that_frees_it_is_advised() {
    let found = held_back("measured");
    let demand = found.apps[0].demand.clone().expect("threads");
    assert_eq!((demand.kind, demand.gbs), (DemandKind::Estimated, 10.0));
    assert!(
        demand.source.contains("the link from node 1 to memory 0 carries 9.5 of its 10.0 GB/s"),
        "{}",
        demand.source
    );
    let advice = advise(found, Objective::Geomean, &Unattended).expect("an answer");
    assert!(advice.advised, "{:?}", advice.reasons);
    // The data follows the threads: 10 GB/s become 40.
    assert_eq!(advice.moves.len(), 1);
    assert_eq!(advice.moves[0].text, "move the data of `far` from node 0 to node 1");
    assert!((advice.moves[0].gbs_now - 10.0).abs() < 1e-9 && (advice.moves[0].gbs_then - 40.0).abs() < 1e-9);
    let (_, target) = advice.targets().next().expect("a target");
    assert_eq!((target.pages.clone(), target.threads.len()), (Some((vec![0], vec![1])), 0));
}

#[test]
fn counters_that_were_not_read_are_named_if_nothing_else_counts() {
    let facts = HostFacts {
        memory_counters: vec!["uncore_imc".to_owned()],
        counters_unread: Some("they rest".to_owned()),
        ..HostFacts::default()
    };
    let machine = machine("measured", "");
    let counted = BTreeMap::from([(0, (Some(1.0), Some(1.0)))]);
    for (traffic, expected) in [(BTreeMap::new(), 1), (counted, 0)] {
        let running = Running { traffic, ..Running::default() };
        let seen = Seen {
            running,
            machine: machine.clone(),
            by_hardware_threads: None,
            places: places(),
            facts: facts.clone(),
        };
        let found = snapshot(seen).expect("a machine");
        let named =
            found.unseen.iter().filter(|said| said.contains("(uncore_imc), which were not read: they rest"));
        assert_eq!(named.count(), expected, "{:?}", found.unseen);
    }
}

/// Socket 0 contains both nodes, socket 7 none of the machine.
#[test]
fn traffic_of_memory_controllers_is_shown_with_its_nodes_and_is_no_application_s() {
    let traffic = |read_gbs, written_gbs| ReadAndWritten { read_gbs, written_gbs };
    let controllers = BTreeMap::from([(0, traffic(Some(12.5), Some(3.25))), (7, traffic(Some(1.0), None))]);
    let one = app("one", &[0], [GIB_BYTES, 0], Placement::Local, None);
    let running = Running { seconds: Some(2.0), apps: vec![one], controllers, ..Running::default() };
    let places = Places { sockets: vec![vec![0], vec![0]], ..places() };
    let facts = HostFacts { memory_counters: vec!["uncore_imc".to_owned()], ..HostFacts::default() };
    let machine = machine("measured", "");
    let found =
        snapshot(Seen { running, machine, by_hardware_threads: None, places, facts }).expect("a machine");
    let nodes: Vec<_> = found.memories.iter().map(|memory| memory.nodes.clone()).collect();
    assert_eq!(nodes, [vec![0, 1], vec![]]);
    assert_eq!(
        (found.apps[0].total_gbs, found.apps[0].thread_gbs_kind.as_ref().map(|kind| kind.0)),
        (None, Some("assumed"))
    );
    let frame = found.frame(&numasim_draw::Style::default());
    assert!(frame.contains("0       0 1        12.50          3.25\n"), "{frame}");
    let said = "# measured: the memories of socket 0 deliver 12.500 GB/s and take 3.250 GB/s, of all applications and devices together\n";
    assert!(found.study.contains(said) && !found.study.contains("socket 7"), "{}", found.study);
    assert!(!found.unseen.iter().any(|said| said.contains("uncore_imc")), "{:?}", found.unseen);
}

#[test]
fn a_thread_that_draws_less_than_a_core_s_share_of_a_full_memory_is_not_held_back_there() {
    // Memory 0 has 40 GB/s for 4 cores. `heavy` consumes 36 with two threads, which is more than 10 for each; `light` consumes 1 of it.
    let heavy = app("heavy", &[0, 1], [GIB_BYTES, 0], Placement::Local, Some(36.0));
    let light = app("light", &[2], [GIB_BYTES, 0], Placement::Local, Some(1.0));
    let found = taken(machine("measured", "core_bandwidth_gbs = 25\n"), vec![heavy, light]);
    let demands = found.apps.iter().map(|app| app.demand.clone().expect("threads"));
    let demands: Vec<(DemandKind, f64)> = demands.map(|demand| (demand.kind, demand.gbs)).collect();
    assert_eq!(demands, [(DemandKind::Estimated, 25.0), (DemandKind::Measured, 1.0)]);
}

#[test]
fn there_is_no_advice_on_assumed_figures_or_without_a_gain() {
    let advice = advise(held_back("assumed"), Objective::Geomean, &Unattended).expect("an answer");
    assert!(!advice.advised && advice.now.is_none());
    assert!(
        advice.reasons[0].contains("are assumed, not measured: run `numasim calibrate"),
        "{:?}",
        advice.reasons
    );
    let one = app("one", &[0], [GIB_BYTES, 0], Placement::Local, Some(2.0));
    let advice = advise(taken(machine("measured", ""), vec![one]), Objective::Geomean, &Unattended);
    assert_eq!(advice.expect("an answer").reasons, ["no placement is better than today's"]);
}
