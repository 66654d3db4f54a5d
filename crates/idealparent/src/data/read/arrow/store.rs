//! Decodes selected columns of a binary table.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::guard::guarded;
use super::{Format, ipc};
use crate::data::read::message::shorten_to;
use crate::error::{Error, Result};

/// Longest part of a decoder's message that an error message repeats, in characters.
const LONGEST_REASON: usize = 120;

/// A binary table in memory.
pub(super) struct Store<'a> {
    format: Format,
    bytes: Bytes,
    /// Name of the file, as given by the user.
    pub(super) origin: &'a str,
}

impl<'a> Store<'a> {
    /// A table that has not been decoded yet.
    pub(super) fn new(format: Format, bytes: Vec<u8>, origin: &'a str) -> Self {
        let bytes = bytes.into();
        Store {
            format,
            bytes,
            origin,
        }
    }

    /// The names and types of all columns.
    pub(super) fn schema(&self) -> Result<SchemaRef> {
        self.decode(|| match self.format {
            Format::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone())?;
                Ok(builder.schema().clone())
            }
            _ => ipc::schema(&self.bytes),
        })
    }

    /// Decodes the given columns, which must be in ascending order, and converts each batch.
    pub(super) fn batches<T>(
        &self,
        columns: &[usize],
        convert: impl Fn(&RecordBatch) -> std::result::Result<T, ArrowError>,
    ) -> Result<Vec<T>> {
        self.decode(|| match self.format {
            Format::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(self.bytes.clone())?;
                let roots = columns.iter().copied();
                let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
                let reader = builder.with_projection(mask).build()?;
                reader.map(|batch| convert(&batch?)).collect()
            }
            _ => {
                let batches = ipc::batches(&self.bytes.clone().into(), columns)?;
                batches.iter().map(convert).collect()
            }
        })
    }

    /// Runs a decoder. Any failure, panics included, is reported as a damaged file.
    fn decode<T>(&self, decode: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
        guarded(decode).map_err(|error| self.damaged(&error.to_string()))
    }

    /// The error for a damaged file.
    pub(super) fn damaged(&self, reason: &str) -> Error {
        let format = match self.format {
            Format::Parquet => "Parquet",
            _ => "Arrow",
        };
        // Without its first bytes, the format is known from the name alone.
        if Format::of(&self.bytes, "").is_none() {
            let a_format = match self.format {
                Format::Parquet => "a Parquet",
                _ => "an Arrow",
            };
            let name = self.origin.trim_end_matches(".gz");
            let extension = name.rsplit('.').next().unwrap_or_default();
            let problem = format!(
                "not {a_format} file, although the name ends in .{extension} (rename it or write it \
                 again)"
            );
            return Error::table(self.origin, problem);
        }
        let reason = shorten_to(reason, LONGEST_REASON);
        let problem = format!("damaged or unknown {format} data: {reason} (write it again)");
        Error::table(self.origin, problem)
    }
}
