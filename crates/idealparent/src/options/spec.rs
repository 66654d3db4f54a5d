//! What is known about one option.

use serde_json::{Value, json};

use super::{OptionKind, OptionValue};
use crate::error::{Error, Result, option, option_value};

/// Where an option stands in help texts and on the reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[non_exhaustive]
pub enum OptionGroup {
    /// How a table is read.
    Data,
    /// How variables depend on their parents.
    Model,
    /// What a network is worth.
    Score,
    /// How structures are searched for.
    Search,
    /// What is known beforehand.
    Knowledge,
    /// Variables that nobody measured.
    Hidden,
}

/// The commands an option belongs to; each takes the options of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionCommand {
    /// `score`: what a network is worth on data.
    Score,
    /// `fit`: parameters of a given structure.
    Fit,
    /// `learn`, and everything that learns: `cv`, `bootstrap`.
    Learn,
}

/// One option of a struct of options `O`.
#[derive(Clone, Debug)]
pub struct OptionSpec<O> {
    /// The field's name; on a command line with `-` for `_`.
    pub name: &'static str,
    /// Names from earlier versions that are still understood.
    pub aliases: &'static [&'static str],
    /// The letter for it on a command line.
    pub short: Option<char>,
    /// What stands for the value in help texts.
    pub placeholder: &'static str,
    /// What it does, in one paragraph.
    pub help: String,
    /// The default, as a word.
    pub default: Option<String>,
    /// What kind of value it takes.
    pub kind: OptionKind,
    /// Where it stands in help texts.
    pub group: OptionGroup,
    /// The first command that takes it.
    pub command: OptionCommand,
    /// Whether it is one of the few that most people need.
    pub is_everyday: bool,
    set: fn(&mut O, &str) -> Result<()>,
    record: fn(&O) -> Option<Value>,
    is_recorded: Recorded<O>,
    checks: Vec<fn(&O) -> Result<()>>,
}

/// When an option belongs into the record of a network.
#[derive(Clone, Copy, Debug)]
enum Recorded<O> {
    /// Where it differs from the default.
    IfChanged,
    Always,
    Never,
    If(fn(&O) -> bool),
}

impl<O: Default> OptionSpec<O> {
    /// An option as the macro [`options!`](super::options) declares it.
    pub(crate) fn new<T: OptionValue>(
        name: &'static str,
        doc: &[&str],
        set: fn(&mut O, &str) -> Result<()>,
        record: fn(&O) -> Option<Value>,
    ) -> Self {
        let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
        let default = record(&O::default());
        OptionSpec {
            name,
            aliases: &[],
            short: None,
            placeholder: "",
            help: lines.join(" ").trim_end_matches('.').to_string(),
            default: default.as_ref().and_then(default_word),
            kind: T::KIND,
            group: OptionGroup::Model,
            command: OptionCommand::Learn,
            is_everyday: false,
            set,
            record,
            is_recorded: Recorded::IfChanged,
            checks: Vec::new(),
        }
    }

    /// Where it stands in help texts, and the first command that takes it.
    pub(crate) fn at(mut self, group: OptionGroup, command: OptionCommand) -> Self {
        (self.group, self.command) = (group, command);
        self
    }

    /// What stands for the value in help texts.
    pub(crate) fn value(mut self, placeholder: &'static str) -> Self {
        self.placeholder = placeholder;
        self
    }

    /// One of the few that most people need.
    pub(crate) fn everyday(mut self) -> Self {
        self.is_everyday = true;
        self
    }

    /// The letter for it on a command line.
    pub(crate) fn short(mut self, letter: char) -> Self {
        self.short = Some(letter);
        self
    }

    /// Names from earlier versions.
    pub(crate) fn formerly(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// How a default that depends on other things is described.
    pub(crate) fn default_is(mut self, words: &str) -> Self {
        self.default = Some(words.to_string());
        self
    }

    /// In every record.
    pub(crate) fn always_recorded(mut self) -> Self {
        self.is_recorded = Recorded::Always;
        self
    }

    /// In no record: it does not affect the result, or is recorded elsewhere.
    pub(crate) fn never_recorded(mut self) -> Self {
        self.is_recorded = Recorded::Never;
        self
    }

    /// In the record where it matters.
    pub(crate) fn recorded_if(mut self, matters: fn(&O) -> bool) -> Self {
        self.is_recorded = Recorded::If(matters);
        self
    }

    /// Another record than the value itself.
    pub(crate) fn record_as(mut self, record: fn(&O) -> Option<Value>) -> Self {
        self.record = record;
        self.is_recorded = Recorded::Always;
        self
    }

    /// A check that names this option.
    pub(crate) fn check(mut self, check: fn(&O) -> Result<()>) -> Self {
        self.checks.push(check);
        self
    }

    /// Whether this is a name of the option, with `-` or `_`.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.replace('-', "_");
        name == self.name || self.aliases.contains(&&name[..])
    }

    /// Sets it from a word, as on a command line.
    pub fn set(&self, options: &mut O, text: &str) -> Result<()> {
        (self.set)(options, text).map_err(|error| match error {
            Error::Options(problem) => Error::Options(format!("{}: {problem}", option(self.name))),
            other => other,
        })
    }

    /// What belongs into the record of a network; `None` if nothing does.
    pub fn record(&self, options: &O) -> Option<Value> {
        let value = (self.record)(options)?;
        let belongs = match self.is_recorded {
            Recorded::IfChanged => (self.record)(&O::default()).as_ref() != Some(&value),
            Recorded::Always => true,
            Recorded::Never => false,
            Recorded::If(matters) => matters(options),
        };
        belongs.then_some(value)
    }

    /// Everything about it that other programs need, as JSON.
    pub fn describe(&self) -> Value {
        json!({
            "name": self.name,
            "aliases": self.aliases,
            "short": self.short,
            "placeholder": self.placeholder,
            "help": self.help,
            "default": self.default,
            "value": (self.record)(&O::default()),
            "kind": self.kind,
            "group": self.group,
            "command": self.command,
            "everyday": self.is_everyday,
        })
    }

    /// Refuses values that make no sense.
    pub(crate) fn verify(&self, options: &O) -> Result<()> {
        self.checks.iter().try_for_each(|check| check(options))
    }
}

/// A default as it is shown; none for what is off or empty.
fn default_word(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) | Value::Null => None,
        Value::String(word) => Some(word.clone()),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => {
            let words = items.iter().filter_map(Value::as_str);
            Some(words.collect::<Vec<_>>().join(","))
        }
        other => Some(other.to_string()),
    }
}

/// Refuses an option that only makes sense with a value of another.
pub(crate) fn needs(holds: bool, name: &str, other: &str, value: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    let (name, other) = (option(name), option_value(other, value));
    Err(Error::Options(format!("{name} needs {other}")))
}
