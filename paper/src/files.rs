//! Files written whole or not at all.

use std::io::Write;
use std::path::Path;

use idealparent::{Error, Result};
use tempfile::NamedTempFile;

/// Writes a file beside its place and renames it when it is whole.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let attempt = || {
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes.as_ref())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    attempt().map_err(|error| Error::io(path.display().to_string(), error))
}
