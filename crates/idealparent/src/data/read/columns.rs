//! The second pass over a text table: reads the numbers into columns.

use super::Needed;
use super::cell::{Cell, is_decimal_comma, is_grouped};
use super::delimiter::separators_in;
use super::message::{drop_option, shorten};
use super::select::Selection;
use super::source::Source;
use super::survey::Survey;
use crate::error::{Error, Result, option_value};

/// A column while it is being read.
#[derive(Default)]
struct Column {
    values: Vec<f64>,
    /// Number of cells that are finite numbers.
    numbers: usize,
    /// Number of cells that are text.
    words: usize,
    /// The first invalid cell: the byte offset of its record, its kind, and its text.
    first_invalid: Option<(usize, Cell, String)>,
}

impl Column {
    fn push(&mut self, text: &str, offset: usize) {
        let value = match Cell::parse(text) {
            Cell::Number(value) => {
                self.numbers += 1;
                value
            }
            Cell::Missing => f64::NAN,
            cell @ (Cell::Infinite | Cell::Text) => {
                self.words += usize::from(cell == Cell::Text);
                let first = || (offset, cell, shorten(text.trim()));
                self.first_invalid.get_or_insert_with(first);
                f64::NAN
            }
        };
        self.values.push(value);
    }

    /// Whether the first invalid cell is a number with a decimal comma.
    fn has_decimal_commas(&self) -> bool {
        matches!(&self.first_invalid, Some((_, Cell::Text, text)) if is_decimal_comma(text))
    }

    /// Whether text is more frequent than numbers, which means that the column is probably not
    /// meant to be numeric.
    fn is_text(&self) -> bool {
        self.words > self.numbers
    }
}

/// Reads the selected columns and rows. Returns an error for the first cell of a needed column that
/// is neither a finite number nor missing. Other columns of text are removed from the selection;
/// their names are returned.
pub(super) fn read(
    source: &Source,
    survey: &Survey,
    selection: &mut Selection,
    needed: Needed,
) -> Result<(Vec<Vec<f64>>, Vec<String>)> {
    let mut columns: Vec<Column> = Vec::new();
    columns.resize_with(selection.columns.len(), Column::default);
    let mut body = source.body(survey.is_pcl)?;
    let mut row = 0;
    while let Some((offset, record)) = body.next()? {
        survey.check_width(source, offset, record)?;
        if selection.wants_row(row) {
            for (column, &field) in columns.iter_mut().zip(&selection.columns) {
                column.push(&record[field], offset);
            }
        }
        row += 1;
    }
    let mut ignored = Vec::new();
    if let Some(needed) = needed {
        let name = |field: usize| survey.header[field].as_str();
        let pairs = std::mem::take(&mut columns)
            .into_iter()
            .zip(&selection.columns);
        let (kept, text): (Vec<_>, Vec<_>) =
            pairs.partition(|(column, field)| !column.is_text() || needed.contains(name(**field)));
        // A table that consists of text alone is an error, as it is without a network.
        let (kept, text) = if kept.is_empty() {
            (text, kept)
        } else {
            (kept, text)
        };
        ignored = text
            .iter()
            .map(|(_, field)| name(**field).to_string())
            .collect();
        let fields: Vec<usize> = kept.iter().map(|(_, field)| **field).collect();
        columns = kept.into_iter().map(|(column, _)| column).collect();
        selection.columns = fields;
    }
    // The first invalid cell by line, then by column.
    let invalid = columns.iter().enumerate();
    let invalid =
        invalid.filter_map(|(index, column)| Some((index, column.first_invalid.as_ref()?)));
    match invalid.min_by_key(|(index, (offset, ..))| (*offset, *index)) {
        None => {
            let values = columns.into_iter().map(|column| column.values);
            Ok((values.collect(), ignored))
        }
        Some((index, &(offset, cell, ref text))) => {
            let names: Vec<&str> = selection
                .columns
                .iter()
                .map(|&field| survey.header[field].as_str())
                .collect();
            let problem = describe((cell, text), index, &names, &columns, survey);
            Err(Error::table(source.place(offset), problem))
        }
    }
}

/// Whether the only text of the columns is one whole line: units, or a header below a title.
fn is_line_of_text(columns: &[Column]) -> bool {
    let line = |column: &Column| column.first_invalid.as_ref().map(|(offset, ..)| *offset);
    let first = columns.first().and_then(line);
    let is_single = |column: &Column| column.words == 1 && column.numbers > 1;
    columns.len() > 1
        && columns
            .iter()
            .all(|column| is_single(column) && line(column) == first)
}

/// The message for an invalid cell: what is wrong, and what to do about it.
fn describe(
    (cell, text): (Cell, &str),
    index: usize,
    names: &[&str],
    columns: &[Column],
    survey: &Survey,
) -> String {
    let remedy = "leave it empty or write NA for a missing value";
    let place = format!("column '{}'", shorten(names[index]));
    if cell == Cell::Infinite {
        let is_number = text.contains(|c: char| c.is_ascii_digit());
        let what = if is_number {
            "too large"
        } else {
            "an infinite value"
        };
        return format!("{place}: '{text}' is {what} ({remedy})");
    }
    let fault = format!("{place}: '{text}' is not a number");
    if is_grouped(text) {
        let (point, whole) = (text.replace(',', "."), text.replace(',', ""));
        return format!(
            "{fault} (a decimal comma or a thousands separator? write {point} or {whole})"
        );
    }
    if is_line_of_text(columns) {
        return format!(
            "{fault} (the whole line is text: delete it, or if it is the header, the lines above it)"
        );
    }
    if !columns[index].is_text() {
        return format!("{fault} ({remedy})");
    }
    if let ([_], Some(&separator)) = (
        survey.header.as_slice(),
        separators_in(&survey.header[0]).first(),
    ) {
        let (what, word) = match separator {
            b'\t' => ("a tab", "tab"),
            b' ' => ("a space", "space"),
            b',' => ("a comma", "comma"),
            _ => ("a semicolon", "semicolon"),
        };
        let delimiter = option_value("delimiter", word);
        return format!("{fault} (is the delimiter {what}? then use {delimiter})");
    }
    if is_decimal_comma(text) {
        return format!("{fault} (a decimal comma? write numbers with a point, as in 1.5)");
    }
    let texts: Vec<&str> = names
        .iter()
        .zip(columns)
        .filter(|(_, column)| column.is_text() && !column.has_decimal_commas())
        .map(|(name, _)| *name)
        .collect();
    match texts.as_slice() {
        [only] if survey.labels_repeat && *only == survey.header[0] => format!(
            "{fault} (a text column? leave it out with {}; if it holds row names, use {})",
            drop_option(&[only]),
            option_value("row_names", "yes")
        ),
        [only] => format!(
            "{fault} (a text column? leave it out with {})",
            drop_option(&[only])
        ),
        several => format!(
            "{fault} (one of {} text columns? leave them out with {})",
            several.len(),
            drop_option(several)
        ),
    }
}
