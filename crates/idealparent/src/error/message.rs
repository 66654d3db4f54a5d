//! Messages that name options in the style of the user's program.
//!
//! The library does not know whether the user typed `--gamma 2` or `gamma=2`. Messages therefore
//! mark the options they name, and [`render`] writes them in the user's style. The marks are
//! private-use characters, which [`quoted`](super::quoted) escapes in text from users.

use std::fmt::{self, Display};

/// Precedes an option's name.
const BEGIN: char = '\u{e000}';
/// Precedes a value.
const VALUE: char = '\u{e001}';
/// Precedes each item of a list of values.
const ITEM: char = '\u{e002}';
/// Follows the option.
const END: char = '\u{e003}';

/// Whether a character is one of the marks.
pub(crate) fn is_mark(character: char) -> bool {
    (BEGIN..=END).contains(&character)
}

/// How options are written in messages.
///
/// An argument of `Error::render` and [`Note::render`]; for an example see `LearnOptions`.
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

/// A marked option with a value.
pub(crate) fn option_value(name: &str, value: impl Display) -> String {
    format!("{BEGIN}{name}{VALUE}{value}{END}")
}

/// A marked option with a list of names as its value.
pub(crate) fn option_list<S: AsRef<str>>(name: &str, items: &[S]) -> String {
    let items = items.iter().map(|item| format!("{ITEM}{}", item.as_ref()));
    format!("{BEGIN}{name}{}{END}", items.collect::<String>())
}

/// Replaces every marked option in a text by the option in the given style.
pub(crate) fn render(text: &str, style: OptionStyle) -> String {
    render_by(text, |inner, after| match style {
        // `gamma: 'x' is not a number`, like the package's own messages.
        OptionStyle::Python if after.starts_with(": ") && is_name(inner) => inner.to_string(),
        _ => mention(inner, style),
    })
}

/// Replaces every marked option by `name` or `name=value`, as in the options of a method.
pub(crate) fn bare(text: &str) -> String {
    render_by(text, |inner, _| {
        let named = inner.replace(VALUE, "=").replacen(ITEM, "=", 1);
        named.replace(ITEM, ",")
    })
}

/// Whether a marked option has no value.
fn is_name(inner: &str) -> bool {
    !inner.contains([VALUE, ITEM])
}

/// Replaces every marked option. `write` gets the text between [`BEGIN`] and [`END`], and the text
/// that follows.
fn render_by(text: &str, write: impl Fn(&str, &str) -> String) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        written += before;
        let (inner, after) = after.split_once(END).unwrap_or((after, ""));
        written += &write(inner, after);
        rest = after;
    }
    written + rest
}

/// Writes one option, given as the text between [`BEGIN`] and [`END`].
fn mention(inner: &str, style: OptionStyle) -> String {
    if let Some((name, value)) = inner.split_once(VALUE) {
        return match style {
            OptionStyle::Plain => format!("`{name} = {value}`"),
            OptionStyle::Command => format!("--{} {}", name.replace('_', "-"), shell_word(value)),
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
                format!(
                    "--{} {}",
                    name.replace('_', "-"),
                    shell_word(&list.join(","))
                )
            }
            OptionStyle::Python => {
                let list: Vec<String> = items.iter().map(|item| python_text(item)).collect();
                format!("{name}=[{}]", list.join(", "))
            }
        };
    }
    match style {
        OptionStyle::Plain => format!("`{inner}`"),
        OptionStyle::Command => format!("--{}", inner.replace('_', "-")),
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

fn shell_word(word: &str) -> String {
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

/// A note for the user about a result, in one line.
///
/// Functions that read data or learn return notes with their results.
///
/// ```
/// use idealparent::{Note, OptionStyle};
///
/// let note = Note::from("2 rows have no values and are ignored");
/// assert_eq!(note.render(OptionStyle::Command), "2 rows have no values and are ignored");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Note(String);

impl Note {
    /// The text, with options written in the given style.
    pub fn render(&self, style: OptionStyle) -> String {
        render(&self.0, style)
    }
}

impl<S: Into<String>> From<S> for Note {
    fn from(text: S) -> Self {
        Note(text.into())
    }
}

impl PartialEq<&str> for Note {
    fn eq(&self, text: &&str) -> bool {
        self.render(OptionStyle::Plain) == *text
    }
}

impl Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.render(OptionStyle::Plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_in_the_given_style() {
        let text = format!(
            "{} needs {} (or {})",
            option("two_layer"),
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
                "two_layer= needs hidden='auto' (or drop=['a', 'b, c'])",
            ),
        ];
        for (style, line) in expected {
            assert_eq!(render(&text, style), line);
        }
        assert_eq!(
            render(&option_value("max_parents", 3), OptionStyle::Python),
            "max_parents=3"
        );
    }

    #[test]
    fn quotes_in_values_are_escaped() {
        let drop = option_list("drop", &["it's"]);
        assert_eq!(render(&drop, OptionStyle::Command), r"--drop 'it'\''s'");
        assert_eq!(render(&drop, OptionStyle::Python), r"drop=['it\'s']");
    }

    #[test]
    fn text_without_marks_is_unchanged() {
        for text in ["", "plain", "`gamma` --gamma"] {
            assert_eq!(render(text, OptionStyle::Command), text);
        }
    }
}
