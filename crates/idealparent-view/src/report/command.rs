//! The command that repeats a run.

use idealparent::{LearnOptions, Network};
use serde_json::{Map, Value};

/// `idealparent learn`, or `fit`, with these words for the data and the options that a network was
/// learned with; nothing if it does not know them. Lists that came from files are named after what
/// they hold.
pub fn command_line(network: &Network, data: &[String]) -> String {
    let Some(provenance) = &network.provenance else {
        return String::new();
    };
    let mut words = vec!["idealparent".to_string()];
    // A search has a method.
    if provenance.options.contains_key("method") {
        words.push("learn".to_string())
    } else {
        words.extend(["fit".to_string(), "structure.tsv".to_string()])
    }
    let word = |word: &String| match word.strip_prefix('-') {
        // A file, and not an option.
        Some(rest) if !rest.is_empty() && !rest.starts_with('-') => quoted(&format!("./{word}")),
        _ => quoted(word),
    };
    words.extend(data.iter().map(word));
    let usual = LearnOptions::default().record();
    for (key, value) in &provenance.options {
        // A file may hold anything.
        let is_word = key
            .chars()
            .all(|c| c.is_ascii_lowercase() || c == '_' || c == '2');
        if is_word && usual.get(key) != Some(value) {
            words.extend(option(key, value, &provenance.options));
        }
    }
    if provenance.seed != 0 {
        words.extend(["--seed".to_string(), provenance.seed.to_string()]);
    }
    words.extend(["-o".to_string(), "net.json".to_string()]);
    words.join(" ")
}

fn option(key: &str, value: &Value, all: &Map<String, Value>) -> Vec<String> {
    let word = format!("--{}", key.replace('_', "-"));
    let is_default = |key: &str, usual: f64| key == word && value.as_f64() == Some(usual);
    // Written down whatever the score, and said only where they differ.
    if is_default("--gamma", 1.0) || is_default("--penalty", 1.0) {
        return Vec::new();
    }
    if key == "min_children" && !all.contains_key("hidden") {
        return Vec::new();
    }
    match value {
        Value::Bool(true) => vec![word],
        Value::Bool(false) | Value::Null => Vec::new(),
        Value::Array(_) if matches!(key, "require" | "forbid" | "start" | "tiers") => {
            vec![word, format!("{key}.tsv")]
        }
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            vec![word, quoted(&parts.join(","))]
        }
        Value::String(text) => vec![word, quoted(text)],
        other => vec![word, quoted(&other.to_string())],
    }
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_safe_in_a_shell() {
        assert_eq!(quoted("a/b.tsv"), "a/b.tsv");
        assert_eq!(quoted("it's; rm -rf"), r"'it'\''s; rm -rf'");
        assert_eq!(quoted(""), "''");
    }
}
