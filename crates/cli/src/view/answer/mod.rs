//! What people and programs see of a search: the best allocation, how good it can be at most, and what it is compared
//! with.

mod compared;
mod csv;
mod effort;
mod head;
mod json;
mod others;
mod rivals;
pub(crate) mod robust;
pub(crate) mod sensitivity;
mod simple;
mod table;

use numasim_ask::explored::WhyUnproven;
use numasim_model::{Evaluation, Study};
use numasim_sim::intervals::{Draws, Interval, Prediction, Rival};
use numasim_sim::search::Spent;
use numasim_sim::{Candidate, Caution, Problem};

use super::ScenarioView;
pub(crate) use json::Document;
pub(super) use others::changes;
pub(crate) use simple::Simple;
pub(super) use table::{gap, power_of_ten};

/// An allocation with its value and its full evaluation.
#[derive(Debug)]
pub(crate) struct Rated {
    /// `best`, `alternative 1`, or the name of a baseline.
    pub(crate) name: String,
    /// Value of the objective.
    pub(crate) value: f64,
    /// Who runs where.
    pub(crate) candidate: Candidate,
    /// What becomes of it.
    pub(crate) evaluation: Evaluation,
    /// How far off the figures may be; of the best only.
    pub(crate) intervals: Option<Prediction>,
    /// Beside the best on the same uncertain machines; of all others.
    pub(crate) rival: Option<Rival>,
}

/// The answer to an `explore`.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// What was asked about.
    pub(crate) study: &'a Study,
    /// What was asked.
    pub(crate) problem: &'a Problem,
    /// Seed of the random restarts.
    pub(crate) seed: u64,
    /// The best allocation.
    pub(crate) best: Rated,
    /// No allocation has a better value.
    pub(crate) bound: f64,
    /// |bound - value| / |bound|.
    pub(crate) gap: f64,
    /// `None` if the best is proven to be the best.
    pub(crate) unproven: Option<WhyUnproven>,
    /// What the effort has brought so far; `None` where it is proven, or had a time limit instead.
    pub(crate) effort: Option<Spent>,
    /// What to know about the best beside its value.
    pub(crate) cautions: Vec<Caution>,
    /// Seconds of the search.
    pub(crate) elapsed_s: f64,
    /// The next best ones.
    pub(crate) alternatives: Vec<Rated>,
    /// No better alternative is missing.
    pub(crate) alternatives_complete: bool,
    /// What people do without a search, and the restriction that it breaks, if any.
    pub(crate) baselines: Vec<(Rated, Option<String>)>,
    /// The placement that is good whichever model is right; `None` without `--models`.
    pub(crate) robust: Option<robust::RobustAnswer>,
    /// Where the intervals come from, and that of the best value; `None` where nothing of the machine is uncertain.
    pub(crate) uncertainty: Option<(Draws, Interval)>,
    /// The simplest that is nearly as good; `None` where nobody asked.
    pub(crate) simple: Option<Simple>,
}

impl Answer<'_> {
    fn view<'b>(&'b self, rated: &'b Rated) -> ScenarioView<'b> {
        ScenarioView {
            name: &rated.name,
            machine: &self.study.machine,
            apps: &self.study.apps,
            allocation: &rated.candidate.allocation,
            placements: &rated.candidate.placements,
            evaluation: &rated.evaluation,
            intervals: rated.intervals.as_ref(),
        }
    }

    /// Best, alternatives, robust placement, baselines and, where it is another one, the simplest, each with its role.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Rated)> {
        std::iter::once(("best", &self.best))
            .chain(self.alternatives.iter().map(|rated| ("alternative", rated)))
            .chain(self.robust.iter().map(|robust| ("robust", &robust.best)))
            .chain(self.baselines.iter().map(|(rated, _)| ("baseline", rated)))
            .chain(
                self.simple.iter().filter(|simple| !simple.is_best).map(|simple| ("simple", &simple.rated)),
            )
    }

    /// Whether `rated` is as good as the best, to the precision of the search.
    fn ties(&self, rated: &Rated) -> bool {
        numasim_ask::explored::ties(self.best.value, rated.value)
    }
}
