//! One question under several models: their list, the search for each within a common time limit, and the robust placement with its
//! comparisons.

use std::fmt;
use std::str::FromStr;

use numasim_model::{ModelKind, Refusal};

use crate::Objective;
use crate::monitor::{Monitor, Progress, Unattended};
use crate::objective::Goal;
use crate::problem::{Candidate, Problem, ProblemError};
use crate::restrictions::Infeasible;
use crate::search::robust::{Robust, robust};
use crate::search::{ExploreError, Outcome, Settings, climbed, explore, explore_to_the_end};

// One question under several models: the models, the best of each, and the comparisons for the robust placement.

/// The fraction of a time limit for all searches for the best of each model; the robust search has the rest.
const FOR_EACH: f64 = 0.5;

/// The reason why a model is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The model cannot represent something in the machine.
    Refused(Refusal),
    /// Under it no allocation is an answer.
    NoAnswer(Infeasible),
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(out),
            Self::NoAnswer(infeasible) => infeasible.fmt(out),
        }
    }
}

/// A model that is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The model.
    pub kind: ModelKind,
    /// The reason.
    pub reason: Reason,
}

/// The reason why there is no answer for several models.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelsError {
    /// A named model cannot be used.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The search for the best of a model, or for the robust placement, has no answer.
    #[error(transparent)]
    Search(#[from] ExploreError),
}

/// The models of a question, the one of the main answer first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    kinds: Vec<ModelKind>,
    /// Whether a model that cannot answer is left out, or an error.
    all: bool,
}

impl Models {
    /// The model of the main answer: `model`, else the first of a list; `None` is that of the machine.
    pub fn first(model: Option<ModelKind>, list: Option<&ModelList>) -> Option<ModelKind> {
        model.or(match list {
            Some(ModelList::Named(kinds)) => kinds.first().copied(),
            Some(ModelList::All) | None => None,
        })
    }

    /// `first` is the resolved model of the machine.
    pub fn new(first: ModelKind, list: &ModelList) -> Self {
        let (others, all) = match list {
            ModelList::All => (ModelKind::ALL.to_vec(), true),
            ModelList::Named(kinds) => (kinds.clone(), false),
        };
        let mut kinds = vec![first];
        kinds.extend(others.into_iter().filter(|kind| *kind != first));
        Self { kinds, all }
    }

    /// The end of the search for model `number`, as a fraction of the time limit.
    fn share_of(&self, number: usize) -> f64 {
        FOR_EACH * (number + 1) as f64 / self.kinds.len() as f64
    }

    /// The watch on the search for the first model.
    pub fn first_share<'w>(&self, watch: &'w dyn Shared) -> Share<'w> {
        Share { watch, end: self.share_of(0) }
    }

    /// The best of each other model. `outcome` is that of the first. `timed`: a time limit is set and may be used.
    ///
    /// # Errors
    /// A named model cannot be used, or has no answer. With `all`, errors that concern a single model are not errors of the search.
    pub fn search(
        &self,
        problem: &Problem,
        outcome: &Outcome,
        settings: &Settings,
        watch: &dyn Shared,
        timed: bool,
    ) -> Result<BestOfEach, ModelsError> {
        let mut found = BestOfEach {
            kinds: vec![self.kinds[0]],
            left_out: Vec::new(),
            problems: vec![problem.clone()],
            outcomes: vec![Some(outcome.clone())],
            settings: Settings { top: 0, ..*settings },
        };
        let effort = settings.effort / self.kinds.len() as u64;
        let each = Settings { top: 0, effort, ..*settings };
        for (number, &kind) in self.kinds.iter().enumerate().skip(1) {
            let machine = problem.machine().clone().with_model(kind);
            let under =
                Problem::new(&machine, problem.asked(), problem.goal().objective(), *problem.restrictions());
            let under = match under {
                Ok(under) => under.starting_from(problem.known.iter().cloned()),
                Err(ProblemError::Refused(refusal)) if self.all => {
                    found.left_out.push(LeftOut { kind, reason: Reason::Refused(refusal) });
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let share = Share { watch, end: self.share_of(number) };
            let search = if timed { explore_to_the_end } else { explore };
            match search(&under, &each, &share) {
                Ok(outcome) => found.outcomes.push(Some(outcome)),
                Err(ExploreError::NothingFound) => found.outcomes.push(None),
                Err(ExploreError::Infeasible(infeasible @ Infeasible::NoFiniteMakespan(_))) if self.all => {
                    found.left_out.push(LeftOut { kind, reason: Reason::NoAnswer(infeasible) });
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            found.problems.push(under);
            found.kinds.push(kind);
        }
        Ok(found)
    }
}

/// The best of each model.
#[derive(Clone, Debug)]
pub struct BestOfEach {
    kinds: Vec<ModelKind>,
    left_out: Vec<LeftOut>,
    problems: Vec<Problem>,
    outcomes: Vec<Option<Outcome>>,
    settings: Settings,
}

/// The robust placement, and its comparisons.
#[derive(Clone, Debug, PartialEq)]
pub struct OverModels {
    /// The placement.
    pub found: Robust,
    /// The models, in the order of all regrets; the first is that of the main answer.
    pub kinds: Vec<ModelKind>,
    /// Models that are left out.
    pub left_out: Vec<LeftOut>,
    /// The best of each model, then the baselines: the name and its regret under each model.
    pub others: Vec<(String, Vec<f64>)>,
}

impl BestOfEach {
    /// The models without an answer.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The placement with the smallest worst regret. `baselines`: placements to compare with, in addition to the best of each model. Those
    /// with statically scheduled work are excluded, because the search has no values for such work.
    ///
    /// # Errors
    /// Those of [`robust()`].
    pub fn robust<'b>(
        self,
        baselines: impl Iterator<Item = (&'b str, &'b Candidate)>,
        monitor: &dyn Monitor,
    ) -> Result<OverModels, ExploreError> {
        let found = robust(&self.problems, &self.outcomes, &self.settings, monitor)?;
        let names = self.kinds.iter().map(|kind| format!("best of {}", kind.as_str()));
        let bests = names.zip(found.models.iter().map(|of| &of.best));
        let others = bests.chain(baselines.map(|(name, candidate)| (name.to_owned(), candidate)));
        let others = others
            .map(|(name, candidate)| {
                (name, found.regrets_of(&self.problems, &candidate.allocation, &candidate.placements))
            })
            .collect();
        let Self { kinds, left_out, .. } = self;
        Ok(OverModels { found, kinds, left_out, others })
    }
}

// The losses of an answer of one model under the others.

/// Maximum size of the tables of an evaluation (applications x nodes x L3 domains) for which other models are evaluated: beyond that a
/// climb takes seconds.
const MOST_ASKED: usize = 512;
/// Maximum number of scenarios and baselines that are starts of a climb under another model.
const MOST_STARTS: usize = 3;

/// The minimum loss of `best` under each other model that can answer the question: 1 - value / best value there (makespan: 1 - best /
/// value). The best values there come from climbs from `best`, from scenarios and from baselines, so real losses may be larger.
/// `smt = "any"` stays as in `best`. Empty if the question is too large, or if the monitor stops it.
pub fn losses(problem: &Problem, best: &Candidate, monitor: &dyn Monitor) -> Vec<(ModelKind, f64)> {
    let problem = problem.with_smt(&best.smt);
    let machine = problem.machine();
    if problem.apps().len() * machine.node_count() * machine.rows_per_app() > MOST_ASKED {
        return Vec::new();
    }
    let starts: Vec<Candidate> =
        problem.starts().into_iter().filter(|start| problem.permits(start)).collect();
    let under = |kind: ModelKind| {
        let machine = machine.clone().with_model(kind);
        if machine.sharing_refusal().is_some() {
            return None;
        }
        let goal = match problem.goal().objective() {
            Objective::Fair => Goal::new(Objective::Fair, &machine, problem.asked()).ok()?,
            // A comparison of two means of p does not depend on the reference of p.
            _ => problem.goal().clone(),
        };
        let under = Problem { machine, goal, ..problem.clone() };
        let climbed = std::iter::once(best)
            .chain(starts.iter().take(MOST_STARTS))
            .take_while(|_| !monitor.stop())
            .map(|start| climbed(&under, start, monitor).score);
        let goal = under.goal();
        let value = goal.score(&under.gflops_of(best));
        let found = climbed.fold(value, f64::max);
        Some((kind, goal.loss(goal.value(found), goal.value(value))))
    };
    let own = machine.sharing().kind;
    let others = ModelKind::ALL.into_iter().filter(|&kind| kind != own);
    others.take_while(|_| !monitor.stop()).filter_map(under).collect()
}

// The models under which an answer should be good, as people write them.

/// The models of a question, in addition to that of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelList {
    /// All models that can answer the question.
    All,
    /// These, each once.
    Named(Vec<ModelKind>),
}

impl FromStr for ModelList {
    type Err = String;

    /// Reads `all` or `max-min,ecm`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim) {
            let kind = ModelKind::from_word(name).ok_or_else(|| {
                let known = ModelKind::ALL.map(ModelKind::as_str).join(", ");
                format!("'{name}' is no model; write all, or some of {known}")
            })?;
            if kinds.contains(&kind) {
                return Err(format!("{name} is there twice"));
            }
            kinds.push(kind);
        }
        Ok(Self::Named(kinds))
    }
}

// One of several searches that share a time limit one after the other.

/// Watches several searches that share a time limit.
pub trait Shared: Monitor {
    /// Whether this fraction of the time, 0 to 1, is over; the caller then ends the search.
    fn is_over(&self, part: f64) -> bool;
}

impl Shared for Unattended {
    fn is_over(&self, _: f64) -> bool {
        false
    }
}

/// Watches a search that ends when a fraction of the time limit is over; searches after it get the unused time.
#[derive(Clone, Copy)]
pub struct Share<'w> {
    pub(super) watch: &'w dyn Shared,
    /// The fraction of the limit that may be over when it ends, 0 to 1.
    pub(super) end: f64,
}

impl<'w> Share<'w> {
    /// `end`: the fraction of the limit that may be over when it ends, 0 to 1.
    pub(crate) fn until(watch: &'w dyn Shared, end: f64) -> Self {
        Self { watch, end }
    }
}

impl Monitor for Share<'_> {
    fn stop(&self) -> bool {
        self.watch.stop() || self.watch.is_over(self.end)
    }

    fn progress(&self, progress: &Progress) {
        self.watch.progress(progress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_of_all_models_share_half_of_the_time_equally() {
        let list = ModelList::Named(vec![ModelKind::Ecm, ModelKind::MaxMin, ModelKind::Proportional]);
        let models = Models::new(ModelKind::MaxMin, &list);
        assert_eq!(models.kinds, [ModelKind::MaxMin, ModelKind::Ecm, ModelKind::Proportional]);
        let ends = [0, 1, 2].map(|number| models.share_of(number));
        assert!(
            ends.iter().zip([1.0, 2.0, 3.0]).all(|(end, part)| (end - part / 6.0).abs() < 1e-12),
            "{ends:?}"
        );
    }

    #[test]
    fn the_main_model_is_the_requested_or_first_listed_one() {
        let list = ModelList::Named(vec![ModelKind::Ecm, ModelKind::MaxMin]);
        assert_eq!(Models::first(None, Some(&list)), Some(ModelKind::Ecm));
        assert_eq!(Models::first(Some(ModelKind::MaxMin), Some(&list)), Some(ModelKind::MaxMin));
        assert_eq!(Models::first(None, Some(&ModelList::All)), None);
    }
}

#[cfg(test)]
mod tests_of_list {
    use super::*;

    #[test]
    fn a_list_has_each_model_once() {
        assert_eq!("all".parse(), Ok(ModelList::All));
        assert_eq!("max-min, ecm".parse(), Ok(ModelList::Named(vec![ModelKind::MaxMin, ModelKind::Ecm])));
        for wrong in ["", "max-min,", "fast", "ecm,ecm", "all,ecm"] {
            assert!(wrong.parse::<ModelList>().is_err(), "{wrong}");
        }
    }
}
