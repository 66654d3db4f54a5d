//! All moves from the current network, kept scored and legal while it changes.

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::moves::{Move, MoveKind, MoveSet, with_parent, without_parent};
use crate::graph::{Constraints, Dag, Reach};
use crate::ideal::{Query, Ranking, Selector, TIE};
use crate::score::{Evaluations, Scorer};

/// Candidates asked for beyond the quota, in case some are or become illegal.
const SPARE: usize = 14;

/// A slot that runs out of legal candidates asks for four times as many; beyond this many it asks for legal ones only.
const LONGEST: usize = 1024;

/// The moves of a graph and their gains.
///
/// After a step only the changed families are ranked again, and only the variables whose descendants
/// changed are looked at for moves that became legal or illegal.
pub struct Neighbourhood<'a> {
    scorer: &'a dyn Scorer,
    selector: &'a dyn Selector,
    constraints: &'a Constraints,
    allowed: MoveSet,
    dag: Dag,
    reach: Reach,
    families: Vec<Option<f64>>,
    moves: Vec<ChildMoves>,
    /// Per child, what no legal move of its gains more than.
    bounds: Vec<f64>,
    evaluations: Evaluations,
}

/// The moves that change one child's family.
#[derive(Clone, Debug, Default)]
struct ChildMoves {
    slots: Vec<SlotMoves>,
    /// Gain of deleting each parent; parallel to the parents.
    deletions: Vec<f64>,
    /// Gain of reversing the edge from each parent; parallel to the parents.
    reversals: Vec<f64>,
    /// Best gain over the slots' open candidates.
    best: f64,
}

/// Candidates for one slot.
#[derive(Clone, Debug)]
struct SlotMoves {
    ranking: Ranking,
    /// Positions of the first K legal candidates, all with known gains.
    open: Vec<u32>,
    /// With a limited quota: the candidates scored since the family last changed, and their gains.
    scored: Vec<(usize, f64)>,
    /// How many candidates the selector was asked for.
    asked: usize,
    /// The ranking must be made anew.
    stale: bool,
    /// The ranking holds only what was legal when it was made.
    only_legal: bool,
}

impl<'a> Neighbourhood<'a> {
    /// The neighbourhood of `dag`. `None` for a graph with a family that cannot be fitted: the child is returned.
    pub fn new(
        scorer: &'a dyn Scorer,
        selector: &'a dyn Selector,
        constraints: &'a Constraints,
        allowed: MoveSet,
        dag: Dag,
    ) -> Result<Self, usize> {
        let n = dag.len();
        let reach = Reach::new(&dag);
        let families: Vec<Option<f64>> = (0..n)
            .into_par_iter()
            .map(|v| scorer.score(v, dag.parents(v)))
            .collect();
        if let Some(unfit) = families.iter().position(Option::is_none) {
            return Err(unfit);
        }
        Ok(Neighbourhood {
            scorer,
            selector,
            constraints,
            allowed,
            dag,
            reach,
            families,
            moves: vec![ChildMoves::default(); n],
            bounds: vec![f64::NEG_INFINITY; n],
            evaluations: Evaluations::default(),
        })
    }

    /// Ranks and scores the moves of every family; `stop` is asked between blocks and ends it early.
    pub fn rank_all(&mut self, mut stop: impl FnMut() -> bool) -> bool {
        let all: Vec<usize> = (0..self.dag.len()).collect();
        for block in all.chunks(256) {
            if stop() {
                return false;
            }
            self.rank(block);
            self.open(block);
        }
        self.score_edges_of(&all);
        true
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Score of the network: the sum over families, always taken in the same order.
    pub fn score(&self) -> f64 {
        self.families.iter().flatten().sum()
    }

    /// Families scored so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// The best legal move and its gain, ties decided by [`Move`]'s order; `None` if no move gains.
    pub fn best(&mut self) -> Option<(Move, f64)> {
        loop {
            let gain = self.best_gain();
            if gain <= TIE {
                return None;
            }
            let chosen = self.first_move_from(gain - TIE)?;
            // The sweep's gain carries rounding; the families' own scores decide.
            match self.exact_gain(&chosen) {
                Some(exact) if exact > TIE && exact >= gain - 2.0 * TIE => {
                    return Some((chosen, exact));
                }
                exact => self.correct(&chosen, exact.unwrap_or(f64::NEG_INFINITY)),
            }
        }
    }

    /// Carries out a legal move and brings the neighbourhood up to date.
    pub fn take(&mut self, chosen: &Move) {
        let mut touched = FixedBitSet::with_capacity(self.dag.len());
        let removed = match chosen.kind {
            MoveKind::Add => None,
            MoveKind::Delete | MoveKind::Reverse => Some((chosen.parent, chosen.child)),
            MoveKind::Replace => chosen.replaced.map(|p| (p, chosen.child)),
        };
        if let Some((parent, child)) = removed {
            self.dag.remove_edge(parent, child);
            for v in self.reach.edge_removed(&self.dag, parent) {
                touched.insert(v);
                for slot in &mut self.moves[v].slots {
                    // Candidates left out as illegal may be legal again.
                    slot.stale |= slot.only_legal;
                }
            }
        }
        let added = match chosen.kind {
            MoveKind::Delete => None,
            MoveKind::Add | MoveKind::Replace => Some((chosen.parent, chosen.child)),
            MoveKind::Reverse => Some((chosen.child, chosen.parent)),
        };
        if let Some((parent, child)) = added {
            self.dag.add_edge(parent, child);
            for v in self.reach.edge_added(&self.dag, parent, child) {
                touched.insert(v);
            }
        }
        let changed: Vec<usize> = chosen.changed().collect();
        for &child in &changed {
            self.families[child] = self.scorer.score(child, self.dag.parents(child));
            touched.insert(child);
        }
        self.rank(&changed);
        let touched: Vec<usize> = touched.ones().collect();
        self.open(&touched);
        self.score_edges_of(&changed);
    }

    /// Fresh rankings for all slots of these children.
    fn rank(&mut self, children: &[usize]) {
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
            usize::MAX => 2 * SPARE,
            quota => quota.saturating_add(SPARE),
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
        let slot = |ranking| SlotMoves {
            ranking,
            open: Vec::new(),
            scored: Vec::new(),
            asked: wanted,
            stale: false,
            only_legal,
        };
        self.selector.rank(&query).into_iter().map(slot).collect()
    }

    /// Opens the first K legal candidates of every slot of these children and scores the new ones.
    fn open(&mut self, children: &[usize]) {
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
                    let candidate = &mut slot.ranking.candidates[position as usize];
                    let before = |&&(parent, _): &&(usize, f64)| parent == candidate.parent;
                    if let Some(&(_, gain)) = slot.scored.iter().find(before) {
                        candidate.gain = gain;
                    } else if candidate.gain.is_nan() {
                        unscored.push((child, s, position));
                    } else if quota != usize::MAX {
                        opened += 1;
                        slot.scored.push((candidate.parent, candidate.gain));
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
                    let only_legal = asked > LONGEST;
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
            slot.scored = std::mem::take(&mut old.scored);
            *old = slot;
        }
    }

    /// Brings a child's bound up to date.
    fn bound(&mut self, child: usize) {
        let own = &mut self.moves[child];
        let largest = |bound: f64, &gain: &f64| bound.max(gain);
        own.best = own
            .slots
            .iter()
            .map(SlotMoves::best)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut bound = own.reversals.iter().fold(own.best, largest);
        if self.allowed.allows(MoveKind::Delete) {
            bound = own.deletions.iter().fold(bound, largest);
        }
        self.bounds[child] = bound;
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
        let limited = self.selector.quota() != usize::MAX;
        let scores: Vec<(f64, bool)> = unscored.par_iter().with_min_len(8).map(score).collect();
        for (&(child, s, position), (gain, fresh)) in unscored.iter().zip(scores) {
            let slot = &mut self.moves[child].slots[s];
            let candidate = &mut slot.ranking.candidates[position as usize];
            candidate.gain = gain;
            if limited {
                slot.scored.push((candidate.parent, gain));
            }
            self.evaluations.add_replace(usize::from(fresh));
        }
    }

    /// Scores deletions and reversals of all edges into or out of the changed variables.
    fn score_edges_of(&mut self, changed: &[usize]) {
        let mut into = FixedBitSet::with_capacity(self.dag.len());
        let mut work: Vec<(usize, usize, bool)> = Vec::new();
        for &v in changed {
            into.insert(v);
            let parents = self.dag.parents(v);
            self.moves[v].deletions = vec![f64::NEG_INFINITY; parents.len()];
            self.moves[v].reversals = vec![f64::NEG_INFINITY; parents.len()];
            work.extend((0..parents.len()).map(|i| (v, i, true)));
        }
        for &v in changed {
            for &child in self.dag.children(v) {
                if !into.contains(child) {
                    let at = self.dag.parents(child).binary_search(&v).expect("an edge");
                    work.push((child, at, false));
                }
            }
        }
        let scored: Vec<(f64, f64, usize)> = work
            .par_iter()
            .with_min_len(64)
            .map(|&(child, i, anew)| self.score_edge(child, i, anew))
            .collect();
        for (&(child, i, _), (deletion, reversal, fresh)) in work.iter().zip(scored) {
            self.moves[child].deletions[i] = deletion;
            self.moves[child].reversals[i] = reversal;
            self.evaluations.other(fresh);
            self.bound(child);
        }
    }

    /// Gains of deleting and of reversing an edge, and the number of families scored for it.
    fn score_edge(&self, child: usize, i: usize, anew: bool) -> (f64, f64, usize) {
        const NEVER: f64 = f64::NEG_INFINITY;
        let parents = self.dag.parents(child);
        let parent = parents[i];
        if self.constraints.is_required(parent, child) {
            return (NEVER, NEVER, 0);
        }
        let deletes = self.allowed.allows(MoveKind::Delete);
        let reverses = self.allowed.allows(MoveKind::Reverse)
            && self.constraints.allows(child, parent)
            && self.dag.parents(parent).len() < self.constraints.max_parents();
        let mut fresh = 0;
        let mut gain = |v: usize, family: &[usize]| {
            let (score, new) = self.scorer.score_counted(v, family);
            fresh += usize::from(new);
            let current = self.families[v].expect("the current family is fitted");
            score.map_or(NEVER, |s| s - current)
        };
        let dropped = if anew && (deletes || reverses) {
            gain(child, &without_parent(parents, parent))
        } else {
            self.moves[child].deletions[i]
        };
        let reversal = if reverses {
            dropped + gain(parent, &with_parent(self.dag.parents(parent), child))
        } else {
            NEVER
        };
        (dropped, reversal, fresh)
    }

    fn best_gain(&self) -> f64 {
        let mut best = f64::NEG_INFINITY;
        for child in 0..self.bounds.len() {
            // Whether a reversal is legal is asked only of those that could win.
            if self.bounds[child] > best {
                best = best.max(self.best_of_child(child, best));
            }
        }
        best
    }

    /// Best legal gain of a child's moves, as far as it exceeds `best`.
    fn best_of_child(&self, child: usize, best: f64) -> f64 {
        let own = &self.moves[child];
        let mut best = best.max(own.best);
        for (i, &parent) in self.dag.parents(child).iter().enumerate() {
            if self.allowed.allows(MoveKind::Delete) {
                best = best.max(own.deletions[i]);
            }
            if own.reversals[i] > best && self.reach.allows_reversal(&self.dag, parent, child) {
                best = own.reversals[i];
            }
        }
        best
    }

    /// The first legal move, in the order of ties, that gains at least this much.
    fn first_move_from(&self, least: f64) -> Option<Move> {
        (0..self.dag.len())
            .filter(|&child| self.bounds[child] >= least)
            .find_map(|child| self.first_of_child(child, least))
    }

    fn first_of_child(&self, child: usize, least: f64) -> Option<Move> {
        let own = &self.moves[child];
        let insertions = |adding: bool| {
            own.slots
                .iter()
                .filter(move |slot| slot.ranking.replaced.is_none() == adding)
                .flat_map(move |slot| slot.at_least(least).map(|z| (z, slot.ranking.replaced)))
                .min()
        };
        let make = |kind, parent, replaced| Move {
            child,
            kind,
            parent,
            replaced,
        };
        if own.best >= least
            && let Some((parent, _)) = insertions(true)
        {
            return Some(make(MoveKind::Add, parent, None));
        }
        let parents = self.dag.parents(child);
        if self.allowed.allows(MoveKind::Delete)
            && let Some(i) = own.deletions.iter().position(|&gain| gain >= least)
        {
            return Some(make(MoveKind::Delete, parents[i], None));
        }
        let reversible = |i: &usize| {
            own.reversals[*i] >= least && self.reach.allows_reversal(&self.dag, parents[*i], child)
        };
        if let Some(i) = (0..parents.len()).find(reversible) {
            return Some(make(MoveKind::Reverse, parents[i], None));
        }
        if own.best >= least
            && let Some((parent, replaced)) = insertions(false)
        {
            return Some(make(MoveKind::Replace, parent, replaced));
        }
        None
    }

    /// Gain of a move from the families' own scores; `None` if a family cannot be fitted.
    fn exact_gain(&self, chosen: &Move) -> Option<f64> {
        let gain = |v: usize, family: &[usize]| {
            let current = self.families[v].expect("the current family is fitted");
            self.scorer.score(v, family).map(|score| score - current)
        };
        let parents = self.dag.parents(chosen.child);
        let (child, parent) = (chosen.child, chosen.parent);
        match chosen.kind {
            MoveKind::Add => gain(child, &with_parent(parents, parent)),
            MoveKind::Delete => gain(child, &without_parent(parents, parent)),
            MoveKind::Replace => {
                let dropped = chosen.replaced.expect("a replacement drops a parent");
                gain(
                    child,
                    &with_parent(&without_parent(parents, dropped), parent),
                )
            }
            MoveKind::Reverse => {
                let lost = gain(child, &without_parent(parents, parent))?;
                let won = gain(parent, &with_parent(self.dag.parents(parent), child))?;
                Some(lost + won)
            }
        }
    }

    /// Puts a move's own gain in the place of the sweep's.
    fn correct(&mut self, chosen: &Move, gain: f64) {
        let at = self.dag.parents(chosen.child).binary_search(&chosen.parent);
        let own = &mut self.moves[chosen.child];
        match (chosen.kind, at) {
            (MoveKind::Delete, Ok(i)) => own.deletions[i] = gain,
            (MoveKind::Reverse, Ok(i)) => own.reversals[i] = gain,
            _ => {
                for slot in &mut own.slots {
                    if slot.ranking.replaced == chosen.replaced {
                        let mut all = slot.ranking.candidates.iter_mut();
                        if let Some(candidate) = all.find(|c| c.parent == chosen.parent) {
                            candidate.gain = gain;
                        }
                    }
                }
            }
        }
        self.bound(chosen.child);
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

    fn best(&self) -> f64 {
        let gain = |&position: &u32| self.ranking.candidates[position as usize].gain;
        self.open.iter().map(gain).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Open candidates that gain at least this much.
    fn at_least(&self, least: f64) -> impl Iterator<Item = usize> + '_ {
        let candidate = |&position: &u32| self.ranking.candidates[position as usize];
        let open = self.open.iter().map(candidate);
        open.filter(move |c| c.gain >= least).map(|c| c.parent)
    }
}
