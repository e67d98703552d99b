//! Answers without a proof: climbing from simple and random starts, with open homes.

use crate::parallel::prelude::*;
use numasim_model::{Allocation, Data, Placement};

use super::local;
use super::question::Search;
use crate::ascent::Ascent;
use crate::baselines::{even, good_homes, one_app_per_node};
use crate::monitor::Monitor;
use crate::problem::{Candidate, Evaluator, Problem};

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
            .map(|(_, start)| self.climb_from(&start))
            .collect()
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

/// Climbs, moves open homes to better nodes, and climbs again until neither helps. `rater` rates with given placements.
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
        let moved = good_homes(&problem.machine, &data, &rate, &|| monitor.stop());
        let next = if moved.beats(&climbed) { moved } else { climbed };
        if !ascent.tries(next) {
            break;
        }
    }
    ascent.into_best()
}
