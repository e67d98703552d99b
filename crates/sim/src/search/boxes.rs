//! Splits the space by thread totals until bounds close it: the outer level of the exact search.
//!
//! Node by node the search would visit very many allocations that differ only in where equal threads stand, all as good
//! as the relaxation says. What closes the gap is that threads are whole: "application 3 has at most 9 threads" or "at
//! least 10" makes both halves provably worse than the relaxation of the whole. Each box of ranges is bounded by the
//! dual; the most promising box is split first, at the counter whose two halves have the lowest bounds. Boxes that
//! resist are searched node by node.
//!
//! What other nodes draw of a memory where they may get less than they ask ([`super::watch`]) is one more range; where halves may end it, it
//! is cut first until it is narrow. Where applications read several memories, how many threads they have is cut first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use numasim_model::{AppId, NodeId, Placement};

use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::{Evaluator, Problem};
use crate::search::branch::{Tree, steps_to_rate};
use crate::search::budget::{Beside, Budget};
use crate::search::dual::{Effort, Improved, Ranges, Relaxation};
use crate::search::halves;
use crate::search::halves::{Halved, Halves};
use crate::search::pool::{Canonical, Pool};
use crate::search::watch::reads_own;

/// Boxes split at the same time, from the same cutoff.
const BATCH: usize = 16;
/// Open parts at which those of a max-min objective are tried in halves: by then their bounds know of whole threads.
const PARTS_BEFORE_HALVES: usize = 6;
/// Steps for a first try node by node, before any split: often that is enough. Tests ask small questions, and shall see parts, too.
const FIRST_TRY: u64 = if cfg!(test) { 20 } else { 200_000 };
/// Allocations of a part that is searched node by node before it is split any further.
const SMALL: f64 = 3e6;
/// Steps for a search in halves of a part of which little is left.
const LITTLE: u64 = 6_000_000;
/// Most options that parts have lists of their own for, all together; after that parts share the list of what they were cut from.
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
    /// Tries at once what may be quick; `None` where nothing above the cutoff of `pool` is open then. `beside`: so many others are open at the same time.
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

    /// Steps of a budget that are for splitting; with the others what is left is searched node by node.
    pub(super) fn for_splitting(&self, budget: Budget) -> u64 {
        let kept = if self.relaxation.exact { budget.left() / 2 } else { budget.left() / 8 };
        budget.left() - kept
    }

    /// Splits what is open, the most promising first, until nothing that can be split is above `until`, or the budget is spent.
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
                budget.spend(work);
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

    /// Tries parts by halves, then the whole; whether that covered everything.
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

    /// Searches what is open node by node; returns an upper bound on what was not searched, -infinity if everything was.
    pub(super) fn finish(&self, front: Front<'a>, pool: &mut Pool, budget: &mut Budget) -> f64 {
        let mut parts = front.stubborn;
        parts.extend(front.queue);
        parts.sort_by(|a, b| b.cmp(a));
        self.search_node_by_node(&parts, pool, budget)
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

    fn part_in_halves(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget, most: f64) -> bool {
        let Part { relaxation, ranges, improved, .. } = part;
        self.in_halves(relaxation, ranges, improved, pool, budget, most)
    }

    /// The same where what other nodes draw is known so well that hardly anything is left to look at, for a little while.
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
            // Every part gets its share, so that one stubborn part does not keep the others open.
            let mut share = budget.at_most(budget.left() / (parts.len() - position) as u64 + 1);
            let later = parts.get(position + 1).map_or(f64::NEG_INFINITY, |part| part.improved.bound);
            open_bound = open_bound.max(self.tree(part, pool, &mut share, later.max(open_bound)));
            budget.settle(share);
        }
        open_bound
    }

    /// Searches a part node by node in which so few allocations are left that no split would be as quick; whether that covered it.
    fn small_node_by_node(&self, part: &Part<'_>, pool: &mut Pool, budget: &mut Budget) -> bool {
        if part.relaxation.allocations() > SMALL {
            return false;
        }
        let mut little = budget.at_most(FIRST_TRY);
        let open_bound = self.tree(part, pool, &mut little, f64::INFINITY);
        budget.settle(little);
        open_bound <= pool.cutoff()
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
}

// What is open of a set of placements while it is split.

/// What is open of a set of placements: its parts so far.
pub(in crate::search) struct Front<'a> {
    pub(super) all: Part<'a>,
    pub(super) queue: BinaryHeap<Part<'a>>,
    /// Parts that cannot be split.
    pub(super) stubborn: Vec<Part<'a>>,
    pub(super) created: usize,
    pub(super) tried_halves: bool,
    /// Steps spent on splitting, and those after which halves are tried at the latest.
    pub(super) spent: u64,
    pub(super) halfway: u64,
    /// Most options that parts have lists of their own for.
    pub(super) listed: usize,
}

impl Front<'_> {
    /// Nothing that is open has a better score.
    pub(in crate::search) fn bound(&self) -> f64 {
        let stubborn = self.stubborn.iter().map(|part| part.improved.bound);
        stubborn.fold(self.splits_below(), f64::max)
    }

    /// The same of what can still be split; -infinity where nothing can.
    pub(in crate::search) fn splits_below(&self) -> f64 {
        self.queue.peek().map_or(f64::NEG_INFINITY, |part| part.improved.bound)
    }

    /// Whether there are more than a few allocations for each part: else it is quicker to go through them node by node.
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
    /// With the options that are left in it.
    pub(super) relaxation: Arc<Relaxation<'a>>,
    pub(super) improved: Improved,
    /// Order of creation: breaks ties, so that the order of work is fixed.
    pub(super) number: usize,
}

impl Part<'_> {
    /// Drops what cannot lead above `cutoff` in this part from its list.
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

// Where a part of the space is split, and what its two parts are.

/// Work on the bound of a box that may be split.
const THOROUGH: Effort = Effort { steps: 30, cuts: 60 };
/// Work to judge where to split.
const TRIAL: Effort = Effort { steps: 20, cuts: 12 };
/// Fewer threads that read over links than these are counted nearly one by one.
const FEW: u32 = 8;
/// Places judged per split.
const TRIALS: usize = 24;

impl Boxes<'_, '_> {
    /// Where a split may help: around the mean of the relaxed optimum, and around the best known answer (threads per
    /// counter in `known`).
    fn places(&self, part: &Part<'_>, known: &[u32]) -> Vec<(usize, u32)> {
        let Part { ranges, improved, .. } = part;
        if let Some(place) = self.readers_first(&part.relaxation, ranges) {
            return vec![place];
        }
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

    /// The threads of an application that reads over links, on the machine or on a class of nodes, where that may still be anything: how many such
    /// threads there are, and where, says what all others keep, and before that is known no other split helps.
    fn readers_first(&self, relaxation: &Relaxation<'_>, ranges: &Ranges) -> Option<(usize, u32)> {
        if relaxation.exact || relaxation.classes.iter().all(|class| class.kept.is_none()) {
            return None;
        }
        let apps = self.problem.apps.len();
        let Ranges { lowest, highest, .. } = &ranges.tightened(apps);
        let machine = &self.problem.machine;
        let over_links =
            |a: usize| !machine.compute_nodes().all(|node| reads_own(machine, &self.placements[a], node));
        // Each of a few threads counts.
        let slack = |k: usize| if lowest[k] < FEW { lowest[k] / 4 } else { lowest[k] / 2 };
        let wide = |k: &usize| highest[*k] > lowest[*k] + slack(*k) && over_links(*k % apps);
        let ratio = |k: usize| f64::from(highest[k] + 1) / f64::from(lowest[k] + 1);
        let widest = |counters: std::ops::Range<usize>| {
            counters.filter(wide).max_by(|&j, &k| ratio(j).total_cmp(&ratio(k)).then(k.cmp(&j)))
        };
        let counter = widest(0..apps).or_else(|| widest(apps..lowest.len()))?;
        let middle = (f64::from(highest[counter] + 1) * f64::from(lowest[counter] + 1)).sqrt() - 1.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two counts")]
        let cut = (middle as u32).clamp(lowest[counter], highest[counter] - 1);
        Some((counter, cut))
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

    /// Splits a box where it lowers the bound most; `None` if it cannot be split. Also says what that
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
        let evaluator = Evaluator::new(self.problem, self.placements.to_vec());
        let few = relaxation.foremost(improved, ranges);
        let (judged, from) = match &few {
            Some(few) => (few.relaxation(), few.here(improved)),
            None => (&**relaxation, improved.clone()),
        };
        let reads_first = !relaxation.knows_what_is_drawn() && halves::may_end(self.relaxation);
        let by_threads = if reads_first { Vec::new() } else { self.places(part, known) }.into_iter();
        let by_threads = by_threads.map(|(counter, cut)| ranges.split(counter, cut).map(Side::Threads));
        let by_reads =
            relaxation.cuts_of_what_is_drawn().into_iter().take(if reads_first { 1 } else { usize::MAX });
        let by_reads = by_reads.map(|(watch, ends)| ends.map(|range| Side::Drawn { watch, range }));
        let mut best: Option<(f64, [Side; 2], [Improved; 2])> = None;
        let mut work = if few.is_some() { relaxation.pricing() } else { 0 };
        let mut places: Vec<[Side; 2]> = by_threads.chain(by_reads).collect();
        if places.len() == 1 {
            // Nothing to compare.
            best = places.pop().map(|sides| (0.0, sides, [improved.clone(), improved.clone()]));
        }
        for sides in places {
            let trials = sides.each_ref().map(|side| {
                let half = side.ranges().unwrap_or(ranges);
                match side.of(judged, &from, &evaluator) {
                    Some((judged, from)) => judged.improve(&from, half, cutoff, TRIAL),
                    None => judged.improve(&from, half, cutoff, TRIAL),
                }
            });
            work += trials[0].work + trials[1].work;
            let (low, high) = (trials[0].bound.min(trials[1].bound), trials[0].bound.max(trials[1].bound));
            // Mostly the worse half counts, a little the better one.
            let left = (high - cutoff).max(0.0) + 0.2 * (low - cutoff).max(0.0);
            if best.as_ref().is_none_or(|(least, ..)| left < *least) {
                best = Some((left, sides, trials));
            }
            if left <= 0.0 || self.monitor.stop() {
                break;
            }
        }
        let Some((_, sides, trials)) = best else { return (None, work) };
        let [below, above] = sides;
        let finish = |side: Side, trial: &Improved| {
            // What few options say of a half is no bound on all of them; the cuts of a shorter list have other numbers.
            let trial = Improved {
                bound: if few.is_some() { f64::INFINITY } else { trial.bound },
                cuts: improved.cuts.clone(),
                ..trial.clone()
            };
            let half = side.ranges().unwrap_or(ranges).clone();
            let (relaxation, trial) = match side.of(relaxation, &trial, &evaluator) {
                Some((less, trial)) => (Arc::new(less), trial),
                None => (Arc::clone(relaxation), trial),
            };
            let is_open = trial.bound > cutoff;
            let relaxation = if is_open && has_room && relaxation.least_differs(&part.ranges, &half) {
                Arc::new(relaxation.with_least(&half))
            } else {
                relaxation
            };
            // What is cut again at once is not worth much work.
            let again = (reads_first && !relaxation.knows_what_is_drawn())
                || self.readers_first(&relaxation, &half).is_some();
            let effort = if again { TRIAL } else { THOROUGH };
            let mut better =
                if is_open { relaxation.improve(&trial, &half, cutoff, effort) } else { trial.clone() };
            better.bound = better.bound.min(trial.bound).min(improved.bound);
            Part { ranges: half, relaxation, improved: better, number: 0 }
        };
        let parts = [finish(below, &trials[0]), finish(above, &trials[1])];
        work += parts.iter().map(|part| part.improved.work).sum::<u64>();
        (Some(parts), work)
    }
}

/// One of two parts.
enum Side {
    /// Threads are in these ranges.
    Threads(Ranges),
    /// What other nodes draw of a watched memory is in this range, GB/s.
    Drawn { watch: usize, range: (f64, f64) },
}

impl Side {
    /// The ranges of threads, where they are other ones than before.
    fn ranges(&self) -> Option<&Ranges> {
        match self {
            Self::Threads(ranges) => Some(ranges),
            Self::Drawn { .. } => None,
        }
    }

    /// The relaxation of this part, and prices to begin with; `None` where that of the whole is as good.
    fn of<'a>(
        &self,
        relaxation: &Relaxation<'a>,
        from: &Improved,
        evaluator: &Evaluator<'_>,
    ) -> Option<(Relaxation<'a>, Improved)> {
        match self {
            Self::Threads(ranges) => relaxation.within(from, ranges),
            Self::Drawn { watch, range } => relaxation.where_drawn(from, evaluator, *watch, *range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TRIAL;
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
        // (2, 0) beside (0, 2): 16/32 and 20/40; (1, 1) twice: 20/32 and 20/40. Nothing gives `cpu` more than 1/2
        // and `mem` as much.
        assert!(pool.best().is_some_and(|best| (best.score - 0.5).abs() < 1e-9), "{:?}", pool.best());
    }
}
