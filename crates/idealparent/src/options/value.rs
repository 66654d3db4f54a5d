//! The types that options take.

use serde_json::{Value, json};

use crate::error::{Error, Result, quoted};

/// What kind of value an option takes: decides how a command line parses it and how Python types it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionKind {
    /// On or off.
    Flag,
    /// `yes` or `no`, or decided by the program.
    YesNo,
    /// A whole number.
    Whole,
    /// A whole number or one of some words.
    WholeOr(&'static [&'static str]),
    /// A number.
    Number,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Several of some words.
    Words(&'static [&'static str]),
    /// Any text.
    Text,
    /// Names, separated by commas.
    Names,
    /// A file of names, or the names.
    NameFile,
    /// A file of edges, or the edges.
    Edges,
    /// A file of tiers, or the tiers.
    Tiers,
    /// A file with a structure, or the structure.
    Structure,
}

/// A type that an option can have.
pub trait OptionValue: Sized {
    /// What kind of value it is.
    const KIND: OptionKind;

    /// Likewise where it need not be given.
    const OPTIONAL: OptionKind = Self::KIND;

    /// Reads a value. An [`Error::Options`] says what is wrong with it, as in "'x' is not a number";
    /// who knows the option puts its name before that.
    fn parse(text: &str) -> Result<Self>;

    /// The value as it is recorded in network files; `None`: nothing to record.
    fn record(&self) -> Option<Value>;
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
}

impl OptionValue for f64 {
    const KIND: OptionKind = OptionKind::Number;

    fn parse(text: &str) -> Result<Self> {
        text.parse().or_else(|_| wrong(text, "is not a number"))
    }

    fn record(&self) -> Option<Value> {
        Some(json!(self))
    }
}

/// Whole numbers of any width.
macro_rules! whole {
    ($($type:ty),*) => {$(
        impl OptionValue for $type {
            const KIND: OptionKind = OptionKind::Whole;

            fn parse(text: &str) -> Result<Self> {
                let number = text.parse();
                number.or_else(|_| wrong(text, "is not a whole number from 0 up"))
            }

            fn record(&self) -> Option<Value> {
                Some(json!(self))
            }
        }
    )*};
}
whole!(usize, u64);

/// An option that need not be given.
impl<T: OptionValue> OptionValue for Option<T> {
    const KIND: OptionKind = T::OPTIONAL;

    fn parse(text: &str) -> Result<Self> {
        T::parse(text).map(Some)
    }

    fn record(&self) -> Option<Value> {
        self.as_ref().and_then(T::record)
    }
}

/// Names separated by commas, added to those given before. One in quotation marks may hold commas;
/// marks inside it are doubled, as in a CSV file.
impl OptionValue for Vec<String> {
    const KIND: OptionKind = OptionKind::Names;

    fn parse(text: &str) -> Result<Self> {
        Ok(split_names(text))
    }

    fn record(&self) -> Option<Value> {
        (!self.is_empty()).then(|| json!(self))
    }
}

/// The names in a list with commas between them.
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

/// The name up to its closing mark and what follows the comma there, if it is quoted at all.
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
            // Marks in the middle belong to the name.
            None => None,
            Some(rest) => Some((name, Some(rest))),
        };
    }
}

/// The error for a value: what the user wrote, and what is wrong with it.
pub(crate) fn wrong<T>(text: &str, problem: &str) -> Result<T> {
    Err(Error::Options(format!("{} {problem}", quoted(text))))
}

/// Makes an enum of words an option's value: one that derives `EnumString`, `IntoStaticStr` and
/// `VariantNames` of strum.
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
            /// The word for it in options and files.
            pub fn word(self) -> &'static str {
                self.into()
            }
        }
    };
}
pub(crate) use word_value;

/// The error for a word that is none of the known ones.
pub(crate) fn unknown_word<T>(word: &str, known: &[&str]) -> Result<T> {
    wrong(word, &format!("is none of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::split_names;

    #[test]
    fn names_may_be_quoted_to_hold_commas() {
        assert_eq!(split_names("a,b c,"), ["a", "b c"]);
        assert_eq!(split_names(r#""a, b",c,"d""#), ["a, b", "c", "d"]);
        assert_eq!(
            split_names(r#""say ""hi"", she said",x"#),
            [r#"say "hi", she said"#, "x"]
        );
        assert_eq!(split_names(""), Vec::<String>::new());
    }

    #[test]
    fn marks_that_do_not_enclose_a_name_are_part_of_it() {
        assert_eq!(
            split_names(r#"5" disk,"3" disk,"open"#),
            [r#"5" disk"#, r#""3" disk"#, r#""open"#]
        );
    }
}
