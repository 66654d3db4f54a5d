//! Parsing the command line, and the messages if that fails.

use std::error::Error as _;
use std::ffi::OsString;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::ops::Not;
use std::process::ExitCode;
use std::str::FromStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use crate::args::{self, Cli};
use crate::closed;
use crate::output::{message, tell};

/// The argument that prints help on every option.
const HELP_ALL: &str = "--help-all";

/// Arguments shown in the short help besides the everyday options that the library declares.
const EVERYDAY: [&str; 12] = [
    "data",
    "output",
    "example",
    "report",
    "json",
    "quiet",
    "threads",
    "methods",
    "folds",
    "count",
    "structure",
    "average",
];

/// Commands with many options, whose `--help` shows only the everyday ones.
const LONG: [&str; 4] = ["learn", "fit", "cv", "bootstrap"];

/// The command with all its arguments; those left out of the help are hidden.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    for name in LONG {
        command = command.mut_subcommand(name, |part| {
            if args::shows_all() {
                return part;
            }
            let part = part.after_help(format!(
                "For all options, run: idealparent {name} {HELP_ALL}"
            ));
            let is_library = |id: &str| {
                idealparent::LearnOptions::specs()
                    .iter()
                    .any(|spec| spec.name == id)
                    || idealparent::ReadOptions::specs()
                        .iter()
                        .any(|spec| spec.name == id)
            };
            part.mut_args(|argument| {
                let id = argument.get_id().as_str();
                let shown = is_library(id) || EVERYDAY.contains(&id);
                if shown { argument } else { argument.hide(true) }
            })
        });
    }
    command
}

/// Parses the command line. On error there is nothing to run: help or an error was printed, and the
/// exit code is returned.
pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Cli, ExitCode> {
    let mut words: Vec<OsString> = words.collect();
    for word in words.iter_mut().filter(|word| *word == HELP_ALL) {
        args::show_all();
        *word = "--help".into();
    }
    let matches = command().try_get_matches_from(&words);
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| print_error(&error, &words))
}

/// Prints help and version as clap renders them, and any other error as one line.
fn print_error(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        if !error.use_stderr() && closed::is_stdout_closed() {
            return ExitCode::FAILURE;
        }
        // A closed pipe is not an error.
        let _ = error.print();
        return ExitCode::from(u8::from(error.use_stderr()) * 2);
    }
    tell(&format!("error: {}\n", message(&error_line(error, words))));
    ExitCode::from(2)
}

/// A parse error of these words as one line.
fn error_line(error: &clap::Error, words: &[OsString]) -> String {
    let text = |kind: ContextKind| context(error, kind);
    let argument = text(ContextKind::InvalidArg);
    // Without the placeholder of the value, as in `--threads <T>`.
    let option = argument.split(' ').next().unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => unknown(&argument, words),
        ErrorKind::InvalidSubcommand => {
            let meant = text(ContextKind::SuggestedSubcommand);
            let meant = command_for_help(words).unwrap_or(meant);
            let command = text(ContextKind::InvalidSubcommand);
            format!("there is no command '{command}' {}", hint(&meant))
        }
        ErrorKind::MissingRequiredArgument => missing(error, words),
        ErrorKind::MissingSubcommand => "no command given (see --help)".to_string(),
        ErrorKind::ArgumentConflict if text(ContextKind::PriorArg) == argument => {
            format!("{option} is given twice")
        }
        ErrorKind::ArgumentConflict => {
            format!(
                "{argument} cannot be used with {}",
                text(ContextKind::PriorArg)
            )
        }
        ErrorKind::ValueValidation => {
            let value = text(ContextKind::InvalidValue);
            let problem = error.source().map(ToString::to_string).unwrap_or_default();
            format!("{option}: '{value}' is {problem}")
        }
        ErrorKind::InvalidValue => match text(ContextKind::InvalidValue) {
            value if value.is_empty() => format!("{option} needs a value (see --help)"),
            value => {
                let known = text(ContextKind::ValidValue);
                format!("{option}: '{value}' is not one of {known}")
            }
        },
        ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => {
            let names = value_names(&argument, words);
            match names.last().and_then(|name| variable_called(name)) {
                Some(variable) => format!("give the network, the data and one {variable}"),
                None => format!("{argument} takes a different number of values"),
            }
        }
        _ => {
            // The first line of clap's own text.
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        }
    }
}

/// What to do about a wrong word: take the one that was probably meant, or read the help.
fn hint(meant: &str) -> String {
    match meant {
        "" => "(see --help)".to_string(),
        meant => format!("(did you mean {meant}?)"),
    }
}

/// The message for an argument that the command does not have.
fn unknown(argument: &str, words: &[OsString]) -> String {
    if !argument.starts_with('-') {
        // The shell separates `--methods greedy ideal` into two arguments.
        let remedy = match has_option(words, "--methods") {
            true => "(several methods need quotation marks: --methods \"greedy ideal\")",
            false => "(see --help)",
        };
        return format!("unexpected argument '{argument}' {remedy}");
    }
    let command = command();
    let part = words.get(1).and_then(|word| command.find_subcommand(word));
    let meant = match (short_form(argument, words), part) {
        (Some(short), _) => short,
        (None, Some(part)) => nearest_option(argument, part).unwrap_or_default(),
        (None, None) => String::new(),
    };
    match part {
        Some(part) => format!(
            "{} has no option {argument} {}",
            part.get_name(),
            hint(&meant)
        ),
        None => format!("there is no option {argument} {}", hint(&meant)),
    }
}

/// The option of a command that was probably meant: one that differs by few letters, or one of
/// which this is a part, such as `--parents` of `--max-parents`.
fn nearest_option(argument: &str, command: &clap::Command) -> Option<String> {
    let written = argument.trim_start_matches('-');
    let names = command.get_arguments().filter_map(|own| own.get_long());
    let names: Vec<&str> = names.collect();
    let distance = |name: &&str| differences(written, name);
    let near = names.iter().copied().min_by_key(distance);
    let near = near.filter(|name| differences(written, name) <= 1 + written.len() / 5);
    let whole = || {
        names
            .iter()
            .copied()
            .find(|name| name.split('-').any(|part| part == written))
    };
    near.or_else(whole).map(|name| format!("--{name}"))
}

/// The number of letters to insert, delete or replace, or to swap with their neighbour, to turn one
/// word into the other.
fn differences(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // `table[i][j]` is the number for the first i and j letters.
    let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let replaced = table[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let least = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            let is_swap = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            table[i][j] = if is_swap {
                least.min(table[i - 2][j - 2] + 1)
            } else {
                least
            };
        }
    }
    table[from.len()][to.len()]
}

/// What clap says about an error in this respect; empty if nothing.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    }
}

/// Options of `learn` that need `--checkpoint`.
const NEED_CHECKPOINT: [&str; 3] = ["--resume", "--checkpoint-every", "--stop-after-checkpoints"];

/// The message for missing arguments.
fn missing(error: &clap::Error, words: &[OsString]) -> String {
    let arguments = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(arguments)) => arguments.as_slice(),
        _ => &[],
    };
    if arguments.iter().any(|a| a.starts_with("--checkpoint ")) {
        let mut needy = NEED_CHECKPOINT.iter();
        if let Some(option) = needy.find(|option| has_option(words, option)) {
            return format!("{option} needs --checkpoint FILE");
        }
    }
    let mut names: Vec<String> = Vec::new();
    for argument in arguments {
        match &value_names(argument, words)[..] {
            [] => names.push(argument.clone()),
            own => names.extend(own.iter().map(|name| format!("<{name}>"))),
        }
    }
    if has_option(words, "--example") {
        names.retain(|name| name != "<DATA>");
    }
    let variable = match &names[..] {
        [only] => variable_called(only.trim_matches(['<', '>'])),
        _ => None,
    };
    match variable {
        Some(variable) => format!("missing: the {variable} variable (see --help)"),
        None => format!("missing: {} (see --help)", names.join(", ")),
    }
}

/// The names of the values of an argument that is not an option, which may stand for several: the
/// data, and the variable after them. `argument` is how clap writes it.
fn value_names(argument: &str, words: &[OsString]) -> Vec<String> {
    let command = command();
    let part = words.get(1).and_then(|word| command.find_subcommand(word));
    let mut arguments = part.iter().flat_map(|part| part.get_positionals());
    let found = arguments.find(|own| own.to_string() == argument);
    let names = found.and_then(|own| own.get_value_names());
    let names = names.unwrap_or_default().iter();
    names.map(|name| name.to_string()).collect()
}

/// What `predict` and `rank` call the variable after the data, if this is its name.
fn variable_called(name: &str) -> Option<&'static str> {
    match name {
        "TARGET" => Some("target"),
        "CHILD" => Some("child"),
        _ => None,
    }
}

/// Whether an option is among the words, with its value in the same word or not.
fn has_option(words: &[OsString], option: &str) -> bool {
    let name = |word: &OsString| word.to_str()?.split('=').next().map(str::to_string);
    words
        .iter()
        .any(|word| name(word).as_deref() == Some(option))
}

/// The short option meant by one letter after two dashes, as in `--n`.
fn short_form(argument: &str, words: &[OsString]) -> Option<String> {
    let mut letters = argument.strip_prefix("--")?.chars();
    let (letter, None) = (letters.next()?, letters.next()) else {
        return None;
    };
    let command = command();
    let part = command.find_subcommand(words.get(1)?)?;
    let has_letter = part.get_arguments().any(|a| a.get_short() == Some(letter));
    has_letter.then(|| format!("-{letter}"))
}

/// The command suggested for `help NAME`: the one suggested for `NAME`, since clap suggests none
/// after `help`.
fn command_for_help(words: &[OsString]) -> Option<String> {
    let [program, help, name, ..] = words else {
        return None;
    };
    if help != "help" {
        return None;
    }
    let error = command().try_get_matches_from([program, name]).err()?;
    let suggestion = context(&error, ContextKind::SuggestedSubcommand);
    (!suggestion.is_empty()).then_some(suggestion)
}

/// Parses a whole number, or returns the problem for the error message.
///
/// The message says that numbers start at `LEAST`, but smaller ones are only rejected by the
/// command, which can say more about the problem.
pub fn whole<T, const LEAST: usize>(text: &str) -> Result<T, String>
where
    T: FromStr<Err = ParseIntError> + Default + Not<Output = T> + Display,
{
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => {
                // The largest unsigned number has all bits set.
                format!("too large (at most {})", !T::default())
            }
            _ => format!("not a whole number of at least {LEAST}"),
        })
}

/// Parses a number, or returns the problem for the error message.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number".to_string())
}
