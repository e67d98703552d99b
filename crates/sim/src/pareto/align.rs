//! Points of a front one after the other, with as few differences as exchanges of equals allow.

use std::cmp::Reverse;

use numasim_model::{AppId, NodeId, Placement};

use super::archive::Entry;
use crate::problem::Problem;
use crate::symmetry::{app_classes, node_classes};

/// Above this many cells nobody compares allocations by eye.
const MOST_CELLS: usize = 1024;
/// Thread counts that are compared in all: a fraction of a second, whatever the front.
const MOST_STEPS: usize = 50_000_000;

/// An exchange of equals.
#[derive(Clone, Copy)]
enum Exchange {
    Nodes(NodeId, NodeId),
    Apps(AppId, AppId),
}

/// Renames equal nodes and equal instances of each entry so that it looks most like the one before it. Its values stay
/// the same but for rounding. What would take too long keeps its names.
pub(super) fn align(problem: &Problem, entries: &mut [Entry]) {
    let (apps, nodes) = (problem.apps.len(), problem.machine.node_count());
    if apps * nodes > MOST_CELLS {
        return;
    }
    let fixed: Vec<Placement> = problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
    let same_nodes = pairs(&node_classes(&problem.machine, &problem.apps, &fixed, fixed.len() < apps));
    let same_apps = pairs(&app_classes(&problem.machine, &problem.apps));
    let exchanges: Vec<Exchange> = same_nodes
        .into_iter()
        .map(|(a, b)| Exchange::Nodes(NodeId(a), NodeId(b)))
        .chain(same_apps.into_iter().map(|(a, b)| Exchange::Apps(AppId(a), AppId(b))))
        .collect();
    let mut steps = 0;
    for i in 1..entries.len() {
        let (before, rest) = entries.split_at_mut(i);
        let (Some(before), Some(entry)) = (before.last(), rest.first_mut()) else { return };
        loop {
            steps += exchanges.len() * apps.max(nodes);
            if steps > MOST_STEPS {
                return;
            }
            let best = exchanges.iter().map(|&exchange| (gain(before, entry, exchange), exchange));
            match best.min_by_key(|&(gain, _)| Reverse(gain)) {
                Some((gain, exchange)) if gain > 0 => make(entry, exchange),
                _ => break,
            }
        }
    }
}

fn pairs(classes: &[usize]) -> Vec<(usize, usize)> {
    let all = (0..classes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.filter(|&(a, b)| classes[a] == classes[b]).collect()
}

/// By how much fewer threads run elsewhere than in `before`, and homes lie elsewhere, once `exchange` is made.
fn gain(before: &Entry, entry: &Entry, exchange: Exchange) -> i64 {
    let threads = |a: (AppId, NodeId), b: (AppId, NodeId)| {
        let apart = |from: (AppId, NodeId), to: (AppId, NodeId)| {
            i64::from(before.allocation.get(from.0, from.1).abs_diff(entry.allocation.get(to.0, to.1)))
        };
        apart(a, a) + apart(b, b) - apart(a, b) - apart(b, a)
    };
    let homes = |app: usize, placement: &Placement| i64::from(before.placements[app] != *placement);
    match exchange {
        Exchange::Nodes(a, b) => (0..entry.placements.len())
            .map(|app| {
                let placement = &entry.placements[app];
                let moved = homes(app, placement) - homes(app, &with_home_exchanged(placement, a, b));
                threads((AppId(app), a), (AppId(app), b)) + moved
            })
            .sum(),
        Exchange::Apps(a, b) => {
            let nodes = (0..entry.allocation.nodes()).map(NodeId);
            let (of_a, of_b) = (&entry.placements[a.0], &entry.placements[b.0]);
            let moved = homes(a.0, of_a) + homes(b.0, of_b) - homes(a.0, of_b) - homes(b.0, of_a);
            nodes.map(|node| threads((a, node), (b, node))).sum::<i64>() + moved
        }
    }
}

fn make(entry: &mut Entry, exchange: Exchange) {
    let nodes = entry.allocation.nodes();
    let mut swap = |one: (AppId, NodeId), other: (AppId, NodeId)| {
        let (first, second) = (entry.allocation.get(one.0, one.1), entry.allocation.get(other.0, other.1));
        entry.allocation.set(one.0, one.1, second);
        entry.allocation.set(other.0, other.1, first);
    };
    match exchange {
        Exchange::Nodes(a, b) => {
            (0..entry.placements.len()).map(AppId).for_each(|app| swap((app, a), (app, b)));
            for placement in &mut entry.placements {
                *placement = with_home_exchanged(placement, a, b);
            }
        }
        Exchange::Apps(a, b) => {
            (0..nodes).map(NodeId).for_each(|node| swap((a, node), (b, node)));
            entry.placements.swap(a.0, b.0);
        }
    }
}

fn with_home_exchanged(placement: &Placement, a: NodeId, b: NodeId) -> Placement {
    match placement {
        Placement::Home(home) if *home == a => Placement::Home(b),
        Placement::Home(home) if *home == b => Placement::Home(a),
        Placement::PartHome { home, share } if *home == a => Placement::PartHome { home: b, share: *share },
        Placement::PartHome { home, share } if *home == b => Placement::PartHome { home: a, share: *share },
        other => other.clone(),
    }
}
