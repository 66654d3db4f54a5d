//! Bootstrap: how often an edge is found again when the instances are drawn anew (Friedman, Goldszmidt and Wyner 1999).

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Table;
use crate::error::{Error, Result};
use crate::graph::{Constraints, Cpdag, Dag};
use crate::learn::learn;
use crate::options::LearnOptions;
use crate::search::{Ending, Observer};

/// Edges of one network, learned from instances drawn with replacement; columns by their place in the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replicate {
    /// Its number, from 0: with the seed it says which instances were drawn.
    pub number: usize,
    /// Edges `(from, to)` that point this way.
    pub directed: Vec<(usize, usize)>,
    /// Edges that may as well point the other way: networks with either are equivalent, and both are allowed.
    pub reversible: Vec<(usize, usize)>,
}

/// How sure an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EdgeStrength {
    /// Column it comes from.
    pub from: usize,
    /// Column it goes to.
    pub to: usize,
    /// Share of the replicates that join the two, either way.
    pub strength: f64,
    /// Share of those in which the edge points this way; one that may point either way counts half.
    pub direction: f64,
}

/// Whoever is asked whether to stop.
struct Asked<'a>(&'a (dyn Fn() -> bool + Sync));

impl Observer for Asked<'_> {
    fn stop(&mut self) -> bool {
        (self.0)()
    }
}

impl Replicate {
    /// Draws instances and learns a network from them; `None` if it was stopped.
    ///
    /// The same number gives the same result on any machine and in any order. Edges of hidden variables are not counted: nothing says which
    /// of one replicate is which of another.
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
        let learned = learn(&table.select_rows(&drawn), options, &mut Asked(stop))?;
        if learned.ending == Ending::Stopped {
            return Ok(None);
        }
        let network = learned.network;
        let dag = network.dag();
        let n = table.width();
        let allowed =
            Constraints::new(table.names(), &options.knowledge, &vec![false; n], &[]).ok();
        // Non-linear densities tell directions apart.
        let class = network.is_linear().then(|| Cpdag::new(&dag));
        let may_turn = |&(from, to): &(usize, usize)| {
            let is_reversible = class
                .as_ref()
                .is_some_and(|class| class.is_reversible(from, to));
            is_reversible
                && allowed.as_ref().is_none_or(|allowed| {
                    allowed.allows(to, from) && !allowed.is_required(from, to)
                })
        };
        let observed = dag.edges().filter(|&(from, to)| from < n && to < n);
        let (reversible, directed) = observed.partition(may_turn);
        Ok(Some(Replicate {
            number,
            directed,
            reversible,
        }))
    }
}

/// Learns `count` replicates; `done` is told of each as it comes, in no particular order. Those left out when `stop` says so are missing from the
/// result, which is in the order of their numbers.
pub fn bootstrap(
    table: &Table,
    options: &LearnOptions,
    count: usize,
    stop: &(dyn Fn() -> bool + Sync),
    done: &(dyn Fn(&Replicate) + Sync),
) -> Result<Vec<Replicate>> {
    if count == 0 {
        let problem = "at least one replicate is needed";
        return Err(Error::Options(problem.to_string()));
    }
    let one = |number: usize| -> Result<Option<Replicate>> {
        if stop() {
            return Ok(None);
        }
        let replicate = Replicate::learn(table, options, number, stop)?;
        replicate.iter().for_each(done);
        Ok(replicate)
    };
    let found: Result<Vec<Option<Replicate>>> = (0..count)
        .into_par_iter()
        .with_max_len(1)
        .map(one)
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// What the replicates say of every edge that some of them have: the strongest first.
pub fn edge_strengths(replicates: &[Replicate]) -> Vec<EdgeStrength> {
    // Half votes for either direction.
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
        let by_strength = b.strength.total_cmp(&a.strength);
        let by_pair =
            || (a.from.min(a.to), a.from.max(a.to)).cmp(&(b.from.min(b.to), b.from.max(b.to)));
        by_strength
            .then_with(by_pair)
            .then(b.direction.total_cmp(&a.direction))
            .then(a.from.cmp(&b.from))
    });
    strengths
}

/// The strength above which an edge is taken to be there: where a distribution of strengths 0 and 1 alone is nearest to the one that was found
/// (Scutari and Nagarajan 2013).
///
/// Nearest is by the area between the two distribution functions. The one of zeros and ones is constant in between, so that the best constant is the median
/// of the other's values, its value at one half: the threshold is the largest strength found that is not above that.
pub fn strength_threshold(strengths: &[EdgeStrength]) -> f64 {
    let strengths = strengths.iter().map(|edge| edge.strength);
    strengths.filter(|&s| s <= 0.5).fold(0.0, f64::max)
}

/// The averaged network: edges stronger than a threshold, each the way that most replicates have it, the strongest first, without those that would close a cycle.
pub fn averaged_edges(
    strengths: &[EdgeStrength],
    variables: usize,
    threshold: f64,
) -> Vec<(usize, usize)> {
    let mut dag = Dag::new(variables);
    let mut tied = Vec::new();
    for edge in strengths.iter().filter(|edge| edge.strength > threshold) {
        if edge.direction > 0.5 && !dag.reaches(edge.to, edge.from) {
            dag.add_edge(edge.from, edge.to);
        } else if edge.direction == 0.5 && edge.from < edge.to {
            tied.push((edge.from, edge.to));
        }
    }
    // What may point either way gives way to what may not.
    for (one, other) in tied {
        match dag.reaches(other, one) {
            false => dag.add_edge(one, other),
            true => dag.add_edge(other, one),
        }
    }
    let mut edges: Vec<(usize, usize)> = dag.edges().collect();
    edges.sort_unstable();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn strengths_and_directions() {
        let replicates = [
            replicate(0, &[(0, 1)], &[(2, 3)]),
            replicate(1, &[(1, 0)], &[]),
            replicate(2, &[(0, 1)], &[(3, 2)]),
            replicate(3, &[], &[(0, 1)]),
        ];
        let strengths = edge_strengths(&replicates);
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
        assert_eq!(averaged_edges(&strengths, 4, 0.2), [(0, 1), (2, 3)]);
        assert_eq!(averaged_edges(&strengths, 4, 0.5), [(0, 1)]);
    }

    /// Against the area between the distribution functions, computed on a grid for every constant.
    #[test]
    fn threshold_of_the_smallest_area() {
        let of = |values: &[f64]| {
            let edge = |(i, &strength): (usize, &f64)| EdgeStrength {
                from: i,
                to: i + 1,
                strength,
                direction: 1.0,
            };
            values.iter().enumerate().map(edge).collect::<Vec<_>>()
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
        let edge = |from, to, strength, direction| EdgeStrength {
            from,
            to,
            strength,
            direction,
        };
        let strengths = [
            edge(0, 1, 1.0, 0.9),
            edge(1, 2, 0.9, 0.8),
            edge(2, 0, 0.8, 0.7),
            // Either way: the other one, since this would close a cycle.
            edge(0, 3, 0.7, 0.5),
            edge(3, 0, 0.7, 0.5),
        ];
        assert_eq!(averaged_edges(&strengths, 4, 0.0), [(0, 1), (0, 3), (1, 2)]);
    }
}
