//! The paper's queue: K candidates are chosen when a family changes, and stay until it changes
//! again (section 4.1).

use fixedbitset::FixedBitSet;
use idealparent::ideal::{Budget, Query, Ranking, Selector};

/// The best K candidates of another selector's ranking.
///
/// The library's search replaces a candidate that would close a cycle with the next one in the
/// ranking. The paper does not mention this, so a queue does not replace it.
pub struct Queue<'a> {
    inner: &'a dyn Selector,
    size: usize,
    /// Whether only legal candidates are chosen.
    legal: bool,
}

impl<'a> Queue<'a> {
    /// The best K candidates that are legal when the family changes.
    pub fn of_legal(inner: &'a dyn Selector, size: usize) -> Self {
        Queue {
            inner,
            size,
            legal: true,
        }
    }

    /// The best K candidates, legal or not.
    pub fn of_all(inner: &'a dyn Selector, size: usize) -> Self {
        Queue {
            inner,
            size,
            legal: false,
        }
    }

    fn cut(&self, mut ranking: Ranking) -> Ranking {
        ranking.candidates.truncate(self.size);
        ranking.complete = true;
        ranking
    }
}

impl Selector for Queue<'_> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let mut all = self.rank_many(std::slice::from_ref(query));
        all.pop().expect("one answer per query")
    }

    fn rank_many(&self, queries: &[Query]) -> Vec<Vec<Ranking>> {
        let excluded: Vec<FixedBitSet> = queries
            .iter()
            .map(|query| {
                let mut excluded = query.excluded.clone();
                if let (true, Some(illegal)) = (self.legal, query.closes_cycle) {
                    excluded.union_with(illegal);
                }
                excluded
            })
            .collect();
        let pairs = queries.iter().zip(&excluded);
        let narrowed: Vec<Query> = pairs
            .map(|(query, excluded)| Query {
                excluded,
                wanted: self.size,
                ..*query
            })
            .collect();
        let rankings = self.inner.rank_many(&narrowed).into_iter();
        rankings
            .map(|of_query| of_query.into_iter().map(|r| self.cut(r)).collect())
            .collect()
    }

    fn budget(&self) -> Budget {
        Budget::Top(self.size)
    }

    fn work(&self, parents: usize) -> u64 {
        self.inner.work(parents)
    }

    fn grain(&self) -> usize {
        self.inner.grain()
    }
}
