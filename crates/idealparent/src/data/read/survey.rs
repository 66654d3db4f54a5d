//! The first pass over a text table: its header, its shape and its row names.

use std::collections::HashSet;

use csv::StringRecord;

use super::cell::{Cell, is_decimal_comma};
use super::message::shorten;
use super::source::Source;
use super::{ReadOptions, pcl};
use crate::error::{Error, Message, Result, option_value, quoted};

/// Header, row names and layout of a table, determined before the numbers are read.
pub(super) struct Survey {
    /// Column names, one per field of a row.
    pub(super) header: Vec<String>,
    /// Line number of the header.
    pub(super) header_line: usize,
    /// Number of fields in the header line: one fewer than columns if the column of row names has
    /// no heading.
    written: usize,
    /// The column that holds the row names.
    pub(super) label: Option<usize>,
    /// The row names, if there are any.
    pub(super) row_names: Option<Vec<String>>,
    /// Whether the first column would hold the row names if its words did not repeat.
    pub(super) labels_repeat: bool,
    /// Byte offset of each row that was read in this pass.
    pub(super) offsets: Vec<usize>,
    /// Whether this is a PCL or CDT table.
    pub(super) is_pcl: bool,
    /// Columns that cannot be variables.
    pub(super) left_out: Vec<bool>,
    /// Notes for the user.
    pub(super) notes: Vec<Message>,
}

/// Information from the rows about the meaning of some columns.
struct Findings {
    /// The cells of the column that may hold the row names.
    labels: Vec<String>,
    /// Byte offset of each row.
    offsets: Vec<usize>,
    /// Whether one of the labels is a number.
    number: bool,
    /// Whether one of the labels is neither missing nor a number.
    word: bool,
    /// The first of the unnamed columns at the end that holds a value.
    used: Option<usize>,
}

impl Survey {
    /// Reads the header and as many rows as are needed to interpret the columns.
    pub(super) fn take(source: &Source, options: &ReadOptions) -> Result<Survey> {
        let mut survey = Survey::head(source, options)?;
        let candidate = match options.row_names {
            Some(false) => None,
            _ if survey.is_pcl => pcl::id_column(&survey.header),
            _ => Some(0),
        };
        let undecided =
            options.row_names.is_none() && !survey.is_pcl && !survey.header[0].trim().is_empty();
        let brief = !options.transpose && (undecided || candidate.is_none());
        let findings = survey.look(source, candidate, brief)?;

        let mut label = candidate.filter(|&column| {
            let name = &survey.header[column];
            let is_dropped = !name.is_empty() && options.drop.contains(name);
            !is_dropped && (!undecided || survey.are_labels(&findings, options))
        });
        // A column of repeated words describes groups of rows. Names of variables must be distinct
        // too, but there the repeated name is the mistake.
        if undecided && !options.transpose && label.is_some() && !are_distinct(&findings.labels) {
            survey.labels_repeat = true;
            label = None;
        }
        let is_header_doubtful =
            label == Some(0) && !options.transpose && are_values(&survey.header[1..]);
        if label.is_some() && undecided && !findings.word {
            survey.notes.push(
                format!(
                    "the first column, '{}', holds no values and was read as row names (with {} it is a variable)",
                    shorten(&survey.header[0]),
                    option_value("row_names", "no")
                )
                .into(),
            );
        } else if label.is_some() && undecided && !options.transpose && !is_header_doubtful {
            survey.notes.push(note_labels(&survey.header[0]));
        }
        if is_header_doubtful {
            survey.notes.push(
                format!(
                    "line {} was read as the header, although all fields after '{}' are numbers",
                    survey.header_line,
                    shorten(&survey.header[0])
                )
                .into(),
            );
        }
        survey.leave_out(source, label, findings.used)?;
        if label.is_some() {
            survey.row_names = Some(findings.labels);
        } else if options.transpose {
            // Names are assigned before rows are selected, so that a row keeps its number.
            let rows = 1..=findings.offsets.len();
            survey.row_names = Some(rows.map(|row| format!("R{row}")).collect());
        }
        survey.label = label;
        survey.offsets = findings.offsets;
        Ok(survey)
    }

    /// Reads the header and adjusts it to the number of fields in the first row.
    fn head(source: &Source, options: &ReadOptions) -> Result<Survey> {
        let mut records = source.records();
        let Some((offset, record)) = records.next()? else {
            let problem = "the table is empty (expected a header line and rows of numbers)";
            return Err(Error::table(source.origin, problem));
        };
        let mut header: Vec<String> = record.iter().map(str::to_string).collect();
        let header_line = source.line(offset);
        let written = header.len();

        let first_cell = records.next()?.map(|(_, row)| row[0].to_string());
        drop(records);
        let is_pcl = pcl::is_pcl(&source.extension, &header, &first_cell.unwrap_or_default());
        let mut body = source.body(is_pcl)?;
        let Some((_, row)) = body.next()? else {
            let problem = "no rows below the header".to_string() + unclosed_quote_hint(&header);
            return Err(Error::table(source.origin, problem));
        };
        if row.len() == written + 1 {
            if ends_blank(row) && every_row_ends_blank(source, is_pcl)? {
                header.push(String::new());
            } else if options.row_names != Some(false) {
                header.insert(0, String::new());
            }
        }
        let mut notes = Vec::new();
        let is_number = |name: &String| matches!(Cell::parse(name), Cell::Number(_));
        if header.iter().all(is_number) {
            notes.push(
                format!(
                    "line {header_line} was read as the header, although all its fields are numbers"
                )
                .into(),
            );
        }
        Ok(Survey {
            left_out: vec![false; header.len()],
            header,
            header_line,
            written,
            label: None,
            row_names: None,
            labels_repeat: false,
            offsets: Vec::new(),
            is_pcl,
            notes,
        })
    }

    /// Reads the rows; if `brief`, only until it is clear that they have no names.
    fn look(&self, source: &Source, candidate: Option<usize>, brief: bool) -> Result<Findings> {
        let tail = self.unnamed_tail();
        let brief = brief && tail == self.header.len();
        let mut findings = Findings {
            labels: Vec::new(),
            offsets: Vec::new(),
            number: false,
            word: false,
            used: None,
        };
        let mut body = source.body(self.is_pcl)?;
        while let Some((offset, row)) = body.next()? {
            self.check_width(source, offset, row)?;
            if let Some(label) = candidate.map(|column| &row[column]) {
                match Cell::parse(label) {
                    Cell::Number(_) => findings.number = true,
                    // Meant as a number; the error is reported when the column is read.
                    Cell::Text if is_decimal_comma(label) => findings.number = true,
                    Cell::Missing => {}
                    Cell::Infinite | Cell::Text => findings.word = true,
                }
                findings.labels.push(label.to_string());
            }
            findings.offsets.push(offset);
            if brief && (findings.number || candidate.is_none()) {
                break;
            }
            let end = findings.used.unwrap_or(self.header.len());
            findings.used = (tail..end)
                .find(|&column| !Cell::is_missing(&row[column]))
                .or(findings.used);
        }
        Ok(findings)
    }

    /// Index of the first of the unnamed columns at the end of the table.
    fn unnamed_tail(&self) -> usize {
        let named = |name: &String| !name.trim().is_empty();
        // The first column does not count: if it has no name, it holds row names.
        self.header.iter().rposition(named).unwrap_or(0) + 1
    }

    /// Whether the first column, which has a heading, may hold row names: no cell is a number.
    fn are_labels(&self, findings: &Findings, options: &ReadOptions) -> bool {
        let listed = || match &options.variables {
            Some(list) if !options.transpose => list.names.contains(&self.header[0]),
            _ => false,
        };
        // Row names alone are not a table, and a column without values that is listed in
        // `variables` is a variable.
        !findings.number && self.header.len() > 1 && (findings.word || !listed())
    }

    /// Marks the columns that cannot be variables. Returns an error if another column has no name.
    fn leave_out(
        &mut self,
        source: &Source,
        label: Option<usize>,
        used: Option<usize>,
    ) -> Result<()> {
        let tail = self.unnamed_tail();
        for (column, name) in self.header.iter().enumerate() {
            let is_empty_tail = column >= tail && used.is_none_or(|first| column < first);
            if Some(column) == label || is_empty_tail || (self.is_pcl && pcl::is_annotation(name)) {
                self.left_out[column] = true;
            } else if name.trim().is_empty() {
                return Err(Error::table(
                    format!("{}:{}", source.origin, self.header_line),
                    format!("column {} has no name (name it or delete it)", column + 1),
                ));
            }
        }
        match self.header.len() - tail {
            0 => {}
            1 => self
                .notes
                .push("the last column has neither a name nor values and was left out".into()),
            count => self.notes.push(
                format!("the last {count} columns have neither names nor values and were left out")
                    .into(),
            ),
        }
        Ok(())
    }

    /// Returns an error if a row has more or fewer fields than the header.
    pub(super) fn check_width(
        &self,
        source: &Source,
        offset: usize,
        row: &StringRecord,
    ) -> Result<()> {
        let expected = self.header.len();
        if row.len() == expected {
            return Ok(());
        }
        let mut problem = match row.len() {
            1 => "1 field where ".to_string(),
            count => format!("{count} fields where "),
        };
        problem += &if self.written == expected {
            format!("the header has {expected}")
        } else {
            let extra = "and the first row has one more";
            format!(
                "{expected} are expected (the header has {} {extra})",
                self.written
            )
        };
        problem += match unclosed_quote_hint(row) {
            "" => unclosed_quote_hint(&self.header),
            hint => hint,
        };
        if source.delimiter == b',' && row.len() == 2 * expected && row.iter().all(is_integer) {
            problem += " (decimal commas? write numbers with a point)";
        }
        Err(Error::table(source.place(offset), problem))
    }
}

/// The note that a column with a heading was read as row names.
pub(super) fn note_labels(heading: &str) -> Message {
    format!(
        "the first column, {}, is text and was read as row names",
        quoted(heading)
    )
    .into()
}

/// Whether no two of the labels are the same. Missing labels do not count.
pub(super) fn are_distinct(labels: &[String]) -> bool {
    let mut seen = HashSet::new();
    let mut present = labels.iter().filter(|label| !Cell::is_missing(label));
    present.all(|label| seen.insert(label))
}

/// Whether a field is a whole number, as either part of a number with a decimal comma.
fn is_integer(field: &str) -> bool {
    let digits = field.trim().trim_start_matches('-');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A hint if a field spans several lines, which is rarely intended.
fn unclosed_quote_hint<'a>(
    fields: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> &'static str {
    let mut fields = fields.into_iter().map(AsRef::as_ref);
    if fields.any(|field: &str| field.contains(['\n', '\r'])) {
        " (is a closing quotation mark missing?)"
    } else {
        ""
    }
}

fn ends_blank(row: &StringRecord) -> bool {
    row.iter()
        .next_back()
        .is_some_and(|cell| cell.trim().is_empty())
}

/// Whether every row ends with a separator that the header line lacks. The extra field is then not
/// a row name.
fn every_row_ends_blank(source: &Source, is_pcl: bool) -> Result<bool> {
    let mut body = source.body(is_pcl)?;
    while let Some((_, row)) = body.next()? {
        if !ends_blank(row) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all names are numbers and at least one is fractional, which makes them look like
/// measurements. Whole numbers are plausible column names, for instance hours.
fn are_values(names: &[String]) -> bool {
    let number = |name: &String| match Cell::parse(name) {
        Cell::Number(value) => Some(value),
        _ => None,
    };
    let numbers: Option<Vec<f64>> = names.iter().map(number).collect();
    numbers.is_some_and(|all| all.iter().any(|value| value.fract() != 0.0))
}
