//! Candidates for new parents: ranked by the selector, opened while legal, scored when opened.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;

use super::super::moves::{MoveKind, with_parent};
use super::Neighbourhood;
use super::pace::{Stop, Stopped, in_pieces};
use crate::graph::Reach;
use crate::ideal::{Budget, Candidate, Query, Ranking, TIE};

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

/// Candidates of a slot to choose from where all are scored and moves that lose are of interest.
const LISTED: usize = 8;

/// Operations that rankings made at once may take: some tenths of a second.
const PIECE: u64 = 8_000_000_000;

/// Candidates for one slot.
#[derive(Clone, Debug)]
pub(super) struct SlotMoves {
    pub(super) ranking: Ranking,
    /// K: how many legal candidates are to be open.
    depth: usize,
    /// Positions of the first K legal candidates, all with known gains.
    open: Vec<u32>,
    /// Position of the legal candidate after those.
    next: Option<u32>,
    /// How many open candidates are enough, where all are to be open.
    enough: usize,
    /// Whether the slot has to see that one in order to decide.
    looks_ahead: bool,
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
    /// Where K candidates are chosen once.
    queue: Option<Queue>,
}

/// How the K candidates of a slot that keeps them are to be chosen, or that they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    Legal,
    Blind,
    Closed,
}

impl Neighbourhood<'_> {
    /// Changes how many candidates slots keep ready: the moves do not depend on it, only their cost.
    #[doc(hidden)]
    pub fn with_reserve(mut self, spare: usize, longest: usize) -> Self {
        self.reserve = Reserve { spare, longest };
        self
    }

    /// Fresh rankings for all slots of these children.
    pub(super) fn rank(&mut self, children: &[usize], stop: Stop) -> Result<(), Stopped> {
        let asked = self.asks();
        let slots: Vec<Vec<Option<usize>>> = children.iter().map(|&v| self.slots_of(v)).collect();
        let mut wanted = Vec::with_capacity(children.len());
        for (&child, slots) in children.iter().zip(&slots) {
            let work = self.selector.work(self.dag.parents(child).len()).max(1);
            // One child's slots may be too much work for one piece.
            let together = (PIECE / work).max(1) as usize;
            wanted.extend(slots.chunks(together).map(|slots| Wanted {
                child,
                slots,
                asked,
                only_legal: false,
            }));
        }
        let fresh = self.ranked(&wanted, stop)?;
        for &child in children {
            self.moves[child].slots.clear();
        }
        for (wanted, slots) in wanted.iter().zip(fresh) {
            if self.selector.budget() == Budget::Scored {
                let legal = self.legal_candidates(wanted.child);
                self.evaluations.add_replace(legal * slots.len());
            }
            self.auto.slots += slots.len() as u64;
            self.moves[wanted.child].slots.extend(slots);
        }
        Ok(())
    }

    fn legal_candidates(&self, child: usize) -> usize {
        let mut illegal = self.constraints.banned(child).clone();
        illegal.union_with(self.reach.descendants(child));
        illegal.insert(child);
        illegal.extend(self.dag.parents(child).iter().copied());
        self.dag.len() - illegal.count_ones(..)
    }

    /// How many legal candidates a ranking that scored all must have: the best one, or a few to choose from.
    fn enough(&self) -> usize {
        let chooses = self.least_gain == f64::NEG_INFINITY;
        match self.selector.budget() {
            Budget::Scored if chooses => LISTED,
            _ => 1,
        }
    }

    fn asks(&self) -> usize {
        match self.selector.budget() {
            // With every candidate scored only the best legal one matters.
            Budget::Scored | Budget::All | Budget::Everything => 2 * self.reserve.spare,
            Budget::Top(k) | Budget::Queue(k) | Budget::Blind(k) => {
                k.saturating_add(self.reserve.spare)
            }
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

    /// Rankings by the selector, in pieces cut by their work and not by the clock: products of matrices may round
    /// differently in other company.
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
                sum <= PIECE
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
                if w.only_legal {
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
                wanted: w.asked,
                excluded,
                least_gain: match self.selector.budget() {
                    Budget::Scored => self.least_gain,
                    // However poor, K of them are to be scored.
                    _ => f64::NEG_INFINITY,
                },
            })
            .collect();
        let rankings = self.selector.rank_many(&queries);
        let slots = |(w, rankings): (&Wanted, Vec<Ranking>)| {
            let slot = |ranking| SlotMoves::new(ranking, w, self.selector.budget(), self.enough());
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
                    let slots = self.moves[child].slots.iter_mut();
                    // Counted one by one: every slot decides for itself.
                    if slots.filter_map(|slot| slot.deepen(slack)).count() > 0 {
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
        for &child in children {
            for slot in &mut self.moves[child].slots {
                slot.close(&self.reach, child);
            }
        }
        let scored = self.selector.budget() == Budget::Scored;
        let blind = matches!(
            self.selector.budget(),
            Budget::Blind(_) | Budget::Everything
        );
        let mut unscored = Vec::new();
        let mut opened = 0;
        for &child in children {
            for (s, slot) in self.moves[child].slots.iter_mut().enumerate() {
                let all = slot.ranking.candidates.len();
                for place in 0..if blind { all } else { slot.open.len() } {
                    let at = match blind {
                        true => place,
                        false => slot.open[place] as usize,
                    };
                    if std::mem::replace(&mut slot.counted[at], true) {
                        continue;
                    }
                    self.auto.opened += 1;
                    let candidate = slot.ranking.candidates[at];
                    if candidate.gain.is_nan() {
                        unscored.push((child, s, at as u32));
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

    /// New rankings for slots that ran out of legal candidates: four times as many each time, at last only legal ones.
    fn refill(&mut self, mut short: Vec<(usize, usize)>, stop: Stop) -> Result<(), Stopped> {
        while !short.is_empty() {
            let replaced: Vec<[Option<usize>; 1]> = short
                .iter()
                .map(|&(child, s)| [self.moves[child].slots[s].ranking.replaced])
                .collect();
            let wanted: Vec<Wanted> = short
                .iter()
                .zip(&replaced)
                .map(|(&(child, s), slots)| {
                    let old = &self.moves[child].slots[s];
                    let asked = match old.only_legal {
                        true => self.asks(),
                        false => old.asked,
                    };
                    let asked = asked.saturating_mul(4);
                    let only_legal = asked > self.reserve.longest;
                    let asked = match only_legal {
                        true => self.asks().max(old.depth.saturating_add(1)),
                        false => asked,
                    };
                    Wanted {
                        child,
                        slots,
                        asked,
                        only_legal,
                    }
                })
                .collect();
            let fresh = self.ranked(&wanted, stop)?;
            let mut still = Vec::new();
            for (&(child, s), slots) in short.iter().zip(fresh) {
                let mut slot = slots.into_iter().next().expect("one ranking per slot");
                let old = &mut self.moves[child].slots[s];
                slot.depth = old.depth;
                slot.remember(old);
                slot.reopen(&self.reach, child);
                if !slot.only_legal && slot.is_short() {
                    still.push((child, s));
                }
                *old = slot;
            }
            short = still;
        }
        Ok(())
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
}

impl Neighbourhood<'_> {
    /// Gain of a new parent, and how many densities were fitted for it.
    pub(super) fn insertion(
        &self,
        child: usize,
        replaced: Option<usize>,
        z: usize,
    ) -> (f64, usize) {
        let mut family = with_parent(self.dag.parents(child), z);
        family.retain(|&p| Some(p) != replaced);
        let (score, fresh) = self.scorer.score_counted(child, &family);
        let current = self.families[child].expect("the current family is fitted");
        (score.map_or(f64::NEG_INFINITY, |s| s - current), fresh)
    }
}

/// What the selector is asked for.
struct Wanted<'a> {
    child: usize,
    slots: &'a [Option<usize>],
    asked: usize,
    only_legal: bool,
}

impl SlotMoves {
    fn new(ranking: Ranking, wanted: &Wanted, budget: Budget, enough: usize) -> Self {
        SlotMoves {
            enough,
            counted: vec![false; ranking.candidates.len()],
            aside: HashMap::new(),
            ranking,
            depth: match budget {
                Budget::Scored | Budget::All | Budget::Everything => usize::MAX,
                Budget::Top(k) | Budget::Queue(k) | Budget::Blind(k) => k,
                Budget::Auto => 0,
            },
            open: Vec::new(),
            next: None,
            looks_ahead: budget == Budget::Auto,
            queue: match budget {
                Budget::Queue(_) => Some(Queue::Legal),
                Budget::Blind(_) => Some(Queue::Blind),
                _ => None,
            },
            asked: wanted.asked,
            stale: false,
            only_legal: wanted.only_legal,
        }
    }

    /// Opens the first K candidates that close no cycle.
    fn reopen(&mut self, reach: &Reach, child: usize) {
        let below = reach.descendants(child);
        self.open.clear();
        self.next = None;
        for (position, candidate) in self.ranking.candidates.iter().enumerate() {
            if below.contains(candidate.parent) {
                continue;
            }
            if self.open.len() >= self.depth {
                self.next = Some(position as u32);
                break;
            }
            self.open.push(position as u32);
        }
    }

    /// Where candidates are chosen once: these are the ones.
    fn close(&mut self, reach: &Reach, child: usize) {
        let all = &self.ranking.candidates;
        self.ranking.candidates = match self.queue {
            None | Some(Queue::Closed) => return,
            Some(Queue::Legal) => self.open.iter().map(|&at| all[at as usize]).collect(),
            Some(Queue::Blind) => all.iter().take(self.depth).copied().collect(),
        };
        self.counted = vec![false; self.ranking.candidates.len()];
        self.keep();
        self.reopen(reach, child);
    }

    /// No other candidates from now on.
    fn keep(&mut self) {
        self.queue = Some(Queue::Closed);
        self.ranking.complete = true;
        self.next = None;
        self.stale = false;
        self.only_legal = false;
    }

    /// Whether the ranking is too short for what is to be open.
    fn is_short(&self) -> bool {
        if self.queue == Some(Queue::Blind) {
            // More were asked for than are to be chosen, and illegal ones will do.
            return false;
        }
        let needed = match self.depth {
            usize::MAX => self.enough,
            depth => depth,
        };
        let unseen = self.looks_ahead && self.next.is_none();
        !self.ranking.complete && (self.open.len() < needed || unseen)
    }

    /// Goes one candidate deeper if the next one could still win; `slack` as in [`Auto::slack`].
    fn deepen(&mut self, slack: Option<f64>) -> Option<()> {
        let next = self.ranking.candidates[self.next? as usize];
        let hopeful = match slack {
            None => self.depth < 2,
            Some(slack) => {
                let rise = next.estimate - self.ranking.base;
                self.ranking.base + rise + slack * (1.0 + rise.abs()) > self.best().max(TIE)
            }
        };
        if !hopeful {
            return None;
        }
        self.depth += 1;
        Some(())
    }

    /// How deep it is open, and which candidates were opened since the family last changed.
    pub(super) fn past(&self) -> (usize, Vec<usize>) {
        let all = self.ranking.candidates.iter().zip(&self.counted);
        let known = all.filter(|(_, counted)| **counted).map(|(c, _)| c.parent);
        let mut opened: Vec<usize> = known.chain(self.aside.keys().copied()).collect();
        opened.sort_unstable();
        (self.depth, opened)
    }

    /// As it was when [`SlotMoves::past`] was asked; `gain` scores a candidate.
    pub(super) fn recall(&mut self, depth: usize, opened: &[usize], gain: impl Fn(usize) -> f64) {
        self.depth = depth;
        if self.queue.is_some() {
            let candidate = |&parent: &usize| Candidate {
                parent,
                estimate: f64::NAN,
                gain: gain(parent),
            };
            let estimates = std::mem::take(&mut self.ranking.candidates);
            let place = |c: &Candidate| estimates.iter().position(|old| old.parent == c.parent);
            let mut chosen: Vec<Candidate> = opened.iter().map(candidate).collect();
            chosen.sort_by_key(|c| place(c).unwrap_or(usize::MAX));
            self.counted = vec![true; chosen.len()];
            self.ranking.candidates = chosen;
            self.keep();
            return;
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

    /// Open candidates and their gains. Of a ranking that scored all, as many only as are certain to be in it, so that
    /// they do not depend on how long it happens to be.
    pub(super) fn open_candidates(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let most = match self.enough {
            1 => usize::MAX,
            enough => enough,
        };
        let candidate = |&position: &u32| self.ranking.candidates[position as usize];
        let open = self.open.iter().take(most).map(candidate);
        open.map(|c| (c.parent, c.gain))
    }

    /// Open candidates that gain at least this much.
    pub(super) fn at_least(&self, least: f64) -> impl Iterator<Item = usize> + '_ {
        let candidate = |&position: &u32| self.ranking.candidates[position as usize];
        let open = self.open.iter().map(candidate);
        open.filter(move |c| c.gain >= least).map(|c| c.parent)
    }
}
