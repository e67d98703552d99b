//! Tables as named columns, for `numasim._columns`.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, PrimitiveArray, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use numasim_ask::table::{Cell, Column, Kind, Of, Table};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

/// Columns of one length.
pub(crate) struct Columns<'py>(Bound<'py, PyDict>);

impl<'py> Columns<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// Numbers as the documents write them; NaN if a value is missing.
    pub(crate) fn figures(self, name: &str, values: impl Iterator<Item = Option<f64>>) -> PyResult<Self> {
        self.plain(name, values.map(|value| value.map_or(f64::NAN, plain)).collect())
    }

    /// Numbers that are always present.
    pub(crate) fn plain<T: Element>(self, name: &str, values: Vec<T>) -> PyResult<Self> {
        self.0.set_item(name, one(self.0.py(), values))?;
        Ok(self)
    }

    /// Words; each distinct word is stored once.
    pub(crate) fn words<W: AsRef<str>>(self, name: &str, words: impl Iterator<Item = W>) -> PyResult<Self> {
        let mut all = Words::default();
        words.for_each(|word| all.push(word.as_ref()));
        self.0.set_item(name, all.finish(self.0.py())?)?;
        Ok(self)
    }

    /// The Python object.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        self.0.py().import("numasim._columns")?.getattr("Columns")?.call1((self.0,))
    }
}

/// A column of words: the code of each row, and the word for each code.
#[derive(Debug, Default)]
struct Words {
    codes: Vec<i32>,
    names: Vec<String>,
    known: HashMap<String, i32>,
}

impl Words {
    fn push(&mut self, word: &str) {
        let code = self.known.get(word).copied().unwrap_or_else(|| {
            let next = code(self.names.len() as u64);
            self.known.insert(word.to_owned(), next);
            self.names.push(word.to_owned());
            next
        });
        self.codes.push(code);
    }

    fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let words = PyList::new(py, self.names)?;
        (one(py, self.codes), words).into_pyobject(py).map(Bound::into_any)
    }
}

/// Consecutive tables as columns.
#[derive(Debug)]
pub(crate) struct Gathered {
    columns: Vec<(String, Growing)>,
    rows: usize,
    nodes: usize,
}

/// The cells of one column.
#[derive(Debug)]
enum Growing {
    /// Numbers; NaN if a value is missing.
    Numbers(Vec<f64>),
    Counts(Vec<u64>),
    /// One row of counts for each node; zeros if there are no counts.
    PerNode(Vec<u32>),
    Words(Words),
}

impl Gathered {
    /// An empty set of columns for a machine with this number of nodes.
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

    /// Adds the rows of a table with these columns.
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

    /// Columns by name: each an array, or the codes and words of its rows.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let all = PyDict::new(py);
        for (name, column) in self.columns {
            match column {
                Growing::Numbers(numbers) => all.set_item(name, one(py, numbers))?,
                Growing::Counts(counts) => all.set_item(name, one(py, counts))?,
                Growing::PerNode(counts) => {
                    all.set_item(name, two(py, self.rows, counts.len() / self.rows.max(1), counts)?)?;
                }
                Growing::Words(words) => all.set_item(name, words.finish(py)?)?,
            }
        }
        Ok(all)
    }
}

/// Rows with the columns of the command line, as a Python object.
pub(crate) fn of<'py, 'a, R: 'a>(
    py: Python<'py>,
    declared: &[Of<'a, R>],
    rows: impl IntoIterator<Item = R>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut gathered = Gathered::new(declared.iter().map(Of::column), 0);
    rows.into_iter().for_each(|row| gathered.push(declared.iter().map(|of| of.cell(&row))));
    Columns(gathered.finish(py)?).finish()
}

// NumPy arrays that take over the memory of a `Vec`.

/// One number for each item.
pub(crate) fn one<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}

/// Consecutive rows of equal length.
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

/// The index of a word in a list of far fewer than 2^31 words: values of an axis, scenarios, applications.
#[allow(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn code(number: u64) -> i32 {
    number as i32
}

/// Follows the number format of the documents: a negative zero becomes zero.
pub(crate) fn plain(value: f64) -> f64 {
    value + 0.0
}

// Columns for Arrow in the memory of NumPy: the C data interface in a `PyCapsule`, which pyarrow, polars and pandas
// accept.

/// Columns as one batch of an Arrow stream. One-dimensional arrays become columns, two-dimensional arrays become lists of one length, and
/// pairs of codes and words become dictionaries. Numbers are not copied: a change to an array also changes the Arrow data.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for (name, column) in columns {
        let array = in_arrow(&column)?;
        fields.push(Field::new(name, array_type(&array), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| refused(&error))?;
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn array_type(array: &ArrayRef) -> DataType {
    arrow_array::Array::data_type(array.as_ref()).clone()
}

fn refused(error: &ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}

fn in_arrow(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if let Ok((codes, words)) = column.extract::<(Bound<'_, PyArray1<i32>>, Vec<String>)>() {
        let words = Arc::new(StringArray::from(words));
        let array = DictionaryArray::<Int32Type>::try_new(primitive(&codes)?, words);
        return Ok(Arc::new(array.map_err(|error| refused(&error))?));
    }
    if let Ok(array) = column.cast::<PyArray1<f64>>() {
        return Ok(Arc::new(primitive::<Float64Type>(array)?));
    }
    if let Ok(array) = column.cast::<PyArray1<u32>>() {
        return Ok(Arc::new(primitive::<UInt32Type>(array)?));
    }
    if let Ok(array) = column.cast::<PyArray1<u64>>() {
        return Ok(Arc::new(primitive::<UInt64Type>(array)?));
    }
    if let Ok(array) = column.cast::<PyArray2<u32>>() {
        let length =
            i32::try_from(array.shape()[1]).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        let item = Arc::new(Field::new("item", DataType::UInt32, true));
        let flat: Bound<'_, PyArray1<u32>> = array.reshape([array.len()])?;
        let cells = Arc::new(primitive::<UInt32Type>(&flat)?);
        let list = FixedSizeListArray::try_new(item, length, cells, None);
        return Ok(Arc::new(list.map_err(|error| refused(&error))?));
    }
    Err(PyTypeError::new_err(format!("a column of {} is none of numasim", column.get_type().name()?)))
}

/// The same memory as an Arrow array, which keeps the NumPy array alive.
fn primitive<T: ArrowPrimitiveType>(array: &Bound<'_, PyArray1<T::Native>>) -> PyResult<PrimitiveArray<T>>
where
    T::Native: Element,
{
    let values = array.try_readonly().map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let values = values.as_slice().map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let (length, bytes) = (values.len(), std::mem::size_of_val(values));
    let start = NonNull::from(values).cast::<u8>();
    let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
    // SAFETY: the memory is that of the array, contiguous and `bytes` long. The array lives as long as its owner, and NumPy
    // refuses to resize an array that has references.
    let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, owner) };
    Ok(PrimitiveArray::new(ScalarBuffer::new(buffer, 0, length), None))
}
