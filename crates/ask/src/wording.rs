//! Machines and nodes as titles and sentences name them.

use numasim_draw::figures;
use numasim_model::{Machine, NodeId};

use crate::numbers;

/// `4 x Xeon (4 NUMA nodes, 80 cores)`
pub fn machine_title(machine: &Machine) -> String {
    let nodes = figures::count(machine.node_count() as u64, "NUMA node");
    format!("{} ({nodes}, {})", machine.name(), figures::count(machine.total_cores(), "core"))
}

/// `0-3, 6`
pub fn node_ranges(nodes: &[NodeId]) -> String {
    figures::ranges(&numbers(nodes))
}
