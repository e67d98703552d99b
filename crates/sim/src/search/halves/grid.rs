//! The sums of the left half, stored so that those in a window can be looked up.

use std::sync::atomic::{AtomicU64, Ordering};

use numasim_model::{Allocation, AppId};

use crate::problem::Evaluator;
use crate::search::budget::Pace;
use crate::search::dual::{Class, Ranges};
use crate::search::halves::{Halves, Rest, Round, SINGLE, Sums};
use crate::search::pool::Pool;

/// Maximum number of sums of the left half: about 100 MB.
pub(super) const MOST_STORED: usize = 3_000_000;
/// Sides of a grid cell in windows; the first one that leaves cells nearly empty is used. Larger cells need fewer lookups, smaller ones
/// hold fewer sums.
const WINDOWS_PER_CELL: [f64; 4] = [8.0, 4.0, 2.0, 1.0];
/// Sums per grid cell at which few lookups are wasted.
const NEARLY_EMPTY: f64 = 0.5;

/// The sums of the left half, indexed by position.
pub(super) struct Grid {
    pub(super) apps: usize,
    /// P_a of each sum, single precision.
    pub(super) sums: Vec<f32>,
    /// Options of each sum, as positions in the kept lists.
    pub(super) chosen: Vec<u32>,
    pub(super) places: usize,
    /// Side of a cell per application, at least a window; `None` if the grid does not distinguish sums by it.
    pub(super) sides: Vec<Option<f64>>,
    /// First sum of each bucket plus 1; 0 if empty.
    pub(super) heads: Vec<u32>,
    /// Next sum of the same bucket plus 1.
    pub(super) next: Vec<u32>,
    /// Its cost, in steps of the search.
    pub(super) work: u64,
}

impl Grid {
    /// All sums of the left half with a slack within the gap, for at most `steps`.
    ///
    /// Of sums that differ by an exchange of twins, only the one in descending order is stored: every allocation can be renamed so that its
    /// left half is in this order. Before that, halves of the same classes can be exchanged so that the left one has at most half of the
    /// total of the last application and its twins.
    ///
    /// # Errors
    /// The wasted work, if there are too many sums, they cost too much or the monitor stopped it.
    pub(super) fn new(
        halves: &Halves<'_>,
        round: &Round,
        twins: &[bool],
        steps: u64,
    ) -> Result<Self, InVain> {
        let common = Common::new(steps);
        let apps = round.unit.len();
        let rests = (1..=round.left.len()).map(|d| round.rest(&[&round.left[d..], &round.right])).collect();
        let mut filling = Filling {
            halves,
            round,
            twins,
            smaller_half: round.smaller_half(twins),
            rests,
            before: vec![round.base.clone(); round.left.len() + 1],
            chosen: Vec::with_capacity(round.left.len()),
            found: Vec::new(),
            found_chosen: Vec::new(),
            pace: Pace::new(halves.monitor),
            meter: Meter::new(&common),
        };
        let complete = filling.extend(0.0);
        let Filling { found: sums, found_chosen: chosen, mut pace, meter, .. } = filling;
        meter.finish();
        let work = common.spent();
        let count = sums.len() / apps;
        if !complete || pace.stops_after(20 * count as u64) {
            return Err(InVain { work });
        }
        let mut grid = Self {
            apps,
            sums,
            chosen,
            places: round.left.len(),
            sides: Vec::new(),
            heads: vec![0; (2 * count).next_power_of_two().max(16)],
            next: vec![0; count],
            work,
        };
        grid.choose_sides(&round.windows);
        for sum in 0..count {
            if pace.stops_after(20) {
                return Err(InVain { work });
            }
            let at = grid.sums[sum * apps..(sum + 1) * apps].iter().map(|&p| f64::from(p));
            let bucket =
                grid.bucket(at.zip(&grid.sides).map(|(p, side)| side.map_or(0, |side| cell(p, side))));
            grid.next[sum] = grid.heads[bucket];
            grid.heads[bucket] = u32::try_from(sum + 1).unwrap_or(u32::MAX);
        }
        Ok(grid)
    }

    /// The largest cells that are nearly empty if sums are spread evenly.
    fn choose_sides(&mut self, windows: &[f64]) {
        let count = (self.sums.len() / self.apps) as f64;
        let range = |a: usize| {
            let of_app = self.sums.iter().skip(a).step_by(self.apps).map(|&p| f64::from(p));
            let (least, most) =
                of_app.fold((f64::INFINITY, 0.0_f64), |(least, most), p| (least.min(p), most.max(p)));
            (most - least).max(0.0)
        };
        let ranges: Vec<f64> = (0..self.apps).map(range).collect();
        for factor in WINDOWS_PER_CELL {
            let side = |window: &f64| window.is_finite().then_some((window + SINGLE) * factor);
            self.sides = windows.iter().map(side).collect();
            let parts = self
                .sides
                .iter()
                .zip(&ranges)
                .map(|(side, range)| side.map_or(1.0, |s| (range / s).max(1.0)));
            if count / parts.product::<f64>() <= NEARLY_EMPTY {
                return;
            }
        }
    }

    pub(super) fn bucket(&self, cells: impl Iterator<Item = i64>) -> usize {
        // Fibonacci hashing of each coordinate in turn.
        let mix = |hash: u64, cell: i64| {
            (hash.rotate_left(23) ^ cell.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let hash = cells.fold(0, mix);
        #[allow(clippy::cast_possible_truncation, reason = "as many high bits as there are buckets")]
        let bucket = (hash >> (64 - self.heads.len().trailing_zeros())) as usize;
        bucket
    }
}

pub(super) fn cell(p: f64, side: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "P is at most a few, sides are not below 1e-6")]
    let cell = (p / side).floor() as i64;
    cell
}

/// A grid that was not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InVain {
    /// Its cost, in steps of the search.
    pub(super) work: u64,
}

/// The walk over the left half that finds its sums.
struct Filling<'f> {
    halves: &'f Halves<'f>,
    round: &'f Round,
    twins: &'f [bool],
    /// The last application and its twins, from the first of them on, and their maximum total.
    smaller_half: Option<(usize, f64)>,
    /// The maximum that the places after each can add, including the right half.
    rests: Vec<Rest>,
    /// Sums of the places before each; the first is the contribution of nodes without a choice.
    before: Vec<Sums>,
    /// Positions in the kept lists.
    chosen: Vec<u32>,
    found: Vec<f32>,
    found_chosen: Vec<u32>,
    pace: Pace<'f>,
    meter: Meter<'f>,
}

impl Filling<'_> {
    /// Stores every sum that continues `chosen`. False if there are too many or they cost too much, or if stopped.
    fn extend(&mut self, slack: f64) -> bool {
        let depth = self.chosen.len();
        let apps = self.round.unit.len();
        let Some(place) = self.round.left.get(depth) else {
            let sum = &self.before[depth].p;
            let gflops = |a: usize| sum[a] * self.round.unit[a];
            let descending = (1..apps).all(|a| !self.twins[a] || gflops(a - 1) >= gflops(a) * (1.0 - 1e-9));
            let is_smaller = |(first, most)| self.round.gflops(first, sum.iter().copied()) <= most;
            if descending && self.smaller_half.is_none_or(is_smaller) {
                #[allow(clippy::cast_possible_truncation, reason = "the error is accounted for")]
                self.found.extend(sum.iter().map(|&p| p as f32));
                self.found_chosen.extend_from_slice(&self.chosen);
            }
            return !self.meter.exceeded_after(SUM) && self.found.len() <= MOST_STORED * apps;
        };
        let start = match self.chosen.last() {
            Some(&before) if place.same_as_before => before,
            _ => 0,
        };
        let table = &self.halves.relaxation.classes[place.class].table;
        for (position, kept) in (start..).zip(&self.round.kept[place.class][start as usize..]) {
            if self.meter.exceeded_after(COMPARISON) || self.pace.stops_after(4 * apps as u64) {
                return false;
            }
            if slack + kept.slack > self.round.gap {
                continue;
            }
            let (before, after) = self.before.split_at_mut(depth + 1);
            after[0].set(&before[depth], table, kept.option as usize, &self.round.unit);
            let watched = &self.halves.relaxation.watched;
            if !self.rests[depth].completes(&after[0].p, &self.round.windows, &after[0].reads, watched) {
                continue;
            }
            self.chosen.push(position);
            let go_on = self.extend(slack + kept.slack);
            self.chosen.pop();
            if !go_on {
                return false;
            }
        }
        true
    }
}

// The total cost of the walks of a batch.
//
// They run on several threads, and none knows the cost of the others. So all add to one counter, and each stops when the sum exceeds the
// limit. Whether that happens does not depend on the threads; the progress of each walk by then does.

/// Parts of a step: the cost of the cheapest operation, one lookup in a grid.
const PARTS_OF_STEP: u64 = 64;
/// Parts after which a walk reports its cost to the others: about 50 microseconds.
const BETWEEN_REPORTS: u64 = 1024 * PARTS_OF_STEP;

/// A lookup in a cell of the grid.
pub(super) const LOOKUP: u64 = 1;
/// An option that is tried for a place, or a pair of sums that is compared.
pub(super) const COMPARISON: u64 = PARTS_OF_STEP / 4;
/// A complete sum of a half.
pub(super) const SUM: u64 = PARTS_OF_STEP;

/// Parts of a step for these elementary operations (about a nanosecond each, as in [`crate::search::budget`]).
pub(super) fn operations(operations: u64) -> u64 {
    operations + operations / 4 // a step takes about 50 nanoseconds
}

/// The cost of all walks of a batch.
pub(super) struct Common {
    most: u64,
    parts: AtomicU64,
}

impl Common {
    /// A new counter with a limit of `steps`.
    pub(super) fn new(steps: u64) -> Self {
        Self { most: steps.saturating_mul(PARTS_OF_STEP), parts: AtomicU64::new(0) }
    }

    /// Whether the cost exceeds the limit.
    pub(super) fn is_exceeded(&self) -> bool {
        self.parts.load(Ordering::Relaxed) > self.most
    }

    /// The spent steps, capped at the limit.
    pub(super) fn spent(&self) -> u64 {
        self.parts.load(Ordering::Relaxed).min(self.most).div_ceil(PARTS_OF_STEP)
    }
}

/// The cost of one walk.
pub(super) struct Meter<'c> {
    common: &'c Common,
    /// Parts that are not reported to the others yet.
    unreported: u64,
    exceeded: bool,
}

impl<'c> Meter<'c> {
    pub(super) fn new(common: &'c Common) -> Self {
        Self { common, unreported: 0, exceeded: false }
    }

    /// Whether the batch has cost too much, `parts` of a step after the last call. Once true, it stays true.
    #[inline]
    pub(super) fn exceeded_after(&mut self, parts: u64) -> bool {
        self.unreported = self.unreported.saturating_add(parts);
        if self.unreported >= BETWEEN_REPORTS {
            self.report();
            self.exceeded |= self.common.is_exceeded();
        }
        self.exceeded
    }

    /// Reports its remaining cost to the others.
    pub(super) fn finish(mut self) {
        self.report();
    }

    fn report(&mut self) {
        self.common.parts.fetch_add(self.unreported, Ordering::Relaxed);
        self.unreported = 0;
    }
}

// The walk over the right half: the complement of each of its sums is looked up in the left one.

/// Elementary operations to assemble an allocation, for each application and node with a choice.
const OPERATIONS_TO_ASSEMBLE: u64 = 16;

/// The walk over the right half below one first choice.
pub(super) struct Lookup<'l, 'e> {
    pub(super) halves: &'l Halves<'l>,
    pub(super) round: &'l Round,
    pub(super) grid: &'l Grid,
    pub(super) pool: Pool,
    pub(super) cutoff: f64,
    evaluator: &'e mut Evaluator<'l>,
    /// Positions in the kept lists.
    pub(super) chosen: Vec<usize>,
    /// Sums of the places before each.
    pub(super) sums: Vec<Sums>,
    /// The maximum that the places after each can add, including the left half.
    pub(super) rests: Vec<Rest>,
    /// Pairs of sums that were compared.
    pairs: u64,
    pub(super) pace: Pace<'l>,
    pub(super) meter: Meter<'l>,
    /// Per application: the first and last cell of the grid that the window touches.
    touched: Vec<(i64, i64)>,
    /// The cell that is searched.
    at: Vec<i64>,
}

impl<'l, 'e> Lookup<'l, 'e> {
    pub(super) fn new(
        halves: &'l Halves<'l>,
        round: &'l Round,
        grid: &'l Grid,
        pool: &Pool,
        evaluator: &'e mut Evaluator<'l>,
        common: &'l Common,
    ) -> Self {
        Self {
            halves,
            round,
            grid,
            pool: pool.clone(),
            cutoff: pool.cutoff(),
            evaluator,
            chosen: Vec::with_capacity(round.right.len()),
            sums: vec![Sums::zero(grid.apps, halves.relaxation.watched.len()); round.right.len() + 1],
            rests: (1..=round.right.len())
                .map(|d| round.rest(&[&round.right[d..], &round.left]).plus(&round.base))
                .collect(),
            pairs: 0,
            pace: Pace::new(halves.monitor),
            meter: Meter::new(common),
            touched: vec![(0, 0); grid.apps],
            at: vec![0; grid.apps],
        }
    }

    /// Takes each of the options `from..to` for the next place.
    pub(super) fn extend(&mut self, from: usize, to: usize, slack: f64) {
        let depth = self.chosen.len();
        let place = self.round.right[depth];
        let kept = &self.round.kept[place.class];
        let unit = &self.round.unit;
        let table = &self.halves.relaxation.classes[place.class].table;
        for position in from..to.min(kept.len()) {
            if self.stops_after(COMPARISON, 4 * self.grid.apps as u64) {
                return;
            }
            let slack = slack + kept[position].slack;
            if slack > self.round.gap {
                continue;
            }
            let (before, after) = self.sums.split_at_mut(depth + 1);
            after[0].set(&before[depth], table, kept[position].option as usize, unit);
            let watched = &self.halves.relaxation.watched;
            if !self.rests[depth].completes(&after[0].p, &self.round.windows, &after[0].reads, watched) {
                continue;
            }
            self.chosen.push(position);
            match self.round.right.get(depth + 1) {
                Some(next) => self.extend(if next.same_as_before { position } else { 0 }, usize::MAX, slack),
                None => self.find_partners(),
            }
            self.chosen.pop();
        }
    }

    /// Whether to stop, after `parts` of a step for these elementary operations.
    #[inline]
    fn stops_after(&mut self, parts: u64, operations: u64) -> bool {
        self.meter.exceeded_after(parts) | self.pace.stops_after(operations)
    }

    /// The stored sums that reach the window together with the current one.
    fn find_partners(&mut self) {
        if self.stops_after(SUM, 0) || self.pairs > self.round.pairs {
            return;
        }
        let sums = &self.sums[self.round.right.len()].p;
        // The window includes a margin for rounding, so it may touch more cells than its width suggests.
        let mut lookups = 1.0;
        for (a, side) in self.grid.sides.iter().enumerate() {
            let Some(side) = *side else { continue };
            let least = 1.0 - sums[a] - SINGLE;
            let most = least + self.round.windows[a] + 3.0 * SINGLE;
            if most < 0.0 {
                return;
            }
            self.touched[a] = (cell(least, side), cell(most, side));
            lookups *= (self.touched[a].1 - self.touched[a].0 + 1) as f64;
        }
        if lookups > self.grid.next.len() as f64 {
            return self.try_all();
        }
        for (at, touched) in self.at.iter_mut().zip(&self.touched) {
            *at = touched.0;
        }
        loop {
            let bucket = self.grid.bucket(self.at.iter().copied());
            let mut entry = self.grid.heads[bucket];
            while entry > 0 {
                self.consider(entry as usize - 1);
                entry = self.grid.next[entry as usize - 1];
            }
            // The next cell, in the order of a mileage counter.
            let next = self.at.iter().zip(&self.touched).position(|(at, touched)| *at < touched.1);
            let Some(next) = next.filter(|_| !self.stops_after(LOOKUP, 4 * self.grid.apps as u64)) else {
                return;
            };
            self.at[next] += 1;
            for (at, touched) in self.at[..next].iter_mut().zip(&self.touched) {
                *at = touched.0;
            }
        }
    }

    /// More cells are touched than there are sums.
    fn try_all(&mut self) {
        for stored in 0..self.grid.next.len() {
            self.consider(stored);
            if self.stops_after(0, 0) {
                return;
            }
        }
    }

    /// Rates a stored sum together with the current one if it may beat the cutoff.
    fn consider(&mut self, stored: usize) {
        self.pairs += 1;
        let apps = self.grid.apps;
        if self.stops_after(COMPARISON, apps as u64) {
            return;
        }
        let sums = &self.sums[self.round.right.len()].p;
        let other = &self.grid.sums[stored * apps..(stored + 1) * apps];
        if (0..apps).any(|a| sums[a] + f64::from(other[a]) + SINGLE <= 1.0) {
            return;
        }
        let problem = self.halves.problem;
        let relaxation = self.halves.relaxation;
        let places = self.round.left.len() + self.round.right.len();
        let assembling = OPERATIONS_TO_ASSEMBLE * (apps * places) as u64;
        if self.stops_after(operations(assembling), assembling) {
            return;
        }
        let mut allocation = Allocation::empty(apps, problem.machine.node_count());
        let mut gflops = vec![0.0; apps];
        let mut reads = vec![0.0; relaxation.watched.len()];
        let places = self.grid.places;
        let left = self.grid.chosen[stored * places..(stored + 1) * places]
            .iter()
            .map(|&position| position as usize);
        let chosen =
            self.round.left.iter().zip(left).chain(self.round.right.iter().zip(self.chosen.iter().copied()));
        let chosen = chosen.map(|(place, position)| {
            (place.node, place.class, self.round.kept[place.class][position].option as usize)
        });
        let forced = self.round.forced.iter().map(|&(node, class)| (node, class, 0));
        for (node, class, option) in forced.chain(chosen) {
            let table = &relaxation.classes[class].table;
            for a in 0..apps {
                allocation.set(AppId(a), node, table.counts(option)[a]);
                gflops[a] += table.potential(option)[a];
            }
            for (sum, reads) in reads.iter_mut().zip(table.reads(option)) {
                *sum += reads;
            }
        }
        let in_cell = relaxation.watched.iter().zip(&reads).all(|(w, reads)| {
            let tolerance = 1e-9 * w.bandwidth;
            (w.least - tolerance..=w.most + tolerance).contains(reads)
        });
        let below = problem.goal.score(&gflops) <= self.cutoff;
        if !in_cell || below || !self.in_ranges(&allocation) || !self.evaluator.fits(allocation.as_slice()) {
            return;
        }
        self.stops_after(operations(problem.evaluation_cost()), problem.evaluation_cost());
        let candidate = self.evaluator.candidate(allocation);
        if candidate.score > self.cutoff {
            self.pool.add(self.halves.canonical, candidate);
            self.cutoff = self.pool.cutoff();
        }
    }

    fn in_ranges(&self, allocation: &Allocation) -> bool {
        let Ranges { lowest, highest, .. } = self.halves.ranges;
        let within = |counter: usize, threads: u64| {
            (u64::from(lowest[counter])..=u64::from(highest[counter])).contains(&threads)
        };
        let apps = self.grid.apps;
        let on_class = |(c, class): (usize, &Class)| {
            (0..apps).all(|a| {
                let threads = class.nodes.iter().map(|&n| u64::from(allocation.get(AppId(a), n))).sum();
                within(apps * (1 + c) + a, threads)
            })
        };
        (0..apps).all(|a| within(a, allocation.total(AppId(a))))
            && self.halves.relaxation.classes.iter().enumerate().all(on_class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_cost_stops_every_walk() {
        let common = Common::new(2000);
        let mut walks = [Meter::new(&common), Meter::new(&common)];
        assert!(!walks[0].exceeded_after(1024 * SUM) && !walks[1].exceeded_after(500 * SUM));
        assert!(walks[1].exceeded_after(524 * SUM), "2048 of 2000 steps");
        assert!(!walks[0].exceeded_after(SUM), "it looks once in a while");
        assert!(walks[0].exceeded_after(1024 * SUM) && walks[0].exceeded_after(0));
        assert!(common.is_exceeded());
        assert_eq!(common.spent(), 2000);
    }

    #[test]
    fn small_amounts_of_work_are_counted_at_the_end() {
        let common = Common::new(2000);
        let mut walk = Meter::new(&common);
        assert!(!walk.exceeded_after(3 * SUM + LOOKUP));
        assert_eq!(common.spent(), 0);
        walk.finish();
        assert_eq!(common.spent(), 4, "parts of a step are a step");
        assert!(!common.is_exceeded());
    }
}
