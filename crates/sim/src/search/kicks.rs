//! Iterated local search: random changes to the best answer so far, while it is proven and after that.
//!
//! Some bounds stay where they are for a long time, above an answer that is not the best: then better answers are what is missing.

use rand::RngExt as _;

use super::local;
use super::pool::Pool;
use super::question::Search;
use crate::parallel::prelude::*;
use crate::problem::{Candidate, Evaluator};
use crate::sites::Sites;
use numasim_model::NodeId;

/// Chains of kicks, each with random numbers of its own. All but two start at the best answer.
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

    /// Kicks to the best answer of `pool`, for a part of the steps that its proof took so far; says what they took.
    pub(super) fn kick_beside(&self, proof: u64, kicks: &mut Kicks, pool: &mut Pool) -> u64 {
        let one = self.cost_of_a_kick() * CHAINS;
        let number = ((proof / PROOF_STEPS).saturating_sub(kicks.steps) / one).min(*AT_ONCE.end());
        // Alternatives need not be looked for as hard as the best.
        let Some(best) = pool.best().filter(|_| pool.is_for_one() && number >= *AT_ONCE.start()) else { return 0 };
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
        let nodes = self.problem.machine.node_count();
        let mut placements = best.placements.clone();
        for (placement, app) in placements.iter_mut().zip(&self.problem.apps) {
            if app.data.is_open() && random.random_bool(0.5) {
                *placement = app.data.placement_at(NodeId(random.random_range(0..nodes)));
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
