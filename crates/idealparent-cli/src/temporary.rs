//! Temporary files: written in the folder of the final file, renamed when complete, and removed
//! otherwise.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The existing temporary files, to be removed if the program ends without returning from `main`.
static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn present() -> MutexGuard<'static, Vec<PathBuf>> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, removed when dropped.
pub struct Temporary {
    /// `None` once it was renamed or removed.
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Temporary {
    /// Creates a temporary file in the folder of this path. It is private if the path exists, until
    /// [`Temporary::rename`] gives it the permissions of the file that it replaces.
    pub fn next_to(path: &Path) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // Created and listed under one lock, so that `exit` misses none.
        let mut present = present();
        let mut builder = tempfile::Builder::new();
        let file = with_permissions(&mut builder, path).tempfile_in(folder);
        // The original error would name the temporary file.
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                io::Error::other("there is no such folder")
            }
            kind => io::Error::from(kind),
        })?;
        let path = file.path().to_path_buf();
        present.push(path.clone());
        Ok(Temporary {
            file: Some(file),
            path,
        })
    }

    /// Renames the file, replacing any file of that name.
    pub fn rename(mut self, name: &Path) -> io::Result<()> {
        let file = self.file.take().expect("not renamed yet");
        keep_permissions(file.as_file(), name)?;
        file.as_file().sync_all()?;
        // Locked, so that `exit` runs either before or after the rename.
        let _present = present();
        file.persist(name).map_err(|error| error.error)?;
        Ok(())
    }

    fn file(&mut self) -> &mut NamedTempFile {
        self.file.as_mut().expect("not renamed yet")
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(self.file.take());
        present().retain(|other| *other != self.path);
    }
}

/// Removes all temporary files and ends the program at once. May be called from any thread.
pub fn exit(code: i32) -> ! {
    // Locked until the end, so that no other thread creates or renames a file in between.
    let present = present();
    for path in present.iter() {
        // Fails for a file that was renamed already.
        let _ = std::fs::remove_file(path);
    }
    std::process::exit(code)
}

/// Sets the permissions of a new temporary file.
///
/// Temporary files are private by default. A result gets the permissions of the file it replaces,
/// or those of any new file.
#[cfg(unix)]
fn with_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
    path: &Path,
) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.prefix(".idealparent-");
    match std::fs::metadata(path) {
        // Private until it is renamed; permissions set now would be reduced by the user's umask.
        Ok(_) => builder,
        Err(_) => builder.permissions(std::fs::Permissions::from_mode(0o666)),
    }
}

#[cfg(not(unix))]
fn with_permissions<'a, 'b>(
    builder: &'a mut tempfile::Builder<'b, 'b>,
    _path: &Path,
) -> &'a mut tempfile::Builder<'b, 'b> {
    builder.prefix(".idealparent-")
}

/// Gives a file the permissions of the one it replaces.
#[cfg(unix)]
fn keep_permissions(file: &std::fs::File, replaced: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(replaced) {
        Ok(there) => {
            let mode = there.permissions().mode() & 0o777;
            file.set_permissions(std::fs::Permissions::from_mode(mode))
        }
        Err(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_permissions(_file: &std::fs::File, _replaced: &Path) -> io::Result<()> {
    Ok(())
}
