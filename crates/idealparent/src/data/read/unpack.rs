//! Converts the bytes of a file to text: compression, encoding, line numbers.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::message::escape;
use crate::error::{Error, Result};
use crate::memory;

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The problem with a file in an unknown binary format.
const NOT_TEXT: &str = "not a text file (save the table as CSV or TSV)";

/// An upper bound on gzip's compression ratio.
const MAX_RATIO: usize = 1032;

/// Reads all bytes of a file; returns an error if they do not fit in memory.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let origin = escape(&path.display().to_string());
    let open = || -> io::Result<(File, u64)> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    };
    let (file, length) = open().map_err(|error| Error::io(&origin, error))?;
    let expected = usize::try_from(length).unwrap_or(usize::MAX);
    memory::read_to_end(file, expected).map_err(|error| read_error(&origin, error))
}

/// Reads all bytes of a stream; returns an error if they do not fit in memory. Messages name the
/// stream `origin`.
pub fn read_stream(stream: impl Read, origin: &str) -> Result<Vec<u8>> {
    memory::read_to_end(stream, 0).map_err(|error| read_error(origin, error))
}

fn read_error(origin: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::OutOfMemory => Error::table(origin, format!("reading it needs {error}")),
        _ => Error::io(origin, error),
    }
}

/// Decompresses gzip data; other data are returned unchanged. Messages name the data `origin`.
///
/// # Errors
/// If the data are damaged, if they do not fit in memory, or if `origin` ends in `.gz` but the data
/// are not gzip data.
pub fn gunzip(bytes: Vec<u8>, origin: &str) -> Result<Vec<u8>> {
    if !bytes.starts_with(&GZIP) {
        if origin.to_lowercase().ends_with(".gz") {
            let problem = "not gzip data, although the name ends in .gz (rename or compress it)";
            return Err(Error::table(origin, problem));
        }
        return Ok(bytes);
    }
    let members = Members(Some(GzDecoder::new(&bytes)));
    memory::read_to_end(members, unpacked_size(&bytes)).map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::OutOfMemory => format!("unpacking it needs {error}"),
            _ => {
                format!("damaged or incomplete gzip data: {error} (compress or download it again)")
            }
        };
        Error::table(origin, problem)
    })
}

/// The uncompressed size that gzip data state at their end. It is right for most files; an
/// impossible value is reduced to the largest possible one.
fn unpacked_size(packed: &[u8]) -> usize {
    let size = packed
        .last_chunk()
        .map_or(0, |end| u32::from_le_bytes(*end));
    (size as usize).min(MAX_RATIO.saturating_mul(packed.len()))
}

/// Reads the members of gzip data one after the other. Zeros after the last one are padding, as on
/// tapes.
struct Members<'a>(Option<GzDecoder<&'a [u8]>>);

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let count = member.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            let rest: &[u8] = member.get_ref();
            let is_padding = rest.iter().all(|&byte| byte == 0);
            self.0 = (!is_padding).then(|| GzDecoder::new(rest));
        }
        Ok(0)
    }
}

/// The text of a file, without its byte-order mark.
pub(crate) fn decode<'a>(bytes: &'a [u8], origin: &str) -> Result<&'a str> {
    if let Some(problem) = foreign_format(bytes) {
        return Err(Error::table(origin, problem));
    }
    let wide = match (looks_like_utf32(bytes), looks_like_utf16(bytes)) {
        // The byte-order mark of UTF-32 starts like that of UTF-16.
        (true, _) => Some("UTF-32"),
        (_, true) => Some("UTF-16"),
        _ => None,
    };
    if let Some(encoding) = wide {
        let problem = format!("the text is {encoding} (save it as UTF-8)");
        return Err(Error::table(format!("{origin}:1"), problem));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        // A few NULs in valid text are tolerated; in other bytes they mean a binary format.
        if bytes.contains(&0) {
            return Error::table(origin, NOT_TEXT);
        }
        let place = format!("{origin}:{}", line_at(bytes, error.valid_up_to()));
        Error::table(place, "the text is not UTF-8 (save it as UTF-8)")
    })
}

/// The error message for a known binary format, recognised by its first bytes.
fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    let compressed = "compressed in an unsupported format (unpack it, or use gzip)";
    let known: [(&[u8], &str); 8] = [
        (
            b"PK\x03\x04",
            "a spreadsheet or zip file (save the table as CSV or TSV)",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "a spreadsheet (save the table as CSV or TSV)",
        ),
        (b"\x28\xb5\x2f\xfd", compressed),
        (b"BZh", compressed),
        (b"\xfd7zXZ", compressed),
        // The outer compression has been removed before.
        (&GZIP, "compressed twice with gzip (unpack it once)"),
        (b"%PDF-", NOT_TEXT),
        (b"\x93NUMPY", NOT_TEXT),
    ];
    // A header may start with "BZh" too, but compressed data are never valid UTF-8.
    let (_, problem) = known.iter().find(|(magic, _)| bytes.starts_with(magic))?;
    std::str::from_utf8(bytes).is_err().then_some(*problem)
}

/// Whether the text starts with a byte-order mark of UTF-16, or one of the two bytes of each of the
/// first few characters is zero.
fn looks_like_utf16(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 8;
    if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return true;
    }
    let pairs = || bytes.chunks_exact(2).take(SAMPLE);
    // A single pair with a zero byte is not enough evidence.
    pairs().len() > 1
        && (pairs().all(|pair| pair[0] == 0 && pair[1] != 0)
            || pairs().all(|pair| pair[0] != 0 && pair[1] == 0))
}

/// Whether the text starts with a byte-order mark of UTF-32, or three of the four bytes of each of
/// the first few characters are zero.
fn looks_like_utf32(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 8;
    if matches!(bytes, [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..]) {
        return true;
    }
    let groups = || bytes.chunks_exact(4).take(SAMPLE);
    groups().len() > 1
        && (groups().all(|group| group[..3] == [0; 3] && group[3] != 0)
            || groups().all(|group| group[0] != 0 && group[1..] == [0; 3]))
}

/// The line number, counted from 1, of the record at `offset`.
///
/// The CSV reader's offsets may point to the line ending and the blank lines before a record; these
/// are skipped.
pub(crate) fn line_at(bytes: &[u8], offset: usize) -> usize {
    let before = &bytes[..offset + blank_at(bytes, offset)];
    // A line ends with "\n", "\r\n" or, in old Mac files, a lone "\r".
    let ends = before.iter().enumerate().filter(|&(at, byte)| match byte {
        b'\n' => true,
        b'\r' => before.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    1 + ends.count()
}

/// Number of line-ending bytes at an offset.
fn blank_at(bytes: &[u8], offset: usize) -> usize {
    let rest = bytes[offset..].iter();
    rest.take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count()
}

/// Computes [`line_at`] for successive records in a single pass over the bytes.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Offset and line of the last record.
    at: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (at, line) = (0, 1);
        Lines { bytes, at, line }
    }

    /// The line of the record at `offset`, which must not be smaller than in the last call.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        let begin = offset + blank_at(self.bytes, offset);
        self.line += line_at(&self.bytes[self.at..], begin - self.at) - 1;
        self.at = begin;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn several_gzip_members_are_one_file() {
        let joined = [gzip(b"a\tb\n"), gzip(b"1\t2\n")].concat();
        assert_eq!(gunzip(joined, "x").unwrap(), b"a\tb\n1\t2\n");
        assert_eq!(gunzip(b"plain".to_vec(), "x").unwrap(), b"plain");
    }

    #[test]
    fn only_zeros_may_follow_the_last_gzip_member() {
        let padded = [gzip(b"a\n"), gzip(b"1\n"), vec![0; 512]].concat();
        assert_eq!(gunzip(padded, "x").unwrap(), b"a\n1\n");
        for more in [b"\0\0x".as_slice(), b"x", b"\x1f\x8b"] {
            let joined = [gzip(b"a\n").as_slice(), more].concat();
            assert!(gunzip(joined, "x").is_err(), "{more:?}");
        }
    }

    #[test]
    fn a_name_that_ends_in_gz_needs_gzip_data() {
        let line = gunzip(b"a\tb\n".to_vec(), "x.tsv.GZ").unwrap_err();
        assert_eq!(
            line.to_string(),
            "x.tsv.GZ: not gzip data, although the name ends in .gz (rename or compress it)"
        );
    }

    #[test]
    fn damaged_gzip_is_an_error() {
        let whole = gzip(b"a\tb\n1\t2\n");
        for length in 2..whole.len() {
            let error = gunzip(whole[..length].to_vec(), "x.gz").unwrap_err();
            let line = error.to_string();
            assert!(
                line.starts_with("x.gz: damaged or incomplete gzip data"),
                "{line}"
            );
        }
        let mut flipped = whole.clone();
        let last = flipped.len() - 5;
        flipped[last] ^= 0x55;
        assert!(gunzip(flipped, "x.gz").is_err());
    }

    #[test]
    fn text_that_is_not_utf8_is_an_error() {
        assert_eq!(decode(b"\xef\xbb\xbf\"a\"", "x").unwrap(), "\"a\"");
        let message = |bytes: &[u8]| decode(bytes, "x.tsv").unwrap_err().to_string();
        let utf16 = "x.tsv:1: the text is UTF-16 (save it as UTF-8)";
        assert_eq!(message(b"\xff\xfea\0b\0"), utf16);
        assert_eq!(message(b"\xfe\xff\0a"), utf16);
        assert_eq!(message(b"a\0\t\0b\0"), utf16);
        assert_eq!(message(b"\0a\0\t\0b"), utf16);
        let utf32 = "x.tsv:1: the text is UTF-32 (save it as UTF-8)";
        assert_eq!(message(b"\xff\xfe\0\0a\0\0\0"), utf32);
        assert_eq!(message(b"\0\0\xfe\xff\0\0\0a"), utf32);
        assert_eq!(message(b"a\0\0\0,\0\0\0"), utf32);
        assert_eq!(message(b"\0\0\0a\0\0\0,"), utf32);
        for other in ["a\0,b\n1,2\n", "\0a,b\n", "a\0", "a\0\0\0", ""] {
            assert_eq!(decode(other.as_bytes(), "x").unwrap(), other);
        }
        assert_eq!(
            message(b"a\tb\r\n1\t2\r\n\xe9\t3"),
            "x.tsv:3: the text is not UTF-8 (save it as UTF-8)"
        );
        assert!(message(b"PK\x03\x04\xff\xff").contains("zip"));
        let binary = "x.tsv: not a text file (save the table as CSV or TSV)";
        assert_eq!(message(b"%PDF-1.7\n\xe2\xe3"), binary);
        assert_eq!(message(b"\x93NUMPY\x01\0v\0"), binary);
        assert_eq!(message(b"SQLite\0\x10\xff"), binary);
        let twice = gunzip(gzip(&gzip(b"a\tb\n")), "x.tsv").unwrap();
        let line = "x.tsv: compressed twice with gzip (unpack it once)";
        assert_eq!(message(&twice), line);
        assert_eq!(decode(b"BZh\tb", "x").unwrap(), "BZh\tb");
    }

    #[test]
    fn lines_are_counted_as_editors_do() {
        let text = b"a\r\n\r\nb\n\nc\rd";
        let line = |letter: u8| line_at(text, text.iter().position(|&b| b == letter).unwrap());
        assert_eq!(
            [line(b'a'), line(b'b'), line(b'c'), line(b'd')],
            [1, 3, 5, 6]
        );
        assert_eq!(line_at(text, 2), 3, "blank lines are skipped");
        assert_eq!(line_at(b"", 0), 1);
        let mut lines = Lines::new(text);
        for offset in 0..text.len() {
            // Records do not start inside a line ending.
            if offset == 0 || matches!(text[offset - 1], b'\r' | b'\n') {
                assert_eq!(lines.at(offset), line_at(text, offset), "{offset}");
            }
        }
    }
}
