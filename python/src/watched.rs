//! Long work in a thread of its own, with Python's lock released, while signals and callbacks are seen to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use idealparent::hidden::HiddenAttempt;
use idealparent::search::{
    Checkpoint, Iteration, Observer, Step, trace_hidden, trace_iteration, trace_step,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// How often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// More threads than this cost more than they give, on any machine.
const MOST_THREADS: usize = 1024;

/// What a run tells Python.
enum Event {
    /// A line of the trace.
    Told(String),
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
    /// Called with every checkpoint.
    pub keep: Option<Py<PyAny>>,
    /// Seconds between two checkpoints.
    pub keep_every: f64,
}

/// What the work sees of whoever waits for it.
pub struct Line<'a> {
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    sender: Sender<Event>,
    tells: bool,
    keeps: bool,
    keep_every: Duration,
    kept: Option<Instant>,
    names: Vec<String>,
    /// Whether the time limit ended the work.
    pub is_late: bool,
}

impl Line<'_> {
    /// Tells Python something.
    pub fn tell(&self, text: impl FnOnce() -> String) {
        if self.tells {
            // Nobody listens any more only when the work is to stop.
            let _ = self.sender.send(Event::Told(text()));
        }
    }

    /// The names that steps are told with.
    pub fn with_names(mut self, names: &[String]) -> Self {
        self.names = names.to_vec();
        self
    }

    /// Whether to stop, for many threads at once.
    pub fn stopper(&self) -> impl Fn() -> bool + Sync + use<'_> {
        let (stop, deadline) = (self.stop, self.deadline);
        move || stop.load(Ordering::Relaxed) || deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Observer for Line<'_> {
    fn step(&mut self, step: &Step) {
        self.tell(|| trace_step(step, &self.names).to_string());
    }

    fn iteration(&mut self, iteration: &Iteration) {
        self.tell(|| trace_iteration(iteration).to_string());
    }

    fn variables(&mut self, names: &[String]) {
        self.names = names.to_vec();
    }

    fn hidden(&mut self, attempt: &HiddenAttempt) {
        self.tell(|| trace_hidden(attempt, &self.names).to_string());
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

/// Runs work on as many threads as asked for. An exception, Ctrl-C among them, stops it and is raised once it has.
pub fn watched<T: Send>(
    py: Python<'_>,
    behaviour: &Behaviour,
    work: impl FnOnce(Line<'_>) -> idealparent::Result<T> + Send,
) -> PyResult<T> {
    if behaviour.threads == Some(0) {
        return Err(PyValueError::new_err("threads must be at least 1"));
    }
    let deadline = match behaviour.time_limit {
        None => None,
        Some(seconds) if (0.0..=1e9).contains(&seconds) => {
            Some(Instant::now() + Duration::from_secs_f64(seconds))
        }
        Some(_) => {
            let problem = "time_limit must be a number of seconds from 0 to 1e9";
            return Err(PyValueError::new_err(problem));
        }
    };
    if !(0.0..=1e9).contains(&behaviour.keep_every) {
        let problem = "checkpoint_every must be a number of seconds from 0 to 1e9";
        return Err(PyValueError::new_err(problem));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(behaviour.threads.unwrap_or(0).min(MOST_THREADS))
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))?;
    let stop = AtomicBool::new(false);
    let (sender, receiver) = channel();
    let line = Line {
        stop: &stop,
        deadline,
        sender,
        tells: behaviour.tell.is_some(),
        keeps: behaviour.keep.is_some(),
        keep_every: Duration::from_secs_f64(behaviour.keep_every),
        kept: None,
        names: Vec::new(),
        is_late: false,
    };
    let asked = &stop;
    let (result, raised) = py.detach(move || {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| pool.install(|| work(line)));
            let raised = attend(&receiver, behaviour, asked);
            (worker.join(), raised)
        })
    });
    raised?;
    match result {
        Ok(result) => result.or_raise(),
        // A mistake of ours, with a message worth reporting.
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Passes on what the work tells, and looks at signals, until the work is over.
fn attend(receiver: &Receiver<Event>, behaviour: &Behaviour, stop: &AtomicBool) -> PyResult<()> {
    let mut outcome = Ok(());
    let mut looked = Instant::now();
    loop {
        let event = match receiver.recv_timeout(PATIENCE) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return outcome,
        };
        let is_time = event.is_none() || looked.elapsed() >= PATIENCE;
        let seen = Python::attach(|py| {
            if is_time {
                looked = Instant::now();
                py.check_signals()?;
            }
            match (event, &behaviour.tell, &behaviour.keep) {
                (Some(Event::Told(text)), Some(tell), _) if outcome.is_ok() => {
                    tell.call1(py, (text,))?.is_truthy(py)
                }
                (Some(Event::Checkpoint(text)), _, Some(keep)) => {
                    keep.call1(py, (text,))?;
                    Ok(false)
                }
                _ => Ok(false),
            }
        });
        match seen {
            Ok(false) => {}
            Ok(true) => stop.store(true, Ordering::Relaxed),
            Err(raised) => {
                stop.store(true, Ordering::Relaxed);
                if outcome.is_ok() {
                    outcome = Err(raised);
                }
            }
        }
    }
}
