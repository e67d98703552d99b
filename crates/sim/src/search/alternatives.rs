//! The next best, different answers.

use super::budget::Pace;
use super::pool::Pool;
use super::question::Search;
use crate::contents::Sites;
use crate::problem::{Candidate, Evaluator};
use numasim_model::AppId;

/// Most steps spent on alternatives after the best is known.
const ALTERNATIVES_EFFORT: u64 = 1_000_000;
/// Most elementary operations for what is one thread away from the best, some seconds: there are very many with
/// thousands of applications.
const NEIGHBOURS_OPERATIONS: u64 = 10_000_000_000;

impl Search<'_> {
    /// The next best answers, and whether none is missing.
    pub(super) fn alternatives(&self, best: &Candidate) -> (Vec<Candidate>, bool) {
        if self.settings.top == 0 {
            return (Vec::new(), true);
        }
        let mut pool = Pool::new(self.settings.top + 1);
        pool.add(&self.canonical, best.clone());
        self.add_neighbours(best, &mut pool);
        let proof = self.prove(&mut pool, self.settings.effort.min(ALTERNATIVES_EFFORT));
        let complete = proof.complete;
        let mut found = pool.into_candidates();
        // The best stays the best even if a tie was found that the climb would not leave for it.
        let position = found.iter().position(|candidate| candidate.allocation == best.allocation);
        found.remove(position.unwrap_or(0));
        found.truncate(self.settings.top);
        (found, complete)
    }

    /// Adds the allocations one thread away: one more, one less, or one exchanged for another application's.
    fn add_neighbours(&self, best: &Candidate, pool: &mut Pool) {
        let problem = self.problem;
        let cells = (problem.apps.len() * problem.machine.node_count()) as u64;
        let cost = cells.saturating_add(problem.evaluation_cost());
        let mut left = NEIGHBOURS_OPERATIONS;
        let mut pace = Pace::new(self.monitor);
        let mut evaluator = Evaluator::new(problem, best.placements.clone());
        let mut changed = best.allocation.clone();
        let sites = Sites::new(problem);
        for site in 0..sites.len() {
            for a in (0..problem.apps.len()).map(AppId) {
                let more: &[(AppId, i64)] = &[(a, 1)];
                let less: &[(AppId, i64)] = &[(a, -1)];
                let others = (0..problem.apps.len()).map(AppId).filter(|&b| b != a);
                let exchanged: Vec<[(AppId, i64); 2]> = if sites.threads(&best.allocation, a.0, site) > 0 {
                    others.map(|b| [(a, -1), (b, 1)]).collect()
                } else {
                    Vec::new()
                };
                for change in [more, less].into_iter().chain(exchanged.iter().map(<[_; 2]>::as_slice)) {
                    if pace.stops_after(cost) || left < cost {
                        return;
                    }
                    left -= cost;
                    let mut possible = true;
                    for &(app, by) in change {
                        let now = sites.threads(&best.allocation, app.0, site);
                        let threads = u32::try_from(i64::from(now) + by);
                        possible &= threads.is_ok();
                        sites.set(&mut changed, app.0, site, threads.unwrap_or(0));
                    }
                    if possible && evaluator.allows(&changed) {
                        pool.add(&self.canonical, evaluator.candidate(changed.clone()));
                    }
                    for &(app, _) in change {
                        sites.take_back(&best.allocation, &mut changed, app.0, site);
                    }
                }
            }
        }
    }
}
