//! The command `idealparent`.

mod args;
mod checkpoint;
mod closed;
mod commands;
mod input;
mod output;
mod signals;
mod temporary;
mod watch;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use commands::Outcome;
use output::{message, tell};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match commands::run(cli.command) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(signals::code().unwrap_or(1)),
        Err(error) => {
            tell(&format!("error: {}\n", message(&error.to_string())));
            ExitCode::from(if error.is_usage() { 2 } else { 1 })
        }
    }
}

/// Help and version as they are; a mistake as one line.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        if !error.use_stderr() && closed::is_stdout_closed() {
            return ExitCode::FAILURE;
        }
        // A closed pipe is no reason to complain.
        let _ = error.print();
        return ExitCode::from(u8::from(error.use_stderr()) * 2);
    }
    let text = error.render().to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        // Where a value is taken for an option, passing it after `--` is never what is wanted.
        .filter(|line| !line.is_empty() && !line.starts_with("tip: to pass"))
        .collect();
    let said = said
        .join("; ")
        .replace(" found; tip: ", "; ")
        .replace(":; ", ": ")
        .replace("invalid digit found in string", "a whole number is wanted");
    tell(&format!("{} (see --help)\n", message(&said)));
    ExitCode::from(2)
}

fn report_panic(info: &std::panic::PanicHookInfo) {
    // A damaged file, of which the reader tells in a line of its own.
    if idealparent::data::is_decoding() {
        return;
    }
    tell(&format!(
        "internal error in idealparent {}: {info}\nThis is a mistake of the program, not yours. Please report it, \
         with the command you ran and, if you can, the data.\n",
        env!("CARGO_PKG_VERSION")
    ));
}
