//! Cells searched in turn: the one with the largest bound goes on, so that the bound of all falls evenly.

use super::beside::Beside;
use super::boxes::{Boxes, Front};
use super::budget::Budget;
use super::cells::Cell;
use super::climbs::Kicks;
use super::dual::Effort;
use super::halves;
use super::pool::Pool;
use super::question::Search;
use crate::monitor::Monitor;
use crate::problem::{Evaluator, margin};

/// Work on the bound of a part before it is searched.
const AGAIN: Effort = Effort { steps: 0, cuts: 150 };
/// No more work on the bound of a whole set of homes.
const NONE: Effort = Effort { steps: 0, cuts: 0 };
/// A cell goes on with its part of the budget, divided by this, before another one may have its turn.
const TURNS: u64 = 8;

/// What is left of a cell after what may be quick was tried.
enum Begun<'a> {
    /// Nothing above the cutoff.
    Covered,
    /// Not to be searched: nothing in it is better than this.
    Left(f64),
    Open(Box<Front<'a>>),
}

/// Whether a bound is below another by more than what counts as no difference.
fn is_below(bound: f64, other: f64) -> bool {
    bound < other - margin(other)
}

/// Of the fronts with the largest bound the one that had least; `None` where nothing is worth a split.
fn next_in_turn<'f>(fronts: impl Iterator<Item = &'f Front<'f>> + Clone) -> Option<usize> {
    let splittable = fronts.enumerate().filter(|(_, front)| front.is_worth_splitting());
    let largest = splittable.clone().map(|(_, front)| front.splits_below()).fold(f64::NEG_INFINITY, f64::max);
    let first = splittable.filter(|(_, front)| !is_below(front.splits_below(), largest));
    first.min_by_key(|(at, front)| (front.spent(), *at)).map(|(at, _)| at)
}

impl<'a> Search<'a> {
    /// Searches cells as far as `budget` and the monitor allow; returns a bound on what is left open, `open_bound` of others included.
    pub(super) fn search_cells(
        &self,
        mut cells: Vec<Cell<'a>>,
        pool: &mut Pool,
        budget: &mut Budget,
        mut open_bound: f64,
    ) -> f64 {
        cells.sort_by(|a, b| b.improved.bound.total_cmp(&a.improved.bound));
        // The largest bounds come first.
        let later: Vec<f64> = cells.iter().map(|cell| cell.improved.bound).collect();
        let count = cells.len();
        let mut open: Vec<(Cell<'a>, Front<'a>)> = Vec::new();
        for (position, mut cell) in cells.into_iter().enumerate() {
            // Every cell gets its share, so that one stubborn cell does not keep the others open.
            let mut share = budget.at_most(budget.left() / (count - position).min(8) as u64 + 1);
            let before = open.iter().map(|(_, front)| front.bound()).fold(open_bound, f64::max);
            let elsewhere = later.get(position + 1).copied().unwrap_or(f64::NEG_INFINITY).max(before);
            match self.begin(&mut cell, pool, &mut share, elsewhere, count) {
                Begun::Covered => {}
                Begun::Left(bound) => open_bound = open_bound.max(bound),
                Begun::Open(front) => open.push((cell, *front)),
            }
            budget.settle(share);
        }
        self.split_in_turn(&mut open, pool, budget, open_bound);
        open.sort_by(|a, b| b.1.bound().total_cmp(&a.1.bound()));
        let later: Vec<f64> = open.iter().map(|(_, front)| front.bound()).collect();
        let count = open.len();
        for (position, (cell, front)) in open.into_iter().enumerate() {
            let mut share = budget.at_most(budget.left() / (count - position) as u64 + 1);
            let bound = front.bound().min(cell.improved.bound);
            let elsewhere = later.get(position + 1).copied().unwrap_or(f64::NEG_INFINITY).max(open_bound);
            let monitor = Beside::new(self.monitor, self.problem, bound, elsewhere);
            let left = self.boxes(&cell, &monitor).finish(front, pool, &mut share);
            open_bound = open_bound.max(left.min(bound));
            budget.settle(share);
        }
        open_bound
    }

    /// Splits what is open of cells, until all is closed, nothing can be split, or the part of the budget for that is spent.
    fn split_in_turn(
        &self,
        open: &mut [(Cell<'a>, Front<'a>)],
        pool: &mut Pool,
        budget: &mut Budget,
        open_bound: f64,
    ) {
        let Some((cell, _)) = open.first() else { return };
        let mut splitting = budget.at_most(self.boxes(cell, self.monitor).for_splitting(*budget));
        let turn = splitting.left() / (TURNS * open.len() as u64) + 1;
        let (all, mut kicks) = (splitting.left(), Kicks::default());
        while !self.monitor.stop() && !splitting.is_spent() {
            let steps = self.kick_beside(all - splitting.left(), &mut kicks, pool);
            splitting.spend(steps);
            let Some(at) = next_in_turn(open.iter().map(|(_, front)| front)) else { break };
            let others = (0..open.len()).filter(|&i| i != at).map(|i| open[i].1.bound());
            let elsewhere = others.fold(f64::NEG_INFINITY, f64::max);
            let (cell, front) = &mut open[at];
            if front.splits_below() <= pool.cutoff() {
                break;
            }
            let monitor =
                Beside::new(self.monitor, self.problem, cell.improved.bound, elsewhere.max(open_bound));
            let mut share = splitting.at_most(turn);
            let until = if is_below(elsewhere, front.splits_below()) { elsewhere } else { f64::NEG_INFINITY };
            self.boxes(cell, &monitor).split_down(front, until, pool, &mut share);
            splitting.settle(share);
        }
        budget.settle(splitting);
    }

    fn boxes<'b>(&'b self, cell: &'b Cell<'a>, monitor: &'b dyn Monitor) -> Boxes<'b, 'a> {
        Boxes {
            problem: self.problem,
            relaxation: &cell.relaxation,
            placements: &cell.placements,
            canonical: &self.canonical,
            monitor,
        }
    }

    /// Tries at once what may cover one cell. Nothing that is open in other cells, `count` of them with this one, is better than `elsewhere`.
    fn begin(
        &self,
        cell: &mut Cell<'a>,
        pool: &mut Pool,
        budget: &mut Budget,
        elsewhere: f64,
        count: usize,
    ) -> Begun<'a> {
        let part = cell.is_part();
        if cell.improved.bound > pool.cutoff() {
            let gflops = pool.best().map_or_else(Vec::new, |best| {
                let mut evaluator = Evaluator::new(self.problem, best.placements.clone());
                evaluator.gflops(best.allocation.as_slice()).to_vec()
            });
            budget.spend(cell.improve_more(&gflops, pool.cutoff(), if part { AGAIN } else { NONE }));
        }
        let bound = cell.improved.bound;
        if bound <= pool.cutoff() {
            return Begun::Covered;
        }
        if self.problem.restrictions.same_on_every_node || budget.is_spent() || self.monitor.stop() {
            return Begun::Left(bound);
        }
        let monitor = Beside::new(self.monitor, self.problem, bound, elsewhere);
        let boxes = self.boxes(cell, &monitor);
        let everything = cell.relaxation.everything();
        let quick = |pool: &mut Pool, budget: &mut Budget| {
            boxes.meet_in_the_middle(&everything, &cell.improved, pool, budget, halves::QUICK)
        };
        if quick(pool, budget) {
            return Begun::Covered;
        }
        // Alternatives need not be looked for as hard as the best.
        if part && pool.is_for_one() {
            let before = pool.cutoff();
            budget.spend(self.respond(cell, pool));
            budget.spend(self.sample(cell, pool, budget.left()));
            if bound <= pool.cutoff() || (pool.cutoff() > before && quick(pool, budget)) {
                return Begun::Covered;
            }
        }
        match boxes.begin(cell.improved.clone(), pool, budget, count) {
            Some(front) => Begun::Open(Box::new(front)),
            None => Begun::Covered,
        }
    }
}
