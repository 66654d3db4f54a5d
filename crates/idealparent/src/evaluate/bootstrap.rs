//! Bootstrap: how often an edge is found again when the instances are resampled (Friedman,
//! Goldszmidt and Wyner 1999).

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cpd::Cpd;
use crate::data::{Columns, Table};
use crate::error::{Error, Message, Result, option};
use crate::graph::{Constraints, Dag, Pdag};
use crate::learn::{LearnOptions, Observer, check_table, learn};
use crate::search::{Ending, SearchKind};

/// The effort of a replicate's search, if none is given.
const EFFORT: f64 = 0.2;

/// Largest number of replicates accepted.
pub const MAX_REPLICATES: usize = 1_000_000;

/// Edges of a network learned from instances drawn with replacement. Variables are numbered by
/// their columns in the table.
///
/// Part of [`Bootstrapped`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Replicate {
    /// Number of the replicate, from 0. With the seed it determines which instances are drawn.
    pub number: usize,
    /// Edges `(from, to)` whose direction is determined.
    pub directed: Vec<(usize, usize)>,
    /// Edges that may also point the other way: both directions are allowed, and the networks are
    /// equivalent.
    pub reversible: Vec<(usize, usize)>,
}

/// Notes on the table and the options that a user should see before a bootstrap.
///
/// Returns an error if no network can be learned from the table.
pub fn bootstrap_notes(table: &Table, options: &LearnOptions) -> Result<Vec<Message>> {
    check_table(table, options)?;
    let mut notes = Columns::new(table)?.notes;
    if options.wants_hidden() {
        let note = "edges of hidden variables are not counted: hidden variables of different networks cannot be matched";
        notes.push(note.into());
    }
    Ok(notes)
}

/// Confidence in an edge.
///
/// Returned by [`Bootstrapped::edge_strengths`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct EdgeStrength {
    /// Column that the edge comes from.
    pub from: usize,
    /// Column that the edge points to.
    pub to: usize,
    /// Share of the replicates with an edge between the two columns, in either direction.
    pub strength: f64,
    /// Share of those replicates in which the edge points this way; a reversible edge counts half.
    pub direction: f64,
}

/// An observer that only passes on a request to stop.
struct StopOnRequest<'a>(&'a (dyn Fn() -> bool + Sync));

impl Observer for StopOnRequest<'_> {
    fn stop(&mut self) -> bool {
        (self.0)()
    }
}

impl Replicate {
    /// Whether every edge joins two different columns of a table with `columns` columns.
    pub fn fits(&self, columns: usize) -> bool {
        let mut edges = self.directed.iter().chain(&self.reversible);
        edges.all(|&(from, to)| from < columns && to < columns && from != to)
    }

    /// The options of a replicate. By default it is searched for less long than the network itself:
    /// drawing other instances changes much more than the last rounds of a search do.
    fn options(options: &LearnOptions) -> LearnOptions {
        let is_default = options.effort.is_none() && options.restarts.is_none();
        // Hill climbing has no further rounds to begin with.
        let is_short =
            is_default && matches!(options.search_kind(), SearchKind::Auto | SearchKind::Order);
        LearnOptions {
            effort: if is_short {
                Some(EFFORT)
            } else {
                options.effort
            },
            ..options.clone()
        }
    }

    /// Draws instances and learns a network from them; `None` if it was stopped.
    ///
    /// The same number gives the same result on any machine and in any order. Edges of hidden
    /// variables are not counted, because hidden variables of different replicates cannot be
    /// matched. If the options leave EBIC's gamma open, it is chosen from the replicate's own
    /// instances. [`bootstrap`] instead chooses it once from the whole table
    /// ([`LearnOptions::with_gamma_of`]).
    pub fn learn(
        table: &Table,
        options: &LearnOptions,
        number: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>> {
        let mut random = ChaCha8Rng::seed_from_u64(options.seed);
        random.set_stream(number as u64);
        let rows = table.rows();
        let drawn: Vec<usize> = (0..rows).map(|_| random.random_range(0..rows)).collect();
        let drawn = table.select_rows(&drawn);
        let options = &Self::options(options);
        let learned = learn(&drawn, options, &mut StopOnRequest(stop))?;
        if learned.ending == Ending::Stopped {
            return Ok(None);
        }
        let network = learned.network;
        let dag = network.dag();
        let n = table.width();
        let allowed = constraints(&drawn, options)?;
        let is_nonlinear = |v: usize| !matches!(network.families[v].cpd, Cpd::Linear(_));
        // The direction of an edge is fixed by prior knowledge, and by a non-linear density or a
        // hidden variable at either end.
        let is_fixed = |from: usize, to: usize| {
            let hidden = from >= n || to >= n;
            hidden || allowed.fixes(from, to) || is_nonlinear(from) || is_nonlinear(to)
        };
        let class = Pdag::of_class(&dag, is_fixed);
        let observed = dag.edges().filter(|&(from, to)| from < n && to < n);
        let (reversible, directed) =
            observed.partition(|&(from, to)| class.is_undirected(from, to));
        Ok(Some(Replicate {
            number,
            directed,
            reversible,
        }))
    }
}

/// The constraints that the options imply for a table.
fn constraints(table: &Table, options: &LearnOptions) -> Result<Constraints> {
    let transformed = if options.exp2 { &table.exp2()? } else { table };
    let Columns {
        inactive, twins, ..
    } = Columns::new(transformed)?;
    Constraints::new(table.names(), &options.knowledge(), &inactive, &twins)
}

/// The result of a bootstrap.
///
/// Returned by [`bootstrap`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct Bootstrapped {
    /// The replicates that were learned, in the order of their numbers.
    pub replicates: Vec<Replicate>,
    /// Number of replicates that could not be learned, for example because a variable does not vary
    /// in the instances drawn.
    pub failed: usize,
    /// EBIC's gamma, if it was chosen from the table for all replicates.
    pub gamma: Option<f64>,
}

/// Learns `count` replicates. If the options leave EBIC's gamma open, it is first chosen from the
/// whole table, for all of them. `done` is called with each one when it is ready, in no particular
/// order. Replicates that are unfinished when `stop` returns `true` are left out.
///
/// If replicates fail and none was learned, returns the first error.
///
/// ```
/// use idealparent::{LearnOptions, bootstrap, example};
///
/// let table = example("sachs")?.table();
/// let options = LearnOptions::default();
/// let found = bootstrap(&table, &options, 10, &|| false, &|_| ())?;
/// let edges = found.edge_strengths();
/// let certain = edges.iter().filter(|edge| edge.strength == 1.0).count();
/// assert!(certain > 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub fn bootstrap(
    table: &Table,
    options: &LearnOptions,
    count: usize,
    stop: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(&Replicate) + Sync),
) -> Result<Bootstrapped> {
    if !(1..=MAX_REPLICATES).contains(&count) {
        let replicates = option("replicates");
        return Err(Error::options(format!(
            "{replicates} must be from 1 to {MAX_REPLICATES}"
        )));
    }
    check_table(table, options)?;
    let Some(options) = &options.with_gamma_of(table, &mut StopOnRequest(stop))? else {
        return Ok(Bootstrapped::default());
    };
    let one = |number: usize| -> Result<Option<Replicate>> {
        if stop() {
            return Ok(None);
        }
        let replicate = Replicate::learn(table, options, number, stop)?;
        replicate.iter().for_each(done);
        Ok(replicate)
    };
    let numbers = (0..count).into_par_iter().with_max_len(1);
    let mut found = Bootstrapped {
        gamma: options.score_options().chosen_gamma(),
        ..Bootstrapped::default()
    };
    let mut first_error = None;
    for result in numbers.map(one).collect::<Vec<_>>() {
        match result {
            Ok(replicate) => found.replicates.extend(replicate),
            Err(error) => {
                found.failed += 1;
                first_error.get_or_insert(error);
            }
        }
    }
    match first_error {
        Some(error) if found.replicates.is_empty() => Err(error),
        _ => Ok(found),
    }
}

impl From<Vec<Replicate>> for Bootstrapped {
    fn from(replicates: Vec<Replicate>) -> Self {
        Bootstrapped {
            replicates,
            ..Bootstrapped::default()
        }
    }
}

impl Bootstrapped {
    /// Strength and direction of every edge found in at least one replicate, strongest first.
    ///
    /// ```
    /// use idealparent::{LearnOptions, bootstrap, example};
    ///
    /// let table = example("sachs")?.table();
    /// let found = bootstrap(&table, &LearnOptions::default(), 3, &|| false, &|_| ())?;
    /// let edges = found.edge_strengths();
    /// assert!(edges.is_sorted_by(|a, b| a.strength >= b.strength));
    /// assert_eq!(edges[0].strength, 1.0);
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn edge_strengths(&self) -> Vec<EdgeStrength> {
        edge_strengths(&self.replicates)
    }

    /// The threshold used, and the edges of the averaged network. If `threshold` is `None`, it is
    /// computed from the strengths (Scutari and Nagarajan 2013).
    ///
    /// The table and the options are those of the bootstrap.
    ///
    /// ```
    /// use idealparent::{LearnOptions, bootstrap, example};
    ///
    /// let (table, options) = (example("sachs")?.table(), LearnOptions::default());
    /// let found = bootstrap(&table, &options, 3, &|| false, &|_| ())?;
    /// let (threshold, edges) = found.averaged(&table, &options, Some(0.9))?;
    /// assert_eq!(threshold, 0.9);
    /// assert!(!edges.is_empty() && edges.len() <= found.edge_strengths().len());
    /// # Ok::<(), idealparent::Error>(())
    /// ```
    pub fn averaged(
        &self,
        table: &Table,
        options: &LearnOptions,
        threshold: Option<f64>,
    ) -> Result<(f64, Vec<(usize, usize)>)> {
        let strengths = self.edge_strengths();
        let threshold = threshold.unwrap_or_else(|| strength_threshold(&strengths));
        let constraints = constraints(table, options)?;
        let edges = averaged_edges(&strengths, &constraints, threshold);
        Ok((threshold, edges))
    }
}

fn edge_strengths(replicates: &[Replicate]) -> Vec<EdgeStrength> {
    // Half votes: two for a directed edge, one for each direction of a reversible edge.
    let mut votes: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for replicate in replicates {
        for &(from, to) in &replicate.directed {
            *votes.entry((from, to)).or_default() += 2;
        }
        for &(from, to) in &replicate.reversible {
            *votes.entry((from, to)).or_default() += 1;
            *votes.entry((to, from)).or_default() += 1;
        }
    }
    let count = 2 * replicates.len() as u64;
    let strength = |(&(from, to), &own): (&(usize, usize), &u64)| {
        let both = own + votes.get(&(to, from)).copied().unwrap_or(0);
        EdgeStrength {
            from,
            to,
            strength: both as f64 / count as f64,
            direction: own as f64 / both as f64,
        }
    };
    let mut strengths: Vec<EdgeStrength> = votes.iter().map(strength).collect();
    strengths.sort_by(|a, b| {
        let pair = |edge: &EdgeStrength| (edge.from.min(edge.to), edge.from.max(edge.to));
        let by_strength = b.strength.total_cmp(&a.strength);
        by_strength
            .then_with(|| pair(a).cmp(&pair(b)))
            .then_with(|| b.direction.total_cmp(&a.direction))
            .then_with(|| a.from.cmp(&b.from))
    });
    strengths
}

/// The strength above which an edge is considered present: the threshold for which a distribution
/// of strengths 0 and 1 is closest to the distribution found (Scutari and Nagarajan 2013).
///
/// The distance is the area between the two distribution functions. For strengths 0 and 1, the
/// function is a constant between 0 and 1. The distance is smallest if this constant is the value
/// of the other function at one half. The threshold is therefore the largest strength found that
/// does not exceed one half.
pub fn strength_threshold(strengths: &[EdgeStrength]) -> f64 {
    let strengths = strengths.iter().map(|edge| edge.strength);
    strengths.filter(|&s| s <= 0.5).fold(0.0, f64::max)
}

/// The averaged network: edges stronger than `threshold`, each in the direction that most
/// replicates give it.
///
/// Required edges are added first, then the others from the strongest to the weakest. An edge is
/// left out if it would close a cycle or violate the constraints.
///
/// Edges that point either way equally often are directed so that, if possible, no two variables
/// become parents of a third without an edge between them.
pub fn averaged_edges(
    strengths: &[EdgeStrength],
    constraints: &Constraints,
    threshold: f64,
) -> Vec<(usize, usize)> {
    let fits = |dag: &Dag, from: usize, to: usize| {
        constraints.allows(from, to) && dag.parents(to).len() < constraints.max_parents()
    };
    let is_required = |edge: &EdgeStrength| constraints.is_required(edge.from, edge.to);
    let mut strong: Vec<&EdgeStrength> = strengths
        .iter()
        .filter(|edge| edge.strength > threshold || is_required(edge))
        .collect();
    strong.sort_by(|a, b| {
        let by_strength = b.strength.total_cmp(&a.strength);
        let by_requirement = is_required(b).cmp(&is_required(a));
        let by_direction = b.direction.total_cmp(&a.direction);
        by_requirement.then(by_strength).then(by_direction)
    });
    let mut dag = Dag::new(constraints.len());
    let mut tied = Vec::new();
    for edge in strong {
        let (from, to) = (edge.from, edge.to);
        if dag.has_edge(to, from) {
            continue;
        }
        let is_way = edge.direction > 0.5 || is_required(edge);
        if is_way && !dag.reaches(to, from) && fits(&dag, from, to) {
            dag.add_edge(from, to);
        } else if edge.direction == 0.5 && from < to && !dag.has_edge(from, to) {
            tied.push((from, to));
        }
    }
    let whole = Pdag::new(dag, tied.iter().copied()).directed(&tied, fits);
    let mut edges: Vec<(usize, usize)> = whole.edges().collect();
    edges.sort_unstable();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: usize, to: usize, strength: f64, direction: f64) -> EdgeStrength {
        EdgeStrength {
            from,
            to,
            strength,
            direction,
        }
    }

    fn replicate(
        number: usize,
        directed: &[(usize, usize)],
        reversible: &[(usize, usize)],
    ) -> Replicate {
        Replicate {
            number,
            directed: directed.to_vec(),
            reversible: reversible.to_vec(),
        }
    }

    #[test]
    fn strengths_and_directions_are_shares_of_the_replicates() {
        let replicates = [
            replicate(0, &[(0, 1)], &[(2, 3)]),
            replicate(1, &[(1, 0)], &[]),
            replicate(2, &[(0, 1)], &[(3, 2)]),
            replicate(3, &[], &[(0, 1)]),
        ];
        let (strengths, free) = (edge_strengths(&replicates), Constraints::none(4));
        let of = |from, to| {
            let edge = strengths.iter().find(|e| (e.from, e.to) == (from, to));
            edge.map(|e| (e.strength, e.direction))
        };
        assert_eq!(of(0, 1), Some((1.0, 5.0 / 8.0)));
        assert_eq!(of(1, 0), Some((1.0, 3.0 / 8.0)));
        assert_eq!(of(2, 3), Some((0.5, 0.5)));
        assert_eq!(of(3, 2), Some((0.5, 0.5)));
        assert_eq!(of(0, 2), None);
        assert_eq!((strengths[0].from, strengths[0].to), (0, 1));
        assert_eq!(averaged_edges(&strengths, &free, 0.2), [(0, 1), (2, 3)]);
        assert_eq!(averaged_edges(&strengths, &free, 0.5), [(0, 1)]);
    }

    /// Compares with the area between the distribution functions, computed on a grid for every
    /// constant.
    #[test]
    fn the_threshold_minimises_the_area_between_the_distributions() {
        let of = |values: &[f64]| {
            let values = values.iter().enumerate();
            let edges = values.map(|(i, &strength)| edge(i, i + 1, strength, 1.0));
            edges.collect::<Vec<_>>()
        };
        for values in [
            vec![0.05, 0.1, 0.1, 0.3, 0.45, 0.7, 0.9, 1.0],
            vec![0.2, 0.21, 0.8],
            vec![0.55, 0.6, 1.0],
        ] {
            let share =
                |x: f64| values.iter().filter(|&&v| v <= x).count() as f64 / values.len() as f64;
            let area = |t: f64| -> f64 {
                let at = |i: usize| (share((i as f64 + 0.5) / 1000.0) - t).abs();
                (0..1000).map(at).sum()
            };
            let candidates: Vec<f64> = [0.0].iter().chain(&values).copied().collect();
            let best = candidates
                .iter()
                .copied()
                .min_by(|a, b| area(share(*a)).total_cmp(&area(share(*b))))
                .unwrap();
            assert_eq!(strength_threshold(&of(&values)), best, "{values:?}");
        }
    }

    #[test]
    fn cycles_lose_their_weakest_edge() {
        let strengths = [
            edge(0, 1, 1.0, 0.9),
            edge(1, 2, 0.9, 0.8),
            edge(2, 0, 0.8, 0.7),
            // Points either way equally often.
            edge(0, 3, 0.7, 0.5),
            edge(3, 0, 0.7, 0.5),
        ];
        let free = Constraints::none(4);
        assert_eq!(
            averaged_edges(&strengths, &free, 0.0),
            [(0, 1), (0, 3), (1, 2)]
        );
    }

    /// A chain whose middle variable has the largest index: its edges may point either way, but
    /// must not make both ends parents of the middle.
    #[test]
    fn edges_without_direction_make_no_colliders() {
        let mut strengths = Vec::new();
        for (a, b) in [(0, 2), (1, 2)] {
            strengths.extend([edge(a, b, 1.0, 0.5), edge(b, a, 1.0, 0.5)]);
        }
        let free = Constraints::none(3);
        assert_eq!(averaged_edges(&strengths, &free, 0.5), [(0, 2), (2, 1)]);
    }

    #[test]
    fn the_averaged_network_respects_the_constraints() {
        let names: Vec<String> = ["A", "B", "C", "D"].map(String::from).to_vec();
        let knowledge = |require: &[(&str, &str)], max_parents| crate::graph::Knowledge {
            require: require
                .iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect(),
            max_parents,
            ..Default::default()
        };
        let of = |knowledge| Constraints::new(&names, &knowledge, &[false; 4], &[]).unwrap();
        let two = [edge(0, 2, 0.9, 0.55), edge(1, 2, 0.8, 0.55)];
        let one = of(knowledge(&[], Some(1)));
        assert_eq!(averaged_edges(&two, &one, 0.0), [(0, 2)]);
        let circle = [
            edge(0, 1, 1.0, 0.9),
            edge(1, 2, 1.0, 0.8),
            edge(2, 0, 0.9, 1.0),
        ];
        let required = of(knowledge(&[("C", "A")], None));
        assert_eq!(averaged_edges(&circle, &required, 0.0), [(0, 1), (2, 0)]);
    }
}
