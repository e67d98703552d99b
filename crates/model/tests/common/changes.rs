//! Cases derived from other cases.

use numasim_model::{Allocation, NodeId, Placement};
use proptest::sample::Index;

use super::{Case, links};

/// Node n becomes node new[n]: in the machine, in the placements and in the allocation.
pub(crate) fn renumbered(case: &Case, new: &[usize]) -> Case {
    let mut old = vec![NodeId(0); new.len()];
    new.iter().enumerate().for_each(|(from, &to)| old[to] = NodeId(from));
    let link = links(&case.machine);
    let nodes = old.iter().map(|&node| *case.machine.node(node)).collect();
    let mut moved = case.on(nodes, |from, memory| link(old[from.0], old[memory.0]));
    let mut shared_links = case.machine.shared_links().to_vec();
    for node in shared_links.iter_mut().flat_map(|shared| shared.from.iter_mut().chain(&mut shared.to)) {
        *node = NodeId(new[node.0]);
    }
    moved = moved.sharing(moved.machine.clone(), shared_links);
    for demand in &mut moved.demands {
        demand.placement = match &demand.placement {
            Placement::Home(home) => Placement::Home(NodeId(new[home.0])),
            Placement::PartHome { home, share } => {
                Placement::PartHome { home: NodeId(new[home.0]), share: *share }
            }
            Placement::Fractions(fractions) => {
                Placement::Fractions(old.iter().map(|node| fractions[node.0]).collect())
            }
            everywhere => everywhere.clone(),
        };
    }
    for app in case.apps() {
        for (to, &from) in old.iter().enumerate() {
            moved.allocation.set(app, NodeId(to), case.allocation.get(app, from));
        }
    }
    moved
}

/// The fraction `share` of `threads`, rounded down.
pub(crate) fn some_of(threads: u32, share: f64) -> u32 {
    (0..threads)
        .filter(|&thread| f64::from(thread) + 1.0 <= f64::from(threads) * share)
        .fold(0, |sum, _| sum + 1)
}

/// The case with one thread less; `None` if it has no thread.
pub(crate) fn without_one_thread(case: &Case, at: Index) -> Option<Case> {
    let taken: Vec<usize> =
        (0..case.allocation.as_slice().len()).filter(|&cell| case.allocation.as_slice()[cell] > 0).collect();
    let &cell = taken.get(at.index(taken.len().max(1)))?;
    let mut allocation: Allocation = case.allocation.clone();
    allocation.as_mut_slice()[cell] -= 1;
    Some(Case { allocation, ..case.clone() })
}
