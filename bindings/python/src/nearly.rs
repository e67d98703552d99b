//! Near-optimal allocations for Python: the simplest, and the one with the fewest threads.

use numasim_ask::explored;
use pyo3::prelude::*;

use crate::answer::shown;
use crate::columns::plain;
use crate::scenario::ScenarioResult;

/// The simplest allocation that loses at most a given share of the best. Simple means few different thread counts per application, and
/// whole nodes rather than shared ones.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Simplest {
    pub(crate) answer: explored::Simple,
    pub(crate) best: Py<ScenarioResult>,
}

#[pymethods]
impl Simplest {
    /// The allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// The share of the best that it may lose.
    #[getter]
    fn within(&self) -> f64 {
        self.answer.within
    }

    /// Its loss as a share of the best value.
    #[getter]
    fn loss(&self) -> f64 {
        plain(self.answer.found.loss)
    }

    /// Whether no simpler allocation is good enough. If false, the search found none.
    #[getter]
    fn proven(&self) -> bool {
        self.answer.found.proven
    }

    /// The number of different thread counts per node, excluding 0, summed over applications.
    #[getter]
    fn different_numbers(&self) -> usize {
        self.answer.found.simplicity.numbers
    }

    /// Whether any node has threads of several applications.
    #[getter]
    fn shared_nodes(&self) -> bool {
        self.answer.found.simplicity.mixed
    }

    /// Its quality, and whether a simpler one exists.
    #[getter]
    fn words(&self) -> String {
        self.answer.verdict()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "html")
    }

    fn __repr__(&self) -> String {
        let sure = if self.proven() { "proven" } else { "not proven" };
        format!("<Simplest within {}: loses {} of the best, {sure}>", self.within(), self.loss())
    }
}

/// The allocation with the fewest hardware threads in total that loses at most a given share of the best.
#[pyclass(frozen, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Fewest {
    pub(crate) answer: explored::Fewest,
    pub(crate) best: Py<ScenarioResult>,
    pub(crate) words: String,
}

#[pymethods]
impl Fewest {
    /// The allocation.
    #[getter]
    fn best(&self, py: Python<'_>) -> Py<ScenarioResult> {
        self.best.clone_ref(py)
    }

    /// Its hardware threads, summed over all applications.
    #[getter]
    fn threads(&self) -> u64 {
        self.answer.found.threads
    }

    /// The share of the best value that it may lose.
    #[getter]
    fn within(&self) -> f64 {
        self.answer.within
    }

    /// Its loss as a share of the best value; for `fair`, the largest loss at any position of the sorted p.
    #[getter]
    fn loss(&self) -> f64 {
        plain(self.answer.found.loss)
    }

    /// Whether no allocation with fewer threads loses as little.
    #[getter]
    fn proven(&self) -> bool {
        self.answer.found.proven
    }

    /// The verdict: its threads compared with those of the best, and whether that is proven.
    #[getter]
    fn words(&self) -> &str {
        &self.words
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "html")
    }

    fn __repr__(&self) -> String {
        let sure = if self.proven() { "proven" } else { "not proven" };
        format!(
            "<Fewest within {}: {} threads lose {} of the best, {sure}>",
            self.within(),
            self.threads(),
            self.loss()
        )
    }
}
