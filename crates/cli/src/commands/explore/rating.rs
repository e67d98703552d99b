//! The full evaluation of everything that an answer shows, and the time that this takes.

use std::time::{Duration, Instant};

use numasim_model::Study;
use numasim_sim::baselines::{Baseline, distinct};
use numasim_sim::search::{Outcome, Settings};
use numasim_sim::{Candidate, Problem};

use crate::failure::Failure;
use crate::view::answer::{Answer, Rated};
use crate::watch::{EndedBy, Watch};
use numasim_ask::explored::WhyUnproven;
use numasim_ask::refusal::impossible;

/// A baseline with its evaluation, and the restriction that it breaks, if any.
type RatedBaseline = (Rated, Option<String>);

/// The baselines, evaluated, and how long the evaluations took. Before the search: one that takes all the time would leave
/// none for what its answer is compared with.
pub(super) fn baselines(
    study: &Study,
    problem: &Problem,
    watch: &Watch,
) -> Result<(Vec<RatedBaseline>, Duration), Failure> {
    let distinct = distinct(problem.baselines(&study.scenarios, watch));
    let start = Instant::now();
    let rated = distinct
        .into_iter()
        .map(|Baseline { name, candidate, breaks, static_work }| {
            Ok((rated(problem, name, candidate, static_work)?, breaks))
        })
        .collect::<Result<_, Failure>>()?;
    Ok((rated, start.elapsed()))
}

/// What a search still does once it was told to stop (it rates what it has, and bounds what it left open), in evaluations.
const ENDING: u32 = 5;

/// Time between the word that a search is to stop and the end of the command, about, where `baselines` evaluations took so
/// long: the end of the search, the evaluation of the best and its alternatives, and the writing of each, which takes about
/// as long as its evaluation.
pub(super) fn after_the_search(took: Duration, baselines: usize, alternatives: usize) -> Duration {
    let (baselines, alternatives) = (clamped(baselines).max(1), clamped(alternatives));
    let found = alternatives.saturating_add(1);
    let evaluations = ENDING.saturating_add(found.saturating_mul(2)).saturating_add(baselines);
    (took / baselines).saturating_mul(evaluations)
}

fn clamped(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Evaluates what the search found.
pub(super) fn answer<'a>(
    study: &'a Study,
    problem: &'a Problem,
    settings: &Settings,
    outcome: Outcome,
    baselines: Vec<RatedBaseline>,
    watch: &Watch,
) -> Result<Answer<'a>, Failure> {
    let unproven = WhyUnproven::of(&outcome, problem, watch.ended_by().map(EndedBy::why));
    let alternatives = outcome
        .alternatives
        .into_iter()
        .enumerate()
        .map(|(i, candidate)| rated(problem, format!("alternative {}", i + 1), candidate, false))
        .collect::<Result<_, _>>()?;
    let best = rated(problem, "best".to_owned(), outcome.best, false)?;
    Ok(Answer {
        study,
        problem,
        seed: settings.seed,
        cautions: problem.cautions(&best.candidate.allocation, &best.evaluation),
        best,
        bound: outcome.bound,
        gap: outcome.gap,
        unproven,
        effort: None,
        elapsed_s: watch.elapsed_s(),
        alternatives,
        alternatives_complete: outcome.alternatives_complete,
        baselines,
        robust: None,
        uncertainty: None,
        simple: None,
    })
}

/// An allocation that a search found, evaluated.
pub(super) fn found(problem: &Problem, name: &str, candidate: Candidate) -> Result<Rated, Failure> {
    rated(problem, name.to_owned(), candidate, false)
}

/// `static_work`: work is divided beforehand, which the search itself never does.
fn rated(problem: &Problem, name: String, candidate: Candidate, static_work: bool) -> Result<Rated, Failure> {
    let (evaluation, value) =
        problem.evaluated(&candidate, static_work).map_err(|error| impossible(&error))?;
    Ok(Rated { name, value, candidate, evaluation, intervals: None, rival: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_search_is_counted_in_evaluations() {
        let second = Duration::from_secs(1);
        // 2 baselines in 2 s. The end of the search 5, the best 1, to write best and baselines 3.
        assert_eq!(after_the_search(2 * second, 2, 0), 9 * second);
        // Each alternative is evaluated and written.
        assert_eq!(after_the_search(2 * second, 2, 3), 15 * second);
        assert_eq!(after_the_search(Duration::ZERO, 0, 3), Duration::ZERO);
    }
}
