//! Arrays of NumPy that take over the memory of a `Vec`.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// One figure for each of several things.
pub(crate) fn one<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}

/// Rows of equal length, one after the other.
///
/// # Errors
/// The values do not fill `rows` rows of `columns`.
pub(crate) fn two<T: Element>(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    values: Vec<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// The number of a word among others, which are far below 2^31: values of an axis, scenarios, applications.
#[allow(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn code(number: u64) -> i32 {
    number as i32
}

/// As the documents write a number: a negative zero is zero.
pub(crate) fn plain(value: f64) -> f64 {
    value + 0.0
}
