//! What a GB/s of a kernel that writes stands for, where the machine says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use numasim_draw::figures;

use crate::ScenarioView;

/// Lines that say in which GB/s the calculation counts; empty where all are the same.
pub(super) fn note(view: &ScenarioView) -> String {
    // Per kernel and factor: the memories. All flows of a scenario that is explained are listed.
    let mut found: BTreeMap<(&str, u64), BTreeSet<usize>> = BTreeMap::new();
    for flow in view.evaluation.flows.iter().filter(|flow| flow.occupied != 1.0) {
        let kernel = view.apps[flow.app.0].kernel.as_str();
        found.entry((kernel, flow.occupied.to_bits())).or_default().insert(flow.memory.0);
    }
    if found.is_empty() {
        return String::new();
    }
    let mut text = "Everything that is shared is counted in GB/s of reads:\n".to_owned();
    for ((kernel, occupied), nodes) in found {
        let nodes: Vec<usize> = nodes.into_iter().collect();
        let stands_for = figures::short(f64::from_bits(occupied));
        let memories = figures::nodes(&nodes);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  1 GB/s of the kernel {kernel} stands for {stands_for} of them on {memories} (bandwidth_gbs / {kernel}_gbs)."
        );
    }
    text + "\n"
}
