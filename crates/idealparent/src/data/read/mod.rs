//! Readers of tables: CSV and TSV, PCL and CDT, Parquet and Arrow IPC, plain or gzipped.
//!
//! A text table is read in two passes over its records. The first pass determines the columns and
//! rows, so that numbers the user leaves out are never parsed. The second pass reads the numbers
//! directly into columns.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::Table;
pub use super::lists::NameList;
use crate::error::{Message, Result};
use crate::options::OptionCommand::Score;
use crate::options::{OptionGroup as Group, OptionKind, OptionValue, options, wrong};

#[cfg(feature = "arrow")]
mod arrow;
mod cell;
mod columnar;
mod columns;
pub(crate) mod delimiter;
pub(crate) mod message;
mod pcl;
mod select;
mod source;
mod survey;
pub(crate) mod unpack;

#[cfg(feature = "arrow")]
pub use arrow::{other_columns, table_from_arrow};
pub use columnar::is_decoding;
use select::{Layout, Selection};
use source::Source;
use survey::Survey;
pub use unpack::{gunzip, read_file, read_stream};

options! {
    /// Options for reading a table. By default everything is detected from the file.
    ///
    /// ```
    /// use idealparent::{ReadOptions, read_bytes};
    ///
    /// let text = b"gene,s1,s2\nYAL001C,0.5,NA\nYAL002W,-1,2".to_vec();
    /// let mut options = ReadOptions::default();
    /// options.transpose = true;
    /// let table = read_bytes(text, "genes.csv", &options)?.table;
    /// assert_eq!(table.names(), ["YAL001C", "YAL002W"]);
    /// assert_eq!(table.missing(), 1);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ReadOptions {
        /// Field separator: one character, or tab, comma, semicolon, space
        delimiter: Option<Delimiter> = None
            => .at(Group::Data, Score).value("CHAR").default_is("detected from the file")
               .never_recorded();
        /// The variables are the rows of the table, as in expression tables
        transpose: bool = false => .at(Group::Data, Score).everyday().never_recorded();
        /// Keep only these variables
        variables: Option<NameList> = None
            => .at(Group::Data, Score).value("FILE").never_recorded();
        /// Keep only these instances
        instances: Option<NameList> = None
            => .at(Group::Data, Score).value("FILE").never_recorded();
        /// Leave out these columns
        drop: Vec<String> = Vec::new()
            => .at(Group::Data, Score).value("NAMES").everyday().never_recorded();
        /// Whether the first column holds row names
        row_names: Option<bool> = None
            => .at(Group::Data, Score).value("yes|no").default_is("detected from the column")
               .never_recorded();
    }
}

/// The character that separates the fields of a text table.
///
/// ```
/// use idealparent::{Delimiter, ReadOptions, read_bytes};
///
/// let mut options = ReadOptions::default();
/// options.delimiter = Some(Delimiter::new(b'|')?);
/// let table = read_bytes(b"A|B\n1.5|2\n3|4".to_vec(), "ab.txt", &options)?.table;
/// assert_eq!(table.names(), ["A", "B"]);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// Returns an error if the character can occur in numbers, is not ASCII, or is special in CSV
    /// files.
    pub fn new(character: u8) -> Result<Self> {
        let usable = character.is_ascii()
            && !character.is_ascii_alphanumeric()
            && !b"+-.\"\r\n\0".contains(&character);
        if usable {
            return Ok(Delimiter(character));
        }
        wrong(
            &character.escape_ascii().to_string(),
            "cannot separate numbers (use a tab, a comma, a semicolon or a space)",
        )
    }
}

impl OptionValue for Delimiter {
    const KIND: OptionKind = OptionKind::Text;

    fn parse(text: &str) -> Result<Self> {
        match text {
            "tab" | "\\t" | "\t" => Ok(Delimiter(b'\t')),
            "comma" => Ok(Delimiter(b',')),
            "semicolon" => Ok(Delimiter(b';')),
            "space" => Ok(Delimiter(b' ')),
            _ if text.len() == 1 && !matches!(text, "\"" | "\n" | "\r") => {
                Delimiter::new(text.as_bytes()[0])
            }
            _ => wrong(
                text,
                "is not a single character, nor one of tab, comma, semicolon, space",
            ),
        }
    }

    fn record(&self) -> Option<Value> {
        None
    }
}

/// A table, with notes from reading it.
///
/// Returned by [`read_path`] and [`read_bytes`].
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct ReadOutcome {
    /// The table.
    pub table: Table,
    /// Notes for the user, one line each, about guesses that may be wrong.
    pub notes: Vec<Message>,
}

/// Reads a table from a file.
///
/// The format and the delimiter are detected from the first bytes, the extension (`.csv`; `.tsv`,
/// `.pcl`, `.cdt`; `.parquet`, `.arrow`, `.feather`, `.ipc`, `.arrows`) and the header line. The
/// file may be gzipped.
///
/// ```no_run
/// use std::path::Path;
///
/// use idealparent::{ReadOptions, read_path};
///
/// let read = read_path(Path::new("expression.tsv.gz"), &ReadOptions::default())?;
/// for note in &read.notes {
///     eprintln!("note: {note}");
/// }
/// println!("{} variables", read.table.width());
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn read_path(path: &Path, options: &ReadOptions) -> Result<ReadOutcome> {
    let origin = path.display().to_string();
    read_bytes(unpack::read_file(path)?, &origin, options)
}

/// Reads a table from memory.
///
/// `origin` is the name of the data in messages, `<stdin>` for standard input. Its extension helps
/// to detect the format, as in [`read_path`].
///
/// ```
/// use idealparent::{ReadOptions, read_bytes};
///
/// let text = b"A\tB\n1.5\t2\n3\tNA\n".to_vec();
/// let table = read_bytes(text, "<stdin>", &ReadOptions::default())?.table;
/// assert_eq!((table.rows(), table.missing()), (2, 1));
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn read_bytes(bytes: Vec<u8>, origin: &str, options: &ReadOptions) -> Result<ReadOutcome> {
    read(bytes, origin, options, None)
}

impl ReadOptions {
    /// As [`read_path`], for use with a network of these variables: columns of text that are not
    /// among them are left out, with a note.
    ///
    /// For an example see [`ReadOptions::read_bytes_for`].
    pub fn read_path_for(&self, path: &Path, variables: &[String]) -> Result<ReadOutcome> {
        let origin = path.display().to_string();
        self.read_bytes_for(unpack::read_file(path)?, &origin, variables)
    }

    /// As [`read_bytes`], for use with a network of these variables: columns of text that are not
    /// among them are left out, with a note.
    ///
    /// ```
    /// use idealparent::ReadOptions;
    ///
    /// let text = b"A,note,B\n1.5,high,2\n3,low,4\n".to_vec();
    /// let variables = ["A".to_string(), "B".to_string()];
    /// let read = ReadOptions::default().read_bytes_for(text, "ab.csv", &variables)?;
    /// assert_eq!(read.table.names(), ["A", "B"]);
    /// assert_eq!(read.notes.len(), 1);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn read_bytes_for(
        &self,
        bytes: Vec<u8>,
        origin: &str,
        variables: &[String],
    ) -> Result<ReadOutcome> {
        // In a transposed table columns are instances, and all are needed.
        let needed = (!self.transpose).then(|| variables.iter().map(String::as_str).collect());
        read(bytes, origin, self, needed.as_ref())
    }
}

/// The columns that have to be numeric; `None`: all of them.
type Needed<'a> = Option<&'a HashSet<&'a str>>;

fn read(
    bytes: Vec<u8>,
    origin: &str,
    options: &ReadOptions,
    needed: Needed,
) -> Result<ReadOutcome> {
    let origin = message::escape(origin);
    let bytes = unpack::gunzip(bytes, &origin)?;
    match columnar::Format::of(&bytes, &delimiter::extension(&origin)) {
        #[cfg(feature = "arrow")]
        Some(format) => arrow::read(format, bytes, &origin, options, needed),
        #[cfg(not(feature = "arrow"))]
        Some(_) => Err(crate::error::Error::table(
            origin,
            "this build does not read Parquet and Arrow files \
             (convert the table to CSV, or build with the feature 'arrow')",
        )),
        None => read_text(&bytes, &origin, options, needed),
    }
}

fn read_text(
    bytes: &[u8],
    origin: &str,
    options: &ReadOptions,
    needed: Needed,
) -> Result<ReadOutcome> {
    let source = Source::new(unpack::decode(bytes, origin)?, origin, options)?;
    let survey = Survey::take(&source, options)?;
    let mut selection = Selection::of(
        &Layout {
            origin,
            header_place: format!("{origin}:{}", survey.header_line),
            header: &survey.header,
            label: survey.label,
            left_out: &survey.left_out,
            row_names: survey.row_names.as_deref(),
            row_place: &|row| source.place(survey.offsets[row]),
        },
        options,
    )?;
    let (columns, ignored) = columns::read(&source, &survey, &mut selection, needed)?;
    let Survey {
        header,
        row_names,
        mut notes,
        ..
    } = survey;
    notes.extend(note_ignored(&ignored));
    let table = assemble(&header, row_names, &selection, columns, options.transpose)?;
    Ok(ReadOutcome { table, notes })
}

fn note_ignored(columns: &[String]) -> Option<Message> {
    let what = match columns {
        [] => return None,
        [_] => "a text column that is not in the network is ignored",
        _ => "text columns that are not in the network are ignored",
    };
    Some(format!("{what}: {}", message::list(columns)).into())
}

/// Builds the table from the selected columns, which hold the selected rows only.
fn assemble(
    header: &[String],
    row_names: Option<Vec<String>>,
    selection: &Selection,
    columns: Vec<Vec<f64>>,
    transpose: bool,
) -> Result<Table> {
    let kept = row_names.map(|names| {
        let rows = names.into_iter().enumerate();
        let wanted = rows.filter(|(row, _)| selection.wants_row(*row));
        wanted.map(|(_, name)| name).collect::<Vec<String>>()
    });
    let selected = || {
        selection
            .columns
            .iter()
            .map(|&column| header[column].clone())
    };
    if !transpose {
        let table = Table::new(selected().collect(), columns)?;
        return Ok(match kept {
            Some(names) => table.with_row_names(names),
            None => table,
        });
    }
    // Instances may share a name, so a table with them as variables cannot be built first.
    let variables = kept.unwrap_or_default();
    let turned = (0..variables.len())
        .map(|row| {
            columns
                .iter()
                .map(|column| column[row])
                .collect::<Vec<f64>>()
        })
        .collect();
    Ok(Table::new(variables, turned)?.with_row_names(selected().collect()))
}
