//! The simplest allocation that is nearly as good as the best, as Python sees it.

use numasim_sim::search;
use pyo3::prelude::*;

use crate::array::plain;
use crate::scenario::{ScenarioResult, shown};

/// The simplest allocation that loses at most a given share of the best: few different numbers of threads of an application, whole nodes
/// before shared ones.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Simplest {
    pub(super) found: search::Simplest,
    /// The share of the best that it may lose.
    #[pyo3(get)]
    pub(super) within: f64,
    pub(super) best: Py<ScenarioResult>,
}

#[pymethods]
impl Simplest {
    /// The allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// What it loses of the best, as a share.
    #[getter]
    fn loss(&self) -> f64 {
        plain(self.found.loss)
    }

    /// Whether nothing simpler is good enough; else none was found.
    #[getter]
    fn proven(&self) -> bool {
        self.found.proven
    }

    /// Of each application the different numbers of threads on the nodes where it has any, added up over applications.
    #[getter]
    fn different_numbers(&self) -> usize {
        self.found.simplicity.numbers
    }

    /// Whether some node has threads of several applications.
    #[getter]
    fn shared_nodes(&self) -> bool {
        self.found.simplicity.mixed
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "simplest_html")
    }

    fn __repr__(&self) -> String {
        let sure = if self.proven() { "proven" } else { "not proven" };
        format!("<Simplest within {}: loses {} of the best, {sure}>", self.within, self.loss())
    }
}
