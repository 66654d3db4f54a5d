//! A network: its variables, their families, and its provenance.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::cpd::{Cpd, LinearCpd};
use crate::error::{Error, Result, quoted};
use crate::graph::Dag;
use crate::options::OptionValue;

/// A variable of a network.
///
/// ```
/// use idealparent::Variable;
///
/// let variable = Variable::observed("Erk");
/// assert_eq!((variable.name.as_str(), variable.hidden), ("Erk", false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Variable {
    /// Name of its column in the data.
    pub name: String,
    /// Whether it is hidden: the data have no column for it.
    #[serde(default)]
    pub hidden: bool,
}

impl Variable {
    /// A variable with a column in the data.
    pub fn observed(name: impl Into<String>) -> Self {
        Variable {
            name: name.into(),
            hidden: false,
        }
    }
}

/// A variable's parents and its density given them.
///
/// ```
/// use idealparent::{Cpd, Family, LinearCpd};
///
/// // The parents are the first and the third variable of the network.
/// let cpd = LinearCpd { intercept: 0.0, weights: vec![1.0, -2.0], variance: 0.5 };
/// let family = Family::new(vec![0, 2], Cpd::Linear(cpd));
/// assert_eq!(family.parents.len(), family.cpd.arity());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Family {
    /// Indices of the parents, in the order of the density's parameters.
    pub parents: Vec<usize>,
    /// The conditional density of the variable.
    pub cpd: Cpd,
    /// Whether the variable is constant or never observed in the training data. An inactive
    /// variable has no edges and counts neither in the likelihood nor in the parameters.
    pub inactive: bool,
    /// Whether the variable is inactive because it was never observed.
    pub unobserved: bool,
    /// Score lost when the edge from each parent is deleted; empty if unknown.
    pub strengths: Vec<f64>,
}

impl Family {
    /// An active family with unknown edge strengths.
    pub fn new(parents: Vec<usize>, cpd: Cpd) -> Self {
        Family {
            parents,
            cpd,
            inactive: false,
            unobserved: false,
            strengths: Vec::new(),
        }
    }

    /// The family of a variable that is constant in the training data. Its variance is positive
    /// only because densities need one.
    pub fn constant(value: f64) -> Self {
        let variance = 1e-12 * (value * value).max(1.0);
        Family {
            inactive: true,
            ..Family::new(Vec::new(), Cpd::Linear(LinearCpd::root(value, variance)))
        }
    }

    /// The family of a variable that is never observed in the training data. Its density, N(0, 1),
    /// has no meaning.
    pub fn unobserved() -> Self {
        Family {
            inactive: true,
            unobserved: true,
            ..Family::new(Vec::new(), Cpd::Linear(LinearCpd::root(0.0, 1.0)))
        }
    }
}

/// The transform applied to every value of a table before learning and inference.
///
/// The field `transform` of a [`Network`]; the option `exp2` of `learn` sets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Transform {
    /// No transform.
    #[default]
    None,
    /// 2^x, which converts log-ratios to ratios.
    Exp2,
}

impl Transform {
    /// The transform's name in network files.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The score of a network on its training data.
///
/// The field `score` of a [`Network`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct ScoreRecord {
    /// `ebic`, `bic`, `aic` or `bge`.
    pub name: String,
    /// Value of the score.
    pub value: f64,
    /// Log-likelihood part of the score (with `bge`: log-likelihood of the fitted parameters).
    pub log_likelihood: f64,
    /// Number of free parameters.
    pub dimension: usize,
    /// EBIC's gamma, if it was chosen from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
}

/// Size and hash of the training data, which identify them.
///
/// Part of a [`Provenance`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
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

/// How a network was learned.
///
/// The field `provenance` of a [`Network`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Provenance {
    /// Version of this software.
    pub version: String,
    /// The options that affect the result.
    pub options: Map<String, Value>,
    /// Seed of the random number generator.
    pub seed: u64,
    /// The training data.
    pub data: DataRecord,
}

impl Provenance {
    /// Whether an option is recorded as `true`.
    pub fn has(&self, option: &str) -> bool {
        self.recorded(option)
    }

    /// A recorded option; the default of its type if it is not recorded, or invalid.
    pub(super) fn recorded<T: OptionValue + Default>(&self, option: &str) -> T {
        let value = self.options.get(option);
        let restored = value.and_then(|value| T::restore(value).ok());
        restored.unwrap_or_default()
    }
}

/// A Bayesian network over continuous variables.
///
/// `families[i]` is the family of `variables[i]`. The edges form no cycle.
///
/// ```
/// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
///
/// let slope = LinearCpd { intercept: 1.0, weights: vec![2.0], variance: 0.5 };
/// let root = Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0)));
/// let families = vec![root, Family::new(vec![0], Cpd::Linear(slope))];
/// let network = Network::new(["A", "B"].map(Variable::observed).into(), families);
/// let b = &network.families[network.find("B")?];
/// assert_eq!(network.name(b.parents[0]), "A");
/// assert_eq!(b.cpd.mean(&[3.0]), 7.0);
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Network {
    /// The transform applied to data before anything else.
    pub transform: Transform,
    /// The variables.
    pub variables: Vec<Variable>,
    /// One family per variable, in the same order.
    pub families: Vec<Family>,
    /// Score on the training data, if recorded.
    pub score: Option<ScoreRecord>,
    /// How the network was learned, if recorded.
    pub provenance: Option<Provenance>,
}

impl Network {
    /// A network of these variables and their families, without transform or provenance.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
    ///
    /// // A ~ N(0, 1), and B = 1 + 2 A + noise of variance 0.5.
    /// let noise = LinearCpd { intercept: 1.0, weights: vec![2.0], variance: 0.5 };
    /// let network = Network::new(
    ///     vec![Variable::observed("A"), Variable::observed("B")],
    ///     vec![
    ///         Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0))),
    ///         Family::new(vec![0], Cpd::Linear(noise)),
    ///     ],
    /// );
    /// assert_eq!(network.edge_count(), 1);
    /// ```
    ///
    /// # Panics
    /// If there are not as many families as variables, or the families form a cycle.
    pub fn new(variables: Vec<Variable>, families: Vec<Family>) -> Self {
        assert_eq!(variables.len(), families.len(), "one family per variable");
        let network = Network {
            variables,
            families,
            ..Network::default()
        };
        network.dag();
        network
    }

    /// Number of variables, hidden ones included.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether any variable is hidden.
    pub fn has_hidden(&self) -> bool {
        self.variables.iter().any(|variable| variable.hidden)
    }

    /// Whether the network has no variables.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Index of a variable by name. A linear search: to look up many names, build a map instead.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.name == name)
    }

    /// Index of a variable by name, or an error that suggests a name that differs only in case.
    pub fn find(&self, name: &str) -> Result<usize> {
        self.index_of(name).ok_or_else(|| {
            let similar = self
                .variables
                .iter()
                .find(|v| v.name.eq_ignore_ascii_case(name));
            let hint = similar.map_or(String::new(), |v| {
                format!(" (did you mean {}?)", quoted(&v.name))
            });
            let name = quoted(name);
            Error::options(format!("the network has no variable called {name}{hint}"))
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

    /// The structure of the network.
    ///
    /// # Panics
    /// If the families form a cycle, which networks from this library never do.
    pub fn dag(&self) -> Dag {
        let edges = self
            .families
            .iter()
            .enumerate()
            .flat_map(|(child, family)| family.parents.iter().map(move |&parent| (parent, child)));
        Dag::from_edges(self.len(), edges).expect("a network has no cycle")
    }

    /// Indices of the variables in topological order: parents before children.
    pub fn order(&self) -> Vec<usize> {
        let order = self.dag().topological_order();
        order.expect("a network has no cycle")
    }

    /// Which observed variables must be positive because a child's density requires it. Hidden
    /// variables are exempt: their values that are not positive act as 0.
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
