//! Good answers from the listed options: best response, node by node and pair by pair.
//!
//! Hill climbing by single threads ([`super::local`]) gets stuck where one thread more here must go with two less
//! there. Here a node is refilled at once with the best of all its options while the others stay, and pairs of nodes
//! with the best pair of the options that earn most at the prices of the bound.

mod merit;
mod responder;
mod state;

use crate::parallel::prelude::*;
use rand::RngExt as _;

use super::local::{climb, generator};
use super::pool::{Canonical, Pool};
use crate::objective::Objective;
use crate::problem::{Candidate, Evaluator};
pub(super) use responder::Responder;
use responder::TOP;
use state::State;

/// Starts where the smallest p decides, and where all count: there one start is nearly as good as another.
const STARTS: u64 = 12;
const FEW_STARTS: u64 = 4;
/// Rounds until nothing improves, as a rule: for what the search costs.
const USUAL_ROUNDS: u64 = 4;
/// Rounds over all nodes and pairs; improvements after that are rare.
const MOST_ROUNDS: usize = 30;

impl Responder<'_> {
    fn starts(&self) -> u64 {
        match self.problem.goal.objective() {
            Objective::Fair | Objective::Makespan => STARTS,
            Objective::TotalGflops | Objective::Geomean => FEW_STARTS,
        }
    }

    /// Options that are looked at, about.
    pub(super) fn cost(&self) -> u64 {
        let options = |&c: &usize| self.relaxation.classes[c].table.len() as u64;
        self.starts() * USUAL_ROUNDS * self.class_of.iter().map(options).sum::<u64>()
    }

    /// Adds what it finds to `pool`; the same for the same seed.
    pub(super) fn search(&self, canonical: &Canonical, pool: &mut Pool, seed: u64) {
        let found: Vec<Candidate> = (0..self.starts())
            .into_par_iter()
            .map(|start| {
                let mut random = generator(seed, 1_000 + start);
                let options = self.class_of.iter().map(|&c| {
                    let ranked = &self.ranked[c];
                    ranked[random.random_range(0..ranked.len().min(TOP))]
                });
                self.improve(options.collect())
            })
            .collect();
        for candidate in found {
            if self.problem.allows(&candidate.allocation, &candidate.placements) {
                pool.add(canonical, candidate);
            }
        }
    }

    fn improve(&self, options: Vec<usize>) -> Candidate {
        let evaluator = Evaluator::new(self.problem, self.placements.to_vec());
        let mut state = State { responder: self, options, evaluator };
        let mut merit = state.merit();
        for _ in 0..MOST_ROUNDS {
            let before = merit;
            for node in 0..self.nodes.len() {
                if self.monitor.stop() {
                    break;
                }
                merit = state.respond(node, merit);
            }
            if self.decoupled && !merit.beats(before) && !self.monitor.stop() {
                for left in 0..self.nodes.len() {
                    for right in left + 1..self.nodes.len() {
                        if self.monitor.stop() {
                            break;
                        }
                        merit = state.respond_in_pair(left, right, merit);
                    }
                }
            }
            if !merit.beats(before) {
                break;
            }
        }
        let allocation = state.allocation();
        let State { mut evaluator, .. } = state;
        let allowed = self.problem.restrictions.allow(&self.problem.machine, &self.problem.apps, &allocation);
        if allowed {
            climb(self.problem, &mut evaluator, allocation, self.monitor)
        } else {
            evaluator.candidate(allocation)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Unattended;
    use crate::search::testing::{LOCAL, pool_with, question, relaxation};

    #[test]
    fn every_node_answers_with_its_best_option() {
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let prices = relaxation.start().prices;
        let responder =
            Responder::new(&problem, &relaxation, &LOCAL, &prices, 40.0, true, &Unattended).expect("no stop");
        let (canonical, mut pool) = pool_with(&problem, &[vec![2, 0], vec![0, 1]]);
        responder.search(&canonical, &mut pool, 0);
        assert!(pool.best().is_some_and(|best| (best.score - 40.0).abs() < 1e-9), "{:?}", pool.best());
        // 6 options on each of 2 nodes, 4 starts, 4 rounds
        assert_eq!(responder.cost(), 6 * 2 * 4 * 4);
    }
}
