//! Chooses EBIC's gamma from the data.
//!
//! The price of an edge depends on how dense the network is, and the network on the price. Starting
//! from gamma = 1, networks are learned and prices updated alternately, until neither changes. All
//! but one of these searches are short. A lower price gives a denser network, and a denser network
//! a lower price, so the values rise or fall until they settle. They can repeat in a cycle only
//! because searches end in different maxima.

use serde::{Deserialize, Serialize};

use super::checkpoint::WorkCounts;
use super::em::choose_gamma;
use super::learner::{LearnedNetwork, Learner, SearchRequest};
use super::prepared::Prepared;
use super::watch::{OneSearch, StopOnly};
use super::{LearnOptions, Observer, Standard};
use crate::data::{Completed, Table};
use crate::error::Result;
use crate::graph::Dag;
use crate::score::{Gamma, ScoreKind};
use crate::search::{Ending, Plan, Restarts, SearchKind, SearchState};

/// Maximum number of values tried by short searches, and again by the others.
const MOST: usize = 10;

/// Maximum number of complete searches.
const MOST_COMPLETE: usize = 3;

/// The complete search begins when the price of an edge that a short search implies differs by less
/// than this, in nats, from the price it was made with.
const NEAR: f64 = 0.05;

/// If the network of the complete search implies a price that differs by this much, in nats, there
/// is another complete search.
const FAR: f64 = 0.1;

/// The pairs of variables that the search may join or not, from which the price of an edge follows.
#[derive(Clone, Copy)]
pub(super) struct Density<'a> {
    prepared: &'a Prepared,
    pairs: usize,
}

impl<'a> Density<'a> {
    pub(super) fn new(prepared: &'a Prepared) -> Self {
        let mut density = Density { prepared, pairs: 0 };
        for a in 0..prepared.table.width() {
            density.pairs += (0..a).filter(|&b| density.is_open(a, b)).count();
        }
        density
    }

    /// Whether two variables may be joined, but need not be.
    fn is_open(&self, a: usize, b: usize) -> bool {
        let constraints = &self.prepared.constraints;
        let may = constraints.allows(a, b) || constraints.allows(b, a);
        may && !constraints.is_required(a, b) && !constraints.is_required(b, a)
    }

    /// Number of edges between these pairs.
    fn edges(&self, dag: &Dag) -> usize {
        dag.edges().filter(|&(p, c)| self.is_open(p, c)).count()
    }

    /// The value of gamma that a network implies.
    pub(super) fn gamma(&self, dag: &Dag) -> f64 {
        Gamma::of_density(self.prepared.columns.active(), self.pairs, self.edges(dag))
    }

    /// The price of an edge for a change of gamma by 1.
    pub(super) fn scale(&self) -> f64 {
        (self.prepared.columns.active().max(1) as f64).ln()
    }
}

/// The kind of the current search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stage {
    /// A single round, from the network so far.
    #[default]
    Short,
    /// The search that the options specify, from their start.
    Complete,
    /// Hill climbing from the network of the complete search.
    Settling,
    /// Gamma is chosen, and does not change any more.
    Chosen,
}

/// The state of the choice of gamma.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct GammaChoice {
    /// All values tried so far; the last one is the current one.
    tried: Vec<f64>,
    stage: Stage,
    /// Number of complete searches.
    complete: usize,
    /// The procedure of the last complete search.
    search: Option<SearchKind>,
    /// Whether the values repeated in a cycle, and the largest of the cycle was chosen.
    circled: bool,
    /// Index of the first value that counts for cycles. If the short searches did not settle, their
    /// values do not count for the complete ones.
    first: usize,
    /// Edges of the network from which the current search begins; `None` if it begins with that of
    /// the options.
    start: Option<Vec<(usize, usize)>>,
    /// Work of the searches with earlier values.
    pub(super) counts: WorkCounts,
}

impl GammaChoice {
    /// The choice before the first search. It begins at 1, or at the value that the start implies if
    /// that has edges. So a search from a learned network begins where that one ended.
    pub(super) fn begin(density: &Density, start: &Dag) -> Self {
        let first = if density.edges(start) > 0 {
            density.gamma(start)
        } else {
            1.0
        };
        GammaChoice {
            tried: vec![first],
            ..GammaChoice::default()
        }
    }

    /// A final value.
    pub(super) fn chosen(gamma: f64) -> Self {
        GammaChoice {
            tried: vec![gamma],
            stage: Stage::Chosen,
            ..GammaChoice::default()
        }
    }

    /// The current value.
    pub(super) fn value(&self) -> f64 {
        self.tried.last().copied().unwrap_or(1.0)
    }

    /// The current value as an option.
    pub(super) fn gamma(&self) -> Gamma {
        Gamma::AutoAt(self.value())
    }

    /// Whether no run can have written this.
    pub(super) fn is_damaged(&self) -> bool {
        let sound = |value: &f64| value.is_finite() && *value >= 0.0;
        let count = self.tried.len();
        // The complete search may begin at the last value once more.
        !(1..=2 * MOST + 1).contains(&count) || self.first >= count || !self.tried.iter().all(sound)
    }

    /// Whether the search begins with the network so far, not with the start of the options.
    fn continues(&self) -> bool {
        self.stage != Stage::Complete
    }

    /// The network from which the current search begins; `start` is that of the options. Returns an
    /// error if no run can have written this.
    fn start(&self, start: &Dag) -> Result<Dag> {
        let Some(edges) = &self.start else {
            return Ok(start.clone());
        };
        let n = start.len();
        let is_inside = edges.iter().all(|&(p, c)| p < n && c < n);
        let dag = is_inside.then(|| Dag::from_edges(n, edges.iter().copied()));
        dag.flatten().ok_or_else(SearchState::damaged)
    }

    /// The plan of the current search; `whole` is that of the options.
    fn plan(&self, whole: &Plan) -> Plan {
        let is_chain = matches!(
            whole.search,
            SearchKind::Auto | SearchKind::Hill | SearchKind::Order
        );
        match self.stage {
            Stage::Short if is_chain => Plan {
                restarts: Restarts::Fixed(0),
                ..whole.clone()
            },
            Stage::Short | Stage::Settling => whole.hill(),
            Stage::Complete | Stage::Chosen => whole.clone(),
        }
    }

    /// Goes on to the next search after the current one has found a network that implies the value
    /// `implied`, with an exact search if `is_exact`. Returns whether there is a next search.
    /// `scale` is the price of an edge per unit of gamma.
    pub(super) fn advance(
        &mut self,
        implied: f64,
        scale: f64,
        whole: &Plan,
        is_exact: bool,
    ) -> bool {
        let next = self.next(implied);
        let distance = next.map_or(0.0, |next| (next - self.value()).abs() * scale);
        let is_single = self.plan(whole) == *whole;
        if self.stage == Stage::Complete {
            self.complete += 1;
        }
        let stage = match self.stage {
            Stage::Short if distance >= NEAR => Stage::Short,
            Stage::Short if !is_single => Stage::Complete,
            Stage::Complete if distance >= FAR && self.complete < MOST_COMPLETE => Stage::Complete,
            // Hill climbing at another price would lose the proof that the network is the best.
            Stage::Complete if is_exact => Stage::Chosen,
            Stage::Short | Stage::Complete | Stage::Settling if next.is_some() => Stage::Settling,
            _ => Stage::Chosen,
        };
        self.stage = stage;
        if stage == Stage::Chosen {
            return false;
        }
        if stage == Stage::Complete && self.complete == 0 && self.is_exhausted() {
            // The short searches did not settle, but the complete ones may.
            (self.first, self.circled) = (self.tried.len(), false);
        }
        self.tried.push(next.unwrap_or(self.value()));
        true
    }

    /// Whether no further values are tried, since they repeat in a cycle or are too many.
    fn is_exhausted(&self) -> bool {
        let most = match self.stage {
            Stage::Short => MOST,
            Stage::Complete | Stage::Settling | Stage::Chosen => 2 * MOST,
        };
        self.circled || self.tried.len() >= most
    }

    /// The next value; `None` if the current one is kept. If the values have begun to repeat in a
    /// cycle, this is the largest of the cycle.
    fn next(&mut self, implied: f64) -> Option<f64> {
        let present = self.value();
        if implied == present || self.is_exhausted() {
            return None;
        }
        let tried = &self.tried[self.first..];
        let Some(first) = tried.iter().position(|&value| value == implied) else {
            return Some(implied);
        };
        self.circled = true;
        let largest = tried[first..].iter().copied().fold(implied, f64::max);
        (largest != present).then_some(largest)
    }
}

impl Learner<'_> {
    /// Whether EBIC's gamma has still to be chosen from the data.
    pub(super) fn chooses_gamma(&self) -> bool {
        self.options.chooses_gamma() && self.gamma == Gamma::Auto
    }

    /// The choice of gamma, for checkpoints; `None` if the options say what it is.
    pub(super) fn gamma_choice(&self) -> Option<GammaChoice> {
        let chooses = self.options.chooses_gamma();
        chooses.then(|| GammaChoice::chosen(self.gamma.value()))
    }
}

impl LearnOptions {
    /// Whether EBIC's gamma is to be chosen from the data.
    pub(super) fn chooses_gamma(&self) -> bool {
        self.score == ScoreKind::Ebic && self.first_gamma() == Gamma::Auto
    }

    /// EBIC's gamma, if the options say what it is; other scores have none, so that it stays as
    /// given. With hidden variables it is 1: edges that hidden variables will replace make a network
    /// look dense, and a low price would then connect the hidden variables to too many others.
    pub(super) fn first_gamma(&self) -> Gamma {
        match self.gamma {
            Gamma::Auto if self.score == ScoreKind::Ebic && self.wants_hidden() => {
                Gamma::AutoAt(1.0)
            }
            given => given,
        }
    }

    /// The same options with the value of EBIC's gamma that follows from a table, if they leave it
    /// open. `None` if the observer stopped the run.
    ///
    /// Networks that are learned from parts or samples of a table should have the price of the
    /// whole table: in samples with repeated rows, edges look more frequent than they are. This
    /// learns a network from the table; if values are missing, short searches are enough.
    ///
    /// ```
    /// use idealparent::{Gamma, LearnOptions, example};
    ///
    /// let table = example("sachs")?.table();
    /// let options = LearnOptions::default();
    /// let chosen = options.with_gamma_of(&table, &mut ())?.expect("nothing stops it");
    /// assert!(matches!(chosen.gamma, Gamma::AutoAt(_)));
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn with_gamma_of(
        &self,
        table: &Table,
        observer: &mut dyn Observer,
    ) -> Result<Option<LearnOptions>> {
        if !self.chooses_gamma() {
            return Ok(Some(LearnOptions {
                gamma: self.first_gamma(),
                ..self.clone()
            }));
        }
        self.check()?;
        let prepared = Prepared::new(table, self)?;
        let start = prepared.start(self)?;
        let plan = self.plan(prepared.columns.active(), prepared.table.rows());
        let learner = Learner {
            prepared: &prepared,
            options: self,
            gamma: self.gamma,
            strategy: &Standard,
            fingerprint: "",
        };
        let request = SearchRequest {
            plan: &plan,
            start,
            resume: None,
        };
        let gamma = if prepared.holes.count > 0 {
            choose_gamma(learner, &request, observer)?
        } else {
            let data = Completed::complete(prepared.table.columns());
            let quiet = &mut StopOnly(observer);
            let learned = learner.learn_complete(&data, request, None, quiet)?;
            let score = learned.network.score.as_ref();
            score
                .and_then(|score| score.gamma)
                .map_or(Gamma::Auto, Gamma::AutoAt)
        };
        let is_stopped = observer.stop();
        Ok((!is_stopped).then(|| LearnOptions {
            gamma,
            ..self.clone()
        }))
    }
}

/// Learns from complete data. If EBIC's gamma is open, this takes several searches, and `learn` runs
/// each of them.
pub(super) fn learn_priced<'a>(
    learner: Learner<'a>,
    request: SearchRequest,
    resume: Option<&GammaChoice>,
    observer: &mut dyn Observer,
    mut learn: impl FnMut(Learner<'a>, SearchRequest, &mut OneSearch) -> Result<LearnedNetwork>,
) -> Result<LearnedNetwork> {
    if !learner.chooses_gamma() {
        let mut watch = OneSearch::new(observer, learner.fingerprint);
        return learn(learner, request, &mut watch);
    }
    let density = Density::new(learner.prepared);
    let begin = || GammaChoice::begin(&density, &request.start);
    let mut choice = resume.cloned().unwrap_or_else(begin);
    let mut resume = request.resume;
    let mut before = None;
    loop {
        let plan = choice.plan(request.plan);
        let inner = SearchRequest {
            plan: &plan,
            start: choice.start(&request.start)?,
            resume: resume.take(),
        };
        let watch = OneSearch::new(observer, learner.fingerprint);
        let mut watch = watch.with_price(Some(choice.clone()), before);
        let mut learned = learn(learner.at(choice.gamma()), inner, &mut watch)?;
        before = watch.last();
        if choice.stage == Stage::Complete || choice.search.is_none() {
            choice.search = Some(learned.found.search);
        }
        learned.count(&mut choice.counts);
        let stopped = learned.found.ending == Ending::Stopped;
        let (implied, is_exact) = (density.gamma(&learned.found.dag), learned.is_exact);
        if stopped || !choice.advance(implied, density.scale(), request.plan, is_exact) {
            learned.found.search = choice.search.unwrap_or(learned.found.search);
            return Ok(learned);
        }
        let edges = || learned.found.dag.edges().collect();
        choice.start = choice.continues().then(edges);
        // The observer is told of the restart.
        choice.counts.moves += 1;
    }
}

#[cfg(test)]
mod tests;
