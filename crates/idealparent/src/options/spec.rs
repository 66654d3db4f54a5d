//! The description of an option.

use serde_json::{Value, json};

use super::{OptionKind, OptionValue};
use crate::error::{Error, Result, about, option, option_value};

/// The section of help texts and of the reference page in which an option is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[non_exhaustive]
pub enum OptionGroup {
    /// Reading a table.
    Data,
    /// Densities: how variables depend on their parents.
    Model,
    /// The score of a network.
    Score,
    /// The search for a structure.
    Search,
    /// Prior knowledge.
    Knowledge,
    /// Hidden variables, which nobody measured.
    Hidden,
}

/// The first command that accepts an option. Each command also accepts the options of the commands
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionCommand {
    /// `score`, which evaluates a network on data.
    Score,
    /// `fit`, which fits the parameters of a given structure.
    Fit,
    /// `learn`, and the other commands that learn: `cv`, `bootstrap`.
    Learn,
}

/// An option of a struct of options `O`.
#[derive(Clone, Debug)]
pub struct OptionSpec<O> {
    /// Name of the field; on a command line with `-` instead of `_`.
    pub name: &'static str,
    /// Names from earlier versions that are still accepted.
    pub aliases: &'static [&'static str],
    /// The short form on a command line, one letter.
    pub short: Option<char>,
    /// Placeholder for the value in help texts.
    pub placeholder: &'static str,
    /// The help text, in one paragraph.
    pub help: String,
    /// The default, as help texts show it.
    pub default: Option<String>,
    /// The kind of value.
    pub kind: OptionKind,
    /// Section of the help texts.
    pub group: OptionGroup,
    /// The first command that accepts it.
    pub command: OptionCommand,
    /// Whether it is one of the few options that most users need.
    pub is_everyday: bool,
    set: fn(&mut O, &str) -> Result<()>,
    record: fn(&O) -> Option<Value>,
    is_recorded: Recorded<O>,
    checks: Vec<fn(&O) -> Result<()>>,
}

/// When an option is recorded in a network file.
#[derive(Clone, Copy, Debug)]
enum Recorded<O> {
    /// If it differs from the default.
    IfChanged,
    Always,
    Never,
    If(fn(&O) -> bool),
}

impl<O: Default> OptionSpec<O> {
    /// An option, as the macro [`options!`](super::options) creates it.
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

    /// Sets the section of the help texts, and the first command that accepts the option.
    pub(crate) fn at(mut self, group: OptionGroup, command: OptionCommand) -> Self {
        (self.group, self.command) = (group, command);
        self
    }

    /// Sets the placeholder for the value in help texts.
    pub(crate) fn value(mut self, placeholder: &'static str) -> Self {
        self.placeholder = placeholder;
        self
    }

    /// Marks one of the few options that most users need.
    pub(crate) fn everyday(mut self) -> Self {
        self.is_everyday = true;
        self
    }

    /// Sets the short form on a command line.
    pub(crate) fn short(mut self, letter: char) -> Self {
        self.short = Some(letter);
        self
    }

    /// Sets the names from earlier versions that are still accepted.
    pub(crate) fn formerly(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// Describes the default in words if it is not a fixed value.
    pub(crate) fn default_is(mut self, words: &str) -> Self {
        self.default = Some(words.to_string());
        self
    }

    /// Records the option even if it has its default.
    pub(crate) fn always_recorded(mut self) -> Self {
        self.is_recorded = Recorded::Always;
        self
    }

    /// Never records the option: it does not affect the result, or it is recorded elsewhere.
    pub(crate) fn never_recorded(mut self) -> Self {
        self.is_recorded = Recorded::Never;
        self
    }

    /// Records the option only if `matters` returns `true`.
    pub(crate) fn recorded_if(mut self, matters: fn(&O) -> bool) -> Self {
        self.is_recorded = Recorded::If(matters);
        self
    }

    /// Always records the result of `record` instead of the value itself.
    pub(crate) fn record_as(mut self, record: fn(&O) -> Option<Value>) -> Self {
        self.record = record;
        self.is_recorded = Recorded::Always;
        self
    }

    /// Adds a check.
    pub(crate) fn check(mut self, check: fn(&O) -> Result<()>) -> Self {
        self.checks.push(check);
        self
    }

    /// Whether `name`, written with `-` or `_`, is a name of this option.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.replace('-', "_");
        name == self.name || self.aliases.contains(&&name[..])
    }

    /// Sets the option from text, as on a command line.
    pub fn set(&self, options: &mut O, text: &str) -> Result<()> {
        (self.set)(options, text).map_err(|error| match error {
            Error::Options(problem) => Error::options(about(self.name, problem)),
            other => other,
        })
    }

    /// The value to record in a network file; `None` if the option is not recorded.
    pub fn record(&self, options: &O) -> Option<Value> {
        let value = (self.record)(options)?;
        let is_recorded = match self.is_recorded {
            Recorded::IfChanged => (self.record)(&O::default()).as_ref() != Some(&value),
            Recorded::Always => true,
            Recorded::Never => false,
            Recorded::If(matters) => matters(options),
        };
        is_recorded.then_some(value)
    }

    /// The description of the option as JSON, for other programs.
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

    /// Runs the checks of this option.
    pub(crate) fn verify(&self, options: &O) -> Result<()> {
        self.checks.iter().try_for_each(|check| check(options))
    }
}

/// The default as help texts show it; `None` for booleans and empty values.
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

/// Returns the error "`name` needs `other = value`" unless `holds`.
pub(crate) fn needs(holds: bool, name: &str, other: &str, value: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    let (name, other) = (option(name), option_value(other, value));
    Err(Error::options(format!("{name} needs {other}")))
}
