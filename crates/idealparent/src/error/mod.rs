//! Errors and notes, each a single line that a user can act on.

mod message;

use std::{fmt, io};

use message::is_mark;
pub use message::{Message, OptionStyle, option_word, shell_word};
pub(crate) use message::{about, flag, option, option_list, option_value};

/// A `Result` whose error is the library's [`Error`].
///
/// Returned by every function of the library that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Longest piece of a user's text that a message repeats, in characters.
const LONGEST: usize = 40;

/// A name for a message: in single quotes, shortened if long, with control characters escaped so
/// that it stays on one line.
pub fn quoted(name: &str) -> String {
    format!("'{}'", shorten(name))
}

/// Shortens a user's text for a message, and escapes control characters.
pub fn shorten(text: &str) -> String {
    shorten_to(text, LONGEST)
}

/// Shortens a text to at most `longest` characters, and then escapes control characters.
pub(crate) fn shorten_to(text: &str, longest: usize) -> String {
    let is_long = text.chars().nth(longest).is_some();
    let kept = if is_long { longest - 1 } else { longest };
    let mut shown = String::new();
    for character in text.chars().take(kept) {
        // The line and paragraph separators break lines but are not control characters.
        let breaks_line = matches!(character, '\u{2028}' | '\u{2029}');
        if character.is_control() || breaks_line || is_mark(character) {
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

/// File and lines from which the entries of a list were read, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The file; empty if there is none.
    pub(crate) file: String,
    /// The line of each entry, counted from 1; empty if the file is not a list of lines.
    pub(crate) lines: Vec<usize>,
}

impl Origin {
    /// `file:line` of an entry, or `file` if its line is unknown; `None` if it does not come from a
    /// file.
    pub(crate) fn place(&self, entry: usize) -> Option<String> {
        if self.file.is_empty() {
            return None;
        }
        Some(match self.lines.get(entry) {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        })
    }
}

/// A problem with the data, a file or the options.
///
/// Every variant prints as one line. A bug in the library is a panic, never an `Error`.
///
/// ```
/// use idealparent::Error;
///
/// let error = Error::table("edges.csv:3", "no name in column 'to'");
/// assert_eq!(error.to_string(), "edges.csv:3: no name in column 'to'");
/// match error {
///     Error::Table { place, .. } => assert_eq!(place, "edges.csv:3"),
///     other => panic!("another kind of error: {other}"),
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    Io {
        /// Name of the file, as given by the user.
        path: String,
        /// The error from the operating system.
        source: io::Error,
    },
    /// A table is malformed; `place` is `file` or `file:line`.
    Table {
        /// The file, and the line if the problem is in one line.
        place: String,
        /// The problem, and what to do about it.
        problem: Message,
    },
    /// A network file is malformed or inconsistent.
    Network {
        /// The file.
        place: String,
        /// The problem.
        problem: Message,
    },
    /// The data are readable but not suitable for the request.
    Data(Message),
    /// The data do not determine the parameters of a structure. Other structures may still fit.
    Unfit(Message),
    /// Wrong usage: options are invalid, contradict each other, or refer to unknown names.
    Options(Message),
}

impl Error {
    /// Shorthand for [`Error::Table`].
    pub fn table(place: impl Into<String>, problem: impl Into<Message>) -> Self {
        Error::Table {
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// Shorthand for [`Error::Network`].
    pub fn network(place: impl Into<String>, problem: impl Into<Message>) -> Self {
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

    /// Shorthand for [`Error::Data`].
    pub fn data(problem: impl Into<Message>) -> Self {
        Error::Data(problem.into())
    }

    /// Shorthand for [`Error::Unfit`].
    pub fn unfit(problem: impl Into<Message>) -> Self {
        Error::Unfit(problem.into())
    }

    /// Shorthand for [`Error::Options`].
    pub fn options(problem: impl Into<Message>) -> Self {
        Error::Options(problem.into())
    }

    /// The message, with options written in the given style.
    pub fn render(&self, style: OptionStyle) -> String {
        match self {
            Error::Io { path, source } => {
                // The number of the error tells users nothing.
                let text = source.to_string();
                let words = text.split(" (os error").next().unwrap_or_default();
                format!("{path}: {words}")
            }
            Error::Table { place, problem } | Error::Network { place, problem } => {
                format!("{place}: {}", problem.render(style))
            }
            Error::Data(problem) | Error::Unfit(problem) | Error::Options(problem) => {
                problem.render(style)
            }
        }
    }

    /// Whether the error is wrong usage (exit code 2) rather than a problem with data or files
    /// (exit code 1).
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::Options(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.render(OptionStyle::Plain))
    }
}

/// The line of the error, for use in another error. Options in it are still written in the style of
/// the user's program.
impl From<Error> for Message {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { .. } => error.to_string().into(),
            Error::Table { place, problem } | Error::Network { place, problem } => {
                problem.within(place)
            }
            Error::Data(problem) | Error::Unfit(problem) | Error::Options(problem) => problem,
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_stay_on_one_line_and_cannot_contain_marks() {
        assert_eq!(quoted(&"x".repeat(9999)).chars().count(), 42);
        assert_eq!(quoted("a\nb\u{2028}"), r"'a\nb\u{2028}'");
        let hostile = quoted(&option("gamma"));
        let error = Error::data(format!("no variable {hostile}"));
        let line = error.render(OptionStyle::Command);
        assert_eq!(line, r"no variable '\u{e000}gamma\u{e003}'");
    }

    #[test]
    fn no_output_of_an_error_contains_marks() {
        let error = Error::options(format!("{} is too large", option("gamma")));
        assert_eq!(error.to_string(), "`gamma` is too large");
        assert_eq!(format!("{error:?}"), r#"Options("`gamma` is too large")"#);
        let Error::Options(problem) = error else {
            panic!("{error}");
        };
        assert_eq!(problem.to_string(), "`gamma` is too large");
    }

    #[test]
    fn an_error_in_an_error_keeps_the_style_of_its_options() {
        let inner = Error::options(about("gamma", "'x' is not a number"));
        let outer = Error::network("net.json", inner);
        let line = "net.json: --gamma: 'x' is not a number";
        assert_eq!(outer.render(OptionStyle::Command), line);
        let again = Error::data(Message::from(outer).within("run"));
        let line = "run: net.json: gamma: 'x' is not a number";
        assert_eq!(again.render(OptionStyle::Python), line);
    }
}
