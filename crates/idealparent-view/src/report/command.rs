//! The command line that repeats a run.

use idealparent::internal::{OptionCommand, OptionSpec, shell_word};
use idealparent::{LearnOptions, Network, Provenance};
use serde_json::{Value, json};

/// The `idealparent learn` or `fit` command that repeats the run that made `network`.
///
/// `data` are the arguments that select the data. The options are those recorded in the network.
/// Lists such as required edges are given as files named after the option, `require.tsv`. The
/// result is empty if the network has no provenance, or records an option that the command lacks.
pub fn command_line(network: &Network, data: &[String]) -> String {
    let Some(provenance) = &network.provenance else {
        return String::new();
    };
    // Only searches record a method.
    let command = if provenance.options.contains_key("method") {
        OptionCommand::Learn
    } else {
        OptionCommand::Fit
    };
    let Some(options) = option_words(provenance, command) else {
        return String::new();
    };
    let mut words = match command {
        OptionCommand::Learn => vec!["idealparent".to_string(), "learn".to_string()],
        _ => ["idealparent", "fit", "structure.tsv"]
            .map(String::from)
            .to_vec(),
    };
    let word = |word: &String| match word.strip_prefix('-') {
        // A file name that begins with a dash must not look like an option.
        Some(rest) if !rest.is_empty() && !rest.starts_with('-') => {
            shell_word(&format!("./{word}"))
        }
        _ => shell_word(word),
    };
    words.extend(data.iter().map(word));
    words.extend(options.iter().map(|word| shell_word(word)));
    words.extend(["-o".to_string(), "net.json".to_string()]);
    words.join(" ")
}

/// The recorded options that differ from what follows from the others, as words of a command line.
/// `None` if the command lacks one of them.
fn option_words(provenance: &Provenance, command: OptionCommand) -> Option<Vec<String>> {
    let mut recorded: Vec<(&'static OptionSpec<LearnOptions>, Value)> = Vec::new();
    for (key, value) in &provenance.options {
        if !is_old_default(key, value) {
            recorded.push((LearnOptions::spec(key).ok()?, value.clone()));
        }
    }
    let seed = LearnOptions::spec("seed").ok()?;
    if seed.is_taken_by(command) {
        recorded.push((seed, json!(provenance.seed)));
    }
    let mut words = Vec::new();
    for spec in LearnOptions::specs() {
        let Some((_, value)) = recorded.iter().find(|(own, _)| own.name == spec.name) else {
            continue;
        };
        let mut options = LearnOptions::default();
        for (other, value) in recorded.iter().filter(|(own, _)| own.name != spec.name) {
            other.restore(&mut options, value).ok()?;
        }
        let implied = spec.value_of(&options);
        spec.restore(&mut options, value).ok()?;
        match spec.value_of(&options) {
            found if found == implied => {}
            Some(found) if spec.is_taken_by(command) => words.extend(spec.words(&found)),
            _ => return None,
        }
    }
    Some(words)
}

/// Whether this is the default of an option that earlier versions recorded and the command no
/// longer has.
fn is_old_default(key: &str, value: &Value) -> bool {
    matches!(
        (key, value.as_str()),
        ("cluster_score", Some("integrated")) | ("moments", Some("full"))
    ) || (key == "resolve" && *value == Value::Bool(false))
}
