//! Long work in a thread of its own, with Python's lock released, while signals and callbacks are seen to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use idealparent::learn::{
    Checkpoint, HiddenAttempt, Iteration, Observer, trace_hidden, trace_iteration, trace_step,
};
use idealparent::search::Step;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::OrRaise;

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long work that is to stop is waited for; what takes longer is left to end by itself.
const GRACE: Duration = Duration::from_millis(600);

/// More threads than this cost more than they give, on any machine.
const MOST_THREADS: usize = 1024;

/// What a run tells Python.
enum Event {
    /// A line of the trace, and whoever waits to hear whether to stop.
    Told(String, Option<SyncSender<()>>),
    /// A checkpoint's text.
    Checkpoint(String),
}

/// How a run behaves, apart from its result.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Behaviour {
    pub threads: Option<usize>,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// Called with every line of the trace; says whether to stop.
    pub tell: Option<Py<PyAny>>,
    /// Whether the work waits for what `tell` says.
    pub waits: bool,
    /// Asked from time to time whether to stop.
    pub stop: Option<Py<PyAny>>,
    /// Called with every checkpoint.
    pub keep: Option<Py<PyAny>>,
    /// Seconds between two checkpoints.
    pub keep_every: f64,
}

impl Behaviour {
    /// Nobody watches, and nothing but the work's size decides how many threads it gets.
    pub fn quiet(values: usize) -> Self {
        // Threads take longer to start than so little work takes.
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
        // Its own, not everybody's: those threads are not there in a process that was forked.
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0).min(MOST_THREADS))
            .build()
            .map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))
    }
}

/// What the work sees of whoever waits for it.
pub struct Line {
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
    /// Lines of the trace, for a page: the first of them.
    pub lines: Vec<String>,
}

/// Lines that are kept at most.
const MOST_LINES: usize = 20_000;

impl Line {
    /// Tells Python something, unless it has said to stop.
    pub fn tell(&self, text: impl FnOnce() -> String) {
        if !self.tells || self.stop.load(Ordering::Relaxed) {
            return;
        }
        let (answer, heard) = sync_channel(1);
        let event = Event::Told(text(), self.waits.then_some(answer));
        // Nobody listens any more only when the work is to stop.
        if self.sender.send(event).is_ok() && self.waits {
            let _ = heard.recv();
        }
    }

    /// Keeps a line of the trace and tells it.
    fn trace(&mut self, line: impl Fn(&[String]) -> Value) {
        // Without names there is nobody to tell.
        if self.names.is_empty() {
            return;
        }
        let line = line(&self.names).to_string();
        self.tell(|| line.clone());
        if self.lines.len() < MOST_LINES {
            self.lines.push(line);
        }
    }

    /// The names that steps are told with.
    pub fn with_names(mut self, names: &[String]) -> Self {
        self.names = names.to_vec();
        self
    }

    /// Whether to stop, for many threads at once.
    pub fn stopper(&self) -> impl Fn() -> bool + Sync + use<> {
        let (stop, deadline) = (self.stop.clone(), self.deadline);
        move || stop.load(Ordering::Relaxed) || deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Observer for Line {
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

/// Runs work on as many threads as asked for. An exception, Ctrl-C among them, stops it and is raised once it has, or
/// after a moment: work that does not look whether to stop goes on in the background, and what it finds is lost.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    behaviour: &Behaviour,
    work: impl FnOnce(Line) -> idealparent::Result<T> + Send + 'static,
) -> PyResult<T> {
    let deadline = behaviour.deadline()?;
    if !(0.0..=1e9).contains(&behaviour.keep_every) {
        let problem = "checkpoint_every must be a number of seconds from 0 to 1e9";
        return Err(PyValueError::new_err(problem));
    }
    let pool = behaviour.pool()?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let line = Line {
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
        let worker = std::thread::spawn(move || pool.install(|| work(line)));
        let raised = attend(&receiver, behaviour, &stop);
        if raised.is_err() {
            let end = Instant::now() + GRACE;
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
    match result.expect("only what was interrupted is left alone") {
        Ok(result) => result.or_raise(),
        // A mistake of ours, with a message worth reporting.
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Passes on what the work tells, and looks at signals, until the work is over or an exception is to be raised.
fn attend(receiver: &Receiver<Event>, behaviour: &Behaviour, stop: &AtomicBool) -> PyResult<()> {
    let mut looked = Instant::now();
    loop {
        let event = match receiver.recv_timeout(PATIENCE) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let is_time = event.is_none() || looked.elapsed() >= PATIENCE;
        let is_over = stop.load(Ordering::Relaxed);
        let seen: PyResult<bool> = Python::attach(|py| {
            let mut is_enough = false;
            if is_time {
                looked = Instant::now();
                py.check_signals()?;
                if let Some(asked) = &behaviour.stop {
                    is_enough = asked.call0(py)?.is_truthy(py)?;
                }
            }
            match (&event, &behaviour.tell, &behaviour.keep) {
                (Some(Event::Told(text, _)), Some(tell), _) if !is_over => {
                    is_enough |= tell.call1(py, (text,))?.is_truthy(py)?;
                }
                (Some(Event::Checkpoint(text)), _, Some(keep)) => {
                    keep.call1(py, (text,))?;
                }
                _ => {}
            }
            Ok(is_enough)
        });
        if !matches!(seen, Ok(false)) {
            stop.store(true, Ordering::Relaxed);
        }
        // The one who waits for an answer is told by the end of its channel as well.
        if let Some(Event::Told(_, Some(waiting))) = event {
            let _ = waiting.send(());
        }
        seen?;
    }
}
