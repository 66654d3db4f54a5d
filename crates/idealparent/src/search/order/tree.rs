//! Cache of a variable's families within any predecessors: grown parent by parent, then shrunk.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;

use super::super::moves::{with_parent, without_parent};
use super::Rules;
use crate::ideal::{Candidate, Query, Ranking, TIE};
use crate::score::Evaluations;

/// Number of candidates requested at first. A list that runs out requests four times as many.
const FIRST_REQUEST: usize = 24;

/// Number of parents whose removal is tried when a family shrinks, if each removal takes a fit and
/// not all candidates are scored.
const REMOVALS_TRIED: usize = 2;

/// How many of the ranked predecessors are scored: the paper's K.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Depth {
    /// The first K.
    Top(usize),
    /// All.
    All,
    /// As many as could still win if an estimate may be too low by this share of (1 nat +
    /// |estimated rise|).
    Slack(f64),
}

/// A variable's family within its predecessors, and the variables that could change it.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    node: u32,
    /// Score of the family after shrinking.
    pub(super) score: f64,
    /// Predecessors that were considered; without one of them the family may be different.
    pub(super) used: FixedBitSet,
    /// Variables that would be considered if they were predecessors. A variable in neither set does
    /// not affect the family.
    pub(super) waiting: FixedBitSet,
}

/// A family during growth, and its possible extensions.
#[derive(Clone, Debug, Default)]
struct Node {
    parents: Vec<usize>,
    /// Score of the family; used only if candidates have to be scored.
    score: f64,
    list: Option<List>,
    /// `(candidate, node)` for each candidate chosen so far.
    next: Vec<(u32, u32)>,
    /// The family after shrinking and its score.
    shrunk: Option<(Vec<usize>, f64)>,
}

/// Candidates for a further parent, best first.
#[derive(Clone, Debug)]
enum List {
    /// All candidates that raise the score, by exact gain.
    Exact(Vec<u32>),
    /// As many candidates as were requested, by estimate.
    Estimated { ranking: Ranking, asked: usize },
}

/// The families of one variable. The growth of a family does not depend on how it was reached.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    child: usize,
    nodes: Vec<Node>,
    known: HashMap<Vec<usize>, u32>,
    excluded: FixedBitSet,
    /// Approximate size in bytes.
    pub(super) bytes: usize,
    pub(super) evaluations: Evaluations,
}

impl Tree {
    /// Creates the tree of a child, with its required parents at the root; `None` if that family
    /// cannot be fitted.
    pub(super) fn new(rules: &Rules, child: usize, required: &[usize]) -> Option<Self> {
        let parents = required.to_vec();
        let mut excluded = rules.constraints.banned(child).clone();
        excluded.grow(rules.scorer.width());
        excluded.insert(child);
        let score = rules.scorer.score(child, &parents)?;
        Some(Tree {
            child,
            known: HashMap::from([(parents.clone(), 0)]),
            nodes: vec![Node {
                parents,
                score,
                ..Node::default()
            }],
            excluded,
            bytes: 0,
            evaluations: Evaluations::default(),
        })
    }

    /// Removes everything but the root.
    pub(super) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0].next.clear();
        self.nodes[0].list = None;
        self.known.retain(|_, &mut node| node == 0);
        self.bytes = 0;
    }

    /// The parents of the family at the end of a trace.
    pub(super) fn parents(&self, trace: &Trace) -> &[usize] {
        let node = &self.nodes[trace.node as usize];
        let shrunk = node.shrunk.as_ref().expect("the family is shrunk");
        &shrunk.0
    }

    /// Grows a family within the available variables, shrinks it, and records the result in
    /// `trace`.
    pub(super) fn trace(
        &mut self,
        rules: &Rules,
        available: impl Fn(usize) -> bool,
        trace: &mut Trace,
    ) {
        for set in [&mut trace.used, &mut trace.waiting] {
            set.grow(rules.scorer.width());
            set.clear();
        }
        let mut at = 0;
        while self.nodes[at].parents.len() < rules.constraints.max_parents() {
            match self.step(rules, at, &available, trace) {
                Some(next) => at = next,
                None => break,
            }
        }
        trace.node = at as u32;
        trace.score = self.shrink(rules, at);
    }

    /// The next node; `None` if no available parent raises the score.
    fn step(
        &mut self,
        rules: &Rules,
        at: usize,
        available: &impl Fn(usize) -> bool,
        trace: &mut Trace,
    ) -> Option<usize> {
        loop {
            if self.nodes[at].list.is_none() {
                self.rank(rules, at, FIRST_REQUEST);
            }
            let chosen = match self.nodes[at].list {
                Some(List::Exact(ref list)) => first_available(list, available, trace),
                _ => self.choose(rules, at, available, trace),
            }?;
            let next = &self.nodes[at].next;
            if let Some(&(_, next)) = next.iter().find(|(z, _)| *z as usize == chosen) {
                return Some(next as usize);
            }
            if let Some(next) = self.grown(rules, at, chosen) {
                return Some(next);
            }
        }
    }

    /// The node with one more parent. If that family cannot be fitted, removes the candidate and
    /// returns `None`.
    fn grown(&mut self, rules: &Rules, at: usize, chosen: usize) -> Option<usize> {
        let parents = with_parent(&self.nodes[at].parents, chosen);
        let known = self.known.get(&parents).copied();
        let next = match known {
            Some(next) => next,
            None => {
                let score = if rules.exact {
                    f64::NAN
                } else {
                    let score = rules.scorer.score(self.child, &parents);
                    score.expect("a candidate that raises the score can be fitted")
                };
                let next = self.nodes.len() as u32;
                self.bytes += 300 + 32 * parents.len();
                self.known.insert(parents.clone(), next);
                self.nodes.push(Node {
                    parents,
                    score,
                    ..Node::default()
                });
                next
            }
        };
        if rules.exact && known.is_none() && !self.rank(rules, next as usize, FIRST_REQUEST) {
            let node = self.nodes.pop().expect("pushed just now");
            self.known.remove(&node.parents);
            if let Some(List::Exact(list)) = &mut self.nodes[at].list {
                list.retain(|&z| z as usize != chosen);
            }
            return None;
        }
        self.nodes[at].next.push((chosen as u32, next));
        Some(next as usize)
    }

    /// The best of the available candidates that [`Depth`] allows; ties go to the smallest index.
    /// `None` if none raises the score.
    fn choose(
        &mut self,
        rules: &Rules,
        at: usize,
        available: &impl Fn(usize) -> bool,
        trace: &mut Trace,
    ) -> Option<usize> {
        loop {
            let mut opened: Vec<(f64, usize)> = Vec::new();
            let mut best = TIE;
            let mut place = 0;
            while let Some((candidate, base)) = self.candidate(at, place) {
                place += 1;
                let z = candidate.parent;
                if !available(z) {
                    trace.waiting.insert(z);
                    continue;
                }
                let more = match rules.depth {
                    Depth::All => true,
                    Depth::Top(k) => opened.len() < k,
                    Depth::Slack(slack) => {
                        let rise = candidate.estimate - base;
                        candidate.estimate + slack * (1.0 + rise.abs()) > best
                    }
                };
                if !more {
                    if matches!(rules.depth, Depth::Slack(_)) {
                        // Without this predecessor, the next candidate would be considered.
                        trace.used.insert(z);
                    }
                    return first_of_best(&opened, best);
                }
                trace.used.insert(z);
                let gain = self.gain(rules, at, place - 1);
                best = best.max(gain);
                opened.push((gain, z));
            }
            let asked = match &self.nodes[at].list {
                Some(List::Estimated { ranking, asked }) if !ranking.complete => *asked,
                _ => return first_of_best(&opened, best),
            };
            self.rank(rules, at, asked.saturating_mul(4));
        }
    }

    fn candidate(&self, at: usize, place: usize) -> Option<(Candidate, f64)> {
        match &self.nodes[at].list {
            Some(List::Estimated { ranking, .. }) => {
                let candidate = ranking.candidates.get(place)?;
                Some((*candidate, ranking.base))
            }
            _ => None,
        }
    }

    /// Gain of the candidate at this position of the list, scored if not yet known.
    fn gain(&mut self, rules: &Rules, at: usize, place: usize) -> f64 {
        let node = &mut self.nodes[at];
        let Some(List::Estimated { ranking, .. }) = &mut node.list else {
            unreachable!("only estimated candidates need a score");
        };
        let candidate = &mut ranking.candidates[place];
        if candidate.gain.is_nan() {
            let family = with_parent(&node.parents, candidate.parent);
            let (scored, fresh) = rules.scorer.score_counted(self.child, &family);
            candidate.gain = scored.map_or(f64::NEG_INFINITY, |scored| scored - node.score);
            self.evaluations.add_replace(fresh);
        }
        candidate.gain
    }

    /// Requests a node's list of candidates. Returns `false` if an exact ranking shows that the
    /// family cannot be fitted.
    fn rank(&mut self, rules: &Rules, at: usize, asked: usize) -> bool {
        let node = &mut self.nodes[at];
        let query = Query {
            child: self.child,
            parents: &node.parents,
            slots: &[None],
            wanted: if rules.exact { usize::MAX } else { asked },
            excluded: &self.excluded,
            closes_cycle: None,
            least_gain: TIE,
        };
        let mut rankings = rules.selector.rank(&query);
        let mut ranking = rankings.pop().expect("one ranking per slot");
        if rules.exact {
            let candidates = ranking.candidates.iter();
            let list: Vec<u32> = candidates.map(|c| c.parent as u32).collect();
            self.bytes += 4 * list.len();
            let others = rules.scorer.width() - node.parents.len();
            let scored = others.saturating_sub(self.excluded.count_ones(..));
            self.evaluations.add_replace(rules.counted(scored));
            node.list = Some(List::Exact(list));
            return ranking.base > f64::NEG_INFINITY;
        }
        if let Some(List::Estimated { ranking: old, .. }) = node.list.take() {
            self.bytes -= 24 * old.candidates.len();
            let known = old.candidates.iter().map(|c| (c.parent, c.gain));
            let known: HashMap<usize, f64> = known.collect();
            for candidate in &mut ranking.candidates {
                if let Some(&gain) = known.get(&candidate.parent) {
                    candidate.gain = gain;
                }
            }
        }
        ranking.candidates.shrink_to_fit();
        self.bytes += 24 * ranking.candidates.len();
        node.list = Some(List::Estimated { ranking, asked });
        true
    }

    /// Removes parents as long as this raises the score; returns the final score.
    fn shrink(&mut self, rules: &Rules, at: usize) -> f64 {
        if let Some((_, score)) = &self.nodes[at].shrunk {
            return *score;
        }
        let mut parents = self.nodes[at].parents.clone();
        let fitted = rules.scorer.score(self.child, &parents);
        let mut score = fitted.expect("a family that was ranked can be fitted");
        loop {
            let most = match rules.depth {
                Depth::All => usize::MAX,
                Depth::Top(_) | Depth::Slack(_) => REMOVALS_TRIED,
            };
            let (left, fresh) = rules.scorer.scores_without(self.child, &parents, most);
            self.evaluations.other(fresh);
            let mut best: Option<(f64, usize)> = None;
            for (p, left) in left {
                let least = best.map_or(score, |(best, _)| best) + TIE;
                if left > least && !rules.constraints.is_required(p, self.child) {
                    best = Some((left, p));
                }
            }
            let smaller = best.map(|(_, dropped)| without_parent(&parents, dropped));
            let scored = smaller.and_then(|family| {
                let score = rules.scorer.score(self.child, &family)?;
                Some((family, score))
            });
            match scored {
                Some((family, fewer)) if fewer > score => (parents, score) = (family, fewer),
                _ => break,
            }
        }
        self.nodes[at].shrunk = Some((parents, score));
        score
    }
}

/// The first available candidate of a list. Records in `trace` which ones were considered.
fn first_available(
    list: &[u32],
    available: &impl Fn(usize) -> bool,
    trace: &mut Trace,
) -> Option<usize> {
    for &z in list {
        let z = z as usize;
        if available(z) {
            trace.used.insert(z);
            return Some(z);
        }
        trace.waiting.insert(z);
    }
    None
}

/// The smallest index among the candidates that tie with the best; `None` if the best does not
/// gain.
fn first_of_best(opened: &[(f64, usize)], best: f64) -> Option<usize> {
    if best <= TIE {
        return None;
    }
    let ties = opened.iter().filter(|(gain, _)| *gain >= best - TIE);
    ties.map(|&(_, z)| z).min()
}
