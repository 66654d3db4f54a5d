//! Observing a run: progress, trace, checkpoints, time limit and signals.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use idealparent::internal::{trace_hidden, trace_iteration, trace_step};
use idealparent::{
    Checkpoint, Error, HiddenAttempt, HiddenOutcome, Iteration, Observer, Result, Step,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::checkpoint::CheckpointWriter;
use crate::input::usage;
use crate::notes::print_notes;
use crate::output::Output;
use crate::signals;

/// Why a run was stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A signal: Ctrl-C, a closed terminal or a request to terminate.
    Interrupted,
    /// The time limit was reached.
    TimeLimit,
    /// The requested number of checkpoints was written.
    Checkpoints,
    /// The trace or the checkpoint could not be written.
    Failed,
}

/// The instant at which a run with this time limit has to stop.
pub fn deadline(time_limit: Option<f64>) -> Result<Option<Instant>> {
    match time_limit {
        Some(seconds) if seconds.is_finite() && (0.0..=1e9).contains(&seconds) => {
            Ok(Some(Instant::now() + Duration::from_secs_f64(seconds)))
        }
        Some(_) => usage("--time-limit must be from 0 to 1e9 seconds"),
        None => Ok(None),
    }
}

/// The observer of a run.
pub struct Watch {
    bar: ProgressBar,
    names: Vec<String>,
    trace: Option<Trace>,
    /// Lines of the trace, kept for the report.
    remembered: Option<Vec<Value>>,
    keeper: Option<CheckpointWriter>,
    deadline: Option<Instant>,
    /// Iterations of structural EM so far.
    iteration: usize,
    /// Why the run was stopped early, if it was.
    pub stop_reason: Option<StopReason>,
}

struct Trace {
    path: PathBuf,
    file: Output,
    error: Option<std::io::Error>,
}

impl Watch {
    /// An observer of a run over variables with these names.
    pub fn new(names: &[String], quiet: bool, time_limit: Option<f64>) -> Result<Self> {
        let deadline = deadline(time_limit)?;
        signals::listen();
        // Shown on standard error, and only if that is a terminal.
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a valid template"),
        );
        Ok(Watch {
            bar,
            names: names.to_vec(),
            trace: None,
            remembered: None,
            keeper: None,
            deadline,
            iteration: 0,
            stop_reason: None,
        })
    }

    /// Also writes every step to a file, as JSON lines.
    pub fn with_trace(mut self, path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(self);
        };
        let file =
            Output::create(path).map_err(|error| Error::io(path.display().to_string(), error))?;
        self.trace = Some(Trace {
            path: path.to_path_buf(),
            file,
            error: None,
        });
        Ok(self)
    }

    /// Also keeps every line of the trace in memory.
    pub fn remember(&mut self) {
        self.remembered = Some(Vec::new());
    }

    /// Takes the trace lines kept in memory.
    pub fn remembered(&mut self) -> Vec<Value> {
        self.remembered.take().unwrap_or_default()
    }

    /// Also writes checkpoints.
    pub fn with_checkpoints(mut self, keeper: Option<CheckpointWriter>) -> Self {
        self.keeper = keeper;
        self
    }

    /// Whether a checkpoint was written.
    pub fn has_checkpoint(&self) -> bool {
        let keeper = self.keeper.as_ref();
        keeper.is_some_and(|keeper| keeper.written.is_some())
    }

    /// Shows a progress message.
    pub fn say(&mut self, message: String) {
        // A run begins or goes on, so the data and the options are usable.
        print_notes();
        self.bar.set_message(message);
        self.bar.tick();
    }

    /// Adds a line to the trace file and to the lines in memory, if they are wanted.
    fn trace(&mut self, line: impl FnOnce(&[String]) -> Value) {
        if self.trace.is_none() && self.remembered.is_none() {
            return;
        }
        let line = line(&self.names);
        if let Some(trace) = &mut self.trace
            && let Err(error) = ignore_broken_pipe(writeln!(trace.file, "{line}"))
        {
            trace.error.get_or_insert(error);
        }
        if let Some(lines) = &mut self.remembered {
            lines.push(line);
        }
    }

    /// Clears the progress display and finishes the trace file.
    pub fn finish(&mut self) -> Result<()> {
        self.bar.finish_and_clear();
        if let Some(error) = self.keeper.as_mut().and_then(|keeper| keeper.error.take()) {
            return Err(error);
        }
        let Some(trace) = self.trace.take() else {
            return Ok(());
        };
        let fail = |error| Error::io(trace.path.display().to_string(), error);
        if let Some(error) = trace.error {
            return Err(fail(error));
        }
        ignore_broken_pipe(trace.file.finish()).map_err(fail)
    }
}

impl Observer for Watch {
    fn started(&mut self, score: f64, edges: usize) {
        self.say(format!(
            "{edges} edges, score {score:.2}: comparing candidates"
        ));
    }

    fn step(&mut self, step: &Step) {
        if !self.bar.is_hidden() {
            let after = match self.iteration {
                0 => String::new(),
                number => format!("iteration {}, ", number + 1),
            };
            self.bar.set_message(format!(
                "{after}round {}, {} moves, {} edges, score {:.2}",
                step.round, step.number, step.edges, step.score
            ));
            self.bar.tick();
        }
        self.trace(|names| trace_step(step, names));
        // Only for the report: the lines of the trace file do not have this field.
        if let Some(line) = self.remembered.as_mut().and_then(|lines| lines.last_mut()) {
            line["edges"] = step.edges.into();
        }
    }

    fn needs_memory(&mut self, bytes: u64) {
        let megabytes = bytes as f64 / 1e6;
        self.say(format!("exact search: needs {megabytes:.0} MB of memory"));
    }

    fn iteration(&mut self, iteration: &Iteration) {
        self.iteration = iteration.number;
        if !self.bar.is_hidden() {
            self.bar.set_message(format!(
                "iteration {}, {} edges, free energy {:.2}",
                iteration.number, iteration.edges, iteration.free_energy
            ));
            self.bar.tick();
        }
        self.trace(|_| trace_iteration(iteration));
    }

    fn variables(&mut self, names: &[String]) {
        self.names = names.to_vec();
    }

    fn hidden(&mut self, attempt: &HiddenAttempt) {
        if !self.bar.is_hidden() {
            let count = attempt.children.len();
            let what = match attempt.outcome {
                HiddenOutcome::Tried => format!("trying with {count} children"),
                decided => format!("{}, score {:+.2}", decided.word(), attempt.achieved),
            };
            self.bar.set_message(format!("{}: {what}", attempt.name));
            self.bar.tick();
        }
        self.trace(|names| trace_hidden(attempt, names));
    }

    fn stop(&mut self) -> bool {
        if self.stop_reason.is_none() {
            let trace = self.trace.as_ref();
            let keeper = self.keeper.as_ref();
            let failed = trace.is_some_and(|trace| trace.error.is_some())
                || keeper.is_some_and(|keeper| keeper.error.is_some());
            self.stop_reason = if signals::code().is_some() {
                Some(StopReason::Interrupted)
            } else if self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
            {
                Some(StopReason::TimeLimit)
            } else if keeper.is_some_and(CheckpointWriter::is_full) {
                Some(StopReason::Checkpoints)
            } else if failed {
                Some(StopReason::Failed)
            } else {
                None
            };
        }
        self.stop_reason.is_some()
    }

    fn wants_checkpoint(&mut self, last: bool) -> bool {
        let keeper = self.keeper.as_ref();
        keeper.is_some_and(|keeper| keeper.error.is_none() && keeper.is_due(last))
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if let Some(keeper) = &mut self.keeper {
            keeper.write(checkpoint);
        }
    }
}

/// Ignores a broken pipe, so that the run continues without a reader of the trace.
fn ignore_broken_pipe(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
