//! The placement that is good whichever model is right, as Python sees it.

use numasim_model::ModelKind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::plain;
use crate::scenario::{ScenarioResult, shown};

/// The placement with the smallest worst regret over several sharing models: what it loses of the best of each, as a share.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Robust {
    pub(super) answer: numasim_ask::explored::Robust,
    pub(super) best: Py<ScenarioResult>,
}

impl Robust {
    fn by_model<'py>(&self, py: Python<'py>, regrets: &[f64]) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (kind, regret) in self.answer.over.kinds.iter().zip(regrets) {
            all.set_item(kind.name(), plain(*regret))?;
        }
        Ok(all)
    }
}

#[pymethods]
impl Robust {
    /// The placement, under the first model.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// What it loses at most, whichever model is right, of the best that was found under that model: 0 to 1.
    #[getter]
    fn worst_regret(&self) -> f64 {
        plain(self.answer.over.found.worst_regret)
    }

    /// No placement has a smaller worst regret than this.
    #[getter]
    fn bound(&self) -> f64 {
        plain(self.answer.over.found.bound)
    }

    /// `optimal`: no placement has a smaller worst regret, and the best of every model is proven. `feasible`: the best found.
    #[getter]
    fn status(&self) -> &'static str {
        self.answer.over.found.status.word()
    }

    /// What it loses at most if the bests that are not proven are as good as their bounds.
    #[getter]
    fn at_most(&self) -> f64 {
        plain(self.answer.over.found.at_most)
    }

    /// What it loses under each model, by the name of the model; the first is that of the exploration.
    #[getter]
    fn regrets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_model(py, &self.answer.over.found.regrets)
    }

    /// What the best of each model and the baselines lose under each model, by their name (`best of ecm`, `even`), then by that of the
    /// model.
    #[getter]
    fn others<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, regrets) in &self.answer.over.others {
            all.set_item(name, self.by_model(py, regrets)?)?;
        }
        Ok(all)
    }

    /// What is known of the best of each model, by the name of the model: `value`, `bound`, whether it is `proven`.
    #[getter]
    fn models<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (kind, of) in self.answer.over.kinds.iter().zip(&self.answer.over.found.models) {
            let known = PyDict::new(py);
            known.set_item("value", plain(of.value))?;
            known.set_item("bound", plain(of.bound))?;
            known.set_item("proven", of.proven)?;
            all.set_item(kind.name(), known)?;
        }
        Ok(all)
    }

    /// Models that have no part in it: `model` and `reason` of each.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let of = |kind: ModelKind, reason: String| {
            let one = PyDict::new(py);
            one.set_item("model", kind.name())?;
            one.set_item("reason", reason)?;
            Ok(one)
        };
        self.answer.over.left_out.iter().map(|one| of(one.kind, one.reason.to_string())).collect()
    }

    /// Who loses how much where: a row for the placement and each of `others`, a column for each model, and the `worst` of them.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "robust_frame")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "robust_html")
    }

    fn __repr__(&self) -> String {
        let models = self.answer.over.kinds.len();
        format!("<Robust: loses at most {} under {models} models, {}>", self.worst_regret(), self.status())
    }
}
