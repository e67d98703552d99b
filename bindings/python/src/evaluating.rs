//! Scenarios, evaluated.

use numasim_ask::{Evaluate, Evaluated, document};
use pyo3::prelude::*;

use crate::error;
use crate::reading::Reading;
use crate::scenario::{ScenarioResult, loads, shown};
use crate::working::{Stop, work};

/// Evaluated scenarios of one study.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Evaluation {
    answer: Evaluated,
    scenarios: Vec<Py<ScenarioResult>>,
}

/// Evaluates scenarios: `names`, or all of them. `model`: the rules of another bandwidth-sharing model. `static_work`: work is divided
/// beforehand in all of them.
#[pyfunction]
#[pyo3(signature = (reading, names=None, model=None, static_work=false))]
pub(crate) fn evaluate(
    py: Python<'_>,
    reading: &Reading,
    names: Option<Vec<String>>,
    model: Option<&str>,
    static_work: bool,
) -> PyResult<Evaluation> {
    let input = reading.under(py, model)?;
    let names = names.unwrap_or_default();
    let question = Evaluate { scenarios: &names, static_work, ..Evaluate::new(&input) };
    let stop = Stop::after(None);
    let answer = work(py, &stop, || numasim_ask::evaluate(&question, &stop))?;
    let answer = answer.map_err(|refusal| error::refused(py, &refusal))?;
    answer.warnings.iter().try_for_each(|warning| error::warn(py, warning))?;
    let scenarios = answer.scenarios.iter().map(|one| Py::new(py, ScenarioResult::of(one)));
    Ok(Evaluation { scenarios: scenarios.collect::<PyResult<_>>()?, answer })
}

#[pymethods]
impl Evaluation {
    /// The scenarios, in the order of the files.
    #[getter]
    fn scenarios(&self, py: Python<'_>) -> Vec<Py<ScenarioResult>> {
        self.scenarios.iter().map(|one| one.clone_ref(py)).collect()
    }

    fn __len__(&self) -> usize {
        self.scenarios.len()
    }

    /// A scenario by its name or its number.
    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<ScenarioResult>> {
        if let Ok(name) = key.extract::<String>() {
            let found = self.scenarios.iter().find(|one| one.get().scenario.name == name);
            let Some(found) = found else {
                return Err(pyo3::exceptions::PyKeyError::new_err(name));
            };
            return Ok(found.clone_ref(py));
        }
        let number: isize = key.extract()?;
        let length = self.scenarios.len();
        let at =
            if number < 0 { length.checked_sub(number.unsigned_abs()) } else { Some(number.unsigned_abs()) };
        match at.and_then(|at| self.scenarios.get(at)) {
            Some(found) => Ok(found.clone_ref(py)),
            None => Err(pyo3::exceptions::PyIndexError::new_err(format!("there are {length} scenarios"))),
        }
    }

    /// What `numasim evaluate --format json` writes.
    fn to_json(&self) -> String {
        document::text(&self.answer)
    }

    /// The same as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.to_json())
    }

    /// One row for each scenario and application.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "evaluation_frame")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "evaluation_html")
    }

    fn __repr__(&self) -> String {
        format!("<Evaluation of {:?}: {} scenarios>", self.answer.machine, self.scenarios.len())
    }
}
