//! The answer of a search, as Python sees it.

use std::sync::Arc;

use numasim_ask::caution;
use numasim_ask::explored::{Explored, Further, RatedView, WhyUnproven};
use numasim_model::Study;
use numasim_sim::intervals::{Draws, Interval, Rival};
use numasim_sim::search::Spent;
use numasim_sim::{Caution, Problem};
use pyo3::prelude::*;

use super::{Robust, Simplest};
use crate::array::plain;
use crate::scenario::{ScenarioResult, loads, shown};

/// The best allocation that was found, how good it can be at most, and what it is compared with.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Exploration {
    pub(super) study: Arc<Study>,
    pub(super) problem: Problem,
    /// Seed of the random restarts.
    #[pyo3(get)]
    pub(super) seed: u64,
    pub(super) cautions: Vec<Caution>,
    pub(super) best: Py<ScenarioResult>,
    pub(super) bound: f64,
    pub(super) gap: f64,
    pub(super) unproven: Option<WhyUnproven>,
    /// Seconds of the search.
    #[pyo3(get)]
    pub(super) elapsed_s: f64,
    pub(super) alternatives: Vec<Py<ScenarioResult>>,
    /// Whether no better alternative is missing.
    #[pyo3(get)]
    pub(super) alternatives_complete: bool,
    pub(super) baselines: Vec<(Py<ScenarioResult>, Option<String>)>,
    pub(super) uncertainty: Option<(Draws, Interval)>,
    /// Of alternatives, then of baselines; empty where nothing is uncertain.
    pub(super) rivals: Vec<Rival>,
    /// What the effort of an unproven search without a time limit has brought.
    pub(super) spent: Option<Spent>,
    pub(super) robust: Option<Py<Robust>>,
    pub(super) simple: Option<Py<Simplest>>,
}

fn rated_view<'a>(one: &'a ScenarioResult, rival: Option<&'a Rival>) -> RatedView<'a> {
    RatedView { scenario: one.scenario.view(), value: one.value.unwrap_or(f64::NAN), rival }
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

    /// The placement that is good whichever of several models is right; None where nobody asked.
    #[getter]
    fn robust(&self, py: Python<'_>) -> Option<Py<Robust>> {
        self.robust.as_ref().map(|one| one.clone_ref(py))
    }

    /// The simplest allocation that loses little of the best; None where nobody asked.
    #[getter]
    fn simple(&self, py: Python<'_>) -> Option<Py<Simplest>> {
        self.simple.as_ref().map(|one| one.clone_ref(py))
    }

    /// What `numasim explore --format json` writes.
    fn to_json(&self) -> PyResult<String> {
        let all = self.alternatives.len();
        let view = |one, rival| rated_view(Py::get(one), rival);
        let alternatives = self.alternatives.iter().enumerate();
        let baselines = self.baselines.iter().enumerate();
        let robust = self.robust.iter().map(Py::get);
        let robust = robust.map(|one| Further::robust(&one.over, rated_view(one.best.get(), None)));
        let simple = self.simple.iter().map(Py::get);
        let simple =
            simple.map(|one| Further::simple(&one.found, one.within, rated_view(one.best.get(), None)));
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
            effort: self.spent.as_ref(),
            alternatives_complete: self.alternatives_complete,
            baselines: baselines
                .map(|(i, (one, breaks))| (view(one, self.rivals.get(all + i)), breaks.as_deref()))
                .collect(),
            uncertainty: self.uncertainty.as_ref().map(|(draws, value)| (draws, *value)),
            further: robust.chain(simple).collect(),
            sensitivity: None,
        };
        serde_json::to_string(&document)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    /// The same as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json()?)
    }

    /// One row for each allocation: best, alternatives, the robust one, baselines, and the simplest where it is another one.
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
