//! The proof: every set of homes is bounded, and what could beat the best is searched.

use numasim_model::NodeId;

use super::joint::Joint;
use super::panel::{Best, EQUAL, Panel};
use super::parts::Parts;
use super::{every_node, joint};
use crate::monitor::Monitor;
use crate::search::budget::Budget;
use crate::search::homes::HomeSets;
use crate::search::settings::Settings;

/// Programs for the bound of a set of homes.
const ROOT: usize = 150;
/// Steps that are walked without a bound.
const FEW_STEPS: f64 = 1_000_000.0;
/// Most evaluations of contents where every node gets the same.
const MOST_ON_EVERY_NODE: usize = 20_000_000;

/// Searches everything that could beat `best`. Returns an upper bound on the merit of what was left open, or of the best where
/// nothing was.
pub(super) fn prove(panel: &Panel<'_>, best: &mut Best, settings: &Settings, monitor: &dyn Monitor) -> f64 {
    // Nobody loses less than nothing.
    if panel.regret(best.candidate.score) <= EQUAL {
        return best.candidate.score;
    }
    let mut budget = Budget::new(settings.effort);
    let Some(sets) = home_sets(panel, &mut budget, monitor) else {
        let joint = Joint::with_homes_anywhere(panel, monitor);
        let start = joint.start_prices();
        return joint.bounded(joint.everything(), &start, &[], best.cutoff(), ROOT, monitor).bound;
    };
    let mut open = f64::NEG_INFINITY;
    for (position, (homes, bound)) in sets.iter().enumerate() {
        if *bound <= best.cutoff() {
            continue;
        }
        // Every set gets its share, so that one stubborn set does not keep the others open.
        let mut share = budget.at_most(budget.left() / (sets.len() - position).min(8) as u64 + 1);
        open = open.max(with_homes(panel, homes, sets.len(), best, &mut share, monitor).min(*bound));
        budget.settle(share);
    }
    open.max(best.candidate.score)
}

/// Each set of homes with a bound from the models one by one, the largest first; `None` where they are too many to be looked at.
fn home_sets(
    panel: &Panel<'_>,
    budget: &mut Budget,
    monitor: &dyn Monitor,
) -> Option<Vec<(Vec<NodeId>, f64)>> {
    if panel.question().open_apps().is_empty() {
        return Some(vec![(Vec::new(), f64::INFINITY)]);
    }
    let mut sets: Vec<(Vec<NodeId>, f64)> = Vec::new();
    for (number, (problem, scale)) in panel.members.iter().enumerate() {
        let of = HomeSets::new(problem, budget.left() / panel.members.len() as u64, monitor);
        budget.spend(of.work);
        let listed = of.listed?;
        if number == 0 {
            sets = listed.iter().map(|set| (set.homes.clone(), f64::INFINITY)).collect();
        }
        // Models that see other nodes as equal list other sets.
        if sets.len() != listed.len() || sets.iter().zip(&listed).any(|(set, of)| set.0 != of.homes) {
            return None;
        }
        for (set, of) in sets.iter_mut().zip(&listed) {
            set.1 = set.1.min(scale.merit(of.bound));
        }
    }
    sets.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(sets)
}

/// Searches one set of homes. Returns an upper bound on what was left open; -infinity if nothing was.
fn with_homes(
    panel: &Panel<'_>,
    homes: &[NodeId],
    sets: usize,
    best: &mut Best,
    budget: &mut Budget,
    monitor: &dyn Monitor,
) -> f64 {
    let placements = panel.question().placements(homes);
    let same = panel.question().restrictions.same_on_every_node;
    let most = MOST_ON_EVERY_NODE / (sets * panel.members.len());
    if same && every_node::search(panel, &placements, most, best, monitor) {
        return f64::NEG_INFINITY;
    }
    let Some(joint) = Joint::new(panel, &placements, 1, monitor) else { return f64::INFINITY };
    let known: Vec<(usize, usize)> =
        if joint.listed { joint::options_of(&joint, &best.candidate) } else { Vec::new() };
    let start = joint.start_prices();
    // A few allocations are rated in less time than a linear program takes.
    let rounds = if joint.listed && Parts::walking(panel, &joint) < FEW_STEPS { 0 } else { ROOT };
    let root = joint.bounded(joint.everything(), &start, &known, best.cutoff(), rounds, monitor);
    budget.spend(root.work);
    if root.bound <= best.cutoff() {
        return f64::NEG_INFINITY;
    }
    if same || !joint.listed || budget.is_spent() || monitor.stop() {
        return root.bound;
    }
    let bound = root.bound;
    Parts { panel, joint: &joint, placements: &placements, monitor }.search(root, best, budget).min(bound)
}
