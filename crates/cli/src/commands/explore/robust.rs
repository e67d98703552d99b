//! `explore --models`: the placement that is good whichever model is right.

use numasim_model::{ModelKind, Study};
use numasim_sim::search::robust::robust;
use numasim_sim::search::{ExploreError, Outcome, Settings, explore, explore_to_the_end};
use numasim_sim::{Infeasible, Problem, ProblemError};

use super::{rating, refused, without_answer};
use crate::args::ModelList;
use crate::failure::Failure;
use crate::sharing;
use crate::shell::Shell;
use crate::view::answer::Answer;
use crate::view::answer::robust::{LeftOut, Reason, RobustAnswer, of_best};
use crate::watch::{Share, Watch};

/// The part of a time limit that the searches for the best of each model have together; the robust search has the rest.
const FOR_EACH: f64 = 0.5;

/// The models of a question, that of the ordinary answer first.
pub(super) struct Models {
    kinds: Vec<ModelKind>,
    /// Whether a model that cannot answer is left out, or an error.
    all: bool,
}

impl Models {
    /// The model that the command line asks for: `--model`, else the first of a list.
    pub(super) fn first(model: Option<ModelKind>, list: Option<&ModelList>) -> Option<ModelKind> {
        model.or(match list {
            Some(ModelList::Named(kinds)) => kinds.first().copied(),
            Some(ModelList::All) | None => None,
        })
    }

    /// `first` is the model of the machine by now.
    pub(super) fn new(first: ModelKind, list: &ModelList) -> Self {
        let (others, all) = match list {
            ModelList::All => (ModelKind::ALL.to_vec(), true),
            ModelList::Named(kinds) => (kinds.clone(), false),
        };
        let mut kinds = vec![first];
        kinds.extend(others.into_iter().filter(|kind| *kind != first));
        Self { kinds, all }
    }

    /// Where the search for model `number` ends, as a part of the time limit.
    fn share_of(&self, number: usize) -> f64 {
        FOR_EACH * (number + 1) as f64 / self.kinds.len() as f64
    }

    /// What watches the search for the first model.
    pub(super) fn first_share<'w>(&self, watch: &'w Watch) -> Share<'w> {
        Share { watch, end: self.share_of(0) }
    }

    /// The best of each other model, then the placement with the smallest worst regret. `outcome` is that of the first model.
    pub(super) fn search(
        &self,
        problem: &Problem,
        outcome: &Outcome,
        settings: &Settings,
        watch: &Watch,
        timed: bool,
    ) -> Result<Found, Failure> {
        let mut found = Found {
            kinds: vec![self.kinds[0]],
            left_out: Vec::new(),
            problems: vec![problem.clone()],
            outcomes: vec![Some(outcome.clone())],
            settings: Settings { top: 0, ..*settings },
        };
        let effort = settings.effort / self.kinds.len() as u64;
        let each = Settings { top: 0, effort, ..*settings };
        for (number, &kind) in self.kinds.iter().enumerate().skip(1) {
            let machine = sharing::with_kind(problem.machine().clone(), kind);
            let under =
                Problem::new(&machine, problem.apps(), problem.goal().objective(), *problem.restrictions());
            let under = match under {
                Ok(under) => under,
                Err(ProblemError::Refused(refusal)) if self.all => {
                    found.left_out.push(LeftOut { kind, reason: Reason::Refused(refusal) });
                    continue;
                }
                Err(error) => return Err(refused(error).hint("leave it out of --models")),
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
                Err(error) => return Err(without_answer(error, &under)),
            }
            found.problems.push(under);
            found.kinds.push(kind);
        }
        Ok(found)
    }
}

/// The best of each model.
pub(super) struct Found {
    kinds: Vec<ModelKind>,
    left_out: Vec<LeftOut>,
    problems: Vec<Problem>,
    outcomes: Vec<Option<Outcome>>,
    settings: Settings,
}

impl Found {
    /// Adds the robust placement to the answer for the first model.
    pub(super) fn add_to(
        self,
        answer: &mut Answer<'_>,
        study: &Study,
        watch: &Watch,
        shell: &Shell,
    ) -> Result<(), Failure> {
        for LeftOut { reason, .. } in &self.left_out {
            shell.warn(format!("left out: {reason}"));
        }
        let found = robust(&self.problems, &self.outcomes, &self.settings, watch)
            .map_err(|error| without_answer(error, &self.problems[0]))?;
        let best = rating::rated(study, answer.problem, "robust".to_owned(), found.best.clone(), false)?;
        let bests = self.kinds.iter().zip(&found.models).map(|(kind, of)| (of_best(*kind), &of.best));
        // What work divided beforehand gets is no value of the search.
        let shared = answer.baselines.iter().filter(|(rated, _)| !rated.evaluation.static_work);
        let baselines = shared.map(|(rated, _)| (rated.name.clone(), &rated.candidate));
        let others = bests
            .chain(baselines)
            .map(|(name, candidate)| {
                (name, found.regrets_of(&self.problems, &candidate.allocation, &candidate.placements))
            })
            .collect();
        let Self { kinds, left_out, .. } = self;
        answer.robust =
            Some(RobustAnswer { found, kinds, left_out, best, others, elapsed_s: watch.elapsed_s() });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bests_of_all_models_have_half_of_the_time_in_equal_parts() {
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
    fn the_model_of_the_answer_is_the_one_asked_for_else_the_first_name() {
        let list = ModelList::Named(vec![ModelKind::Ecm, ModelKind::MaxMin]);
        assert_eq!(Models::first(None, Some(&list)), Some(ModelKind::Ecm));
        assert_eq!(Models::first(Some(ModelKind::MaxMin), Some(&list)), Some(ModelKind::MaxMin));
        assert_eq!(Models::first(None, Some(&ModelList::All)), None);
    }
}
