//! Candidates for new parents: ranked by the selector, opened while legal, scored when opened.

use fixedbitset::FixedBitSet;

use super::super::moves::{MoveKind, with_parent};
use super::Neighbourhood;
use super::pace::{Stop, Stopped, in_pieces};
use super::slots::{Asked, Quota, SlotMoves};
use crate::ideal::{Budget, Query, Ranking};

/// Number of candidates beyond the quota that a slot keeps ready.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserve {
    /// Number of candidates requested beyond the quota, in case some are or become illegal.
    spare: usize,
    /// A slot that runs out of legal candidates requests four times as many; above this number it
    /// requests legal ones only.
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

/// Number of candidates of a slot to choose from if all are scored and losing moves are of
/// interest.
const LISTED: usize = 8;

/// Number of operations that rankings computed at once may take: a few tenths of a second.
const MAX_OPERATIONS: u64 = 8_000_000_000;

/// A request to the selector.
struct Wanted<'a> {
    child: usize,
    slots: &'a [Option<usize>],
    asked: Asked,
}

impl Neighbourhood<'_> {
    /// Changes how many candidates slots keep ready. This affects the cost of the moves, not the
    /// moves.
    #[doc(hidden)]
    pub fn with_reserve(mut self, spare: usize, longest: usize) -> Self {
        self.reserve = Reserve { spare, longest };
        self
    }

    /// Computes new rankings for all slots of these children.
    pub(super) fn rank(&mut self, children: &[usize], stop: Stop) -> Result<(), Stopped> {
        let asked = Asked {
            count: self.asks(),
            only_legal: false,
        };
        let slots: Vec<Vec<Option<usize>>> = children.iter().map(|&v| self.slots_of(v)).collect();
        let mut wanted = Vec::with_capacity(children.len());
        for (&child, slots) in children.iter().zip(&slots) {
            let work = self.selector.work(self.dag.parents(child).len()).max(1);
            // One child's slots may be too much work for one piece.
            let together = (MAX_OPERATIONS / work).max(1) as usize;
            wanted.extend(slots.chunks(together).map(|slots| Wanted {
                child,
                slots,
                asked,
            }));
        }
        let fresh = self.ranked(&wanted, stop)?;
        for &child in children {
            self.moves[child].slots.clear();
        }
        for (wanted, slots) in wanted.iter().zip(fresh) {
            if self.selector.budget() == Budget::Scored {
                let legal = self.dag.len() - self.illegal(wanted.child).count_ones(..);
                self.evaluations.add_replace(legal * slots.len());
            }
            self.auto.slots += slots.len() as u64;
            self.moves[wanted.child].slots.extend(slots);
        }
        Ok(())
    }

    /// Number of candidates of a slot that should be open.
    fn quota(&self) -> Quota {
        let offers_losses = self.least_gain == f64::NEG_INFINITY;
        match self.selector.budget() {
            // The best one is enough, unless losing moves are of interest.
            Budget::Scored if offers_losses => Quota::All { at_least: LISTED },
            Budget::Scored | Budget::All => Quota::All { at_least: 1 },
            Budget::Top(k) => Quota::Top(k),
            Budget::Auto => Quota::Auto(0),
        }
    }

    fn asks(&self) -> usize {
        match self.selector.budget() {
            // Every candidate is scored, and only the best legal one matters, so there is no quota
            // to add. With twice the usual reserve, it is rare that all candidates in the list are
            // illegal and a new ranking is needed.
            Budget::Scored | Budget::All => 2 * self.reserve.spare,
            Budget::Top(k) => k.saturating_add(self.reserve.spare),
            Budget::Auto => self.reserve.spare.saturating_add(2),
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

    /// Computes rankings in pieces. Pieces are cut by their work and not by the clock, because the
    /// rounding of a matrix product may depend on what else is in it.
    fn ranked(&self, wanted: &[Wanted], stop: Stop) -> Result<Vec<Vec<SlotMoves>>, Stopped> {
        let work = |w: &Wanted| {
            let parents = self.dag.parents(w.child).len();
            w.slots.len() as u64 * self.selector.work(parents)
        };
        let mut all = Vec::with_capacity(wanted.len());
        while all.len() < wanted.len() {
            if stop() {
                return Err(Stopped);
            }
            let rest = &wanted[all.len()..];
            let mut sum = 0;
            let fits = |w: &&Wanted| {
                sum += work(w);
                sum <= MAX_OPERATIONS
            };
            let length = rest.iter().take_while(fits).count().max(1);
            all.extend(self.ranked_at_once(&rest[..length]));
        }
        Ok(all)
    }

    fn ranked_at_once(&self, wanted: &[Wanted]) -> Vec<Vec<SlotMoves>> {
        let excluded: Vec<FixedBitSet> = wanted
            .iter()
            .map(|w| {
                let mut excluded = self.constraints.banned(w.child).clone();
                excluded.insert(w.child);
                if w.asked.only_legal {
                    excluded.union_with(self.reach.descendants(w.child));
                }
                excluded
            })
            .collect();
        let queries: Vec<Query> = wanted
            .iter()
            .zip(&excluded)
            .map(|(w, excluded)| Query {
                child: w.child,
                parents: self.dag.parents(w.child),
                slots: w.slots,
                wanted: w.asked.count,
                excluded,
                closes_cycle: Some(self.reach.descendants(w.child)),
                least_gain: match self.selector.budget() {
                    Budget::Scored => self.least_gain,
                    // K candidates are scored, however low their estimates.
                    _ => f64::NEG_INFINITY,
                },
            })
            .collect();
        let rankings = self.selector.rank_many(&queries);
        let slots = |(w, rankings): (&Wanted, Vec<Ranking>)| {
            let slot = |ranking| SlotMoves::new(ranking, w.asked, self.quota());
            rankings.into_iter().map(slot).collect()
        };
        wanted.iter().zip(rankings).map(slots).collect()
    }

    /// Opens the first K legal candidates of every slot of these children and scores the new ones.
    pub(super) fn open(&mut self, children: &[usize], stop: Stop) -> Result<(), Stopped> {
        self.open_to_depth(children, stop)?;
        if self.selector.budget() == Budget::Auto {
            loop {
                let slack = self.auto.slack();
                let mut deeper = Vec::new();
                for &child in children {
                    // No short-circuit: every slot is deepened if it can be.
                    let mut is_deeper = false;
                    for slot in &mut self.moves[child].slots {
                        is_deeper |= slot.deepen(slack);
                    }
                    if is_deeper {
                        deeper.push(child);
                    }
                }
                if deeper.is_empty() {
                    break;
                }
                self.open_to_depth(&deeper, stop)?;
            }
        }
        for &child in children {
            self.bound(child);
        }
        Ok(())
    }

    pub(super) fn open_to_depth(&mut self, children: &[usize], stop: Stop) -> Result<(), Stopped> {
        let mut short = Vec::new();
        for &child in children {
            for (s, slot) in self.moves[child].slots.iter_mut().enumerate() {
                slot.reopen(&self.reach, child);
                if slot.stale || slot.is_short() {
                    short.push((child, s));
                }
            }
        }
        self.refill(short, stop)?;
        self.score_opened(children, stop)
    }

    /// Scores the open candidates whose gain is not known yet.
    fn score_opened(&mut self, children: &[usize], stop: Stop) -> Result<(), Stopped> {
        let scored = self.selector.budget() == Budget::Scored;
        let mut unscored = Vec::new();
        let mut opened = 0;
        for &child in children {
            for (s, slot) in self.moves[child].slots.iter_mut().enumerate() {
                for at in slot.newly_opened() {
                    self.auto.opened += 1;
                    let candidate = slot.ranking.candidates[at as usize];
                    if candidate.gain.is_nan() {
                        unscored.push((child, s, at));
                    } else if !scored {
                        self.auto
                            .learn(&slot.ranking, candidate.estimate, candidate.gain);
                        opened += 1;
                    }
                }
            }
        }
        self.evaluations.add_replace(opened);
        self.score_candidates(&unscored, stop)
    }

    /// Computes new rankings for slots that ran out of legal candidates. Each time, four times as
    /// many candidates are requested, and finally only legal ones.
    fn refill(&mut self, mut short: Vec<(usize, usize)>, stop: Stop) -> Result<(), Stopped> {
        while !short.is_empty() {
            let replaced: Vec<[Option<usize>; 1]> = short
                .iter()
                .map(|&(child, s)| [self.moves[child].slots[s].ranking.replaced])
                .collect();
            let wanted: Vec<Wanted> = short
                .iter()
                .zip(&replaced)
                .map(|(&(child, s), slots)| Wanted {
                    child,
                    slots,
                    asked: self.asks_more(&self.moves[child].slots[s]),
                })
                .collect();
            let fresh = self.ranked(&wanted, stop)?;
            let mut still = Vec::new();
            for (&(child, s), slots) in short.iter().zip(fresh) {
                let mut slot = slots.into_iter().next().expect("one ranking per slot");
                let old = &mut self.moves[child].slots[s];
                slot.remember(old);
                slot.reopen(&self.reach, child);
                if !slot.asked.only_legal && slot.is_short() {
                    still.push((child, s));
                }
                *old = slot;
            }
            short = still;
        }
        Ok(())
    }

    /// The next request of a slot that ran out of legal candidates.
    fn asks_more(&self, old: &SlotMoves) -> Asked {
        let before = if old.asked.only_legal {
            self.asks()
        } else {
            old.asked.count
        };
        let count = before.saturating_mul(4);
        if count <= self.reserve.longest {
            return Asked {
                count,
                only_legal: false,
            };
        }
        Asked {
            count: self.asks().max(old.quota.most().saturating_add(1)),
            only_legal: true,
        }
    }

    fn score_candidates(
        &mut self,
        unscored: &[(usize, usize, u32)],
        stop: Stop,
    ) -> Result<(), Stopped> {
        let score = |&(child, s, position): &(usize, usize, u32)| {
            let ranking = &self.moves[child].slots[s].ranking;
            let candidate = ranking.candidates[position as usize].parent;
            self.insertion(child, ranking.replaced, candidate)
        };
        let scores = in_pieces(unscored, self.selector.grain(), stop, score)?;
        for (&(child, s, position), (gain, fresh)) in unscored.iter().zip(scores) {
            let slot = &mut self.moves[child].slots[s];
            let candidate = &mut slot.ranking.candidates[position as usize];
            candidate.gain = gain;
            let estimate = candidate.estimate;
            self.auto.learn(&slot.ranking, estimate, gain);
            self.evaluations.add_replace(fresh);
        }
        Ok(())
    }

    /// Gain of a new parent, and number of densities fitted for it.
    pub(super) fn insertion(
        &self,
        child: usize,
        replaced: Option<usize>,
        z: usize,
    ) -> (f64, usize) {
        let mut family = with_parent(self.dag.parents(child), z);
        family.retain(|&p| Some(p) != replaced);
        self.gain(child, &family)
    }
}
