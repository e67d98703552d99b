//! The answer of a search, as Python sees it.

use std::sync::Arc;

use numasim_ask::explored::{Rated, WhyUnproven};
use numasim_ask::{Explored, caution, document};
use pyo3::prelude::*;

use super::{Robust, Simplest};
use crate::array::plain;
use crate::scenario::{ScenarioResult, loads, shown};

/// The best allocation that was found, how good it can be at most, and what it is compared with.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Exploration {
    answer: Arc<Explored>,
    best: Py<ScenarioResult>,
    alternatives: Vec<Py<ScenarioResult>>,
    baselines: Vec<Py<ScenarioResult>>,
    robust: Option<Py<Robust>>,
    simple: Option<Py<Simplest>>,
}

impl Exploration {
    /// As Python sees an answer.
    pub(super) fn new(py: Python<'_>, answer: Explored) -> PyResult<Self> {
        let answer = Arc::new(answer);
        let result = |rated: &Rated| {
            let scenario = Arc::clone(&rated.scenario);
            Py::new(py, ScenarioResult { scenario, value: Some(rated.value) })
        };
        let robust = answer
            .robust
            .as_ref()
            .map(|robust| Py::new(py, Robust { answer: robust.clone(), best: result(&robust.best)? }));
        let simple = answer.simple.as_ref().map(|simple| {
            let best = result(&simple.rated)?;
            Py::new(py, Simplest { found: simple.found.clone(), within: simple.within, best })
        });
        Ok(Self {
            best: result(&answer.best)?,
            alternatives: answer.alternatives.iter().map(result).collect::<PyResult<_>>()?,
            baselines: answer.baselines.iter().map(|one| result(&one.rated)).collect::<PyResult<_>>()?,
            robust: robust.transpose()?,
            simple: simple.transpose()?,
            answer,
        })
    }
}

#[pymethods]
impl Exploration {
    /// Seed of the random restarts.
    #[getter]
    fn seed(&self) -> u64 {
        self.answer.seed
    }

    /// Seconds of the search.
    #[getter]
    fn elapsed_s(&self) -> f64 {
        self.answer.elapsed_s
    }

    /// Whether no better alternative is missing.
    #[getter]
    fn alternatives_complete(&self) -> bool {
        self.answer.alternatives_complete
    }

    /// The objective, by name.
    #[getter]
    fn objective(&self) -> &'static str {
        self.answer.problem.goal().objective().name()
    }

    /// The unit of `value` and `bound`: GFLOPS, s, or nothing for a fraction.
    #[getter]
    fn unit(&self) -> &'static str {
        self.answer.problem.goal().objective().unit()
    }

    /// `optimal`: nothing is better, to a relative 1e-9. `feasible`: the best found.
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.status()
    }

    /// Why the best is not proven: `time-limit`, `too-large` or `model`; None where it is.
    #[getter]
    fn unproven(&self) -> Option<&'static str> {
        self.answer.unproven.map(WhyUnproven::word)
    }

    /// The best allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// Value of the best, in `unit`.
    #[getter]
    fn value(&self) -> f64 {
        plain(self.answer.best.value)
    }

    /// 95 % interval of `value`, where figures of the machine are uncertain; else None.
    #[getter]
    fn value_interval(&self) -> Option<(f64, f64)> {
        self.answer.uncertainty.as_ref().map(|(_, interval)| (plain(interval.low), plain(interval.high)))
    }

    /// No allocation has a better value than this.
    #[getter]
    fn bound(&self) -> f64 {
        plain(self.answer.bound)
    }

    /// |bound - value| / |bound|.
    #[getter]
    fn gap(&self) -> f64 {
        plain(self.answer.gap)
    }

    /// What to know about the best beside its value, in sentences.
    #[getter]
    fn cautions(&self) -> Vec<String> {
        caution::clauses(&self.answer.cautions, &self.answer.study.apps)
    }

    /// The next best allocations.
    #[getter]
    fn alternatives(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.alternatives.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// What people do without a search: `even`, `one app per node`, and the scenarios of the study.
    #[getter]
    fn baselines(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.baselines.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// The restriction that each baseline breaks; None where it breaks none.
    #[getter]
    fn breaks(&self) -> Vec<Option<String>> {
        self.answer.baselines.iter().map(|one| one.breaks.clone()).collect()
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
    fn to_json(&self) -> String {
        document::text(&*self.answer)
    }

    /// The same as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json())
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
            self.answer.study.machine.name(),
            self.value(),
            self.status()
        )
    }
}
