//! The cost of one objective in terms of another.

use std::sync::Arc;

use numasim_ask::pareto::{Front as Found, Point, Row};
use numasim_ask::{Pareto, document};
use numasim_sim::pareto::{Stage, Stages};
use pyo3::prelude::*;

use crate::answer::{Answer, Answered};
use crate::columns::{self, plain};
use crate::error;
use crate::exploring::{Search, in_pool, objective};
use crate::reading::Reading;
use crate::scenario::ScenarioResult;
use crate::working::{Stop, work};

impl Stages for Stop {
    fn begin(&self, _: Stage) {}

    fn compared(&self, _: u64, _: f64) {}
}

/// Allocations that cannot improve one of two objectives without losing in the other.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Front {
    answer: Arc<Found>,
    points: Vec<Py<ScenarioResult>>,
    baselines: Vec<Py<ScenarioResult>>,
}

impl Answered for Found {
    fn json(&self) -> String {
        document::text(self)
    }

    /// A row for each point, then for each baseline.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Row<'_>> = self.rows().collect();
        columns::of(py, &Found::columns(self), rows)
    }

    fn svg(&self) -> Option<String> {
        Some(self.plot().svg())
    }
}

/// The front between two objectives.
#[pyfunction]
pub(crate) fn pareto(
    py: Python<'_>,
    reading: &Reading,
    objectives: (String, String),
    search: Search,
) -> PyResult<Py<Front>> {
    let objectives = [objective(py, &objectives.0)?, objective(py, &objectives.1)?];
    let (stop, workers) = (search.stop(py)?, search.workers(py)?);
    let input = search.placed(py, reading, None)?;
    let restrictions = search.restrictions(py)?;
    let question = Pareto { objectives, restrictions, seed: search.seed, ..Pareto::new(&input) };
    let found = work(py, &stop, || in_pool(workers, || numasim_ask::pareto(&question, &stop, &stop)))?;
    let answer = found
        .map_err(|why| error::input(py, &why))?
        .map_err(|refusal| error::without_placement(py, &refusal))?;
    answer.notes().iter().try_for_each(|note| error::warn(py, note))?;
    let result = |point: &Point| ScenarioResult::new(py, &Arc::new(point.scenario.clone()), None);
    let points = answer.points.iter().map(result).collect::<PyResult<_>>()?;
    let baselines = answer.baselines.iter().map(|one| result(&one.point)).collect::<PyResult<_>>()?;
    let answer = Arc::new(answer);
    Py::new(py, (Front { answer: Arc::clone(&answer), points, baselines }, Answer(answer)))
}

fn values(point: &Point) -> (f64, f64) {
    (plain(point.values[0]), plain(point.values[1]))
}

#[pymethods]
impl Front {
    /// Both objectives, by name.
    #[getter]
    fn objectives(&self) -> (&'static str, &'static str) {
        self.answer.objectives().map(numasim_sim::Objective::as_str).into()
    }

    /// Whether every allocation was compared.
    #[getter]
    fn complete(&self) -> bool {
        self.answer.unproven.is_none()
    }

    /// The points, from the best for the first objective to the best for the second.
    #[getter]
    fn points(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.points.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// Both values of each point, in the units of the objectives.
    #[getter]
    fn values(&self) -> Vec<(f64, f64)> {
        self.answer.points.iter().map(values).collect()
    }

    /// The index of the point, from 0, that gives up least of both; None if no point qualifies.
    #[getter]
    fn knee(&self) -> Option<usize> {
        self.answer.knee
    }

    /// Baselines, as used without a search: `even`, `one app per node`, and the scenarios of the study.
    #[getter]
    fn baselines(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.baselines.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// Both values of each baseline.
    #[getter]
    fn baseline_values(&self) -> Vec<(f64, f64)> {
        self.answer.baselines.iter().map(|one| values(&one.point)).collect()
    }

    /// The number of points, how certain they are, and how much the knee keeps of each objective, as sentences.
    #[getter]
    fn words(&self) -> Vec<String> {
        self.answer.in_words()
    }

    fn __len__(&self) -> usize {
        self.points.len()
    }

    fn __repr__(&self) -> String {
        let (first, second) = self.objectives();
        format!(
            "<Front of {:?}: {} points, {first} against {second}>",
            self.answer.study.machine.name(),
            self.points.len()
        )
    }
}
