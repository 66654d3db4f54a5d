//! Preparing a table for learning.

use std::collections::HashMap;

use super::LearnOptions;
use crate::cpd::CpdKind;
use crate::data::{Columns, Holes, Pattern, Table, list};
use crate::error::{Error, Origin, Result, option, option_value, quoted};
use crate::family::{Gram, Profiles};
use crate::graph::{Constraints, Dag, names_along};
use crate::memory;
use crate::network::Network;
use crate::score::ScoreKind;

/// A table that is transformed and checked for learning.
#[derive(Clone)]
pub(super) struct Prepared {
    /// The data. Inactive columns have no missing values, and every row has at least one value.
    pub(super) table: Table,
    pub(super) columns: Columns,
    pub(super) constraints: Constraints,
    pub(super) holes: Holes,
    /// Whether hidden variables must be roots. They can only have linear densities, so this is true
    /// if the options do not include `linear`.
    pub(super) hidden_are_roots: bool,
    /// The densities allowed for some variables; the others may have any density of the options.
    pub(super) kinds: HashMap<usize, Vec<CpdKind>>,
}

impl Prepared {
    /// Whether the log-likelihood of a network on these data is only a lower bound.
    pub(super) fn gives_bound(&self, network: &Network) -> bool {
        !network.is_linear() && (self.holes.count > 0 || network.has_hidden())
    }

    pub(super) fn new(table: &Table, options: &LearnOptions) -> Result<Self> {
        let mut table = if options.exp2 {
            table.exp2()?
        } else {
            table.clone()
        };
        if table.width() == 0 || table.rows() == 0 {
            return Err(Error::data("the table is empty"));
        }
        let (n, m) = (table.width(), table.rows());
        if options.is_linear() {
            Gram::check_memory(n, m)?
        } else {
            Profiles::check_memory(n, m, options.own_links().len())?
        }
        let mut columns = Columns::new(&table)?;
        columns.fill_inactive(&mut table);
        if columns.unobserved.iter().all(|&never| never) {
            return Err(Error::data("the data have no observed value"));
        }
        let holes = Holes::new(table.columns(), |v| !columns.inactive[v]);
        check_missing(holes.count, options)?;
        if holes.count > 0 {
            check_memory_of_holes(n, m)?;
        }
        let (table, holes) = without_empty_rows(table, holes, &mut columns);
        if table.rows() < 2 {
            let count = ["no instance with a value", "one instance"][table.rows()];
            return Err(Error::data(format!(
                "the data have {count}; at least two are required"
            )));
        }
        if options.needs_positive() {
            columns.check_positive(&table)?;
        }
        let constraints = Constraints::new(
            table.names(),
            &options.knowledge(),
            &columns.inactive,
            &columns.twins,
        )?;
        columns
            .notes
            .extend(options.knowledge().notes(table.names()));
        Ok(Prepared {
            table,
            columns,
            constraints,
            holes,
            hidden_are_roots: !options.cpd.contains(&CpdKind::Linear),
            kinds: HashMap::new(),
        })
    }

    /// Builds a graph from edges by name. In error messages, `what` describes the graph, and
    /// `origin` says where the edges are from.
    pub(super) fn dag(
        &self,
        edges: &[(String, String)],
        what: &str,
        origin: &Origin,
    ) -> Result<Dag> {
        let wrong = |entry: usize, problem: String| match origin.place(entry) {
            Some(place) => Error::network(place, problem),
            None => Error::data(problem),
        };
        let mut pairs = Vec::with_capacity(edges.len());
        for (entry, (from, to)) in edges.iter().enumerate() {
            let (Some(parent), Some(child)) = (self.table.index_of(from), self.table.index_of(to))
            else {
                return Err(wrong(entry, self.describe_unknown(edges, what)));
            };
            if let Some(&idle) = [parent, child].iter().find(|&&v| self.columns.inactive[v]) {
                let problem = format!(
                    "{what} has the edge {} -> {}, but {} never varies in the data",
                    quoted(from),
                    quoted(to),
                    quoted(&self.table.names()[idle])
                );
                return Err(wrong(entry, problem));
            }
            pairs.push((parent, child));
        }
        Dag::or_cycle(self.table.width(), pairs).map_err(|cycle| {
            let shown = names_along(&cycle, self.table.names());
            // The cycle has several edges, so no single line is to blame.
            wrong(edges.len(), format!("{what} has a cycle: {shown}"))
        })
    }

    /// The message for edges with variables that are not in the data: it says which ones.
    fn describe_unknown(&self, edges: &[(String, String)], what: &str) -> String {
        let mut unknown: Vec<&String> = Vec::new();
        for name in edges.iter().flat_map(|(from, to)| [from, to]) {
            if self.table.index_of(name).is_none() && !unknown.contains(&name) {
                unknown.push(name);
            }
        }
        match unknown.as_slice() {
            [star, ..] if *star == "*" => {
                let (require, forbid) = (option("require"), option("forbid"));
                format!("{what}: * is allowed in {require} and {forbid} only")
            }
            [only] => {
                let mut names = self.table.names().iter();
                let alike = names.find(|own| own.eq_ignore_ascii_case(only));
                let hint = alike.map(|own| format!(" (did you mean {}?)", quoted(own)));
                format!(
                    "{what} has a variable {} that is not in the data{}",
                    quoted(only),
                    hint.unwrap_or_default()
                )
            }
            several => format!(
                "{what} has {} variables that are not in the data: {}",
                several.len(),
                list(several)
            ),
        }
    }

    /// The graph that a search starts from: the user's start network plus the required edges.
    pub(super) fn start(&self, options: &LearnOptions) -> Result<Dag> {
        let name = |v: usize| quoted(&self.table.names()[v]);
        let mut dag = self.dag(
            &options.start.edges,
            "the start network",
            &options.start.origin,
        )?;
        for (parent, child) in dag.edges() {
            if !self.constraints.allows(parent, child) {
                let names = self.table.names();
                let obstacle = self.constraints.obstacle(names, parent, child);
                let obstacle = obstacle.unwrap_or_else(|| "it is forbidden".to_string());
                return Err(Error::options(format!(
                    "the start network's edge {} -> {} is not allowed: {obstacle}",
                    name(parent),
                    name(child)
                )));
            }
        }
        for &(parent, child) in self.constraints.required() {
            if dag.reaches(child, parent) {
                return Err(Error::options(format!(
                    "the start network and the required edge {} -> {} form a cycle",
                    name(parent),
                    name(child)
                )));
            }
            dag.add_edge(parent, child);
        }
        let limit = self.constraints.max_parents();
        if let Some(v) = (0..dag.len()).find(|&v| dag.parents(v).len() > limit) {
            return Err(Error::options(format!(
                "{} has {} parents in the start network, more than {} allows",
                name(v),
                dag.parents(v).len(),
                option_value("max_parents", limit)
            )));
        }
        Ok(dag)
    }

    /// Adds `count` hidden variables, named H1, H2, …, after the observed ones. Skips names that
    /// the table uses.
    pub(super) fn with_hidden(&self, count: usize, two_layers: bool) -> Prepared {
        let mut names = self.table.names().to_vec();
        let mut data = self.table.columns().to_vec();
        let mut number = 0;
        for _ in 0..count {
            let name = loop {
                number += 1;
                let name = format!("H{number}");
                if self.table.index_of(&name).is_none() {
                    break name;
                }
            };
            names.push(name);
            data.push(vec![f64::NAN; self.table.rows()].into());
        }
        let mut columns = self.columns.clone();
        columns.add_hidden(count);
        let copies: Vec<usize> = columns.twins.iter().map(|&(_, copy)| copy).collect();
        Prepared {
            holes: Holes::new(&data, |v| !columns.inactive[v]),
            table: Table::new(names, data).expect("names that are not taken"),
            constraints: self.constraints.with_hidden(
                count,
                two_layers,
                self.hidden_are_roots,
                &copies,
            ),
            hidden_are_roots: self.hidden_are_roots,
            kinds: self.kinds.clone(),
            columns,
        }
    }

    /// Renames the hidden variables.
    pub(super) fn renamed(mut self, hidden: &[String]) -> Prepared {
        let observed = self.table.width() - hidden.len();
        let names = self.table.names()[..observed].iter().chain(hidden);
        let columns = self.table.columns().to_vec();
        let table = Table::new(names.cloned().collect(), columns);
        self.table = table.expect("names that are not taken");
        self
    }
}

/// Returns an error if no network can be learned from this table with these options.
///
/// Called with the user's whole table before parts of it are learned from, so that the numbers in
/// messages are those of the whole table.
pub(crate) fn check_table(table: &Table, options: &LearnOptions) -> Result<()> {
    Prepared::new(table, options)?.start(options).map(drop)
}

/// Returns an error if the score needs complete data and this number of values is missing.
fn check_missing(count: usize, options: &LearnOptions) -> Result<()> {
    if options.score != ScoreKind::Bge || count == 0 {
        return Ok(());
    }
    let missing = match count {
        1 => "1 value is missing".to_string(),
        count => format!("{count} values are missing"),
    };
    Err(Error::options(format!(
        "{} needs complete data, but {missing} (impute them first, or use another score)",
        option_value("score", "bge")
    )))
}

/// Returns an error if the moments and the expectations of a table with missing values would not
/// fit in memory.
fn check_memory_of_holes(variables: usize, instances: usize) -> Result<()> {
    let (n, m) = (variables as u64, instances as u64);
    let expected = (8 * n * n).saturating_add((48 * n).saturating_mul(m));
    let needed = Gram::bytes(variables, instances).saturating_add(expected);
    memory::check_variables(variables, needed)
}

/// Removes the rows that have no value in any active column, and adds a note if there are any.
fn without_empty_rows(table: Table, holes: Holes, columns: &mut Columns) -> (Table, Holes) {
    let active = columns.active();
    let is_empty = |pattern: &&Pattern| pattern.unobserved.len() == active && active > 0;
    let Some(empty) = holes.patterns.iter().find(is_empty) else {
        return (table, holes);
    };
    let what = match empty.rows.len() {
        1 => "one row has no value in any column that varies: ignored".to_string(),
        count => format!("{count} rows have no value in any column that varies: ignored"),
    };
    columns.notes.push(what.into());
    let kept = (0..table.rows()).filter(|row| empty.rows.binary_search(row).is_err());
    let table = table.select_rows(&kept.collect::<Vec<_>>());
    let holes = Holes::new(table.columns(), |v| !columns.inactive[v]);
    (table, holes)
}
