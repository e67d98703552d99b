//! Tables as columns by their names, for `numasim._columns`.

use std::collections::HashMap;

use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{self, plain};

/// Columns of one length.
pub(crate) struct Columns<'py>(Bound<'py, PyDict>);

impl<'py> Columns<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// Figures as the documents write them; NaN where there is none.
    pub(crate) fn figures(self, name: &str, values: impl Iterator<Item = Option<f64>>) -> PyResult<Self> {
        self.plain(name, values.map(|value| value.map_or(f64::NAN, plain)).collect())
    }

    /// Numbers that are always there.
    pub(crate) fn plain<T: Element>(self, name: &str, values: Vec<T>) -> PyResult<Self> {
        self.0.set_item(name, array::one(self.0.py(), values))?;
        Ok(self)
    }

    /// Words, of which each is kept once.
    pub(crate) fn words<W: AsRef<str>>(self, name: &str, words: impl Iterator<Item = W>) -> PyResult<Self> {
        let (mut known, mut each): (HashMap<String, i32>, Vec<String>) = (HashMap::new(), Vec::new());
        let codes = words.map(|word| {
            let word = word.as_ref();
            if let Some(&code) = known.get(word) {
                return code;
            }
            let next = array::code(each.len() as u64);
            known.insert(word.to_owned(), next);
            each.push(word.to_owned());
            next
        });
        let codes: Vec<i32> = codes.collect();
        self.0.set_item(name, coded(self.0.py(), codes, &each)?)?;
        Ok(self)
    }

    /// The object of Python.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        self.0.py().import("numasim._columns")?.getattr("Columns")?.call1((self.0,))
    }
}

/// A column of words: the code of each row, and what the codes stand for.
pub(crate) fn coded<'py, W: AsRef<str>>(
    py: Python<'py>,
    codes: Vec<i32>,
    words: &[W],
) -> PyResult<Bound<'py, PyAny>> {
    let words = PyList::new(py, words.iter().map(AsRef::as_ref))?;
    (array::one(py, codes), words).into_pyobject(py).map(Bound::into_any)
}
