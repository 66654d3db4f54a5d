//! Notes on standard error, held back until it is clear that no error makes them irrelevant.

use std::sync::{Mutex, PoisonError};

use idealparent::{Error, Message, OptionStyle};

use crate::output::{message, tell};

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// How a file was read. It may explain an error about the data.
    Reading,
    /// The result of the command.
    Result,
}

/// The notes that have not been printed.
static PENDING: Mutex<Vec<(Subject, String)>> = Mutex::new(Vec::new());

/// Adds notes about the result, unless `quiet`.
pub fn note(quiet: bool, lines: &[impl Clone + Into<Message>]) {
    add(quiet, Subject::Result, lines);
}

/// Adds notes from reading a table, unless `quiet`.
pub fn note_reading(quiet: bool, lines: &[Message]) {
    add(quiet, Subject::Reading, lines);
}

fn add(quiet: bool, subject: Subject, lines: &[impl Clone + Into<Message>]) {
    if quiet {
        return;
    }
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    for line in lines {
        let line = line.clone().into().render(OptionStyle::Command);
        pending.push((subject, message(&line)));
    }
}

/// Prints the notes so far. Called when the command succeeds, before it prints a result, and when a
/// long run begins.
pub fn print_notes() {
    print_those(|_| true);
}

/// Prints the notes that may explain an error. Other notes are dropped: the result they are about
/// does not exist.
pub fn print_notes_before(error: &Error) {
    // Wrong usage has nothing to do with the data.
    print_those(|subject| subject == Subject::Reading && !error.is_usage());
}

fn print_those(is_wanted: impl Fn(Subject) -> bool) {
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    for (subject, line) in pending.drain(..) {
        if is_wanted(subject) {
            tell(&format!("note: {line}\n"));
        }
    }
}
