//! Checkpoint files, from which an interrupted run can be continued.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use idealparent::{Checkpoint, Error, OptionStyle, Result};

use crate::output;

/// Writes checkpoints to a file, with a minimum time between two of them.
pub struct CheckpointWriter {
    path: PathBuf,
    every: Duration,
    /// Number of checkpoints written.
    count: usize,
    /// The run stops after this many checkpoints.
    most: Option<usize>,
    /// When the last checkpoint was written.
    pub written: Option<Instant>,
    /// The error, if the first checkpoint could not be written.
    pub error: Option<Error>,
    /// Whether the user was told that a later checkpoint could not be written.
    has_warned: bool,
}

impl CheckpointWriter {
    /// Writes to this file, at most once every `seconds` and at most `most` times.
    ///
    /// Returns an error if the file exists and is neither empty nor a checkpoint, since it would be
    /// overwritten.
    pub fn new(path: &Path, seconds: f64, most: Option<usize>) -> Result<Self> {
        if !(0.0..=1e9).contains(&seconds) {
            let problem = "--checkpoint-every must be from 0 to 1e9 seconds";
            return Err(Error::options(problem));
        }
        let wrong = |what: &str| {
            let problem = format!("--checkpoint {}: {what}", path.display());
            Err(Error::options(problem))
        };
        if output::is_stdout(path) || path.exists() && !path.is_file() {
            return wrong("this is not a regular file");
        }
        let is_empty = std::fs::metadata(path).map_or(true, |there| there.len() == 0);
        if !is_empty && read(path).is_err() {
            return wrong("this file is not a checkpoint and would be overwritten");
        }
        Ok(CheckpointWriter {
            path: path.to_path_buf(),
            every: Duration::from_secs_f64(seconds),
            count: 0,
            most,
            written: None,
            error: None,
            has_warned: false,
        })
    }

    /// Whether a checkpoint should be written now; `last` says that the run is ending.
    pub fn is_due(&self, last: bool) -> bool {
        last || self.written.is_none_or(|then| then.elapsed() >= self.every)
    }

    /// Whether the requested number of checkpoints was written.
    pub fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.count >= most)
    }

    /// Replaces the content of the file; on failure the file is unchanged.
    pub fn write(&mut self, checkpoint: &Checkpoint) {
        match output::write(Some(&self.path), &checkpoint.to_json()) {
            Ok(()) => {
                self.written = Some(Instant::now());
                self.count += 1;
            }
            Err(error) if self.written.is_none() => self.error = Some(error),
            // The run continues, since a later attempt may succeed.
            Err(error) => {
                if !std::mem::replace(&mut self.has_warned, true) {
                    output::tell(&format!(
                        "note: the checkpoint could not be written: {}\n",
                        output::message(&error.render(OptionStyle::Command))
                    ));
                }
            }
        }
    }
}

/// Reads the checkpoint in a file; `None` if the file does not exist.
pub fn read(path: &Path) -> Result<Option<Checkpoint>> {
    if path.exists() && !path.is_file() {
        let place = path.display().to_string();
        return Err(Error::table(place, "this is not a regular file"));
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => String::new(),
        Err(error) => return Err(Error::io(path.display().to_string(), error)),
    };
    let named = |error: Error| Error::table(path.display().to_string(), error);
    Checkpoint::from_json(&text).map(Some).map_err(named)
}
