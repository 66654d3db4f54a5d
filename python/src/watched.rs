//! Runs long work in a background thread without Python's lock, while this thread handles signals
//! and callbacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use idealparent::internal::{trace_hidden, trace_iteration, trace_step};
use idealparent::{Checkpoint, HiddenAttempt, Iteration, Observer, Step};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::OrRaise;

/// Interval at which signals are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum time to wait for interrupted work. Work that takes longer ends in the background.
const STOP_TIMEOUT: Duration = Duration::from_millis(600);

/// Maximum number of threads. More would not be useful on any machine.
const MAX_THREADS: usize = 1024;

/// A message from the run to Python.
enum Event {
    /// A line of the trace, and a channel to answer on if the run waits for the callback.
    Told(String, Option<SyncSender<()>>),
    /// The text of a checkpoint.
    Checkpoint(String),
}

/// Settings of a run apart from the options of learning.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Behaviour {
    pub threads: Option<usize>,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// Called with every line of the trace; returns whether to stop.
    pub tell: Option<Py<PyAny>>,
    /// Whether the run waits for the result of `tell`.
    pub waits: bool,
    /// Called at intervals; returns whether to stop.
    pub stop: Option<Py<PyAny>>,
    /// Called with every checkpoint.
    pub keep: Option<Py<PyAny>>,
    /// Seconds between two checkpoints.
    pub keep_every: f64,
}

impl Behaviour {
    /// Settings without callbacks or limits. Small work, by number of values, runs in one thread.
    pub fn quiet(values: usize) -> Self {
        // Starting threads would take longer than the work.
        let is_small = values < 20_000;
        Behaviour {
            threads: is_small.then_some(1),
            time_limit: None,
            tell: None,
            waits: false,
            stop: None,
            keep: None,
            keep_every: 0.0,
        }
    }

    fn deadline(&self) -> PyResult<Option<Instant>> {
        match self.time_limit {
            None => Ok(None),
            Some(seconds) if (0.0..=1e9).contains(&seconds) => {
                Ok(Some(Instant::now() + Duration::from_secs_f64(seconds)))
            }
            Some(_) => Err(PyValueError::new_err(
                "time_limit must be a number of seconds from 0 to 1e9",
            )),
        }
    }

    fn pool(&self) -> PyResult<rayon::ThreadPool> {
        if self.threads == Some(0) {
            return Err(PyValueError::new_err("threads must be at least 1"));
        }
        // Not the global pool, whose threads do not exist in a forked process.
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0).min(MAX_THREADS))
            .build()
            .map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))
    }
}

/// The run's connection to the thread that waits for it.
pub struct RunObserver {
    stop: Arc<AtomicBool>,
    deadline: Option<Instant>,
    sender: Sender<Event>,
    tells: bool,
    waits: bool,
    keeps: bool,
    keep_every: Duration,
    kept: Option<Instant>,
    names: Vec<String>,
    /// Whether the time limit ended the work.
    pub is_late: bool,
    /// The first lines of the trace, for a report.
    pub lines: Vec<String>,
}

/// Maximum number of lines of the trace that are kept.
const MAX_LINES: usize = 20_000;

impl RunObserver {
    /// Calls Python's `tell` with a text, unless the run is being stopped.
    pub fn tell(&self, text: impl FnOnce() -> String) {
        if !self.tells || self.stop.load(Ordering::Relaxed) {
            return;
        }
        let (answer, heard) = sync_channel(1);
        let event = Event::Told(text(), self.waits.then_some(answer));
        // The receiver is gone only if the run is being stopped.
        if self.sender.send(event).is_ok() && self.waits {
            let _ = heard.recv();
        }
    }

    /// Stores a line of the trace and passes it to `tell`.
    fn trace(&mut self, line: impl Fn(&[String]) -> Value) {
        // `names` is empty if the caller does not want a trace.
        if self.names.is_empty() {
            return;
        }
        let line = line(&self.names).to_string();
        self.tell(|| line.clone());
        if self.lines.len() < MAX_LINES {
            self.lines.push(line);
        }
    }

    /// Sets the variable names for the trace.
    pub fn with_names(mut self, names: &[String]) -> Self {
        self.names = names.to_vec();
        self
    }

    /// A function that says whether to stop, for use in several threads.
    pub fn stopper(&self) -> impl Fn() -> bool + Sync + use<> {
        let (stop, deadline) = (self.stop.clone(), self.deadline);
        move || stop.load(Ordering::Relaxed) || deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Observer for RunObserver {
    fn step(&mut self, step: &Step) {
        self.trace(|names| trace_step(step, names));
    }

    fn iteration(&mut self, iteration: &Iteration) {
        self.trace(|_| trace_iteration(iteration));
    }

    fn variables(&mut self, names: &[String]) {
        self.names = names.to_vec();
    }

    fn hidden(&mut self, attempt: &HiddenAttempt) {
        self.trace(|names| trace_hidden(attempt, names));
    }

    fn stop(&mut self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        self.is_late |= self.deadline.is_some_and(|end| Instant::now() >= end);
        self.is_late
    }

    fn wants_checkpoint(&mut self, last: bool) -> bool {
        let is_due = |then: Instant| then.elapsed() >= self.keep_every;
        self.keeps && (last || self.kept.is_none_or(is_due))
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.kept = Some(Instant::now());
        let _ = self.sender.send(Event::Checkpoint(checkpoint.to_json()));
    }
}

/// Runs `work` with the number of threads in `behaviour`.
///
/// An exception in a callback, or Ctrl-C, stops the work and is raised when the work has ended, but
/// after `STOP_TIMEOUT` at the latest. Work that does not check whether to stop then continues in
/// the background, and its result is discarded.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    behaviour: &Behaviour,
    work: impl FnOnce(RunObserver) -> idealparent::Result<T> + Send + 'static,
) -> PyResult<T> {
    let deadline = behaviour.deadline()?;
    if !(0.0..=1e9).contains(&behaviour.keep_every) {
        let problem = "checkpoint_every must be a number of seconds from 0 to 1e9";
        return Err(PyValueError::new_err(problem));
    }
    let pool = behaviour.pool()?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let observer = RunObserver {
        stop: stop.clone(),
        deadline,
        sender,
        tells: behaviour.tell.is_some(),
        waits: behaviour.waits,
        keeps: behaviour.keep.is_some(),
        keep_every: Duration::from_secs_f64(behaviour.keep_every),
        kept: None,
        names: Vec::new(),
        is_late: false,
        lines: Vec::new(),
    };
    let (result, raised) = py.detach(move || {
        let worker = std::thread::spawn(move || pool.install(|| work(observer)));
        let raised = forward_events(&receiver, behaviour, &stop);
        if raised.is_err() {
            let end = Instant::now() + STOP_TIMEOUT;
            while !worker.is_finished() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(5));
            }
            if !worker.is_finished() {
                return (None, raised);
            }
        }
        (Some(worker.join()), raised)
    });
    raised?;
    match result.expect("only interrupted work has no result") {
        Ok(result) => result.or_raise(),
        // A bug of the library: its message should reach the user.
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Forwards events to Python's callbacks and checks signals, until the work ends or an exception is
/// raised.
fn forward_events(
    receiver: &Receiver<Event>,
    behaviour: &Behaviour,
    stop: &AtomicBool,
) -> PyResult<()> {
    let mut looked = Instant::now();
    loop {
        let event = match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let is_time = event.is_none() || looked.elapsed() >= POLL_INTERVAL;
        let is_over = stop.load(Ordering::Relaxed);
        let seen: PyResult<bool> = Python::attach(|py| {
            let mut should_stop = false;
            if is_time {
                looked = Instant::now();
                py.check_signals()?;
                if let Some(asked) = &behaviour.stop {
                    should_stop = asked.call0(py)?.is_truthy(py)?;
                }
            }
            match (&event, &behaviour.tell, &behaviour.keep) {
                (Some(Event::Told(text, _)), Some(tell), _) if !is_over => {
                    should_stop |= tell.call1(py, (text,))?.is_truthy(py)?;
                }
                (Some(Event::Checkpoint(text)), _, Some(keep)) => {
                    keep.call1(py, (text,))?;
                }
                _ => {}
            }
            Ok(should_stop)
        });
        if !matches!(seen, Ok(false)) {
            stop.store(true, Ordering::Relaxed);
        }
        // Unblocks the waiting run. Dropping the channel has the same effect.
        if let Some(Event::Told(_, Some(waiting))) = event {
            let _ = waiting.send(());
        }
        seen?;
    }
}
