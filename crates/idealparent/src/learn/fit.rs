//! Fitting the parameters of a structure that is given.

use std::collections::HashMap;
use std::time::Instant;

use super::em::Em;
use super::hidden::fit_hidden;
use super::learner::{LearnedNetwork, Learner};
use super::prepared::Prepared;
use super::{LearnOptions, Learned, Standard, provenance};
use crate::cpd::CpdKind;
use crate::data::{Completed, Table};
use crate::error::{Error, Result, quoted};
use crate::graph::Dag;
use crate::network::{Network, StructureFile, Transform};
use crate::score::ScoreKind;

/// Fits the parameters of a given structure, `(from, to)` by name.
///
/// `kinds` names the density of some variables; the others get the best of the options' densities.
pub fn fit_structure(
    table: &Table,
    edges: &[(String, String)],
    kinds: &HashMap<String, CpdKind>,
    options: &LearnOptions,
) -> Result<Learned> {
    fit_structure_with_hidden(table, edges, kinds, &[], options)
}

/// Fits what a file says: the densities, bias and transform of a network file are kept, unless the
/// options are to replace its densities.
///
/// A network file says which variables there are; a table of edges leaves that to the data.
/// `hidden` are names of hidden variables besides the file's own.
pub fn fit_file(
    table: &Table,
    file: &StructureFile,
    hidden: &[String],
    options: &LearnOptions,
    replaces: bool,
) -> Result<Learned> {
    let mut options = options.clone();
    options.bias |= file.bias && !replaces;
    options.baseline |= file.baseline && !replaces;
    options.exp2 |= file.transform == Transform::Exp2;
    let mut all = file.hidden.clone();
    all.extend(
        hidden
            .iter()
            .filter(|name| !file.hidden.contains(name))
            .cloned(),
    );
    let none = HashMap::new();
    let kinds = if replaces { &none } else { &file.kinds };
    if file.variables.is_empty() {
        return fit_structure_with_hidden(table, &file.edges, kinds, &all, &options);
    }
    let observed = file
        .variables
        .iter()
        .filter(|name| !file.hidden.contains(name));
    let columns: Result<Vec<usize>> = observed.map(|name| table.find(name)).collect();
    let table = table.select_columns(&columns?);
    fit_structure_with_hidden(&table, &file.edges, kinds, &all, &options)
}

/// As [`fit_structure`]; some of the names in the edges are those of hidden variables, which the
/// table does not have.
pub fn fit_structure_with_hidden(
    table: &Table,
    edges: &[(String, String)],
    kinds: &HashMap<String, CpdKind>,
    hidden: &[String],
    options: &LearnOptions,
) -> Result<Learned> {
    let began = Instant::now();
    let mut all = options.clone();
    for name in table.names().iter().chain(hidden) {
        let new = kinds.get(name).filter(|kind| !all.cpd.contains(kind));
        all.cpd.extend(new.cloned());
    }
    all.check()?;
    let mut prepared = Prepared::new(table, &all)?;
    for (v, name) in table.names().iter().enumerate() {
        let own = kinds.get(name).map(|kind| vec![kind.clone()]);
        let allowed = own.unwrap_or_else(|| options.cpd.clone());
        prepared.kinds.insert(v, allowed);
    }
    let whole = whole_structure(&prepared, edges, hidden)?;
    let dag = observed_structure(&prepared, &whole)?;
    let learner = Learner {
        prepared: &prepared,
        options: &all,
        strategy: &Standard,
        fingerprint: "",
    };
    let mut network = if !hidden.is_empty() {
        fit_with_hidden(learner, &dag, &whole, hidden)?
    } else if prepared.holes.count > 0 {
        let em = Em::new(learner);
        em.recorded(em.settled(|data| learner.parameters(data, &dag))?)?
    } else {
        learner.parameters(&Completed::complete(prepared.table.columns()), &dag)?
    };
    network.provenance = Some(provenance(table, all.record_fit(), options.seed));
    Ok(Learned {
        search: None,
        ..LearnedNetwork::given(network, options.search).finished(&prepared, began)
    })
}

/// The graph of observed and hidden variables, these after the others.
fn whole_structure(
    prepared: &Prepared,
    edges: &[(String, String)],
    hidden: &[String],
) -> Result<Dag> {
    for (i, name) in hidden.iter().enumerate() {
        let problem = if prepared.table.index_of(name).is_some() {
            "is hidden, and yet a column of the data"
        } else if hidden[..i].contains(name) {
            "is named twice among the hidden variables"
        } else if !edges.iter().any(|(from, to)| from == name || to == name) {
            "is to be hidden, and the structure does not have it"
        } else if !edges.iter().any(|(from, _)| from == name) {
            "is hidden and has no children"
        } else {
            continue;
        };
        return Err(Error::Data(format!("{} {problem}", quoted(name))));
    }
    prepared
        .with_hidden(hidden.len(), false)
        .renamed(hidden)
        .dag(edges, "the structure")
}

/// The part of a structure among the observed variables.
fn observed_structure(prepared: &Prepared, whole: &Dag) -> Result<Dag> {
    let (n, names) = (prepared.table.width(), prepared.table.names());
    let observed = whole.edges().filter(|&(p, c)| p.max(c) < n);
    let dag = Dag::from_edges(n, observed).expect("part of a graph without cycles");
    let allowed = |&(p, c): &(usize, usize)| prepared.constraints.allows(p, c);
    if let Some((parent, child)) = dag.edges().find(|edge| !allowed(edge)) {
        return Err(Error::Data(format!(
            "the structure has the edge {} -> {}, but these two columns are identical",
            quoted(&names[parent]),
            quoted(&names[child])
        )));
    }
    Ok(dag)
}

/// Parameters of the whole structure, some of whose variables are hidden; `dag` is the rest of it.
fn fit_with_hidden(learner: Learner, dag: &Dag, whole: &Dag, hidden: &[String]) -> Result<Network> {
    if learner.options.score == ScoreKind::Bge {
        let what = "the bge score needs complete data, and there are hidden variables";
        return Err(Error::Options(what.to_string()));
    }
    let (em, table) = (Em::new(learner), &learner.prepared.table);
    let fit = |data: &Completed| learner.parameters(data, dag);
    let state = match learner.prepared.holes.count {
        0 => em.without_holes(fit(&Completed::complete(table.columns()))?)?,
        _ => em.settled(fit)?,
    };
    let mut network = fit_hidden(learner, state, whole)?;
    for (variable, name) in network.variables[table.width()..].iter_mut().zip(hidden) {
        variable.name = name.clone();
    }
    Ok(network)
}
