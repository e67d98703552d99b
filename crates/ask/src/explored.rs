//! The result of [`explore`](crate::explore()), as values and as a document.

use std::sync::Arc;

use numasim_course::Study;
use numasim_sim::intervals::{Draws, Interval, Rival};
use numasim_sim::search::over_models::OverModels;
use numasim_sim::search::{self, Level, Outcome, Simplest, Spent, Status};
use numasim_sim::sensitivity::Sensitivity;
use numasim_sim::{Candidate, Caution, Objective, Problem, Saturated};

use crate::{EvaluatedScenario, warning};

pub(crate) use document::{ObjectiveWord, ProofObject, StatusWord, UnprovenWord};

mod document;

numasim_model::words! {
    /// The reason why an answer is not proven.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WhyUnproven {
        /// The user interrupted the search.
        Interrupted = "interrupted",
        /// The time limit was reached.
        TimeLimit = "time-limit",
        /// The space is larger than the part that the search covers.
        TooLarge = "too-large",
        /// The sharing model lacks a property that proofs need.
        Model = "model",
    }
}

impl WhyUnproven {
    /// The reason for an outcome that `ended` may have cut short; `None` if it is proven.
    pub fn of(outcome: &Outcome, problem: &Problem, ended: Option<Self>) -> Option<Self> {
        let by_itself =
            || if problem.proofs_apply(&outcome.best.placements) { Self::TooLarge } else { Self::Model };
        (outcome.status != Status::Optimal).then(|| ended.unwrap_or_else(by_itself))
    }
}

/// `optimal` or `feasible`.
pub(crate) const fn status_of(unproven: Option<WhyUnproven>) -> &'static str {
    if unproven.is_none() { "optimal" } else { "feasible" }
}

/// An allocation with its value.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The allocation and its evaluation; named `best`, `alternative 1`, or after a baseline.
    pub scenario: Arc<EvaluatedScenario>,
    /// Value of the objective.
    pub value: f64,
    /// The allocation, for further questions about the problem.
    pub candidate: Candidate,
    /// Comparison with the best on the same uncertain machines, for alternatives and baselines.
    pub rival: Option<Rival>,
}

impl Rated {
    /// Whether this is the same allocation with the same data placement.
    pub fn is_as(&self, other: &Self) -> bool {
        let (this, other) = (&self.scenario, &other.scenario);
        this.allocation == other.allocation && this.placements == other.placements
    }
}

/// Baselines that need no search: `even`, `one app per node`, and the scenarios in the files.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The allocation.
    pub rated: Rated,
    /// The constraint that it violates, if any.
    pub breaks: Option<String>,
}

/// The placement that is good whichever of several models is correct.
#[derive(Clone, Debug)]
pub struct Robust {
    /// Losses of this and other placements under each model.
    pub over: OverModels,
    /// The placement under the first model.
    pub best: Rated,
    /// Time of all searches, in seconds.
    pub elapsed_s: f64,
}

/// The simplest placement with a small loss compared with the best.
#[derive(Clone, Debug)]
pub struct Simple {
    /// The placement.
    pub rated: Rated,
    /// Its loss, and how simple it is.
    pub found: Simplest,
    /// The maximum share of the best that it may lose.
    pub within: f64,
    /// Whether it is the best itself.
    pub is_best: bool,
}

/// The placement with the fewest threads that has a small loss compared with the best.
#[derive(Clone, Debug)]
pub struct Fewest {
    /// The placement.
    pub rated: Rated,
    /// Its number of threads and its loss.
    pub found: search::Fewest,
    /// The maximum share of the best that it may lose.
    pub within: f64,
    /// Whether it is the best itself.
    pub is_best: bool,
}

/// The best placement that was found, a bound on its quality, and the allocations that it is compared with.
///
/// Beyond the contract, its document contains: `cautions` (about value and status), `unproven`, `effort` (for an unproven search without
/// a time limit), `restrictions`, `seed`, `alternatives_complete`, `alone_gflops`, `saturated`.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The study that was searched.
    pub study: Arc<Study>,
    /// The problem that was searched.
    pub problem: Problem,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Cautions about the best.
    pub cautions: Vec<Caution>,
    /// The best allocation.
    pub best: Rated,
    /// Bound on the value of every allocation.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// For `fair`: the levels of p, in ascending order; else empty.
    pub levels: Vec<Level>,
    /// The reason why the best is not proven; `None` if it is.
    pub unproven: Option<WhyUnproven>,
    /// Progress within the search budget; `None` if the best is proven, or if there was a time limit instead.
    pub effort: Option<Spent>,
    /// Time of the search, in seconds.
    pub elapsed_s: f64,
    /// The next best ones.
    pub alternatives: Vec<Rated>,
    /// Whether no better alternative is missing.
    pub alternatives_complete: bool,
    /// Baselines that need no search.
    pub baselines: Vec<Baseline>,
    /// The placement that is good whichever model is correct, if it was requested.
    pub robust: Option<Robust>,
    /// The simplest placement that is nearly as good, if it was requested.
    pub simple: Option<Simple>,
    /// The placement with the fewest threads that is nearly as good, if it was requested.
    pub fewest: Option<Fewest>,
    /// Nodes on which cores of the best are idle because a resource is full.
    pub saturated: Vec<Saturated>,
    /// Fewer threads of a single application that are almost as good, and their loss; `None` if there are none.
    pub almost: Option<search::Fewest>,
    /// Gains from more resources, and tolerated errors of inputs, if they were requested.
    pub sensitivity: Option<Sensitivity>,
    /// The source of the intervals, and the interval of the best value; `None` if no value of the machine is uncertain.
    pub uncertainty: Option<(Draws, Interval)>,
    /// Models that are left out, and the reason if there are no intervals.
    pub warnings: Vec<String>,
}

impl Explored {
    /// `optimal` or `feasible`.
    pub const fn status(&self) -> &'static str {
        status_of(self.unproven)
    }

    /// The allocations that the best is compared with: alternatives, then baselines.
    pub fn others(&self) -> impl Iterator<Item = &Rated> {
        self.alternatives.iter().chain(self.baselines.iter().map(|one| &one.rated))
    }

    /// Each allocation with its role: best, alternatives, robust placement, and baselines. The simplest placement and the one with the
    /// fewest threads are included if they differ from these.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Rated)> {
        std::iter::once(("best", &self.best))
            .chain(self.alternatives.iter().map(|rated| ("alternative", rated)))
            .chain(self.robust.iter().map(|robust| ("robust", &robust.best)))
            .chain(self.baselines.iter().map(|one| ("baseline", &one.rated)))
            .chain(self.simple.iter().filter(|one| !one.is_best).map(|one| ("simple", &one.rated)))
            .chain(self.fewest.iter().filter(|one| !one.is_best).map(|one| ("fewest", &one.rated)))
    }

    /// Whether `rated` is as good as the best, to the precision of the search.
    pub fn ties(&self, rated: &Rated) -> bool {
        ties(self.best.value, rated.value)
    }

    /// Remarks about how far the values of best, baselines and objective can be trusted, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let best = warning::facts(&self.best.scenario.evaluation.warnings);
        let best = best.into_iter().map(|facts| format!("the best placement: {facts}"));
        // They are listed with their values in JSON; here they would hide the remarks about the best.
        let baselines = self.baselines.iter().filter_map(|one| {
            let summary = warning::summary(&one.rated.scenario.evaluation.warnings)?;
            Some(format!("baseline '{}': {summary}", one.rated.scenario.name))
        });
        let mut notes: Vec<String> = best.chain(baselines).collect();
        if let Some(first) = notes.first_mut() {
            first.push(' ');
            first.push_str(warning::RULE);
        }
        notes.extend(hopeless(&self.problem));
        notes
    }
}

/// Names the applications that have zero performance in every allocation.
pub fn hopeless(problem: &Problem) -> Vec<String> {
    let objective = problem.goal().objective();
    if !matches!(objective, Objective::Fair | Objective::Geomean) {
        return Vec::new();
    }
    let apps = problem.apps().iter().zip(problem.goal().alone()).filter(|(_, alone)| **alone == 0.0);
    apps.map(|(app, _)| {
        format!(
            "'{}' gets 0 GFLOPS even alone on the machine, so no placement is better than another for the objective {}; total-gflops still distinguishes them",
            app.name,
            objective.as_str()
        )
    })
    .collect()
}

/// Whether a value is as good as the best, to the precision of the search.
pub fn ties(best: f64, other: f64) -> bool {
    // Also true if both are infinite: a makespan without an end.
    other == best || (other - best).abs() <= 1e-9 * best.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_by_less_than_the_precision_tie() {
        assert!(ties(100.0, 100.0 - 1e-8));
        assert!(!ties(100.0, 100.0 - 1e-6));
        assert!(ties(f64::INFINITY, f64::INFINITY));
    }
}
