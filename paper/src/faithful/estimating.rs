//! Exact changes in score taken for mere estimates.

use idealparent::ideal::{Budget, Query, Ranking, Selector};

/// Another selector whose exact changes are estimates only, since it looks at other data than the search.
#[derive(Clone, Debug)]
pub struct Estimating<S> {
    inner: S,
}

impl<S: Selector> Estimating<S> {
    /// Ranks as `inner` does.
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
            // Nothing was scored where the search would have it scored.
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
