//! The best allocation of the same applications on several machines.

use numasim_ask::machines::{Machines as Answer, Row};
use numasim_ask::{Explore, Input, document, limits};
use numasim_sim::Restrictions;
use pyo3::prelude::*;

use crate::columns;
use crate::error;
use crate::exploring::{
    Domains, Exploration, OfApps, in_pool, objective, time_limit, to_asked, to_restrictions,
};
use crate::reading::Reading;
use crate::scenario::{loads, shown};
use crate::working::{Stop, work};

/// The best allocation on each of several machines.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Machines {
    answer: Answer,
    found: Vec<Py<Exploration>>,
}

/// Asks the same question of each machine.
#[pyfunction]
#[pyo3(signature = (
    readings, objective_name, restrictions, of_apps, domains, seed, model=None, time_limit_s=None, threads=None,
))]
pub(crate) fn machines(
    py: Python<'_>,
    readings: Vec<PyRef<'_, Reading>>,
    objective_name: &str,
    restrictions: (bool, bool, u64, bool),
    of_apps: OfApps,
    domains: Domains,
    seed: u64,
    model: Option<&str>,
    time_limit_s: Option<f64>,
    threads: Option<u64>,
) -> PyResult<Machines> {
    let objective = objective(py, objective_name)?;
    let (whole_l3, asked) = to_asked(py, of_apps, domains)?;
    let restrictions = Restrictions { whole_l3, ..to_restrictions(py, restrictions)? };
    let limit = time_limit(py, time_limit_s)?;
    let wrong = |why: String| error::input(py, &why);
    let threads = threads.map(limits::workers).transpose().map_err(wrong)?;
    let placed = |reading: &PyRef<'_, Reading>| {
        let input = reading.under(py, model)?;
        input.placed(&asked).map_err(|refusal| error::refused(py, &refusal))
    };
    let inputs: Vec<Input> = readings.iter().map(placed).collect::<PyResult<_>>()?;
    let question = |input| Explore { objective, restrictions, seed, ..Explore::new(input) };
    let questions: Vec<Explore<'_>> = inputs.iter().map(question).collect();
    let stop = Stop::after(limit);
    let found = work(py, &stop, || in_pool(threads, || numasim_ask::machines(&questions, &stop)))?;
    let answer = found.map_err(wrong)?.map_err(|refusal| error::without_placement(py, &refusal))?;
    answer.found.iter().flat_map(|found| &found.warnings).try_for_each(|warning| error::warn(py, warning))?;
    let found = answer.found.iter().map(|found| Py::new(py, Exploration::new(py, found.clone())?));
    Ok(Machines { found: found.collect::<PyResult<_>>()?, answer })
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

    /// The columns of `numasim explore --machine A --machine B --format csv` but for the threads, which are in `found`: a row for each machine.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<Row<'_>> = self.answer.rows().collect();
        columns::of(py, &self.answer.values(), rows)
    }

    /// The same as a data frame.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py)?.call_method0("to_pandas")
    }

    /// The document that `numasim explore --machine A --machine B --format json` writes.
    fn to_json(&self) -> String {
        document::text(&self.answer)
    }

    /// The same document as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json())
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "machines_html")
    }

    fn __repr__(&self) -> String {
        let fastest = self.answer.found[self.answer.fastest()].study.machine.name();
        format!("<Machines: {} machines, fastest on {fastest:?}>", self.found.len())
    }
}
