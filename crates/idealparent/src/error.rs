//! What can go wrong, in one line a user can act on.

use std::io;

/// A `Result` whose error is the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Longest piece of what a user wrote that a message repeats, in characters.
const LONGEST: usize = 40;

/// A name in a message: in single quotes, cut short where it is long, on one line whatever it
/// holds.
///
/// ```
/// use idealparent::error::quoted;
///
/// assert_eq!(quoted("a\nb"), r"'a\nb'");
/// assert_eq!(quoted(&"x".repeat(9999)).chars().count(), 42);
/// ```
pub fn quoted(name: &str) -> String {
    format!("'{}'", shorten(name))
}

/// Text of a user, cut short where it is long, with control characters escaped.
pub fn shorten(text: &str) -> String {
    shorten_to(text, LONGEST)
}

/// Text of any length in at most so many characters, with control characters escaped.
pub(crate) fn shorten_to(text: &str, longest: usize) -> String {
    let is_long = text.chars().nth(longest).is_some();
    let kept = if is_long { longest - 1 } else { longest };
    let mut shown = String::new();
    for character in text.chars().take(kept) {
        // The two separators break lines without being control characters.
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if is_long {
        shown.push('…');
    }
    shown
}

/// The error for a word that is none of those an option takes.
pub(crate) fn unknown(what: &str, word: &str, known: &[&str]) -> Error {
    let (word, known) = (quoted(word), known.join(", "));
    Error::Options(format!("unknown {what} {word} (there are: {known})"))
}

/// Gives an enum that derives `IntoStaticStr` and `VariantNames` the word of each variant, and the
/// error for other words.
macro_rules! words {
    ($kind:ty, $what:literal) => {
        impl $kind {
            /// The word for it in options and files.
            pub fn word(self) -> &'static str {
                self.into()
            }

            fn unknown(word: &str) -> $crate::error::Error {
                let known = <Self as strum::VariantNames>::VARIANTS;
                $crate::error::unknown($what, word, known)
            }
        }
    };
}
pub(crate) use words;

/// Where the entries of a list were read, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file; empty where there is none.
    pub file: String,
    /// The line of each entry, from 1.
    pub lines: Vec<usize>,
}

impl Origin {
    /// `file:line` of an entry that came from a file.
    pub fn place(&self, entry: usize) -> Option<String> {
        let line = self.lines.get(entry)?;
        (!self.file.is_empty()).then(|| format!("{}:{line}", self.file))
    }
}

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
    /// The data do not determine the parameters of a structure; they may determine those of others.
    #[error("{0}")]
    Unfit(String),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_any_word_is_one_line() {
        let line = unknown("search", "a\nb", &["hill", "tabu"]).to_string();
        assert_eq!(line, r"unknown search 'a\nb' (there are: hill, tabu)");
    }
}
