//! Every key is found, read, set and read again.

use super::*;
use numasim_model::app::{App, Data, Placement};
use numasim_model::ids::NodeId;
use numasim_model::machine::{KernelBandwidths, MAX_CORES_PER_NODE, Machine, Node, SharedLink};
use numasim_model::sharing_model::{ModelKind, Parameter};
use numasim_model::units::{FlopPerByte, Gflop, Gflops, GigabytesPerSecond};

/// Nodes of 4, 2 and no cores with 40, 20 and 10 GB/s; all links 8 GB/s.
fn machine() -> Machine {
    let node = |cores: u32, bandwidth: f64| Node {
        cores,
        gflops_per_core: Gflops::new(if cores > 0 { 5.0 } else { 0.0 }),
        bandwidth: GigabytesPerSecond::new(bandwidth),
        core_bandwidth: (cores > 2).then(|| GigabytesPerSecond::new(12.0)),
        kernels: KernelBandwidths {
            triad: (cores > 2).then(|| GigabytesPerSecond::new(30.0)),
            ..KernelBandwidths::NONE
        },
        ..Node::default()
    };
    let nodes = vec![node(4, 40.0), node(2, 20.0), node(0, 10.0)];
    let shared = SharedLink {
        name: "xGMI 1.0".to_owned(),
        bandwidth: GigabytesPerSecond::new(9.0),
        from: vec![NodeId(0)],
        to: vec![NodeId(1), NodeId(2)],
        both_ways: true,
    };
    let machine = Machine::new("m", nodes, vec![GigabytesPerSecond::new(8.0); 9]).expect("a machine");
    machine.with_shared_links(vec![shared]).expect("a shared link")
}

fn apps() -> Vec<App> {
    let app = |name: &str, group: &str| App {
        group: group.to_owned(),
        work: Some(Gflop::new(100.0)),
        ..App::new(name, FlopPerByte::new(0.5), Data::Placed(Placement::Local))
    };
    vec![app("one", "one"), app("mem-1", "mem"), app("mem-2", "mem")]
}

fn found(key: &str) -> Result<Figure, KeyError> {
    let parts: Vec<&str> = key.split('.').collect();
    Figure::find(&machine(), &apps(), &parts)
}

fn values(key: &str) -> Vec<f64> {
    found(key).expect("a figure").values(&machine(), &apps())
}

#[test]
fn keys_read_the_values_of_the_files() {
    assert_eq!(values("machine.cores_per_node"), [4.0, 2.0]);
    assert_eq!(values("machine.gflops_per_core"), [5.0, 5.0]);
    // The memory-only node also has a controller.
    assert_eq!(values("machine.bandwidth_gbs"), [40.0, 20.0, 10.0]);
    assert_eq!(values("machine.core_bandwidth_gbs"), [12.0]);
    // From the two nodes with cores to two others each.
    assert_eq!(values("machine.link_gbs"), [8.0; 4]);
    assert_eq!(values("machine.node.1.bandwidth_gbs"), [20.0]);
    assert_eq!(values("machine.bandwidth_matrix_gbs.1.2"), [8.0]);
    assert_eq!(values("machine.bandwidth_matrix_gbs.1.1"), [20.0]);
    assert_eq!(values("machine.sharing.remote_loss"), [0.0]);
    // A name may have a dot.
    assert_eq!(values("machine.shared_link.xGMI 1.0.gbs"), [9.0]);
    assert!(values("machine.read_gbs").is_empty());
    assert_eq!(values("machine.triad_gbs"), [30.0]);
    assert!(values("machine.node.1.triad_gbs").is_empty());
    assert_eq!(values("app.mem.arithmetic_intensity"), [0.5, 0.5]);
    assert_eq!(values("app.mem-2.work_gflop"), [100.0]);
    assert!(values("app.one.max_threads").is_empty());
}

#[test]
fn set_values_are_read_again_and_all_others_are_unchanged() {
    let keys = [
        "machine.cores_per_node",
        "machine.node.0.gflops_per_core",
        "machine.bandwidth_gbs",
        "machine.core_bandwidth_gbs",
        "machine.node.1.read_gbs",
        "machine.triad_gbs",
        "machine.node.2.copy_gbs",
        "machine.link_gbs",
        "machine.shared_link.xGMI 1.0.gbs",
        "machine.bandwidth_matrix_gbs.1.0",
        "machine.sharing.remote_loss",
        "app.mem.arithmetic_intensity",
        "app.mem.min_threads",
        "app.mem.max_threads",
        "app.mem.weight",
        "app.mem.work_gflop",
    ];
    for key in keys {
        let figure = found(key).expect("a figure");
        let mut figures = Figures::of(&machine(), &apps());
        figures.set(&figure, 3.0);
        let changed = figures.machine(&machine()).expect("a machine");
        let now = figure.values(&changed, &figures.apps);
        assert!(!now.is_empty() && now.iter().all(|&value| value == 3.0), "{key}: {now:?}");
        for other in keys.iter().map(|other| found(other).expect("a figure")) {
            let before = other.values(&machine(), &apps());
            let same = other.values(&changed, &figures.apps) == before;
            let overlaps = other.key() == figure.key()
                || matches!((&other, &figure), (Figure::Link(_), Figure::Link(_)));
            assert!(same || overlaps, "{key} changes {other:?}");
        }
    }
}

#[test]
fn changes_start_from_the_value_and_skip_missing_values() {
    let mut figures = Figures::of(&machine(), &apps());
    figures.change(&Figure::Node(&crate::keys::machine::CORE_BANDWIDTH_GBS, None), |old| 2.0 * old);
    let changed = figures.machine(&machine()).expect("a machine");
    let limits: Vec<_> = changed.nodes().iter().map(|node| node.core_bandwidth).collect();
    assert_eq!(limits, [Some(GigabytesPerSecond::new(24.0)), None, None]);
}

#[test]
fn every_node_refers_to_the_nodes_with_cores_in_the_files() {
    // All cores are removed first, then the peak of "every node" is set: the order does not matter.
    let (cores, peak) = (found("machine.cores_per_node"), found("machine.gflops_per_core"));
    let mut figures = Figures::of(&machine(), &apps());
    figures.set(&cores.expect("a figure"), 0.0);
    figures.set(&peak.expect("a figure"), 7.0);
    figures.set(&found("machine.node.0.cores").expect("a figure"), 1.0);
    let changed = figures.machine(&machine()).expect("a machine");
    assert_eq!(changed.node(NodeId(0)).gflops_per_core, Gflops::new(7.0));
}

#[test]
fn invalid_keys_are_reported_with_their_reason() {
    assert_eq!(found("machine"), Err(KeyError::Incomplete));
    assert_eq!(found("scenario.s.threads.one"), Err(KeyError::Table("scenario".to_owned())));
    assert!(matches!(found("machine.links"), Err(KeyError::Unknown { table, .. }) if table == "machine"));
    assert!(matches!(found("machine.node.0.link_gbs"), Err(KeyError::Unknown { .. })));
    assert_eq!(found("machine.shared_link.UPI.gbs"), Err(KeyError::SharedLink("UPI".to_owned())));
    assert_eq!(found("machine.shared_link.gbs"), Err(KeyError::Incomplete));
    assert_eq!(found("machine.node.3.cores"), Err(KeyError::Node("3".to_owned())));
    assert_eq!(found("app.two.weight"), Err(KeyError::App("two".to_owned())));
    let (from, to) = (NodeId(2), NodeId(0));
    assert_eq!(found("machine.bandwidth_matrix_gbs.2.0"), Err(KeyError::NoReader { from, to }));
    let unused = KeyError::Unused(Parameter::EcmPenalty, ModelKind::BaselineProportional);
    assert_eq!(found("machine.sharing.ecm_penalty"), Err(unused));
    let lines = KeyError::NeedsLatencies(Parameter::OutstandingLines);
    assert_eq!(found("machine.sharing.outstanding_lines"), Err(lines));
}

#[test]
fn units_and_ranges_match_the_key() {
    let of = |key: &str| found(key).map(|figure| (figure.unit(), figure.range())).expect("a figure");
    assert_eq!(of("machine.cores_per_node"), ("", ValueRange::whole(1, MAX_CORES_PER_NODE)));
    assert_eq!(of("machine.link_gbs"), ("GB/s", ValueRange::Positive));
    assert_eq!(of("app.one.weight"), ("", ValueRange::NotNegative));
    assert_eq!(of("app.one.work_gflop"), ("GFLOP", ValueRange::Positive));
    assert_eq!(of("machine.sharing.core_local_gbs").0, "GB/s");
    assert_eq!(of("machine.node.0.cores"), ("", ValueRange::whole(0, MAX_CORES_PER_NODE)));
    let count = ValueRange::whole(0, 7);
    assert!(count.contains(0.0) && count.contains(7.0));
    assert!([-1.0, 0.5, 8.0, f64::NAN, f64::INFINITY].iter().all(|&value| !count.contains(value)));
    assert!(!ValueRange::Positive.contains(f64::INFINITY) && !ValueRange::NotNegative.contains(-0.1));
    assert!(!ValueRange::Parameter(Parameter::LinkEfficiency).contains(1.1));
}
