//! The families of one child that an optimal network can have.

use std::time::{Duration, Instant};

use super::best::{BestSubsets, table_size};
use crate::graph::{Constraints, Dag};
use crate::ideal::TIE;
use crate::score::{Ceiling, Ceilings, Scorer};

/// A bound excludes a family only if it falls short by more than this margin, which is far above
/// rounding errors of bounds and far below a difference that matters.
const MARGIN: f64 = 1e-8;

/// Number of candidates that are chosen one by one, each given those before it. The others are
/// sorted by a single comparison.
const CHAINED: usize = 12;

/// Time between two checks whether to stop, and number of steps after which the clock is read.
const SLICE: Duration = Duration::from_millis(20);
const STEPS: usize = 32;

/// Enumerates the sets of parents of a child that score more than each of their subsets. No other
/// set is needed in an optimal network, since dropping parents closes no cycle.
///
/// The candidates have positions, the strongest the last. Sets are visited in the order of binary
/// numbers whose highest digits are the last positions. So all subsets of a set come before it, and
/// sets without strong parents are bounded by what the weak ones explain together.
pub(super) struct Enumeration<'a> {
    scorer: &'a dyn Scorer,
    child: usize,
    required: Vec<usize>,
    /// The candidates by position.
    candidates: Vec<usize>,
    /// Largest number of candidates in a set.
    most: usize,
    /// Positions of the current set, descending.
    path: Vec<usize>,
    /// What remains to be visited on the way to the current set.
    frames: Vec<Frame>,
    /// Bounds for the current set, and those of all frames.
    bounds: Option<Box<dyn Ceilings + 'a>>,
    ceilings: Vec<Ceiling>,
    best: BestSubsets,
    kept: Families,
    /// Number of families scored.
    pub(super) scored: usize,
    /// Number of sets visited, most of which are left out by their bounds.
    pub(super) visited: usize,
    is_started: bool,
}

/// A set that is extended by each candidate of a lower position in turn.
struct Frame {
    /// The next position, and the number of positions.
    next: usize,
    count: usize,
    /// The best score of the set and its subsets.
    best: f64,
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(
        scorer: &'a dyn Scorer,
        child: usize,
        constraints: &Constraints,
        required: &Dag,
    ) -> Self {
        let required = required.parents(child).to_vec();
        let is_free = |&p: &usize| constraints.allows(p, child) && !required.contains(&p);
        let candidates: Vec<usize> = (0..constraints.len()).filter(is_free).collect();
        Enumeration {
            scorer,
            child,
            most: constraints.max_parents().saturating_sub(required.len()),
            required,
            path: Vec::new(),
            frames: Vec::new(),
            bounds: None,
            ceilings: Vec::new(),
            best: BestSubsets::new(0, 0, 0.0),
            kept: Families::default(),
            candidates,
            scored: 0,
            visited: 0,
            is_started: false,
        }
    }

    /// Number of candidates.
    pub(super) fn width(&self) -> usize {
        self.candidates.len()
    }

    /// Memory in bytes that is needed at once when the enumeration begins: for the scores of all sets
    /// if they are in a table, and for the covariances of bounds with their factor.
    pub(super) fn bytes_to_begin(&self) -> usize {
        let columns = self.candidates.len() + self.required.len();
        let table = table_size(self.candidates.len(), self.most);
        8 * (table + columns * (columns + 1))
    }

    /// Memory in bytes that is in use.
    pub(super) fn bytes(&self) -> usize {
        let bounds = self.bounds.as_ref().map_or(0, |bounds| bounds.bytes());
        let ceilings = self.ceilings.capacity() * size_of::<Ceiling>();
        self.best.bytes() + self.kept.bytes() + bounds + ceilings
    }

    /// Continues for some time. Returns whether the enumeration is complete.
    pub(super) fn advance(&mut self) -> bool {
        // The clock decides only how often the search can be stopped.
        let began = Instant::now();
        if !self.is_started {
            self.start();
            self.is_started = true;
        }
        for step in 0_usize.. {
            let Some(frame) = self.frames.last_mut() else {
                self.best = BestSubsets::new(0, 0, 0.0);
                self.bounds = None;
                return true;
            };
            let first = self.ceilings.len() - frame.count;
            if frame.next == frame.count {
                self.ceilings.truncate(first);
                self.frames.pop();
                if let Some(bounds) = &mut self.bounds {
                    bounds.back();
                }
                self.best.close(&self.path);
                self.path.pop();
                continue;
            }
            let position = frame.next;
            let (ceiling, below) = (self.ceilings[first + position], frame.best);
            frame.next += 1;
            self.path.push(position);
            self.visited += 1;
            if !self.visit(ceiling, below) {
                self.path.pop();
            }
            if step % STEPS == 0 && began.elapsed() > SLICE {
                break;
            }
        }
        false
    }

    /// Scores the smallest family, and puts the candidates in order.
    fn start(&mut self) {
        let (score, fitted) = self.scorer.score_counted(self.child, &self.required);
        self.scored += fitted;
        if let Some(score) = score {
            self.kept.add(&self.required, score);
        }
        self.sort_candidates();
        if self.most > 0 {
            let score = score.unwrap_or(f64::NEG_INFINITY);
            self.best = BestSubsets::new(self.candidates.len(), self.most, score);
            let bounds = self
                .scorer
                .ceilings(self.child, &self.required, &self.candidates);
            self.bounds = Some(bounds);
            self.open(score);
        }
    }

    /// Puts the strongest candidates last. The order affects only how much can be skipped.
    fn sort_candidates(&mut self) {
        let mut rest = std::mem::take(&mut self.candidates);
        let mut family = self.required.clone();
        let mut strongest = Vec::new();
        while !rest.is_empty() {
            let own = |v: &usize| {
                let mut bound = Vec::with_capacity(1);
                self.scorer
                    .ceilings(self.child, &family, &[*v])
                    .list(&mut bound);
                bound[0].own
            };
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
    fn open(&mut self, best: f64) {
        let bounds = self.bounds.as_mut().expect("bounds of the families");
        if let Some(&last) = self.path.last() {
            bounds.add(last);
        }
        let known = self.ceilings.len();
        bounds.list(&mut self.ceilings);
        self.frames.push(Frame {
            next: 0,
            count: self.ceilings.len() - known,
            best,
        });
    }

    /// Visits a set, and prepares the visits of those that extend it. Returns whether there are
    /// any. `below` is the best score of the set without its lowest position, and of its subsets.
    fn visit(&mut self, ceiling: Ceiling, below: f64) -> bool {
        let lowest = *self.path.last().expect("a set that is not empty");
        let has_larger = lowest > 0 && self.path.len() < self.most;
        let enough = match has_larger {
            true => ceiling.own.max(ceiling.beyond) + MARGIN,
            false => ceiling.own + MARGIN,
        };
        if below >= enough || enough == f64::NEG_INFINITY {
            self.best.skip(&self.path, below);
            return false;
        }
        let mut best = self.best.within(&self.path, below, enough);
        if best < enough
            && ceiling.own + MARGIN > best
            && let Some((family, score)) = self.score()
            && score > best + TIE
        {
            self.best.keep(&self.path, score);
            self.kept.add(&family, score);
            best = score;
        }
        if has_larger && ceiling.beyond + MARGIN > best {
            self.best.open(&self.path, best);
            self.open(best);
            true
        } else {
            self.best.skip(&self.path, best);
            false
        }
    }

    /// The current set of parents with its score, if it has one.
    fn score(&mut self) -> Option<(Vec<usize>, f64)> {
        let chosen = self.path.iter().map(|&i| self.candidates[i]);
        let mut family: Vec<usize> = self.required.iter().copied().chain(chosen).collect();
        family.sort_unstable();
        let (score, fitted) = self.scorer.score_counted(self.child, &family);
        self.scored += fitted;
        score.map(|score| (family, score))
    }

    /// The child.
    pub(super) fn child(&self) -> usize {
        self.child
    }

    /// Number of families found so far.
    pub(super) fn found(&self) -> usize {
        self.kept.len()
    }

    /// The families found.
    pub(super) fn families(self) -> Families {
        self.kept
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

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.parents.capacity() + self.ends.capacity()) + 8 * self.scores.capacity()
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
