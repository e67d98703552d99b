//! The search for the best allocation, behind one door: [`explore`].
//!
//! # Approach
//! 1. Hill climbing from several starts gives a good answer (`local`).
//! 2. Each set of open homes, one from each set that can be turned into each other by exchanging equal nodes or equal
//!    instances (`symmetry`), becomes a problem of its own.
//! 3. Each gets an upper bound (`dual`, `cutting`); those that cannot beat the best answer are closed, the others are
//!    searched for better answers with the prices of the bound (`respond`).
//! 4. Where data has a home, the others are split by what other nodes read from it (`cells`).
//! 5. What is left is split by thread totals (`boxes`) and what remains is searched node by node (`branch`); where
//!    every node gets the same, all are evaluated (`uniform`).
//!    When all are searched the answer is proven; else the largest open bound is reported with it.
//! 6. A second pass with a lower cutoff finds the next best, different answers.
//!
//! The answer does not depend on the number of threads: work is handed out in batches of fixed size whose results are
//! merged in order, and effort is counted in steps, not in seconds. Only a stop by the [`Monitor`] depends on time.

mod boxes;
mod branch;
mod cells;
mod cutting;
mod dual;
mod halves;
mod local;
mod options;
mod pool;
mod respond;
mod uniform;

#[cfg(test)]
mod tests;

use numasim_model::{Allocation, Data, NodeId, Placement};
use rayon::prelude::*;

use crate::baselines::{even, one_app_per_node};
use crate::problem::{Candidate, Evaluator, Problem, margin};
use crate::restrictions::Infeasible;
use crate::symmetry::{app_classes, home_vectors, node_classes};
use boxes::Boxes;
use cells::Cell;
use dual::{Effort, Relaxation};
use halves::Halves;
pub(crate) use local::generator;
use pool::{Canonical, Pool};
use respond::Responder;

/// How hard to search, and for what besides the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many other allocations to return.
    pub top: usize,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Most steps of the exact search; more steps prove more.
    pub effort: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top: 3, seed: 0, effort: 150_000_000 }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Value of the best answer so far.
    pub best: Option<f64>,
    /// No answer has a better value than this.
    pub bound: f64,
    /// The part of the effort that is spent, 0 to 1; the search often ends long before 1.
    pub effort_spent: f64,
}

impl Progress {
    fn new(problem: &Problem, best: Option<&Candidate>, bound: f64, budget: Budget) -> Self {
        let score = best.map_or(f64::NEG_INFINITY, |best| best.score);
        Self {
            best: best.map(|best| problem.goal.value(best.score)),
            bound: problem.goal.value(bound.max(score)),
            effort_spent: budget.part_spent(),
        }
    }
}

/// The outside world of a search: time, Ctrl-C and the progress line.
pub trait Monitor: Sync {
    /// True when the search should return what it has.
    fn stop(&self) -> bool;
    /// Called now and then.
    fn progress(&self, progress: &Progress);
}

/// Never stops, shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended;

impl Monitor for Unattended {
    fn stop(&self) -> bool {
        false
    }
    fn progress(&self, _: &Progress) {}
}

/// What is known about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is better, to a relative 1e-9.
    Optimal,
    /// The monitor ended the search before the proof.
    Stopped,
    /// The effort was spent before the proof, or the space is too large to be covered.
    Unproven,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best allocation found.
    pub best: Candidate,
    /// Its value of the objective.
    pub value: f64,
    /// No allocation has a better value than this.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// Whether it is proven.
    pub status: Status,
    /// The next best, different allocations, best first; not merely renamed equal nodes or instances.
    pub alternatives: Vec<Candidate>,
    /// Whether no better alternative is missing.
    pub alternatives_complete: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// There is none.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
    /// The search ended before it found one.
    #[error("no allocation that keeps to the restrictions was found before the search was stopped")]
    NothingFound,
}

/// The effort of a search and how much of it is spent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    total: u64,
    spent: u64,
    /// What may have been spent when this share of the budget ends.
    end: u64,
}

impl Budget {
    fn new(steps: u64) -> Self {
        Self { total: steps, spent: 0, end: steps }
    }
    fn left(self) -> u64 {
        self.end - self.spent
    }
    fn is_spent(self) -> bool {
        self.left() == 0
    }
    fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps).min(self.end);
    }
    /// At most `steps` of what is left, to be worked off before going on with the rest.
    fn at_most(self, steps: u64) -> Self {
        Self { end: self.spent + steps.min(self.left()), ..self }
    }
    /// Takes over what a share of this budget has spent.
    fn settle(&mut self, share: Self) {
        self.spent = share.spent;
    }
    fn part_spent(self) -> f64 {
        self.spent as f64 / self.total.max(1) as f64
    }
}

/// Most options of one node that are listed.
const MAX_OPTIONS: usize = 200_000;
/// Most evaluations when every node gets the same.
const MAX_UNIFORM: usize = 20_000_000;
/// Most sets of open homes that are searched one by one.
const MAX_HOME_VECTORS: usize = 512;
/// Work on the bound of one set of homes.
const ROOT: Effort = Effort { steps: 100, cuts: 150 };
/// Work on the bound of a part before it is searched.
const AGAIN: Effort = Effort { steps: 0, cuts: 150 };
/// No more work on the bound of a whole set of homes.
const NONE: Effort = Effort { steps: 0, cuts: 0 };
/// Most steps spent on alternatives after the best is known.
const ALTERNATIVES_EFFORT: u64 = 1_000_000;
/// Chains of the iterated local search at the end, and kicks in each.
const CHAINS: u64 = 4;
const KICKS: usize = 30;
/// Effort without which there is no kick.
const KICK_STEPS: u64 = 5_000_000;
/// Random starts of the hill climbing.
const RESTARTS: u64 = 6;

/// Finds the best allocation.
///
/// # Errors
/// [`ExploreError::Infeasible`] if no allocation keeps to the restrictions, or none has a finite makespan;
/// [`ExploreError::NothingFound`] if the monitor stopped the search before it found one.
pub fn explore(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let search = Search { problem, settings, monitor, canonical: Canonical::new(problem) };
    let mut pool = Pool::new(1);
    for candidate in search.climbed() {
        pool.add(&search.canonical, candidate);
    }
    // Where every allocation is as bad as any other, the first one is the answer.
    let hopeless = problem.goal.is_hopeless() && pool.best().is_some();
    let mut proof = if hopeless {
        Proof { open_bound: f64::NEG_INFINITY, complete: true }
    } else {
        search.prove(&mut pool, settings.effort)
    };
    let Some(best) = pool.best().cloned() else {
        return Err(if proof.complete {
            Infeasible::Together(problem.restrictions.describe(&problem.apps)).into()
        } else {
            ExploreError::NothingFound
        });
    };
    let best = if monitor.stop() { best } else { search.climb_with_homes(best) };
    let best = if hopeless || proof.closes(&best) { best } else { search.iterate(best) };
    let score = best.score;
    if hopeless {
        proof = Proof { open_bound: score, complete: true };
    }
    if problem.goal.objective() == crate::Objective::Makespan && score <= 0.0 {
        let stuck = search.without_progress();
        return Err(if proof.complete {
            Infeasible::NoFiniteMakespan(stuck).into()
        } else {
            ExploreError::NothingFound
        });
    }
    let optimal = proof.closes(&best);
    let bound_score = if optimal { score } else { proof.open_bound };
    let (value, bound) = (problem.goal.value(score), problem.goal.value(bound_score));
    let status = match (optimal, monitor.stop()) {
        (true, _) => Status::Optimal,
        (false, true) => Status::Stopped,
        (false, false) => Status::Unproven,
    };
    let (alternatives, alternatives_complete) =
        if hopeless || monitor.stop() { (Vec::new(), hopeless) } else { search.alternatives(&best) };
    let gap = if value == bound { 0.0 } else { ((bound - value) / bound).abs() };
    Ok(Outcome { best, value, bound, gap, status, alternatives, alternatives_complete })
}

/// What the exact search has shown.
struct Proof {
    /// No allocation that was not met scores more than this.
    open_bound: f64,
    /// Everything was searched.
    complete: bool,
}

impl Proof {
    /// Whether nothing is better than `best`.
    fn closes(&self, best: &Candidate) -> bool {
        self.complete || self.open_bound <= best.score + margin(best.score)
    }
}

struct Search<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    monitor: &'a dyn Monitor,
    canonical: Canonical,
}

impl<'a> Search<'a> {
    /// Hill climbing from simple and from random starts, in a fixed order.
    fn climbed(&self) -> Vec<Candidate> {
        let problem = self.problem;
        let allowed =
            |allocation: &Allocation| problem.restrictions.allow(&problem.machine, &problem.apps, allocation);
        let mut starts: Vec<Allocation> = local::round_robin_start(problem).into_iter().collect();
        starts.extend(Some(even(&problem.machine, problem.apps.len())).filter(allowed));
        starts.extend(one_app_per_node(&problem.machine, &problem.apps).filter(allowed));
        for restart in 0..RESTARTS {
            let mut random = local::generator(self.settings.seed, restart);
            starts.extend(local::random_start(problem, &mut random));
        }
        starts
            .into_par_iter()
            .map(|start| {
                let data: Vec<Data> = problem.apps.iter().map(|app| app.data.clone()).collect();
                let stop = || self.monitor.stop();
                self.climb_with_homes(problem.with_good_homes(&start, &data, &stop))
            })
            .collect()
    }

    /// Last attempts to improve an answer that is not proven.
    fn iterate(&self, best: Candidate) -> Candidate {
        let kicks = KICKS.min(usize::try_from(self.settings.effort / KICK_STEPS).unwrap_or(KICKS));
        let chains: Vec<Candidate> = (0..CHAINS)
            .into_par_iter()
            .map(|chain| {
                let mut random = local::generator(self.settings.seed, 2_000 + chain);
                local::iterate(self.problem, &best, kicks, &mut random, self.monitor)
            })
            .collect();
        let improved =
            chains.into_iter().fold(best, |best, next| if next.beats(&best) { next } else { best });
        if self.monitor.stop() { improved } else { self.climb_with_homes(improved) }
    }

    /// Climbs, moves open homes to better nodes, and climbs again until neither helps.
    fn climb_with_homes(&self, start: Candidate) -> Candidate {
        let data: Vec<Data> = self.problem.apps.iter().map(|app| app.data.clone()).collect();
        let mut best = start;
        while !self.monitor.stop() {
            let mut evaluator = Evaluator::new(self.problem, best.placements.clone());
            let climbed = local::climb(self.problem, &mut evaluator, best.allocation.clone(), self.monitor);
            let stop = || self.monitor.stop();
            let moved = self.problem.with_good_homes(&climbed.allocation, &data, &stop);
            let next = if moved.beats(&climbed) { moved } else { climbed };
            if !next.beats(&best) {
                return best;
            }
            best = next;
        }
        best
    }

    /// Searches everything that could beat the cutoff of `pool`, with at most `effort` steps.
    fn prove(&self, pool: &mut Pool, effort: u64) -> Proof {
        let problem = self.problem;
        let fixed: Vec<Placement> =
            problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let homes = home_vectors(
            &problem.open_apps(),
            &app_classes(&problem.apps),
            &node_classes(&problem.machine, &fixed, fixed.len() < problem.apps.len()),
            MAX_HOME_VECTORS,
        );
        let Some(homes) = homes else {
            let open_bound = self.bound_over_all_homes(pool);
            return Proof { open_bound, complete: false };
        };
        if problem.restrictions.same_on_every_node
            && let Some(contents) = uniform::contents(problem, MAX_UNIFORM / homes.len().max(1))
        {
            let complete = homes.iter().all(|homes| {
                let placements = problem.placements(homes);
                uniform::search(problem, &placements, &contents, &self.canonical, pool, self.monitor)
            });
            if complete {
                return Proof { open_bound: f64::NEG_INFINITY, complete: true };
            }
        }
        self.branch_over(pool, &homes, effort)
    }

    /// Bounds each set of homes and searches those that could beat the cutoff, the most promising first.
    fn branch_over(&self, pool: &mut Pool, homes: &[Vec<NodeId>], effort: u64) -> Proof {
        let decided: Vec<Cell<'a>> =
            homes.par_iter().filter_map(|homes| self.decide(homes, pool.cutoff())).collect();
        let mut proof = Proof { open_bound: f64::NEG_INFINITY, complete: decided.len() == homes.len() };
        let mut budget = Budget::new(effort);
        for cell in &decided {
            // Not more than half: many homes are tried one after the other.
            if budget.left() > effort / 2 {
                budget.spend(self.respond(cell, pool));
                if cell.is_single() {
                    self.sample(cell, pool);
                }
            }
        }
        let mut cells = self.split_into_cells(decided, pool, &mut budget);
        cells.sort_by(|a, b| b.improved.bound.total_cmp(&a.improved.bound));
        let count = cells.len();
        for (position, cell) in cells.into_iter().enumerate() {
            // Every cell gets its share, so that one stubborn cell does not keep the others open.
            let mut share = budget.at_most(budget.left() / (count - position).min(8) as u64 + 1);
            let open_bound = self.search_cell(cell, pool, &mut share);
            budget.settle(share);
            proof.open_bound = proof.open_bound.max(open_bound);
        }
        proof.complete &= proof.open_bound <= pool.cutoff();
        proof
    }

    /// Searches one cell as far as `budget` and the monitor allow; returns a bound on what it left open.
    fn search_cell(&self, mut cell: Cell<'a>, pool: &mut Pool, budget: &mut Budget) -> f64 {
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
            return f64::NEG_INFINITY;
        }
        let same = self.problem.restrictions.same_on_every_node;
        let Some(relaxation) = cell.relaxation.as_ref().filter(|_| !same) else { return bound };
        if budget.is_spent() || self.monitor.stop() {
            return bound;
        }
        let boxes = Boxes {
            problem: self.problem,
            relaxation,
            placements: &cell.placements,
            canonical: &self.canonical,
            monitor: self.monitor,
        };
        if boxes.meet_in_the_middle(&relaxation.everything(), &cell.improved, pool, budget, halves::QUICK) {
            return f64::NEG_INFINITY;
        }
        // Alternatives need not be looked for as hard as the best.
        if part && pool.is_for_one() {
            let before = pool.cutoff();
            budget.spend(self.respond(&cell, pool));
            self.sample(&cell, pool);
            if bound <= pool.cutoff()
                || (pool.cutoff() > before
                    && boxes.meet_in_the_middle(
                        &relaxation.everything(),
                        &cell.improved,
                        pool,
                        budget,
                        halves::QUICK,
                    ))
            {
                return f64::NEG_INFINITY;
            }
        }
        boxes.search(cell.improved.clone(), pool, budget).min(bound)
    }

    /// Looks for a better answer with few options per node, where the bound leaves room for one.
    fn sample(&self, cell: &Cell<'a>, pool: &mut Pool) {
        let same = self.problem.restrictions.same_on_every_node;
        if let Some(relaxation) = &cell.relaxation
            && cell.improved.bound > pool.cutoff()
            && !same
            && pool.is_for_one()
            && !self.monitor.stop()
        {
            let halves = Halves {
                problem: self.problem,
                relaxation,
                placements: &cell.placements,
                ranges: &relaxation.everything(),
                canonical: &self.canonical,
                monitor: self.monitor,
            };
            halves.sample(&cell.improved, pool);
        }
    }

    /// Splits cells by what other nodes read, the largest bound first, until those above the cutoff are single or
    /// the share of the budget is spent.
    fn split_into_cells(&self, roots: Vec<Cell<'a>>, pool: &Pool, budget: &mut Budget) -> Vec<Cell<'a>> {
        /// Cells split at the same time, from the same cutoff.
        const BATCH: usize = 8;
        let cutoff = pool.cutoff();
        let by_bound = |a: &Cell<'_>, b: &Cell<'_>| a.improved.bound.total_cmp(&b.improved.bound);
        let (mut open, mut done): (Vec<_>, Vec<_>) = roots.into_iter().partition(|cell| !cell.is_single());
        let mut splitting = budget.at_most(budget.left() / 4);
        while !open.is_empty() && !splitting.is_spent() && !self.monitor.stop() {
            open.sort_by(by_bound);
            let batch = open.split_off(open.len().saturating_sub(BATCH));
            let bound = batch.last().map_or(f64::NEG_INFINITY, |cell| cell.improved.bound);
            if bound <= cutoff {
                break;
            }
            self.monitor.progress(&Progress::new(self.problem, pool.best(), bound, splitting));
            let split: Vec<Cell<'a>> = batch
                .into_par_iter()
                .flat_map_iter(|cell| match cell.split(self.problem, cutoff) {
                    Some(parts) => Vec::from(parts),
                    None => vec![cell],
                })
                .collect();
            splitting.spend(split.iter().map(|cell| cell.improved.work).sum());
            let (single, more): (Vec<_>, Vec<_>) = split.into_iter().partition(Cell::is_single);
            done.extend(single);
            open.extend(more);
        }
        budget.settle(splitting);
        done.extend(open);
        done
    }

    /// Looks for better answers among the options, where the bound leaves room for them; says how many steps it took.
    fn respond(&self, cell: &Cell<'_>, pool: &mut Pool) -> u64 {
        let Cell { placements, relaxation, improved, .. } = cell;
        let useful = improved.bound > pool.cutoff() && !self.problem.restrictions.same_on_every_node;
        let Some(relaxation) = relaxation.as_ref().filter(|_| useful && !self.monitor.stop()) else {
            return 0;
        };
        let responder = Responder::new(
            self.problem,
            relaxation,
            placements,
            &improved.prices,
            improved.bound,
            cell.is_single(),
            self.monitor,
        );
        responder.search(&self.canonical, pool, self.settings.seed);
        responder.cost() / respond::OPTIONS_PER_STEP
    }

    /// The bound for one set of homes.
    fn decide(&self, homes: &[NodeId], target: f64) -> Option<Cell<'a>> {
        let placements = self.problem.placements(homes);
        let evaluator = Evaluator::new(self.problem, placements.clone());
        let classes = node_classes(&self.problem.machine, &placements, false);
        let watched = cells::watched(self.problem, &placements);
        // What a node gets with all others empty bounds what it gets beside them only if these never help it.
        let exact = evaluator.solver.threads_elsewhere_never_help().then(|| {
            Relaxation::new(self.problem, &evaluator, &classes, &watched, MAX_OPTIONS, self.monitor)
        });
        if let Some(relaxation) = exact.flatten() {
            let improved = relaxation.improve(&relaxation.start(), &relaxation.everything(), target, ROOT);
            let cell = Cell::whole(placements, Some(relaxation), improved);
            return Some(cell.knowing_the_least(self.problem, target));
        }
        let loose = Relaxation::loose(self.problem, &evaluator, &classes, true, self.monitor)?;
        let improved = loose.improve(&loose.start(), &loose.everything(), target, ROOT);
        Some(Cell::whole(placements, None, improved))
    }

    /// A bound that holds wherever the open homes are.
    fn bound_over_all_homes(&self, pool: &Pool) -> f64 {
        let problem = self.problem;
        let placements = problem.placements(&[]);
        let evaluator = problem.without_ceilings(placements);
        let classes: Vec<usize> = (0..problem.machine.node_count()).collect();
        Relaxation::loose(problem, &evaluator, &classes, false, self.monitor).map_or(
            f64::INFINITY,
            |relaxation| {
                relaxation.improve(&relaxation.start(), &relaxation.everything(), pool.cutoff(), ROOT).bound
            },
        )
    }

    /// The next best answers, and whether none is missing.
    fn alternatives(&self, best: &Candidate) -> (Vec<Candidate>, bool) {
        if self.settings.top == 0 {
            return (Vec::new(), true);
        }
        let mut pool = Pool::new(self.settings.top + 1);
        pool.add(&self.canonical, best.clone());
        for neighbour in self.neighbours(best) {
            pool.add(&self.canonical, neighbour);
        }
        let proof = self.prove(&mut pool, self.settings.effort.min(ALTERNATIVES_EFFORT));
        let complete = proof.complete;
        let mut found = pool.into_candidates();
        // The best stays the best even if a tie was found that the climb would not leave for it.
        let position = found.iter().position(|candidate| candidate.allocation == best.allocation);
        found.remove(position.unwrap_or(0));
        found.truncate(self.settings.top);
        (found, complete)
    }

    /// Allocations one thread away: one more, one less, or one exchanged for another application's.
    fn neighbours(&self, best: &Candidate) -> Vec<Candidate> {
        let problem = self.problem;
        let mut evaluator = Evaluator::new(problem, best.placements.clone());
        let apps: Vec<_> = (0..problem.apps.len()).map(numasim_model::AppId).collect();
        let mut found = Vec::new();
        let mut consider = |allocation: Allocation| {
            if problem.restrictions.allow(&problem.machine, &problem.apps, &allocation) {
                found.push(evaluator.candidate(allocation));
            }
        };
        for site in local::sites(problem) {
            for &a in &apps {
                let change = |allocation: &mut Allocation, more: bool| {
                    for &node in &site {
                        let threads = allocation.get(a, node);
                        let changed = if more { threads.checked_add(1) } else { threads.checked_sub(1) };
                        let Some(changed) = changed else { return false };
                        allocation.set(a, node, changed);
                    }
                    true
                };
                for more in [true, false] {
                    let mut allocation = best.allocation.clone();
                    if change(&mut allocation, more) {
                        consider(allocation);
                    }
                }
                for &b in apps.iter().filter(|&&b| b != a) {
                    let mut allocation = best.allocation.clone();
                    let possible = change(&mut allocation, false);
                    for &node in &site {
                        let threads = allocation.get(b, node);
                        allocation.set(b, node, threads + 1);
                    }
                    if possible {
                        consider(allocation);
                    }
                }
            }
        }
        found
    }

    /// The applications that get nothing even with the whole machine; all of them if each alone would.
    fn without_progress(&self) -> Vec<String> {
        let names = |filter: &dyn Fn(f64) -> bool| -> Vec<String> {
            let alone = self.problem.goal.alone();
            let stuck = self.problem.apps.iter().zip(alone).filter(|(_, alone)| filter(**alone));
            stuck.map(|(app, _)| app.name.clone()).collect()
        };
        let stuck = names(&|alone| alone <= 0.0);
        if stuck.is_empty() { names(&|_| true) } else { stuck }
    }
}
