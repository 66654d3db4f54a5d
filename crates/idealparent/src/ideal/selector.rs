//! Selecting the candidate parents worth a full score, for any search procedure (section 4.1).

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

/// Moves whose gains differ by at most this many nats are ties, which are decided by index.
///
/// Used by [`sort_with_ties`] and by all searches.
pub const TIE: f64 = 1e-7;

/// A request to rank candidate parents for one child's family.
///
/// ```
/// use idealparent::extend::{Exhaustive, Query, Selector};
///
/// // Which variables could become a further parent of 0, whose parent is 1?
/// let query = Query {
///     child: 0,
///     parents: &[1],
///     slots: &[None],
///     wanted: 2,
///     excluded: &Default::default(),
///     closes_cycle: None,
///     least_gain: 0.0,
/// };
/// let rankings = Exhaustive::new(4).rank(&query);
/// let candidates: Vec<usize> = rankings[0].candidates.iter().map(|c| c.parent).collect();
/// assert_eq!(candidates, [2, 3]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The child.
    pub child: usize,
    /// Its parents, ascending.
    pub parents: &'a [usize],
    /// The rankings wanted: `None` ranks parents to add, `Some(p)` parents to replace `p`.
    pub slots: &'a [Option<usize>],
    /// Number of candidates wanted per slot; a selector may return more.
    pub wanted: usize,
    /// Variables that are not candidates, in addition to the child and its parents.
    pub excluded: &'a FixedBitSet,
    /// Variables that would close a cycle in the current graph; `None` if the search does not say.
    /// They remain candidates: the search decides which moves are legal, and that changes with the
    /// graph.
    pub closes_cycle: Option<&'a FixedBitSet>,
    /// Candidates known to gain no more than this may be left out.
    pub least_gain: f64,
}

/// A candidate parent.
///
/// Part of a [`Ranking`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The variable.
    pub parent: usize,
    /// Estimated change in score.
    pub estimate: f64,
    /// Exact change in score if the selector knows it, otherwise NaN.
    pub gain: f64,
}

/// Candidates for one slot, best first; ties within [`TIE`] are ordered by index.
///
/// Returned by [`Selector::rank`].
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The parent that the candidates would replace; `None` if they would be added.
    pub replaced: Option<usize>,
    /// Change in score if the new parent explained nothing; the baseline of the estimates.
    pub base: f64,
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// Whether every candidate that could be useful is in the list.
    pub complete: bool,
}

/// Everything about a family that follows from a single regression.
///
/// Returned by [`Selector::survey`].
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The family's score; `None` if it cannot be fitted.
    pub score: Option<f64>,
    /// Scores of the family without one parent, as pairs `(parent, score)`.
    pub without: Vec<(usize, f64)>,
    /// The candidates.
    pub ranking: Ranking,
}

impl Ranking {
    /// A ranking without candidates.
    pub(crate) fn empty(replaced: Option<usize>) -> Self {
        Ranking {
            replaced,
            base: f64::NEG_INFINITY,
            candidates: Vec::new(),
            complete: true,
        }
    }
}

/// Number of legal candidates per slot that a search should score.
///
/// Returned by [`Selector::budget`]; see section 4.1 of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// All of them, and the ranking already contains their scores, as when these follow from the
    /// Gram matrix.
    Scored,
    /// All of them.
    All,
    /// The first K of the ranking, as in the paper. The next candidate takes the place of one that
    /// becomes illegal.
    Top(usize),
    /// As many as could still win, judged by the errors of earlier estimates.
    Auto,
}

/// Ranks candidate parents.
///
/// Greedy search and ideal parent search differ only in their selector. Any other search can use
/// one as well.
///
/// ```
/// use idealparent::extend::{Budget, Exhaustive, Query, Ranking, Selector};
///
/// /// Offers only the variables before the child, as in a known order.
/// struct Ordered(Exhaustive);
///
/// impl Selector for Ordered {
///     fn rank(&self, query: &Query) -> Vec<Ranking> {
///         let mut rankings = self.0.rank(query);
///         for ranking in &mut rankings {
///             ranking.candidates.retain(|candidate| candidate.parent < query.child);
///         }
///         rankings
///     }
///
///     fn budget(&self) -> Budget {
///         Budget::All
///     }
/// }
///
/// let query = Query {
///     child: 2,
///     parents: &[],
///     slots: &[None],
///     wanted: 4,
///     excluded: &Default::default(),
///     closes_cycle: None,
///     least_gain: 0.0,
/// };
/// assert_eq!(Ordered(Exhaustive::new(5)).rank(&query)[0].candidates.len(), 2);
/// ```
pub trait Selector: Sync {
    /// Returns one ranking per slot of the query, in the order of the slots.
    fn rank(&self, query: &Query) -> Vec<Ranking>;

    /// Ranks the candidates of many queries at once.
    fn rank_many(&self, queries: &[Query]) -> Vec<Vec<Ranking>> {
        queries.par_iter().map(|query| self.rank(query)).collect()
    }

    /// Answers a query with one slot, together with scores that follow from the same regression.
    /// `None` if the selector would have to compute these separately.
    ///
    /// The scores are those of the scorer that the search uses.
    fn survey(&self, _query: &Query) -> Option<Survey> {
        None
    }

    /// Number of legal candidates per slot that a search should score.
    fn budget(&self) -> Budget;

    /// Whether estimates are exact changes in score. The best candidate is then known without
    /// scoring any.
    fn is_exact(&self) -> bool {
        false
    }

    /// Rough number of operations needed to rank one slot of a family with this many parents. A
    /// search uses it to limit the work between two checks whether to stop.
    fn work(&self, _parents: usize) -> u64 {
        0
    }

    /// Smallest number of families worth handing to another thread.
    fn grain(&self) -> usize {
        64
    }
}

/// A selector that has every candidate scored: plain greedy search with any scorer.
///
/// For an example see [`Query`].
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive {
    width: usize,
}

impl Exhaustive {
    /// Creates a selector over `width` variables.
    pub fn new(width: usize) -> Self {
        Exhaustive { width }
    }
}

impl Selector for Exhaustive {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let usable = |z: &usize| {
            *z != query.child && !query.excluded.contains(*z) && !query.parents.contains(z)
        };
        let unscored = |parent| Candidate {
            parent,
            estimate: f64::NAN,
            gain: f64::NAN,
        };
        let candidates: Vec<_> = (0..self.width).filter(usable).map(unscored).collect();
        let ranking = |&replaced: &Option<usize>| Ranking {
            replaced,
            base: f64::NEG_INFINITY,
            candidates: candidates.clone(),
            complete: true,
        };
        query.slots.iter().map(ranking).collect()
    }

    fn budget(&self) -> Budget {
        Budget::All
    }

    fn grain(&self) -> usize {
        8
    }
}

/// Sorts candidates by `value`, largest first. Values within [`TIE`] of the best of their group are
/// ordered by index.
///
/// ```
/// use idealparent::extend::{Candidate, TIE, sort_with_ties};
///
/// let candidate = |parent, estimate| Candidate { parent, estimate, gain: f64::NAN };
/// let mut list = [candidate(3, 1.0), candidate(1, 1.0 - 0.5 * TIE), candidate(2, 5.0)];
/// sort_with_ties(&mut list, |candidate| candidate.estimate);
/// assert_eq!(list.map(|candidate| candidate.parent), [2, 1, 3]);
/// ```
pub fn sort_with_ties(candidates: &mut [Candidate], value: impl Fn(&Candidate) -> f64) {
    candidates.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.parent.cmp(&b.parent)));
    let mut from = 0;
    while from < candidates.len() {
        let least = value(&candidates[from]) - TIE;
        let group = candidates[from..].iter().take_while(|c| value(c) >= least);
        let to = from + group.count().max(1);
        candidates[from..to].sort_by_key(|c| c.parent);
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_ordered_by_index() {
        let candidate = |parent, estimate| Candidate {
            parent,
            estimate,
            gain: f64::NAN,
        };
        let mut list = vec![
            candidate(5, 1.0),
            candidate(2, 1.0 - 0.5e-7),
            candidate(1, 1.0 - 3e-7),
            candidate(9, 4.0),
        ];
        sort_with_ties(&mut list, |c| c.estimate);
        let order: Vec<_> = list.iter().map(|c| c.parent).collect();
        assert_eq!(order, [9, 2, 5, 1]);
    }
}
