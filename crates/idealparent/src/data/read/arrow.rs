//! Parquet and Arrow IPC tables.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::columnar::Format;
use super::message::{drop_option, shorten, shorten_to};
use super::select::{Layout, Selection};
use super::{ReadOptions, ReadOutcome, assemble};
use crate::error::{Error, Result};

/// A binary table in memory.
struct Store<'a> {
    format: Format,
    bytes: Bytes,
    origin: &'a str,
}

/// Reads a binary table.
pub(super) fn read(
    format: Format,
    bytes: Vec<u8>,
    origin: &str,
    options: &ReadOptions,
) -> Result<ReadOutcome> {
    if format == Format::FeatherOne {
        let problem = "the first version of Feather is not read (write version 2, or Parquet)";
        return Err(Error::table(origin, problem));
    }
    let store = Store {
        format,
        bytes: bytes.into(),
        origin,
    };
    let schema = store.open(None)?.0;
    let header: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let index = index_columns(&schema);
    let label = label_column(&schema, &index, options);
    let row_names = store.row_names(label, options.transpose)?;
    let left_out: Vec<bool> = (0..header.len())
        .map(|column| Some(column) == label || (label.is_some() && index.contains(&column)))
        .collect();
    for (column, name) in header.iter().enumerate() {
        if name.trim().is_empty() && !left_out[column] {
            let problem = format!("column {} has no name (name it or delete it)", column + 1);
            return Err(Error::table(origin, problem));
        }
    }
    let selection = Selection::of(
        &Layout {
            origin,
            header_place: origin.to_string(),
            header: &header,
            label,
            left_out: &left_out,
            row_names: row_names.as_deref(),
            row_place: &|_| origin.to_string(),
        },
        options,
    )?;
    refuse_other_types(&schema, &selection, origin)?;
    let columns = store.numbers(&header, &selection)?;
    if columns.first().is_none_or(Vec::is_empty) {
        return Err(Error::table(origin, "no rows"));
    }
    let table = assemble(&header, row_names, &selection, columns, options.transpose)?;
    Ok(ReadOutcome {
        table,
        notes: Vec::new(),
    })
}

type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>;

impl Store<'_> {
    /// The schema of the whole table, and the batches of the columns asked for.
    fn open(&self, columns: Option<&[usize]>) -> Result<(SchemaRef, Batches)> {
        let projection = columns.map(<[usize]>::to_vec);
        let bytes = self.bytes.clone();
        let opened: std::result::Result<(SchemaRef, Batches), ArrowError> = match self.format {
            Format::Parquet => open_parquet(bytes, projection),
            Format::ArrowStream => open_stream(bytes, projection),
            // The extension promises a file, but streams carry the same ones.
            _ if !bytes.starts_with(b"ARROW1") => open_stream(bytes, projection),
            _ => FileReader::try_new(Cursor::new(bytes), projection)
                .map(|reader| (reader.schema(), Box::new(reader) as Batches)),
        };
        opened.map_err(|error| self.damaged(&error))
    }

    fn damaged(&self, error: &ArrowError) -> Error {
        let format = match self.format {
            Format::Parquet => "Parquet",
            _ => "Arrow",
        };
        let reason = shorten_to(&error.to_string(), 120);
        let problem = format!("damaged or unknown {format} data: {reason} (write it again)");
        Error::table(self.origin, problem)
    }

    /// The names of the rows; numbers for them where rows become variables.
    fn row_names(&self, label: Option<usize>, transpose: bool) -> Result<Option<Vec<String>>> {
        if label.is_none() && !transpose {
            return Ok(None);
        }
        let mut names = Vec::new();
        // Without row names the first column is read to know how many rows there are.
        for batch in self.open(Some(&[label.unwrap_or(0)]))?.1 {
            let batch = batch.map_err(|error| self.damaged(&error))?;
            if label.is_none() {
                let numbers = names.len() + 1..=names.len() + batch.num_rows();
                names.extend(numbers.map(|row| format!("R{row}")));
                continue;
            }
            let text =
                cast(batch.column(0), &DataType::Utf8).map_err(|error| self.damaged(&error))?;
            let cells = text.as_string::<i32>().iter();
            names.extend(cells.map(|cell| cell.unwrap_or_default().to_string()));
        }
        Ok(Some(names))
    }

    /// The selected columns and rows as doubles.
    fn numbers(&self, header: &[String], selection: &Selection) -> Result<Vec<Vec<f64>>> {
        let mut columns = vec![Vec::new(); selection.columns.len()];
        let mut start = 0;
        for batch in self.open(Some(&selection.columns))?.1 {
            let batch = batch.map_err(|error| self.damaged(&error))?;
            for (slot, array) in batch.columns().iter().enumerate() {
                let values = doubles(array).map_err(|error| self.damaged(&error))?;
                let rows = values.into_iter().enumerate();
                for (row, value) in rows.map(|(row, value)| (start + row, value)) {
                    if !selection.wants_row(row) {
                        continue;
                    }
                    if value.is_infinite() {
                        let name = shorten(&header[selection.columns[slot]]);
                        let fault = format!("column '{name}', row {}: infinite value", row + 1);
                        let problem = format!("{fault} (write a null for a missing value)");
                        return Err(Error::table(self.origin, problem));
                    }
                    columns[slot].push(value);
                }
            }
            start += batch.num_rows();
        }
        Ok(columns)
    }
}

fn open_parquet(
    bytes: Bytes,
    projection: Option<Vec<usize>>,
) -> std::result::Result<(SchemaRef, Batches), ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes)?;
    let schema = builder.schema().clone();
    let mask = match projection {
        Some(columns) => ProjectionMask::roots(builder.parquet_schema(), columns),
        None => ProjectionMask::all(),
    };
    let reader = builder.with_projection(mask).build()?;
    Ok((schema, Box::new(reader)))
}

fn open_stream(
    bytes: Bytes,
    projection: Option<Vec<usize>>,
) -> std::result::Result<(SchemaRef, Batches), ArrowError> {
    let reader = StreamReader::try_new(Cursor::new(bytes), projection)?;
    Ok((reader.schema(), Box::new(reader)))
}

/// The columns that pandas stored its index in.
fn index_columns(schema: &SchemaRef) -> Vec<usize> {
    let named = |name: &str| {
        schema
            .fields()
            .iter()
            .position(|field| field.name() == name)
    };
    let metadata = schema.metadata().get("pandas");
    let parsed = metadata.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    // An index that is a mere range is described by an object and stored nowhere.
    let listed = parsed
        .as_ref()
        .and_then(|value| value["index_columns"].as_array());
    let names = listed
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str());
    let mut columns: Vec<usize> = names.filter_map(named).collect();
    if columns.is_empty() {
        columns.extend(named("__index_level_0__"));
    }
    columns
}

/// The column that names the rows: the index of pandas, or a first column of text.
fn label_column(schema: &SchemaRef, index: &[usize], options: &ReadOptions) -> Option<usize> {
    let first = schema.fields().first()?;
    let is_text = matches!(
        first.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    let label = match (options.row_names, index.first()) {
        (Some(false), _) => None,
        (_, Some(&column)) => Some(column),
        (Some(true), None) => Some(0),
        (None, None) => {
            let is_label = is_text || first.name().trim().is_empty();
            (is_label && schema.fields().len() > 1).then_some(0)
        }
    };
    label.filter(|&column| !options.drop.contains(schema.field(column).name()))
}

/// Refuses columns that hold no numbers, all of them in one message.
fn refuse_other_types(schema: &SchemaRef, selection: &Selection, origin: &str) -> Result<()> {
    let types = selection.columns.iter().map(|&column| schema.field(column));
    let others: Vec<(&str, String)> = types
        .filter_map(|field| Some((field.name().as_str(), other_type(field.data_type())?)))
        .collect();
    let Some((name, kind)) = others.first() else {
        return Ok(());
    };
    let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
    let option = drop_option(&names);
    let remedy = match names.len() {
        1 => format!("leave it out with {option}"),
        count => format!("one of {count} such columns: leave them out with {option}"),
    };
    let fault = format!("column '{}' holds {kind}, not numbers", shorten(name));
    Err(Error::table(origin, format!("{fault} ({remedy})")))
}

/// What a type holds, if not numbers.
fn other_type(data_type: &DataType) -> Option<String> {
    use DataType::*;
    let kind = match data_type {
        Null | Boolean => return None,
        other if other.is_numeric() => return None,
        Utf8 | LargeUtf8 | Utf8View => "text",
        Dictionary(..) => "categories",
        Date32 | Date64 | Timestamp(..) => "dates",
        Time32(_) | Time64(_) | Duration(_) | Interval(_) => "times",
        other => return Some(format!("values of type {}", shorten(&other.to_string()))),
    };
    Some(kind.to_string())
}

/// The values of an array, NaN where there is none.
fn doubles(array: &ArrayRef) -> std::result::Result<Vec<f64>, ArrowError> {
    let data_type = array.data_type();
    if matches!(data_type, DataType::Null) {
        return Ok(vec![f64::NAN; array.len()]);
    }
    // By way of its digits a decimal becomes the nearest double; a division would round twice.
    let is_decimal = data_type.is_decimal();
    let array = if is_decimal {
        &cast(array, &DataType::Utf8)?
    } else {
        array
    };
    if is_decimal {
        let cells = array.as_string::<i32>().iter();
        return Ok(cells
            .map(|cell| {
                cell.and_then(|digits| digits.parse().ok())
                    .unwrap_or(f64::NAN)
            })
            .collect());
    }
    let array = cast(array, &DataType::Float64)?;
    let cells = array.as_primitive::<Float64Type>().iter();
    Ok(cells.map(|cell| cell.unwrap_or(f64::NAN)).collect())
}
