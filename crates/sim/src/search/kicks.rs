//! Iterated local search: random changes to the best answer so far, while it is proven and after that.
//!
//! Some bounds stay where they are for a long time, above an answer that is not the best: then better answers are what is missing.

use numasim_model::NodeId;
use rand::RngExt as _;

use super::local;
use super::pool::Pool;
use super::question::Search;
use crate::parallel::prelude::*;
use crate::problem::{Candidate, Evaluator};
use crate::sites::Sites;

/// Chains of kicks, each with random numbers of its own; all but the two below start at the best answer.
const CHAINS: u64 = 4;
/// The chain that starts with other homes.
const OTHER_HOMES: u64 = 2;
/// The chain that starts anywhere.
const ANYWHERE: u64 = 3;
/// Kicks in each at the end of a search.
const AT_THE_END: u64 = 30;
/// Effort without which there is no kick at the end.
const KICK_STEPS: u64 = 5_000_000;
/// Fewest and most kicks in each at one time while something is proven.
const AT_ONCE: std::ops::RangeInclusive<u64> = 4..=64;
/// Steps of a proof for one of kicks.
const PROOF_STEPS: u64 = 3;
/// Elementary operations of an evaluation in the time of one step, here where one allocation after the other differs by few threads (measured).
const OPERATIONS_PER_STEP: u64 = 12;

/// What was done while something is proven.
#[derive(Default)]
pub(super) struct Kicks {
    turns: u64,
    steps: u64,
}

impl Search<'_> {
    /// Last attempts to improve an answer that is not proven.
    pub(super) fn iterate(&self, best: Candidate) -> Candidate {
        if self.monitor.stop() {
            return best;
        }
        let improved = self.kicked(best, AT_THE_END.min(self.settings.effort / KICK_STEPS), 0);
        if self.monitor.stop() { improved } else { self.climb_with_homes(improved) }
    }

    /// Kicks to the best answer of `pool`, for a part of the steps that its proof took; says what they took. `spent`: by the proof and kicks so far.
    pub(super) fn kick_beside(&self, spent: u64, kicks: &mut Kicks, pool: &mut Pool) -> u64 {
        let one = self.cost_of_a_kick() * CHAINS;
        let proof = spent.saturating_sub(kicks.steps);
        let number = ((proof / PROOF_STEPS).saturating_sub(kicks.steps) / one).min(*AT_ONCE.end());
        // Alternatives need not be looked for as hard as the best.
        let Some(best) = pool.best().filter(|_| pool.is_for_one() && number >= *AT_ONCE.start()) else {
            return 0;
        };
        kicks.turns += 1;
        kicks.steps += number * one;
        pool.add(&self.canonical, self.kicked(best.clone(), number, kicks.turns));
        number * one
    }

    /// The best after so many kicks in each chain; `turn` tells one time from another.
    fn kicked(&self, best: Candidate, kicks: u64, turn: u64) -> Candidate {
        let chains: Vec<Candidate> = (0..CHAINS)
            .into_par_iter()
            .map(|chain| {
                let mut random = local::generator(self.settings.seed, 2_000 + turn * CHAINS + chain);
                let start = match chain {
                    OTHER_HOMES if turn > 0 => self.with_other_homes(&best, &mut random),
                    ANYWHERE if turn > 0 => {
                        local::random_start(self.problem, &mut random).map(|start| self.climb_from(&start))
                    }
                    _ => None,
                };
                let start = start.unwrap_or_else(|| best.clone());
                let mut evaluator = Evaluator::new(self.problem, start.placements.clone());
                local::iterate(self.problem, &mut evaluator, &start, kicks, &mut random, self.monitor)
            })
            .collect();
        chains.into_iter().fold(best, |best, next| if next.beats(&best) { next } else { best })
    }

    /// The answer with about half of the open homes elsewhere, after climbing; `None` where none is.
    fn with_other_homes(&self, best: &Candidate, random: &mut impl rand::Rng) -> Option<Candidate> {
        let homes: Vec<NodeId> = self.problem.machine.memory_nodes().collect();
        let mut placements = best.placements.clone();
        for (placement, app) in placements.iter_mut().zip(&self.problem.apps) {
            if app.data.is_open() && random.random_bool(0.5) {
                *placement = app.data.placement_at(homes[random.random_range(0..homes.len())]);
            }
        }
        let moved = placements != best.placements;
        moved.then(|| {
            let start = Evaluator::new(self.problem, placements).candidate(best.allocation.clone());
            self.climb_with_homes(start)
        })
    }

    /// Steps of one kick: of about as many evaluations as a site, and a pair of sites, have moves.
    fn cost_of_a_kick(&self) -> u64 {
        let apps = self.problem.apps.len() as u64;
        let sites = Sites::new(self.problem).len() as u64;
        let of_apps = apps * apps;
        let moves = 4 * sites * of_apps + sites * sites.saturating_sub(1) * of_apps;
        moves * self.problem.evaluation_cost() / OPERATIONS_PER_STEP + 1
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::Allocation;

    use super::*;
    use crate::monitor::Unattended;
    use crate::objective::Objective;
    use crate::search::settings::Settings;
    use crate::search::testing::{pool_with, question};

    #[test]
    fn kicks_take_a_part_of_the_steps_of_a_proof_and_find_better_answers() {
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
    fn other_homes_are_tried_where_there_are_any() {
        let problem = question(2, Objective::TotalGflops);
        let settings = Settings::default();
        let search = Search::new(&problem, &settings, &Unattended);
        let placements = problem.placements(&[]);
        let allocation = Allocation::from_rows(&[vec![1, 1], vec![1, 1]]).expect("equal rows");
        let best = Evaluator::new(&problem, placements).candidate(allocation);
        assert!(search.with_other_homes(&best, &mut local::generator(0, 0)).is_none(), "all data is local");
    }
}
