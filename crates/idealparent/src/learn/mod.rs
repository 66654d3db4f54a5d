//! Learning a network from a table.

mod attempt;
mod checkpoint;
mod em;
mod fit;
mod hidden;
mod learned;
mod learner;
mod mixture;
mod observer;
mod options;
mod parameters;
mod plan;
mod prepared;
mod price;
mod strategy;
mod trace;
mod watch;

use std::time::Instant;

use serde_json::{Map, Value};

use crate::data::{Completed, Table, sha256_of};
use crate::error::{Error, Result};
use crate::network::{DataRecord, Provenance};
use crate::search::Plan;
pub use attempt::{HiddenAttempt, HiddenOutcome};
pub use checkpoint::Checkpoint;
use em::Em;
pub use fit::fit;
use hidden::Growth;
#[cfg(feature = "testing")]
pub use hidden::{Agglomeration, Cluster, HiddenFactor, ProfileSimilarities, agglomerate};
pub use learned::{Fitted, Learned};
use learner::{LearnedNetwork, Learner, SearchRequest};
pub use observer::{Iteration, Observer};
pub use options::{Candidates, HiddenCount, LearnOptions, Method, PosteriorKind, StartEdges};
use prepared::Prepared;
pub(crate) use prepared::check_table;
pub(crate) use strategy::unfit;
pub use strategy::{
    ClusterScore, IntegratedScore, SearchTask, Standard, Strategy, TaskResult, TaskScorer,
};
pub use trace::{trace_hidden, trace_iteration, trace_step};

/// Learns the structure and the parameters of a network from a table.
///
/// ```
/// use idealparent::{LearnOptions, example, learn};
///
/// let table = example("sachs")?.table();
/// let learned = learn(&table, &LearnOptions::default(), &mut ())?;
/// assert!(learned.network.edge_count() > 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn learn(
    table: &Table,
    options: &LearnOptions,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    learn_by(&Standard, table, options, None, observer)
}

/// Like [`learn`], with a custom [`Strategy`], and resumes from a checkpoint if one is given.
///
/// ```
/// use idealparent::extend::{Standard, learn_by};
/// use idealparent::{LearnOptions, example, learn};
///
/// let (table, options) = (example("sachs")?.table(), LearnOptions::default());
/// let learned = learn_by(&Standard, &table, &options, None, &mut ())?;
/// assert_eq!(learned.network, learn(&table, &options, &mut ())?.network);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn learn_by(
    strategy: &dyn Strategy,
    table: &Table,
    options: &LearnOptions,
    resume: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    options.check()?;
    let began = Instant::now();
    let prepared = Prepared::new(table, options)?;
    let start = prepared.start(options)?;
    let mut record = options.record();
    for (key, value) in strategy.record() {
        assert!(
            record.insert(key.clone(), value).is_none(),
            "the strategy records '{key}', which is the name of an option"
        );
    }
    let fingerprint = fingerprint(table, &record, options.seed);
    if let Some(from) = resume {
        if !strategy.is_resumable() {
            let problem = "a run of this strategy cannot be resumed from a checkpoint";
            return Err(Error::options(problem));
        }
        let has_holes = prepared.holes.count > 0;
        from.check(&fingerprint, options, has_holes)?;
    }
    let plan = options.plan(prepared.columns.active(), prepared.table.rows());
    let learner = Learner {
        prepared: &prepared,
        options,
        gamma: options.first_gamma(),
        strategy,
        fingerprint: &fingerprint,
    };
    let request = SearchRequest {
        plan: &plan,
        start,
        resume: resume.and_then(|from| from.parts.search.as_ref()),
    };
    let mut learned = if options.wants_hidden() {
        with_hidden(learner, request, resume, observer)?
    } else if prepared.holes.count > 0 {
        let learner = with_gamma(learner, &request, resume, observer)?;
        let em = Em::new(learner);
        let (mut learned, state) = em.structural(request, resume, observer)?;
        learned.network = em.recorded(state)?;
        learned
    } else {
        let data = Completed::complete(prepared.table.columns());
        learner.learn_complete(&data, request, resume.map(|from| &from.parts), observer)?
    };
    learned.network.provenance = Some(provenance(table, record, options.seed));
    Ok(learned.finished(&prepared, began))
}

/// The learner with a value of EBIC's gamma, for data with missing values: the value so far of a
/// resumed run, or one that short searches find.
fn with_gamma<'a>(
    learner: Learner<'a>,
    request: &SearchRequest,
    resume: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Learner<'a>> {
    if !learner.chooses_gamma() {
        return Ok(learner);
    }
    let gamma = match resume.and_then(|from| from.parts.price.as_ref()) {
        Some(choice) => choice.gamma(),
        None => em::choose_gamma(learner, request, observer)?,
    };
    Ok(learner.at(gamma))
}

/// Learns a network without hidden variables first, then adds them.
fn with_hidden(
    learner: Learner,
    request: SearchRequest,
    resume: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<LearnedNetwork> {
    let plan: Plan = request.plan.clone();
    let mut growth = Growth::new(learner, &plan);
    let parts = resume.map(|from| &from.parts);
    let grown = parts.and_then(|parts| Some((parts.em.as_ref()?, parts.hidden.as_ref()?)));
    if let Some((em, hidden)) = grown {
        let (learned, model) = growth.resume(em, hidden)?;
        return growth.grow(learned, model, &plan, observer);
    }
    let base = if learner.options.two_layer {
        learner.prepared.with_hidden(0, true)
    } else {
        learner.prepared.clone()
    };
    let base = learner.on(&base);
    let em = Em::new(base);
    let (learned, state) = if base.prepared.holes.count > 0 {
        em.structural(request, resume, observer)?
    } else {
        let data = Completed::complete(base.prepared.table.columns());
        let learned = base.learn_complete(&data, request, parts, observer)?;
        let state = em.without_holes(learned.network.clone())?;
        (learned, state)
    };
    let model = growth.begin(state);
    growth.grow(learned, model, &plan, observer)
}

fn provenance(table: &Table, options: Map<String, Value>, seed: u64) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_string(),
        options,
        seed,
        data: DataRecord {
            rows: table.rows(),
            columns: table.width(),
            missing: table.missing(),
            sha256: table.sha256(),
        },
    }
}

/// Hash that ties a checkpoint to its data, options and strategy.
fn fingerprint(table: &Table, record: &Map<String, Value>, seed: u64) -> String {
    let record = Value::Object(record.clone());
    let version = env!("CARGO_PKG_VERSION");
    sha256_of(&format!("{version} {} {seed} {record}", table.sha256()))
}
