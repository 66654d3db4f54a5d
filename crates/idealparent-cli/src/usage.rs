//! Parsing the command line, and the messages if that fails.

use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

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
    let matches = command().try_get_matches_from(words);
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| print_error(&error))
}

/// Prints help and version as clap renders them, and any other error as one line.
fn print_error(error: &clap::Error) -> ExitCode {
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
    tell(&format!(
        "error: {} (see --help)\n",
        message(&error_line(error))
    ));
    ExitCode::from(2)
}

/// A parse error as one line.
fn error_line(error: &clap::Error) -> String {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = text(ContextKind::InvalidArg);
    let meant = |kind: ContextKind| match text(kind) {
        suggestion if suggestion.is_empty() => String::new(),
        suggestion => format!(" (did you mean {suggestion}?)"),
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let meant = meant(ContextKind::SuggestedArg);
            format!("unexpected argument '{argument}'{meant}")
        }
        ErrorKind::InvalidSubcommand => {
            let meant = meant(ContextKind::SuggestedSubcommand);
            let command = text(ContextKind::InvalidSubcommand);
            format!("there is no command '{command}'{meant}")
        }
        ErrorKind::MissingRequiredArgument => format!("missing: {argument}"),
        ErrorKind::MissingSubcommand => "no command given".to_string(),
        ErrorKind::ArgumentConflict if error.get(ContextKind::PriorArg).is_none() => {
            format!("{argument} is given twice")
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
            format!("{argument}: '{value}' is {problem}")
        }
        ErrorKind::InvalidValue => match text(ContextKind::InvalidValue) {
            value if value.is_empty() => format!("{argument} needs a value"),
            value => {
                let known = text(ContextKind::ValidValue);
                format!("{argument}: '{value}' is none of {known}")
            }
        },
        ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => {
            format!("{argument} takes a different number of values")
        }
        _ => {
            // The first line of clap's own text.
            let text = error.render().to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        }
    }
}

/// Parses a whole number, or returns the problem for the error message.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| "not a whole number from 0 up".to_string())
}

/// Parses a number, or returns the problem for the error message.
pub fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number".to_string())
}
