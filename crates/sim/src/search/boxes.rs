//! Splits the space by thread totals until bounds close it: the outer level of the exact search.
//!
//! A search node by node would visit very many allocations that differ only in the placement of equal threads, all as good as the
//! relaxation. Whole numbers of threads close the gap: "application 3 has at most 9 threads" or "at least 10" makes both halves provably
//! worse than the relaxation of the whole. The dual bounds each box of ranges. The most promising box is split first, at the counter whose
//! two halves have the lowest bounds. Boxes that remain open are searched node by node.
//!
//! The bandwidth that other nodes draw from a memory where they may get less than they ask ([`super::watch`]) is one more range. If meeting
//! in the middle may close the box, this range is cut first until it is narrow. If applications read several memories, their number of
//! threads is cut first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use numasim_model::Placement;

use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::Problem;
use crate::search::branch::{Tree, steps_to_rate};
use crate::search::budget::{Beside, Budget};
use crate::search::dual::{Improved, Ranges, Relaxation};
use crate::search::halves;
use crate::search::halves::{Halved, Halves};
use crate::search::pool::{Canonical, Pool};

mod split;

/// Boxes split at the same time, from the same cutoff.
const BATCH: usize = 16;
/// Number of open parts from which those of a max-min objective are tried in halves: their bounds then account for whole threads.
const PARTS_BEFORE_HALVES: usize = 6;
/// Steps for a first try node by node, before any split: often that is enough. Tests ask small questions and must also reach splitting.
const FIRST_TRY: u64 = if cfg!(test) { 20 } else { 200_000 };
/// A part with fewer allocations is searched node by node before it is split further.
const SMALL: f64 = 3e6;
/// Steps for a search in halves of a part with few remaining allocations.
const LITTLE: u64 = 6_000_000;
/// Maximum number of options in separate lists of parts, all together. Beyond that, parts share the list of the part they were cut from.
const MOST_LISTED: usize = 4_000_000;

/// The exact search for one set of decided placements.
pub(super) struct Boxes<'b, 'a> {
    pub(super) problem: &'a Problem,
    pub(super) relaxation: &'b Relaxation<'a>,
    pub(super) placements: &'b [Placement],
    pub(super) canonical: &'b Canonical,
    pub(super) monitor: &'b dyn Monitor,
}

impl<'a> Boxes<'_, 'a> {
    /// Tries the quick methods first. Returns `None` if nothing above the cutoff of `pool` is open afterwards. `beside`: number of other
    /// open cells.
    pub(super) fn begin(
        &self,
        root: Improved,
        pool: &mut Pool,
        budget: &mut Budget,
        beside: usize,
    ) -> Option<Front<'a>> {
        let relaxation = Arc::new(self.relaxation.clone());
        let mut all = Part { ranges: relaxation.everything(), relaxation, improved: root, number: 0 };
        all.leave_out(pool.cutoff());
        let mut first_try = budget.at_most(self.first_try(*budget));
        let open_bound = self.tree(&all, pool, &mut first_try, f64::NEG_INFINITY);
        budget.settle(first_try);
        (open_bound > pool.cutoff()).then(|| Front {
            queue: BinaryHeap::from([all.clone()]),
            all,
            stubborn: Vec::new(),
            created: 1,
            tried_halves: false,
            spent: 0,
            halfway: self.for_splitting(*budget) / 2,
            listed: MOST_LISTED / beside.max(1),
        })
    }

    /// Steps of a budget for splitting; the remaining ones are for the search node by node.
    pub(super) fn for_splitting(&self, budget: Budget) -> u64 {
        let kept = if self.relaxation.exact { budget.left() / 2 } else { budget.left() / 8 };
        budget.left() - kept
    }

    /// Splits open parts, the most promising first, until no part that can be split is above `until`, or the budget is spent.
    pub(super) fn split_down(&self, front: &mut Front<'a>, until: f64, pool: &mut Pool, budget: &mut Budget) {
        let before = *budget;
        while !self.monitor.stop() && !budget.is_spent() && front.splits_below() > until {
            let halfway = front.spent + (before.left() - budget.left()) >= front.halfway;
            if !front.tried_halves && (front.queue.len() >= PARTS_BEFORE_HALVES || halfway) {
                front.tried_halves = true;
                if self.front_in_halves(front, pool, budget) {
                    break;
                }
            }
            let mut batch = Vec::new();
            let has_room = front.queue.iter().map(Part::listed).sum::<usize>() < front.listed;
            while batch.len() < BATCH
                && let Some(mut part) = front.queue.pop()
            {
                if part.improved.bound <= pool.cutoff() || self.narrow_in_halves(&part, pool, budget) {
                    continue;
                }
                if has_room {
                    part.leave_out(pool.cutoff());
                }
                if !self.small_node_by_node(&part, pool, budget) {
                    batch.push(part);
                }
            }
            let cutoff = pool.cutoff();
            if batch.is_empty() {
                break;
            }
            let open = batch.iter().chain(&front.stubborn);
            let bound = open.map(|part| part.improved.bound).fold(f64::NEG_INFINITY, f64::max);
            self.monitor.progress(&budget.progress(self.problem, pool.best(), bound));
            let known = self.known(pool);
            let split: Vec<(Part<'_>, Option<[Part<'_>; 2]>, u64)> = parallel::map(batch, |part| {
                let (halves, work) = self.split(&part, cutoff, &known, has_room);
                (part, halves, work)
            });
            for (part, halves, work) in split {
                // Laying out the curves of one part costs more than a share for several.
                if part.relaxation.laying_out() > 0 {
                    budget.overspend(work);
                } else {
                    budget.spend(work);
                }
                let Some(halves) = halves else {
                    front.stubborn.push(part);
                    continue;
                };
                for mut half in halves {
                    half.number = front.created;
                    front.created += 1;
                    front.queue.push(half);
                }
            }
        }
        front.spent += before.left() - budget.left();
    }

    /// Tries parts by halves, then the whole; returns whether that covered everything.
    fn front_in_halves(&self, front: &mut Front<'a>, pool: &mut Pool, budget: &mut Budget) -> bool {
        let parts = std::mem::take(&mut front.queue).into_sorted_vec();
        for part in parts.into_iter().rev() {
            if part.improved.bound > pool.cutoff()
                && !self.part_in_halves(&part, pool, budget, halves::THOROUGH)
            {
                front.queue.push(part);
            }
        }
        let covered =
            !front.queue.is_empty() && self.part_in_halves(&front.all, pool, budget, halves::THOROUGH);
        if covered {
            front.queue.clear();
            front.stubborn.clear();
        }
        covered
    }

    /// Searches open parts node by node. Returns an upper bound on the remainder, -infinity if everything was searched.
    pub(super) fn finish(&self, front: Front<'a>, pool: &mut Pool, budget: &mut Budget) -> f64 {
        let mut parts = front.stubborn;
        parts.extend(front.queue);
        parts.sort_by(|a, b| b.cmp(a));
        self.search_node_by_node(&parts, pool, budget)
    }

    /// Steps for a first try node by node. If threads elsewhere can help, bounds are so weak that it is better to cover a small space at
    /// once.
    fn first_try(&self, budget: Budget) -> u64 {
        let steps = self.relaxation.allocations() * (1 + steps_to_rate(self.relaxation)) as f64;
        let small = !self.relaxation.exact && steps < budget.left() as f64;
        if small { budget.left() } else { FIRST_TRY }
    }

    /// Searches a part by halves; false if that is impossible with `most` sums of a half. Only for the best answer: of several options with
    /// the same effect it keeps one.
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

    fn part_in_halves(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget, most: f64) -> bool {
        let Part { relaxation, ranges, improved, .. } = part;
        self.in_halves(relaxation, ranges, improved, pool, budget, most)
    }

    /// Searches by halves, for a short time, if the bandwidth of other nodes is known so precisely that few allocations remain.
    fn narrow_in_halves(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget) -> bool {
        if !part.relaxation.knows_what_is_drawn() {
            return false;
        }
        let mut little = budget.at_most(LITTLE);
        let done = self.part_in_halves(part, pool, &mut little, halves::QUICK);
        budget.settle(little);
        done
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
        if !pool.is_for_one() || (relaxation.is_drawn_from() && !relaxation.knows_what_is_drawn()) {
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
            // Every part gets its share, so that one difficult part does not keep the others open.
            let mut share = budget.at_most(budget.left() / (parts.len() - position) as u64 + 1);
            let later = parts.get(position + 1).map_or(f64::NEG_INFINITY, |part| part.improved.bound);
            open_bound = open_bound.max(self.tree(part, pool, &mut share, later.max(open_bound)));
            budget.settle(share);
        }
        open_bound
    }

    /// Searches a part node by node if it has so few allocations that a split would be slower; returns whether that covered it.
    fn small_node_by_node(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget) -> bool {
        if part.relaxation.allocations() > SMALL {
            return false;
        }
        let mut little = budget.at_most(FIRST_TRY);
        let open_bound = self.tree(part, pool, &mut little, f64::INFINITY);
        budget.settle(little);
        open_bound <= pool.cutoff()
    }

    /// Searches one part node by node; returns a bound on the remainder. No other part has anything better than `elsewhere`.
    fn tree(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget, elsewhere: f64) -> f64 {
        let Part { ranges, relaxation, improved, .. } = part;
        let prices = &improved.prices;
        let tree =
            Tree::new(self.problem, relaxation, self.placements, prices, ranges, pool.cutoff(), self.monitor);
        let Some(tree) = tree else { return improved.bound };
        let monitor = Beside::new(self.monitor, self.problem, improved.bound, elsewhere);
        tree.search(self.canonical, pool, budget, &monitor).open_bound.min(improved.bound)
    }
}

// The open parts of a set of placements while it is split.

/// The open parts of a set of placements so far.
pub(in crate::search) struct Front<'a> {
    pub(super) all: Part<'a>,
    pub(super) queue: BinaryHeap<Part<'a>>,
    /// Parts that cannot be split.
    pub(super) stubborn: Vec<Part<'a>>,
    pub(super) created: usize,
    pub(super) tried_halves: bool,
    /// Steps spent on splitting, and the number of steps after which halves are tried at the latest.
    pub(super) spent: u64,
    pub(super) halfway: u64,
    /// Maximum number of options in separate lists of parts.
    pub(super) listed: usize,
}

impl Front<'_> {
    /// No open part has a better score.
    pub(in crate::search) fn bound(&self) -> f64 {
        let stubborn = self.stubborn.iter().map(|part| part.improved.bound);
        stubborn.fold(self.splits_below(), f64::max)
    }

    /// The same bound for parts that can still be split; -infinity if there are none.
    pub(in crate::search) fn splits_below(&self) -> f64 {
        self.queue.peek().map_or(f64::NEG_INFINITY, |part| part.improved.bound)
    }

    /// Whether there are more than a few allocations for each part: otherwise a search node by node is quicker.
    pub(in crate::search) fn is_worth_splitting(&self) -> bool {
        const FEW: f64 = 16.0;
        !self.queue.is_empty() && FEW * (self.created as f64) < self.all.relaxation.allocations()
    }

    /// Steps spent on splitting so far.
    pub(in crate::search) const fn spent(&self) -> u64 {
        self.spent
    }
}

// Parts of the space that are split, the most promising first.

/// A part of the space with its bound.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) ranges: Ranges,
    /// Contains the options that are left in it.
    pub(super) relaxation: Arc<Relaxation<'a>>,
    pub(super) improved: Improved,
    /// Order of creation: breaks ties, so that the order of work is fixed.
    pub(super) number: usize,
}

impl Part<'_> {
    /// Drops options from its list that cannot lead above `cutoff` in this part.
    pub(super) fn leave_out(&mut self, cutoff: f64) {
        if let Some((less, improved)) = self.relaxation.above(&self.improved, &self.ranges, cutoff) {
            (self.relaxation, self.improved) = (Arc::new(less), improved);
        }
    }

    /// Its share of the options of its list.
    pub(super) fn listed(&self) -> usize {
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

#[cfg(test)]
mod tests {
    use super::split::TRIAL;
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    fn boxes<'a>(
        problem: &'a Problem,
        relaxation: &'a Relaxation<'a>,
        canonical: &'a Canonical,
    ) -> Boxes<'a, 'a> {
        Boxes { problem, relaxation, placements: &LOCAL, canonical, monitor: &Unattended }
    }

    #[test]
    fn both_parts_of_a_split_cover_the_box_and_are_bounded_by_it() {
        let problem = question(2, Objective::Fair);
        let relaxation = relaxation(&problem);
        let (canonical, pool) = pool_with(&problem, &[vec![1, 1], vec![1, 1]]);
        let boxes = boxes(&problem, &relaxation, &canonical);
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
        let boxes = boxes(&problem, &relaxation, &canonical);
        let root = relaxation.improve(&relaxation.start(), &relaxation.everything(), pool.cutoff(), TRIAL);
        let mut budget = Budget::new(1_000_000);
        if let Some(mut front) = boxes.begin(root, &mut pool, &mut budget, 1) {
            boxes.split_down(&mut front, f64::NEG_INFINITY, &mut pool, &mut budget);
            assert_eq!(boxes.finish(front, &mut pool, &mut budget), f64::NEG_INFINITY);
        }
        // (2, 0) with (0, 2): 16/32 and 20/40; (1, 1) twice: 20/32 and 20/40. No allocation gives `cpu` more than 1/2 and `mem` also more
        // than 1/2.
        assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
    }
}
