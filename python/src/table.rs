//! The Python class of a table, made from arrays, Arrow streams or files.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_buffer::ScalarBuffer;
use idealparent::Column;
use idealparent::internal::{other_columns, table_from_arrow};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::buffer::AnyBufferProtocol;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{OrRaise, rendered};
use crate::options::read_options;

/// Named columns of numbers, NaN where a value is missing.
#[pyclass(frozen, module = "idealparent._native")]
pub struct Table {
    pub inner: Arc<idealparent::Table>,
}

impl From<idealparent::Table> for Table {
    fn from(table: idealparent::Table) -> Self {
        Table {
            inner: Arc::new(table),
        }
    }
}

/// The values of a C-contiguous array, without a copy. The buffer keeps the array alive. `None` if
/// the array is empty, not contiguous, or not of doubles.
fn shared_values(array: &Bound<'_, PyAny>) -> Option<ScalarBuffer<f64>> {
    let AnyBufferProtocol::Float64(buffer) = array.extract().ok()? else {
        return None;
    };
    if !buffer.is_c_contiguous() || buffer.item_count() == 0 {
        return None;
    }
    let count = buffer.item_count();
    let bytes = AnyBufferProtocol::Float64(buffer).into_arrow_buffer();
    Some(ScalarBuffer::new(bytes.ok()?, 0, count))
}

fn with_row_names(table: idealparent::Table, rows: Option<Vec<String>>) -> PyResult<Table> {
    Ok(match rows {
        None => table,
        Some(names) if names.len() == table.rows() => table.with_row_names(names),
        Some(_) => return Err(PyValueError::new_err("expected one name per row")),
    }
    .into())
}

#[pymethods]
impl Table {
    /// Makes a table from one array per column. Contiguous arrays are not copied.
    #[new]
    #[pyo3(signature = (names, columns, row_names=None))]
    fn new(
        names: Vec<String>,
        columns: Vec<PyReadonlyArray1<'_, f64>>,
        row_names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let column = |array: &PyReadonlyArray1<f64>| match shared_values(array.as_any()) {
            Some(values) => Column::lent(Arc::new(values)),
            None => array.as_array().to_vec().into(),
        };
        let columns = columns.iter().map(column).collect();
        with_row_names(
            idealparent::Table::new(names, columns).or_raise()?,
            row_names,
        )
    }

    /// Makes a table from a matrix, instances by variables. Not copied if it is in Fortran order.
    #[staticmethod]
    #[pyo3(signature = (names, matrix, row_names=None))]
    fn from_matrix(
        names: Vec<String>,
        matrix: PyReadonlyArray2<'_, f64>,
        row_names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let (rows, width) = (matrix.shape()[0], matrix.shape()[1]);
        let view = matrix.as_array();
        let column: Box<dyn Fn(usize) -> Column> = match shared_values(&matrix.getattr("T")?) {
            Some(values) => Box::new(move |j| Column::lent(Arc::new(values.slice(j * rows, rows)))),
            None => Box::new(|j| view.column(j).to_vec().into()),
        };
        let table = idealparent::Table::new(names, (0..width).map(column).collect());
        with_row_names(table.or_raise()?, row_names)
    }

    /// Makes a table from an Arrow stream, without the columns in `drop` and, if `needed` is given,
    /// without columns of text that it does not list. Also returns the names of all columns, and
    /// of the columns of text left out.
    #[staticmethod]
    fn from_arrow(
        py: Python<'_>,
        stream: AnyRecordBatch,
        mut drop: Vec<String>,
        needed: Option<Vec<String>>,
    ) -> PyResult<(Self, Vec<String>, Vec<String>)> {
        let reader = stream.into_reader()?;
        let schema = reader.schema();
        let batches: Result<Vec<RecordBatch>, _> = reader.collect();
        let batches = batches.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let ignored = needed.map_or_else(Vec::new, |needed| {
            let is_ignored = |name: &String| !needed.contains(name) && !drop.contains(name);
            let others = other_columns(&schema).into_iter();
            others.filter(is_ignored).collect()
        });
        drop.extend(ignored.iter().cloned());
        let table = py.detach(|| table_from_arrow(&schema, &batches, &drop));
        let names = schema.fields().iter().map(|field| field.name().clone());
        Ok((table.or_raise()?.into(), names.collect(), ignored))
    }

    /// Reads a table from a file. Also returns notes about it.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        words: Vec<(String, String)>,
        lists: Vec<(String, Vec<String>)>,
        needed: Option<Vec<String>>,
    ) -> PyResult<(Self, Vec<String>)> {
        let options = read_options(&words, &lists)?;
        let read = || match &needed {
            Some(needed) => options.read_path_for(&path, needed),
            None => idealparent::read_path(&path, &options),
        };
        let outcome = py.detach(read).or_raise()?;
        Ok((outcome.table.into(), rendered(&outcome.notes)))
    }

    /// One of the embedded tables.
    #[staticmethod]
    fn example(name: &str) -> PyResult<Self> {
        Ok(idealparent::example(name).or_raise()?.table().into())
    }

    /// A table of the given columns, in the order of this table.
    fn select(&self, names: Vec<String>) -> PyResult<Self> {
        for name in &names {
            if self.inner.index_of(name).is_none() {
                let problem = format!("the data have no column '{name}'");
                return Err(PyValueError::new_err(problem));
            }
        }
        let all = self.inner.names().iter().enumerate();
        let kept: Vec<usize> = all
            .filter(|(_, name)| names.contains(name))
            .map(|(column, _)| column)
            .collect();
        Ok(self.inner.select_columns(&kept).into())
    }

    /// The transposed table.
    fn transpose(&self) -> PyResult<Self> {
        Ok(self.inner.transpose().or_raise()?.into())
    }

    /// SHA-256 of the names and values.
    fn sha256(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.sha256())
    }

    /// The table as delimited text.
    fn to_text(&self, py: Python<'_>, separator: char) -> String {
        py.detach(|| self.inner.to_text(separator))
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().to_vec()
    }

    /// Names of the rows, if any.
    #[getter]
    fn row_names(&self) -> Option<Vec<String>> {
        self.inner.row_names().map(<[String]>::to_vec)
    }

    /// Numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.inner.rows(), self.inner.width())
    }

    /// Number of missing entries.
    #[getter]
    fn missing(&self) -> usize {
        self.inner.missing()
    }

    /// Copies of the columns as arrays.
    fn columns<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyArray1<f64>>> {
        let columns = self.inner.columns().iter();
        columns.map(|c| PyArray1::from_slice(py, c)).collect()
    }

    /// The table as bytes, for other processes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let head = serde_json::json!([
            self.inner.names(),
            self.inner.row_names(),
            self.inner.rows()
        ]);
        let head = head.to_string();
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head.as_bytes());
        for column in self.inner.columns() {
            bytes.extend(column.iter().flat_map(|value| value.to_le_bytes()));
        }
        PyBytes::new(py, &bytes)
    }

    /// Reads a table from the bytes of `to_bytes`.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let damaged = || PyValueError::new_err("these bytes are not a table");
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (head, values) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let (names, row_names, rows): (Vec<String>, Option<Vec<String>>, usize) =
            serde_json::from_slice(head).map_err(|_| damaged())?;
        let (values, rest) = values.as_chunks::<8>();
        if !rest.is_empty() || names.len().checked_mul(rows) != Some(values.len()) {
            return Err(damaged());
        }
        let column = |c: usize| {
            let own = &values[c * rows..(c + 1) * rows];
            own.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
        };
        let columns: Vec<Column> = (0..names.len()).map(column).collect();
        with_row_names(
            idealparent::Table::new(names, columns).or_raise()?,
            row_names,
        )
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let maker = py.get_type::<Table>().getattr("from_bytes")?;
        Ok((maker, (self.to_bytes(py),)))
    }
}
