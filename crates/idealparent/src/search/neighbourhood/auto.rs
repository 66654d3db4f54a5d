//! Automatic choice of K from the errors of earlier estimates, and full scans that count its
//! misses.

use serde::{Deserialize, Serialize};

use super::super::moves::with_parent;
use super::Neighbourhood;
use super::pace::{Stop, Stopped, in_pieces};
use crate::ideal::{Budget, Ranking, TIE};

/// Number of errors remembered.
const WINDOW: usize = 1000;

/// Number of errors needed to estimate the slack.
const MIN_ERRORS: usize = 30;

/// The share of errors that the slack covers.
const COVERED: f64 = 0.99;

/// Scans may score one candidate for this many candidates opened.
const SHARE: u64 = 10;

/// A search over at most this many variables makes further scans at its end, until [`MIN_SCANS`]
/// have been made.
const FEW_VARIABLES: usize = 500;
const MIN_SCANS: usize = 3;

/// Number of candidates scored per slot, and how often the best one was missed.
///
/// Part of `Learned`; see section 4.1 of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
pub struct CandidatesUsed {
    /// Mean number of candidates scored per slot: the K used.
    pub mean: f64,
    /// Number of slots whose candidates were all scored, to see what the ranking missed.
    pub scans: u64,
    /// Number of scans that found a better candidate than those scored before.
    pub misses: u64,
}

/// Statistics of the errors of estimates during the search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Auto {
    /// Number of slots ranked.
    pub(super) slots: u64,
    /// Number of candidates opened.
    pub(super) opened: u64,
    /// `(true rise - estimated rise) / (1 + |estimated rise|)` of the last candidates scored.
    errors: Vec<f64>,
    oldest: usize,
    scans: u64,
    misses: u64,
    /// Number of candidates scored by scans.
    scanned: u64,
}

impl Auto {
    /// Whether a search can have produced this state.
    pub(super) fn is_sound(&self) -> bool {
        let finite = self.errors.iter().all(|error| error.is_finite());
        let is_ring = match self.errors.len() {
            WINDOW => self.oldest < WINDOW,
            length => length < WINDOW && self.oldest == 0,
        };
        finite && is_ring
    }

    /// Records the error of an estimate.
    pub(super) fn learn(&mut self, ranking: &Ranking, estimate: f64, gain: f64) {
        // The paper's measures can estimate a fall, whose size is informative as well.
        let rise = estimate - ranking.base;
        let error = (gain - ranking.base - rise) / (1.0 + rise.abs());
        if !error.is_finite() {
            return;
        }
        if self.errors.len() < WINDOW {
            self.errors.push(error);
        } else {
            self.errors[self.oldest] = error;
            self.oldest = (self.oldest + 1) % WINDOW;
        }
    }

    /// By what share of (1 nat + |estimated rise|) a candidate may turn out better than estimated;
    /// `None` while too few errors are known.
    pub(super) fn slack(&self) -> Option<f64> {
        if self.errors.len() < MIN_ERRORS {
            return None;
        }
        let mut errors = self.errors.clone();
        let at = ((errors.len() - 1) as f64 * COVERED) as usize;
        let (_, &mut slack, _) = errors.select_nth_unstable_by(at, f64::total_cmp);
        Some(slack.max(0.0))
    }
}

impl Neighbourhood<'_> {
    /// Number of candidates scored per slot, and how often sampled full scans found a better one.
    pub fn candidates_used(&self) -> CandidatesUsed {
        CandidatesUsed {
            mean: self.auto.opened as f64 / self.auto.slots.max(1) as f64,
            scans: self.auto.scans,
            misses: self.auto.misses,
        }
    }

    /// The current slack; see [`Auto::slack`].
    pub(crate) fn slack(&self) -> Option<f64> {
        self.auto.slack()
    }

    /// Scores every candidate of a child's first slot, as long as scans are a small part of the
    /// work. Misses are counted; otherwise the result is ignored.
    pub(super) fn scan_now_and_then(&mut self, child: usize, stop: Stop) -> Result<(), Stopped> {
        let cost = self.dag.len() as u64;
        if self.auto.scanned + cost > self.auto.opened / SHARE {
            return Ok(());
        }
        self.scan(child, stop)
    }

    /// Makes a few scans at the end of a search that was too short to make them on the way.
    pub fn scan_at_end(&mut self, mut stop: impl FnMut() -> bool) {
        let n = self.dag.len();
        if n > FEW_VARIABLES {
            return;
        }
        let children = (0..n).step_by(n.div_ceil(MIN_SCANS).max(1));
        for child in children {
            if self.auto.scans >= MIN_SCANS as u64 || self.scan(child, &mut stop).is_err() {
                return;
            }
        }
    }

    fn scan(&mut self, child: usize, stop: Stop) -> Result<(), Stopped> {
        if self.selector.budget() != Budget::Auto {
            return Ok(());
        }
        let Some(slot) = self.moves[child].slots.first() else {
            return Ok(());
        };
        let found = slot.best().max(TIE);
        let mut rest = self.dag.parents(child).to_vec();
        rest.retain(|&p| Some(p) != slot.ranking.replaced);
        let candidates: Vec<usize> = self.illegal(child).zeroes().collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let score = |&z: &usize| self.scorer.score(child, &with_parent(&rest, z));
        let scores = in_pieces(&candidates, self.selector.grain(), stop, score)?;
        let best = scores
            .into_iter()
            .flatten()
            .fold(f64::NEG_INFINITY, f64::max);
        self.auto.scanned += candidates.len() as u64;
        self.auto.scans += 1;
        self.auto.misses += u64::from(best - self.families[child] > found + TIE);
        Ok(())
    }
}
