//! The command line that repeats a run.

use idealparent::{LearnOptions, Network};
use serde_json::{Map, Value};

/// The `idealparent learn` or `fit` command that repeats the run that made `network`.
///
/// `data` are the arguments that select the data. The options are those recorded in the network.
/// Lists such as required edges are given as files named after the option, `require.tsv`. The
/// result is empty if the network has no provenance, or records an option that the command lacks.
pub fn command_line(network: &Network, data: &[String]) -> String {
    let Some(provenance) = &network.provenance else {
        return String::new();
    };
    let recorded = &provenance.options;
    let is_known = |key: &String| LearnOptions::specs().iter().any(|spec| spec.is_called(key));
    let is_supported =
        |(key, value): (&String, &Value)| is_known(key) || is_old_default(key, value);
    if !recorded.iter().all(is_supported) {
        return String::new();
    }
    let mut words = vec!["idealparent".to_string()];
    // Only searches record a method.
    if recorded.contains_key("method") {
        words.push("learn".to_string())
    } else {
        words.extend(["fit".to_string(), "structure.tsv".to_string()])
    }
    let word = |word: &String| match word.strip_prefix('-') {
        // A file name that begins with a dash must not look like an option.
        Some(rest) if !rest.is_empty() && !rest.starts_with('-') => quoted(&format!("./{word}")),
        _ => quoted(word),
    };
    words.extend(data.iter().map(word));
    let defaults = LearnOptions::default();
    for spec in LearnOptions::specs() {
        let found = recorded.iter().find(|(key, _)| spec.is_called(key));
        let Some((_, value)) = found else {
            continue;
        };
        let is_default = spec.record(&defaults).as_ref() == Some(value);
        // Recorded for every run with hidden variables, but shown only if it differs from the
        // default.
        let is_implied = spec.name == "min_children" && is_default_min_children(value, recorded);
        if !is_default && !is_implied && !is_default_price(spec.name, value) {
            words.extend(option(spec.name, value));
        }
    }
    if provenance.seed != 0 {
        words.extend(["--seed".to_string(), provenance.seed.to_string()]);
    }
    words.extend(["-o".to_string(), "net.json".to_string()]);
    words.join(" ")
}

/// Whether this is the default of an option that earlier versions recorded and the command no
/// longer has.
fn is_old_default(key: &str, value: &Value) -> bool {
    matches!(
        (key, value.as_str()),
        ("cluster_score", Some("integrated")) | ("moments", Some("full"))
    ) || (key == "resolve" && *value == Value::Bool(false))
}

/// Whether this is the default of gamma or penalty. Both are recorded even if the score does not
/// use them.
fn is_default_price(name: &str, value: &Value) -> bool {
    matches!(name, "gamma" | "penalty") && value.as_f64() == Some(1.0)
}

fn is_default_min_children(value: &Value, recorded: &Map<String, Value>) -> bool {
    let two_layers = recorded.get("two_layer") == Some(&Value::Bool(true));
    value.as_u64() == Some(if two_layers { 2 } else { 3 })
}

fn option(name: &str, value: &Value) -> Vec<String> {
    let word = format!("--{}", name.replace('_', "-"));
    match value {
        Value::Bool(true) => vec![word],
        Value::Bool(false) | Value::Null => Vec::new(),
        Value::Array(_) if matches!(name, "require" | "forbid" | "start" | "tiers") => {
            vec![word, format!("{name}.tsv")]
        }
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            vec![word, quoted(&parts.join(","))]
        }
        Value::String(text) => vec![word, quoted(text)],
        other => vec![word, quoted(&other.to_string())],
    }
}

/// Quotes a word for the shell if necessary.
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
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("a/b.tsv"), "a/b.tsv");
        assert_eq!(quoted("it's; rm -rf"), r"'it'\''s; rm -rf'");
        assert_eq!(quoted(""), "''");
    }
}
