//! The trace of a run: a JSON object for every step, iteration and hidden variable.

use serde_json::{Value, json};

use super::{HiddenAttempt, Iteration};
use crate::search::{Step, Taken};

/// The trace of a step; `names` are the names of all variables.
pub fn trace_step(step: &Step, names: &[String]) -> Value {
    let name = |v: usize| &names[v];
    let (child, parent, replaced) = match step.taken {
        Taken::Move(m) => (Some(m.child), Some(m.parent), m.replaced),
        Taken::Shift { variable, .. } => (Some(variable), None, None),
        Taken::Order | Taken::Restart | Taken::Return => (None, None, None),
    };
    json!({
        "step": step.number,
        "move": step.taken.word(),
        "child": child.map(name),
        "parent": parent.map(name),
        "replaced": replaced.map(name),
        "delta": step.gain,
        "score": step.score,
        "evaluations": step.evaluations.add_replace,
    })
}

/// The trace of an iteration of structural EM.
pub fn trace_iteration(iteration: &Iteration) -> Value {
    json!({
        "iteration": iteration.number,
        "free_energy": iteration.free_energy,
        "edges": iteration.edges,
        "changed": iteration.changed,
    })
}

/// The trace of an attempt to add a hidden variable.
pub fn trace_hidden(attempt: &HiddenAttempt, names: &[String]) -> Value {
    let children = attempt.children.iter().map(|&v| &names[v]);
    let achieved = Some(attempt.achieved).filter(|gain| gain.is_finite());
    json!({
        "hidden": attempt.name,
        "outcome": attempt.outcome.word(),
        "children": children.collect::<Vec<_>>(),
        "estimated": attempt.estimate,
        "achieved": achieved,
    })
}
