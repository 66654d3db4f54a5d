//! Candidates of one slot: which are open, and which were opened before.

use std::collections::HashMap;

use crate::graph::Reach;
use crate::ideal::{Ranking, TIE};

/// How many legal candidates of a slot are to be open, with known gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quota {
    /// Every one in the ranking, which must hold this many unless there are fewer.
    All { at_least: usize },
    /// The first so many.
    Top(usize),
    /// The first so many for now; whether there will be more depends on the candidate after them.
    Auto(usize),
}

impl Quota {
    /// Largest number of candidates that are open at once.
    pub(super) fn most(self) -> usize {
        match self {
            Quota::All { .. } => usize::MAX,
            Quota::Top(k) | Quota::Auto(k) => k,
        }
    }
}

/// What the selector was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// How many candidates.
    pub(super) count: usize,
    /// Only those that were legal then.
    pub(super) only_legal: bool,
}

/// Candidates for one slot.
#[derive(Clone, Debug)]
pub(super) struct SlotMoves {
    pub(super) ranking: Ranking,
    pub(super) asked: Asked,
    pub(super) quota: Quota,
    /// Positions of the open candidates.
    open: Vec<u32>,
    /// Position of the legal candidate after those.
    next: Option<u32>,
    /// Which candidates were opened since the family last changed, and so are counted; parallel to
    /// the ranking.
    counted: Vec<bool>,
    /// Gains of candidates that were opened and counted, but are not in the ranking now.
    aside: HashMap<usize, f64>,
    /// The ranking must be made anew.
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
            aside: HashMap::new(),
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

    /// Whether the ranking is too short for what is to be open.
    pub(super) fn is_short(&self) -> bool {
        let lacks = match self.quota {
            Quota::All { at_least } => self.open.len() < at_least,
            Quota::Top(k) => self.open.len() < k,
            Quota::Auto(k) => self.open.len() < k || self.next.is_none(),
        };
        lacks && !self.ranking.complete
    }

    /// Whether there is a next candidate, and it could still win: then one more is to be open.
    /// `slack` is by what share of (1 nat + its estimated rise) a candidate may turn out better
    /// than estimated; `None` while unknown.
    pub(super) fn deepen(&mut self, slack: Option<f64>) -> bool {
        let (Quota::Auto(depth), Some(next)) = (self.quota, self.next) else {
            return false;
        };
        let next = self.ranking.candidates[next as usize];
        let hopeful = match slack {
            None => depth < 2,
            Some(slack) => {
                let rise = next.estimate - self.ranking.base;
                self.ranking.base + rise + slack * (1.0 + rise.abs()) > self.best().max(TIE)
            }
        };
        if hopeful {
            self.quota = Quota::Auto(depth + 1);
        }
        hopeful
    }

    /// Counts the open candidates that were not open before; their positions.
    pub(super) fn newly_opened(&mut self) -> Vec<u32> {
        let counted = &mut self.counted;
        let is_new = |at: &&u32| !std::mem::replace(&mut counted[**at as usize], true);
        self.open.iter().filter(is_new).copied().collect()
    }

    /// How deep it is open, and which candidates were opened since the family last changed.
    pub(super) fn past(&self) -> (usize, Vec<usize>) {
        let all = self.ranking.candidates.iter().zip(&self.counted);
        let known = all.filter(|(_, counted)| **counted).map(|(c, _)| c.parent);
        let mut opened: Vec<usize> = known.chain(self.aside.keys().copied()).collect();
        opened.sort_unstable();
        (self.quota.most(), opened)
    }

    /// As it was when [`SlotMoves::past`] was asked; `gain` scores a candidate.
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
        self.aside = missing.into_iter().map(|z| (z, gain(z))).collect();
    }

    /// Takes over what an older ranking of the same family knows.
    pub(super) fn remember(&mut self, old: &mut SlotMoves) {
        self.quota = old.quota;
        self.aside = std::mem::take(&mut old.aside);
        let all = old.ranking.candidates.iter().zip(&old.counted);
        let known = all.filter(|(_, counted)| **counted);
        self.aside
            .extend(known.map(|(candidate, _)| (candidate.parent, candidate.gain)));
        let own = self.ranking.candidates.iter_mut().zip(&mut self.counted);
        for (candidate, counted) in own {
            if let Some(gain) = self.aside.remove(&candidate.parent) {
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

    /// How many open candidates do not depend on how long the ranking happens to be: of one that
    /// scored all, as many as are certain to be in it.
    pub(super) fn certain(&self) -> usize {
        match self.quota {
            Quota::All { at_least } if at_least > 1 => at_least,
            _ => usize::MAX,
        }
    }
}
