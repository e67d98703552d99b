//! Finds answers without a proof: climbs from simple and random starts, with open homes.

use numasim_model::{Allocation, App, Data, Placement};
use rand::RngExt as _;

use crate::ascent::Ascent;
use crate::baselines::{better_homes, even, on_few_nodes, one_app_per_node};
use crate::contents::Sites;
use crate::layouts;
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::open_data;
use crate::parallel;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::boxes::{Boxes, Front};
use crate::search::budget::{Beside, Budget};
use crate::search::cells::Cell;
use crate::search::dual::{Effort, Few, Improved, Ranges, Relaxation};
use crate::search::pool::Pool;
use crate::search::{Search, halves, local};

/// Random starts of the hill climbing.
pub(super) const RESTARTS: u64 = 6;

impl Search<'_> {
    /// Hill climbing from `known`, from simple and from random starts, in a fixed order. Its results may have data that does not fit.
    pub(super) fn climbed(&self, known: &[Candidate]) -> Vec<Candidate> {
        let problem = self.problem;
        let allowed =
            |allocation: &Allocation| problem.restrictions.allow(&problem.machine, &problem.apps, allocation);
        let mut starts: Vec<Allocation> = local::round_robin_start(problem).into_iter().collect();
        starts.extend(Some(even(&problem.machine, &problem.apps)).filter(allowed));
        starts.extend(one_app_per_node(&problem.machine, &problem.apps).filter(allowed));
        if problem.loses_on_several_nodes() {
            starts.extend(Some(on_few_nodes(&problem.machine, &problem.apps)).filter(allowed));
        }
        // Jobs of given sizes.
        let sizes: Vec<u32> = problem.apps.iter().map(|app| app.min_threads).collect();
        if sizes.iter().any(|&threads| threads > 1) {
            let evaluator = Evaluator::new(problem, problem.placements(&[]));
            let wanted_gbs = layouts::wanted_gbs(problem, &evaluator, &sizes);
            let rows = layouts::in_a_row(problem, &sizes, &wanted_gbs);
            let jobs = [layouts::whole_jobs(problem, &sizes, &wanted_gbs)].into_iter().chain(rows);
            starts.extend(jobs.filter(allowed));
        }
        for restart in 0..RESTARTS {
            let mut random = local::generator(self.settings.seed, restart);
            starts.extend(local::random_start(problem, &mut random));
        }
        let found = parallel::map(starts.into_iter().enumerate(), |(number, start)| {
            // There is always one answer, even when it is late.
            (number == 0 || !self.monitor.stop()).then(|| self.climb_from(&start))
        });
        let of_known = parallel::map(known, |start| {
            (!self.monitor.stop()).then(|| self.climb_with_homes(start.clone()))
        });
        found.into_iter().chain(of_known).flatten().collect()
    }

    /// Climbs from threads anywhere, with good homes for them.
    pub(super) fn climb_from(&self, start: &Allocation) -> Candidate {
        let data: Vec<Data> = self.problem.apps.iter().map(|app| app.data.clone()).collect();
        self.climb_with_homes(self.problem.with_good_homes(start, &data, &|| self.monitor.stop()))
    }

    /// [`climb_with_homes`] by the score of the problem.
    pub(super) fn climb_with_homes(&self, start: Candidate) -> Candidate {
        let rater = |placements| Evaluator::new(self.problem, placements);
        climb_with_homes(self.problem, start, &rater, self.monitor)
    }
}

/// Climbs, moves open data to better nodes, and climbs again until neither helps. `rater` rates with given placements.
pub(super) fn climb_with_homes<R: local::Rates>(
    problem: &Problem,
    start: Candidate,
    rater: &impl Fn(Vec<Placement>) -> R,
    monitor: &dyn Monitor,
) -> Candidate {
    let data: Vec<Data> = problem.apps.iter().map(|app| app.data.clone()).collect();
    let mut ascent = Ascent::new(start);
    while !monitor.stop() {
        let best = ascent.best();
        let climbed =
            local::climb(problem, &mut rater(best.placements.clone()), best.allocation.clone(), monitor);
        let rate =
            |placements: &[Placement]| rater(placements.to_vec()).candidate(climbed.allocation.clone());
        let from = &climbed.placements;
        let moved = better_homes(&problem.machine, &data, from, &rate, &|| monitor.stop());
        let next = if moved.beats(&climbed) { moved } else { climbed };
        if !ascent.tries(next) {
            break;
        }
    }
    ascent.into_best()
}

/// A climb from one allocation, by node or by L3 domain.
pub(crate) fn climbed(problem: &Problem, start: &Candidate, monitor: &dyn Monitor) -> Candidate {
    if problem.is_by_domain() {
        return super::domains::climbed(problem, start, monitor);
    }
    let rater = |placements| Evaluator::new(problem, placements);
    let rated = rater(start.placements.clone()).candidate(start.allocation.clone());
    climb_with_homes(problem, rated, &rater, monitor)
}

// A better bound: subgradient steps first, then cutting planes.

/// Maximum number of times that options are added to those that determine the prices.
const ROUNDS: usize = 8;
/// Relative difference at which the bounds of few and of all options agree.
const AGREEMENT: f64 = 1e-10;

impl<'a> Relaxation<'a> {
    /// Lowers the bound on `ranges` towards `target`, the best known score: by subgradient steps, then to the minimum by cutting planes.
    /// Stops early at `target`.
    ///
    /// `start` provides prices and cuts from a larger box.
    ///
    /// With many options, prices are determined with those that earn most, until the bound of all options agrees at these prices.
    pub(super) fn improve(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
        match self.foremost(start, ranges) {
            Some(few) if effort.steps + effort.cuts > 0 => {
                self.improve_on(few, start, ranges, target, effort)
            }
            _ => self.improve_on_all(start, ranges, target, effort),
        }
    }

    fn improve_on(
        &self,
        mut few: Few<'a>,
        start: &Improved,
        ranges: &Ranges,
        target: f64,
        effort: Effort,
    ) -> Improved {
        let mut best = Improved { bound: f64::INFINITY, work: 0, ..start.clone() };
        let mut from = start.clone();
        for round in 0..ROUNDS {
            let effort = if round > 0 && effort.cuts > 0 { Effort { steps: 0, ..effort } } else { effort };
            let found = few.relaxation().improve_on_all(&few.here(&from), ranges, target, effort);
            let (bound, ..) = self.bound(&found.prices, ranges);
            let work = best.work + found.work + 2 * self.pricing();
            let agree = bound - found.bound <= AGREEMENT * bound.abs();
            from = few.there(&found);
            best = if bound < best.bound {
                Improved { bound, work, ..from.clone() }
            } else {
                Improved { work, ..best }
            };
            if agree || best.bound <= target || self.monitor.stop() {
                break;
            }
            few = self.with_foremost(few, &found.prices, ranges);
        }
        best
    }

    fn improve_on_all(&self, start: &Improved, ranges: &Ranges, target: f64, effort: Effort) -> Improved {
        let mut descended = self.descend(start.prices.clone(), ranges, target, effort.steps);
        descended.cuts.clone_from(&start.cuts);
        if descended.bound <= target || effort.cuts == 0 || self.monitor.stop() {
            return descended;
        }
        self.cut_down(descended, ranges, target, effort.cuts)
    }
}

// Iterated local search: random changes to the best answer so far, during the proof and after it.
//
// Some bounds stay unchanged for a long time, above an answer that is not the best. The search then needs better answers.

/// Chains of kicks, each with a separate stream of random numbers; all but the two below start at the best answer.
const CHAINS: u64 = 4;
/// The chain that starts with other homes.
const OTHER_HOMES: u64 = 2;
/// The chain that starts anywhere.
const ANYWHERE: u64 = 3;
/// Kicks in each at the end of a search.
pub(super) const AT_THE_END: u64 = 30;
/// Below this budget, there are no kicks at the end.
pub(super) const KICK_STEPS: u64 = 5_000_000;
/// Fewest and most kicks per chain at one time during a proof.
const AT_ONCE: std::ops::RangeInclusive<u64> = 4..=64;
/// Steps of a proof per step of kicks.
const PROOF_STEPS: u64 = 3;
/// Elementary operations of an evaluation in the time of one step, here with consecutive allocations that differ by few threads (measured).
const OPERATIONS_PER_STEP: u64 = 12;
/// The same if no result of the previous allocation can be reused.
const OPERATIONS_ANEW_PER_STEP: u64 = 6;

/// The kicks made during a proof.
#[derive(Default)]
pub(super) struct Kicks {
    turns: u64,
    steps: u64,
}

/// The best after this number of kicks in each chain. `begin`: the random numbers of a chain, and its start if that is not `best`; `rater`
/// rates with given placements.
pub(super) fn kicked<R: local::Rates, G: rand::Rng>(
    problem: &Problem,
    best: &Candidate,
    kicks: u64,
    begin: impl Fn(u64) -> (G, Option<Candidate>) + Sync,
    rater: &(impl Fn(Vec<Placement>) -> R + Sync),
    monitor: &dyn Monitor,
) -> Candidate {
    let chains = parallel::map(0..CHAINS, |chain| {
        let (mut random, start) = begin(chain);
        let start = start.unwrap_or_else(|| best.clone());
        let mut rates = rater(start.placements.clone());
        local::iterate(problem, &mut rates, &start, kicks, &mut random, monitor)
    });
    chains.into_iter().fold(best.clone(), |best, next| if next.beats(&best) { next } else { best })
}

impl Search<'_> {
    /// Last attempts to improve an answer that is not proven.
    pub(super) fn iterate(&self, best: Candidate) -> Candidate {
        if self.monitor.stop() {
            return best;
        }
        let improved = self.kicked(&best, AT_THE_END.min(self.settings.effort / KICK_STEPS), 0);
        if self.monitor.stop() { improved } else { self.climb_with_homes(improved) }
    }

    /// Kicks the best answer of `pool`, for a fraction of the steps that its proof took; returns their cost. `spent`: by the proof and
    /// kicks so far.
    pub(super) fn kick_beside(&self, spent: u64, kicks: &mut Kicks, pool: &mut Pool) -> u64 {
        let one = self.cost_of_a_kick() * CHAINS;
        let proof = spent.saturating_sub(kicks.steps);
        let number = ((proof / PROOF_STEPS).saturating_sub(kicks.steps) / one).min(*AT_ONCE.end());
        // The search for alternatives needs less work than that for the best.
        let Some(best) = pool.best().filter(|_| pool.is_for_one() && number >= *AT_ONCE.start()) else {
            return 0;
        };
        kicks.turns += 1;
        kicks.steps += number * one;
        pool.add(&self.canonical, self.kicked(best, number, kicks.turns));
        number * one
    }

    /// The best after this number of kicks in each chain; `turn` distinguishes the calls.
    fn kicked(&self, best: &Candidate, kicks: u64, turn: u64) -> Candidate {
        let begin = |chain| {
            let mut random = local::generator(self.settings.seed, 2_000 + turn * CHAINS + chain);
            let start = match chain {
                OTHER_HOMES if turn > 0 => self.with_other_homes(best, &mut random),
                ANYWHERE if turn > 0 => {
                    local::random_start(self.problem, &mut random).map(|start| self.climb_from(&start))
                }
                _ => None,
            };
            (random, start)
        };
        let rater = |placements| Evaluator::new(self.problem, placements);
        kicked(self.problem, best, kicks, begin, &rater, self.monitor)
    }

    /// The answer with about half of the open homes elsewhere, after climbing; `None` if there are no open homes.
    fn with_other_homes(&self, best: &Candidate, random: &mut impl rand::Rng) -> Option<Candidate> {
        let mut placements = best.placements.clone();
        for (placement, app) in placements.iter_mut().zip(&self.problem.apps) {
            if app.data.is_open() && random.random_bool(0.5) {
                *placement = open_data::any(&app.data, &self.problem.machine, random);
            }
        }
        let moved = placements != best.placements;
        moved.then(|| {
            let start = Evaluator::new(self.problem, placements).candidate(best.allocation.clone());
            self.climb_with_homes(start)
        })
    }

    /// Steps of one kick: about one evaluation for each move of a site and of a pair of sites.
    fn cost_of_a_kick(&self) -> u64 {
        let apps = self.problem.apps.len() as u64;
        let sites = Sites::new(self.problem).len() as u64;
        let of_apps = apps * apps;
        let moves = 4 * sites * of_apps + sites * sites.saturating_sub(1) * of_apps;
        // Under `ecm`, the waits of all memories are computed anew if some data is on several, however few threads differ.
        let spread = |app: &App| app.data.placement().is_some_and(Placement::is_spread);
        let anew = self.problem.machine.sharing().has_soft_corners() && self.problem.apps.iter().any(spread);
        let per_step = if anew { OPERATIONS_ANEW_PER_STEP } else { OPERATIONS_PER_STEP };
        moves * self.problem.evaluation_cost() / per_step + 1
    }
}

// Searches cells in turn: the one with the largest bound continues, so that the overall bound falls evenly.

/// Work on the bound of a part before it is searched.
const AGAIN: Effort = Effort { steps: 0, cuts: 150 };
/// No more work on the bound of a whole set of homes.
const NONE: Effort = Effort { steps: 0, cuts: 0 };
/// A cell may use its part of the budget, divided by this, before another one may have its turn.
const TURNS: u64 = 8;

/// The state of a cell after the quick methods.
enum Begun<'a> {
    /// Nothing is above the cutoff.
    Covered,
    /// Not searched: nothing in it is better than this.
    Left(f64),
    Open(Box<Front<'a>>),
}

/// Whether a bound is below another by more than the tolerance.
fn is_below(bound: f64, other: f64) -> bool {
    bound < other - margin(other)
}

/// The front with the fewest steps so far, out of those with the largest bound; `None` if no split is worthwhile.
fn next_in_turn<'f>(fronts: impl Iterator<Item = &'f Front<'f>> + Clone) -> Option<usize> {
    let splittable = fronts.enumerate().filter(|(_, front)| front.is_worth_splitting());
    let largest = splittable.clone().map(|(_, front)| front.splits_below()).fold(f64::NEG_INFINITY, f64::max);
    let first = splittable.filter(|(_, front)| !is_below(front.splits_below(), largest));
    first.min_by_key(|(at, front)| (front.spent(), *at)).map(|(at, _)| at)
}

impl<'a> Search<'a> {
    /// Searches cells as far as `budget` and the monitor allow. Returns a bound on the open remainder, including `open_bound` of others.
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
            // Every cell gets its share, so that one difficult cell does not keep the others open.
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

    /// Splits open parts of cells, until all are closed, nothing can be split, or the part of the budget for that is spent.
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

    /// Tries the quick methods that may cover one cell. Nothing that is open in other cells, `count` of them with this one, is better than
    /// `elsewhere`.
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
                evaluator.gflops_of(&best.allocation).to_vec()
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
        // The search for alternatives needs less work than that for the best.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Objective;
    use crate::search::testing::{question, relaxation};

    #[test]
    fn the_bound_of_the_fair_question_falls_to_the_best_answer() {
        // Alone `mem` has 16 GFLOPS and `cpu` 20 on a node. With equal prices (y = 1/2 each) the best option is (1, 1), which earns 1/2
        // (10/16 + 10/20) = 0.5625. Each needs a thread, and only (1, 1) gives one to both: 10/20 at best.
        let problem = question(1, Objective::Fair);
        let relaxation = relaxation(&problem);
        let start = relaxation.start();
        let everything = relaxation.everything();
        let first = relaxation.improve(&start, &everything, 0.0, Effort { steps: 1, cuts: 0 });
        assert!((first.bound - 0.5625).abs() < 1e-9, "{}", first.bound);
        let better = relaxation.improve(&start, &everything, 0.0, Effort { steps: 50, cuts: 50 });
        assert!((better.bound - 0.5).abs() < 1e-9, "{}", better.bound);
    }

    #[test]
    fn prices_from_few_options_bound_all_options() {
        // Starting from one option of a node, more are added until all agree: the same minimum, 10/20 of `cpu` (above).
        let problem = question(1, Objective::Fair);
        let relaxation = relaxation(&problem);
        let (start, everything) = (relaxation.start(), relaxation.everything());
        let few = Few::new(&relaxation, vec![vec![0]]);
        let effort = Effort { steps: 50, cuts: 50 };
        let found = relaxation.improve_on(few, &start, &everything, 0.0, effort);
        assert!((found.bound - 0.5).abs() < 1e-9, "{}", found.bound);
        let again = relaxation.bound(&found.prices, &everything).0;
        assert!((again - found.bound).abs() < 1e-12, "the bound is that of its prices");
    }
}

#[cfg(test)]
mod tests_of_kicks {
    use numasim_model::Allocation;

    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::budget::Settings;
    use crate::search::testing::{pool_with, question};

    #[test]
    fn kicks_use_a_fraction_of_the_proof_steps_and_improve_answers() {
        // One thread of `mem` on each node, 20 GFLOPS; with all cores in use 40.
        let problem = question(2, Objective::TotalGflops);
        let settings = Settings::default();
        let search = Search::new(&problem, &settings, &Unattended);
        let (_, mut pool) = pool_with(&problem, &[vec![1, 1], vec![0, 0]]);
        let mut kicks = Kicks::default();
        let one = search.cost_of_a_kick() * CHAINS;
        assert_eq!(
            search.kick_beside(PROOF_STEPS * (4 * one - 1), &mut kicks, &mut pool),
            0,
            "too little for 4 of them"
        );
        assert_eq!(search.kick_beside(PROOF_STEPS * 5 * one, &mut kicks, &mut pool), 5 * one);
        assert_eq!(
            search.kick_beside(PROOF_STEPS * 5 * one, &mut kicks, &mut pool),
            0,
            "these steps had theirs"
        );
        assert!(pool.best().is_some_and(|best| (best.score - 40.0).abs() < 1e-9), "{:?}", pool.best());
        assert!(search.kick_beside(u64::MAX, &mut kicks, &mut pool) <= AT_ONCE.end() * one);
    }

    #[test]
    fn other_homes_are_tried_if_there_are_any() {
        let problem = question(2, Objective::TotalGflops);
        let settings = Settings::default();
        let search = Search::new(&problem, &settings, &Unattended);
        let placements = problem.placements(&[]);
        let allocation = Allocation::from_rows(&[vec![1, 1], vec![1, 1]]).expect("equal rows");
        let best = Evaluator::new(&problem, placements).candidate(allocation);
        assert!(search.with_other_homes(&best, &mut local::generator(0, 0)).is_none(), "all data is local");
    }
}
