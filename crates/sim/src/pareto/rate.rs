//! From thread counts to both scores.

use numasim_model::{Allocation, Placement};

use super::archive::{Entry, Searched};
use crate::Objective;
use crate::objective::Goal;
use crate::problem::{Evaluator, Problem};
use crate::sites::Sites;

/// Thread counts that are evaluated between two looks at the clock.
const CLOCK_CELLS: u64 = 200_000;

/// Two objectives over the same machine, applications and restrictions.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) problem: &'a Problem,
    pub(super) goals: [&'a Goal; 2],
}

impl<'a> Pair<'a> {
    /// Thread counts of an allocation: what an evaluation costs, and what an allocation takes in memory.
    pub(super) fn cells(&self) -> u64 {
        (self.problem.apps.len() * self.problem.machine.node_count()).max(1) as u64
    }

    /// After so many evaluations the monitor is asked: about every millisecond.
    pub(super) fn clock(&self) -> u64 {
        (CLOCK_CELLS / self.cells()).clamp(1, 1024)
    }

    /// A rater for these placements.
    pub(super) fn rater(&self, placements: Vec<Placement>) -> Rater<'a> {
        Rater { goals: self.goals, evaluator: Evaluator::new(self.problem, placements) }
    }

    /// Whether both values mean something: a makespan without an end is no answer.
    pub(super) fn counts(&self, scores: [f64; 2]) -> bool {
        self.goals.iter().zip(scores).all(|(goal, s)| goal.objective() != Objective::Makespan || s > 0.0)
    }

    /// Nodes whose threads change together.
    pub(super) fn sites(&self) -> Sites<'a> {
        Sites::new(self.problem)
    }
}

/// Computes both scores for fixed placements.
pub(super) struct Rater<'a> {
    goals: [&'a Goal; 2],
    evaluator: Evaluator<'a>,
}

impl Rater<'_> {
    /// Whether the restrictions and the memory of the nodes allow it.
    pub(super) fn allows(&self, allocation: &Allocation) -> bool {
        self.evaluator.allows(allocation)
    }

    pub(super) fn scores(&mut self, allocation: &Allocation) -> [f64; 2] {
        let gflops = self.evaluator.gflops(allocation.as_slice());
        self.goals.map(|goal| goal.score(gflops))
    }

    pub(super) fn entry(&self, allocation: &Allocation, scores: [f64; 2]) -> Entry {
        let placements = self.evaluator.placements.clone();
        Entry { scores, allocation: allocation.clone(), placements, searched: Searched::No }
    }
}
