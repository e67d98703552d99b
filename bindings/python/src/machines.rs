//! The best allocation of the same applications on several machines.

use std::sync::Arc;

use numasim_ask::machines::{Machines as Found, Row};
use numasim_ask::{Explore, Input, document};
use pyo3::prelude::*;

use crate::answer::{Answer, Answered};
use crate::columns;
use crate::error;
use crate::exploring::{Exploration, Search, in_pool, objective};
use crate::reading::Reading;
use crate::working::work;

/// The best allocation on each of several machines.
#[pyclass(frozen, extends = Answer, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Machines {
    answer: Arc<Found>,
    found: Vec<Py<Exploration>>,
}

impl Answered for Found {
    fn json(&self) -> String {
        document::text(self)
    }

    /// A row for each machine, without the threads: machines have different numbers of nodes.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Row<'_>> = self.rows().collect();
        columns::of(py, &self.values(), rows)
    }
}

/// Asks the same question of each machine.
#[pyfunction]
pub(crate) fn machines(
    py: Python<'_>,
    readings: Vec<PyRef<'_, Reading>>,
    objective_name: &str,
    search: Search,
) -> PyResult<Py<Machines>> {
    let objective = objective(py, objective_name)?;
    let (stop, workers) = (search.stop(py)?, search.workers(py)?);
    let restrictions = search.restrictions(py)?;
    let inputs = readings.iter().map(|reading| search.placed(py, reading, None));
    let inputs: Vec<Input> = inputs.collect::<PyResult<_>>()?;
    let question = |input| Explore { objective, restrictions, seed: search.seed, ..Explore::new(input) };
    let questions: Vec<Explore<'_>> = inputs.iter().map(question).collect();
    let found = work(py, &stop, || in_pool(workers, || numasim_ask::machines(&questions, &stop)))?;
    let answer = found
        .map_err(|why| error::input(py, &why))?
        .map_err(|refusal| error::without_placement(py, &refusal))?;
    answer.found.iter().flat_map(|found| &found.warnings).try_for_each(|warning| error::warn(py, warning))?;
    let found = answer.found.iter().map(|found| Exploration::new(py, found.clone()));
    let (found, answer) = (found.collect::<PyResult<_>>()?, Arc::new(answer));
    Py::new(py, (Machines { answer: Arc::clone(&answer), found }, Answer(answer)))
}

#[pymethods]
impl Machines {
    /// The answer for each machine, in the order of the question.
    #[getter]
    fn found(&self, py: Python<'_>) -> Vec<Py<Exploration>> {
        self.found.iter().map(|one| one.clone_ref(py)).collect()
    }

    /// The index of the machine, from 0, on which the applications are fastest.
    #[getter]
    fn fastest(&self) -> usize {
        self.answer.fastest()
    }

    /// The speed of the applications on each machine relative to the first one; None if an application gets nothing.
    #[getter]
    fn speeds(&self) -> Vec<Option<f64>> {
        (0..self.found.len()).map(|number| self.answer.speed(number)).collect()
    }

    fn __len__(&self) -> usize {
        self.found.len()
    }

    fn __repr__(&self) -> String {
        let fastest = self.answer.found[self.answer.fastest()].study.machine.name();
        format!("<Machines: {} machines, fastest on {fastest:?}>", self.found.len())
    }
}
