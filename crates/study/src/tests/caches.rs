//! Caches and distances of machines in files; tasks use them.

use super::{MACHINE, problem, read};
use crate::ProblemKind;
use numasim_model::ids::NodeId;
use numasim_model::units::{GigabytesPerSecond, Megabytes};

/// Two nodes of 4 cores with these keys.
fn with(keys: &str) -> String {
    format!("{MACHINE}{keys}\n")
}

#[test]
fn caches_and_distances_of_machines_are_read() {
    let machine = read(&with("")).study.machine;
    assert_eq!((machine.says_caches(), machine.has_distances()), (false, false));
    let keys = "llc_mb = 20\nllc_gbs = 25\ndistance_matrix = [[10, 21], [20.5, 10]]";
    let machine = read(&with(keys)).study.machine;
    let cache = machine.cache(NodeId(1)).expect("a cache");
    assert_eq!(
        (cache.size, cache.core_bandwidth),
        (Megabytes::new(20.0), Some(GigabytesPerSecond::new(25.0)))
    );
    assert_eq!(machine.distance(NodeId(1), NodeId(0)), Some(20.5));
    let none = read(&with("llc_mb = 0")).study.machine;
    assert_eq!((none.cache(NodeId(0)), none.says_caches()), (None, true));
}

#[test]
fn a_node_may_have_another_cache_than_the_machine_or_none() {
    let nodes = |first: &str, second: &str| {
        format!(
            "[machine]\nname = \"m\"\nbandwidth_gbs = 9\nlink_gbs = 8\nllc_mb = 20\n[[machine.node]]\ncores = 4\n\
             gflops_per_core = 10\n{first}\n[[machine.node]]\ncores = 4\ngflops_per_core = 10\n{second}\n"
        )
    };
    let machine = read(&nodes("llc_mb = 0", "llc_gbs = 3")).study.machine;
    assert_eq!(machine.cache(NodeId(0)), None);
    let cache = machine.cache(NodeId(1)).expect("a cache");
    assert_eq!(
        (cache.size, cache.core_bandwidth),
        (Megabytes::new(20.0), Some(GigabytesPerSecond::new(3.0)))
    );
}

#[test]
fn invalid_caches_and_distances_are_rejected() {
    for (keys, kind, marked) in [
        ("llc_mb = -1", ProblemKind::BadValue, "-1"),
        ("llc_mb = 20\nllc_gbs = 0", ProblemKind::BadValue, "0"),
        ("llc_gbs = 25.0", ProblemKind::MissingKey, "25.0"),
        ("distance_matrix = [[10, 0], [20, 10]]", ProblemKind::BadValue, "0"),
        ("distance_matrix = [[10, 20]]", ProblemKind::WrongLength, "[[10, 20]]"),
        ("distance_matrix = [[10, 20], [20]]", ProblemKind::WrongLength, "[20]"),
    ] {
        assert_eq!(problem(&with(keys)), (kind, marked.to_owned()), "{keys}");
    }
}
