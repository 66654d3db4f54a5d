//! Strict JSON: only finite numbers are written, duplicate keys are rejected, and errors are in the
//! words of the format.

use std::collections::HashSet;
use std::fmt;
use std::io;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::ser::Formatter;

use crate::error::{shorten, shorten_to};

/// Makes null an error, because serde_json writes null for numbers that are not finite.
struct NoNull;

impl Formatter for NoNull {
    fn write_null<W: io::Write + ?Sized>(&mut self, _writer: &mut W) -> io::Result<()> {
        Err(io::Error::other("a number is not finite"))
    }
}

/// Serialises names and numbers to compact JSON. `None` if a number is not finite.
pub(super) fn to_string(value: &impl Serialize) -> Option<String> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, NoNull);
    value.serialize(&mut serializer).ok()?;
    Some(String::from_utf8(bytes).expect("JSON is text"))
}

/// Returns an error if the text is not JSON, or if an object has a duplicate key: programs that
/// read the file would see only one of its values.
pub(super) fn check_keys(text: &str) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_str(text);
    UniqueKeys.deserialize(&mut reader)?;
    reader.end()
}

/// The message for an error of the JSON parser, without the names of Rust's types.
pub(super) fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(what, _)| what);
    let place = format!("line {}, column {}", error.line(), error.column());
    if error.is_eof() {
        return format!("the file is incomplete: it ends at line {}", error.line());
    }
    if let Some(field) = what.strip_prefix("missing field ") {
        let field = field.trim_matches('`');
        return format!("{place}: \"{field}\" is missing");
    }
    let mismatch = what
        .strip_prefix("invalid type: ")
        .and_then(|types| types.rsplit_once(", expected "));
    match mismatch {
        Some((found, needed)) => {
            format!(
                "{place}: expected {}, not {}",
                kind_of(needed),
                shown(found)
            )
        }
        None if error.is_data() => format!("{place}: {}", shorten_to(what, LONGEST)),
        None => format!("{place}: invalid JSON: {}", shorten_to(what, LONGEST)),
    }
}

/// Longest message of the JSON parser that is repeated, in characters.
const LONGEST: usize = 200;

/// The kind of value that the JSON parser expected, in the words of JSON.
fn kind_of(needed: &str) -> &str {
    match needed {
        "f64" => "a number",
        "u64" | "usize" | "u32" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

/// The value that the JSON parser found, as in the file: ``integer `3` `` becomes `3`.
fn shown(found: &str) -> String {
    let value = match found {
        "map" => "an object",
        "sequence" => "a list",
        other => ["string ", "integer ", "floating point ", "boolean "]
            .iter()
            .find_map(|kind| other.strip_prefix(kind))
            .unwrap_or(other),
    };
    shorten(value.trim_matches('`'))
}

/// Visits any value and discards it; fails at a duplicate key.
#[derive(Clone, Copy)]
struct UniqueKeys;

impl<'de> DeserializeSeed<'de> for UniqueKeys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys: HashSet<String> = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains(&key) {
                let shown = crate::error::quoted(&key);
                return Err(serde::de::Error::custom(format!("duplicate key {shown}")));
            }
            keys.insert(key);
            entries.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_finite_numbers_are_written() {
        assert_eq!(to_string(&[1.5, -2.0]).unwrap(), "[1.5,-2.0]");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(to_string(&[1.5, bad]), None);
        }
        assert_eq!(to_string(&json!({"a": "null"})).unwrap(), r#"{"a":"null"}"#);
    }

    #[test]
    fn duplicate_keys_are_rejected() {
        assert!(check_keys(r#"{"a": [1, {"a": null, "b": true}], "b": -2.5}"#).is_ok());
        let wrong = |text: &str| check_keys(text).unwrap_err().to_string();
        let twice = wrong("{\"a\": [{\"b\": 1,\n\"b\": 2}]}");
        assert_eq!(twice, "duplicate key 'b' at line 2 column 3");
        assert!(wrong(r#"{"a": 1, "\u0061": 2}"#).starts_with("duplicate key 'a'"));
        assert!(wrong("{} x").starts_with("trailing characters"));
    }
}
