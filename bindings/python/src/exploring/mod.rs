//! The best allocation, searched for, and beside it the robust and the simplest one.

mod asking;
mod exploration;
mod rating;
mod robust;
mod searching;
mod simplest;

use std::sync::Arc;

use numasim_ask::limits;
use numasim_ask::placing::placed;
use numasim_model::Study;
use numasim_sim::Problem;
use numasim_sim::search::Settings;
use numasim_sim::search::over_models::Models;
use pyo3::prelude::*;

use crate::error;
use crate::reading::{Reading, of_name};
use crate::scenario::ScenarioResult;
use asking::{OfApps, model_list, to_asked, within};
pub(crate) use asking::{objective, time_limit, to_restrictions};
pub(crate) use exploration::Exploration;
use rating::{Rating, uncertain};
pub(crate) use robust::Robust;
use searching::{Question, search};
pub(crate) use simplest::Simplest;

/// Searches for the best allocation. `models`: `all`, or names with commas between them. `simple`: whether the simplest is wanted,
/// too, and what it may lose.
#[pyfunction]
#[pyo3(signature = (
    reading, objective_name, restrictions, of_apps, simple, top, seed,
    model=None, models=None, time_limit_s=None, threads=None,
))]
pub(crate) fn explore(
    py: Python<'_>,
    reading: &Reading,
    objective_name: &str,
    restrictions: (bool, bool, u64, bool),
    of_apps: OfApps,
    simple: (bool, f64),
    top: u64,
    seed: u64,
    model: Option<&str>,
    models: Option<&str>,
    time_limit_s: Option<f64>,
    threads: Option<u64>,
) -> PyResult<Exploration> {
    let list = models.map(|text| model_list(py, text)).transpose()?;
    let within = within(py, simple)?;
    let asked = to_asked(py, of_apps)?;
    let limit = time_limit(py, time_limit_s)?;
    let wrong = |why: String| error::input(py, &why);
    let top = limits::alternatives(top).map_err(wrong)?;
    let threads = threads.map(limits::workers).transpose().map_err(wrong)?;
    let restrictions = to_restrictions(py, restrictions)?;
    let model = model.map(|name| of_name(py, name)).transpose()?;
    let study = reading.under_model(py, Models::first(model, list.as_ref()))?.study;
    let study = placed(Study::clone(&study), &asked).map_err(|refusal| error::refused(py, &refusal))?;
    let study = Arc::new(study);
    let objective = objective(py, objective_name)?;
    let problem = Problem::new(&study.machine, &study.apps, objective, restrictions)
        .map_err(|error| asking::refused(py, &error))?;
    let models = list.map(|list| Models::new(study.machine.sharing().kind, &list));
    let settings = Settings { top, seed, ..Settings::default() };
    let question = Question { study: &study, problem: &problem, settings, models, within, limit, threads };
    let found = search(py, &question)?;
    let rated = Rating { py, study: &study, problem: &problem };
    let mut best = rated.of("best".to_owned(), &found.outcome.best)?;
    let alternatives = found.outcome.alternatives.iter().enumerate();
    let alternatives: Vec<ScenarioResult> = alternatives
        .map(|(i, candidate)| rated.of(format!("alternative {}", i + 1), candidate))
        .collect::<Result<_, _>>()?;
    let compared: Vec<ScenarioResult> =
        found.baselines.iter().map(|baseline| rated.baseline(baseline)).collect::<Result<_, _>>()?;
    let robust = found.over.map(|over| {
        let best = rated.of("robust".to_owned(), &over.found.best)?;
        Py::new(py, Robust { over, best: Py::new(py, best)? })
    });
    let simple = found.simple.zip(within).map(|(found, within)| {
        let best = rated.of("simple".to_owned(), &found.candidate)?;
        Py::new(py, Simplest { found, within, best: Py::new(py, best)? })
    });
    let baselines = found.baselines.iter().map(|one| &one.candidate);
    let others: Vec<_> = found.outcome.alternatives.iter().chain(baselines).collect();
    let (uncertainty, rivals) = uncertain(py, &study, &problem, &found.outcome.best, &others, &mut best)?;
    let keep =
        |all: Vec<ScenarioResult>| all.into_iter().map(|one| Py::new(py, one)).collect::<PyResult<Vec<_>>>();
    let breaks = found.baselines.iter().map(|baseline| baseline.breaks.clone());
    Ok(Exploration {
        cautions: problem.cautions(&best.scenario.allocation, &best.scenario.evaluation),
        best: Py::new(py, best)?,
        bound: found.outcome.bound,
        gap: found.outcome.gap,
        unproven: found.unproven,
        spent: found.spent,
        elapsed_s: found.elapsed_s,
        alternatives: keep(alternatives)?,
        alternatives_complete: found.outcome.alternatives_complete,
        baselines: keep(compared)?.into_iter().zip(breaks).collect(),
        uncertainty,
        rivals,
        robust: robust.transpose()?,
        simple: simple.transpose()?,
        seed,
        problem,
        study,
    })
}
