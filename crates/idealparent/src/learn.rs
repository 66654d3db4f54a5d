//! From a table to a network.

use std::time::Instant;

use serde_json::{Map, Value};

use crate::cpd::{Cpd, LinearCpd};
use crate::data::{Columns, Table};
use crate::error::{Error, Result};
use crate::fit::{Gram, least_squares, mean_and_variance, unit_variance};
use crate::graph::{Constraints, Dag, names_along};
use crate::ideal::{Exhaustive, GramSelector, Selector};
use crate::network::{DataRecord, Family, Network, Provenance, ScoreRecord, Transform, Variable};
use crate::options::{Candidates, LearnOptions, Method};
use crate::score::{
    Evaluations, GramScorer, ResolvingScorer, ScoreKind, Scorer, VARIANCE_FLOOR, log_likelihood,
};
use crate::search::{Ending, Neighbourhood, Observer, hill_climb, without_parent};

/// A learned network and how it was reached.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// How the search ended.
    pub ending: Ending,
    /// Moves taken.
    pub moves: usize,
    /// Families scored.
    pub evaluations: Evaluations,
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
    options.check()?;
    let began = Instant::now();
    let prepared = Prepared::new(table, options)?;
    let start = prepared.start(options)?;
    let scorer = prepared.scorer(options)?;
    let (dag, ending, moves, evaluations) = if options.resolve {
        let prices = options
            .score
            .prices(prepared.table.rows() as f64, prepared.columns.active());
        let resolving = ResolvingScorer::new(prepared.gram_columns(), prices);
        let selector = Exhaustive {
            width: prepared.table.width(),
        };
        prepared.search(&resolving, &selector, options, start, observer)?
    } else {
        let selector = match (options.method, options.candidates) {
            (Method::Ideal, Candidates::Top(k)) => GramSelector::ideal(&scorer, options.measure, k),
            _ => GramSelector::greedy(&scorer),
        };
        prepared.search(&scorer, &selector, options, start, observer)?
    };
    let mut network = prepared.fit(&dag, &scorer, options)?;
    network.provenance = Some(provenance(table, options.record(), options.seed));
    Ok(Learned {
        network,
        ending,
        moves,
        evaluations,
        seconds: began.elapsed().as_secs_f64(),
        notes: prepared.columns.notes,
    })
}

/// Fits the parameters of a given structure, `(from, to)` by name.
pub fn fit_structure(
    table: &Table,
    edges: &[(String, String)],
    options: &LearnOptions,
) -> Result<Learned> {
    options.check()?;
    let began = Instant::now();
    let prepared = Prepared::new(table, options)?;
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
    let scorer = prepared.scorer(options)?;
    let mut network = prepared.fit(&dag, &scorer, options)?;
    network.provenance = Some(provenance(table, options.record_fit(), options.seed));
    Ok(Learned {
        network,
        ending: Ending::Maximum,
        moves: 0,
        evaluations: Evaluations::default(),
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

/// A table made ready: transformed, checked, its moments taken.
struct Prepared {
    table: Table,
    columns: Columns,
    gram: Gram,
    constraints: Constraints,
}

impl Prepared {
    fn new(table: &Table, options: &LearnOptions) -> Result<Self> {
        let table = if options.exp2 {
            table.exp2()?
        } else {
            table.clone()
        };
        if table.width() == 0 || table.rows() == 0 {
            return Err(Error::Data("the table is empty".to_string()));
        }
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
        let columns = Columns::new(&table)?;
        let constraints = Constraints::new(
            table.names(),
            &options.knowledge,
            &columns.inactive,
            &columns.twins,
        )?;
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
        start: Dag,
        observer: &mut dyn Observer,
    ) -> Result<(Dag, Ending, usize, Evaluations)> {
        let moves = Neighbourhood::new(scorer, selector, &self.constraints, options.moves, start);
        let mut moves = moves.map_err(|child| self.unfit(child))?;
        let (ending, taken) = hill_climb(&mut moves, observer);
        Ok((moves.dag().clone(), ending, taken, moves.evaluations()))
    }

    fn unfit(&self, child: usize) -> Error {
        Error::Data(format!(
            "the family of '{}' cannot be fitted: its parents are collinear, or too many for {} instances",
            self.table.names()[child],
            self.table.rows()
        ))
    }

    /// Parameters from the data, in the data's own units, and the score.
    fn fit(&self, dag: &Dag, scorer: &GramScorer, options: &LearnOptions) -> Result<Network> {
        let m = self.table.rows() as f64;
        let mut families = Vec::with_capacity(dag.len());
        let (mut total, mut dimension, mut bge) = (0.0, 0, 0.0);
        for child in 0..dag.len() {
            let parents = dag.parents(child);
            let column = self.table.column(child);
            if self.columns.inactive[child] {
                let c = column[0];
                let cpd = LinearCpd::root(c, 1e-12 * (c * c).max(1.0));
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
            let inputs: Vec<&[f64]> = parents.iter().map(|&p| self.table.column(p)).collect();
            let fit = least_squares(column, &inputs).ok_or_else(|| self.unfit(child))?;
            let own = mean_and_variance(column).1;
            let lost = |&p: &usize| {
                let without = scorer.score(child, &without_parent(parents, p));
                without.map(|without| score - without)
            };
            total += log_likelihood(m, own, fit.sse / (m * own));
            dimension += parents.len() + 2;
            bge += score;
            families.push(Family {
                parents: parents.to_vec(),
                cpd: Cpd::Linear(LinearCpd {
                    intercept: fit.intercept,
                    weights: fit.weights,
                    variance: (fit.sse / m).max(VARIANCE_FLOOR * own),
                }),
                inactive: false,
                strengths: parents
                    .iter()
                    .map(lost)
                    .collect::<Option<_>>()
                    .unwrap_or_default(),
            });
        }
        let prices = options.score.prices(m, self.columns.active());
        let value = match options.score.kind {
            ScoreKind::Bge => bge,
            _ => total - prices.total(dimension, dag.edge_count()),
        };
        let variable = |name: &String| Variable {
            name: name.clone(),
            hidden: false,
        };
        Ok(Network {
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
        })
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
