//! The full evaluation of what a search found, and what it is worth where figures are uncertain.

use std::sync::Arc;

use numasim_ask::refusal::failed;
use numasim_ask::{EvaluatedScenario, intervals};
use numasim_model::Study;
use numasim_model::evaluation::Options;
use numasim_sim::baselines::Baseline;
use numasim_sim::intervals::{Draws, Interval, Rival, Rivals};
use numasim_sim::{Candidate, Problem};
use pyo3::prelude::*;

use crate::error;
use crate::scenario::ScenarioResult;
use crate::working::{Stop, work};

/// Evaluates allocations of one question.
pub(super) struct Rating<'a> {
    pub(super) py: Python<'a>,
    pub(super) study: &'a Arc<Study>,
    pub(super) problem: &'a Problem,
}

impl Rating<'_> {
    /// What a search found, with its value.
    pub(super) fn of(&self, name: String, candidate: &Candidate) -> PyResult<ScenarioResult> {
        self.rated(name, candidate, false)
    }

    /// A baseline with its value.
    pub(super) fn baseline(&self, baseline: &Baseline) -> PyResult<ScenarioResult> {
        let Baseline { name, candidate, static_work, .. } = baseline;
        self.rated(name.clone(), candidate, *static_work)
    }

    fn rated(&self, name: String, candidate: &Candidate, static_work: bool) -> PyResult<ScenarioResult> {
        let (evaluation, value) = self
            .problem
            .evaluated(candidate, static_work)
            .map_err(|found| error::refused(self.py, &failed("an allocation of the search", &found)))?;
        let scenario = EvaluatedScenario {
            study: Arc::clone(self.study),
            name,
            allocation: candidate.allocation.clone(),
            placements: candidate.placements.clone(),
            evaluation,
            intervals: None,
            explanation: None,
        };
        Ok(ScenarioResult { scenario: Arc::new(scenario), value: Some(value) })
    }
}

type Uncertain = (Option<(Draws, Interval)>, Vec<Rival>);

/// What the answer is worth where figures are uncertain: the intervals of the best, and who cannot be told from it.
pub(super) fn uncertain(
    py: Python<'_>,
    study: &Study,
    problem: &Problem,
    best: &Candidate,
    others: &[&Candidate],
    shown: &mut ScenarioResult,
) -> PyResult<Uncertain> {
    let of_one = intervals::figures_of(study, &best.placements);
    // The best is evaluated in full and compared.
    let draws = match intervals::draws(study, of_one.saturating_mul(others.len() as u64 + 2)) {
        Ok(Some(draws)) => draws,
        Ok(None) => return Ok((None, Vec::new())),
        Err(warning) => {
            error::warn(py, &warning)?;
            return Ok((None, Vec::new()));
        }
    };
    let (prediction, rivals) = work(py, &Stop::after(None), || {
        let prediction = draws.predict(&study.apps, &best.placements, &best.allocation, Options::default());
        (prediction, draws.rivals(problem, best, others))
    })?;
    let prediction =
        prediction.map_err(|found| error::refused(py, &failed("the best allocation", &found)))?;
    let Some(Rivals { best: value, others }) = rivals else { return Ok((None, Vec::new())) };
    Arc::make_mut(&mut shown.scenario).intervals = prediction;
    Ok((Some((draws, value)), others))
}
