//! The file that a long run can go on from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use idealparent::learn::Checkpoint;
use idealparent::{Error, Result};

use crate::output;

/// Writes checkpoints, not too often.
pub struct Keeper {
    path: PathBuf,
    every: Duration,
    /// How many were written.
    count: usize,
    /// The run stops after this many.
    most: Option<usize>,
    /// When the last one was written.
    pub written: Option<Instant>,
    /// Why the first one could not be written.
    pub error: Option<Error>,
    /// Whether the user was told that a later one could not.
    has_warned: bool,
}

impl Keeper {
    /// Writes to this file, at most once in so many seconds and `most` times.
    ///
    /// What is there now must be a checkpoint: anything else would be lost.
    pub fn new(path: &Path, seconds: f64, most: Option<usize>) -> Result<Self> {
        if !(0.0..=1e9).contains(&seconds) {
            let problem = "--checkpoint-every must be a number of seconds from 0 to 1e9";
            return Err(Error::Options(problem.to_string()));
        }
        let wrong = |what: &str| {
            let problem = format!("--checkpoint {}: {what}", path.display());
            Err(Error::Options(problem))
        };
        if output::is_stdout(path) || path.exists() && !path.is_file() {
            return wrong("a checkpoint is a file");
        }
        let is_empty = std::fs::metadata(path).map_or(true, |there| there.len() == 0);
        if !is_empty && read(path).is_err() {
            return wrong("this is no checkpoint, and would be lost");
        }
        Ok(Keeper {
            path: path.to_path_buf(),
            every: Duration::from_secs_f64(seconds),
            count: 0,
            most,
            written: None,
            error: None,
            has_warned: false,
        })
    }

    /// Whether it is time for one.
    pub fn is_due(&self, last: bool) -> bool {
        last || self.written.is_none_or(|then| then.elapsed() >= self.every)
    }

    /// Whether as many were written as were asked for.
    pub fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.count >= most)
    }

    /// Replaces the file's content, or leaves it as it was.
    pub fn write(&mut self, checkpoint: &Checkpoint) {
        match output::write(Some(&self.path), &checkpoint.to_json()) {
            Ok(()) => {
                self.written = Some(Instant::now());
                self.count += 1;
            }
            Err(error) if self.written.is_none() => self.error = Some(error),
            // A search that has come far goes on, and the next one may succeed.
            Err(error) => {
                if !std::mem::replace(&mut self.has_warned, true) {
                    output::tell(&format!(
                        "note: the checkpoint is not written: {}\n",
                        output::message(&error.to_string())
                    ));
                }
            }
        }
    }
}

/// The checkpoint in a file; `None` if there is no such file.
pub fn read(path: &Path) -> Result<Option<Checkpoint>> {
    if path.exists() && !path.is_file() {
        let place = path.display().to_string();
        return Err(Error::table(place, "a checkpoint is a file"));
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => String::new(),
        Err(error) => return Err(Error::io(path.display().to_string(), error)),
    };
    let named = |error: Error| Error::table(path.display().to_string(), error.to_string());
    Checkpoint::from_json(&text).map(Some).map_err(named)
}
