//! Messages that name options, written as the reader's program writes them.
//!
//! The library does not know whether its user typed `--gamma 2` or `gamma=2`. Messages therefore
//! mark the options they name, and [`render`] writes them in the reader's style. The marks are
//! private-use characters, which [`quoted`](super::quoted) escapes in text of users.

use std::fmt::{self, Display};

/// Before an option's name.
const BEGIN: char = '\u{e000}';
/// Before a value.
const VALUE: char = '\u{e001}';
/// Before each of several values.
const ITEM: char = '\u{e002}';
/// After the option.
const END: char = '\u{e003}';

/// Whether a character marks an option.
pub(crate) fn is_mark(character: char) -> bool {
    (BEGIN..=END).contains(&character)
}

/// How options are written in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionStyle {
    /// `` `max_parents` ``, the name of the field.
    Plain,
    /// `--max-parents 3`, as on a command line.
    Command,
    /// `max_parents=3`, as a keyword argument.
    Python,
}

/// An option in a message.
pub(crate) fn option(name: &str) -> String {
    format!("{BEGIN}{name}{END}")
}

/// An option with a value.
pub(crate) fn option_value(name: &str, value: impl Display) -> String {
    format!("{BEGIN}{name}{VALUE}{value}{END}")
}

/// An option with a list of names as its value.
pub(crate) fn option_list<S: AsRef<str>>(name: &str, items: &[S]) -> String {
    let items = items.iter().map(|item| format!("{ITEM}{}", item.as_ref()));
    format!("{BEGIN}{name}{}{END}", items.collect::<String>())
}

/// Writes every option of a text in a style.
pub(crate) fn render(text: &str, style: OptionStyle) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        written += before;
        let (inner, after) = after.split_once(END).unwrap_or((after, ""));
        written += &mention(inner, style);
        rest = after;
    }
    written + rest
}

/// One option, without the marks around it.
fn mention(inner: &str, style: OptionStyle) -> String {
    if let Some((name, value)) = inner.split_once(VALUE) {
        return match style {
            OptionStyle::Plain => format!("`{name} = {value}`"),
            OptionStyle::Command => format!("--{} {}", name.replace('_', "-"), shell_word(value)),
            OptionStyle::Python if value.parse::<f64>().is_ok() => format!("{name}={value}"),
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

/// A name in a list separated by commas, in quotation marks where it holds one.
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

/// Something a user should know about a result, in one line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Note(String);

impl Note {
    /// The line with options written in a style.
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
    fn options_are_written_in_the_readers_style() {
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
    fn hostile_values_stay_one_word() {
        let drop = option_list("drop", &["it's"]);
        assert_eq!(render(&drop, OptionStyle::Command), r"--drop 'it'\''s'");
        assert_eq!(render(&drop, OptionStyle::Python), r"drop=['it\'s']");
    }

    #[test]
    fn text_without_marks_stays_as_it_is() {
        for text in ["", "plain", "`gamma` --gamma"] {
            assert_eq!(render(text, OptionStyle::Command), text);
        }
    }
}
