//! Fitting the parameters of a given structure.

use std::time::Instant;

use super::em::Em;
use super::hidden::fit_hidden;
use super::learner::Learner;
use super::prepared::Prepared;
use super::price::Density;
use super::{Fitted, LearnOptions, Standard, provenance};
use crate::data::{Completed, Table};
use crate::error::{Error, Origin, Result, option_value, quoted};
use crate::graph::Dag;
use crate::network::{Network, Structure, Transform};
use crate::score::{Gamma, ScoreKind};

/// Fits the parameters of a given structure.
///
/// Keeps the densities, bias, baseline and transform that the structure names. Every other variable
/// gets the best of the densities in `options`.
///
/// If the options leave EBIC's gamma open, the structure's own gamma is used if that was chosen
/// from data. Otherwise it follows from the number of edges, or is 1 with hidden variables.
///
/// If the structure lists its variables, other columns of the table are ignored; otherwise all
/// columns are variables. The table does not contain the hidden variables.
///
/// ```
/// use idealparent::{LearnOptions, Structure, example, fit};
///
/// let (table, options) = (example("sachs")?.table(), LearnOptions::default());
/// let fitted = fit(&table, &Structure::of_edges([("Erk", "Akt")]), &options)?;
/// assert_eq!(fitted.network.edge_count(), 1);
///
/// let children = ["Erk", "Akt", "PKA"].map(|child| ("H", child));
/// let common_cause = Structure::of_edges(children).with_hidden(["H".to_string()]);
/// let fitted = fit(&table, &common_cause, &options)?;
/// assert!(fitted.network.has_hidden());
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn fit(table: &Table, structure: &Structure, options: &LearnOptions) -> Result<Fitted> {
    let mut options = options.clone();
    options.bias |= structure.bias;
    options.baseline |= structure.baseline;
    options.exp2 |= structure.transform == Transform::Exp2;
    if structure.variables.is_empty() {
        return fit_columns(table, structure, &options);
    }
    let observed = structure.variables.iter();
    let observed = observed.filter(|name| !structure.hidden.contains(name));
    table.check_several(observed.clone().map(String::as_str))?;
    let columns: Result<Vec<usize>> = observed.map(|name| table.find(name)).collect();
    fit_columns(&table.select_columns(&columns?), structure, &options)
}

/// Fits the parameters of a structure whose observed variables are the columns of the table.
fn fit_columns(table: &Table, structure: &Structure, options: &LearnOptions) -> Result<Fitted> {
    let began = Instant::now();
    let (kinds, hidden) = (&structure.kinds, &structure.hidden);
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
    let whole = whole_structure(&prepared, &structure.edges, hidden)?;
    let dag = observed_structure(&prepared, &whole)?;
    let gamma = match all.gamma {
        Gamma::Auto if all.score == ScoreKind::Ebic => {
            let by_density = || {
                if hidden.is_empty() {
                    Density::new(&prepared).gamma(&whole)
                } else {
                    1.0
                }
            };
            Gamma::AutoAt(structure.gamma.unwrap_or_else(by_density))
        }
        given => given,
    };
    let learner = Learner {
        prepared: &prepared,
        options: &all,
        gamma,
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
    let recorded = LearnOptions {
        // The network's score has the value.
        gamma: all.gamma.without_choice(),
        ..all
    };
    network.provenance = Some(provenance(table, recorded.record_fit(), options.seed));
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
        .dag(edges, "the structure", &Origin::default())
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
