//! Arrow IPC: a stream is a sequence of messages; a file adds a header and a footer.
//!
//! This module finds the messages itself instead of using the readers of the crate `arrow_ipc`.
//! These allocate as many bytes as a length in the file says before they check whether the file is
//! that long.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{
    Block, Message, MessageHeader, MetadataVersion, Schema, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};

/// The first and last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";

/// An upper bound on the compression ratio of any codec.
const MAX_RATIO: usize = 1 << 16;

/// The parts of a file or stream.
struct Parts<'a> {
    schema: SchemaRef,
    version: MetadataVersion,
    /// Messages with dictionaries and record batches.
    parts: Vec<Part<'a>>,
}

/// A message, and the byte offsets of its metadata (from `start`) and its data (`body..end`).
struct Part<'a> {
    message: Message<'a>,
    start: usize,
    body: usize,
    end: usize,
}

/// The schema of a file or stream.
pub(super) fn schema(bytes: &[u8]) -> Result<SchemaRef, ArrowError> {
    Ok(split(bytes)?.schema)
}

/// The record batches of a file or stream, with the given columns only.
pub(super) fn batches(bytes: &Buffer, columns: &[usize]) -> Result<Vec<RecordBatch>, ArrowError> {
    let table = split(bytes)?;
    let mut decoder =
        FileDecoder::new(table.schema, table.version).with_projection(columns.to_vec());
    let mut batches = Vec::new();
    for part in table.parts {
        check_packed(bytes, &part)?;
        let data = bytes.slice_with_length(part.start, part.end - part.start);
        let description = i32::try_from(part.body - part.start).map_err(|_| cut_short())?;
        let block = Block::new(0, description, (part.end - part.body) as i64);
        match part.message.header_type() {
            MessageHeader::DictionaryBatch => decoder.read_dictionary(&block, &data)?,
            _ => batches.extend(decoder.read_record_batch(&block, &data)?),
        }
    }
    // A column of nulls takes no space in the file, so the file size does not limit its declared
    // length. Check it here.
    let most = MAX_RATIO.saturating_mul(bytes.len());
    if batches.iter().any(|batch| batch.num_rows() > most) {
        return Err(cut_short());
    }
    Ok(batches)
}

fn damaged(problem: impl Into<String>) -> ArrowError {
    ArrowError::ParseError(problem.into())
}

fn cut_short() -> ArrowError {
    damaged("unexpected end of data")
}

fn split(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
    if bytes.starts_with(MAGIC) {
        split_file(bytes)
    } else {
        split_stream(bytes)
    }
}

/// A file has a footer that lists its messages.
fn split_file(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
    let (rest, trailer) = bytes.split_last_chunk::<10>().ok_or_else(cut_short)?;
    let length = read_footer_length(*trailer)?;
    let start = rest.len().checked_sub(length).ok_or_else(cut_short)?;
    let footer = root_as_footer(&rest[start..]).map_err(|error| damaged(error.to_string()))?;
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let blocks = dictionaries.chain(footer.recordBatches().into_iter().flatten());
    let mut parts = Vec::new();
    for block in blocks {
        let offset = usize::try_from(block.offset()).map_err(|_| cut_short())?;
        parts.extend(part_at(&rest[..start], offset)?);
    }
    Ok(Parts {
        schema: read_schema(footer.schema())?,
        version: footer.version(),
        parts,
    })
}

/// A stream is a sequence of messages, of which the first is the schema.
fn split_stream(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
    let first = part_at(bytes, 0)?.ok_or_else(cut_short)?;
    let mut parts = Vec::new();
    let mut position = first.end;
    while position < bytes.len() {
        let Some(part) = part_at(bytes, position)? else {
            break;
        };
        position = part.end;
        parts.push(part);
    }
    Ok(Parts {
        schema: read_schema(first.message.header_as_schema())?,
        version: first.message.version(),
        parts,
    })
}

fn read_schema(schema: Option<Schema>) -> Result<SchemaRef, ArrowError> {
    let schema = schema.ok_or_else(|| damaged("it has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(damaged(
            "it was written on a machine with another byte order",
        ));
    }
    Ok(Arc::new(fb_to_schema(schema)))
}

/// The message at this offset; `None` for an end-of-stream marker.
fn part_at(bytes: &[u8], start: usize) -> Result<Option<Part<'_>>, ArrowError> {
    let word = |at: usize| -> Result<u32, ArrowError> {
        let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
        chunk
            .map(|word| u32::from_le_bytes(*word))
            .ok_or_else(cut_short)
    };
    // Writers from before 2019 omit this marker.
    let prefix = if word(start)? == u32::MAX { 8 } else { 4 };
    let length = word(start + prefix - 4)? as usize;
    if length == 0 {
        return Ok(None);
    }
    let body = start + prefix + length;
    let description = bytes.get(start + prefix..body).ok_or_else(cut_short)?;
    let message = root_as_message(description).map_err(|error| damaged(error.to_string()))?;
    let end = usize::try_from(message.bodyLength())
        .ok()
        .and_then(|length| body.checked_add(length))
        .filter(|&end| end <= bytes.len())
        .ok_or_else(cut_short)?;
    Ok(Some(Part {
        message,
        start,
        body,
        end,
    }))
}

/// Returns an error if a buffer of a batch claims an impossible uncompressed size.
fn check_packed(bytes: &[u8], part: &Part) -> Result<(), ArrowError> {
    let batch = match part.message.header_type() {
        MessageHeader::DictionaryBatch => part
            .message
            .header_as_dictionary_batch()
            .and_then(|dictionary| dictionary.data()),
        _ => part.message.header_as_record_batch(),
    };
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
        return Ok(());
    };
    let body = &bytes[part.body..part.end];
    for buffer in batch.buffers().iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let packed = start
            .and_then(|start| body.get(start..))
            .unwrap_or_default();
        let Some(claim) = packed.first_chunk().map(|bytes| i64::from_le_bytes(*bytes)) else {
            continue;
        };
        let most = MAX_RATIO.saturating_mul(body.len());
        // A negative length marks data that are not compressed.
        if usize::try_from(claim).is_ok_and(|claim| claim > most) {
            return Err(cut_short());
        }
    }
    Ok(())
}
