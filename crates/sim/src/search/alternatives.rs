//! The next best, different answers.

use numasim_model::Allocation;

use super::local;
use super::pool::Pool;
use super::question::Search;
use crate::problem::{Candidate, Evaluator};

/// Most steps spent on alternatives after the best is known.
const ALTERNATIVES_EFFORT: u64 = 1_000_000;

impl Search<'_> {
    /// The next best answers, and whether none is missing.
    pub(super) fn alternatives(&self, best: &Candidate) -> (Vec<Candidate>, bool) {
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
}
