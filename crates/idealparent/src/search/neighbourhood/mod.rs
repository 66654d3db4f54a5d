//! All moves from the current network, kept scored and legal as the network changes.

mod auto;
mod choice;
mod edges;
mod insertions;
mod listing;
mod pace;
mod resume;
mod slots;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::moves::{Move, MoveKind, MoveSet};
use crate::graph::{Constraints, Dag, Reach};
use crate::ideal::Selector;
use crate::score::{Evaluations, Scorer};
use auto::Auto;
pub use auto::CandidatesUsed;
use insertions::Reserve;
use pace::{Stop, Stopped};
pub(crate) use resume::Memory;
use slots::SlotMoves;

/// Number of children whose candidates are opened together. Fixed, because the automatic choice of
/// K for a block depends on the errors found in earlier blocks.
const BLOCK: usize = 256;

/// The moves of a graph and their gains.
///
/// After a step only the changed families are ranked again. Only the variables whose descendants
/// changed are checked for moves that became legal or illegal.
///
/// ```
/// use idealparent::extend::{Constraints, Gram, GramScorer, GramSelector, Neighbourhood};
/// use idealparent::extend::ScoreOptions;
/// use idealparent::{Dag, MoveSet, example};
///
/// // Greedy hill climbing.
/// let table = example("sachs")?.table();
/// let gram = Gram::new(table.columns());
/// let scorer = GramScorer::new(&gram, gram.len(), &ScoreOptions::default())?;
/// let (selector, limits) = (GramSelector::greedy(&scorer), Constraints::none(gram.len()));
/// let start = Dag::new(gram.len());
/// let mut moves = Neighbourhood::new(&scorer, &selector, &limits, MoveSet::all(), start).unwrap();
/// moves.rank_all(|| false);
/// while let Some((best, _gain)) = moves.best() {
///     moves.take(&best);
/// }
/// assert!(moves.dag().edge_count() > 5);
/// # Ok::<(), idealparent::Error>(())
/// ```
pub struct Neighbourhood<'a> {
    scorer: &'a dyn Scorer,
    selector: &'a dyn Selector,
    constraints: &'a Constraints,
    allowed: MoveSet,
    dag: Dag,
    reach: Reach,
    /// Score of every family.
    families: Vec<f64>,
    moves: Vec<ChildMoves>,
    /// Upper bound on the gain of each child's legal moves.
    bounds: Vec<f64>,
    evaluations: Evaluations,
    reserve: Reserve,
    auto: Auto,
    /// Moves known to gain no more than this may be left out.
    least_gain: f64,
}

/// The moves that change one child's family.
#[derive(Clone, Debug, Default)]
struct ChildMoves {
    slots: Vec<SlotMoves>,
    /// The parents to which the next three vectors refer.
    parents: Vec<usize>,
    /// Gain of deleting each parent.
    deletions: Vec<f64>,
    /// Gain of the second half of each reversal, in which this child becomes a parent of the
    /// parent.
    returns: Vec<f64>,
    /// Gain of reversing the edge from each parent.
    reversals: Vec<f64>,
    /// Best gain over the slots' open candidates.
    best: f64,
}

impl<'a> Neighbourhood<'a> {
    /// Creates the neighbourhood of `dag`. If a family cannot be fitted, the error is its child.
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
            families: families.into_iter().flatten().collect(),
            moves: vec![ChildMoves::default(); n],
            bounds: vec![f64::NEG_INFINITY; n],
            evaluations: Evaluations::default(),
            reserve: Reserve::default(),
            auto: Auto::default(),
            least_gain: 0.0,
        })
    }

    /// Also offers moves that lose, for searches that leave a maximum.
    pub fn with_losses(mut self) -> Self {
        self.least_gain = f64::NEG_INFINITY;
        self
    }

    /// Ranks and scores the moves of every family. `stop` is called between pieces of work and can
    /// end it early. Returns whether all work was done.
    pub fn rank_all(&mut self, mut stop: impl FnMut() -> bool) -> bool {
        self.rank_blocks(&mut stop).is_ok()
    }

    fn rank_blocks(&mut self, stop: Stop) -> Result<(), Stopped> {
        let all: Vec<usize> = (0..self.dag.len()).collect();
        for block in all.chunks(BLOCK) {
            self.rank(block, stop)?;
            self.open(block, stop)?;
        }
        self.score_edges_of(&all, stop)
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Score of the network: the sum over families, always in the same order.
    pub fn score(&self) -> f64 {
        self.families.iter().sum()
    }

    /// Number of families scored so far.
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// Makes a legal move and updates the neighbourhood.
    pub fn take(&mut self, chosen: &Move) {
        self.take_until(chosen, || false);
    }

    /// As [`Neighbourhood::take`], with `stop` called between pieces of work. Returns whether all
    /// work was done. If not, the move has been made and graph and score are correct, but the moves
    /// are not updated and the search cannot continue.
    pub fn take_until(&mut self, chosen: &Move, mut stop: impl FnMut() -> bool) -> bool {
        let touched = self.change(chosen);
        self.update(chosen, touched, &mut stop).is_ok()
    }

    /// Changes to another graph, ranking only the families in which it differs. `stop` and the
    /// result are as in [`Neighbourhood::take_until`]. If one of these families cannot be fitted,
    /// the error is its child, and nothing changes.
    pub fn go_to(&mut self, dag: &Dag, mut stop: impl FnMut() -> bool) -> Result<bool, usize> {
        let differs = |v: &usize| dag.parents(*v) != self.dag.parents(*v);
        let changed: Vec<usize> = (0..dag.len()).filter(differs).collect();
        let scores: Vec<Option<f64>> = changed
            .par_iter()
            .map(|&v| self.scorer.score(v, dag.parents(v)))
            .collect();
        if let Some(unfit) = scores.iter().position(Option::is_none) {
            return Err(changed[unfit]);
        }
        for (&v, score) in changed.iter().zip(scores.into_iter().flatten()) {
            self.families[v] = score;
        }
        self.dag = dag.clone();
        self.reach = Reach::new(dag);
        for slot in self.moves.iter_mut().flat_map(|own| &mut own.slots) {
            slot.stale |= slot.asked.only_legal;
        }
        Ok(self.update_all(&changed, &mut stop).is_ok())
    }

    fn update_all(&mut self, changed: &[usize], stop: Stop) -> Result<(), Stopped> {
        for block in changed.chunks(BLOCK) {
            self.rank(block, stop)?;
        }
        let all: Vec<usize> = (0..self.dag.len()).collect();
        for block in all.chunks(BLOCK) {
            self.open(block, stop)?;
        }
        self.score_edges_of(changed, stop)
    }

    /// Changes the graph and the family scores. Returns the variables whose descendants or parents
    /// changed.
    fn change(&mut self, chosen: &Move) -> FixedBitSet {
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
                    // Candidates left out as illegal may have become legal.
                    slot.stale |= slot.asked.only_legal;
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
        for child in chosen.changed() {
            let score = self.scorer.score(child, self.dag.parents(child));
            self.families[child] = score.expect("a move that was chosen can be fitted");
            touched.insert(child);
        }
        touched
    }

    /// Ranks and scores again what a move changed.
    fn update(&mut self, chosen: &Move, touched: FixedBitSet, stop: Stop) -> Result<(), Stopped> {
        let changed: Vec<usize> = chosen.changed().collect();
        self.rank(&changed, stop)?;
        let touched: Vec<usize> = touched.ones().collect();
        self.open(&touched, stop)?;
        self.score_edges_of(&changed, stop)?;
        for &child in &changed {
            self.bound(child);
            self.scan_now_and_then(child, stop)?;
        }
        Ok(())
    }

    /// Gain of a variable with another family, and number of densities fitted for it.
    fn gain(&self, v: usize, family: &[usize]) -> (f64, usize) {
        let (score, fresh) = self.scorer.score_counted(v, family);
        let gain = score.map_or(f64::NEG_INFINITY, |score| score - self.families[v]);
        (gain, fresh)
    }

    /// The variables that cannot become parents of a child.
    fn illegal(&self, child: usize) -> FixedBitSet {
        let mut illegal = self.constraints.banned(child).clone();
        illegal.union_with(self.reach.descendants(child));
        illegal.insert(child);
        illegal.extend(self.dag.parents(child).iter().copied());
        illegal
    }

    /// Recomputes the largest gain of a child's insertions and the upper bound on the gain of all
    /// its moves.
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
}
