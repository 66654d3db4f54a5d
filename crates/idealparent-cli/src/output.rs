//! Writing results: files are written completely or not at all, and a closed pipe is not an error.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
use idealparent::{Error, Result};

use crate::closed::is_stdout_closed;
use crate::notes::print_notes;
use crate::temporary::Temporary;

/// A result being written. A file is written to a temporary file in the same folder, which is
/// renamed when it is complete, so that no reader ever sees a partial file.
pub struct Output(Kind);

enum Kind {
    Renamed(BufWriter<Temporary>, PathBuf),
    /// Standard output, devices and pipes, which must never be replaced by renaming.
    Direct(BufWriter<Box<dyn Write + Send>>),
}

impl Output {
    /// Opens the path itself if it is standard output, a device or a pipe, else a temporary file
    /// in its folder.
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
        let file = Temporary::next_to(&path)?;
        Ok(Output(Kind::Renamed(BufWriter::new(file), path)))
    }

    /// Flushes the result, and renames the temporary file to its final name if there is one.
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

/// Returns an error if an output cannot be written, is also an input, or is named twice.
///
/// Called before a long run rather than after it. Each output comes with the option that names it.
pub fn check_places(inputs: &[Option<&Path>], outputs: &[(&str, Option<&Path>)]) -> Result<()> {
    let mut taken: Vec<(PathBuf, String)> = Vec::new();
    for path in inputs.iter().flatten() {
        taken.extend(identity(path).map(|file| (file, "is also an input".to_string())));
    }
    for (option, path) in outputs {
        let Some(path) = path else {
            continue;
        };
        if let Some(file) = identity(path) {
            if let Some((_, why)) = taken.iter().find(|(other, _)| *other == file) {
                return Err(Error::options(format!(
                    "{option} {}: this file {why} (choose another name)",
                    path.display()
                )));
            }
            taken.push((file, format!("is also written by {option}")));
        }
        check_place(Some(path))?;
    }
    Ok(())
}

/// The file a path refers to, with links followed; `None` for standard input and output, devices
/// and pipes.
fn identity(path: &Path) -> Option<PathBuf> {
    if path == Path::new("-") {
        return None;
    }
    match std::fs::canonicalize(path) {
        Ok(file) => file.is_file().then_some(file),
        // A link whose target does not exist yet.
        Err(_) if path.is_symlink() => {
            let target = std::fs::read_link(path).ok()?;
            let target = path.parent().unwrap_or(Path::new("")).join(target);
            // A second dangling link is not followed: links could form a loop.
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

/// Returns an error if the path cannot be written to.
fn check_place(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let attempt = || {
        if is_stdout(path) {
            return refuse_closed();
        }
        refuse_folder(path)?;
        // Pipes are not tried: opening and closing one would signal end of file to its reader.
        renamable(path).map_or(Ok(()), |path| Temporary::next_to(&path).map(drop))
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

/// The error without the path of the temporary file, which would mean nothing to a user.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => match error.get_ref() {
            Some(_) if error.kind() != io::ErrorKind::Other => io::Error::from(error.kind()),
            _ => error,
        },
    }
}

/// Returns an error if standard output is closed, since everything written to it would be lost.
fn refuse_closed() -> io::Result<()> {
    if is_stdout_closed() {
        return Err(io::Error::other("it is closed; the output would be lost"));
    }
    Ok(())
}

fn refuse_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        let problem = "this is a folder; name a file instead";
        return Err(io::Error::other(problem));
    }
    Ok(())
}

/// The file to replace by renaming, with links followed; `None` if the path is not a regular file.
fn renamable(path: &Path) -> Option<PathBuf> {
    match std::fs::symlink_metadata(path) {
        Err(_) => Some(path.to_path_buf()),
        Ok(there) if there.is_file() => Some(path.to_path_buf()),
        // Links in /dev stand for open descriptors, even if those refer to a regular file.
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

/// Whether a path means standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Writes a complete file, or leaves the path unchanged if that fails.
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

/// Writes text to a file, or to standard output if the path is `None` or `-`.
pub fn write(path: Option<&Path>, text: &str) -> Result<()> {
    match path {
        Some(path) if !is_stdout(path) => write_file(path, text.as_bytes()),
        _ => print(text),
    }
}

/// Like [`write()`], for bytes.
pub fn write_bytes(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    match path {
        Some(path) if !is_stdout(path) => write_file(path, bytes),
        _ => print_bytes(bytes),
    }
}

/// Like [`write()`], compressed with gzip if the file name ends in `.gz`.
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

/// Writes a message to standard error; errors are ignored.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The text on one line: control characters and line separators are escaped.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // U+2028 and U+2029 break lines but are not control characters.
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// The message on one line; the middle of a very long message is cut out.
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

/// Prints to standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    // On a terminal the result comes last.
    print_notes();
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

/// Prints to standard output, or to standard error if standard output is used for a result.
pub fn print_or_tell(is_taken: bool, text: &str) -> Result<()> {
    if is_taken {
        tell(text);
        return Ok(());
    }
    print(text)
}

/// The separator for a table file: a comma for `.csv` and `.csv.gz`, otherwise a tab.
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

/// Returns an error if the file extension names a format that tables are not written in.
pub fn check_table_place(option: &str, path: Option<&Path>) -> Result<()> {
    let binary = [
        "parquet", "arrow", "arrows", "feather", "ipc", "xlsx", "json",
    ];
    match path {
        Some(path) if binary.iter().any(|wanted| has_extension(path, wanted)) => {
            Err(Error::options(format!(
                "{option} {}: tables are written as .tsv or .csv, optionally with .gz",
                path.display()
            )))
        }
        _ => Ok(()),
    }
}

/// The cells as an aligned text table: the first column to the left, the others to the right.
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
    fn messages_are_shortened_to_one_line() {
        assert_eq!(message("a\nb"), "a\\nb");
        let long = format!("file: {} (rename it)", "é".repeat(100_000));
        let shown = message(&long);
        assert!(shown.chars().count() < 1000 && shown.starts_with("file: é"));
        assert!(shown.ends_with("é (rename it)"));
    }
}
