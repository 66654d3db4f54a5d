//! Candidates of one slot. Open candidates are legal, have known gains and are offered as moves.

use std::collections::HashMap;

use crate::graph::Reach;
use crate::ideal::{Ranking, TIE};

/// Number of legal candidates of a slot that should be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quota {
    /// All candidates in the ranking, which must contain this many unless there are fewer.
    All { at_least: usize },
    /// The first K.
    Top(usize),
    /// The first K for now; whether more are opened depends on the candidate after them.
    Auto(usize),
}

impl Quota {
    /// Largest number of candidates open at the same time.
    pub(super) fn most(self) -> usize {
        match self {
            Quota::All { .. } => usize::MAX,
            Quota::Top(k) | Quota::Auto(k) => k,
        }
    }
}

/// A request to the selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Number of candidates.
    pub(super) count: usize,
    /// Whether only candidates that were legal at that time were requested.
    pub(super) only_legal: bool,
}

/// Candidates for one slot.
#[derive(Clone, Debug)]
pub(super) struct SlotMoves {
    pub(super) ranking: Ranking,
    pub(super) asked: Asked,
    pub(super) quota: Quota,
    /// Positions of the open candidates in the ranking.
    open: Vec<u32>,
    /// Position of the first legal candidate after the open ones.
    next: Option<u32>,
    /// Whether each candidate of the ranking was opened since the family last changed, and so has
    /// been counted.
    counted: Vec<bool>,
    /// Gains of candidates that were opened and counted but are not in the current ranking.
    unlisted: HashMap<usize, f64>,
    /// Whether the ranking must be computed again.
    pub(super) stale: bool,
}

impl SlotMoves {
    pub(super) fn new(ranking: Ranking, asked: Asked, quota: Quota) -> Self {
        SlotMoves {
            counted: vec![false; ranking.candidates.len()],
            ranking,
            asked,
            quota,
            open: Vec::new(),
            next: None,
            unlisted: HashMap::new(),
            stale: false,
        }
    }

    /// Opens the first candidates that close no cycle.
    pub(super) fn reopen(&mut self, reach: &Reach, child: usize) {
        let below = reach.descendants(child);
        let most = self.quota.most();
        self.open.clear();
        self.next = None;
        for (position, candidate) in self.ranking.candidates.iter().enumerate() {
            if below.contains(candidate.parent) {
                continue;
            }
            if self.open.len() >= most {
                self.next = Some(position as u32);
                break;
            }
            self.open.push(position as u32);
        }
    }

    /// Whether the ranking has too few legal candidates for the quota and is not complete.
    pub(super) fn is_short(&self) -> bool {
        let lacks = match self.quota {
            Quota::All { at_least } => self.open.len() < at_least,
            Quota::Top(k) => self.open.len() < k,
            Quota::Auto(k) => self.open.len() < k || self.next.is_none(),
        };
        lacks && !self.ranking.complete
    }

    /// Raises the quota by one if there is a next candidate that could still win; returns whether
    /// it did. `slack` is by what share of (1 nat + |estimated rise|) a candidate may turn out
    /// better than estimated; `None` while unknown.
    pub(super) fn deepen(&mut self, slack: Option<f64>) -> bool {
        let (Quota::Auto(depth), Some(next)) = (self.quota, self.next) else {
            return false;
        };
        let next = self.ranking.candidates[next as usize];
        let could_win = match slack {
            None => depth < 2,
            Some(slack) => {
                let rise = next.estimate - self.ranking.base;
                self.ranking.base + rise + slack * (1.0 + rise.abs()) > self.best().max(TIE)
            }
        };
        if could_win {
            self.quota = Quota::Auto(depth + 1);
        }
        could_win
    }

    /// Marks the open candidates as counted. Returns the positions of those that had not been
    /// counted before.
    pub(super) fn newly_opened(&mut self) -> Vec<u32> {
        let counted = &mut self.counted;
        let is_new = |at: &&u32| !std::mem::replace(&mut counted[**at as usize], true);
        self.open.iter().filter(is_new).copied().collect()
    }

    /// The number of candidates to be open, and the candidates opened since the family last
    /// changed.
    pub(super) fn past(&self) -> (usize, Vec<usize>) {
        let all = self.ranking.candidates.iter().zip(&self.counted);
        let known = all.filter(|(_, counted)| **counted).map(|(c, _)| c.parent);
        let mut opened: Vec<usize> = known.chain(self.unlisted.keys().copied()).collect();
        opened.sort_unstable();
        (self.quota.most(), opened)
    }

    /// Restores what [`SlotMoves::past`] returned; `gain` scores a candidate.
    pub(super) fn recall(&mut self, depth: usize, opened: &[usize], gain: impl Fn(usize) -> f64) {
        if let Quota::Auto(own) = &mut self.quota {
            *own = depth;
        }
        let own = self.ranking.candidates.iter_mut().zip(&mut self.counted);
        let mut missing: Vec<usize> = opened.to_vec();
        for (candidate, counted) in own {
            if let Ok(at) = missing.binary_search(&candidate.parent) {
                missing.remove(at);
                *counted = true;
                if candidate.gain.is_nan() {
                    candidate.gain = gain(candidate.parent);
                }
            }
        }
        self.unlisted = missing.into_iter().map(|z| (z, gain(z))).collect();
    }

    /// Takes over the quota and the known gains of an older ranking of the same family.
    pub(super) fn remember(&mut self, old: &mut SlotMoves) {
        self.quota = old.quota;
        self.unlisted = std::mem::take(&mut old.unlisted);
        let all = old.ranking.candidates.iter().zip(&old.counted);
        let known = all.filter(|(_, counted)| **counted);
        self.unlisted
            .extend(known.map(|(candidate, _)| (candidate.parent, candidate.gain)));
        let own = self.ranking.candidates.iter_mut().zip(&mut self.counted);
        for (candidate, counted) in own {
            if let Some(gain) = self.unlisted.remove(&candidate.parent) {
                candidate.gain = gain;
                *counted = true;
            }
        }
    }

    pub(super) fn best(&self) -> f64 {
        let gain = |&position: &u32| self.ranking.candidates[position as usize].gain;
        self.open.iter().map(gain).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Open candidates and their gains.
    pub(super) fn open_candidates(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let candidate = |&position: &u32| self.ranking.candidates[position as usize];
        self.open.iter().map(candidate).map(|c| (c.parent, c.gain))
    }

    /// Number of open candidates that do not depend on the length of the ranking. If the ranking
    /// scored all candidates, these are the ones certain to be in it.
    pub(super) fn certain(&self) -> usize {
        match self.quota {
            Quota::All { at_least } if at_least > 1 => at_least,
            _ => usize::MAX,
        }
    }
}
