//! `explore --models`: the placement that is good whichever model is right.

use numasim_sim::Problem;
use numasim_sim::search::over_models::{BestOfEach, LeftOut, ModelsError};

use super::{rating, refused, without_answer};
use crate::failure::Failure;
use crate::shell::Shell;
use crate::view::answer::Answer;
use crate::view::answer::robust::RobustAnswer;
use crate::watch::Watch;

/// Why there is no best of each model.
pub(super) fn no_best(error: ModelsError, problem: &Problem) -> Failure {
    match error {
        ModelsError::Problem(error) => refused(error).hint("leave it out of --models"),
        ModelsError::Search(error) => without_answer(error, problem),
    }
}

/// Adds the robust placement to the answer for the first model.
pub(super) fn add_to(
    answer: &mut Answer<'_>,
    bests: BestOfEach,
    watch: &Watch,
    shell: &Shell,
) -> Result<(), Failure> {
    for LeftOut { reason, .. } in bests.left_out() {
        shell.warn(format!("left out: {reason}"));
    }
    // What work divided beforehand gets is no value of the search.
    let shared = answer.baselines.iter().filter(|(rated, _)| !rated.evaluation.static_work);
    let baselines = shared.map(|(rated, _)| (rated.name.as_str(), &rated.candidate));
    let over = bests.robust(baselines, watch).map_err(|error| without_answer(error, answer.problem))?;
    let best = rating::found(answer.problem, "robust", over.found.best.clone())?;
    answer.robust = Some(RobustAnswer { over, best, elapsed_s: watch.elapsed_s() });
    Ok(())
}
