//! Several models as one judge: the smallest merit counts.

use numasim_model::{Allocation, Placement};

use super::scale::Scale;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::local::Rates;

/// The models under which allocations differ, each with its scale; never empty, and all of one objective.
#[derive(Clone, Debug)]
pub(super) struct Panel<'a> {
    pub(super) members: Vec<(&'a Problem, Scale)>,
}

impl<'a> Panel<'a> {
    /// The question apart from the model: applications, restrictions, nodes.
    pub(super) fn question(&self) -> &'a Problem {
        self.members[0].0
    }

    /// One judge for these placements.
    pub(super) fn rater(&self, placements: &[Placement]) -> Rater<'a> {
        let evaluator =
            |&(problem, scale): &(&'a Problem, Scale)| (Evaluator::new(problem, placements.to_vec()), scale);
        Rater { members: self.members.iter().map(evaluator).collect() }
    }

    /// What rating an allocation costs, in elementary operations.
    pub(super) fn evaluation_cost(&self) -> u64 {
        self.members.iter().map(|(problem, _)| problem.evaluation_cost()).fold(0, u64::saturating_add)
    }

    /// The worst regret of an allocation with this merit.
    pub(super) fn regret(&self, merit: f64) -> f64 {
        self.members[0].1.regret(merit)
    }
}

/// Rates allocations by their smallest merit; the mean of all merits breaks ties.
pub(super) struct Rater<'a> {
    members: Vec<(Evaluator<'a>, Scale)>,
}

impl Rates for Rater<'_> {
    #[inline]
    fn excess(&self, threads: &[u32]) -> f64 {
        self.members[0].0.excess(threads)
    }

    #[inline]
    fn rate(&mut self, threads: &[u32]) -> (f64, f64) {
        let (mut least, mut sum) = (f64::INFINITY, 0.0);
        for (evaluator, scale) in &mut self.members {
            let merit = scale.merit(evaluator.rate(threads).0);
            least = least.min(merit);
            sum += merit;
        }
        (least, sum / self.members.len() as f64)
    }

    fn candidate(&mut self, allocation: Allocation) -> Candidate {
        let (score, tie_break) = self.rate(allocation.as_slice());
        let excess = self.excess(allocation.as_slice());
        let placements = self.members[0].0.placements.clone();
        Candidate { allocation, placements, score, tie_break, excess }
    }
}

/// The best that was met, and what it takes to beat it.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) candidate: Candidate,
}

/// Merits are near 1, or logarithms near 0: they count as equal within this, which is a part of the best of a model.
pub(super) const EQUAL: f64 = 1e-9;

impl Best {
    /// Only what has more is better.
    pub(super) fn cutoff(&self) -> f64 {
        self.candidate.score + EQUAL
    }

    /// Takes what is better.
    pub(super) fn offer(&mut self, other: Candidate) {
        if other.beats(&self.candidate) {
            self.candidate = other;
        }
    }
}
