//! Tables as columns by their names, for `numasim._columns`.

use std::borrow::Borrow;
use std::collections::HashMap;

use numasim_ask::table::{Cell, Column, Kind, Of, Table};
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
        let mut all = Words::default();
        words.for_each(|word| all.push(word.as_ref()));
        self.0.set_item(name, all.finish(self.0.py())?)?;
        Ok(self)
    }

    /// The object of Python.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        self.0.py().import("numasim._columns")?.getattr("Columns")?.call1((self.0,))
    }
}

/// A column of words: the code of each row, and what the codes stand for.
#[derive(Debug, Default)]
struct Words {
    codes: Vec<i32>,
    names: Vec<String>,
    known: HashMap<String, i32>,
}

impl Words {
    fn push(&mut self, word: &str) {
        let code = self.known.get(word).copied().unwrap_or_else(|| {
            let next = array::code(self.names.len() as u64);
            self.known.insert(word.to_owned(), next);
            self.names.push(word.to_owned());
            next
        });
        self.codes.push(code);
    }

    fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let words = PyList::new(py, self.names)?;
        (array::one(py, self.codes), words).into_pyobject(py).map(Bound::into_any)
    }
}

/// Tables that come one after the other, as columns.
#[derive(Debug)]
pub(crate) struct Gathered {
    columns: Vec<(String, Growing)>,
    rows: usize,
    nodes: usize,
}

/// The cells of one column.
#[derive(Debug)]
enum Growing {
    /// Numbers, NaN where there is none.
    Numbers(Vec<f64>),
    Counts(Vec<u64>),
    /// A row of counts for each node, zeros where there are none.
    PerNode(Vec<u32>),
    Words(Words),
}

impl Gathered {
    /// Nothing yet, of a machine with so many nodes.
    pub(crate) fn new<'c>(columns: impl IntoIterator<Item = &'c Column>, nodes: usize) -> Self {
        let growing = |column: &Column| match column.kind {
            Kind::Number | Kind::Whole => Growing::Numbers(Vec::new()),
            Kind::Count => Growing::Counts(Vec::new()),
            Kind::PerNode => Growing::PerNode(Vec::new()),
            Kind::Text | Kind::Nodes | Kind::Words => Growing::Words(Words::default()),
        };
        let columns = columns.into_iter().map(|column| (column.key(), growing(column))).collect();
        Self { columns, rows: 0, nodes }
    }

    /// Takes the rows of a table with these columns.
    pub(crate) fn add(&mut self, table: &Table) {
        table.rows().for_each(|row| self.push(row.iter()));
    }

    fn push<'a>(&mut self, row: impl Iterator<Item = impl Borrow<Cell<'a>>>) {
        self.rows += 1;
        for ((_, column), cell) in self.columns.iter_mut().zip(row) {
            match (column, cell.borrow()) {
                (Growing::Numbers(numbers), Cell::Number(number)) => numbers.push(plain(*number)),
                (Growing::Numbers(numbers), Cell::Whole(number)) => numbers.push(*number as f64),
                (Growing::Numbers(numbers), _) => numbers.push(f64::NAN),
                (Growing::Counts(counts), Cell::Whole(count)) => counts.push(*count),
                (Growing::Counts(counts), _) => counts.push(0),
                (Growing::PerNode(counts), Cell::Wholes(each)) => counts.extend_from_slice(each),
                (Growing::PerNode(counts), _) => counts.extend(std::iter::repeat_n(0, self.nodes)),
                (Growing::Words(words), Cell::Text(text)) => words.push(text),
                (Growing::Words(words), cell) => words.push(&cell.to_string()),
            }
        }
    }

    /// Columns by their names, each an array, or the codes and the words of its rows.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let all = PyDict::new(py);
        for (name, column) in self.columns {
            match column {
                Growing::Numbers(numbers) => all.set_item(name, array::one(py, numbers))?,
                Growing::Counts(counts) => all.set_item(name, array::one(py, counts))?,
                Growing::PerNode(counts) => {
                    all.set_item(name, array::two(py, self.rows, self.nodes, counts)?)?;
                }
                Growing::Words(words) => all.set_item(name, words.finish(py)?)?,
            }
        }
        Ok(all)
    }
}

/// Rows with the columns that the command line writes, as an object of Python.
pub(crate) fn of<'py, 'a, R: 'a>(
    py: Python<'py>,
    declared: &[Of<'a, R>],
    rows: impl IntoIterator<Item = R>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut gathered = Gathered::new(declared.iter().map(Of::column), 0);
    rows.into_iter().for_each(|row| gathered.push(declared.iter().map(|of| of.cell(&row))));
    Columns(gathered.finish(py)?).finish()
}
