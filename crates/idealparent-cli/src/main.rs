//! The command `idealparent`.

mod args;
mod checkpoint;
mod closed;
mod commands;
mod input;
mod notes;
mod output;
mod signals;
mod temporary;
mod usage;
mod watch;

use std::process::ExitCode;

use idealparent::OptionStyle;

use commands::Outcome;
use output::{message, tell};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let cli = match usage::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    signals::clean_up();
    match commands::run(cli.command) {
        Ok(outcome) => {
            notes::print_notes();
            match outcome {
                Outcome::Done => ExitCode::SUCCESS,
                Outcome::Interrupted => ExitCode::from(signals::code().unwrap_or(1)),
            }
        }
        Err(error) => {
            notes::print_notes_before(&error);
            let line = error.render(OptionStyle::Command);
            tell(&format!("error: {}\n", message(&line)));
            ExitCode::from(if error.is_usage() { 2 } else { 1 })
        }
    }
}

fn report_panic(info: &std::panic::PanicHookInfo) {
    // The reader turns this panic, caused by a damaged file, into an error.
    if idealparent::internal::is_decoding() {
        return;
    }
    tell(&format!(
        "internal error in idealparent {}: {info}\nThis is a bug in the program. Please report it, \
         with the command you ran and, if possible, the data.\n",
        env!("CARGO_PKG_VERSION")
    ));
}
