//! Writing results: whole files or nothing, and no complaint when a reader goes away.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
use idealparent::{Error, Result};

use crate::closed::is_stdout_closed;
use crate::temporary::Temporary;

/// A result on its way: a file is written beside its place and renamed when it is whole, so that
/// nobody ever sees half of it.
pub struct Output(Kind);

enum Kind {
    Renamed(BufWriter<Temporary>, PathBuf),
    /// Devices and pipes, which must never be renamed onto.
    Direct(BufWriter<Box<dyn Write + Send>>),
}

impl Output {
    /// Opens the place, or one beside it.
    pub fn create(path: &Path) -> io::Result<Self> {
        if is_stdout(path) {
            refuse_closed()?;
            return Ok(Output(Kind::Direct(BufWriter::new(Box::new(io::stdout())))));
        }
        refuse_folder(path)?;
        let Some(path) = renamable(path) else {
            let device = OpenOptions::new().append(true).create(true).open(path)?;
            return Ok(Output(Kind::Direct(BufWriter::new(Box::new(device)))));
        };
        let file = Temporary::beside(&path)?;
        Ok(Output(Kind::Renamed(BufWriter::new(file), path)))
    }

    /// Puts the result in its place.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Renamed(writer, path) => {
                let file = writer.into_inner().map_err(|error| error.into_error())?;
                file.rename(&path)
            }
            Kind::Direct(mut writer) => writer.flush(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Renamed(writer, _) => writer.write(bytes),
            Kind::Direct(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Renamed(writer, _) => writer.flush(),
            Kind::Direct(writer) => writer.flush(),
        }
    }
}

/// Refuses, before a long run rather than after it, places that cannot be written to, that are
/// among what is read, or that are named twice. Outputs come with the option that names them.
pub fn check_places(inputs: &[Option<&Path>], outputs: &[(&str, Option<&Path>)]) -> Result<()> {
    let mut taken: Vec<(PathBuf, String)> = Vec::new();
    for path in inputs.iter().flatten() {
        taken.extend(identity(path).map(|file| (file, "is read, and would be lost".to_string())));
    }
    for (option, path) in outputs {
        let Some(path) = path else {
            continue;
        };
        if let Some(file) = identity(path) {
            if let Some((_, why)) = taken.iter().find(|(other, _)| *other == file) {
                return Err(Error::Options(format!(
                    "{option} {}: this file {why} (choose another name)",
                    path.display()
                )));
            }
            taken.push((file, format!("is written by {option} too")));
        }
        check_place(Some(path))?;
    }
    Ok(())
}

/// Which file a path means, links followed; none for standard input and output, devices and pipes.
fn identity(path: &Path) -> Option<PathBuf> {
    if path == Path::new("-") {
        return None;
    }
    match std::fs::canonicalize(path) {
        Ok(file) => file.is_file().then_some(file),
        // A link to what is not there yet.
        Err(_) if path.is_symlink() => {
            let target = std::fs::read_link(path).ok()?;
            let target = path.parent().unwrap_or(Path::new("")).join(target);
            // Links that lead to each other lead nowhere.
            if target.is_symlink() {
                return None;
            }
            identity(&target)
        }
        Err(_) => {
            let folder = match path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
            Some(std::fs::canonicalize(folder).ok()?.join(path.file_name()?))
        }
    }
}

/// Refuses a place that cannot be written to.
fn check_place(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let attempt = || {
        if is_stdout(path) {
            return refuse_closed();
        }
        refuse_folder(path)?;
        // Opening a pipe, only to close it again, would end it for its reader.
        renamable(path).map_or(Ok(()), |path| Temporary::beside(&path).map(drop))
    };
    attempt().map_err(|error| failed(path, error))
}

fn failed(path: &Path, error: io::Error) -> Error {
    let place = if is_stdout(path) {
        "<stdout>".to_string()
    } else {
        path.display().to_string()
    };
    Error::io(place, without_path(error))
}

/// The error alone: the path of a temporary file says nothing to a user.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => match error.get_ref() {
            Some(_) if error.kind() != io::ErrorKind::Other => io::Error::from(error.kind()),
            _ => error,
        },
    }
}

/// What is written to a closed standard output is lost.
fn refuse_closed() -> io::Result<()> {
    if is_stdout_closed() {
        return Err(io::Error::other("it is closed, and the output is lost"));
    }
    Ok(())
}

fn refuse_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        let problem = "this is a folder, and a file is to be written";
        return Err(io::Error::other(problem));
    }
    Ok(())
}

/// The file to rename onto: links followed to their files; none for what is no file.
fn renamable(path: &Path) -> Option<PathBuf> {
    match std::fs::symlink_metadata(path) {
        Err(_) => Some(path.to_path_buf()),
        Ok(there) if there.is_file() => Some(path.to_path_buf()),
        // Links in /dev stand for what is open, even where that is a file.
        Ok(there) if there.is_symlink() && !path.starts_with("/dev") => {
            if path.exists() {
                let file = std::fs::canonicalize(path).ok()?;
                return file.is_file().then_some(file);
            }
            identity(path)
        }
        Ok(_) => None,
    }
}

/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Writes a whole file or nothing.
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let attempt = || -> io::Result<()> {
        let mut file = Output::create(path)?;
        file.write_all(bytes)?;
        file.finish()
    };
    match attempt() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(|error| failed(path, error)),
    }
}

/// Writes to a file, or to standard output where none is named (or `-`).
pub fn write(path: Option<&Path>, text: &str) -> Result<()> {
    match path {
        Some(path) if !is_stdout(path) => write_file(path, text.as_bytes()),
        _ => print(text),
    }
}

/// As [`write()`], whatever it holds.
pub fn write_bytes(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    match path {
        Some(path) if !is_stdout(path) => write_file(path, bytes),
        _ => print_bytes(bytes),
    }
}

/// As [`write()`], compressed where the file's name asks for it.
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

/// A message on one line, of which a very long one keeps its beginning and its end.
pub fn message(text: &str) -> String {
    const LONGEST: usize = 1000;
    let line = one_line(text);
    let count = line.chars().count();
    if count <= LONGEST {
        return line;
    }
    let begin: String = line.chars().take(LONGEST / 2).collect();
    let end: String = line.chars().skip(count - LONGEST / 4).collect();
    format!("{begin} … {end}")
}

/// Prints; a closed pipe is not an error.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut attempt = || {
        refuse_closed()?;
        out.write_all(bytes)?;
        out.flush()
    };
    match attempt() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::io("<stdout>", error)),
        Ok(()) => Ok(()),
    }
}

/// Prints; where a result itself goes to standard output, to standard error: nothing else must be there.
pub fn print_beside(is_taken: bool, text: &str) -> Result<()> {
    if is_taken {
        tell(text);
        return Ok(());
    }
    print(text)
}

/// The separator a file's name asks for.
pub fn separator(path: Option<&Path>) -> char {
    let plain = path.map(|path| {
        if has_extension(path, "gz") {
            path.with_extension("")
        } else {
            path.to_path_buf()
        }
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

/// Refuses to write a table of text under a name that promises something else.
pub fn check_table_place(option: &str, path: Option<&Path>) -> Result<()> {
    let binary = [
        "parquet", "arrow", "arrows", "feather", "ipc", "xlsx", "json",
    ];
    match path {
        Some(path) if binary.iter().any(|wanted| has_extension(path, wanted)) => {
            Err(Error::Options(format!(
                "{option} {}: tables are written as .tsv or .csv, also with .gz",
                path.display()
            )))
        }
        _ => Ok(()),
    }
}

/// Cells in columns as wide as their contents, the first to the left, the others to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|row| row.get(c));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (c, cell) in row.iter().enumerate() {
            let wide = widths[c];
            match c {
                0 => line += &format!("{cell:wide$}"),
                _ => line += &format!("  {cell:>wide$}"),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn messages_stay_short_and_on_their_line() {
        assert_eq!(message("a\nb"), "a\\nb");
        let long = format!("file: {} (rename it)", "é".repeat(100_000));
        let told = message(&long);
        assert!(told.chars().count() < 1000 && told.starts_with("file: é"));
        assert!(told.ends_with("é (rename it)"));
    }
}
