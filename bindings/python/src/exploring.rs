//! The best allocation, searched for.

use std::sync::Arc;
use std::time::Duration;

use numasim_document::explored::{Explored, RatedView, WhyUnproven};
use numasim_document::{caution, intervals};
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Study, evaluate_with};
use numasim_sim::baselines::{Baseline, distinct};
use numasim_sim::intervals::{Draws, Interval, Rival, Rivals};
use numasim_sim::search::{ExploreError, Outcome, Settings, explore_to_the_end};
use numasim_sim::{Candidate, Caution, Objective, Problem, ProblemError, Restrictions, search};
use pyo3::prelude::*;

use crate::array::plain;
use crate::error;
use crate::evaluating::failed;
use crate::reading::Reading;
use crate::scenario::{ScenarioResult, loads, shown};
use crate::working::{Stop, work};

/// The best allocation that was found, how good it can be at most, and what it is compared with.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Exploration {
    study: Arc<Study>,
    problem: Problem,
    /// Seed of the random restarts.
    #[pyo3(get)]
    seed: u64,
    cautions: Vec<Caution>,
    best: Py<ScenarioResult>,
    bound: f64,
    gap: f64,
    unproven: Option<WhyUnproven>,
    /// Seconds of the search.
    #[pyo3(get)]
    elapsed_s: f64,
    alternatives: Vec<Py<ScenarioResult>>,
    /// Whether no better alternative is missing.
    #[pyo3(get)]
    alternatives_complete: bool,
    baselines: Vec<(Py<ScenarioResult>, Option<String>)>,
    uncertainty: Option<(Draws, Interval)>,
    /// Of alternatives, then of baselines; empty where nothing is uncertain.
    rivals: Vec<Rival>,
}

/// An objective by its name.
pub(crate) fn objective(py: Python<'_>, name: &str) -> PyResult<Objective> {
    error::named(py, "objective", name, &Objective::ALL, Objective::name)
}

/// A time limit in seconds.
pub(crate) fn time_limit(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    if !seconds.is_finite() || seconds < 0.0 {
        return Err(error::input(
            py,
            &format!("time_limit is a number of seconds, 0 or more, not {seconds}"),
        ));
    }
    // 30 years; a greater one means the same.
    Ok(Some(Duration::from_secs_f64(seconds.min(1e9))))
}

/// Why a question cannot be asked.
fn refused(py: Python<'_>, error: &ProblemError) -> PyErr {
    match error {
        ProblemError::NoApps => {
            error::input(py, "there is no application to place (add an App, or an [[app]] to the files)")
        }
        ProblemError::Infeasible(why) => error::infeasible(py, &format!("no allocation is possible: {why}")),
        other => error::input(py, &other.to_string()),
    }
}

fn rated_view<'a>(one: &'a ScenarioResult, rival: Option<&'a Rival>) -> RatedView<'a> {
    RatedView { scenario: one.view(), value: one.value.unwrap_or(f64::NAN), rival }
}

/// What the search hands out.
struct Found {
    outcome: Outcome,
    baselines: Vec<Baseline>,
}

/// Searches for the best allocation.
#[pyfunction]
#[pyo3(signature = (reading, objective_name, restrictions, top, seed, model=None, time_limit_s=None, threads=None))]
pub(crate) fn explore(
    py: Python<'_>,
    reading: &Reading,
    objective_name: &str,
    restrictions: (bool, bool, u32, bool),
    top: usize,
    seed: u64,
    model: Option<&str>,
    time_limit_s: Option<f64>,
    threads: Option<usize>,
) -> PyResult<Exploration> {
    let study = reading.0.under(py, model)?;
    let limit = time_limit(py, time_limit_s)?;
    let restrictions = to_restrictions(restrictions);
    let problem = Problem::new(&study.machine, &study.apps, objective(py, objective_name)?, restrictions)
        .map_err(|error| refused(py, &error))?;
    let settings = Settings { top, seed, ..Settings::default() };
    let stop = Stop::after(limit);
    let found = work(py, &stop, || {
        let searched = || {
            let baselines = problem.baselines(&study.scenarios, &stop);
            // Time that somebody gives is there to be used.
            let search = if limit.is_some() { explore_to_the_end } else { search::explore };
            search(&problem, &settings, &stop).map(|outcome| Found { outcome, baselines })
        };
        in_pool(threads, searched)
    })?;
    let found = found.map_err(|why| error::input(py, &why))?;
    let Found { outcome, baselines } = found.map_err(|error| without_answer(py, &error))?;
    let out_of_time = stop.is_out_of_time().then_some(WhyUnproven::TimeLimit);
    let unproven = WhyUnproven::of(&outcome, &problem, out_of_time);
    let rated = Rating { study: &study, problem: &problem };
    let impossible = |error: EvaluateError| failed(py, "an allocation of the search", &error);
    let mut best = rated.of("best".to_owned(), &outcome.best, false).map_err(impossible)?;
    let alternatives = outcome.alternatives.iter().enumerate().map(|(i, candidate)| {
        rated.of(format!("alternative {}", i + 1), candidate, false).map_err(impossible)
    });
    let alternatives: Vec<ScenarioResult> = alternatives.collect::<Result<_, _>>()?;
    let baselines = distinct(baselines);
    let compared = baselines.iter().map(|baseline| {
        let Baseline { name, candidate, static_work, .. } = baseline;
        rated.of(name.clone(), candidate, *static_work).map_err(impossible)
    });
    let compared: Vec<ScenarioResult> = compared.collect::<Result<_, _>>()?;
    let others: Vec<&Candidate> =
        outcome.alternatives.iter().chain(baselines.iter().map(|one| &one.candidate)).collect();
    let (uncertainty, rivals) = uncertain(py, &study, &problem, &outcome.best, &others, &mut best)?;
    let keep =
        |all: Vec<ScenarioResult>| all.into_iter().map(|one| Py::new(py, one)).collect::<PyResult<Vec<_>>>();
    let breaks = baselines.into_iter().map(|baseline| baseline.breaks);
    Ok(Exploration {
        cautions: problem.cautions(&best.allocation, &best.evaluation),
        best: Py::new(py, best)?,
        bound: outcome.bound,
        gap: outcome.gap,
        unproven,
        elapsed_s: stop.elapsed_s(),
        alternatives: keep(alternatives)?,
        alternatives_complete: outcome.alternatives_complete,
        baselines: keep(compared)?.into_iter().zip(breaks).collect(),
        uncertainty,
        rivals,
        seed,
        problem,
        study,
    })
}

/// `same_on_every_node`, `whole_nodes`, `min_threads_per_node`, `no_idle_cores`.
pub(crate) fn to_restrictions((same, whole, fewest, no_idle): (bool, bool, u32, bool)) -> Restrictions {
    Restrictions {
        same_on_every_node: same,
        whole_nodes: whole,
        min_threads_per_node: fewest,
        no_idle_cores: no_idle,
    }
}

fn in_pool<T: Send>(threads: Option<usize>, search: impl FnOnce() -> T + Send) -> Result<T, String> {
    let Some(threads) = threads else { return Ok(search()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(search)).map_err(|error| format!("cannot start {threads} threads: {error}"))
}

fn without_answer(py: Python<'_>, error: &ExploreError) -> PyErr {
    match error {
        ExploreError::Infeasible(why) => error::infeasible(py, &format!("no allocation is possible: {why}")),
        ExploreError::NothingFound => error::infeasible(py, &error.to_string()),
        ExploreError::Fault(forbidden) => error::fault(py, &forbidden.to_string()),
    }
}

struct Rating<'a> {
    study: &'a Arc<Study>,
    problem: &'a Problem,
}

impl Rating<'_> {
    /// An allocation with its value. The search itself never divides work beforehand.
    fn of(
        &self,
        name: String,
        candidate: &Candidate,
        static_work: bool,
    ) -> Result<ScenarioResult, EvaluateError> {
        let options = Options { static_work, ..Options::default() };
        let Candidate { allocation, placements, score, .. } = candidate;
        let study = self.study;
        let evaluation = evaluate_with(&study.machine, &study.apps, placements, allocation, options)?;
        let goal = self.problem.goal();
        let gflops: Vec<f64> = evaluation.apps.iter().map(|app| app.gflops.value()).collect();
        let score = if static_work { goal.score(&gflops) } else { *score };
        Ok(ScenarioResult {
            study: Arc::clone(study),
            name,
            value: Some(goal.value(score)),
            allocation: allocation.clone(),
            placements: placements.clone(),
            evaluation,
            intervals: None,
        })
    }
}

type Uncertain = (Option<(Draws, Interval)>, Vec<Rival>);

/// What the answer is worth where figures are uncertain: the intervals of the best, and who cannot be told from it.
fn uncertain(
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
    let prediction = prediction.map_err(|error| failed(py, "the best allocation", &error))?;
    let Some(Rivals { best: value, others }) = rivals else { return Ok((None, Vec::new())) };
    shown.intervals = prediction;
    Ok((Some((draws, value)), others))
}

#[pymethods]
impl Exploration {
    /// The objective, by name.
    #[getter]
    fn objective(&self) -> &'static str {
        self.problem.goal().objective().name()
    }

    /// The unit of `value` and `bound`: GFLOPS, s, or nothing for a fraction.
    #[getter]
    fn unit(&self) -> &'static str {
        self.problem.goal().objective().unit()
    }

    /// `optimal`: nothing is better, to a relative 1e-9. `feasible`: the best found.
    #[getter]
    fn status(&self) -> &'static str {
        if self.unproven.is_none() { "optimal" } else { "feasible" }
    }

    /// Why the best is not proven: `time-limit`, `too-large` or `model`; None where it is.
    #[getter]
    fn unproven(&self) -> Option<&'static str> {
        self.unproven.map(WhyUnproven::word)
    }

    /// The best allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// Value of the best, in `unit`.
    #[getter]
    fn value(&self) -> f64 {
        plain(self.best.get().value.unwrap_or(f64::NAN))
    }

    /// 95 % interval of `value`, where figures of the machine are uncertain; else None.
    #[getter]
    fn value_interval(&self) -> Option<(f64, f64)> {
        self.uncertainty.as_ref().map(|(_, interval)| (plain(interval.low), plain(interval.high)))
    }

    /// No allocation has a better value than this.
    #[getter]
    fn bound(&self) -> f64 {
        plain(self.bound)
    }

    /// |bound - value| / |bound|.
    #[getter]
    fn gap(&self) -> f64 {
        plain(self.gap)
    }

    /// What to know about the best beside its value, in sentences.
    #[getter]
    fn cautions(&self) -> Vec<String> {
        caution::clauses(&self.cautions, &self.study.apps)
    }

    /// The next best allocations.
    #[getter]
    fn alternatives(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.alternatives.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// What people do without a search: `even`, `one app per node`, and the scenarios of the study.
    #[getter]
    fn baselines(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.baselines.iter().map(|(one, _)| one.clone_ref(py)).collect()
    }

    /// The restriction that each baseline breaks; None where it breaks none.
    #[getter]
    fn breaks(&self) -> Vec<Option<String>> {
        self.baselines.iter().map(|(_, breaks)| breaks.clone()).collect()
    }

    /// What `numasim explore --format json` writes.
    fn to_json(&self) -> PyResult<String> {
        let all = self.alternatives.len();
        let view = |one, rival| rated_view(Py::get(one), rival);
        let alternatives = self.alternatives.iter().enumerate();
        let baselines = self.baselines.iter().enumerate();
        let document = Explored {
            study: &self.study,
            problem: &self.problem,
            seed: self.seed,
            cautions: &self.cautions,
            best: view(&self.best, None),
            bound: self.bound,
            gap: self.gap,
            unproven: self.unproven,
            elapsed_s: self.elapsed_s,
            alternatives: alternatives.map(|(i, one)| view(one, self.rivals.get(i))).collect(),
            effort: None,
            alternatives_complete: self.alternatives_complete,
            baselines: baselines
                .map(|(i, (one, breaks))| (view(one, self.rivals.get(all + i)), breaks.as_deref()))
                .collect(),
            uncertainty: self.uncertainty.as_ref().map(|(draws, value)| (draws, *value)),
            further: Vec::new(),
            sensitivity: None,
        };
        serde_json::to_string(&document)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    /// The same as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json()?)
    }

    /// One row for each allocation: best, alternatives, baselines.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "exploration_frame")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "exploration_html")
    }

    fn __repr__(&self) -> String {
        let (objective, unit) = (self.objective(), self.unit());
        let space = if unit.is_empty() { "" } else { " " };
        format!(
            "<Exploration of {:?}: {objective} {}{space}{unit}, {}>",
            self.study.machine.name(),
            self.value(),
            self.status()
        )
    }
}
