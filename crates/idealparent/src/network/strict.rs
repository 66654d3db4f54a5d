//! Strict JSON: only finite numbers are written, and duplicate keys are rejected.

use std::collections::HashSet;
use std::fmt;
use std::io;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::ser::Formatter;

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
