//! Splits the space by thread totals until bounds close it: the outer level of the exact search.
//!
//! Node by node the search would visit very many allocations that differ only in where equal threads stand, all as good
//! as the relaxation says. What closes the gap is that threads are whole: "application 3 has at most 9 threads" or "at
//! least 10" makes both halves provably worse than the relaxation of the whole. Each box of ranges is bounded by the
//! dual; the most promising box is split first, at the counter whose two halves have the lowest bounds. Boxes that
//! resist are searched node by node.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::parallel::prelude::*;
use numasim_model::{AppId, NodeId, Placement};

use super::beside::Beside;
use super::branch::{Tree, steps_to_rate};
use super::budget::Budget;
use super::dual::{Effort, Improved, Ranges, Relaxation};
use super::halves::{self, Halved, Halves};
use super::pool::{Canonical, Pool};
use crate::monitor::Monitor;
use crate::problem::Problem;

/// Boxes split at the same time, from the same cutoff.
const BATCH: usize = 16;
/// Work on the bound of a box that may be split.
const THOROUGH: Effort = Effort { steps: 30, cuts: 60 };
/// Work to judge where to split.
const TRIAL: Effort = Effort { steps: 20, cuts: 12 };
/// Places judged per split.
const TRIALS: usize = 24;
/// Open parts at which those of a max-min objective are tried in halves: by then their bounds know of whole threads.
const PARTS_BEFORE_HALVES: usize = 6;
/// Steps for a first try node by node, before any split: often that is enough.
const FIRST_TRY: u64 = 200_000;
/// The part of the budget for splitting; the rest is for what resists.
const SPLITTING_SHARE: u64 = 2;
/// Most options that parts have lists of their own for, all together; after that parts share the list of what they were cut from.
const MOST_LISTED: usize = 4_000_000;

/// A part of the space with its bound.
#[derive(Clone)]
struct Part<'a> {
    ranges: Ranges,
    /// With the options that are left in it.
    relaxation: Arc<Relaxation<'a>>,
    improved: Improved,
    /// Order of creation: breaks ties, so that the order of work is fixed.
    number: usize,
}

impl Part<'_> {
    /// Drops what cannot lead above `cutoff` in this part from its list.
    fn leave_out(&mut self, cutoff: f64) {
        if let Some((less, improved)) = self.relaxation.above(&self.improved, &self.ranges, cutoff) {
            (self.relaxation, self.improved) = (Arc::new(less), improved);
        }
    }

    /// Its share of the options of its list.
    fn listed(&self) -> usize {
        self.relaxation.options() / Arc::strong_count(&self.relaxation).max(1)
    }
}

impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part<'_> {}

impl PartialOrd for Part<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.improved.bound.total_cmp(&other.improved.bound).then(other.number.cmp(&self.number))
    }
}

/// The exact search for one set of decided placements.
pub(super) struct Boxes<'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'a Relaxation<'a>,
    pub(super) placements: &'a [Placement],
    pub(super) canonical: &'a Canonical,
    pub(super) monitor: &'a dyn Monitor,
}

impl Boxes<'_> {
    /// Searches everything above the cutoff of `pool`, as far as `budget` and the monitor allow.
    ///
    /// Returns an upper bound on what was not searched; -infinity if everything was.
    pub(super) fn search(&self, root: Improved, pool: &mut Pool, budget: &mut Budget) -> f64 {
        let relaxation = Arc::new(self.relaxation.clone());
        let mut whole = Part { ranges: relaxation.everything(), relaxation, improved: root, number: 0 };
        whole.leave_out(pool.cutoff());
        let mut first_try = budget.at_most(self.first_try(*budget));
        let open_bound = self.tree(&whole, pool, &mut first_try, f64::NEG_INFINITY);
        budget.settle(first_try);
        if open_bound <= pool.cutoff() {
            return f64::NEG_INFINITY;
        }
        let all = whole.clone();
        let mut splitting = budget.at_most(budget.left() / SPLITTING_SHARE);
        let before_splitting = splitting.left();
        let mut tried_halves = false;
        let mut queue = BinaryHeap::from([whole]);
        let mut created = 1;
        let mut stubborn = Vec::new();
        while !self.monitor.stop() && !splitting.is_spent() {
            let halfway = splitting.left() < before_splitting / 2;
            if !tried_halves && (queue.len() >= PARTS_BEFORE_HALVES || halfway) {
                tried_halves = true;
                let parts = std::mem::take(&mut queue).into_sorted_vec();
                for part in parts.into_iter().rev() {
                    if part.improved.bound > pool.cutoff()
                        && !self.part_in_halves(&part, pool, &mut splitting)
                    {
                        queue.push(part);
                    }
                }
                if !queue.is_empty() && self.part_in_halves(&all, pool, &mut splitting) {
                    return f64::NEG_INFINITY;
                }
            }
            let cutoff = pool.cutoff();
            let mut batch = Vec::new();
            while batch.len() < BATCH
                && let Some(part) = queue.pop()
            {
                if part.improved.bound > cutoff {
                    batch.push(part);
                }
            }
            if batch.is_empty() {
                break;
            }
            let open = batch.iter().chain(&stubborn);
            let bound = open.map(|part| part.improved.bound).fold(f64::NEG_INFINITY, f64::max);
            self.monitor.progress(&splitting.progress(self.problem, pool.best(), bound));
            let known = self.known(pool);
            let listed: usize = queue.iter().chain(&batch).map(Part::listed).sum();
            let split: Vec<(Part<'_>, Option<[Part<'_>; 2]>, u64)> = batch
                .into_par_iter()
                .map(|mut part| {
                    let has_room = listed < MOST_LISTED;
                    if has_room {
                        part.leave_out(cutoff);
                    }
                    let (halves, work) = self.split(&part, cutoff, &known, has_room);
                    (part, halves, work)
                })
                .collect();
            for (part, halves, work) in split {
                splitting.spend(work);
                let Some(halves) = halves else {
                    stubborn.push(part);
                    continue;
                };
                for mut half in halves {
                    half.number = created;
                    created += 1;
                    queue.push(half);
                }
            }
        }
        budget.settle(splitting);
        stubborn.extend(queue);
        stubborn.sort_by(|a, b| b.cmp(a));
        self.search_node_by_node(&stubborn, pool, budget)
    }

    /// Steps for a first try node by node: where threads elsewhere can help, bounds are so weak that a space that is small
    /// enough is better covered at once.
    fn first_try(&self, budget: Budget) -> u64 {
        let steps = self.relaxation.allocations() * (1 + steps_to_rate(self.relaxation)) as f64;
        let small = !self.relaxation.exact && steps < budget.left() as f64;
        if small { budget.left() } else { FIRST_TRY }
    }

    /// Searches a part by halves; false if that is not possible with `most` sums of a half. Only for the best answer: among options of the same
    /// effect it knows one.
    pub(super) fn meet_in_the_middle(
        &self,
        ranges: &Ranges,
        improved: &Improved,
        pool: &mut Pool,
        budget: &mut Budget,
        most: f64,
    ) -> bool {
        self.in_halves(self.relaxation, ranges, improved, pool, budget, most)
    }

    fn part_in_halves(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget) -> bool {
        let Part { relaxation, ranges, improved, .. } = part;
        self.in_halves(relaxation, ranges, improved, pool, budget, halves::THOROUGH)
    }

    fn in_halves(
        &self,
        relaxation: &Relaxation<'_>,
        ranges: &Ranges,
        improved: &Improved,
        pool: &mut Pool,
        budget: &mut Budget,
        most: f64,
    ) -> bool {
        if !pool.is_for_one() {
            return false;
        }
        let Self { problem, placements, canonical, monitor, .. } = *self;
        let halves = Halves { problem, relaxation, placements, ranges, canonical, monitor };
        let Halved { complete, work } = halves.search(improved, pool, most, budget.left());
        budget.spend(work);
        complete
    }

    fn search_node_by_node(&self, parts: &[Part<'_>], pool: &mut Pool, budget: &mut Budget) -> f64 {
        let mut open_bound = f64::NEG_INFINITY;
        for (position, part) in parts.iter().enumerate() {
            let bound = part.improved.bound;
            if bound <= pool.cutoff() {
                continue;
            }
            if self.monitor.stop() || budget.is_spent() {
                open_bound = open_bound.max(bound);
                continue;
            }
            // Every part gets its share, so that one stubborn part does not keep the others open.
            let mut share = budget.at_most(budget.left() / (parts.len() - position) as u64 + 1);
            let later = parts.get(position + 1).map_or(f64::NEG_INFINITY, |part| part.improved.bound);
            open_bound = open_bound.max(self.tree(part, pool, &mut share, later.max(open_bound)));
            budget.settle(share);
        }
        open_bound
    }

    /// Searches one part node by node; returns a bound on what it left open. Nothing in other parts is better than `elsewhere`.
    fn tree(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget, elsewhere: f64) -> f64 {
        let Part { ranges, relaxation, improved, .. } = part;
        let prices = &improved.prices;
        let tree =
            Tree::new(self.problem, relaxation, self.placements, prices, ranges, pool.cutoff(), self.monitor);
        let Some(tree) = tree else { return improved.bound };
        let monitor = Beside::new(self.monitor, self.problem, improved.bound, elsewhere);
        tree.search(self.canonical, pool, budget, &monitor).open_bound.min(improved.bound)
    }

    /// Where a split may help: around the mean of the relaxed optimum, and around the best known answer (threads per
    /// counter in `known`).
    fn places(&self, part: &Part<'_>, known: &[u32]) -> Vec<(usize, u32)> {
        let Part { ranges, improved, .. } = part;
        let one_class = self.relaxation.classes.iter().filter(|class| class.table.len() > 1).count() < 2;
        let counters = if one_class { self.problem.apps.len() } else { ranges.lowest.len() };
        let open = |&counter: &usize| ranges.lowest[counter] < ranges.highest[counter];
        let clamp = |counter: usize, cut: u32| cut.clamp(ranges.lowest[counter], ranges.highest[counter] - 1);
        let around_known = (0..counters).filter(open).flat_map(|counter| {
            let threads = known.get(counter).copied().unwrap_or(0);
            [(counter, clamp(counter, threads)), (counter, clamp(counter, threads.saturating_sub(1)))]
        });
        let around_mean = (0..counters).filter(open).map(|counter| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to the range"
            )]
            let cut = improved.threads.get(counter).map_or(0.0, |threads| threads.max(0.0)) as u32;
            (counter, clamp(counter, cut))
        });
        let mut places: Vec<(usize, u32)> = around_known.chain(around_mean).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() > TRIALS {
            // Wide ranges first: they have been split least.
            let width = |counter: usize| ranges.highest[counter] - ranges.lowest[counter];
            places.sort_by_key(|&(counter, cut)| (std::cmp::Reverse(width(counter)), counter, cut));
            places.truncate(TRIALS);
        }
        places
    }

    /// The threads of the best known answer per counter.
    fn known(&self, pool: &Pool) -> Vec<u32> {
        let Some(best) = pool.best() else { return Vec::new() };
        let apps = self.problem.apps.len();
        let on = |nodes: &mut dyn Iterator<Item = NodeId>| -> Vec<u32> {
            let nodes: Vec<NodeId> = nodes.collect();
            (0..apps).map(|a| nodes.iter().map(|&n| best.allocation.get(AppId(a), n)).sum()).collect()
        };
        let mut known = on(&mut self.problem.machine.node_ids());
        for class in &self.relaxation.classes {
            known.extend(on(&mut class.nodes.iter().copied()));
        }
        known
    }

    /// Splits a box where it lowers the bound most; `None` if no counter can be split. Also says what that
    /// cost. Where lists have room, halves have their own of what threads get at least.
    ///
    /// Where options are many, the places are judged by those that earn most: which split is better needs no bound that holds.
    fn split<'p>(
        &self,
        part: &Part<'p>,
        cutoff: f64,
        known: &[u32],
        has_room: bool,
    ) -> (Option<[Part<'p>; 2]>, u64) {
        let Part { ranges, relaxation, improved, .. } = part;
        let places = self.places(part, known);
        let few = relaxation.foremost(improved, ranges);
        let (judged, from) = match &few {
            Some(few) => (few.relaxation(), few.here(improved)),
            None => (&**relaxation, improved.clone()),
        };
        let mut best: Option<(f64, [Ranges; 2], [Improved; 2])> = None;
        let mut work = if few.is_some() { relaxation.pricing() } else { 0 };
        for (counter, cut) in places {
            let halves = ranges.split(counter, cut);
            let trials = halves.each_ref().map(|half| match judged.within(&from, half) {
                Some((judged, from)) => judged.improve(&from, half, cutoff, TRIAL),
                None => judged.improve(&from, half, cutoff, TRIAL),
            });
            work += trials[0].work + trials[1].work;
            let (low, high) = (trials[0].bound.min(trials[1].bound), trials[0].bound.max(trials[1].bound));
            // Mostly the worse half counts, a little the better one.
            let left = (high - cutoff).max(0.0) + 0.2 * (low - cutoff).max(0.0);
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, halves, trials));
            }
            if left <= 0.0 || self.monitor.stop() {
                break;
            }
        }
        let Some((_, halves, trials)) = best else { return (None, work) };
        let [below, above] = halves;
        let finish = |ranges: Ranges, trial: &Improved| {
            // What few options say of a half is no bound on all of them; the cuts of a shorter list have other numbers.
            let trial = Improved {
                bound: if few.is_some() { f64::INFINITY } else { trial.bound },
                cuts: improved.cuts.clone(),
                ..trial.clone()
            };
            let (relaxation, trial) = match relaxation.within(&trial, &ranges) {
                Some((less, trial)) => (Arc::new(less), trial),
                None => (Arc::clone(relaxation), trial),
            };
            let is_open = trial.bound > cutoff;
            let relaxation = if is_open && has_room && relaxation.least_differs(&part.ranges, &ranges) {
                Arc::new(relaxation.with_least(&ranges))
            } else {
                relaxation
            };
            let mut better =
                if is_open { relaxation.improve(&trial, &ranges, cutoff, THOROUGH) } else { trial.clone() };
            better.bound = better.bound.min(trial.bound).min(improved.bound);
            Part { ranges, relaxation, improved: better, number: 0 }
        };
        let parts = [finish(below, &trials[0]), finish(above, &trials[1])];
        work += parts.iter().map(|part| part.improved.work).sum::<u64>();
        (Some(parts), work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn both_parts_of_a_split_cover_the_box_and_are_bounded_by_it() {
        let problem = question(2, Objective::Fair);
        let relaxation = relaxation(&problem);
        let (canonical, pool) = pool_with(&problem, &[vec![1, 1], vec![1, 1]]);
        let monitor = &Unattended;
        let boxes = Boxes {
            problem: &problem,
            relaxation: &relaxation,
            placements: &LOCAL,
            canonical: &canonical,
            monitor,
        };
        let ranges = relaxation.everything();
        let improved = relaxation.improve(&relaxation.start(), &ranges, pool.cutoff(), TRIAL);
        let listed = Arc::new(relaxation.clone());
        let part = Part { ranges: ranges.clone(), relaxation: listed, improved, number: 0 };
        let known = boxes.known(&pool);
        assert_eq!(known, [2, 2, 2, 2], "on the machine, and on its only class of nodes");
        let (Some([below, above]), work) = boxes.split(&part, f64::NEG_INFINITY, &known, true) else {
            panic!("there is something to split")
        };
        assert!(work > 0);
        let counter = (0..ranges.lowest.len())
            .find(|&k| below.ranges.highest[k] < ranges.highest[k])
            .expect("one counter is cut");
        assert_eq!(below.ranges.highest[counter] + 1, above.ranges.lowest[counter]);
        for half in [below, above] {
            assert!(half.improved.bound <= part.improved.bound);
        }
    }

    #[test]
    fn a_small_space_is_searched_whole() {
        let problem = question(2, Objective::Fair);
        let relaxation = relaxation(&problem);
        let (canonical, mut pool) = pool_with(&problem, &[vec![2, 0], vec![0, 1]]);
        let monitor = &Unattended;
        let boxes = Boxes {
            problem: &problem,
            relaxation: &relaxation,
            placements: &LOCAL,
            canonical: &canonical,
            monitor,
        };
        let root = relaxation.improve(&relaxation.start(), &relaxation.everything(), pool.cutoff(), TRIAL);
        assert_eq!(boxes.search(root, &mut pool, &mut Budget::new(1_000_000)), f64::NEG_INFINITY);
        // (2, 0) beside (0, 2): 16/32 and 20/40; (1, 1) twice: 20/32 and 20/40. Nothing gives `cpu` more than 1/2
        // and `mem` as much.
        assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
    }
}
