//! Candidates for new parents: ranked by the selector, opened while legal, scored when opened.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::moves::{MoveKind, with_parent};
use super::Neighbourhood;
use crate::graph::Reach;
use crate::ideal::{Query, Ranking};

/// How many candidates beyond the quota a slot keeps ready.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserve {
    /// Asked for beyond the quota, in case some are or become illegal.
    spare: usize,
    /// A slot that runs out of legal candidates asks for four times as many; beyond this many it asks for
    /// legal ones only.
    longest: usize,
}

impl Default for Reserve {
    fn default() -> Self {
        Reserve {
            spare: 14,
            longest: 1024,
        }
    }
}

/// Candidates for one slot.
#[derive(Clone, Debug)]
pub(super) struct SlotMoves {
    pub(super) ranking: Ranking,
    /// Positions of the first K legal candidates, all with known gains.
    open: Vec<u32>,
    /// Which candidates were opened since the family last changed, and so are counted; parallel to the ranking.
    counted: Vec<bool>,
    /// Gains of candidates that were opened and counted, but are not in the ranking now.
    aside: HashMap<usize, f64>,
    /// How many candidates the selector was asked for.
    asked: usize,
    /// The ranking must be made anew.
    pub(super) stale: bool,
    /// The ranking holds only what was legal when it was made.
    pub(super) only_legal: bool,
}

impl Neighbourhood<'_> {
    /// Changes how many candidates slots keep ready: the moves do not depend on it, only their cost.
    #[doc(hidden)]
    pub fn with_reserve(mut self, spare: usize, longest: usize) -> Self {
        self.reserve = Reserve { spare, longest };
        self
    }

    /// Fresh rankings for all slots of these children.
    pub(super) fn rank(&mut self, children: &[usize]) {
        let wanted = self.asks();
        let fresh: Vec<Vec<SlotMoves>> = children
            .par_iter()
            .map(|&child| self.ranked(child, &self.slots_of(child), wanted, false))
            .collect();
        for (&child, slots) in children.iter().zip(fresh) {
            if self.selector.scores_all() {
                let legal = self.legal_candidates(child);
                self.evaluations.add_replace(legal * slots.len());
            }
            self.moves[child].slots = slots;
        }
    }

    fn legal_candidates(&self, child: usize) -> usize {
        let mut illegal = self.constraints.banned(child).clone();
        illegal.union_with(self.reach.descendants(child));
        illegal.insert(child);
        illegal.extend(self.dag.parents(child).iter().copied());
        self.dag.len() - illegal.count_ones(..)
    }

    fn asks(&self) -> usize {
        // With every candidate scored only the best legal one matters.
        match self.selector.quota() {
            usize::MAX => 2 * self.reserve.spare,
            quota => quota.saturating_add(self.reserve.spare),
        }
    }

    fn slots_of(&self, child: usize) -> Vec<Option<usize>> {
        let parents = self.dag.parents(child);
        let mut slots = Vec::with_capacity(parents.len() + 1);
        if self.allowed.allows(MoveKind::Add) && parents.len() < self.constraints.max_parents() {
            slots.push(None);
        }
        if self.allowed.allows(MoveKind::Replace) {
            let free = |&&p: &&usize| !self.constraints.is_required(p, child);
            slots.extend(parents.iter().filter(free).map(|&p| Some(p)));
        }
        slots
    }

    fn ranked(
        &self,
        child: usize,
        slots: &[Option<usize>],
        wanted: usize,
        only_legal: bool,
    ) -> Vec<SlotMoves> {
        let mut excluded = self.constraints.banned(child).clone();
        excluded.insert(child);
        if only_legal {
            excluded.union_with(self.reach.descendants(child));
        }
        let query = Query {
            child,
            parents: self.dag.parents(child),
            slots,
            wanted,
            excluded: &excluded,
        };
        let slot = |ranking: Ranking| SlotMoves {
            counted: vec![false; ranking.candidates.len()],
            aside: HashMap::new(),
            ranking,
            open: Vec::new(),
            asked: wanted,
            stale: false,
            only_legal,
        };
        self.selector.rank(&query).into_iter().map(slot).collect()
    }

    /// Opens the first K legal candidates of every slot of these children and scores the new ones.
    pub(super) fn open(&mut self, children: &[usize]) {
        let quota = self.selector.quota();
        // With every candidate scored, one legal candidate is enough: the list is in order of gain.
        let needed = if quota == usize::MAX { 1 } else { quota };
        let mut short = Vec::new();
        for &child in children {
            for (s, slot) in self.moves[child].slots.iter_mut().enumerate() {
                slot.reopen(&self.reach, child, quota);
                if slot.stale || (!slot.ranking.complete && slot.open.len() < needed) {
                    short.push((child, s));
                }
            }
        }
        self.refill(&short, quota, needed);
        let mut unscored = Vec::new();
        let mut opened = 0;
        for &child in children {
            for (s, slot) in self.moves[child].slots.iter_mut().enumerate() {
                for &position in &slot.open {
                    let at = position as usize;
                    if std::mem::replace(&mut slot.counted[at], true) {
                        continue;
                    }
                    if slot.ranking.candidates[at].gain.is_nan() {
                        unscored.push((child, s, position));
                    } else if !self.selector.scores_all() {
                        opened += 1;
                    }
                }
            }
        }
        self.evaluations.add_replace(opened);
        self.score_candidates(&unscored);
        for &child in children {
            self.bound(child);
        }
    }

    /// New rankings for slots that ran out of legal candidates.
    fn refill(&mut self, short: &[(usize, usize)], quota: usize, needed: usize) {
        let fresh: Vec<SlotMoves> = short
            .par_iter()
            .with_min_len(4)
            .map(|&(child, s)| {
                let old = &self.moves[child].slots[s];
                let slots = [old.ranking.replaced];
                let mut asked = if old.only_legal {
                    self.asks()
                } else {
                    old.asked
                };
                loop {
                    asked *= 4;
                    let only_legal = asked > self.reserve.longest;
                    let wanted = if only_legal { self.asks() } else { asked };
                    let ranked = self.ranked(child, &slots, wanted, only_legal);
                    let mut slot = ranked.into_iter().next().expect("one ranking per slot");
                    slot.reopen(&self.reach, child, quota);
                    if only_legal || slot.ranking.complete || slot.open.len() >= needed {
                        return slot;
                    }
                }
            })
            .collect();
        for (&(child, s), mut slot) in short.iter().zip(fresh) {
            let old = &mut self.moves[child].slots[s];
            slot.remember(old);
            *old = slot;
        }
    }

    fn score_candidates(&mut self, unscored: &[(usize, usize, u32)]) {
        let score = |&(child, s, position): &(usize, usize, u32)| {
            let ranking = &self.moves[child].slots[s].ranking;
            let candidate = ranking.candidates[position as usize].parent;
            let mut family = with_parent(self.dag.parents(child), candidate);
            if let Some(dropped) = ranking.replaced {
                family.retain(|&p| p != dropped);
            }
            let (score, fresh) = self.scorer.score_counted(child, &family);
            let current = self.families[child].expect("the current family is fitted");
            (score.map_or(f64::NEG_INFINITY, |s| s - current), fresh)
        };
        let scores: Vec<(f64, bool)> = unscored.par_iter().with_min_len(8).map(score).collect();
        for (&(child, s, position), (gain, fresh)) in unscored.iter().zip(scores) {
            let slot = &mut self.moves[child].slots[s];
            let candidate = &mut slot.ranking.candidates[position as usize];
            candidate.gain = gain;
            self.evaluations.add_replace(usize::from(fresh));
        }
    }
}

impl SlotMoves {
    /// Opens the first `quota` candidates that close no cycle.
    fn reopen(&mut self, reach: &Reach, child: usize, quota: usize) {
        let below = reach.descendants(child);
        self.open.clear();
        for (position, candidate) in self.ranking.candidates.iter().enumerate() {
            if self.open.len() >= quota {
                break;
            }
            if !below.contains(candidate.parent) {
                self.open.push(position as u32);
            }
        }
    }

    /// Takes over what an older ranking of the same family knows.
    fn remember(&mut self, old: &mut SlotMoves) {
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

    /// Open candidates that gain at least this much.
    pub(super) fn at_least(&self, least: f64) -> impl Iterator<Item = usize> + '_ {
        let candidate = |&position: &u32| self.ranking.candidates[position as usize];
        let open = self.open.iter().map(candidate);
        open.filter(move |c| c.gain >= least).map(|c| c.parent)
    }
}
