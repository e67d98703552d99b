//! Last-level caches, and how far the firmware says that memories are: nothing where no file says it.

use numasim_model::machine::LastLevelCache;
use numasim_model::{Machine, NodeId};

use super::grid;

/// What the nodes have, in few words; nodes with equal caches together.
pub(super) fn caches(machine: &Machine) -> Option<String> {
    if !machine.says_caches() {
        return None;
    }
    let all: Vec<Option<&LastLevelCache>> = machine.node_ids().map(|node| machine.cache(node)).collect();
    let runs = grid::runs(&all);
    let words = |cache: Option<&LastLevelCache>| match cache {
        None => "none".to_owned(),
        Some(cache) => {
            let size = format!("{} MB", grid::figure(cache.size.value()));
            match cache.core_bandwidth {
                Some(gbs) => format!("{size}, {} GB/s per core", grid::figure(gbs.value())),
                None => size,
            }
        }
    };
    if let [(_, cache)] = runs.as_slice() {
        return Some(match cache {
            None => "none".to_owned(),
            Some(_) => format!("{}, of each node", words(**cache)),
        });
    }
    let each = runs.iter().map(|(nodes, cache)| format!("node {}: {}", grid::range(nodes), words(**cache)));
    Some(each.collect::<Vec<_>>().join("; "))
}

/// A figure of each pair of nodes: the range of the own memory, and that of the others.
pub(super) fn own_and_others(
    machine: &Machine,
    unit: &str,
    of: impl Fn(NodeId, NodeId) -> Option<f64>,
) -> String {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for from in machine.compute_nodes() {
        for to in machine.node_ids() {
            if from == to { &mut own } else { &mut other }.extend(of(from, to));
        }
    }
    let range = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        if low < high {
            format!("{} to {}{unit}", grid::figure(low), grid::figure(high))
        } else {
            format!("{}{unit}", grid::figure(low))
        }
    };
    let words = format!("own memory {}", range(&own));
    if other.is_empty() { words } else { format!("{words}, other nodes {}", range(&other)) }
}
