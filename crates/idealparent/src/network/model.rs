//! A network: variables, their families, and where they came from.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cpd::{Cpd, LinearCpd};
use crate::error::{Error, Result, quoted};
use crate::graph::Dag;

/// A named variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name in the data.
    pub name: String,
    /// Whether nobody measured it.
    #[serde(default)]
    pub hidden: bool,
}

/// A variable's parents and its density given them.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Indices of the parents, in the order of the density's parameters.
    pub parents: Vec<usize>,
    /// The density.
    pub cpd: Cpd,
    /// Constant or never observed in the training data: no edges, no likelihood, no parameters.
    pub inactive: bool,
    /// Score lost when the edge from each parent is deleted; empty where it is not known.
    pub strengths: Vec<f64>,
}

impl Family {
    /// A family that takes part; what its edges are worth is not known.
    pub fn new(parents: Vec<usize>, cpd: Cpd) -> Self {
        Family {
            parents,
            cpd,
            inactive: false,
            strengths: Vec::new(),
        }
    }

    /// A variable that never varied, or was never observed.
    pub fn inactive(mean: f64, variance: f64) -> Self {
        Family {
            inactive: true,
            ..Family::new(Vec::new(), Cpd::Linear(LinearCpd::root(mean, variance)))
        }
    }
}

/// What is done to every value of a table before the network sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Transform {
    /// Nothing.
    #[default]
    None,
    /// 2^x: log-ratios become ratios.
    Exp2,
}

impl Transform {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The score a network had on its training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRecord {
    /// `ebic`, `bic`, `aic` or `bge`.
    pub name: String,
    /// The score.
    pub value: f64,
    /// Its log-likelihood part (with `bge`: that of the fitted parameters).
    pub log_likelihood: f64,
    /// Number of free parameters.
    pub dimension: usize,
}

/// The training data, in numbers that identify them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataRecord {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Number of missing entries.
    pub missing: usize,
    /// [`Table::sha256`](crate::data::Table::sha256).
    pub sha256: String,
}

/// How a network came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of this software.
    pub version: String,
    /// The options that affect the result.
    pub options: Map<String, Value>,
    /// Seed of the random generator.
    pub seed: u64,
    /// The training data.
    pub data: DataRecord,
}

impl Provenance {
    /// Whether an option is recorded as true.
    pub fn has(&self, option: &str) -> bool {
        self.options.get(option).and_then(Value::as_bool) == Some(true)
    }
}

/// A Bayesian network over continuous variables.
///
/// `families[i]` belongs to `variables[i]`; the parents form no cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Applied to data before anything else.
    pub transform: Transform,
    /// The variables.
    pub variables: Vec<Variable>,
    /// One family per variable, in the same order.
    pub families: Vec<Family>,
    /// Score on the training data.
    pub score: Option<ScoreRecord>,
    /// Origin.
    pub provenance: Option<Provenance>,
}

impl Network {
    /// Number of variables, hidden ones included.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether some variable is hidden.
    pub fn has_hidden(&self) -> bool {
        self.variables.iter().any(|variable| variable.hidden)
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Index of a variable by name: a walk over all names, so not for looking up many.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.name == name)
    }

    /// Index of a variable by name, or a line that says what is there instead.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| {
            let alike = self
                .variables
                .iter()
                .find(|v| v.name.eq_ignore_ascii_case(name));
            let hint = alike.map_or(String::new(), |v| {
                format!(" (there is {})", quoted(&v.name))
            });
            let name = quoted(name);
            Error::Options(format!("the network has no variable called {name}{hint}"))
        })
    }

    /// Name of a variable.
    pub fn name(&self, index: usize) -> &str {
        &self.variables[index].name
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.families
            .iter()
            .map(|family| family.parents.len())
            .sum()
    }

    /// The structure alone.
    ///
    /// # Panics
    /// If the families form a cycle, which no constructor of the library allows.
    pub fn dag(&self) -> Dag {
        let edges = self
            .families
            .iter()
            .enumerate()
            .flat_map(|(child, family)| family.parents.iter().map(move |&parent| (parent, child)));
        Dag::from_edges(self.len(), edges).expect("a network has no cycle")
    }

    /// The variables, parents before children.
    pub fn order(&self) -> Vec<usize> {
        let order = self.dag().topological_order();
        order.expect("a network has no cycle")
    }

    /// Which observed variables must be positive, being parents of densities that need it. A hidden
    /// one acts as 0 where it is not.
    pub(crate) fn positive(&self) -> Vec<bool> {
        let mut positive = vec![false; self.len()];
        let needing = self.families.iter().filter(|f| f.cpd.needs_positive());
        for &parent in needing.flat_map(|family| &family.parents) {
            positive[parent] = !self.variables[parent].hidden;
        }
        positive
    }

    /// Whether every density is linear Gaussian.
    pub fn is_linear(&self) -> bool {
        self.families
            .iter()
            .all(|f| matches!(f.cpd, Cpd::Linear(_)))
    }
}
