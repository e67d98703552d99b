//! Scenarios, evaluated.

use std::sync::Arc;

use numasim_ask::refusal::Refusal;
use numasim_ask::{evaluated, intervals, located};
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Data, Placement, Scenario, Study, evaluate_with};
use numasim_sim::intervals::{Draws, Prediction};
use pyo3::prelude::*;
use serde_json::Value;

use crate::error;
use crate::reading::Reading;
use crate::scenario::{ScenarioResult, loads, shown};
use crate::working::{Stop, work};

/// Evaluated scenarios of one study.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Evaluation {
    study: Arc<Study>,
    draws: Option<Draws>,
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
    let read = &reading.0;
    let study = read.under(py, model)?;
    let wanted = read.wanted(py, names)?;
    let refused = |refusal: Refusal| error::refused(py, &refusal);
    let scenarios: Vec<&Scenario> = wanted.iter().map(|&number| &study.scenarios[number]).collect();
    read.located.can_be_evaluated(&study, &scenarios).map_err(refused)?;
    let mut asked = Vec::with_capacity(wanted.len());
    for number in wanted {
        let mut scenario = study.scenarios[number].clone();
        scenario.static_work |= static_work;
        let placements = located::placements(&study, &scenario).map_err(refused)?;
        asked.push((scenario, placements));
    }
    let figures = asked
        .iter()
        .map(|(scenario, _)| intervals::figures_of(&study, scenario.data.iter().filter_map(Data::placement)));
    let draws = match intervals::draws(&study, figures.sum()) {
        Ok(draws) => draws,
        Err(warning) => {
            error::warn(py, &warning)?;
            None
        }
    };
    let stop = Stop::after(None);
    let results = work(py, &stop, || {
        let mut results = Vec::with_capacity(asked.len());
        for (scenario, placements) in asked {
            // Of what was interrupted nobody sees a result.
            if stop.is_interrupted() {
                break;
            }
            let name = scenario.name.clone();
            let result = of_one(&study, scenario, placements, draws.as_ref());
            results.push(result.map_err(|error| (name, error)));
        }
        results
    })?;
    let mut scenarios = Vec::with_capacity(results.len());
    for result in results {
        let result = result.map_err(|(name, error)| failed(py, &format!("scenario '{name}'"), &error))?;
        scenarios.push(Py::new(py, result)?);
    }
    Ok(Evaluation { study, draws, scenarios })
}

fn of_one(
    study: &Arc<Study>,
    scenario: Scenario,
    placements: Vec<Placement>,
    draws: Option<&Draws>,
) -> Result<ScenarioResult, EvaluateError> {
    let options = Options { explained: false, static_work: scenario.static_work };
    let Scenario { name, allocation, .. } = scenario;
    let evaluation = evaluate_with(&study.machine, &study.apps, &placements, &allocation, options)?;
    let predict = |draws: &Draws| draws.predict(&study.apps, &placements, &allocation, options);
    let intervals: Option<Prediction> = draws.map(predict).transpose()?.flatten();
    let study = Arc::clone(study);
    Ok(ScenarioResult { study, name, value: None, allocation, placements, evaluation, intervals })
}

/// Why something cannot be evaluated.
pub(crate) fn failed(py: Python<'_>, what: &str, error: &EvaluateError) -> PyErr {
    match error {
        EvaluateError::Unsound(violation) => error::fault(py, &format!("{what}: {violation}")),
        error => error::input(py, &format!("{what}: {error}")),
    }
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
            let found = self.scenarios.iter().find(|one| one.get().name == name);
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
        let mut document = evaluated::head(&self.study, self.draws.as_ref());
        let scenarios = self.scenarios.iter().map(|one| numasim_ask::json::json(&one.get().view()));
        document["scenarios"] = scenarios.collect::<Vec<Value>>().into();
        document.to_string()
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
        format!("<Evaluation of {:?}: {} scenarios>", self.study.machine.name(), self.scenarios.len())
    }
}
