//! Columns for Arrow, on the memory of NumPy: the C data interface in a `PyCapsule`, which pyarrow, polars and pandas take.

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
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Columns as one batch of an Arrow stream: arrays of one dimension are columns, those of two are lists of one length, pairs of codes and
/// words are dictionaries. Figures are not copied; who changes the arrays changes what Arrow shows.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for (name, column) in columns {
        let array = of(&column)?;
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

fn of(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
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

/// The same memory as an array of Arrow, which keeps the array of NumPy alive.
fn primitive<T: ArrowPrimitiveType>(array: &Bound<'_, PyArray1<T::Native>>) -> PyResult<PrimitiveArray<T>>
where
    T::Native: Element,
{
    let values = array.try_readonly().map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let values = values.as_slice().map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let (length, bytes) = (values.len(), std::mem::size_of_val(values));
    let start = NonNull::from(values).cast::<u8>();
    let owner = Arc::new(AssertUnwindSafe(array.clone().unbind()));
    // SAFETY: the memory is that of the array, contiguous and `bytes` long, and the array lives as long as its owner does; NumPy
    // refuses to resize an array that somebody refers to.
    let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, owner) };
    Ok(PrimitiveArray::new(ScalarBuffer::new(buffer, 0, length), None))
}
