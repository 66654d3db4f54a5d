//! From a table to a network.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::cpd::{Cpd, CpdKind, LinearCpd};
use crate::data::{Columns, Table};
use crate::error::{Error, Result};
use crate::fit::{Gram, Profiles, least_squares, mean_and_variance, unit_variance};
use crate::graph::{Constraints, Dag, names_along};
use crate::ideal::{Budget, Exhaustive, FamilySelector, GramSelector, Selector};
use crate::network::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
use crate::options::{Candidates, LearnOptions, Method};
use crate::score::{
    Evaluations, FamilyScorer, GramScorer, Prices, ResolvingScorer, ScoreKind, Scorer,
    VARIANCE_FLOOR, log_likelihood,
};
use crate::search::{
    self, CandidatesUsed, Checkpoint, Ending, Failure, Found, Observer, Plan, Problem, SearchKind,
    without_parent,
};

/// A learned network and how it was reached.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// The search procedure, where `auto` chose one; `None` where nothing was searched.
    pub search: Option<SearchKind>,
    /// Rounds of it: the first, and each restart.
    pub rounds: usize,
    /// How the search ended.
    pub ending: Ending,
    /// Moves taken.
    pub moves: usize,
    /// Families scored.
    pub evaluations: Evaluations,
    /// How many candidates per slot were scored.
    pub candidates: CandidatesUsed,
    /// Families scored for a move that could not be fitted.
    pub rejected: u64,
    /// With the paper's measures and non-linear CPDs: mean share of values outside a link's image.
    pub clamped: Option<f64>,
    /// Seconds of learning, reading and writing not counted.
    pub seconds: f64,
    /// What a user should be told, a line each.
    pub notes: Vec<String>,
}

/// Learns structure and parameters.
///
/// ```
/// use idealparent::{LearnOptions, data, learn};
///
/// let table = data::example("sachs")?.table();
/// let learned = learn(&table, &LearnOptions::default(), &mut ())?;
/// assert!(learned.network.edge_count() > 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn learn(
    table: &Table,
    options: &LearnOptions,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    learn_from(table, options, None, observer)
}

/// As [`learn`], from a checkpoint of the same data and options if one is given: the network is the one that an
/// uninterrupted run would have found. Families scored before the interruption may be scored, and counted, again.
pub fn learn_from(
    table: &Table,
    options: &LearnOptions,
    resume: Option<&Checkpoint>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    options.check()?;
    let began = Instant::now();
    let prepared = Prepared::new(table, options)?;
    let start = prepared.start(options)?;
    let size = (prepared.columns.active(), prepared.table.rows());
    let plan = options.plan(size.0, size.1, fingerprint(table, options));
    let how = How {
        plan: &plan,
        start,
        resume,
    };
    let budget = match options.candidates {
        Candidates::Top(k) => Budget::Top(k),
        Candidates::All => Budget::All,
        Candidates::Auto => Budget::Auto,
    };
    let exhaustive = Exhaustive {
        width: prepared.table.width(),
    };
    let (searched, mut network, told) = if options.is_linear() {
        let scorer = prepared.scorer(options)?;
        let searched = if options.resolve {
            let resolving = ResolvingScorer::new(prepared.gram_columns(), prepared.prices(options));
            prepared.search(&resolving, &exhaustive, options, how, observer)?
        } else {
            let selector = match options.method {
                Method::Ideal => GramSelector::ideal(&scorer, options.measure, budget),
                Method::Greedy => GramSelector::greedy(&scorer),
            };
            prepared.search(&scorer, &selector, options, how, observer)?
        };
        let network = prepared.fit(&searched.dag, &scorer, options)?;
        (searched, network, (0, None))
    } else {
        let profiles = Profiles::new(prepared.gram_columns(), &prepared.gram);
        let scorer = FamilyScorer::new(&profiles, options.models(), prepared.prices(options));
        let selector = FamilySelector::new(&scorer, options.measure, budget);
        let chosen: &dyn Selector = match (options.method, budget) {
            // A K that no child has more candidates than leaves nothing to rank.
            (Method::Ideal, Budget::Top(k)) if k + 1 < prepared.table.width() => &selector,
            (Method::Ideal, Budget::Auto) => &selector,
            _ => &exhaustive,
        };
        let searched = prepared.search(&scorer, chosen, options, how, observer)?;
        let network = prepared.fit_any(&searched.dag, &scorer, options)?;
        (searched, network, (scorer.rejected(), selector.clamped()))
    };
    network.provenance = Some(provenance(table, options.record(), options.seed));
    Ok(Learned {
        network,
        search: Some(searched.search),
        rounds: searched.rounds,
        ending: searched.ending,
        moves: searched.moves,
        evaluations: searched.evaluations,
        candidates: searched.candidates,
        rejected: told.0,
        clamped: told.1,
        seconds: began.elapsed().as_secs_f64(),
        notes: prepared.columns.notes,
    })
}

/// Fits the parameters of a given structure, `(from, to)` by name.
///
/// `kinds` names the density of some variables; the others get the best of the options' densities.
pub fn fit_structure(
    table: &Table,
    edges: &[(String, String)],
    kinds: &HashMap<String, CpdKind>,
    options: &LearnOptions,
) -> Result<Learned> {
    let began = Instant::now();
    let mut all = options.clone();
    for name in table.names() {
        let new = kinds.get(name).filter(|kind| !all.cpds.contains(kind));
        all.cpds.extend(new.cloned());
    }
    all.check()?;
    let prepared = Prepared::new(table, &all)?;
    let dag = prepared.dag(edges, "the structure")?;
    for (parent, child) in dag.edges() {
        if !prepared.constraints.allows(parent, child) {
            return Err(Error::Data(format!(
                "the structure has the edge '{}' -> '{}', but these two columns are identical",
                table.names()[parent],
                table.names()[child]
            )));
        }
    }
    let mut network = if all.is_linear() {
        let scorer = prepared.scorer(options)?;
        prepared.fit(&dag, &scorer, options)?
    } else {
        let profiles = Profiles::new(prepared.gram_columns(), &prepared.gram);
        let mut scorer = FamilyScorer::new(&profiles, all.models(), prepared.prices(options));
        for (v, name) in table.names().iter().enumerate() {
            let own = kinds.get(name);
            let wanted = |kind: &CpdKind| match own {
                Some(own) => kind == own,
                None => options.cpds.contains(kind),
            };
            let models = (0..all.cpds.len()).filter(|&model| wanted(&all.cpds[model]));
            scorer.restrict(v, models.collect());
        }
        prepared.fit_any(&dag, &scorer, &all)?
    };
    network.provenance = Some(provenance(table, all.record_fit(), options.seed));
    Ok(Learned {
        network,
        search: None,
        rounds: 0,
        ending: Ending::Maximum,
        moves: 0,
        evaluations: Evaluations::default(),
        candidates: CandidatesUsed::default(),
        rejected: 0,
        clamped: None,
        seconds: began.elapsed().as_secs_f64(),
        notes: prepared.columns.notes,
    })
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

/// What data and options a checkpoint is of.
fn fingerprint(table: &Table, options: &LearnOptions) -> String {
    let record = Value::Object(options.record());
    let version = env!("CARGO_PKG_VERSION");
    let of = format!("{version} {} {} {record}", table.sha256(), options.seed);
    let digest = Sha256::digest(of.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From where and in which way a search goes.
struct How<'a> {
    plan: &'a Plan,
    start: Dag,
    resume: Option<&'a Checkpoint>,
}

/// A table made ready: transformed, checked, its moments taken.
struct Prepared {
    table: Table,
    columns: Columns,
    gram: Gram,
    constraints: Constraints,
}

impl Prepared {
    fn new(table: &Table, options: &LearnOptions) -> Result<Self> {
        let mut table = if options.exp2 {
            table.exp2()?
        } else {
            table.clone()
        };
        if table.width() == 0 || table.rows() == 0 {
            return Err(Error::Data("the table is empty".to_string()));
        }
        let (n, m) = (table.width(), table.rows());
        match options.is_linear() {
            true => Gram::check_memory(n, m)?,
            false => Profiles::check_memory(n, m, options.links())?,
        }
        let mut columns = Columns::new(&table)?;
        columns.fill_inactive(&mut table);
        let missing = table.missing();
        if missing > 0 && options.score.kind == ScoreKind::Bge {
            return Err(Error::Options(format!(
                "the bge score needs complete data, and {missing} values are missing"
            )));
        }
        if missing > 0 {
            return Err(Error::Data(format!(
                "the data have {missing} missing values ({}), and this version learns from complete data only \
                 (fill them in, or leave out columns with --drop or --variables)",
                where_missing(&table)
            )));
        }
        if table.rows() < 2 {
            return Err(Error::Data(
                "the data have one instance; at least two are needed".to_string(),
            ));
        }
        if options.cpds.contains(&CpdKind::Product) {
            columns.check_positive(&table)?;
        }
        let constraints = Constraints::new(
            table.names(),
            &options.knowledge,
            &columns.inactive,
            &columns.twins,
        )?;
        columns.notes.extend(options.knowledge.notes(table.names()));
        // The other scores do not depend on scale, so theirs is the score in the data's own units.
        let gram = if options.standardize && options.score.kind == ScoreKind::Bge {
            Gram::new(&unit_variance(table.columns()))
        } else {
            Gram::new(table.columns())
        };
        Ok(Prepared {
            table,
            columns,
            gram,
            constraints,
        })
    }

    fn gram_columns(&self) -> &[Vec<f64>] {
        self.table.columns()
    }

    fn scorer(&self, options: &LearnOptions) -> Result<GramScorer<'_>> {
        GramScorer::new(&self.gram, self.columns.active(), &options.score)
    }

    /// A graph from names; `what` says whose edges they are.
    fn dag(&self, edges: &[(String, String)], what: &str) -> Result<Dag> {
        let find = |name: &String| {
            self.table.index_of(name).ok_or_else(|| {
                Error::Data(format!("{what} has a variable '{name}' that the data lack"))
            })
        };
        let mut pairs = Vec::with_capacity(edges.len());
        for (from, to) in edges {
            let (parent, child) = (find(from)?, find(to)?);
            if let Some(&idle) = [parent, child].iter().find(|&&v| self.columns.inactive[v]) {
                return Err(Error::Data(format!(
                    "{what} has the edge '{from}' -> '{to}', but '{}' never varies in the data",
                    self.table.names()[idle]
                )));
            }
            pairs.push((parent, child));
        }
        Dag::or_cycle(self.table.width(), pairs).map_err(|cycle| {
            let shown = names_along(&cycle, self.table.names());
            Error::Data(format!("{what} has a cycle: {shown}"))
        })
    }

    /// The graph a search begins from: the user's, with the required edges in it.
    fn start(&self, options: &LearnOptions) -> Result<Dag> {
        let names = self.table.names();
        let mut dag = self.dag(&options.start, "the start network")?;
        for (parent, child) in dag.edges() {
            if !self.constraints.allows(parent, child) {
                return Err(Error::Options(format!(
                    "the start network's edge '{}' -> '{}' is not allowed",
                    names[parent], names[child]
                )));
            }
        }
        for &(parent, child) in self.constraints.required() {
            if dag.reaches(child, parent) {
                return Err(Error::Options(format!(
                    "the start network and the required edge '{}' -> '{}' form a cycle",
                    names[parent], names[child]
                )));
            }
            dag.add_edge(parent, child);
        }
        let limit = self.constraints.max_parents();
        if let Some(v) = (0..dag.len()).find(|&v| dag.parents(v).len() > limit) {
            return Err(Error::Options(format!(
                "'{}' begins with {} parents, more than --max-parents {limit}",
                names[v],
                dag.parents(v).len()
            )));
        }
        Ok(dag)
    }

    fn search(
        &self,
        scorer: &dyn Scorer,
        selector: &dyn Selector,
        options: &LearnOptions,
        how: How,
        observer: &mut dyn Observer,
    ) -> Result<Found> {
        let problem = Problem {
            scorer,
            selector,
            constraints: &self.constraints,
            moves: options.moves,
        };
        let found = search::search(problem, how.plan, how.start, how.resume, observer);
        found.map_err(|failure| match failure {
            Failure::Unfit(child) => self.unfit(child),
            Failure::Checkpoint(error) => error,
        })
    }

    fn prices(&self, options: &LearnOptions) -> Prices {
        let m = self.table.rows() as f64;
        options.score.prices(m, self.columns.active())
    }

    fn unfit(&self, child: usize) -> Error {
        Error::Data(format!(
            "the family of '{}' cannot be fitted: its parents are collinear, or too many for {} instances",
            self.table.names()[child],
            self.table.rows()
        ))
    }

    /// Parameters of a linear network from the data, in the data's own units, and the score.
    fn fit(&self, dag: &Dag, scorer: &GramScorer, options: &LearnOptions) -> Result<Network> {
        let m = self.table.rows() as f64;
        let cpd = |child: usize, parents: &[usize]| {
            let column = self.table.column(child);
            let inputs: Vec<&[f64]> = parents.iter().map(|&p| self.table.column(p)).collect();
            let fit = least_squares(column, &inputs)?;
            let own = mean_and_variance(column).1;
            let cpd = Cpd::Linear(LinearCpd {
                intercept: fit.intercept,
                weights: fit.weights,
                variance: (fit.sse / m).max(VARIANCE_FLOOR * own),
            });
            Some((cpd, log_likelihood(m, own, fit.sse / (m * own))))
        };
        self.network(dag, scorer, options, cpd)
    }

    /// Parameters of a network of any densities.
    fn fit_any(&self, dag: &Dag, scorer: &FamilyScorer, options: &LearnOptions) -> Result<Network> {
        let m = self.table.rows() as f64;
        let cpd = |child: usize, parents: &[usize]| {
            let cpd = scorer.cpd(child, parents)?;
            let data = scorer.data();
            let sse = data.squared_errors(child, parents, |inputs| cpd.mean(inputs));
            let own = self.gram.variance(child);
            Some((cpd, log_likelihood(m, own, sse / (m * own))))
        };
        self.network(dag, scorer, options, cpd)
    }

    /// A network whose families' densities and log-likelihoods are given by `cpd`.
    fn network(
        &self,
        dag: &Dag,
        scorer: &dyn Scorer,
        options: &LearnOptions,
        cpd: impl Fn(usize, &[usize]) -> Option<(Cpd, f64)>,
    ) -> Result<Network> {
        let mut families = Vec::with_capacity(dag.len());
        let (mut total, mut dimension, mut scores) = (0.0, 0, 0.0);
        for child in 0..dag.len() {
            let parents = dag.parents(child);
            if self.columns.inactive[child] {
                let (mean, variance) = self.columns.idle(&self.table, child);
                let cpd = LinearCpd::root(mean, variance);
                families.push(Family {
                    parents: Vec::new(),
                    cpd: Cpd::Linear(cpd),
                    inactive: true,
                    strengths: Vec::new(),
                });
                continue;
            }
            let score = scorer
                .score(child, parents)
                .ok_or_else(|| self.unfit(child))?;
            let (cpd, log_likelihood) = cpd(child, parents).ok_or_else(|| self.unfit(child))?;
            let lost = |&p: &usize| {
                let without = scorer.score(child, &without_parent(parents, p));
                without.map(|without| score - without)
            };
            total += log_likelihood;
            dimension += cpd.parameters(options.bias, options.baseline);
            scores += score;
            families.push(Family {
                parents: parents.to_vec(),
                cpd,
                inactive: false,
                strengths: parents
                    .iter()
                    .map(lost)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
            });
        }
        let value = match options.score.kind {
            ScoreKind::Bge => scores,
            _ => total - self.prices(options).total(dimension, dag.edge_count()),
        };
        let variable = |name: &String| Variable {
            name: name.clone(),
            hidden: false,
        };
        let mut network = Network {
            transform: if options.exp2 {
                Transform::Exp2
            } else {
                Transform::None
            },
            variables: self.table.names().iter().map(variable).collect(),
            families,
            score: Some(ScoreRecord {
                name: options.score.kind.word().to_string(),
                value,
                log_likelihood: total,
                dimension,
            }),
            provenance: None,
        };
        network.settle_score(self.table.columns());
        network.check_finite()?;
        Ok(network)
    }
}

/// `Ozone 37, Solar.R 7`: the columns with most holes.
fn where_missing(table: &Table) -> String {
    let holes = |v: usize| table.column(v).iter().filter(|x| x.is_nan()).count();
    let mut columns: Vec<(usize, usize)> = (0..table.width()).map(|v| (holes(v), v)).collect();
    columns.retain(|&(count, _)| count > 0);
    columns.sort_by_key(|&(count, v)| (std::cmp::Reverse(count), v));
    let shown: Vec<String> = columns
        .iter()
        .take(3)
        .map(|&(count, v)| format!("'{}' {count}", table.names()[v]))
        .collect();
    let more = columns.len() - shown.len();
    let rest = if more > 0 {
        format!(" and {more} more columns")
    } else {
        String::new()
    };
    format!("{}{rest}", shown.join(", "))
}
