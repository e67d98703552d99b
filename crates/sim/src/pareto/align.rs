//! Points of a front one after the other, with as few differences as exchanges of equals allow.

use numasim_model::{AppId, NodeId, Placement};

use super::archive::Entry;
use crate::problem::Problem;
use crate::symmetry::{app_classes, node_classes};

/// Above this many cells nobody compares allocations by eye.
const MOST_CELLS: usize = 1024;

/// Renames equal nodes and equal instances of each entry so that it looks most like the one before it. Its values stay
/// the same but for rounding.
pub(super) fn align(problem: &Problem, entries: &mut [Entry]) {
    let (apps, nodes) = (problem.apps.len(), problem.machine.node_count());
    if apps * nodes > MOST_CELLS {
        return;
    }
    let fixed: Vec<Placement> = problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
    let same_nodes = pairs(&node_classes(&problem.machine, &fixed, fixed.len() < apps));
    let same_apps = pairs(&app_classes(&problem.apps));
    for i in 1..entries.len() {
        let (before, rest) = entries.split_at_mut(i);
        let (Some(before), Some(entry)) = (before.last(), rest.first_mut()) else { return };
        let mut distance = difference(before, entry);
        loop {
            let renamed = same_nodes.iter().map(|&(a, b)| with_nodes_exchanged(entry, NodeId(a), NodeId(b)));
            let renamed = renamed.chain(same_apps.iter().map(|&(a, b)| with_apps_exchanged(entry, a, b)));
            let best = renamed.map(|other| (difference(before, &other), other)).min_by_key(|(d, _)| *d);
            match best {
                Some((smaller, other)) if smaller < distance => {
                    distance = smaller;
                    *entry = other;
                }
                _ => break,
            }
        }
    }
}

fn pairs(classes: &[usize]) -> Vec<(usize, usize)> {
    let all = (0..classes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.filter(|&(a, b)| classes[a] == classes[b]).collect()
}

/// Threads that run elsewhere, and homes that lie elsewhere.
fn difference(a: &Entry, b: &Entry) -> u64 {
    let cells = a.allocation.as_slice().iter().zip(b.allocation.as_slice());
    let threads: u64 = cells.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    threads + a.placements.iter().zip(&b.placements).filter(|(a, b)| a != b).count() as u64
}

fn with_nodes_exchanged(entry: &Entry, a: NodeId, b: NodeId) -> Entry {
    let mut renamed = entry.clone();
    for app in (0..entry.placements.len()).map(AppId) {
        renamed.allocation.set(app, a, entry.allocation.get(app, b));
        renamed.allocation.set(app, b, entry.allocation.get(app, a));
    }
    for placement in &mut renamed.placements {
        match placement {
            Placement::Home(home) if *home == a => *home = b,
            Placement::Home(home) if *home == b => *home = a,
            _ => {}
        }
    }
    renamed
}

fn with_apps_exchanged(entry: &Entry, a: usize, b: usize) -> Entry {
    let mut renamed = entry.clone();
    for node in (0..entry.allocation.nodes()).map(NodeId) {
        renamed.allocation.set(AppId(a), node, entry.allocation.get(AppId(b), node));
        renamed.allocation.set(AppId(b), node, entry.allocation.get(AppId(a), node));
    }
    renamed.placements.swap(a, b);
    renamed
}
