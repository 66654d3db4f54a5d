//! What can go wrong, in one line a user can act on.

use std::io;

/// A `Result` whose error is the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// A mistake in the data, in a file or in the options.
///
/// Every variant prints as one line. A mistake of the library itself is a panic, never an `Error`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file, as the user named it.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// A table is malformed; `place` is `file` or `file:line`.
    #[error("{place}: {problem}")]
    Table {
        /// File and, where one line is to blame, line.
        place: String,
        /// What is wrong and what to do about it.
        problem: String,
    },
    /// A network file is malformed or contradicts itself.
    #[error("{place}: {problem}")]
    Network {
        /// The file.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// The data are readable but cannot support what was asked.
    #[error("{0}")]
    Data(String),
    /// The options contradict each other, or name what does not exist: wrong usage.
    #[error("{0}")]
    Options(String),
}

impl Error {
    /// Shorthand for [`Error::Table`].
    pub fn table(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Table {
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// Shorthand for [`Error::Network`].
    pub fn network(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Network {
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// Shorthand for [`Error::Io`].
    pub fn io(path: impl Into<String>, source: io::Error) -> Self {
        Error::Io {
            path: path.into(),
            source,
        }
    }

    /// Whether the mistake is one of usage (exit code 2) rather than of data (exit code 1).
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::Options(_))
    }
}
