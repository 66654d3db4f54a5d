//! The network file: JSON, one line per variable and per family.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cpd_file::RawCpd;
use super::{Family, Network, Provenance, ScoreRecord, Transform, Variable, strict};
use crate::cpd::{CpdKind, Link};
use crate::error::{Error, Result, quoted};
use crate::graph::{Dag, names_along};

const FORMAT: &str = "idealparent-network";
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct RawFamily {
    variable: String,
    parents: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpd: Option<RawCpd>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    inactive: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    strengths: Vec<f64>,
}

/// The fields that are checked before the rest of the file is parsed.
#[derive(Deserialize)]
struct RawHead {
    #[serde(default)]
    format: Option<Value>,
    #[serde(default)]
    version: Option<Value>,
}

#[derive(Deserialize)]
struct RawNetwork {
    #[serde(default)]
    transform: Option<String>,
    variables: Vec<Variable>,
    families: Vec<RawFamily>,
    #[serde(default)]
    score: Option<ScoreRecord>,
    #[serde(default)]
    provenance: Option<Provenance>,
}

/// A structure to fit or to compare: that of a network file, whose densities may be missing, or a
/// list of edges.
///
/// ```
/// use idealparent::Structure;
///
/// let structure = Structure::from_bytes(b"from,to\nA,B\n".to_vec(), "edges.csv")?;
/// assert_eq!(structure, Structure::of_edges([("A", "B")]));
/// # Ok::<(), idealparent::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Structure {
    /// Names of the variables; empty if only edges are given.
    pub variables: Vec<String>,
    /// Names of the hidden variables.
    pub hidden: Vec<String>,
    /// Edges, `(from, to)`.
    pub edges: Vec<(String, String)>,
    /// The transform applied to the data.
    pub transform: Transform,
    /// Kinds of the densities of variables with parents, if the file contains them.
    pub kinds: HashMap<String, CpdKind>,
    /// Whether links have a free bias.
    pub bias: bool,
    /// Whether products have a free offset.
    pub baseline: bool,
    /// EBIC's gamma, if it was chosen from the data.
    pub gamma: Option<f64>,
}

impl Network {
    /// The text of the network file. Returns an error if a number is not finite.
    ///
    /// ```
    /// use idealparent::{Cpd, Family, LinearCpd, Network, Variable};
    ///
    /// let family = Family::new(vec![], Cpd::Linear(LinearCpd::root(0.0, 1.0)));
    /// let network = Network::new(vec![Variable::observed("A")], vec![family]);
    /// let text = network.to_json()?;
    /// assert_eq!(Network::from_json(&text, "net.json")?, network);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn to_json(&self) -> Result<String> {
        let name = |index: usize| self.variables[index].name.clone();
        let variables: Vec<String> = self.variables.iter().map(compact).collect();
        let families = self.families.iter().enumerate().map(|(index, family)| {
            let raw = RawFamily {
                variable: name(index),
                parents: family.parents.iter().map(|&p| name(p)).collect(),
                cpd: Some(RawCpd::from(&family.cpd)),
                inactive: family.inactive,
                strengths: family.strengths.clone(),
            };
            strict::to_string(&raw).ok_or_else(|| {
                let whose = quoted(self.name(index));
                Error::data(format!(
                    "the family of {whose} has a number that is not finite"
                ))
            })
        });
        let families: Vec<String> = families.collect::<Result<_>>()?;
        let transform = self.transform.word();
        let mut text = format!(
            "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"transform\": \"{transform}\",\n  \
             \"variables\": [\n    {}\n  ],\n  \"families\": [\n    {}\n  ]",
            variables.join(",\n    "),
            families.join(",\n    ")
        );
        if let Some(score) = &self.score {
            let written = strict::to_string(score)
                .ok_or_else(|| Error::data("the score is not a finite number"))?;
            text += &format!(",\n  \"score\": {written}");
        }
        if let Some(provenance) = &self.provenance {
            text += &format!(",\n  \"provenance\": {}", compact(provenance));
        }
        Ok(text + "\n}\n")
    }

    /// Returns an error if a number is not finite, because JSON cannot represent it.
    pub fn check_finite(&self) -> Result<()> {
        self.to_json().map(drop)
    }

    /// Parses the text of a network file; `place` names the file in errors.
    ///
    /// # Errors
    ///
    /// The text is not a valid network file: for example a cycle, an unknown or inactive parent, a
    /// wrong number of weights, a number that is not finite, a variance that is not positive, or a
    /// newer version of the format.
    pub fn from_json(text: &str, place: &str) -> Result<Network> {
        Network::from_json_with(text, place, &[])
    }

    /// Like [`Network::from_json`], for networks learned with custom link functions.
    pub fn from_json_with(text: &str, place: &str, links: &[Arc<dyn Link>]) -> Result<Network> {
        let raw = parse(text, place)?;
        let problem = |what: String| Error::network(place, what);
        let index = check_variables(&raw, place)?;
        let transform = check_transform(&raw, place)?;
        check_gamma(&raw, place)?;
        let mut families: Vec<Option<Family>> = vec![None; index.len()];
        for family in raw.families {
            let parents: Vec<usize> = family.parents.iter().map(|parent| index[parent]).collect();
            let Some(cpd) = family.cpd else {
                return Err(problem(format!("{} has no cpd", quoted(&family.variable))));
            };
            let cpd = cpd
                .check(parents.len(), links)
                .map_err(|what| problem(format!("{}: {what}", quoted(&family.variable))))?;
            if !family.strengths.is_empty() && family.strengths.len() != parents.len() {
                let (count, found) = (parents.len(), family.strengths.len());
                let of = if count == 1 { "parent" } else { "parents" };
                let what = if found == 1 { "strength" } else { "strengths" };
                return Err(problem(format!(
                    "{}: {count} {of} but {found} {what}",
                    quoted(&family.variable)
                )));
            }
            if family.inactive && !parents.is_empty() {
                return Err(problem(format!(
                    "{} is inactive but has parents",
                    quoted(&family.variable)
                )));
            }
            families[index[&family.variable]] = Some(Family {
                // In files, N(0, 1) marks an inactive variable that was never observed. The
                // variance of a constant is far smaller.
                unobserved: family.inactive && (cpd.mean(&[]), cpd.variance()) == (0.0, 1.0),
                parents,
                cpd,
                inactive: family.inactive,
                strengths: family.strengths,
            });
        }
        let families: Vec<Family> = families
            .into_iter()
            .map(|f| f.expect("checked above"))
            .collect();
        let name = |v: usize| quoted(&raw.variables[v].name);
        for (child, family) in families.iter().enumerate() {
            if let Some(&inactive) = family.parents.iter().find(|&&p| families[p].inactive) {
                let (child, parent) = (name(child), name(inactive));
                return Err(problem(format!("{child} has the inactive parent {parent}")));
            }
        }
        Ok(Network {
            transform,
            variables: raw.variables,
            families,
            score: raw.score,
            provenance: raw.provenance,
        })
    }
}

impl Structure {
    /// A structure given by its edges, `(from, to)`, alone.
    pub fn of_edges<S: Into<String>>(edges: impl IntoIterator<Item = (S, S)>) -> Structure {
        let edges = edges.into_iter().map(|(from, to)| (from.into(), to.into()));
        Structure {
            edges: edges.collect(),
            ..Structure::default()
        }
    }

    /// Adds names of hidden variables that are not yet known to be hidden.
    pub fn with_hidden(mut self, names: impl IntoIterator<Item = String>) -> Structure {
        let is_new = |name: &String| !self.hidden.contains(name);
        let new: Vec<String> = names.into_iter().filter(is_new).collect();
        self.hidden.extend(new);
        self
    }

    /// The structure without the densities of a network file, and their bias and baseline.
    pub fn without_densities(self) -> Structure {
        Structure {
            kinds: HashMap::new(),
            bias: false,
            baseline: false,
            ..self
        }
    }

    /// Parses the structure in a network file; its densities may be missing.
    pub fn from_json(text: &str, place: &str) -> Result<Structure> {
        let raw = parse(text, place)?;
        check_variables(&raw, place)?;
        check_gamma(&raw, place)?;
        let edges = raw.families.iter().flat_map(|family| {
            let edge = |parent: &String| (parent.clone(), family.variable.clone());
            family.parents.iter().map(edge)
        });
        let mut kinds = HashMap::new();
        for family in raw.families.iter().filter(|f| !f.parents.is_empty()) {
            if let Some(cpd) = &family.cpd {
                let checked = cpd.clone().check(family.parents.len(), &[]);
                let whose = quoted(&family.variable);
                let wrong = |what| Error::network(place, format!("{whose}: {what}"));
                let kind = checked.map_err(wrong)?.kind_to_learn();
                kinds.insert(family.variable.clone(), kind);
            }
        }
        let has = |option: &str| raw.provenance.as_ref().is_some_and(|p| p.has(option));
        Ok(Structure {
            transform: check_transform(&raw, place)?,
            kinds,
            gamma: raw.score.as_ref().and_then(|score| score.gamma),
            bias: has("bias"),
            baseline: has("baseline"),
            edges: edges.collect(),
            hidden: raw
                .variables
                .iter()
                .filter(|v| v.hidden)
                .map(|v| v.name.clone())
                .collect(),
            variables: raw.variables.iter().map(|v| v.name.clone()).collect(),
        })
    }
}

/// Checks format and version, then parses the JSON.
fn parse(text: &str, place: &str) -> Result<RawNetwork> {
    let problem = |what: String| Error::network(place, what);
    if text.trim().is_empty() {
        return Err(problem("the file is empty".to_string()));
    }
    if !text.trim_start().starts_with('{') {
        let is_table = text.trim().contains(['\t', ',', ';']) && text.trim().contains('\n');
        let hint = if is_table {
            " (it looks like a table: are the network and the data swapped?)"
        } else {
            ""
        };
        return Err(problem(format!("not a network file{hint}")));
    }
    let wrong = |error: serde_json::Error| problem(strict::explain(&error));
    strict::check_keys(text).map_err(wrong)?;
    let head: RawHead = serde_json::from_str(text).map_err(wrong)?;
    if head.format.as_ref().and_then(Value::as_str) != Some(FORMAT) {
        return Err(problem(format!(
            "not a network file: \"format\" is not \"{FORMAT}\""
        )));
    }
    match head.version.as_ref().and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => {
            return Err(problem(format!(
                "written by a newer version (format version {newer}, this program reads {VERSION})"
            )));
        }
        _ => return Err(problem("\"version\" is missing or unknown".to_string())),
    }
    // Parsed from the text again, so that errors contain line and column.
    serde_json::from_str(text).map_err(wrong)
}

/// Checks names, families and edges. Returns the index of every variable by name.
fn check_variables(raw: &RawNetwork, place: &str) -> Result<HashMap<String, usize>> {
    let problem = |what: String| Err(Error::network(place, what));
    let names: Vec<String> = raw.variables.iter().map(|v| v.name.clone()).collect();
    let mut index = HashMap::new();
    for (i, name) in names.iter().enumerate() {
        if index.insert(name.clone(), i).is_some() {
            return problem(format!("two variables are called {}", quoted(name)));
        }
    }
    let mut has_family = vec![false; names.len()];
    // For each variable, the last child that it was a parent of. Detects repeated parents.
    let mut parent_in = vec![usize::MAX; names.len()];
    let mut edges = Vec::new();
    for family in &raw.families {
        let Some(&child) = index.get(&family.variable) else {
            return problem(format!(
                "a family of the unknown variable {}",
                quoted(&family.variable)
            ));
        };
        if std::mem::replace(&mut has_family[child], true) {
            return problem(format!("{} has two families", quoted(&family.variable)));
        }
        for parent in &family.parents {
            let Some(&from) = index.get(parent) else {
                return problem(format!(
                    "{} has the unknown parent {}",
                    quoted(&family.variable),
                    quoted(parent)
                ));
            };
            if std::mem::replace(&mut parent_in[from], child) == child {
                return problem(format!(
                    "{} has the parent {} twice",
                    quoted(&family.variable),
                    quoted(parent)
                ));
            }
            edges.push((from, child));
        }
    }
    if let Some(without) = has_family.iter().position(|&has| !has) {
        return problem(format!("{} has no family", quoted(&names[without])));
    }
    if let Err(cycle) = Dag::or_cycle(names.len(), edges) {
        let shown = names_along(&cycle, &names);
        return problem(format!("the network has a cycle: {shown}"));
    }
    Ok(index)
}

/// Largest gamma, as of the option.
const LARGEST_GAMMA: f64 = 1e6;

/// Checks the gamma that the score was computed with.
fn check_gamma(raw: &RawNetwork, place: &str) -> Result<()> {
    match raw.score.as_ref().and_then(|score| score.gamma) {
        Some(gamma) if !(0.0..=LARGEST_GAMMA).contains(&gamma) => {
            let range = format!("from 0 to {LARGEST_GAMMA:e}");
            let what = format!("the score's gamma must be a number {range}, not {gamma:?}");
            Err(Error::network(place, what))
        }
        _ => Ok(()),
    }
}

fn check_transform(raw: &RawNetwork, place: &str) -> Result<Transform> {
    let Some(word) = &raw.transform else {
        return Ok(Transform::default());
    };
    word.parse()
        .map_err(|_| Error::network(place, format!("unknown transform {}", quoted(word))))
}

/// Serialises to compact JSON.
fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names and numbers can be written as JSON")
}
