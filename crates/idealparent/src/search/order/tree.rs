//! Cache of a variable's families, and of the ways in which each can be improved.
//!
//! A family is improved within the predecessors of its child: the best parent is added as long as
//! this raises the score, then the worst is dropped, until neither helps.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

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

/// A variable's family that no predecessor and no removal improves, and the variables that could
/// change that.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) node: u32,
    pub(super) score: f64,
    /// The parents, and the predecessors that were considered as further parents.
    pub(super) used: FixedBitSet,
    /// Variables that would be considered if they were predecessors. A variable in neither set does
    /// not affect the family.
    pub(super) waiting: FixedBitSet,
}

/// A family, and its possible changes.
#[derive(Clone, Debug)]
struct Node {
    parents: Vec<usize>,
    /// NaN until it is needed.
    score: f64,
    list: Option<List>,
    /// `(candidate, node)` for each candidate chosen so far.
    next: Vec<(u32, u32)>,
    smaller: Smaller,
}

impl Node {
    fn new(parents: Vec<usize>) -> Self {
        Node {
            parents,
            score: f64::NAN,
            list: None,
            next: Vec::new(),
            smaller: Smaller::Unknown,
        }
    }
}

/// The best family with one parent less.
#[derive(Clone, Copy, Debug)]
enum Smaller {
    Unknown,
    /// No removal raises the score.
    None,
    /// This family, if its own score confirms it.
    Likely(u32),
    Node(u32),
}

/// Candidates for a further parent, best first.
#[derive(Clone, Debug)]
enum List {
    /// All candidates that raise the score, by exact gain.
    Exact(Vec<u32>),
    /// As many candidates as were requested, by estimate.
    Estimated { ranking: Ranking, asked: usize },
}

/// The families of one variable. How a family can be improved does not depend on how it was reached.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    child: usize,
    nodes: Vec<Node>,
    known: FxHashMap<Vec<usize>, u32>,
    excluded: FixedBitSet,
    /// Approximate size in bytes.
    pub(super) bytes: usize,
    pub(super) evaluations: Evaluations,
}

/// The node of the family with the required parents alone.
pub(super) const ROOT: u32 = 0;

impl Tree {
    /// Creates the tree of a child, with its required parents at the root; `None` if that family
    /// cannot be fitted.
    pub(super) fn new(rules: &Rules, child: usize, required: &[usize]) -> Option<Self> {
        let mut excluded = rules.constraints.banned(child).clone();
        excluded.grow(rules.scorer.width());
        excluded.insert(child);
        rules.scorer.score(child, required)?;
        Some(Tree {
            child,
            known: std::iter::once((required.to_vec(), ROOT)).collect(),
            nodes: vec![Node::new(required.to_vec())],
            excluded,
            bytes: 0,
            evaluations: Evaluations::default(),
        })
    }

    /// Removes everything but the root.
    pub(super) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.nodes[0] = Node::new(std::mem::take(&mut self.nodes[0].parents));
        self.known.retain(|_, &mut node| node == ROOT);
        self.bytes = 0;
    }

    /// The parents of a family.
    pub(super) fn parents(&self, node: u32) -> &[usize] {
        &self.nodes[node as usize].parents
    }

    /// The node of a family.
    pub(super) fn node(&mut self, parents: Vec<usize>) -> u32 {
        if let Some(&known) = self.known.get(&parents) {
            return known;
        }
        let node = self.nodes.len() as u32;
        self.bytes += 400 + 32 * parents.len();
        self.known.insert(parents.clone(), node);
        self.nodes.push(Node::new(parents));
        node
    }

    /// Improves a family within the available variables, and records the result in `trace`. Parents
    /// that are not available are removed first.
    pub(super) fn trace(
        &mut self,
        rules: &Rules,
        start: u32,
        available: impl Fn(usize) -> bool,
        trace: &mut Trace,
    ) {
        for set in [&mut trace.used, &mut trace.waiting] {
            set.grow(rules.scorer.width());
        }
        let mut at = start;
        if self.parents(at).iter().any(|&p| !available(p)) {
            let kept = self.parents(at).iter().copied().filter(|&p| available(p));
            at = self.node(kept.collect());
        }
        loop {
            trace.used.clear();
            trace.waiting.clear();
            if let Some(larger) = self.larger(rules, at, &available, trace) {
                at = larger;
            } else if let Some(smaller) = self.smaller(rules, at) {
                at = smaller;
            } else {
                break;
            }
        }
        for &p in &self.nodes[at as usize].parents {
            trace.used.insert(p);
        }
        trace.node = at;
        trace.score = self.score(rules, at);
    }

    /// The score of a family; minus infinity if it cannot be fitted.
    fn score(&mut self, rules: &Rules, at: u32) -> f64 {
        let place = at as usize;
        if self.nodes[place].score.is_nan() && !(rules.exact && self.survey(rules, place)) {
            let node = &mut self.nodes[place];
            let score = rules.scorer.score(self.child, &node.parents);
            node.score = score.unwrap_or(f64::NEG_INFINITY);
        }
        self.nodes[place].score
    }

    /// Finds a node's score and all its changes at once. Returns `false` if the selector does not
    /// offer that.
    fn survey(&mut self, rules: &Rules, at: usize) -> bool {
        let Some(survey) = rules.selector.survey(&self.query(at, usize::MAX)) else {
            return false;
        };
        self.evaluations.other(survey.without.len());
        let node = &self.nodes[at];
        let score = survey.score.unwrap_or(f64::NEG_INFINITY);
        let best = self.best_without(rules, score, &survey.without);
        let best = best.map(|dropped| without_parent(&node.parents, dropped));
        let smaller = best.map_or(Smaller::None, |family| Smaller::Likely(self.node(family)));
        let node = &mut self.nodes[at];
        (node.score, node.smaller) = (score, smaller);
        if node.list.is_none() {
            self.keep_exact(rules, at, survey.ranking);
        }
        true
    }

    /// The best family with one more parent; `None` if no available parent raises the score.
    fn larger(
        &mut self,
        rules: &Rules,
        at: u32,
        available: &impl Fn(usize) -> bool,
        trace: &mut Trace,
    ) -> Option<u32> {
        let place = at as usize;
        if self.nodes[place].parents.len() >= rules.constraints.max_parents() {
            return None;
        }
        loop {
            if self.nodes[place].list.is_none() {
                self.rank(rules, place, FIRST_REQUEST);
            }
            let chosen = match self.nodes[place].list {
                Some(List::Exact(ref list)) => first_available(list, available, trace),
                _ => self.choose(rules, place, available, trace),
            }?;
            let next = &self.nodes[place].next;
            if let Some(&(_, next)) = next.iter().find(|(z, _)| *z as usize == chosen) {
                return Some(next);
            }
            if let Some(next) = self.grown(rules, place, chosen) {
                return Some(next);
            }
        }
    }

    /// The node with one more parent. If that family cannot be fitted, or is not better, removes the
    /// candidate and returns `None`.
    fn grown(&mut self, rules: &Rules, at: usize, chosen: usize) -> Option<u32> {
        let next = self.node(with_parent(&self.nodes[at].parents, chosen));
        // Gains of a ranking contain rounding errors. A family must not be improved for ever.
        if self.score(rules, next) <= self.score(rules, at as u32) {
            match &mut self.nodes[at].list {
                Some(List::Exact(list)) => list.retain(|&z| z as usize != chosen),
                Some(List::Estimated { ranking, .. }) => {
                    let mut all = ranking.candidates.iter_mut();
                    if let Some(candidate) = all.find(|c| c.parent == chosen) {
                        candidate.gain = f64::NEG_INFINITY;
                    }
                }
                None => {}
            }
            return None;
        }
        self.nodes[at].next.push((chosen as u32, next));
        Some(next)
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
        let own = self.score(rules, at as u32);
        let node = &mut self.nodes[at];
        let Some(List::Estimated { ranking, .. }) = &mut node.list else {
            unreachable!("only estimated candidates need a score");
        };
        let candidate = &mut ranking.candidates[place];
        if candidate.gain.is_nan() {
            let family = with_parent(&node.parents, candidate.parent);
            let (scored, fresh) = rules.scorer.score_counted(self.child, &family);
            candidate.gain = scored.map_or(f64::NEG_INFINITY, |scored| scored - own);
            self.evaluations.add_replace(fresh);
        }
        candidate.gain
    }

    /// The query for a node's candidates.
    fn query(&self, at: usize, wanted: usize) -> Query<'_> {
        Query {
            child: self.child,
            parents: &self.nodes[at].parents,
            slots: &[None],
            wanted,
            excluded: &self.excluded,
            closes_cycle: None,
            least_gain: TIE,
        }
    }

    /// Stores a list of candidates with exact gains.
    fn keep_exact(&mut self, rules: &Rules, at: usize, ranking: Ranking) {
        let candidates = ranking.candidates.iter();
        let list: Vec<u32> = candidates.map(|c| c.parent as u32).collect();
        self.bytes += 4 * list.len();
        let others = rules.scorer.width() - self.nodes[at].parents.len();
        let scored = others.saturating_sub(self.excluded.count_ones(..));
        self.evaluations.add_replace(rules.counted(scored));
        self.nodes[at].list = Some(List::Exact(list));
    }

    /// Requests a node's list of candidates.
    fn rank(&mut self, rules: &Rules, at: usize, asked: usize) {
        let wanted = if rules.exact { usize::MAX } else { asked };
        let mut rankings = rules.selector.rank(&self.query(at, wanted));
        let mut ranking = rankings.pop().expect("one ranking per slot");
        if rules.exact {
            self.keep_exact(rules, at, ranking);
            return;
        }
        let node = &mut self.nodes[at];
        if let Some(List::Estimated { ranking: old, .. }) = node.list.take() {
            self.bytes -= 24 * old.candidates.len();
            let known = old.candidates.iter().map(|c| (c.parent, c.gain));
            let known: FxHashMap<usize, f64> = known.collect();
            for candidate in &mut ranking.candidates {
                if let Some(&gain) = known.get(&candidate.parent) {
                    candidate.gain = gain;
                }
            }
        }
        ranking.candidates.shrink_to_fit();
        self.bytes += 24 * ranking.candidates.len();
        node.list = Some(List::Estimated { ranking, asked });
    }

    /// The best family with one parent less; `None` if no removal raises the score.
    fn smaller(&mut self, rules: &Rules, at: u32) -> Option<u32> {
        let place = at as usize;
        let score = self.score(rules, at);
        let found = match self.nodes[place].smaller {
            Smaller::None => None,
            Smaller::Node(smaller) => return Some(smaller),
            Smaller::Likely(smaller) => Some(smaller),
            Smaller::Unknown => {
                let parents = &self.nodes[place].parents;
                let most = match rules.depth {
                    Depth::All => usize::MAX,
                    Depth::Top(_) | Depth::Slack(_) => REMOVALS_TRIED,
                };
                let (left, fresh) = rules.scorer.scores_without(self.child, parents, most);
                self.evaluations.other(fresh);
                let best = self.best_without(rules, score, &left);
                let family =
                    best.map(|dropped| without_parent(&self.nodes[place].parents, dropped));
                family.map(|family| self.node(family))
            }
        };
        let found = found.filter(|&smaller| self.score(rules, smaller) > score);
        self.nodes[place].smaller = found.map_or(Smaller::None, Smaller::Node);
        found
    }

    /// The parent whose removal raises the score most; `None` if none does.
    fn best_without(&self, rules: &Rules, score: f64, left: &[(usize, f64)]) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for &(p, left) in left {
            let least = best.map_or(score, |(best, _)| best) + TIE;
            if left > least && !rules.constraints.is_required(p, self.child) {
                best = Some((left, p));
            }
        }
        best.map(|(_, dropped)| dropped)
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
