//! What [`explore`](crate::explore()) found, as values and as a document.

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
    /// Why an answer is not proven.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WhyUnproven {
        /// Somebody ended the search.
        Interrupted = "interrupted",
        /// Its time was over.
        TimeLimit = "time-limit",
        /// The space is larger than what the search covers.
        TooLarge = "too-large",
        /// The sharing model lacks what proofs need.
        Model = "model",
    }
}

impl WhyUnproven {
    /// Of what a search has found, which `ended` may have ended before; `None` where it is proven.
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
    /// The allocation and what becomes of it; `best`, `alternative 1`, or the name of a baseline.
    pub scenario: Arc<EvaluatedScenario>,
    /// Value of the objective.
    pub value: f64,
    /// The allocation, for other questions about the problem.
    pub candidate: Candidate,
    /// Beside the best on the same uncertain machines; of alternatives and baselines.
    pub rival: Option<Rival>,
}

impl Rated {
    /// Whether this is the same allocation with its data in the same places.
    pub fn is_as(&self, other: &Self) -> bool {
        let (this, other) = (&self.scenario, &other.scenario);
        this.allocation == other.allocation && this.placements == other.placements
    }
}

/// What people do without a search: `even`, `one app per node`, and the scenarios of the files.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The allocation.
    pub rated: Rated,
    /// The restriction that it breaks, if any.
    pub breaks: Option<String>,
}

/// The placement that is good whichever of several models is right.
#[derive(Clone, Debug)]
pub struct Robust {
    /// What it and others lose under each model.
    pub over: OverModels,
    /// The placement under the first model.
    pub best: Rated,
    /// Seconds of all searches.
    pub elapsed_s: f64,
}

/// The simplest placement that loses little of the best.
#[derive(Clone, Debug)]
pub struct Simple {
    /// The placement.
    pub rated: Rated,
    /// What it loses, and how simple it is.
    pub found: Simplest,
    /// The share of the best that it may lose.
    pub within: f64,
    /// Whether it is the best itself.
    pub is_best: bool,
}

/// The placement with the fewest threads that loses little of the best.
#[derive(Clone, Debug)]
pub struct Fewest {
    /// The placement.
    pub rated: Rated,
    /// How many threads it has, and what it loses.
    pub found: search::Fewest,
    /// The share of the best that it may lose.
    pub within: f64,
    /// Whether it is the best itself.
    pub is_best: bool,
}

/// The best placement that was found, how good it can be at most, and what it is compared with.
///
/// Beyond the contract, its document has: `cautions` (what to know beside value and status), `unproven`, `effort` (of an unproven search
/// without a time limit), `restrictions`, `seed`, `alternatives_complete`, `alone_gflops`, `saturated`.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What was asked about.
    pub study: Arc<Study>,
    /// What was asked.
    pub problem: Problem,
    /// Seed of the random restarts.
    pub seed: u64,
    /// What to know about the best beside its value.
    pub cautions: Vec<Caution>,
    /// The best allocation.
    pub best: Rated,
    /// No allocation has a better value.
    pub bound: f64,
    /// |bound - value| / |bound|.
    pub gap: f64,
    /// For `fair`: the levels of p, from the smallest up; else none.
    pub levels: Vec<Level>,
    /// Why the best is not proven; `None` if it is.
    pub unproven: Option<WhyUnproven>,
    /// What the effort has brought so far; `None` if the best is proven, or had a time limit instead.
    pub effort: Option<Spent>,
    /// Seconds of the search.
    pub elapsed_s: f64,
    /// The next best ones.
    pub alternatives: Vec<Rated>,
    /// No better alternative is missing.
    pub alternatives_complete: bool,
    /// What people do without a search.
    pub baselines: Vec<Baseline>,
    /// The placement that is good whichever model is right, if it was asked for.
    pub robust: Option<Robust>,
    /// The simplest placement that is nearly as good, if it was asked for.
    pub simple: Option<Simple>,
    /// The placement with the fewest threads that is nearly as good, if it was asked for.
    pub fewest: Option<Fewest>,
    /// Where cores of the best are idle because something is full.
    pub saturated: Vec<Saturated>,
    /// Fewer threads of a single application that are almost as good, and their loss; `None` if there are none.
    pub almost: Option<search::Fewest>,
    /// What wider resources are worth, and how wrong inputs may be, if that was asked for.
    pub sensitivity: Option<Sensitivity>,
    /// Where the intervals come from, and that of the best value; `None` if nothing of the machine is uncertain.
    pub uncertainty: Option<(Draws, Interval)>,
    /// Models that are left out, and why there are no intervals.
    pub warnings: Vec<String>,
}

impl Explored {
    /// `optimal` or `feasible`.
    pub const fn status(&self) -> &'static str {
        status_of(self.unproven)
    }

    /// What the best is compared with: alternatives, then baselines.
    pub fn others(&self) -> impl Iterator<Item = &Rated> {
        self.alternatives.iter().chain(self.baselines.iter().map(|one| &one.rated))
    }

    /// Best, alternatives, robust placement, baselines and, if they are other ones, the simplest and that with the fewest threads, each with its
    /// role.
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

    /// What to know before trusting the figures of best and baselines, and the objective, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let best = warning::facts(&self.best.scenario.evaluation.warnings);
        let best = best.into_iter().map(|facts| format!("the best placement: {facts}"));
        // With their figures in JSON; here they would hide what is said of the best.
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

/// Names the applications that get nothing in any allocation.
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
    // Also where both are infinite: a makespan without an end.
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
