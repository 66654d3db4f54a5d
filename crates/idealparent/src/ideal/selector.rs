//! Choosing the candidates that deserve a full score: a black box for any search (section 4.1).

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

/// Moves whose gains differ by no more than this many nats are ties, decided by index.
pub const TIE: f64 = 1e-7;

/// What a search wants ranked: candidates for one child's family.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The child.
    pub child: usize,
    /// Its parents, ascending.
    pub parents: &'a [usize],
    /// One ranking for each: `None` adds a parent, `Some(p)` puts it in the place of `p`.
    pub slots: &'a [Option<usize>],
    /// How many candidates are wanted per slot; a selector may give more.
    pub wanted: usize,
    /// Variables that are no candidates, besides the child and its parents.
    pub excluded: &'a FixedBitSet,
    /// Those that would close a cycle as the graph is now; `None` where the search does not say.
    /// They are candidates all the same: what is legal is the search's business, and changes.
    pub closes_cycle: Option<&'a FixedBitSet>,
    /// A candidate known to gain no more than this may be left out.
    pub least_gain: f64,
}

/// A candidate parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The variable.
    pub parent: usize,
    /// Estimated change in score.
    pub estimate: f64,
    /// Exact change in score where the selector knows it, else NaN.
    pub gain: f64,
}

/// Candidates for one slot, best first; ties within [`TIE`] by index.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The parent whose place the candidates would take; `None`: they would be added.
    pub replaced: Option<usize>,
    /// Change in score if the new parent brought nothing: what estimates start from.
    pub base: f64,
    /// Best first.
    pub candidates: Vec<Candidate>,
    /// Whether no further candidate could be of use.
    pub complete: bool,
}

/// How many legal candidates per slot a search should score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Every one, and making the ranking did it already, as when all scores follow from the Gram
    /// matrix.
    Scored,
    /// Every one.
    All,
    /// The best few of the ranking: the paper's K. One that becomes illegal makes room for the
    /// next.
    Top(usize),
    /// As many as could still win, given how far estimates have been off so far.
    Auto,
}

/// Ranks candidate parents.
///
/// Greedy search and ideal parent search differ in this object only. It can serve any other search.
pub trait Selector: Sync {
    /// One ranking per slot of the query, in that order.
    fn rank(&self, query: &Query) -> Vec<Ranking>;

    /// Rankings for many queries at once.
    fn rank_many(&self, queries: &[Query]) -> Vec<Vec<Ranking>> {
        queries.par_iter().map(|query| self.rank(query)).collect()
    }

    /// How many legal candidates per slot a search should score.
    fn budget(&self) -> Budget;

    /// Whether estimates are the exact changes in score, so that nothing needs to be scored to find
    /// the best.
    fn is_exact(&self) -> bool {
        false
    }

    /// Roughly how many operations it takes to rank a slot of a family with so many parents: a
    /// search asks for no more at once than it can afford to wait for.
    fn work(&self, _parents: usize) -> u64 {
        0
    }

    /// How many families are worth handing to another thread.
    fn grain(&self) -> usize {
        64
    }
}

/// Every candidate is scored: plain greedy search over any scorer.
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive {
    width: usize,
}

impl Exhaustive {
    /// Over so many variables.
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

/// Sorts by estimate, best first; estimates within [`TIE`] of a group's best are ordered by index.
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
    fn ties_go_by_index() {
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
