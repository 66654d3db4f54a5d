//! The text of a table, split into records.

use std::borrow::Cow;

use csv::{Reader, StringRecord};

use super::delimiter::{delimiter_of, extension, records, squeeze};
use super::{ReadOptions, pcl};
use crate::error::{Error, Result};
use crate::memory;

/// A text table whose delimiter is known, before its header is read.
pub(super) struct Source<'a> {
    /// Name of the file, as given by the user.
    pub(super) origin: &'a str,
    /// Extension of the file, in lower case.
    pub(super) extension: String,
    text: Cow<'a, str>,
    pub(super) delimiter: u8,
}

impl<'a> Source<'a> {
    /// Determines the delimiter of `text`. Returns an error if the table would not fit in memory.
    pub(super) fn new(text: &'a str, origin: &'a str, options: &ReadOptions) -> Result<Self> {
        let delimiter = delimiter_of(text, origin, options.delimiter.map(|d| d.0));
        let needed = memory_needed(text.as_bytes(), delimiter, options.transpose);
        memory::check(needed)
            .map_err(|lacking| Error::table(origin, format!("the table needs {lacking}")))?;
        Ok(Source {
            origin,
            extension: extension(origin),
            text: squeeze(text, delimiter),
            delimiter,
        })
    }

    /// `file:line` of the record at this offset.
    pub(super) fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.origin, self.line(offset))
    }

    /// The line on which the record at this offset starts.
    pub(super) fn line(&self, offset: usize) -> usize {
        super::unpack::line_at(self.text.as_bytes(), offset)
    }

    /// All records, the header included.
    pub(super) fn records(&self) -> Records<'_> {
        Records {
            origin: self.origin,
            reader: records(&self.text, self.delimiter),
            record: StringRecord::new(),
            skip_weights: false,
        }
    }

    /// The records below the header. In a PCL table, rows that annotate arrays are skipped.
    pub(super) fn body(&self, is_pcl: bool) -> Result<Records<'_>> {
        let mut records = self.records();
        records.next()?;
        records.skip_weights = is_pcl;
        Ok(records)
    }
}

/// Estimates the bytes needed to read a table from a text, ignoring quotation marks.
fn memory_needed(text: &[u8], delimiter: u8, transpose: bool) -> u64 {
    // Each column needs memory for its name and vectors, each row for its name and offset.
    const PER_COLUMN: usize = 400;
    const PER_ROW: usize = 80;
    let (mut rows, mut cells, mut widest, mut longest) = (0, 0, 0, 0);
    for line in text.split(|&byte| byte == b'\n') {
        let fields = 1 + line.iter().filter(|&&byte| byte == delimiter).count();
        rows += 1;
        cells += fields;
        widest = widest.max(fields);
        longest = longest.max(line.len());
    }
    let numbers = cells * size_of::<f64>() * if transpose { 2 } else { 1 };
    // The header, and two records at a time, whose buffers double as they grow.
    let records = 5 * longest + 4 * size_of::<usize>() * widest;
    let squeezed = if delimiter == b' ' { text.len() } else { 0 };
    (numbers + records + squeezed + PER_COLUMN * widest + PER_ROW * rows) as u64
}

/// Iterates over the records that are not blank.
pub(super) struct Records<'a> {
    origin: &'a str,
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    skip_weights: bool,
}

impl Records<'_> {
    /// The next record that is not blank, with its byte offset.
    pub(super) fn next(&mut self) -> Result<Option<(usize, &StringRecord)>> {
        loop {
            let more = self
                .reader
                .read_record(&mut self.record)
                .map_err(|error| Error::table(self.origin, error.to_string()))?;
            if !more {
                return Ok(None);
            }
            let blank = self.record.as_slice().trim_start().is_empty();
            if blank || (self.skip_weights && pcl::is_weight_row(&self.record[0])) {
                continue;
            }
            let offset = self.record.position().map_or(0, |position| position.byte());
            return Ok(Some((offset as usize, &self.record)));
        }
    }
}
