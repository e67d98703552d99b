//! Machines unchanged, and without their NUMA properties.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Machine, NodeId};

use super::Failure;

/// The nodes with cores.
pub(crate) fn sockets(machine: &Machine) -> Vec<NodeId> {
    machine.compute_nodes().collect()
}

/// The machine without any difference between local and remote: every latency is that of the local node, links have the bandwidth of the
/// fastest controller, pairs share no links, and there are no last-level caches.
pub(crate) fn without_numa(machine: &Machine) -> Result<Machine, Failure> {
    let nodes = machine.node_count();
    let local = |pair: usize| machine.latency_ns(NodeId(pair / nodes), NodeId(pair / nodes)).unwrap_or(0.0);
    let widest = machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
    let links = vec![GigabytesPerSecond::new(widest); nodes * nodes];
    let machine = machine.retuned(machine.nodes().to_vec(), links)?.with_shared_links(Vec::new())?;
    // A machine without latencies needs no change.
    let has_latencies = machine.latency_ns(NodeId(0), NodeId(0)).is_some();
    let machine = if has_latencies {
        machine.with_latencies_ns((0..nodes * nodes).map(local).collect())?
    } else {
        machine
    };
    Ok(machine.with_caches(vec![None; nodes])?)
}

/// The machine without last-level caches.
pub(crate) fn without_caches(machine: &Machine) -> Result<Machine, Failure> {
    Ok(machine.clone().with_caches(vec![None; machine.node_count()])?)
}
