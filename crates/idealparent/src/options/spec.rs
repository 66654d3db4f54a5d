//! The description of an option.

use serde_json::{Value, json};

use super::{OptionKind, OptionValue};
use crate::error::{Error, Result, about, option_value, option_word};

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

impl OptionGroup {
    /// All sections, in the order of help texts.
    pub const ALL: [OptionGroup; 6] = [
        OptionGroup::Data,
        OptionGroup::Model,
        OptionGroup::Score,
        OptionGroup::Search,
        OptionGroup::Knowledge,
        OptionGroup::Hidden,
    ];

    /// The heading of the section.
    pub fn title(self) -> &'static str {
        match self {
            OptionGroup::Data => "Reading a table",
            OptionGroup::Model => "Densities",
            OptionGroup::Score => "Score",
            OptionGroup::Search => "Search",
            OptionGroup::Knowledge => "Prior knowledge",
            OptionGroup::Hidden => "Hidden variables",
        }
    }
}

/// A command that accepts options.
///
/// Apart from `rank`, each command computes what the commands before it do, and accepts their
/// options, with few exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionCommand {
    /// `rank`, which compares the candidate parents of a variable.
    Rank,
    /// `score`, which evaluates a network on data.
    Score,
    /// `fit`, which fits the parameters of a given structure.
    Fit,
    /// `learn` and `bootstrap`.
    Learn,
    /// `cv`, which learns with several methods.
    Cv,
}

impl OptionCommand {
    /// All commands, each after those whose options it accepts.
    const ALL: [OptionCommand; 5] = [
        OptionCommand::Rank,
        OptionCommand::Score,
        OptionCommand::Fit,
        OptionCommand::Learn,
        OptionCommand::Cv,
    ];
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
    /// The help text, in one paragraph: what the option means, not how its value is written.
    pub help: String,
    /// The default, as help texts show it.
    pub default: Option<String>,
    /// The kind of value.
    pub kind: OptionKind,
    /// Section of the help texts.
    pub group: OptionGroup,
    /// The commands that accept it.
    pub commands: Vec<OptionCommand>,
    /// Whether it is one of the few options that most users need.
    pub is_everyday: bool,
    set: fn(&mut O, &str) -> Result<()>,
    record: fn(&O) -> Option<Value>,
    restore: fn(&mut O, &Value) -> Result<()>,
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
        restore: fn(&mut O, &Value) -> Result<()>,
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
            commands: Vec::new(),
            is_everyday: false,
            set,
            record,
            restore,
            is_recorded: Recorded::IfChanged,
            checks: Vec::new(),
        }
    }

    /// Sets the section of the help texts, and the commands that accept the option: `first` and
    /// those after it.
    pub(crate) fn at(mut self, group: OptionGroup, first: OptionCommand) -> Self {
        self.group = group;
        self.commands = OptionCommand::ALL.to_vec();
        self.commands.retain(|command| *command >= first);
        self
    }

    /// Adds a command that accepts the option.
    pub(crate) fn also(mut self, command: OptionCommand) -> Self {
        self.commands.push(command);
        self.commands.sort_unstable();
        self
    }

    /// Removes a command, which does not accept the option.
    pub(crate) fn except(mut self, command: OptionCommand) -> Self {
        self.commands.retain(|own| *own != command);
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

    /// Whether a command accepts the option.
    pub fn is_taken_by(&self, command: OptionCommand) -> bool {
        self.commands.contains(&command)
    }

    /// Sets the option from text, as on a command line.
    pub fn set(&self, options: &mut O, text: &str) -> Result<()> {
        (self.set)(options, text).map_err(|error| self.named(error))
    }

    /// Sets the option to a recorded value.
    pub fn restore(&self, options: &mut O, value: &Value) -> Result<()> {
        (self.restore)(options, value).map_err(|error| self.named(error))
    }

    fn named(&self, error: Error) -> Error {
        match error {
            Error::Options(problem) => Error::options(about(self.name, problem)),
            other => other,
        }
    }

    /// The value, recorded or not; `None` if it cannot be written as JSON.
    pub fn value_of(&self, options: &O) -> Option<Value> {
        (self.record)(options)
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

    /// The words of a command line that give the option a recorded value. Lists of edges or names
    /// are in files called after the option, as in `--require require.tsv`.
    pub fn words(&self, value: &Value) -> Vec<String> {
        let name = option_word(self.name);
        match (self.kind, value) {
            (OptionKind::Flag, Value::Bool(true)) => vec![name],
            (OptionKind::Flag, _) | (_, Value::Null) => Vec::new(),
            (kind, _) if kind.is_file() => vec![name, format!("{}.tsv", self.name)],
            (_, Value::Array(items)) => {
                let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                vec![name, words.join(",")]
            }
            (_, Value::String(text)) => vec![name, text.clone()],
            (_, other) => vec![name, other.to_string()],
        }
    }

    /// The help text for a command line: what the option means and how its value is written.
    pub fn command_help(&self) -> String {
        match self.kind.syntax() {
            Some(syntax) => format!("{}: {syntax}", self.help),
            None => self.help.clone(),
        }
    }

    /// The description of the option as JSON, for other programs.
    pub fn describe(&self) -> Value {
        json!({
            "name": self.name,
            "aliases": self.aliases,
            "short": self.short,
            "placeholder": self.placeholder,
            "help": self.help,
            "command_help": self.command_help(),
            "default": self.default,
            "value": self.value_of(&O::default()),
            "kind": self.kind,
            "group": self.group.title(),
            "commands": self.commands,
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

/// Returns the error "`name` needs `other = value`" unless `holds`. `name` is a marked option.
pub(crate) fn needs(holds: bool, name: String, other: &str, value: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    let other = option_value(other, value);
    Err(Error::options(format!("{name} needs {other}")))
}
