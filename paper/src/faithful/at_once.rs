//! Scores candidates when they are ranked, whether or not they would close a cycle.

use std::sync::atomic::{AtomicU64, Ordering};

use idealparent::ideal::{Budget, Candidate, Query, Ranking, Selector};
use idealparent::score::Scorer;
use idealparent::search::{SearchResult, with_parent};
use rayon::prelude::*;

/// Wraps a selector and scores all candidates that it ranks at once.
///
/// Whether a move is legal then matters only when the move is taken, which is one reading of the
/// queue of section 4.1.
pub struct AtOnce<'a> {
    inner: &'a dyn Selector,
    scorer: &'a dyn Scorer,
    /// See [`AtOnce::scored`].
    scored: AtomicU64,
    candidates: AtomicU64,
    slots: AtomicU64,
}

impl<'a> AtOnce<'a> {
    /// Scores the candidates that `inner` ranks.
    pub fn new(inner: &'a dyn Selector, scorer: &'a dyn Scorer) -> Self {
        AtOnce {
            inner,
            scorer,
            scored: AtomicU64::new(0),
            candidates: AtomicU64::new(0),
            slots: AtomicU64::new(0),
        }
    }

    /// Number of densities scored so far: those that were fitted, and candidates whose gain `inner`
    /// already knew.
    pub fn scored(&self) -> u64 {
        self.scored.load(Ordering::Relaxed)
    }

    /// Corrects the counts of a search with this selector. The search itself only counts legal
    /// candidates.
    pub fn correct(&self, found: &mut SearchResult) {
        let scored = self.scored();
        let counted = &mut found.evaluations;
        counted.all = counted.all - counted.add_replace + scored;
        counted.add_replace = scored;
        let candidates = self.candidates.load(Ordering::Relaxed);
        let slots = self.slots.load(Ordering::Relaxed);
        found.candidates.mean = candidates as f64 / slots.max(1) as f64;
    }

    fn score(&self, query: &Query, ranking: &mut Ranking) {
        let Some(current) = self.scorer.score(query.child, query.parents) else {
            return;
        };
        let replaced = ranking.replaced;
        let score = |candidate: &mut Candidate| {
            if !candidate.gain.is_nan() {
                return 1;
            }
            let mut family = with_parent(query.parents, candidate.parent);
            family.retain(|&p| Some(p) != replaced);
            let (score, fresh) = self.scorer.score_counted(query.child, &family);
            candidate.gain = score.map_or(f64::NEG_INFINITY, |score| score - current);
            fresh as u64
        };
        let scored: u64 = ranking.candidates.par_iter_mut().map(score).sum();
        self.scored.fetch_add(scored, Ordering::Relaxed);
        let count = ranking.candidates.len() as u64;
        self.candidates.fetch_add(count, Ordering::Relaxed);
        self.slots.fetch_add(1, Ordering::Relaxed);
    }
}

impl Selector for AtOnce<'_> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let mut all = self.rank_many(std::slice::from_ref(query));
        all.pop().expect("one answer per query")
    }

    fn rank_many(&self, queries: &[Query]) -> Vec<Vec<Ranking>> {
        let mut rankings = self.inner.rank_many(queries);
        let pairs = queries.par_iter().zip(&mut rankings);
        pairs.for_each(|(query, of_query)| {
            let each = of_query.par_iter_mut();
            each.for_each(|ranking| self.score(query, ranking));
        });
        rankings
    }

    fn budget(&self) -> Budget {
        self.inner.budget()
    }

    fn work(&self, parents: usize) -> u64 {
        self.inner.work(parents)
    }

    fn grain(&self) -> usize {
        self.inner.grain()
    }
}
