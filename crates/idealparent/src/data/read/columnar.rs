//! Detection of binary table formats, which store tables by column.

/// A format of binary tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, as a file or a stream. Feather version 2 is an Arrow IPC file.
    Arrow,
    /// Feather version 1, a different format, which is not supported.
    FeatherOne,
}

impl Format {
    /// Detects the format from the first bytes or, failing that, from the extension.
    pub(super) fn of(bytes: &[u8], extension: &str) -> Option<Format> {
        let known: [(&[u8], Format); 4] = [
            (b"PAR1", Format::Parquet),
            (b"ARROW1", Format::Arrow),
            // Every message of a stream starts like this; no UTF-8 text does.
            (b"\xff\xff\xff\xff", Format::Arrow),
            (b"FEA1", Format::FeatherOne),
        ];
        let by_magic = known.iter().find(|(magic, _)| bytes.starts_with(magic));
        // A text header may start with the same letters, but a binary table is not valid text.
        let is_binary = || bytes.contains(&0) || std::str::from_utf8(bytes).is_err();
        match (by_magic, extension) {
            (Some((_, format)), _) if is_binary() => Some(*format),
            (_, "parquet") => Some(Format::Parquet),
            (_, "arrow" | "arrows" | "feather" | "ipc") => Some(Format::Arrow),
            _ => None,
        }
    }
}

/// Whether this thread is inside a decoder of Parquet or Arrow data, whose panics are caught.
///
/// The decoders panic on some damaged files, and the readers turn these panics into errors. The
/// program's panic hook still runs; a hook that prints can stay silent while this returns `true`.
pub fn is_decoding() -> bool {
    #[cfg(feature = "arrow")]
    return super::arrow::is_decoding();
    #[cfg(not(feature = "arrow"))]
    return false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_bytes_take_precedence_over_extensions() {
        assert_eq!(Format::of(b"PAR1\xff", "arrow"), Some(Format::Parquet));
        assert_eq!(Format::of(b"ARROW1\0\0\xff", ""), Some(Format::Arrow));
        assert_eq!(
            Format::of(b"\xff\xff\xff\xff\0", "feather"),
            Some(Format::Arrow)
        );
        assert_eq!(Format::of(b"FEA1\xff", "feather"), Some(Format::FeatherOne));
        assert_eq!(Format::of(b"PAR1 small\0PAR1", ""), Some(Format::Parquet));
        assert_eq!(Format::of(b"", "parquet"), Some(Format::Parquet));
        assert_eq!(Format::of(b"PAR1,PAR2\n1,2\n", "csv"), None);
        assert_eq!(Format::of(b"a\tb\n", "tsv"), None);
    }
}
