//! Binary tables that are stored by columns: which they are, and whether this build reads them.

/// A format of binary tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, as a file or as a stream; Feather since version 2 is such a file.
    Arrow,
    /// The first version of Feather, a format of its own.
    FeatherOne,
}

impl Format {
    /// The format that the first bytes give away or, where they do not, the extension.
    pub(super) fn of(bytes: &[u8], extension: &str) -> Option<Format> {
        let known: [(&[u8], Format); 4] = [
            (b"PAR1", Format::Parquet),
            (b"ARROW1", Format::Arrow),
            // Every message of a stream begins so; no text does.
            (b"\xff\xff\xff\xff", Format::Arrow),
            (b"FEA1", Format::FeatherOne),
        ];
        let by_magic = known.iter().find(|(magic, _)| bytes.starts_with(magic));
        // A heading may begin with the same letters, but a binary table is no valid text.
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
/// Those decoders panic at some damaged files, which the readers here turn into errors. The panic
/// hook, being the program's own, still runs: one that prints can keep silent while this holds.
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
    fn magic_bytes_come_before_extensions() {
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
