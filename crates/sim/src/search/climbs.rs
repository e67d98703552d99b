//! Answers without a proof: climbing from simple and random starts, with open homes, and kicks at the end.

use crate::parallel::prelude::*;
use numasim_model::{Allocation, Data};

use super::local;
use super::question::Search;
use crate::baselines::{even, one_app_per_node};
use crate::problem::{Candidate, Evaluator};

/// Chains of the iterated local search at the end, and kicks in each.
const CHAINS: u64 = 4;
const KICKS: usize = 30;
/// Effort without which there is no kick.
const KICK_STEPS: u64 = 5_000_000;
/// Random starts of the hill climbing.
const RESTARTS: u64 = 6;

impl Search<'_> {
    /// Hill climbing from simple and from random starts, in a fixed order. What it ends with may have data
    /// that does not fit.
    pub(super) fn climbed(&self) -> Vec<Candidate> {
        let problem = self.problem;
        let allowed =
            |allocation: &Allocation| problem.restrictions.allow(&problem.machine, &problem.apps, allocation);
        let mut starts: Vec<Allocation> = local::round_robin_start(problem).into_iter().collect();
        starts.extend(Some(even(&problem.machine, &problem.apps)).filter(allowed));
        starts.extend(one_app_per_node(&problem.machine, &problem.apps).filter(allowed));
        for restart in 0..RESTARTS {
            let mut random = local::generator(self.settings.seed, restart);
            starts.extend(local::random_start(problem, &mut random));
        }
        starts
            .into_par_iter()
            .enumerate()
            .filter(|&(number, _)| number == 0 || !self.monitor.stop()) // One answer, however late it is.
            .map(|(_, start)| {
                let data: Vec<Data> = problem.apps.iter().map(|app| app.data.clone()).collect();
                let stop = || self.monitor.stop();
                self.climb_with_homes(problem.with_good_homes(&start, &data, &stop))
            })
            .collect()
    }

    /// Last attempts to improve an answer that is not proven.
    pub(super) fn iterate(&self, best: Candidate) -> Candidate {
        if self.monitor.stop() {
            return best;
        }
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
    pub(super) fn climb_with_homes(&self, start: Candidate) -> Candidate {
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
}
