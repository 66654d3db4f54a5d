//! Choosing the candidates that deserve a full score: a black box for any search (section 4.1).

use fixedbitset::FixedBitSet;

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
}

/// A candidate parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The variable.
    pub parent: usize,
    /// Estimated change in log-likelihood, penalty not counted.
    pub estimate: f64,
    /// Exact change in score where the selector knows it, else NaN.
    pub gain: f64,
}

/// Candidates for one slot, best first; ties within [`TIE`] by index.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The parent whose place the candidates would take; `None`: they would be added.
    pub replaced: Option<usize>,
    /// Best first.
    pub candidates: Vec<Candidate>,
    /// Whether no further candidate could be of use.
    pub complete: bool,
}

/// Ranks candidate parents.
///
/// Greedy search and ideal parent search differ in this object only. It can serve any other search.
pub trait Selector: Sync {
    /// One ranking per slot of the query, in that order.
    fn rank(&self, query: &Query) -> Vec<Ranking>;

    /// How many legal candidates per slot a search should score: the paper's K.
    fn quota(&self) -> usize;

    /// Whether making a ranking scores every candidate, as when all scores follow from the Gram matrix.
    fn scores_all(&self) -> bool {
        false
    }
}

/// Every candidate is scored: plain greedy search over any scorer.
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive {
    /// Number of variables.
    pub width: usize,
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
            candidates: candidates.clone(),
            complete: true,
        };
        query.slots.iter().map(ranking).collect()
    }

    fn quota(&self) -> usize {
        usize::MAX
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
