//! Writing results: whole files or nothing, and no complaint when a reader goes away.

use std::io::{self, Write};
use std::path::Path;

use idealparent::{Error, Result, Table};

/// Writes a whole file: beside its place first, then renamed, so that nobody ever sees half of it.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    let place = || path.display().to_string();
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let attempt = || -> io::Result<()> {
        // Devices and pipes (/dev/stdout) cannot be renamed onto.
        if path.exists() && !path.is_file() {
            return std::fs::write(path, text);
        }
        let mut beside = tempfile::Builder::new();
        let mut file = with_usual_permissions(&mut beside).tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    attempt().map_err(|error| Error::io(place(), error))
}

/// Temporary files are private by default; results should be as readable as any new file.
#[cfg(unix)]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder
        .prefix(".idealparent-")
        .permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn with_usual_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder.prefix(".idealparent-")
}

/// Writes to a file, or to standard output where none is named (or `-`).
pub fn write(path: Option<&Path>, text: &str) -> Result<()> {
    match path {
        Some(path) if path != Path::new("-") => write_file(path, text),
        _ => print(text),
    }
}

/// Prints; a closed pipe is not an error.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::io("<stdout>", error)),
        Ok(()) => Ok(()),
    }
}

/// The separator a file's name asks for.
pub fn separator(path: Option<&Path>) -> char {
    match path.and_then(Path::extension) {
        Some(extension) if extension.eq_ignore_ascii_case("csv") => ',',
        _ => '\t',
    }
}

/// A name or cell as it goes into a delimited file.
pub fn cell(text: &str, separator: char) -> String {
    let special = |c: char| c == separator || matches!(c, '"' | '\n' | '\r');
    if text.contains(special) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

/// A table as text: row names first where there are any, missing entries empty.
pub fn table_text(table: &Table, separator: char) -> String {
    let mut text = String::new();
    let join = |cells: Vec<String>| cells.join(&separator.to_string()) + "\n";
    let named = table.row_names();
    let mut header: Vec<String> = named.iter().map(|_| String::new()).collect();
    header.extend(table.names().iter().map(|name| cell(name, separator)));
    text += &join(header);
    for row in 0..table.rows() {
        let mut cells: Vec<String> = named.iter().map(|n| cell(&n[row], separator)).collect();
        cells.extend(table.columns().iter().map(|column| number(column[row])));
        if cells.iter().all(String::is_empty) {
            // A blank line would be passed over by readers.
            cells[0] = "NA".to_string();
        }
        text += &join(cells);
    }
    text
}

/// A number so that it reads back to the same bits; a missing one is empty.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else {
        format!("{value:?}")
    }
}
