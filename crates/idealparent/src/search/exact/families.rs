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
    kept: ScoredSets,
    /// Number of families scored.
    pub(super) scored: usize,
    /// Work so far, in microseconds, roughly.
    work: usize,
    is_started: bool,
}

/// The sets that extend a set by one candidate of a lower position.
struct Frame {
    next: usize,
    ceilings: Vec<Ceiling>,
}

/// A set of parents with its score.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Family {
    /// Ascending.
    pub(super) parents: Vec<usize>,
    pub(super) score: f64,
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
            candidates,
            path: Vec::new(),
            frames: Vec::new(),
            kept: ScoredSets::new(),
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
            let (position, ceiling) = (frame.next, frame.ceilings[frame.next]);
            frame.next += 1;
            self.visit(scorer, position, ceiling);
        }
        self.frames.is_empty()
    }

    /// Scores the smallest family, and puts the candidates in order.
    fn start(&mut self, scorer: &dyn Scorer) {
        let (score, fitted) = scorer.score_counted(self.child, &self.required);
        self.scored += fitted;
        if let Some(score) = score {
            self.kept.add(std::iter::empty(), score);
        }
        self.sort_candidates(scorer);
        if self.most > 0 {
            self.open(scorer);
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

    /// Prepares the visits of the sets that extend the current one.
    fn open(&mut self, scorer: &dyn Scorer) {
        let below = self.path.last().copied().unwrap_or(self.candidates.len());
        let path = self.path.iter().map(|&i| self.candidates[i]);
        let family: Vec<usize> = self.required.iter().copied().chain(path).collect();
        let further = &self.candidates[..below];
        self.work += 1 + (family.len() + below).pow(3) / 5000;
        self.frames.push(Frame {
            next: 0,
            ceilings: scorer.ceilings(self.child, &family, further),
        });
    }

    /// Visits the current set with one more candidate, and prepares the visits of larger sets.
    fn visit(&mut self, scorer: &dyn Scorer, position: usize, ceiling: Ceiling) {
        self.work += 1;
        let highest = ceiling.own.max(ceiling.beyond);
        if highest == f64::NEG_INFINITY {
            return;
        }
        self.is_member[position] = true;
        if self.reach(highest + MARGIN) {
            self.is_member[position] = false;
            return;
        }
        self.path.push(position);
        if ceiling.own > f64::NEG_INFINITY && !self.reach(ceiling.own + MARGIN) {
            self.score(scorer);
        }
        let larger = position > 0
            && self.path.len() < self.most
            && ceiling.beyond > f64::NEG_INFINITY
            && !self.reach(ceiling.beyond + MARGIN);
        if larger {
            self.open(scorer);
        } else {
            self.path.pop();
            self.is_member[position] = false;
        }
    }

    /// Whether a subset of the current set scores at least this much.
    fn reach(&self, score: f64) -> bool {
        self.kept.reach(|i| self.is_member[i], score)
    }

    /// Scores the current set, and keeps it if it scores more than its subsets.
    fn score(&mut self, scorer: &dyn Scorer) {
        let family = self.parents(&self.path);
        let (score, fitted) = scorer.score_counted(self.child, &family);
        self.scored += fitted;
        if let Some(score) = score
            && !self.reach(score - TIE)
        {
            self.kept.add(self.path.iter().copied(), score);
        }
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

    /// Number of nodes in the tree of families kept.
    pub(super) fn size(&self) -> usize {
        self.kept.len()
    }

    /// The families found: few parents first, then in lexicographic order.
    pub(super) fn families(&self) -> Vec<Family> {
        let mut families = Vec::new();
        self.kept.for_each(|positions, score| {
            let parents = self.parents(positions);
            families.push(Family { parents, score });
        });
        families.sort_by(|a, b| {
            let size = a.parents.len().cmp(&b.parents.len());
            size.then_with(|| a.parents.cmp(&b.parents))
        });
        families
    }
}
