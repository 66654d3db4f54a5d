//! Messages that name options in the style of the user's program.
//!
//! The library does not know whether the user typed `--gamma 2` or `gamma=2`. Messages therefore
//! mark the options they name, and [`Message::render`] writes them in the user's style. The marks
//! are private-use characters, which [`quoted`](super::quoted) escapes in text from users, and
//! which no method of [`Message`] shows.

use std::fmt::{self, Display};

/// Precedes an option's name.
const BEGIN: char = '\u{e000}';
/// Precedes a value.
const VALUE: char = '\u{e001}';
/// Precedes each item of a list of values.
const ITEM: char = '\u{e002}';
/// Follows the option.
const END: char = '\u{e003}';
/// Follows the name of an option that the rest of the message is about.
const ABOUT: char = '\u{e004}';
/// Follows the name of an option that is switched on.
const FLAG: char = '\u{e005}';

/// Whether a character is one of the marks.
pub(crate) fn is_mark(character: char) -> bool {
    (BEGIN..=FLAG).contains(&character)
}

/// How options are written in messages.
///
/// An argument of `Error::render` and [`Message::render`]; for an example see `LearnOptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionStyle {
    /// `` `max_parents = 3` ``, with the name of the field.
    Plain,
    /// `--max-parents 3`, as on a command line.
    Command,
    /// `max_parents=3`, as a keyword argument.
    Python,
}

/// A marked option for a message.
pub(crate) fn option(name: &str) -> String {
    format!("{BEGIN}{name}{END}")
}

/// A marked option that is switched on.
pub(crate) fn flag(name: &str) -> String {
    format!("{BEGIN}{name}{FLAG}{END}")
}

/// A marked option with a value.
pub(crate) fn option_value(name: &str, value: impl Display) -> String {
    format!("{BEGIN}{name}{VALUE}{value}{END}")
}

/// A marked option with a list of names as its value.
pub(crate) fn option_list<S: AsRef<str>>(name: &str, items: &[S]) -> String {
    let items = items.iter().map(|item| format!("{ITEM}{}", item.as_ref()));
    format!("{BEGIN}{name}{}{END}", items.collect::<String>())
}

/// A problem with the value of an option: "`gamma`: 'x' is not a number".
pub(crate) fn about(name: &str, problem: impl Into<Message>) -> Message {
    problem.into().within(format!("{BEGIN}{name}{ABOUT}{END}"))
}

/// Replaces every marked option. `write` gets the text between [`BEGIN`] and [`END`].
fn render_by(text: &str, write: impl Fn(&str) -> String) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        written += before;
        let (inner, after) = after.split_once(END).unwrap_or((after, ""));
        written += &write(inner);
        rest = after;
    }
    written + rest
}

/// Writes one option, given as the text between [`BEGIN`] and [`END`].
fn mention(inner: &str, style: OptionStyle) -> String {
    if let Some(name) = inner.strip_suffix(ABOUT) {
        return match style {
            // `gamma: 'x' is not a number`, like the package's own messages.
            OptionStyle::Python => name.to_string(),
            _ => mention(name, style),
        };
    }
    if let Some(name) = inner.strip_suffix(FLAG) {
        return match style {
            OptionStyle::Python => format!("{name}=True"),
            _ => mention(name, style),
        };
    }
    if let Some((name, value)) = inner.split_once(VALUE) {
        return match style {
            OptionStyle::Plain => format!("`{name} = {value}`"),
            OptionStyle::Command => format!("{} {}", option_word(name), shell_word(value)),
            OptionStyle::Python if value.parse::<f64>().is_ok() => format!("{name}={value}"),
            OptionStyle::Python if value == "yes" => format!("{name}=True"),
            OptionStyle::Python if value == "no" => format!("{name}=False"),
            OptionStyle::Python => format!("{name}={}", python_text(value)),
        };
    }
    if let Some((name, items)) = inner.split_once(ITEM) {
        let items: Vec<&str> = items.split(ITEM).collect();
        return match style {
            OptionStyle::Plain => format!("`{name} = {}`", items.join(", ")),
            OptionStyle::Command => {
                let list: Vec<String> = items.iter().map(|item| list_item(item)).collect();
                format!("{} {}", option_word(name), shell_word(&list.join(",")))
            }
            OptionStyle::Python => {
                let list: Vec<String> = items.iter().map(|item| python_text(item)).collect();
                format!("{name}=[{}]", list.join(", "))
            }
        };
    }
    match style {
        OptionStyle::Plain => format!("`{inner}`"),
        OptionStyle::Command => option_word(inner),
        OptionStyle::Python => format!("{inner}="),
    }
}

/// A name in a comma-separated list, in quotation marks if it contains a comma or a quotation mark.
fn list_item(name: &str) -> String {
    if name.contains([',', '"']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_string()
    }
}

/// The name of an option as on a command line.
pub fn option_word(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// Quotes a word for the shell if necessary.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn python_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

/// One line for the user: the problem of an [`Error`](super::Error), or a note about a result.
///
/// Functions that read data or learn return notes with their results.
///
/// ```
/// use idealparent::{Message, OptionStyle};
///
/// let note = Message::from("2 rows have no values and are ignored");
/// assert_eq!(note.render(OptionStyle::Command), "2 rows have no values and are ignored");
/// ```
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Message(String);

impl Message {
    /// The text, with options written in the given style.
    pub fn render(&self, style: OptionStyle) -> String {
        render_by(&self.0, |inner| mention(inner, style))
    }

    /// The same message after the place or the subject that it is about: "place: message".
    pub fn within(self, place: impl Display) -> Self {
        Message(format!("{place}: {}", self.0))
    }

    /// The text, with options written as `name` or `name=value`, as in the options of a method.
    pub(crate) fn bare(&self) -> String {
        render_by(&self.0, |inner| {
            let named = inner.replace(VALUE, "=").replacen(ITEM, "=", 1);
            named.replace(ITEM, ",").replace([ABOUT, FLAG], "")
        })
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message(text.to_string())
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, text: &&str) -> bool {
        self.render(OptionStyle::Plain) == *text
    }
}

impl Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.render(OptionStyle::Plain))
    }
}

/// As `Display`, in quotation marks: the marks of options are not for users.
impl fmt::Debug for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str, style: OptionStyle) -> String {
        Message::from(text).render(style)
    }

    #[test]
    fn options_are_written_in_the_given_style() {
        let text = format!(
            "{} needs {} (or {})",
            flag("two_layer"),
            option_value("hidden", "auto"),
            option_list("drop", &["a", "b, c"])
        );
        let expected = [
            (
                OptionStyle::Plain,
                "`two_layer` needs `hidden = auto` (or `drop = a, b, c`)",
            ),
            (
                OptionStyle::Command,
                r#"--two-layer needs --hidden auto (or --drop 'a,"b, c"')"#,
            ),
            (
                OptionStyle::Python,
                "two_layer=True needs hidden='auto' (or drop=['a', 'b, c'])",
            ),
        ];
        for (style, line) in expected {
            assert_eq!(render(&text, style), line);
        }
        assert_eq!(
            render(&option_value("max_parents", 3), OptionStyle::Python),
            "max_parents=3"
        );
        assert_eq!(render(&option("start"), OptionStyle::Python), "start=");
    }

    #[test]
    fn a_message_about_an_option_begins_with_its_name() {
        let message = about("max_parents", "'x' is not a number");
        let expected = [
            (OptionStyle::Plain, "`max_parents`: 'x' is not a number"),
            (OptionStyle::Command, "--max-parents: 'x' is not a number"),
            (OptionStyle::Python, "max_parents: 'x' is not a number"),
        ];
        for (style, line) in expected {
            assert_eq!(message.render(style), line);
        }
        assert_eq!(message.bare(), "max_parents: 'x' is not a number");
    }

    #[test]
    fn quotes_in_values_are_escaped() {
        let drop = option_list("drop", &["it's"]);
        assert_eq!(render(&drop, OptionStyle::Command), r"--drop 'it'\''s'");
        assert_eq!(render(&drop, OptionStyle::Python), r"drop=['it\'s']");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a/b.tsv"), "a/b.tsv");
        assert_eq!(shell_word("it's; rm -rf"), r"'it'\''s; rm -rf'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn text_without_marks_is_unchanged() {
        for text in ["", "plain", "`gamma` --gamma"] {
            assert_eq!(render(text, OptionStyle::Command), text);
        }
    }
}
