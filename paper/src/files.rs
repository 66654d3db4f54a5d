//! Writing complete files, and printing lines.

use std::io::{self, Write};
use std::path::Path;

use idealparent::{Error, Result};
use tempfile::Builder;

/// Writes a temporary file next to `path` and renames it when it is complete. Links are followed;
/// devices and pipes are written to directly.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    let bytes = bytes.as_ref();
    let attempt = || -> io::Result<()> {
        if path.exists() && !path.is_file() {
            let mut device = std::fs::OpenOptions::new().write(true).open(path)?;
            return device.write_all(bytes);
        }
        let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = with_usual_permissions(&mut Builder::new()).tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(&place).map_err(|error| error.error)?;
        Ok(())
    };
    attempt().map_err(|error| Error::io(path.display().to_string(), error))
}

/// Gives a temporary file, private by default, the permissions of an ordinary new file.
#[cfg(unix)]
fn with_usual_permissions<'a, 'b>(builder: &'a mut Builder<'b, 'b>) -> &'a mut Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_permissions<'a, 'b>(builder: &'a mut Builder<'b, 'b>) -> &'a mut Builder<'b, 'b> {
    builder
}

/// Prints a line on standard output. A closed pipe is not an error.
pub fn print(line: &str) -> Result<()> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("<stdout>", error))
        }
        _ => Ok(()),
    }
}

/// Prints a line on standard error and ignores failures.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
