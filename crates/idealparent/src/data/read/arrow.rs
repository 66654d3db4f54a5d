//! Parquet and Arrow IPC tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use super::columnar::Format;
use super::message::{drop_option, shorten};
use super::select::{Layout, Selection};
use super::survey::{are_distinct, note_labels};
use super::{Needed, ReadOptions, ReadOutcome, assemble, note_ignored};
use crate::data::{Column, Table};
use crate::error::{Error, Message, Result, quoted};

mod guard;
mod ipc;
mod store;
mod values;

pub(super) use guard::is_decoding;
use store::Store;
use values::{doubles, texts};

/// Reads a binary table.
pub(super) fn read(
    format: Format,
    bytes: Vec<u8>,
    origin: &str,
    options: &ReadOptions,
    needed: Needed,
) -> Result<ReadOutcome> {
    if format == Format::FeatherOne {
        let problem = "Feather version 1 is not supported (write version 2 or Parquet)";
        return Err(Error::table(origin, problem));
    }
    let store = Store::new(format, bytes, origin);
    let schema = store.schema()?;
    let header: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    if header.is_empty() {
        return Err(Error::table(origin, "the table has no columns"));
    }
    let index = index_columns(&schema);
    let (label, row_names) = row_names(&store, &schema, &index, options)?;
    let left_out: Vec<bool> = (0..header.len())
        .map(|column| Some(column) == label || (label.is_some() && index.contains(&column)))
        .collect();
    for (column, name) in header.iter().enumerate() {
        if name.trim().is_empty() && !left_out[column] {
            let problem = format!("column {} has no name (name it or delete it)", column + 1);
            return Err(Error::table(origin, problem));
        }
    }
    let mut selection = Selection::of(
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
    let mut ignored = Vec::new();
    if let Some(needed) = needed {
        let is_kept = |&column: &usize| {
            let field = schema.field(column);
            needed.contains(field.name().as_str()) || other_type(field.data_type()).is_none()
        };
        if selection.columns.iter().any(is_kept) {
            let others = selection.columns.iter().filter(|column| !is_kept(column));
            ignored = others.map(|&column| header[column].clone()).collect();
            selection.columns.retain(is_kept);
        }
    }
    check_types(&schema, &selection, origin)?;
    let columns = numbers(
        &store,
        &header,
        &selection,
        row_names.as_ref().map(Vec::len),
    )?;
    if columns.first().is_none_or(Vec::is_empty) {
        return Err(Error::table(origin, "no rows"));
    }
    let table = assemble(&header, row_names, &selection, columns, options.transpose)?;
    let is_guess = is_guessed_label(&schema, &index, options) && !options.transpose;
    let guess = label.filter(|_| is_guess);
    let mut notes: Vec<Message> = guess
        .map(|column| note_labels(&header[column]))
        .into_iter()
        .collect();
    notes.extend(note_ignored(&ignored));
    Ok(ReadOutcome { table, notes })
}

/// Names of the columns that do not hold numbers.
pub fn other_columns(schema: &SchemaRef) -> Vec<String> {
    let fields = schema.fields().iter();
    let others = fields.filter(|field| other_type(field.data_type()).is_some());
    others.map(|field| field.name().clone()).collect()
}

/// Builds a table from Arrow record batches. Columns whose names are in `drop` are left out.
///
/// A column of doubles without nulls is not copied if there is only one batch.
pub fn table_from_arrow(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    drop: &[String],
) -> Result<Table> {
    let fields = schema.fields().iter().enumerate();
    let kept: Vec<(usize, String)> = fields
        .map(|(column, field)| (column, field.name().clone()))
        .filter(|(_, name)| !drop.contains(name))
        .collect();
    let values = |(column, name): &(usize, String)| -> Result<Column> {
        let shown = quoted(name);
        if let Some(kind) = other_type(schema.field(*column).data_type()) {
            let problem = format!("column {shown} holds {kind}, not numbers (leave it out)");
            return Err(Error::data(problem));
        }
        if let [batch] = batches
            && let Some(doubles) = batch.column(*column).as_primitive_opt::<Float64Type>()
            && doubles.null_count() == 0
        {
            return Ok(Column::lent(Arc::new(doubles.values().clone())));
        }
        let mut values = Vec::new();
        for batch in batches {
            let some = doubles(batch.column(*column))
                .map_err(|error| Error::data(format!("column {shown}: {error}")))?;
            values.extend(some);
        }
        Ok(values.into())
    };
    let columns: Result<Vec<Column>> = kept.iter().map(values).collect();
    Table::new(kept.into_iter().map(|(_, name)| name).collect(), columns?)
}

/// The column with the row names, and the names: those of this column or, if the table is
/// transposed, `R1`, `R2`, … .
fn row_names(
    store: &Store,
    schema: &SchemaRef,
    index: &[usize],
    options: &ReadOptions,
) -> Result<(Option<usize>, Option<Vec<String>>)> {
    if let Some(label) = label_column(schema, index, options) {
        let names = store.batches(&[label], |batch| texts(batch.column(0)))?;
        let names = names.concat();
        let is_guess = is_guessed_label(schema, index, options) && !options.transpose;
        if !is_guess || are_distinct(&names) {
            return Ok((Some(label), Some(names)));
        }
    }
    if !options.transpose {
        return Ok((None, None));
    }
    // Any column has the number of rows.
    let rows = store.batches(&[0], |batch| Ok(batch.num_rows()))?;
    let rows: usize = rows.iter().sum();
    Ok((
        None,
        Some((1..=rows).map(|row| format!("R{row}")).collect()),
    ))
}

/// The selected columns and rows as doubles. `named` is the number of row names, if there are any;
/// all columns must have the same length.
fn numbers(
    store: &Store,
    header: &[String],
    selection: &Selection,
    named: Option<usize>,
) -> Result<Vec<Vec<f64>>> {
    let batches = store.batches(&selection.columns, |batch| {
        batch
            .columns()
            .iter()
            .map(doubles)
            .collect::<std::result::Result<Vec<_>, _>>()
    })?;
    // Columns are decoded separately and may differ in length if the file is damaged.
    let rows = |slot: usize| batches.iter().map(|batch| batch[slot].len()).sum::<usize>();
    let mut lengths = (0..selection.columns.len()).map(rows).chain(named);
    let first = lengths.next();
    if lengths.any(|length| Some(length) != first) {
        return Err(store.damaged("its columns differ in length"));
    }
    let join = |slot: usize| {
        let mut column = Vec::new();
        let cells = batches.iter().flat_map(|batch| &batch[slot]);
        for (row, &value) in cells
            .enumerate()
            .filter(|(row, _)| selection.wants_row(*row))
        {
            if value.is_infinite() {
                let name = shorten(&header[selection.columns[slot]]);
                let fault = format!("column '{name}', row {}: infinite value", row + 1);
                let problem = format!("{fault} (write a null for a missing value)");
                return Err(Error::table(store.origin, problem));
            }
            column.push(value);
        }
        Ok(column)
    };
    (0..selection.columns.len()).map(join).collect()
}

/// The columns in which pandas stored its index.
fn index_columns(schema: &SchemaRef) -> Vec<usize> {
    let named = |name: &str| {
        schema
            .fields()
            .iter()
            .position(|field| field.name() == name)
    };
    let metadata = schema.metadata().get("pandas");
    let parsed = metadata.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    // A range index is described by an object and is not stored as a column.
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

/// The column with the row names: the index of pandas, or else the first column if it holds text or
/// has no name.
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

/// Whether only the text in the first column, which has a heading, suggests that it holds row names.
fn is_guessed_label(schema: &SchemaRef, index: &[usize], options: &ReadOptions) -> bool {
    let first = schema.fields().first();
    let has_heading = first.is_some_and(|field| !field.name().trim().is_empty());
    options.row_names.is_none() && index.is_empty() && has_heading
}

/// Returns an error that lists all selected columns that are not numeric.
fn check_types(schema: &SchemaRef, selection: &Selection, origin: &str) -> Result<()> {
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

/// The word for the values of a type in messages; `None` if they are numbers.
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
