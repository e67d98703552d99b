//! The cost of one objective in terms of another.

use std::sync::Arc;

use numasim_ask::pareto::{Front as Answer, Point, Row};
use numasim_ask::{Pareto, document, limits};
use numasim_sim::pareto::{Stage, Stages};
use pyo3::prelude::*;

use crate::columns::{self, plain};
use crate::error;
use crate::exploring::{in_pool, objective, time_limit, to_restrictions};
use crate::reading::Reading;
use crate::scenario::{ScenarioResult, loads, shown};
use crate::working::{Stop, work};

impl Stages for Stop {
    fn begin(&self, _: Stage) {}

    fn compared(&self, _: u64, _: f64) {}
}

/// Allocations that cannot improve one of two objectives without losing in the other.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Front {
    answer: Answer,
    points: Vec<Py<ScenarioResult>>,
    baselines: Vec<Py<ScenarioResult>>,
}

/// The front between two objectives.
#[pyfunction]
#[pyo3(signature = (reading, objectives, restrictions, seed, model=None, time_limit_s=None, threads=None))]
pub(crate) fn pareto(
    py: Python<'_>,
    reading: &Reading,
    objectives: (String, String),
    restrictions: (bool, bool, u64, bool),
    seed: u64,
    model: Option<&str>,
    time_limit_s: Option<f64>,
    threads: Option<u64>,
) -> PyResult<Front> {
    let objectives = [objective(py, &objectives.0)?, objective(py, &objectives.1)?];
    let limit = time_limit(py, time_limit_s)?;
    let wrong = |why: String| error::input(py, &why);
    let threads = threads.map(limits::workers).transpose().map_err(wrong)?;
    let restrictions = to_restrictions(py, restrictions)?;
    let input = reading.under(py, model)?;
    let question = Pareto { objectives, restrictions, seed, ..Pareto::new(&input) };
    let stop = Stop::after(limit);
    let found = work(py, &stop, || in_pool(threads, || numasim_ask::pareto(&question, &stop, &stop)))?;
    let answer = found.map_err(wrong)?.map_err(|refusal| error::without_placement(py, &refusal))?;
    answer.notes().iter().try_for_each(|note| error::warn(py, note))?;
    let result = |point: &Point| Py::new(py, ScenarioResult::of(&Arc::new(point.scenario.clone())));
    Ok(Front {
        points: answer.points.iter().map(result).collect::<PyResult<_>>()?,
        baselines: answer.baselines.iter().map(|one| result(&one.point)).collect::<PyResult<_>>()?,
        answer,
    })
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

    /// The columns of `numasim explore --pareto --format csv`: a row for each point, then for each baseline.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Row<'_>> = self.answer.rows().collect();
        columns::of(py, &self.answer.columns(), rows)
    }

    /// The same as a data frame.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py)?.call_method0("to_pandas")
    }

    /// The document that `numasim explore --pareto --format json` writes.
    fn to_json(&self) -> String {
        document::text(&self.answer)
    }

    /// The same document as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "front_html")
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
