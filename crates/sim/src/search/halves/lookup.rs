//! The walk over the right half: what each of its sums misses is looked up in the left one.

use numasim_model::{Allocation, AppId};

use super::grid::{COMPARISON, Common, LOOKUP, Meter, SUM, operations};
use super::grid::{Grid, cell};
use super::question::Halves;
use super::round::Round;
use super::sums::{Rest, SINGLE, Sums};
use crate::problem::Evaluator;
use crate::search::budget::Pace;
use crate::search::dual::{Class, Ranges};
use crate::search::pool::Pool;

/// Elementary operations to put an allocation together, for each application and node with a choice.
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
    /// Of the places before each.
    pub(super) sums: Vec<Sums>,
    /// What the places after each can add, the left half included.
    pub(super) rests: Vec<Rest>,
    /// Pairs of sums that were compared.
    pairs: u64,
    pub(super) pace: Pace<'l>,
    pub(super) meter: Meter<'l>,
    /// Per application: the first and last cell of the grid that the window touches.
    touched: Vec<(i64, i64)>,
    /// The cell that is looked into.
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

    /// Whether to stop, after so many parts of a step that are so many elementary operations.
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
        // The window is wider than rounding, so that it may touch more cells than it is wide.
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
            // The next cell, as a mileage counter turns.
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
