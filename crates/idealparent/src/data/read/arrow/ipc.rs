//! Arrow IPC: a sequence of messages, in a file with a frame around it.
//!
//! The messages are walked here rather than by the library's readers: those allocate what a length
//! in the file says before they look whether the file is that long.

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

/// More than any codec packs into one byte.
const MOST_PACKED: usize = 1 << 16;

/// A file or stream, taken apart.
struct Parts<'a> {
    schema: SchemaRef,
    version: MetadataVersion,
    /// Dictionaries and batches.
    parts: Vec<Part<'a>>,
}

/// A message and where it lies: its description and the data after that.
struct Part<'a> {
    message: Message<'a>,
    start: usize,
    body: usize,
    end: usize,
}

/// The schema of a file or stream.
pub(super) fn schema(bytes: &[u8]) -> Result<SchemaRef, ArrowError> {
    Ok(take_apart(bytes)?.schema)
}

/// The batches of a file or stream, with these columns only.
pub(super) fn batches(bytes: &Buffer, columns: &[usize]) -> Result<Vec<RecordBatch>, ArrowError> {
    let table = take_apart(bytes)?;
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
    // A column of nulls is not stored, so that nothing else bounds how long it claims to be.
    let most = MOST_PACKED.saturating_mul(bytes.len());
    if batches.iter().any(|batch| batch.num_rows() > most) {
        return Err(cut_short());
    }
    Ok(batches)
}

fn damaged(problem: impl Into<String>) -> ArrowError {
    ArrowError::ParseError(problem.into())
}

fn cut_short() -> ArrowError {
    damaged("it ends too early")
}

fn take_apart(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
    if bytes.starts_with(MAGIC) {
        take_file_apart(bytes)
    } else {
        take_stream_apart(bytes)
    }
}

/// A file has a directory of its messages at its end.
fn take_file_apart(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
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

/// A stream is its messages, the schema first.
fn take_stream_apart(bytes: &[u8]) -> Result<Parts<'_>, ArrowError> {
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

/// The message at this offset; `None` where the end of the stream is marked.
fn part_at(bytes: &[u8], start: usize) -> Result<Option<Part<'_>>, ArrowError> {
    let word = |at: usize| -> Result<u32, ArrowError> {
        let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
        chunk
            .map(|word| u32::from_le_bytes(*word))
            .ok_or_else(cut_short)
    };
    // Writers older than 2019 leave the marker out.
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

/// Refuses a batch whose buffers claim to unpack to more than they can.
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
        let most = MOST_PACKED.saturating_mul(body.len());
        // A negative length stands for data that are not packed.
        if usize::try_from(claim).is_ok_and(|claim| claim > most) {
            return Err(cut_short());
        }
    }
    Ok(())
}
