//! Reading networks and structures from files, gzipped or not.

use std::path::Path;

use super::{Network, Structure};
use crate::data::{edges_from_bytes, gunzip, read_file};
use crate::error::{Error, Result};

/// Decodes UTF-8 and removes a byte-order mark.
fn text<'a>(bytes: &'a [u8], place: &str) -> Result<&'a str> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::network(place, "not a text file"))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

impl Network {
    /// Reads a network file.
    pub fn read(path: &Path) -> Result<Self> {
        Network::from_bytes(read_file(path)?, &path.display().to_string())
    }

    /// Reads a network from the bytes of its file; `place` names the file in error messages.
    pub fn from_bytes(bytes: Vec<u8>, place: &str) -> Result<Self> {
        let bytes = gunzip(bytes, place)?;
        Network::from_json(text(&bytes, place)?, place)
    }
}

impl Structure {
    /// Reads a network file or a table of edges.
    pub fn read(path: &Path) -> Result<Self> {
        Structure::from_bytes(read_file(path)?, &path.display().to_string())
    }

    /// Reads a structure from the bytes of a file; `place` names the file in error messages.
    pub fn from_bytes(bytes: Vec<u8>, place: &str) -> Result<Self> {
        Structure::with_lines(bytes, place).map(|(structure, _)| structure)
    }

    /// As [`Structure::from_bytes`], with the line of each edge if they are those of a table.
    pub(crate) fn with_lines(bytes: Vec<u8>, place: &str) -> Result<(Self, Vec<usize>)> {
        let plain = gunzip(bytes.clone(), place)?;
        if text(&plain, place).is_ok_and(|text| text.trim_start().starts_with('{')) {
            let structure = Structure::from_json(text(&plain, place)?, place)?;
            return Ok((structure, Vec::new()));
        }
        let list = edges_from_bytes(bytes, place)?;
        let structure = Structure {
            edges: list.edges,
            ..Structure::default()
        };
        Ok((structure, list.origin.lines))
    }
}
