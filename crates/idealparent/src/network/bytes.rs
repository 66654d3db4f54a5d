//! Networks and structures from files, packed or not.

use std::path::Path;

use super::{Network, StructureFile};
use crate::data::{edges_from_bytes, gunzip, read_file};
use crate::error::{Error, Result};

/// Bytes as text, without a byte-order mark.
fn text<'a>(bytes: &'a [u8], place: &str) -> Result<&'a str> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::network(place, "not a text file"))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

impl Network {
    /// A network file.
    pub fn read(path: &Path) -> Result<Self> {
        Network::from_bytes(read_file(path)?, &path.display().to_string())
    }

    /// What a network file holds; `place` names it in messages.
    pub fn from_bytes(bytes: Vec<u8>, place: &str) -> Result<Self> {
        let bytes = gunzip(bytes, place)?;
        Network::from_json(text(&bytes, place)?, place)
    }
}

impl StructureFile {
    /// A network file, or a table of edges.
    pub fn read(path: &Path) -> Result<Self> {
        StructureFile::from_bytes(read_file(path)?, &path.display().to_string())
    }

    /// What such a file holds; `place` names it in messages.
    pub fn from_bytes(bytes: Vec<u8>, place: &str) -> Result<Self> {
        let plain = gunzip(bytes.clone(), place)?;
        if text(&plain, place).is_ok_and(|text| text.trim_start().starts_with('{')) {
            return StructureFile::from_json(text(&plain, place)?, place);
        }
        Ok(StructureFile {
            edges: edges_from_bytes(bytes, place)?.edges,
            ..StructureFile::default()
        })
    }
}
