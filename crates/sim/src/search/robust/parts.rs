//! Splits the space of one set of homes by thread totals until joint bounds close it, and walks the parts that remain open.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use numasim_model::{AppId, Placement};

use super::bound::{Joint, Part};
use super::walk::Tree;
use super::{Best, EQUAL, Panel};
use crate::monitor::Monitor;
use crate::parallel;
use crate::search::budget::{Budget, Settings};
use crate::search::homes::HomeSets;
use crate::search::uniform::{self, Keeps};

/// Parts split at the same time, from the same cutoff.
const BATCH: usize = 8;
/// Programs for the bound of a part.
const THOROUGH: usize = 60;
/// Programs to judge a place to split, and number of places judged.
const TRIAL: usize = 8;
const TRIALS: usize = 6;
/// Steps for a first walk, before any split: often that is enough.
const FIRST_WALK: u64 = 200_000;

/// Parts by their bound, the largest first; in a tie, the older one.
struct Open(Part, usize);

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.bound.total_cmp(&other.0.bound).then(other.1.cmp(&self.1))
    }
}

/// The exact search for one set of decided placements.
pub(super) struct Parts<'s, 'a> {
    pub(super) panel: &'s Panel<'a>,
    pub(super) joint: &'s Joint<'a>,
    pub(super) placements: &'s [Placement],
    pub(super) monitor: &'a dyn Monitor,
}

impl Parts<'_, '_> {
    /// The cost of walking everything without any bound, in steps.
    pub(super) fn walking(panel: &Panel<'_>, joint: &Joint<'_>) -> f64 {
        joint.relaxations[0].allocations() * (panel.members.len() as u64 + Tree::steps_to_rate(panel)) as f64
    }

    /// Searches everything above the cutoff of `best`. Returns an upper bound on the merit of the remainder; -infinity if there is none.
    pub(super) fn search(&self, root: Part, best: &mut Best, budget: &mut Budget) -> f64 {
        let steps = if Self::walking(self.panel, self.joint) < budget.left() as f64 {
            budget.left()
        } else {
            FIRST_WALK
        };
        let mut first = budget.at_most(steps);
        let walked = self.walk(&root, best, &mut first);
        budget.settle(first);
        if walked || root.bound <= best.cutoff() {
            return f64::NEG_INFINITY;
        }
        let mut splitting = budget.at_most(budget.left() / 2);
        let mut queue = BinaryHeap::from([Open(root, 0)]);
        let (mut created, mut stubborn) = (1, Vec::new());
        while !self.monitor.stop() && !splitting.is_spent() {
            let mut batch = Vec::new();
            while batch.len() < BATCH
                && let Some(Open(part, _)) = queue.pop()
            {
                if part.bound > best.cutoff() {
                    batch.push(part);
                }
            }
            if batch.is_empty() {
                break;
            }
            let known = self.known(best);
            let cutoff = best.cutoff();
            let split: Vec<(Part, Option<[Part; 2]>)> = parallel::map(batch, |part| {
                let halves = self.split(&part, cutoff, &known);
                (part, halves)
            });
            for (part, halves) in split {
                let Some(halves) = halves else {
                    splitting.spend(1);
                    stubborn.push(part);
                    continue;
                };
                for half in halves {
                    splitting.spend(half.work);
                    queue.push(Open(half, created));
                    created += 1;
                }
            }
        }
        budget.settle(splitting);
        stubborn.extend(queue.into_sorted_vec().into_iter().rev().map(|open| open.0));
        self.walk_all(&stubborn, best, budget)
    }

    fn walk_all(&self, parts: &[Part], best: &mut Best, budget: &mut Budget) -> f64 {
        let mut open = f64::NEG_INFINITY;
        for (position, part) in parts.iter().enumerate() {
            if part.bound <= best.cutoff() {
                continue;
            }
            let mut share = budget.at_most(budget.left() / (parts.len() - position) as u64 + 1);
            if budget.is_spent() || self.monitor.stop() || !self.walk(part, best, &mut share) {
                open = open.max(part.bound);
            }
            budget.settle(share);
        }
        // The remainder from before a better answer was found.
        if open <= best.cutoff() { f64::NEG_INFINITY } else { open }
    }

    /// Walks a part; returns whether everything above the cutoff was visited.
    fn walk(&self, part: &Part, best: &mut Best, budget: &mut Budget) -> bool {
        if self.monitor.stop() {
            return false;
        }
        Tree::new(self.panel, self.joint, self.placements, part, best.cutoff()).search(
            best,
            budget,
            self.monitor,
        )
    }

    /// Splits a part at the place that lowers the bound most, if any. Halves record the cost of judging.
    fn split(&self, part: &Part, cutoff: f64, known: &[u32]) -> Option<[Part; 2]> {
        let mut work = 0;
        let mut least: Option<(f64, [Part; 2])> = None;
        for (counter, cut) in self.places(part, known) {
            let halves = part.ranges.split(counter, cut).map(|ranges| {
                self.joint.bounded(ranges, &part.prices, &part.cuts, cutoff, TRIAL, self.monitor)
            });
            work += halves[0].work + halves[1].work;
            let [low, high] = [halves[0].bound.min(halves[1].bound), halves[0].bound.max(halves[1].bound)];
            // The worse half counts most, the better one a little.
            let left = (high - cutoff).max(0.0) + 0.2 * (low - cutoff).max(0.0);
            if least.as_ref().is_none_or(|(least, _)| left < *least) {
                least = Some((left, halves));
            }
            if left <= 0.0 || self.monitor.stop() {
                break;
            }
        }
        let (_, halves) = least?;
        let mut halves = halves.map(|half| {
            let mut better = if half.bound > cutoff {
                let ranges = half.ranges.clone();
                self.joint.bounded(ranges, &half.prices, &half.cuts, cutoff, THOROUGH, self.monitor)
            } else {
                half.clone()
            };
            better.bound = better.bound.min(half.bound).min(part.bound);
            better
        });
        halves[0].work += work;
        Some(halves)
    }

    /// Places at which a split may help: around the mean of the relaxed optimum, then around the best known answer.
    fn places(&self, part: &Part, known: &[u32]) -> Vec<(usize, u32)> {
        let ranges = &part.ranges;
        let one_class = self.joint.classes().iter().filter(|class| class.table.len() > 1).count() < 2;
        let counters = if one_class { self.joint.apps() } else { ranges.lowest.len() };
        let width = |counter: usize| ranges.highest[counter].saturating_sub(ranges.lowest[counter]);
        let mut open: Vec<usize> = (0..counters).filter(|&counter| width(counter) > 0).collect();
        open.sort_by_key(|&counter| (std::cmp::Reverse(width(counter)), counter));
        let clamped = |counter: usize, cut: u32| {
            (counter, cut.clamp(ranges.lowest[counter], ranges.highest[counter] - 1))
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range")]
        let mean = |&counter: &usize| clamped(counter, part.threads[counter].max(0.0) as u32);
        let around_known = open.iter().flat_map(|&counter| {
            let threads = known.get(counter).copied().unwrap_or(0);
            [clamped(counter, threads), clamped(counter, threads.saturating_sub(1))]
        });
        let mut places: Vec<(usize, u32)> = Vec::new();
        for place in open.iter().take(TRIALS / 2).map(mean).chain(around_known) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.truncate(TRIALS);
        places
    }

    /// The threads of the best known answer per counter.
    fn known(&self, best: &Best) -> Vec<u32> {
        let apps = self.joint.apps();
        let allocation = &best.candidate.allocation;
        let mut known = vec![0; apps];
        for class in self.joint.classes() {
            for a in 0..apps {
                let threads: u32 = class.nodes.iter().map(|&node| allocation.get(AppId(a), node)).sum();
                known[a] += threads;
                known.push(threads);
            }
        }
        known
    }
}

// The proof: every set of homes is bounded, and those that could beat the best are searched.

/// Programs for the bound of a set of homes.
const ROOT: usize = 150;
/// Up to this number of steps, the space is walked without a bound.
const FEW_STEPS: f64 = 1_000_000.0;

/// Searches everything that could beat `best`. Returns an upper bound on the merit of the remainder, or of the best if there is none.
pub(super) fn prove(panel: &Panel<'_>, best: &mut Best, settings: &Settings, monitor: &dyn Monitor) -> f64 {
    // A loss cannot be below 0.
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
        // Every set gets its share, so that one difficult set does not keep the others open.
        let mut share = budget.at_most(budget.left() / (sets.len() - position).min(8) as u64 + 1);
        open = open.max(with_homes(panel, homes, sets.len(), best, &mut share, monitor).min(*bound));
        budget.settle(share);
    }
    open.max(best.candidate.score)
}

/// Each set of homes with a bound from the models one by one, the largest first; `None` if they are too many to evaluate.
fn home_sets(
    panel: &Panel<'_>,
    budget: &mut Budget,
    monitor: &dyn Monitor,
) -> Option<Vec<(Vec<Placement>, f64)>> {
    if panel.question().open_apps().is_empty() {
        return Some(vec![(Vec::new(), f64::INFINITY)]);
    }
    let mut sets: Vec<(Vec<Placement>, f64)> = Vec::new();
    for (number, (problem, scale)) in panel.members.iter().enumerate() {
        let of = HomeSets::new(problem, budget.left() / panel.members.len() as u64, monitor);
        budget.spend(of.work);
        let listed = of.listed?;
        if number == 0 {
            sets = listed.iter().map(|set| (set.homes.clone(), f64::INFINITY)).collect();
        }
        // Models for which other nodes are equal list other sets.
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

/// Searches one set of homes. Returns an upper bound on the remainder; -infinity if there is none.
fn with_homes(
    panel: &Panel<'_>,
    homes: &[Placement],
    sets: usize,
    best: &mut Best,
    budget: &mut Budget,
    monitor: &dyn Monitor,
) -> f64 {
    let placements = panel.question().placements(homes);
    let same = panel.question().restrictions.same_on_every_node;
    let most = uniform::MOST / (sets * panel.members.len());
    if same && uniform::are_at_most(panel.question(), most, monitor) {
        let (rater, cost) = (|| panel.rater(&placements), panel.evaluation_cost());
        if uniform::rate_all(panel.question(), &placements, rater, cost, best, monitor) {
            return f64::NEG_INFINITY;
        }
    }
    let Some(joint) = Joint::new(panel, &placements, 1, monitor) else { return f64::INFINITY };
    let known: Vec<(usize, usize)> =
        if joint.listed { super::bound::options_of(&joint, &best.candidate) } else { Vec::new() };
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
