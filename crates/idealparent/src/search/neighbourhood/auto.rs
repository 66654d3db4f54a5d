//! Choosing K by itself: how far estimates have been off, and what a full scan would have found.

use serde::{Deserialize, Serialize};

use super::super::moves::with_parent;
use super::Neighbourhood;
use super::pace::{Stop, Stopped, in_pieces};
use crate::ideal::{Budget, Ranking, TIE};

/// Errors remembered.
const WINDOW: usize = 1000;

/// Fewer errors than this say nothing.
const ENOUGH: usize = 30;

/// The share of errors that the slack covers.
const COVERED: f64 = 0.99;

/// Of so many candidates opened, one may be scored by a scan.
const SHARE: u64 = 10;

/// With no more variables than this a search makes at least [`FEW`] scans.
const SMALL: usize = 500;
const FEW: usize = 3;

/// How many candidates were scored per slot, and what was missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CandidatesUsed {
    /// Mean number of candidates scored per slot: the K used.
    pub mean: f64,
    /// Slots of which every candidate was scored, to see what the ranking missed.
    pub scans: u64,
    /// Scans that found a better candidate than those scored.
    pub misses: u64,
}

/// What the search learned about estimates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Auto {
    /// Slots ranked.
    pub(super) slots: u64,
    /// Candidates scored.
    pub(super) opened: u64,
    /// `(true rise - estimated rise) / (1 + |estimated rise|)` of the last candidates.
    errors: Vec<f64>,
    oldest: usize,
    scans: u64,
    misses: u64,
    /// Candidates scored by scans.
    scanned: u64,
}

impl Auto {
    /// Whether it can have come about.
    pub(super) fn is_sound(&self) -> bool {
        let finite = self.errors.iter().all(|error| error.is_finite());
        let turns = match self.errors.len() {
            WINDOW => self.oldest < WINDOW,
            length => length < WINDOW && self.oldest == 0,
        };
        finite && turns
    }

    /// Remembers how far an estimate was off.
    pub(super) fn learn(&mut self, ranking: &Ranking, estimate: f64, gain: f64) {
        // The paper's measures may well estimate a fall, and how deep a fall says something too.
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

    /// By what share of (1 nat + its estimated rise) a candidate may turn out better than
    /// estimated; `None` while too little is known.
    pub(super) fn slack(&self) -> Option<f64> {
        if self.errors.len() < ENOUGH {
            return None;
        }
        let mut errors = self.errors.clone();
        let at = ((errors.len() - 1) as f64 * COVERED) as usize;
        let (_, &mut slack, _) = errors.select_nth_unstable_by(at, f64::total_cmp);
        Some(slack.max(0.0))
    }
}

impl Neighbourhood<'_> {
    /// How many candidates were scored per slot, and what sampled full scans say was missed.
    pub fn candidates_used(&self) -> CandidatesUsed {
        CandidatesUsed {
            mean: self.auto.opened as f64 / self.auto.slots.max(1) as f64,
            scans: self.auto.scans,
            misses: self.auto.misses,
        }
    }

    /// As [`Auto::slack`].
    pub(crate) fn slack(&self) -> Option<f64> {
        self.auto.slack()
    }

    /// Scores every candidate of a child's first slot, as long as scans are a small part of all the
    /// work. What they find is counted and otherwise ignored.
    pub(super) fn scan_now_and_then(&mut self, child: usize, stop: Stop) -> Result<(), Stopped> {
        let cost = self.dag.len() as u64;
        if self.auto.scanned + cost > self.auto.opened / SHARE {
            return Ok(());
        }
        self.scan(child, stop)
    }

    /// A few scans for searches too short to have had them on the way; to be called when a search
    /// has ended.
    pub fn scan_at_end(&mut self, mut stop: impl FnMut() -> bool) {
        let n = self.dag.len();
        if n > SMALL {
            return;
        }
        let children = (0..n).step_by(n.div_ceil(FEW).max(1));
        for child in children {
            if self.auto.scans >= FEW as u64 || self.scan(child, &mut stop).is_err() {
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
