//! Writing results: whole files or nothing, and no complaint when a reader goes away.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
use idealparent::{Error, Result, Table};
use tempfile::NamedTempFile;

/// A file in the making: it lies beside its place until it is whole, so that nobody ever sees half of it.
pub struct Draft {
    path: PathBuf,
    target: Target,
}

enum Target {
    Beside(NamedTempFile),
    /// Devices and pipes cannot be renamed onto.
    Device(File),
}

impl Draft {
    /// Begins a file.
    pub fn new(path: &Path) -> Result<Self> {
        // What a link points to is replaced, not the link.
        let path = match path.is_symlink() {
            true => fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()),
            false => path.to_path_buf(),
        };
        refuse_folder(&path)?;
        let target = if is_special(&path) {
            let opened = File::options().write(true).open(&path);
            Target::Device(opened.map_err(|error| failed(&path, error))?)
        } else {
            Target::Beside(beside(&path)?)
        };
        Ok(Draft { path, target })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let Target::Beside(file) = self.target else {
            return Ok(());
        };
        file.as_file()
            .sync_all()
            .and_then(|()| file.persist(&self.path).map_err(|error| error.error))
            .map_err(|error| failed(&self.path, error))?;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Beside(file) => file.as_file_mut().write(bytes),
            Target::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Beside(file) => file.as_file_mut().flush(),
            Target::Device(file) => file.flush(),
        }
    }
}

/// Refuses a place that cannot be written to, before a long run rather than after it.
pub fn check_place(path: Option<&Path>) -> Result<()> {
    match path {
        Some(path) if path != Path::new("-") => {
            refuse_folder(path)?;
            if is_special(path) {
                return Ok(());
            }
            beside(path).map(drop)
        }
        _ => Ok(()),
    }
}

fn refuse_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        let problem = io::Error::other("this is a folder, and a file is to be written");
        return Err(failed(path, problem));
    }
    Ok(())
}

/// Whether something is there that is not an ordinary file.
fn is_special(path: &Path) -> bool {
    path.exists() && !path.is_file()
}

fn failed(path: &Path, error: io::Error) -> Error {
    Error::io(path.display().to_string(), error)
}

/// A temporary file in the folder of another, removed unless it is put in that one's place.
fn beside(path: &Path) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".idealparent-");
    with_usual_permissions(&mut builder);
    builder.tempfile_in(folder).map_err(|error| {
        // The error itself would name the temporary file.
        let plain = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                io::Error::other("there is no such folder")
            }
            kind => io::Error::from(kind),
        };
        failed(path, plain)
    })
}

/// Temporary files are private by default; results should be as readable as any new file.
#[cfg(unix)]
fn with_usual_permissions(builder: &mut tempfile::Builder) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn with_usual_permissions(_: &mut tempfile::Builder) {}

/// Writes a whole file, or nothing.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut draft = Draft::new(path)?;
    match draft.write_all(bytes).and_then(|()| draft.flush()) {
        Ok(()) => draft.finish(),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(failed(path, error)),
    }
}

/// Writes to a file, or to standard output where none is named (or `-`).
pub fn write(path: Option<&Path>, text: &str) -> Result<()> {
    match path {
        Some(path) if path != Path::new("-") => write_file(path, text.as_bytes()),
        _ => print(text),
    }
}

/// As [`write`], compressed where the file's name asks for it.
pub fn write_packed(path: Option<&Path>, text: &str) -> Result<()> {
    match path {
        Some(path) if has_extension(path, "gz") => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            let done = packed
                .write_all(text.as_bytes())
                .and_then(|()| packed.finish());
            write_file(path, &done.map_err(|error| failed(path, error))?)
        }
        _ => write(path, text),
    }
}

/// Tells the user something on standard error, where it does not matter if nobody listens.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whatever a name or path contains, a message stays on its line.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // The last two break lines without being control characters.
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
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
    let plain = path.map(|path| match has_extension(path, "gz") {
        true => path.with_extension(""),
        false => path.to_path_buf(),
    });
    match plain {
        Some(path) if has_extension(&path, "csv") => ',',
        _ => '\t',
    }
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
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
