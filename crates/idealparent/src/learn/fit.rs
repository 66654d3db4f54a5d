//! Fitting the parameters of a given structure.

use std::collections::HashMap;
use std::time::Instant;

use super::em::Em;
use super::hidden::fit_hidden;
use super::learner::Learner;
use super::prepared::Prepared;
use super::{Fitted, LearnOptions, Standard, provenance};
use crate::cpd::CpdKind;
use crate::data::{Completed, Table};
use crate::error::{Error, Result, option_value, quoted};
use crate::graph::Dag;
use crate::network::{Network, StructureFile, Transform};
use crate::score::ScoreKind;

/// Fits the parameters of a given structure, whose edges are `(from, to)` by name.
///
/// `kinds` gives the densities of some variables; every other variable gets the best of the
/// densities in `options`.
///
/// ```
/// use std::collections::HashMap;
///
/// use idealparent::{LearnOptions, example, fit_structure};
///
/// let table = example("sachs")?.table();
/// let edges = [("Erk".to_string(), "Akt".to_string())];
/// let fitted = fit_structure(&table, &edges, &HashMap::new(), &LearnOptions::default())?;
/// assert_eq!(fitted.network.edge_count(), 1);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn fit_structure(
    table: &Table,
    edges: &[(String, String)],
    kinds: &HashMap<String, CpdKind>,
    options: &LearnOptions,
) -> Result<Fitted> {
    fit_structure_with_hidden(table, edges, kinds, &[], options)
}

/// Fits the parameters of a structure read from a file.
///
/// Keeps the densities, bias, baseline and transform of a network file. If `replaces` is true, the
/// options replace its densities, bias and baseline.
///
/// A network file lists its variables, and other columns of the table are ignored; a table of edges
/// uses all columns. `hidden` are names of hidden variables in addition to those of the file.
///
/// ```
/// use idealparent::{LearnOptions, StructureFile, example, fit_file};
///
/// let table = example("sachs")?.table();
/// let file = StructureFile::from_bytes(b"from,to\nErk,Akt\n".to_vec(), "edges.csv")?;
/// let fitted = fit_file(&table, &file, &[], &LearnOptions::default(), false)?;
/// assert_eq!(fitted.network.edge_count(), 1);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn fit_file(
    table: &Table,
    file: &StructureFile,
    hidden: &[String],
    options: &LearnOptions,
    replaces: bool,
) -> Result<Fitted> {
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
    table.check_several(observed.clone().map(String::as_str))?;
    let columns: Result<Vec<usize>> = observed.map(|name| table.find(name)).collect();
    let table = table.select_columns(&columns?);
    fit_structure_with_hidden(&table, &file.edges, kinds, &all, &options)
}

/// Like [`fit_structure`], for a structure with hidden variables, which the table does not contain.
///
/// ```
/// use std::collections::HashMap;
///
/// use idealparent::{LearnOptions, example, fit_structure_with_hidden};
///
/// let table = example("sachs")?.table();
/// let edges = ["Erk", "Akt", "PKA"].map(|child| ("H".to_string(), child.to_string()));
/// let (kinds, options) = (HashMap::new(), LearnOptions::default());
/// let fitted = fit_structure_with_hidden(&table, &edges, &kinds, &["H".to_string()], &options)?;
/// assert!(fitted.network.has_hidden());
/// assert_eq!(fitted.network.edge_count(), 3);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn fit_structure_with_hidden(
    table: &Table,
    edges: &[(String, String)],
    kinds: &HashMap<String, CpdKind>,
    hidden: &[String],
    options: &LearnOptions,
) -> Result<Fitted> {
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
    Ok(Fitted {
        is_bound: prepared.gives_bound(&network),
        network,
        instances: prepared.table.rows(),
        seconds: began.elapsed().as_secs_f64(),
        notes: prepared.columns.notes,
    })
}

/// The graph over all variables, the hidden ones after the observed ones.
fn whole_structure(
    prepared: &Prepared,
    edges: &[(String, String)],
    hidden: &[String],
) -> Result<Dag> {
    for (i, name) in hidden.iter().enumerate() {
        let problem = if prepared.table.index_of(name).is_some() {
            "is declared hidden, but is a column of the data"
        } else if hidden[..i].contains(name) {
            "is named twice among the hidden variables"
        } else if !edges.iter().any(|(from, to)| from == name || to == name) {
            "is declared hidden, but is not in the structure"
        } else if !edges.iter().any(|(from, _)| from == name) {
            "is hidden, but has no children"
        } else {
            continue;
        };
        return Err(Error::data(format!("{} {problem}", quoted(name))));
    }
    prepared
        .with_hidden(hidden.len(), false)
        .renamed(hidden)
        .dag(edges, "the structure")
}

/// The subgraph of the observed variables.
fn observed_structure(prepared: &Prepared, whole: &Dag) -> Result<Dag> {
    let (n, names) = (prepared.table.width(), prepared.table.names());
    let observed = whole.edges().filter(|&(p, c)| p.max(c) < n);
    let dag = Dag::from_edges(n, observed).expect("part of a graph without cycles");
    let allowed = |&(p, c): &(usize, usize)| prepared.constraints.allows(p, c);
    if let Some((parent, child)) = dag.edges().find(|edge| !allowed(edge)) {
        return Err(Error::data(format!(
            "the structure has the edge {} -> {}, but these two columns are identical",
            quoted(&names[parent]),
            quoted(&names[child])
        )));
    }
    Ok(dag)
}

/// Fits a structure with hidden variables; `dag` is the subgraph of the observed ones.
fn fit_with_hidden(learner: Learner, dag: &Dag, whole: &Dag, hidden: &[String]) -> Result<Network> {
    if learner.options.score == ScoreKind::Bge {
        return Err(Error::options(format!(
            "{} needs complete data, but the structure has hidden variables",
            option_value("score", "bge")
        )));
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
