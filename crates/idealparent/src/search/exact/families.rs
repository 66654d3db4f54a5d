//! The families of one child that an optimal network can have.

use super::subsets::ScoredSets;
use crate::graph::{Constraints, Dag};
use crate::ideal::TIE;
use crate::score::{Ceiling, Scorer};

/// By how much a bound must be exceeded before it excludes a family: far above the rounding of
/// bounds, and far below a difference that matters.
const MARGIN: f64 = 1e-8;

/// Number of candidates that are put in order one given the other; the rest by a single comparison.
const CHAINED: usize = 12;

/// Work between two checks whether to stop: in microseconds, roughly, and in families scored.
const WORK: usize = 1 << 14;
const SCORES: usize = 64;

/// Enumerates the sets of parents of a child that score more than each of their subsets. No other
/// set is needed in an optimal network, since dropping parents closes no cycle.
///
/// The candidates have positions, the strongest the last. Sets are visited in the order of binary
/// numbers whose highest digits are the last positions. So all subsets of a set come before it, and
/// sets without strong parents are bounded by what the weak ones explain together.
pub(super) struct Enumeration {
    child: usize,
    required: Vec<usize>,
    /// The candidates by position.
    candidates: Vec<usize>,
    /// Largest number of candidates in a set.
    most: usize,
    /// Whether the candidate at a position is in the current set.
    is_member: Vec<bool>,
    /// Positions of the current set, descending.
    path: Vec<usize>,
    /// What remains to be visited on the way to the current set.
    frames: Vec<Frame>,
    /// The score of the set without candidates; minus infinity if it cannot be fitted.
    smallest: f64,
    /// The other sets found, by their lowest position, which they do not list.
    kept: Vec<ScoredSets>,
    /// Number of families scored.
    pub(super) scored: usize,
    /// Work so far, in microseconds, roughly.
    pub(super) work: usize,
    is_started: bool,
}

/// A set that is extended by one candidate of a lower position after the other.
struct Frame {
    /// The position that comes next.
    next: usize,
    ceilings: Vec<Ceiling>,
    /// The best score of the set and its subsets.
    best: f64,
}

impl Enumeration {
    pub(super) fn new(child: usize, constraints: &Constraints, required: &Dag) -> Self {
        let required = required.parents(child).to_vec();
        let is_free = |&p: &usize| constraints.allows(p, child) && !required.contains(&p);
        let candidates: Vec<usize> = (0..constraints.len()).filter(is_free).collect();
        Enumeration {
            child,
            most: constraints.max_parents().saturating_sub(required.len()),
            is_member: vec![false; candidates.len()],
            required,
            path: Vec::new(),
            frames: Vec::new(),
            smallest: f64::NEG_INFINITY,
            kept: vec![ScoredSets::new(); candidates.len()],
            candidates,
            scored: 0,
            work: 0,
            is_started: false,
        }
    }

    /// Continues for some time. Returns whether the enumeration is complete.
    pub(super) fn advance(&mut self, scorer: &dyn Scorer) -> bool {
        if !self.is_started {
            self.start(scorer);
            self.is_started = true;
        }
        let (enough, scores) = (self.work + WORK, self.scored + SCORES);
        while self.work < enough && self.scored < scores {
            let Some(frame) = self.frames.last_mut() else {
                return true;
            };
            if frame.next == frame.ceilings.len() {
                self.frames.pop();
                if let Some(last) = self.path.pop() {
                    self.is_member[last] = false;
                }
                continue;
            }
            let position = frame.next;
            let (ceiling, below) = (frame.ceilings[position], frame.best);
            frame.next += 1;
            self.visit(scorer, position, ceiling, below);
        }
        self.frames.is_empty()
    }

    /// Scores the smallest family, and puts the candidates in order.
    fn start(&mut self, scorer: &dyn Scorer) {
        let (score, fitted) = scorer.score_counted(self.child, &self.required);
        self.scored += fitted;
        self.smallest = score.unwrap_or(f64::NEG_INFINITY);
        self.sort_candidates(scorer);
        if self.most > 0 {
            self.open(scorer, self.smallest);
        }
    }

    /// Puts the strongest candidates last. The order affects only how much can be skipped.
    fn sort_candidates(&mut self, scorer: &dyn Scorer) {
        let mut rest = std::mem::take(&mut self.candidates);
        let mut family = self.required.clone();
        let mut strongest = Vec::new();
        while !rest.is_empty() {
            let own = |v: &usize| scorer.ceilings(self.child, &family, &[*v])[0].own;
            let bounds: Vec<f64> = rest.iter().map(own).collect();
            let by_bound = |&a: &usize, &b: &usize| bounds[b].total_cmp(&bounds[a]).then(a.cmp(&b));
            let mut order: Vec<usize> = (0..rest.len()).collect();
            order.sort_by(by_bound);
            if strongest.len() < CHAINED {
                order.truncate(1);
            }
            strongest.extend(order.iter().map(|&i| rest[i]));
            family.extend(order.iter().map(|&i| rest[i]));
            order.sort_unstable();
            for &i in order.iter().rev() {
                rest.remove(i);
            }
        }
        strongest.reverse();
        self.candidates = strongest;
    }

    /// Prepares the visits of the sets that extend the current one, given the best score of it and
    /// its subsets.
    fn open(&mut self, scorer: &dyn Scorer, best: f64) {
        let below = self.path.last().copied().unwrap_or(self.candidates.len());
        let path = self.path.iter().map(|&i| self.candidates[i]);
        let family: Vec<usize> = self.required.iter().copied().chain(path).collect();
        let further = &self.candidates[..below];
        self.work += 1 + (family.len() + below).pow(3) / 5000;
        self.frames.push(Frame {
            next: 0,
            ceilings: scorer.ceilings(self.child, &family, further),
            best,
        });
    }

    /// Visits the current set with one more candidate, and prepares the visits of larger sets.
    /// `below` is the best score of the current set and its subsets.
    fn visit(&mut self, scorer: &dyn Scorer, position: usize, ceiling: Ceiling, below: f64) {
        self.work += 1;
        let enough = ceiling.own.max(ceiling.beyond) + MARGIN;
        if below >= enough || enough == f64::NEG_INFINITY {
            return;
        }
        let is_member = |i: usize| self.is_member[i];
        let mut best = self.kept[position].best_within(&is_member, below, enough);
        if best >= enough {
            return;
        }
        self.path.push(position);
        if ceiling.own + MARGIN > best
            && let Some(score) = self.score(scorer)
            && score > best + TIE
        {
            let rest = &self.path[..self.path.len() - 1];
            self.kept[position].add(rest.iter().copied(), score);
            best = score;
        }
        let has_larger = position > 0 && self.path.len() < self.most;
        if has_larger && ceiling.beyond + MARGIN > best {
            self.is_member[position] = true;
            self.open(scorer, best);
        } else {
            self.path.pop();
        }
    }

    /// Scores the current set.
    fn score(&mut self, scorer: &dyn Scorer) -> Option<f64> {
        let family = self.parents(&self.path);
        let (score, fitted) = scorer.score_counted(self.child, &family);
        self.scored += fitted;
        score
    }

    /// The required parents and the candidates at these positions, ascending.
    fn parents(&self, positions: &[usize]) -> Vec<usize> {
        let chosen = positions.iter().map(|&i| self.candidates[i]);
        let mut parents: Vec<usize> = self.required.iter().copied().chain(chosen).collect();
        parents.sort_unstable();
        parents
    }

    /// The child.
    pub(super) fn child(&self) -> usize {
        self.child
    }

    /// Number of nodes in the trees of families kept.
    pub(super) fn size(&self) -> usize {
        self.kept.iter().map(ScoredSets::len).sum()
    }

    /// The families found.
    pub(super) fn families(&self) -> Families {
        let mut families = Families::default();
        if self.smallest > f64::NEG_INFINITY {
            families.add(&self.required, self.smallest);
        }
        let mut positions = Vec::new();
        for (lowest, kept) in self.kept.iter().enumerate() {
            kept.for_each(|others, score| {
                positions.clear();
                positions.extend_from_slice(others);
                positions.push(lowest);
                families.add(&self.parents(&positions), score);
            });
        }
        families
    }
}

/// Sets of parents of one child, with scores.
#[derive(Clone, Debug, Default)]
pub(super) struct Families {
    /// The parents of all sets, one after the other, ascending in every set.
    parents: Vec<u32>,
    /// Where the parents of a set end.
    ends: Vec<u32>,
    scores: Vec<f64>,
}

impl Families {
    fn add(&mut self, parents: &[usize], score: f64) {
        self.parents.extend(parents.iter().map(|&p| p as u32));
        self.ends.push(self.parents.len() as u32);
        self.scores.push(score);
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    pub(super) fn score(&self, index: usize) -> f64 {
        self.scores[index]
    }

    /// The parents of a set, ascending.
    pub(super) fn parents(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parents[start as usize..self.ends[index] as usize]
    }

    /// All variables that are parents in some set, ascending.
    pub(super) fn possible_parents(&self) -> Vec<usize> {
        let mut all = self.parents.clone();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|p| p as usize).collect()
    }
}
