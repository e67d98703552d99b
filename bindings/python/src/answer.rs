//! The base of all answers: document, table, picture, and presentation in Python.

use std::fmt::Debug;
use std::sync::Arc;

use pyo3::prelude::*;

/// An answer of the command line, for the methods that all classes of answers have.
pub(crate) trait Answered: Debug + Send + Sync {
    /// The document of the command line.
    fn json(&self) -> String;

    /// The table as a Python object.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;

    /// The picture that the command line draws of it; None if it draws none.
    fn svg(&self) -> Option<String> {
        None
    }
}

/// The base class of all answers. An object is made of what its class adds, and of this: `Py::new(py, (own, Answer(answer)))`.
#[pyclass(frozen, subclass, module = "numasim._core")]
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) Arc<dyn Answered>);

#[pymethods]
impl Answer {
    /// The answer as a table, which needs NumPy alone: that of `--format csv`. An exploration has a row for each allocation; several machines have no
    /// threads in it.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.columns(py)
    }

    /// The same as a data frame of pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "frame")
    }

    /// The document that the command line writes with `--format json`.
    fn to_json(&self) -> String {
        self.0.json()
    }

    /// The same document as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Every number is identical to the last bit.
        py.import("json")?.getattr("loads")?.call1((self.0.json(),))
    }

    /// A picture: a figure of matplotlib, or a `Picture` without it. `backend`: `"matplotlib"` or `"svg"` instead.
    #[pyo3(signature = (backend=None))]
    fn plot<'py>(slf: &Bound<'py, Self>, backend: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("numasim._plot")?.getattr("plot")?.call1((slf, backend))
    }

    /// The picture of the command line; None if it draws none.
    fn _svg(&self) -> Option<String> {
        self.0.svg()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "html")
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        shown(slf.as_any(), "text")
    }
}

/// The presentation of a result by `numasim._shown`.
pub(crate) fn shown<'py>(result: &Bound<'py, PyAny>, by: &str) -> PyResult<Bound<'py, PyAny>> {
    result.py().import("numasim._shown")?.getattr(by)?.call1((result,))
}
