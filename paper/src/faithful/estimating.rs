//! Treats a selector's exact changes in score as estimates.

use idealparent::ideal::{Budget, Query, Ranking, Selector};

/// Wraps a selector whose exact changes do not hold for the search, for example because it ranks by
/// other data. They are cleared, so that the search scores the candidates itself.
#[derive(Clone, Debug)]
pub struct Estimating<S> {
    inner: S,
}

impl<S: Selector> Estimating<S> {
    /// Ranks in the same order as `inner`.
    pub fn new(inner: S) -> Self {
        Estimating { inner }
    }
}

impl<S: Selector> Selector for Estimating<S> {
    fn rank(&self, query: &Query) -> Vec<Ranking> {
        let mut rankings = self.inner.rank(query);
        let all = rankings.iter_mut().flat_map(|r| r.candidates.iter_mut());
        all.for_each(|candidate| candidate.gain = f64::NAN);
        rankings
    }

    fn budget(&self) -> Budget {
        match self.inner.budget() {
            // The gains were cleared, so nothing is scored yet.
            Budget::Scored => Budget::All,
            other => other,
        }
    }

    fn work(&self, parents: usize) -> u64 {
        self.inner.work(parents)
    }

    fn grain(&self) -> usize {
        self.inner.grain()
    }
}
