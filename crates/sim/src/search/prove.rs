//! The proof: every set of homes is bounded, and all sets that could beat the best answer are searched.

use crate::parallel;
use crate::problem::{Candidate, Evaluator};
use crate::search::budget::{Budget, OPTIONS_PER_STEP, Settings};
use crate::search::cells::Cell;
use crate::search::dual::{Effort, Relaxation};
use crate::search::halves::Halves;
use crate::search::homes::HomeSet;
use crate::search::parts::FewNodes;
use crate::search::pool::{Canonical, Pool};
use crate::search::respond::Responder;
use crate::search::watch::watched;
use crate::search::{Proof, Search, halves, uniform};
use crate::symmetry::node_classes;

/// Maximum number of options of one node that are listed with the default budget, or with less. A larger budget lists more, as far as
/// memory allows.
const MAX_OPTIONS: usize = 200_000;
/// Work on the bound of one set of homes.
const ROOT: Effort = Effort { steps: 100, cuts: 150 };

/// The state of one set of homes. There is one for each set, so that none can be forgotten.
enum Decided<'a> {
    /// Its options are listed: it can be searched.
    Searchable(Box<Cell<'a>>),
    /// Its options are not listed: it stays open, unless the best answer meets this bound.
    Undecided {
        /// Nothing with these homes has a better score.
        bound: f64,
    },
}

impl Decided<'_> {
    /// The cost of its bound, in steps of the search.
    fn work(&self) -> u64 {
        match self {
            Self::Searchable(cell) => cell.improved.work,
            Self::Undecided { .. } => 1,
        }
    }
}

/// Up to this number of sets of homes or fractions, all are evaluated whatever the cost.
const MOST_AT_ONCE: usize = 64;

/// A pool that takes the results of [`uniform::rate_all`].
#[derive(Clone)]
struct InPool<'c> {
    pool: Pool,
    canonical: &'c Canonical,
}

impl uniform::Keeps for InPool<'_> {
    fn cutoff(&self) -> f64 {
        self.pool.cutoff()
    }

    fn offer(&mut self, candidate: Candidate) {
        self.pool.add(self.canonical, candidate);
    }

    fn join(&mut self, other: Self) {
        self.pool.merge(self.canonical, other.pool);
    }
}

impl<'a> Search<'a> {
    /// Searches everything that could beat the cutoff of `pool`, with at most `effort` steps.
    pub(super) fn prove(&self, pool: &mut Pool, mut effort: u64) -> Proof {
        let problem = self.problem;
        if let Some(few) = FewNodes::new(problem) {
            return self.prove_in_parts(&few, vec![few.root()], pool, &mut effort);
        }
        let Some(homes) = &self.homes.listed else {
            return self.prove_undecided(pool, effort);
        };
        let limit = uniform::MOST / homes.len().max(1);
        if problem.restrictions.same_on_every_node && uniform::are_at_most(problem, limit, self.monitor) {
            let complete = homes.iter().all(|set| {
                let placements = problem.placements(&set.homes);
                let rater = || Evaluator::new(problem, placements.clone());
                let mut found = InPool { pool: pool.clone(), canonical: &self.canonical };
                let cost = problem.evaluation_cost();
                let complete = uniform::rate_all(problem, &placements, rater, cost, &mut found, self.monitor);
                *pool = found.pool;
                complete
            });
            if complete {
                return Proof { open_bound: f64::NEG_INFINITY, complete: true };
            }
        }
        let open_bound = self.branch_over(pool, homes, &mut Budget::new(effort));
        Proof { open_bound, complete: open_bound <= pool.cutoff() }
    }

    /// The same if sets are too many to be listed: those with the largest bounds first, in batches of the size that is searched one by one.
    fn prove_undecided(&self, pool: &mut Pool, effort: u64) -> Proof {
        let (mut budget, mut open_bound) = (Budget::new(effort), f64::NEG_INFINITY);
        let mut rest = self.homes.undecided(self.problem);
        while rest.bound() > pool.cutoff() && !self.monitor.stop() {
            let sets = rest.next_sets(pool.cutoff(), &mut budget, self.monitor);
            if sets.is_empty() {
                break;
            }
            // Half of it, while others remain.
            let to_come = rest.bound() > pool.cutoff();
            let steps = if to_come { budget.left() / 2 } else { budget.left() };
            let mut part = budget.at_most(steps);
            open_bound = open_bound.max(self.branch_over(pool, &sets, &mut part));
            budget.settle(part);
        }
        let open_bound = open_bound.max(rest.bound());
        Proof { open_bound, complete: open_bound <= pool.cutoff() }
    }

    /// Bounds each set of homes anew and searches those that could beat the cutoff, the most promising first. Returns a bound on everything
    /// that stays open.
    fn branch_over(&self, pool: &mut Pool, homes: &[HomeSet], budget: &mut Budget) -> f64 {
        let target = pool.cutoff();
        let share = homes.iter().filter(|set| set.bound > target).count();
        if share <= MOST_AT_ONCE {
            let decided = parallel::map(homes, |set| self.decide(set, target, share));
            return self.settle(decided, pool, budget);
        }
        // Many sets of fractions: the largest bounds first, as far as a part of the budget allows. The others stay unchanged.
        let mut sets: Vec<&HomeSet> = homes.iter().filter(|set| set.bound > target).collect();
        sets.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        let mut part = budget.at_most(budget.left() / 3);
        let mut decided = Vec::with_capacity(sets.len());
        for batch in sets.chunks(MOST_AT_ONCE / 4) {
            if part.is_spent() {
                decided.extend(batch.iter().map(|set| Decided::Undecided { bound: set.bound }));
                continue;
            }
            let more = parallel::map(batch, |set| self.decide(set, target, share));
            part.spend(more.iter().map(Decided::work).sum());
            decided.extend(more);
        }
        budget.settle(part);
        self.settle(decided, pool, budget)
    }

    /// Searches the decided sets that could beat the cutoff. Undecided sets stay open; returns a bound on everything that stays open.
    fn settle(&self, decided: Vec<Decided<'a>>, pool: &mut Pool, budget: &mut Budget) -> f64 {
        let problem = self.problem;
        let mut open_bound = f64::NEG_INFINITY;
        let mut cells = Vec::with_capacity(decided.len());
        for decided in decided {
            match decided {
                Decided::Searchable(cell) => cells.push(*cell),
                Decided::Undecided { bound } => open_bound = open_bound.max(bound),
            }
        }
        let effort = budget.left();
        for (position, cell) in cells.iter().enumerate() {
            // Not more than half, because many homes are tried one after the other. Hardly any if halves find and prove the best, or if
            // potentials are far from real GFLOPS.
            let little = halves::may_end(&cell.relaxation) || !cell.relaxation.exact;
            let rest = if little { effort / 8 * 7 } else { effort / 2 };
            if budget.left() > rest {
                budget.spend(self.respond(cell, pool));
                if cell.is_single() {
                    let steps = if little {
                        budget.left().saturating_sub(rest) / (cells.len() - position) as u64
                    } else {
                        budget.left()
                    };
                    budget.spend(self.sample(cell, pool, steps));
                }
            }
        }
        let cells = self.split_into_cells(cells, pool, budget, open_bound);
        open_bound = self.search_cells(cells, pool, budget, open_bound);
        self.monitor.progress(&budget.progress(problem, pool.best(), open_bound));
        open_bound
    }

    /// Looks for a better answer with few options per node, if the bound leaves room for one; returns the steps used, at most `steps`.
    pub(super) fn sample(&self, cell: &Cell<'a>, pool: &mut Pool, steps: u64) -> u64 {
        let relaxation = &cell.relaxation;
        if cell.improved.bound > pool.cutoff()
            && !self.problem.restrictions.same_on_every_node
            && pool.is_for_one()
            && !relaxation.is_drawn_from()
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
            return halves.sample(&cell.improved, pool, steps);
        }
        0
    }

    /// Splits cells by the reads of other nodes, the largest bound first, until those above the cutoff are single or the share of the
    /// budget is spent. No other open part is better than `elsewhere`.
    fn split_into_cells(
        &self,
        roots: Vec<Cell<'a>>,
        pool: &Pool,
        budget: &mut Budget,
        elsewhere: f64,
    ) -> Vec<Cell<'a>> {
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
            let single = done.iter().map(|cell: &Cell<'_>| cell.improved.bound).fold(elsewhere, f64::max);
            self.monitor.progress(&splitting.progress(self.problem, pool.best(), bound.max(single)));
            let split: Vec<Vec<Cell<'a>>> =
                parallel::map(batch, |cell| match cell.split(self.problem, cutoff) {
                    Some(parts) => Vec::from(parts),
                    None => vec![cell],
                });
            let split: Vec<Cell<'a>> = split.into_iter().flatten().collect();
            splitting.spend(split.iter().map(|cell| cell.improved.work).sum());
            let (single, more): (Vec<_>, Vec<_>) = split.into_iter().partition(Cell::is_single);
            done.extend(single);
            open.extend(more);
        }
        budget.settle(splitting);
        done.extend(open);
        done
    }

    /// Looks for better answers among the options, if the bound leaves room for them; returns the steps used.
    pub(super) fn respond(&self, cell: &Cell<'_>, pool: &mut Pool) -> u64 {
        let Cell { placements, relaxation, improved, .. } = cell;
        let useful = improved.bound > pool.cutoff() && !self.problem.restrictions.same_on_every_node;
        if !useful || self.monitor.stop() {
            return 0;
        }
        let responder = Responder::new(
            self.problem,
            relaxation,
            placements,
            &improved.prices,
            improved.bound,
            cell.knows_all(),
            self.monitor,
        );
        let Some(responder) = responder else { return 0 };
        responder.search(&self.canonical, pool, self.settings.seed);
        responder.cost() / OPTIONS_PER_STEP
    }

    /// Maximum number of listed options of one node: a list pays off only if there is time to search it.
    fn most_options(&self) -> usize {
        let times_default = self.settings.effort / Settings::default().effort;
        let times = usize::try_from(times_default.max(1)).unwrap_or(usize::MAX);
        MAX_OPTIONS.saturating_mul(times)
    }

    /// The state of one set of homes, one of `share` that exist at the same time: the first bound, if that is enough or the monitor stops
    /// it.
    fn decide(&self, set: &HomeSet, target: f64, share: usize) -> Decided<'a> {
        if set.bound <= target || self.monitor.stop() {
            return Decided::Undecided { bound: set.bound };
        }
        let placements = self.problem.placements(&set.homes);
        let evaluator = Evaluator::new(self.problem, placements.clone());
        let classes = node_classes(&self.problem.machine, &self.problem.apps, &placements, false);
        let never_help = evaluator.solver.threads_elsewhere_never_help();
        let watched = watched(self.problem, &placements, never_help);
        let limit = self.most_options();
        let listed =
            Relaxation::new(self.problem, &evaluator, &classes, &watched, limit, share, self.monitor);
        let Some(relaxation) = listed else {
            let loose =
                Relaxation::loose(self.problem, &self.problem.machine, &evaluator, &classes, self.monitor)
                    .with_least_of_corners(&evaluator);
            let mut improved = loose.improve(&loose.start(), &loose.everything(), target, ROOT);
            if improved.bound > target {
                // Many sets of homes share the time for it.
                let rounds = (ROOT.cuts * 2 / (1 + share)).max(5);
                improved = loose.improve_by_shares(improved, &evaluator, target, rounds);
            }
            return Decided::Undecided { bound: improved.bound.min(set.bound) };
        };
        let mut improved = relaxation.improve(&relaxation.start(), &relaxation.everything(), target, ROOT);
        improved.bound = improved.bound.min(set.bound);
        let bound = improved.bound;
        match Cell::whole(placements, relaxation, improved) {
            Some(cell) => Decided::Searchable(Box::new(cell.knowing_the_least(self.problem, target))),
            None => Decided::Undecided { bound },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::problem::Problem;
    use crate::restrictions::Restrictions;
    use crate::search::budget::Settings;
    use crate::testing::{local_app, uniform_machine};

    /// One node with 2 cores of 10 GFLOPS and one application that needs no memory: 20 GFLOPS are the best.
    fn in_search<T>(test: impl FnOnce(&Search<'_>, &mut Pool) -> T) -> T {
        let machine = uniform_machine(1, 2, 10.0, 32.0, 10.0);
        let problem =
            Problem::new(&machine, &[local_app("a", 100.0)], Objective::TotalGflops, Restrictions::default())
                .expect("a possible question");
        let settings = Settings::default();
        let search = Search::new(&problem, &settings, &Unattended);
        let mut pool = Pool::new(1);
        test(&search, &mut pool)
    }

    fn decide<'a>(search: &Search<'a>) -> Decided<'a> {
        search.decide(&HomeSet { homes: Vec::new(), bound: f64::INFINITY }, 0.0, 2)
    }

    #[test]
    fn undecided_homes_keep_the_proof_open() {
        in_search(|search, pool| {
            let decided = vec![decide(search), Decided::Undecided { bound: 25.0 }];
            let open_bound = search.settle(decided, pool, &mut Budget::new(1_000_000));
            assert_eq!(pool.best().map(|best| best.score), Some(20.0));
            assert!((open_bound - 25.0).abs() < 1e-12, "{open_bound}");
        });
    }

    #[test]
    fn homes_with_a_reached_bound_are_closed() {
        in_search(|search, pool| {
            let decided = vec![decide(search), Decided::Undecided { bound: 20.0 }];
            assert!(search.settle(decided, pool, &mut Budget::new(1_000_000)) <= pool.cutoff());
        });
    }
}
