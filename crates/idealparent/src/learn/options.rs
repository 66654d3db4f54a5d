//! What a user can ask of learning, checked once before anything runs.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Candidates, HiddenOptions, Method, PosteriorKind};
use crate::cpd::{CpdKind, Link, Sigmoid};
use crate::error::{Error, Result};
use crate::family::FamilyModel;
use crate::graph::Knowledge;
use crate::ideal::Measure;
use crate::network::{Network, Transform};
use crate::score::{ScoreKind, ScoreOptions};
use crate::search::{MoveSet, SearchKind};

/// Lengths and numbers of rounds beyond this are mistakes.
const MOST: usize = 1_000_000;

/// Everything that decides what is learned from a table.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnOptions {
    /// Kinds of densities; of several the best for each family.
    pub cpds: Vec<CpdKind>,
    /// Whether links have a free bias inside.
    pub bias: bool,
    /// Whether products have a free offset.
    pub baseline: bool,
    /// Which candidates get a full score.
    pub method: Method,
    /// The ideal method's K.
    pub candidates: Candidates,
    /// The ideal method's measure.
    pub measure: Measure,
    /// The score.
    pub score: ScoreOptions,
    /// The search procedure.
    pub search: SearchKind,
    /// Tabu search: for how many steps a changed edge is left alone. `None`: chosen from the number
    /// of variables.
    pub tabu_length: Option<usize>,
    /// Rounds after the first, each from the best network so far, perturbed. `None`: chosen from
    /// the search.
    pub restarts: Option<usize>,
    /// Random moves that perturb it. `None`: chosen from the number of variables.
    pub perturb: Option<usize>,
    /// Kinds of moves.
    pub moves: MoveSet,
    /// Prior knowledge.
    pub knowledge: Knowledge,
    /// Edges to begin from, by name.
    pub start: Vec<(String, String)>,
    /// Which distribution stands for what is missing.
    pub posterior: PosteriorKind,
    /// Hidden variables to look for.
    pub hidden: HiddenOptions,
    /// Learn from 2^x.
    pub exp2: bool,
    /// Learn from columns of unit variance.
    pub standardize: bool,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for LearnOptions {
    fn default() -> Self {
        LearnOptions {
            cpds: vec![CpdKind::Linear],
            bias: false,
            baseline: false,
            method: Method::default(),
            candidates: Candidates::default(),
            measure: Measure::default(),
            score: ScoreOptions::default(),
            search: SearchKind::default(),
            tabu_length: None,
            restarts: None,
            perturb: None,
            moves: MoveSet::default(),
            knowledge: Knowledge::default(),
            start: Vec::new(),
            posterior: PosteriorKind::default(),
            hidden: HiddenOptions::default(),
            exp2: false,
            standardize: false,
            seed: 0,
        }
    }
}

impl LearnOptions {
    /// Whether only linear densities are asked for.
    pub fn is_linear(&self) -> bool {
        self.cpds.iter().all(|kind| *kind == CpdKind::Linear)
    }

    /// Whether some density is defined for positive parents only.
    pub(crate) fn needs_positive(&self) -> bool {
        self.cpds.iter().any(CpdKind::needs_positive)
    }

    /// About how much longer the dearest fit takes than a sigmoid's.
    pub(super) fn fit_cost(&self) -> f64 {
        let costs = self.cpds.iter().map(|kind| kind.fit_cost(self.bias));
        costs.fold(1.0, f64::max)
    }

    /// How many of the densities are links.
    pub fn links(&self) -> usize {
        let is_link = |kind: &&CpdKind| matches!(kind, CpdKind::Link(_));
        self.cpds.iter().filter(is_link).count()
    }

    /// What is done to every value before anything else.
    pub(super) fn transform(&self) -> Transform {
        if self.exp2 {
            Transform::Exp2
        } else {
            Transform::None
        }
    }

    /// The links among the densities.
    pub(crate) fn own_links(&self) -> Vec<Arc<dyn Link>> {
        let link = |kind: &CpdKind| match kind {
            CpdKind::Link(link) => Some(link.clone()),
            _ => None,
        };
        self.cpds.iter().filter_map(link).collect()
    }

    /// How the densities are fitted and extended.
    pub fn models(&self) -> Vec<Box<dyn FamilyModel>> {
        let model = |kind: &CpdKind| kind.model(self.bias, self.baseline);
        self.cpds.iter().map(model).collect()
    }

    /// How the densities are fitted and extended while searching.
    pub fn search_models(&self) -> Vec<Box<dyn FamilyModel>> {
        let model = |kind: &CpdKind| kind.search_model(self.bias, self.baseline);
        self.cpds.iter().map(model).collect()
    }

    /// Refuses combinations that make no sense.
    pub fn check(&self) -> Result<()> {
        self.score.check()?;
        self.hidden.check()?;
        let wrong = |what: &str| Err(Error::Options(what.to_string()));
        if self.cpds.is_empty() {
            return wrong("--cpd names no cpd");
        }
        for (i, kind) in self.cpds.iter().enumerate() {
            if let CpdKind::Link(link) = kind {
                check_word(link.as_ref())?;
            }
            if self.cpds[..i].contains(kind) {
                return Err(Error::Options(format!("cpd '{}' twice", kind.word())));
            }
        }
        if self.bias && self.links() == 0 {
            return wrong("--bias goes with --cpd sigmoid");
        }
        if self.baseline && !self.cpds.contains(&CpdKind::Product) {
            return wrong("--baseline goes with --cpd product");
        }
        if self.score.kind == ScoreKind::Bge && !self.is_linear() {
            return wrong("the bge score goes with --cpd linear");
        }
        if self.hidden.is_wanted() && self.score.kind == ScoreKind::Bge {
            return wrong("the bge score needs complete data: it cannot be had with --hidden");
        }
        if self.hidden.two_layer && !(self.knowledge.require.is_empty() && self.start.is_empty()) {
            return wrong(
                "--two-layer has edges from hidden variables only: no --require, no --start",
            );
        }
        if self.tabu_length.is_some() && self.search != SearchKind::Tabu {
            return wrong("--tabu-length goes with --search tabu");
        }
        if self.perturb.is_some() && self.restarts == Some(0) {
            return wrong("--perturb goes with --restarts of at least 1");
        }
        let restarts_by_default = matches!(self.search, SearchKind::Auto | SearchKind::Order);
        if self.perturb.is_some() && self.restarts.is_none() && !restarts_by_default {
            return wrong("--perturb goes with --restarts");
        }
        for (what, number) in [
            ("--tabu-length", self.tabu_length),
            ("--restarts", self.restarts),
            ("--perturb", self.perturb),
        ] {
            if number.is_some_and(|number| number > MOST) {
                return Err(Error::Options(format!("{what} must be at most {MOST}")));
            }
        }
        if self.moves.kinds().next().is_none() {
            return Err(Error::Options("--moves names no move".to_string()));
        }
        Ok(())
    }

    /// Sets one option by its word, as in `measure=c2`; the words are those of the command line.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let number = || {
            value
                .parse::<f64>()
                .map_err(|_| Error::Options(format!("{key}: '{value}' is not a number")))
        };
        let flag = || match value {
            "yes" | "true" | "1" => Ok(true),
            "no" | "false" | "0" => Ok(false),
            _ => Err(Error::Options(format!(
                "{key}: '{value}' is neither yes nor no"
            ))),
        };
        let whole = || {
            value
                .parse::<usize>()
                .map_err(|_| Error::Options(format!("{key}: '{value}' is not a whole number")))
        };
        match key.replace('_', "-").as_str() {
            "cpd" => self.cpds = CpdKind::parse_list(value)?,
            "bias" => self.bias = flag()?,
            "baseline" => self.baseline = flag()?,
            "method" => self.method = value.parse()?,
            "k" | "candidates" => self.candidates = value.parse()?,
            "measure" => self.measure = value.parse()?,
            "score" => self.score.kind = value.parse()?,
            "gamma" => self.score.gamma = number()?,
            "penalty" => self.score.penalty = number()?,
            "alpha-w" => self.score.alpha_w = Some(number()?),
            "search" => self.search = value.parse()?,
            "moves" => self.moves = value.parse()?,
            "tabu-length" => self.tabu_length = Some(whole()?),
            "restarts" => self.restarts = Some(whole()?),
            "perturb" => self.perturb = Some(whole()?),
            "max-parents" => self.knowledge.max_parents = Some(whole()?),
            "posterior" => self.posterior = value.parse()?,
            "hidden" => self.hidden.count = value.parse()?,
            "two-layer" => self.hidden.two_layer = flag()?,
            "min-children" => self.hidden.min_children = Some(whole()?),
            "exp2" => self.exp2 = flag()?,
            "standardize" => self.standardize = flag()?,
            _ => return Err(Error::Options(format!("unknown option '{key}'"))),
        }
        Ok(())
    }

    /// The options that affect the parameters of a given structure, for a network's provenance.
    pub fn record_fit(&self) -> Map<String, Value> {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_string(), value);
        let words: Vec<&str> = self.cpds.iter().map(CpdKind::word).collect();
        put("cpd", json!(words.join(",")));
        for (key, set) in [("bias", self.bias), ("baseline", self.baseline)] {
            if set {
                put(key, json!(true));
            }
        }
        put("score", json!(self.score.kind.word()));
        match self.score.kind {
            ScoreKind::Ebic => {
                put("gamma", json!(self.score.gamma));
                put("penalty", json!(self.score.penalty));
            }
            ScoreKind::Bic | ScoreKind::Aic => {
                put("penalty", json!(self.score.penalty));
            }
            ScoreKind::Bge => {
                if let Some(alpha_w) = self.score.alpha_w {
                    put("alpha_w", json!(alpha_w));
                }
            }
        }
        if self.posterior != PosteriorKind::default() {
            put("posterior", json!(self.posterior.word()));
        }
        if self.exp2 {
            put("exp2", json!(true));
        }
        if self.standardize {
            put("standardize", json!(true));
        }
        map
    }

    /// The options that affect what is learned, for a network's provenance.
    pub fn record(&self) -> Map<String, Value> {
        let mut map = self.record_fit();
        let mut put = |key: &str, value: Value| map.insert(key.to_string(), value);
        put("method", json!(self.method.word()));
        match self.method {
            Method::Greedy => {}
            Method::Ideal => {
                put(
                    "candidates",
                    match self.candidates {
                        Candidates::Top(k) => json!(k),
                        Candidates::All => json!("all"),
                        Candidates::Auto => json!("auto"),
                    },
                );
                put("measure", json!(self.measure.word()));
            }
        }
        let hidden = &self.hidden;
        if hidden.is_wanted() {
            put("hidden", json!(hidden.count.word()));
            put("min_children", json!(hidden.fewest()));
        }
        if hidden.two_layer {
            put("two_layer", json!(true));
        }
        put("search", json!(self.search.word()));
        for (key, number) in [
            ("tabu_length", self.tabu_length),
            ("restarts", self.restarts),
            ("perturb", self.perturb),
        ] {
            if let Some(number) = number {
                put(key, json!(number));
            }
        }
        let kinds: Vec<&str> = self.moves.kinds().map(|kind| kind.word()).collect();
        put("moves", json!(kinds));
        let knowledge = &self.knowledge;
        if let Some(most) = knowledge.max_parents {
            put("max_parents", json!(most));
        }
        for (key, edges) in [
            ("require", &knowledge.require),
            ("forbid", &knowledge.forbid),
            ("start", &self.start),
        ] {
            if !edges.is_empty() {
                put(key, json!(edges));
            }
        }
        if !knowledge.tiers.is_empty() {
            put("tiers", json!(knowledge.tiers));
        }
        map
    }
}

impl Network {
    /// The options the network was learned with, as far as its densities are concerned.
    pub fn recorded_options(&self) -> Result<LearnOptions> {
        let mut options = LearnOptions::default();
        let Some(provenance) = &self.provenance else {
            return Ok(options);
        };
        for key in ["cpd", "bias", "baseline"] {
            match provenance.options.get(key) {
                Some(Value::String(word)) => options.set(key, word)?,
                Some(Value::Bool(flag)) => options.set(key, if *flag { "yes" } else { "no" })?,
                _ => {}
            }
        }
        Ok(options)
    }
}

/// Refuses a link with a word that files and options understand otherwise.
fn check_word(link: &dyn Link) -> Result<()> {
    let is_sigmoid = || {
        let same = |&eta: &f64| (link.value(eta) - Sigmoid.value(eta)).abs() < 1e-12;
        [-3.0, -0.5, 0.0, 1.0, 4.0].iter().all(same)
    };
    match link.word() {
        "linear" | "product" => {}
        "sigmoid" if !is_sigmoid() => {}
        _ => return Ok(()),
    }
    Err(Error::Options(
        "a link may not be called linear, product or sigmoid".to_string(),
    ))
}
