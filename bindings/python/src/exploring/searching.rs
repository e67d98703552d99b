//! All searches of one question, on a thread of their own.

use std::time::Duration;

use numasim_ask::explored::WhyUnproven;
use numasim_model::Study;
use numasim_sim::baselines::{Baseline, distinct};
use numasim_sim::search::over_models::{Models, ModelsError, OverModels};
use numasim_sim::search::{
    ExploreError, History, Outcome, PART_OF_SIMPLEST, Settings, Simplest, Spent, explore, explore_to_the_end,
    simplest_beside,
};
use numasim_sim::{Candidate, Problem};
use pyo3::prelude::*;

use super::asking::without_answer;
use crate::error;
use crate::working::{Stop, work};

/// What is searched for, and how.
pub(super) struct Question<'a> {
    pub(super) study: &'a Study,
    pub(super) problem: &'a Problem,
    pub(super) settings: Settings,
    /// For the robust placement.
    pub(super) models: Option<Models>,
    /// What the simplest may lose.
    pub(super) within: Option<f64>,
    /// Of all searches together.
    pub(super) limit: Option<Duration>,
    /// Worker threads.
    pub(super) threads: Option<usize>,
}

/// What was found.
pub(super) struct Found {
    pub(super) outcome: Outcome,
    pub(super) unproven: Option<WhyUnproven>,
    /// What the effort of an unproven search without a time limit has brought.
    pub(super) spent: Option<Spent>,
    /// Seconds of the search for the best.
    pub(super) elapsed_s: f64,
    pub(super) baselines: Vec<Baseline>,
    pub(super) over: Option<OverModels>,
    pub(super) simple: Option<Simplest>,
}

/// Searches for all that is asked; warns of models that are left out.
pub(super) fn search(py: Python<'_>, question: &Question<'_>) -> PyResult<Found> {
    let of_simplest = question.within.and(question.limit).map(|limit| limit / PART_OF_SIMPLEST);
    let left = question.limit.map(|limit| limit.saturating_sub(of_simplest.unwrap_or_default()));
    let stop = Stop::after(left);
    let found = work(py, &stop, || in_pool(question.threads, || question.search(&stop, of_simplest)))?;
    let found = found.map_err(|why| error::input(py, &why))?;
    let found = found.map_err(|error| without_answer(py, &error))?;
    for left_out in found.over.iter().flat_map(|over| &over.left_out) {
        error::warn(py, &format!("left out: {}", left_out.reason))?;
    }
    Ok(found)
}

impl Question<'_> {
    fn search(&self, stop: &Stop, of_simplest: Option<Duration>) -> Result<Found, ModelsError> {
        let Self { problem, settings, .. } = self;
        let timed = self.limit.is_some();
        let baselines = distinct(problem.baselines(&self.study.scenarios, stop));
        // Time that somebody gives is there to be used.
        let search = if timed { explore_to_the_end } else { explore };
        let elapsed_s = || stop.elapsed_s();
        let history = History::new(stop, &elapsed_s);
        let outcome = match &self.models {
            None => search(problem, settings, &history)?,
            Some(models) => search(problem, settings, &models.first_share(stop))?,
        };
        let out_of_time = stop.is_out_of_time().then_some(WhyUnproven::TimeLimit);
        let unproven = WhyUnproven::of(&outcome, problem, out_of_time);
        let elapsed_s = stop.elapsed_s();
        let over = match &self.models {
            None => None,
            Some(models) => {
                let bests = models.search(problem, &outcome, settings, stop, timed)?;
                // What work divided beforehand gets is no value of the search.
                let shared = baselines.iter().filter(|baseline| !baseline.static_work);
                Some(bests.robust(shared.map(|one| (one.name.as_str(), &one.candidate)), stop)?)
            }
        };
        let simple = match self.within {
            None => None,
            Some(within) => {
                let allowed = baselines.iter().filter(|baseline| baseline.breaks.is_none());
                let known = outcome.alternatives.iter().chain(allowed.map(|one| &one.candidate));
                let known: Vec<Candidate> = known.cloned().collect();
                let clock = stop.for_one(of_simplest);
                let found = simplest_beside(problem, &outcome.best, &known, within, settings, timed, &clock);
                Some(found.map_err(ExploreError::from)?)
            }
        };
        let spent = history.spent().filter(|_| unproven.is_some() && !timed);
        Ok(Found { outcome, unproven, spent, elapsed_s, baselines, over, simple })
    }
}

fn in_pool<T: Send>(threads: Option<usize>, search: impl FnOnce() -> T + Send) -> Result<T, String> {
    let Some(threads) = threads else { return Ok(search()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(search)).map_err(|error| format!("cannot start {threads} threads: {error}"))
}
