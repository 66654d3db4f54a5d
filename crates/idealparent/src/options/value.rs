//! The types of option values.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{Error, Result, quoted};

/// The kind of value of an option. It determines how the command line parses the option, and its
/// type in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionKind {
    /// On or off.
    Flag,
    /// `yes` or `no`; if absent, the program decides.
    YesNo,
    /// A whole number.
    Whole,
    /// A whole number or one of these words.
    WholeOr(&'static [&'static str]),
    /// A number.
    Number,
    /// A number or one of these words.
    NumberOr(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Several of these words.
    Words(&'static [&'static str]),
    /// Any text.
    Text,
    /// Names, separated by commas.
    Names,
    /// A file with names, or the names themselves.
    NameFile,
    /// A file with edges, or the edges themselves.
    Edges,
    /// A file with tiers, or the tiers themselves.
    Tiers,
    /// A file with a structure, or the structure itself.
    Structure,
}

impl OptionKind {
    /// How the value is written on a command line or in a file, if that needs an explanation.
    pub fn syntax(self) -> Option<&'static str> {
        match self {
            OptionKind::Names => Some("names separated by commas, \"quoted\" if they contain one"),
            OptionKind::NameFile => {
                Some("a file with one name per line, \"quoted\" as in CSV where needed")
            }
            OptionKind::Edges => Some("a table with columns from, to"),
            OptionKind::Tiers => Some("a file with one tier per line, names separated by tabs"),
            OptionKind::Structure => Some("a network file, or a table with columns from, to"),
            _ => None,
        }
    }

    /// Whether the value on a command line is the name of a file.
    pub fn is_file(self) -> bool {
        matches!(
            self,
            OptionKind::NameFile | OptionKind::Edges | OptionKind::Tiers | OptionKind::Structure
        )
    }
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// The kind of value.
    const KIND: OptionKind;

    /// The kind of value of an `Option` of this type.
    const OPTIONAL: OptionKind = Self::KIND;

    /// Parses a value. The message of an [`Error::Options`] says what is wrong with it, as in "'x'
    /// is not a number"; [`OptionSpec::set`](super::OptionSpec::set) adds the name of the option.
    fn parse(text: &str) -> Result<Self>;

    /// The value as recorded in network files; `None` if there is nothing to record.
    fn record(&self) -> Option<Value>;

    /// The inverse of [`record`](Self::record). By default a word, a number or a list of words is
    /// parsed as on a command line.
    fn restore(value: &Value) -> Result<Self> {
        match value {
            Value::String(word) => Self::parse(word),
            Value::Array(items) => {
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                Self::parse(&words.join(","))
            }
            other => Self::parse(&other.to_string()),
        }
    }
}

impl OptionValue for bool {
    const KIND: OptionKind = OptionKind::Flag;
    const OPTIONAL: OptionKind = OptionKind::YesNo;

    fn parse(text: &str) -> Result<Self> {
        match text {
            "yes" | "true" | "1" => Ok(true),
            "no" | "false" | "0" => Ok(false),
            _ => wrong(text, "is neither yes nor no"),
        }
    }

    fn record(&self) -> Option<Value> {
        Some(json!(self))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored(value, "is neither true nor false")
    }
}

impl OptionValue for f64 {
    const KIND: OptionKind = OptionKind::Number;

    fn parse(text: &str) -> Result<Self> {
        text.parse().or_else(|_| wrong(text, "is not a number"))
    }

    fn record(&self) -> Option<Value> {
        Some(json!(self))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored(value, "is not a number")
    }
}

/// Implements [`OptionValue`] for unsigned integers.
macro_rules! whole {
    ($($type:ty),*) => {$(
        impl OptionValue for $type {
            const KIND: OptionKind = OptionKind::Whole;

            fn parse(text: &str) -> Result<Self> {
                let number = text.parse::<$type>();
                number.or_else(|error| {
                    wrong_whole(text, &error, <$type>::MAX, "is not a whole number of at least 0")
                })
            }

            fn record(&self) -> Option<Value> {
                Some(json!(self))
            }

            fn restore(value: &Value) -> Result<Self> {
                restored(value, "is not a whole number from 0 up")
            }
        }
    )*};
}
whole!(usize, u64);

/// An optional value.
impl<T: OptionValue> OptionValue for Option<T> {
    const KIND: OptionKind = T::OPTIONAL;

    fn parse(text: &str) -> Result<Self> {
        T::parse(text).map(Some)
    }

    fn record(&self) -> Option<Value> {
        self.as_ref().and_then(T::record)
    }

    fn restore(value: &Value) -> Result<Self> {
        T::restore(value).map(Some)
    }
}

/// Names separated by commas, as [`split_names`] splits them.
impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::Names;

    fn parse(text: &str) -> Result<Self> {
        Ok(split_names(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.is_empty()).then(|| json!(self))
    }

    fn restore(value: &Value) -> Result<Self> {
        restored(value, "is not a list of names")
    }
}

/// Splits a list of names at commas. A name in quotation marks may contain commas; quotation marks
/// inside it are doubled, as in a CSV file. Empty names are dropped.
pub fn split_names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = Some(list);
    while let Some(text) = rest {
        let quoted = text.strip_prefix('"').and_then(quoted_name);
        let (name, after) = quoted.unwrap_or_else(|| match text.split_once(',') {
            Some((name, after)) => (name.trim().to_string(), Some(after)),
            None => (text.trim().to_string(), None),
        });
        names.push(name);
        rest = after;
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The name before its closing quotation mark, and the text after the next comma, if any. `None` if
/// the name is not closed, or if other text follows the closing mark.
fn quoted_name(text: &str) -> Option<(String, Option<&str>)> {
    let mut from = 0;
    loop {
        let mark = from + text[from..].find('"')?;
        let after = &text[mark + 1..];
        if after.starts_with('"') {
            from = mark + 2;
            continue;
        }
        let name = text[..mark].replace("\"\"", "\"");
        return match after.strip_prefix(',') {
            None if after.is_empty() => Some((name, None)),
            // A quotation mark inside a name is part of the name.
            None => None,
            Some(rest) => Some((name, Some(rest))),
        };
    }
}

/// A recorded value of a type that JSON has; `problem` says what is wrong with any other value.
pub(crate) fn restored<T: DeserializeOwned>(value: &Value, problem: &str) -> Result<T> {
    T::deserialize(value).or_else(|_| wrong(&value.to_string(), problem))
}

/// The error for an invalid value: what the user wrote, and what is wrong with it.
pub(crate) fn wrong<T>(text: &str, problem: &str) -> Result<T> {
    Err(Error::options(format!("{} {problem}", quoted(text))))
}

/// The error for an invalid whole number: too large, or `problem`.
pub(crate) fn wrong_whole<T>(
    text: &str,
    error: &ParseIntError,
    most: impl Display,
    problem: &str,
) -> Result<T> {
    match error.kind() {
        IntErrorKind::PosOverflow => wrong(text, &format!("is too large (at most {most})")),
        _ => wrong(text, problem),
    }
}

/// Implements [`OptionValue`] for an enum whose variants are words. The enum must derive
/// `EnumString`, `IntoStaticStr` and `VariantNames` of strum.
macro_rules! word_value {
    ($type:ty) => {
        impl $crate::options::OptionValue for $type {
            const KIND: $crate::options::OptionKind =
                $crate::options::OptionKind::Word(<$type as strum::VariantNames>::VARIANTS);

            fn parse(text: &str) -> $crate::error::Result<Self> {
                let known = <$type as strum::VariantNames>::VARIANTS;
                text.parse()
                    .or_else(|_| $crate::options::unknown_word(text, known))
            }

            fn record(&self) -> Option<serde_json::Value> {
                Some(serde_json::json!(self.word()))
            }
        }

        impl $type {
            /// The word for this value in options and files.
            pub fn word(self) -> &'static str {
                self.into()
            }
        }
    };
}
pub(crate) use word_value;

/// The error for an unknown word; it lists the known ones.
pub(crate) fn unknown_word<T>(word: &str, known: &[&str]) -> Result<T> {
    if word.is_empty() {
        let known = known.join(", ");
        return Err(Error::options(format!(
            "no value is given (choose from {known})"
        )));
    }
    wrong(word, &format!("is not one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{OptionValue, split_names};

    #[test]
    fn numbers_that_do_not_fit_are_too_large() {
        let message = |text| u64::parse(text).unwrap_err().to_string();
        assert_eq!(
            message("99999999999999999999"),
            "'99999999999999999999' is too large (at most 18446744073709551615)"
        );
        assert_eq!(message("-1"), "'-1' is not a whole number of at least 0");
        assert_eq!(message(""), "'' is not a whole number of at least 0");
    }

    #[test]
    fn quoted_names_may_contain_commas() {
        assert_eq!(split_names("a,b c,"), ["a", "b c"]);
        assert_eq!(split_names(r#""a, b",c,"d""#), ["a, b", "c", "d"]);
        assert_eq!(
            split_names(r#""say ""hi"", she said",x"#),
            [r#"say "hi", she said"#, "x"]
        );
        assert_eq!(split_names(""), Vec::<String>::new());
    }

    #[test]
    fn quotation_marks_that_do_not_enclose_a_name_are_part_of_it() {
        assert_eq!(
            split_names(r#"5" disk,"3" disk,"open"#),
            [r#"5" disk"#, r#""3" disk"#, r#""open"#]
        );
    }
}
